"""The strategy without a pre-tokenizer: SentencePiece's BPE and Unigram, RWKV.

A text can be cut before a space if no piece of the vocabulary contains that space after the character before it: then
no token crosses the boundary. In SentencePiece's vocabularies that is every character but the space itself, because
their pieces contain ▁ only at the beginning; in others it is most letters. The strategy looks this up when it is made.
Where the vocabulary, the normalization or the model does not allow it, the strategy does not apply.

The text before the cut must not change the tokens after it either. The space is a piece by itself, so no run of unknown
characters crosses it. The sums of a lattice must be exact: with scores of 24 bits they are, in 64 bits, up to a certain
length of text; longer texts go to the fallback.

A normalization is understood in the cases that allow splitting the text at white space (`Spaces`):

- Nothing, or ▁ for every space, with or without one in front of the text.
- One ▁ in front of every word, whatever white space preceded it (`remove_extra_whitespaces`). Then white space only
  separates words, and each can be normalized as a text of its own, unless the character map turns its end into a space.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from operator import add, methodcaller
from typing import NamedTuple

from explorer.engine.fast.cache import Ids, PieceCache
from explorer.engine.fast.piece_encoder import (
    ByStages,
    PieceEncoder,
    drops_characters,
    pieces_of,
    single_characters,
    stand_ins,
)
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
from explorer.engine.normalizers.stage import EscapeWhitespace, Normalization, SpacePrefix
from explorer.engine.part import Part, Segment, silent
from explorer.engine.pre_tokenizers.by_regex import PreTokenization, RegexSplit
from explorer.text import WHITE_SPACE
from explorer.vocabulary import SPACE_MARK

SPACE = " "


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
        unchanged = UnchangedPairs(charsmap)
        return Spaces(True, SPACE_MARK, independently(stage, known), every, True, charsmap, only,
                      lambda words: not inside and unchanged.everywhere_in(END.join(words)))  # fmt: skip
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
        chunks = stage.search(stage.charsmap, stage.user_defined, piece, silent)
        text = "".join(chunk.text for chunk in chunks)
        if stage.rules.remove_extra_whitespaces:
            if text.rstrip(SPACE)[-1:] == SPACE_MARK or any(2 * SPACE in chunk.text for chunk in chunks):
                raise NotIndependent
        elif piece[-1] != SPACE and text[-1:] in (SPACE, SPACE_MARK):
            raise NotIndependent
        return "".join(stage.whitespace(chunks, stage.rules, silent).text)

    return normalized


END = "\0"
"""After the last character of a piece; a rule can't contain it."""

LONG = 100
"""Characters of a text in which many pairs occur more than once."""

MOST = 1 << 18
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


class AtSpaces:
    """Splits before spaces, then looks up.

    spaces: what is done to white space. followed: characters that a space may follow within a piece.
    most: characters of the longest text whose sums are exact. fallback: for texts that cannot be split.
    """

    def __init__(self, spaces: Spaces, followed: str, most: float, encoder: PieceEncoder, fallback: ByStages) -> None:
        self.spaces, self.most, self.encoder, self.fallback = spaces, most, encoder, fallback
        self.followed = followed
        self.cut: Callable[[str], list[str]]
        if spaces.dropped:
            self.cut = re.compile(f"[^{re.escape(spaces.dropped)}]+").findall
        else:
            self.cut = re.compile(f" (?<=[^{re.escape(followed + SPACE + spaces.written)}] )").split
        self.cache = PieceCache(self.solve)
        """by the text after the space"""
        self.first = PieceCache(lambda piece: self.encoder(self.spaces.rewrite(piece)))
        """for text at the beginning that no space precedes"""

    def ids(self, fragment: Segment) -> list[int]:
        """The ids of a fragment."""
        if len(fragment.text) > self.most:
            return self.fallback.ids(fragment)
        parts = self.cut(fragment.text)
        try:
            if self.spaces.front:
                return self.cache.all_of(parts)
            first = self.first[parts[0]] if parts[0] else ()
            return [*first, *self.cache.all_of(parts[1:])]
        except NotIndependent:
            return self.in_regions(fragment.text) if self.spaces.dropped else self.fallback.ids(fragment)

    def pieces(self, text: str) -> list[str]:
        """What the model gets of a fragment's text, each piece solved by itself. Raises NotIndependent."""
        if len(text) > self.most:
            raise NotIndependent
        parts, rewrite = self.cut(text), self.spaces.rewrite
        first = [] if self.spaces.front else parts[:1]
        made = [rewrite(part) for part in first] if first and first[0] else []
        return made + [piece for part in parts[len(first) :] if (piece := rewrite(SPACE + part))]

    def pieces_of_words(self, texts: Sequence[str]) -> list[str] | None:
        """What the model gets of texts that are one word each; None if some may be none, several, or not independent.

        As `pieces` of each, several times as fast, where white space only separates words.
        """
        words = self.cut(SPACE.join(texts))
        if not self.spaces.dropped or words != list(map(str.strip, texts)) or max(map(len, texts)) > self.most:
            return None
        if self.spaces.keeps(words):
            return [SPACE_MARK + word for word in words]
        try:
            pieces = [self.spaces.rewrite(SPACE + word) for word in words]
        except NotIndependent:
            return None
        return pieces if all(pieces) else None

    def in_regions(self, text: str) -> list[int]:
        """The ids of a text in which some words depend on what follows: those are not split from it."""
        ids: list[int] = []
        begin = -1
        """where a region of such words begins"""
        for match in re.finditer(f"[^{re.escape(self.spaces.dropped)}]+", text):
            try:
                found = self.cache[match[0]]
            except NotIndependent:
                begin = match.start() if begin < 0 else begin
                continue
            ids += found if begin < 0 else self.fallback.ids(Segment.of(text[begin : match.end()]))
            begin = -1
        if begin >= 0:
            ids += self.fallback.ids(Segment.of(text[begin:]))
        return ids

    def solve(self, piece: str) -> Ids:
        """The ids of a piece that follows a space."""
        text = self.spaces.rewrite(SPACE + piece)
        return self.encoder(text) if text else ()


def at_spaces(between: Sequence[Part], model: Part) -> AtSpaces | None:
    """The strategy, None where the pieces cannot be proved independent."""
    spaces, found, encoder = spaces_of(between), pieces_of(model), PieceEncoder(model)
    # a model that takes pieces whole takes the whole fragment, and no part of it
    if spaces is None or found is None or drops_characters(model) or encoder.taken_whole is not None:
        return None
    known = single_characters(model)
    if known is not None and spaces.written not in known:
        return None
    space = spaces.written.encode()
    followed = characters_before(found, space)
    if followed is None or (spaces.maps and followed):
        return None
    crossing = [piece for piece in found if space in piece[1:]] if followed else []
    if any(symbol + space in piece for symbol in stand_ins(model) for piece in crossing):
        return None
    return AtSpaces(spaces, followed, encoder.most, encoder, ByStages(between, encoder))


LOWEST_END = b"\xff"


def characters_before(found: Iterable[bytes], space: bytes) -> str | None:
    """The characters except the space that precede a space in some piece; None where one is only part of a character.

    >>> characters_before([b" a", b"b c", b"d  "], b" ")
    'bd'
    """
    before: set[str] = set()
    pieces = [*found]
    # mostly none has one, which a search over all of them at once says
    if sum(map(methodcaller("startswith", space), pieces)) == LOWEST_END.join(pieces).count(space):
        pieces = []
    for piece in pieces:
        at = piece.find(space, 1)
        while at > 0:
            try:
                before.add(piece[:at].decode()[-1])
            except UnicodeDecodeError:
                return None
            at = piece.find(space, at + 1)
    return "".join(sorted(before - {space.decode()}))
