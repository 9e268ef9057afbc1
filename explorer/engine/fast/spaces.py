"""What a normalization without a pre-tokenizer does to white space, in the cases that allow splitting the text there.

- Nothing, or ▁ for every space, with or without one in front of the text.
- One ▁ in front of every word, whatever white space preceded it (`remove_extra_whitespaces`). Then white space only
  separates words, and each can be normalized as a text of its own, unless the character map turns its end into a space.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from operator import add
from typing import Final, NamedTuple

from explorer.engine.normalizers.charsmap import (
    HAS_VALUE,
    LABEL_MASK,
    CharsmapNormalization,
    PrecompiledCharsmap,
    llama_cpp_whitespace,
    longest_match,
    offset_of,
)
from explorer.engine.normalizers.huggingface import Literal, Prepend, Replace
from explorer.engine.normalizers.llama_cpp import EscapeWhitespace, SpacePrefix
from explorer.engine.normalizers.stage import Normalization
from explorer.engine.part import Part
from explorer.engine.pre_tokenizers.by_regex import RegexSplit
from explorer.engine.pre_tokenizers.stage import PreTokenization
from explorer.text import WHITE_SPACE
from explorer.vocabulary import SPACE_MARK

SPACE: Final = " "


class NotIndependent(Exception):
    """A word depends on the text after it."""


class Spaces(NamedTuple):
    """What is done to white space.

    front: a space is put in front of the text. written: how a space is spelled. rewrite: normalizes a piece that begins
    with a space; raises NotIndependent. dropped: white space that only separates words. maps: other characters may
    change, too. charsmap: by this character map. mapped_only: nothing but the map decides how. keeps: whether it is
    known at once that none of these words changes.
    """

    front: bool
    written: str
    rewrite: Callable[[str], str]
    dropped: str = ""
    maps: bool = False
    charsmap: PrecompiledCharsmap | None = None
    mapped_only: bool = True
    keeps: Callable[[Sequence[str]], bool] = lambda words: False


def spaces_of(between: Sequence[Part]) -> Spaces | None:
    """What these stages do to white space, None for any other case."""
    if not between:
        return Spaces(False, SPACE, str)
    if isinstance(between[0], Normalization) and all(map(looks_for_spaces, between[1:])):
        return by_characters(between[0])
    if len(between) == 1 and isinstance(between[0], CharsmapNormalization):
        return by_charsmap(between[0])
    return None


def looks_for_spaces(stage: Part) -> bool:
    """Whether a pre-tokenizer looks only for spaces, as Gemma's does: after they became ▁ it finds none."""
    return isinstance(stage, PreTokenization) and all(
        isinstance(one, RegexSplit) and one.pattern.regex in (SPACE, "\\" + SPACE) and not one.invert
        for one in stage.splitters
    )


def by_characters(stage: Normalization) -> Spaces | None:
    """An optional space or ▁ in front, then ▁ for every space."""
    *prefix, escape = stage.normalizers or (None,)
    escapes = isinstance(escape, EscapeWhitespace) or (
        isinstance(escape, Replace)
        and isinstance(escape.spans, Literal)
        and (escape.spans.wanted, escape.content) == (SPACE, SPACE_MARK)
    )
    puts = [isinstance(one, SpacePrefix) or (isinstance(one, Prepend) and one.text == SPACE_MARK) for one in prefix]
    if not escapes or puts not in ([], [True]):
        return None
    return Spaces(bool(prefix), SPACE_MARK, lambda piece: piece.replace(SPACE, SPACE_MARK))


def by_charsmap(stage: CharsmapNormalization) -> Spaces | None:
    """A character map without a rule for the space, and rules that write one ▁ before a word or for each space."""
    rules, charsmap = stage.rules, stage.charsmap
    if not rules.escape_whitespaces or rules.treat_whitespace_as_suffix or not rules.add_dummy_prefix:
        return None
    if stage.user_defined.breaks_characters:
        return None
    known, inside = CharsmapRules(charsmap), "".join(stage.user_defined.symbols())
    only = stage.search is longest_match and not inside
    if known.beginnings(SPACE) or SPACE in inside:
        return None
    if rules.remove_extra_whitespaces:
        dropped = [ch for ch in map(chr, sorted(WHITE_SPACE)) if ch not in inside and known.becomes_space(ch)]
        every = SPACE + "".join(dropped)
        return Spaces(True, SPACE_MARK, independently(stage, known), every, True, charsmap, only, keeping(stage))
    if stage.whitespace is llama_cpp_whitespace:
        return None
    if charsmap is None and not inside:
        return Spaces(True, SPACE_MARK, lambda piece: piece.replace(SPACE, SPACE_MARK))
    bare = CharsmapNormalization(
        charsmap,
        rules._replace(add_dummy_prefix=False),
        stage.user_defined,
        search=stage.search,
        whitespace=stage.whitespace,
    )
    return Spaces(True, SPACE_MARK, independently(bare, known), "", True, charsmap, only)


def independently(stage: CharsmapNormalization, known: CharsmapRules) -> Callable[[str], str]:
    """Normalizes a piece as a text of its own. Raises NotIndependent where its end depends on the text after it.

    Where only one space is left of several, those at its end do not matter. But a ▁ of the text counts as a space at
    the end of a text, and two spaces within one string of the map stay two.
    """
    plain = frozenset("" if any(stage.user_defined.symbols()) else filter(known.stays, map(chr, range(0x21, 0x7F))))
    """ASCII characters that never change among ASCII characters"""
    unchanged = UnchangedPairs(stage.charsmap)

    def normalized(piece: str) -> str:
        word = piece[1:]
        if plain and word and (plain.issuperset(word) or unchanged.everywhere_in(word)):
            return SPACE_MARK + word
        chunks = stage.search(stage.charsmap, stage.user_defined, piece, lambda *row: None)
        text = "".join(chunk.text for chunk in chunks)
        if stage.rules.remove_extra_whitespaces:
            if text.rstrip(SPACE)[-1:] == SPACE_MARK or any(2 * SPACE in chunk.text for chunk in chunks):
                raise NotIndependent
        elif piece[-1] != SPACE and text[-1:] in (SPACE, SPACE_MARK):
            raise NotIndependent
        return "".join(stage.whitespace(chunks, stage.rules, lambda *row: None).text)

    return normalized


def keeping(stage: CharsmapNormalization) -> Callable[[Sequence[str]], bool]:
    """Whether words stay unchanged, for many at once."""
    if any(stage.user_defined.symbols()):
        return lambda words: False
    unchanged = UnchangedPairs(stage.charsmap)
    return lambda words: unchanged.everywhere_in(END.join(words))


END: Final = "\0"
"""After the last character of a piece; a rule can't contain it."""

LONG: Final = 100
"""Characters of a text in which many pairs occur more than once."""

MOST: Final = 1 << 18
"""Pairs of characters that are cached. The pieces of XLM-RoBERTa have 110,000."""


class UnchangedPairs(dict[str, bool]):
    """Two characters → whether no rule of a character map applies to the first one, whatever follows the second.

    A space, and ▁ that might be one, change.

    >>> import explorer
    >>> unchanged = UnchangedPairs(explorer.load("xlm-r").parts[1].charsmap)
    >>> [unchanged[pair] for pair in ("ab", "a\u0300", "\u0300a", "ﬁn", "a ")]
    [True, False, True, False, True]
    """

    def __init__(self, charsmap: PrecompiledCharsmap | None) -> None:
        self.charsmap = charsmap

    def everywhere_in(self, word: str) -> bool:
        """Whether no rule applies to any character of a word."""
        pairs = map(add, word, word[1:] + END)
        return all(map(self.__getitem__, pairs if len(word) < LONG else set(pairs)))

    def __missing__(self, pair: str) -> bool:
        unchanged = pair[0] not in (SPACE, SPACE_MARK) and (
            self.charsmap is None or self.charsmap.begins_none(pair.encode())
        )
        if len(self) < MOST:
            self[pair] = unchanged
        return unchanged


def by_value(values: Iterable[int]) -> Mapping[int, Sequence[int]]:
    """The indices of each value.

    >>> by_value([7, 8, 7])
    {7: [0, 2], 8: [1]}
    """
    indices: dict[int, list[int]] = {}
    for index, value in enumerate(values):
        indices.setdefault(value, []).append(index)
    return indices


class CharsmapRules:
    """Which characters the rules of a character map contain, read off its trie; unused units may look like rules."""

    def __init__(self, charsmap: PrecompiledCharsmap | None) -> None:
        self.charsmap = charsmap
        self.units: Sequence[int] = charsmap.units if charsmap else ()
        self.bases = [-1 if unit >> 31 else node ^ offset_of(unit) for node, unit in enumerate(self.units)]
        """by node: the index its children are relative to, -1 where it holds a value"""

    def child(self, node: int, byte: int) -> int:
        """The node that a byte leads to, -1 where there is none."""
        base = self.bases[node]
        if base < 0 or self.units[base ^ byte] & LABEL_MASK != byte:
            return -1
        return base ^ byte

    def after(self, node: int, data: bytes) -> int:
        """The node that bytes lead to, -1 where there is none."""
        for byte in data:
            node = self.child(node, byte) if node >= 0 else -1
        return node

    def beginnings(self, ch: str) -> list[int]:
        """The nodes from which this character leads on: 0 where a rule begins with it, others where a rule continues
        with it.
        """
        data = ch.encode()
        children = self._labeled.get(data[0], ())
        parents = sorted(node for child in children for node in self._parents.get(child ^ data[0], ()))
        return [node for node in parents if self.after(node, data) >= 0]

    @cached_property
    def _labeled(self) -> Mapping[int, Sequence[int]]:
        """By byte: the units it may lead to."""
        return by_value(unit & LABEL_MASK for unit in self.units)

    @cached_property
    def _parents(self) -> Mapping[int, Sequence[int]]:
        """By base: the nodes whose children are relative to it."""
        return by_value(self.bases)

    def stays(self, ch: str) -> bool:
        """Whether an ASCII character is unchanged before an ASCII character and at the end.

        >>> CharsmapRules(None).stays("a")
        True
        """
        node = self.after(0, ch.encode()) if self.charsmap else -1
        if node < 0:
            return True
        ends = self.units[self.bases[node]] >> 31 and self.units[node] & HAS_VALUE
        return not ends and all(self.child(node, byte) < 0 for byte in range(1, 0x80))

    def becomes_space(self, ch: str) -> bool:
        """Whether a character becomes a space everywhere: by a rule of its own, and no other rule contains it.

        >>> import explorer
        >>> rules = CharsmapRules(explorer.load("xlm-r").parts[1].charsmap)
        >>> [rules.becomes_space(chr(code)) for code in (0x0A, 0x0B, 0x3000, 0x61)]
        [True, False, True, False]
        """
        if self.charsmap is None or self.beginnings(ch) != [0]:
            return False
        node = self.after(0, ch.encode())
        if any(self.child(node, byte) >= 0 for byte in range(1, 0x100)):
            return False
        return [self.charsmap.string(value) for _, value in self.charsmap.matches(ch.encode(), 0)] == [SPACE]
