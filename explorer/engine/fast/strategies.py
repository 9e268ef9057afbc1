r"""Selects the strategy that turns fragments of text into ids when nobody asks for spans.

A fragment is the text between special tokens. Each strategy splits it into independent pieces and caches the ids of
each. A tokenizer's parts determine which strategies are safe; where independence cannot be proved, the stages run as
they are.

Of byte-level BPE (`by_pattern`): the pre-tokenizer's patterns split the text, and each piece is looked up.

Known patterns (`patterns.BY_REGEX` and the scanners') run on the standard library's `re`, which searches two to three
times as fast as the `regex` module that the traced path runs, but does not know `\p{L}` and has another idea of white
space. So a class becomes the list of its characters below U+10000, as reported by the very program that runs the
pattern on the traced path. Blocks of text with characters above that go to the `regex` module. Emoji do not: no class
that a known pattern names contains one.

`re` has no time limit, which another pattern may need. The known ones match every character of every text, so their
matches are the pieces.

Of BERT (`at_white_space`): white space splits the text, the text between is normalized and split into words, and each
word is looked up.

White space is dropped, and nothing that is done to a word looks beyond it: every pass of the normalization changes a
character by itself, or (a Unicode form) together with the marks after it. So the ids of the text between two spaces can
be cached. What a character becomes, and whether it is white space or a word by itself, is looked up in a table. The
stages run only where marks may be reordered or composed.

The strategy without a pre-tokenizer: SentencePiece's BPE and Unigram, RWKV.

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
from functools import cached_property, lru_cache, partial
from itertools import pairwise
from operator import add, methodcaller
from typing import NamedTuple, Protocol

import regex

from explorer.engine.fast.cache import Ids, PieceCache
from explorer.engine.fast.piece_encoder import (
    ByStages,
    PieceEncoder,
    drops_characters,
    pieces_of,
    single_characters,
    stand_ins,
    texts_after,
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
from explorer.engine.normalizers.huggingface import (
    Drop,
    IsolateChineseChars,
    Literal,
    Lowercase,
    NfdFirst,
    Prepend,
    Replace,
    ToSpace,
)
from explorer.engine.normalizers.stage import EscapeWhitespace, Lower, Normalization, SpacePrefix
from explorer.engine.normalizers.unicode_forms import UnicodeForm
from explorer.engine.part import Part, Segment, silent
from explorer.engine.pre_tokenizers.by_regex import Behavior, ByteLevel, PreTokenization, RegexSplit, Splitter
from explorer.engine.pre_tokenizers.huggingface import CharSplit
from explorer.engine.pre_tokenizers.scanners import SCANNERS, Scanner, ScannerSplit
from explorer.engine.pre_tokenizers.wpm import WpmEvent, WpmWords
from explorer.engine.regexes.safe import as_16, runs
from explorer.engine.unicode.versions import combining_class
from explorer.text import WHITE_SPACE
from explorer.text.code_points import major_category
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

MOST_PAIRS = 1 << 18
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
        if len(self) < MOST_PAIRS:
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


# --- by pattern -------------------------------------------------------------------------------------------------------


Split = Callable[[str], list[str]]
"""From a text to its pieces, in order."""

Members = Callable[[str], str]
"""From the name of a class, such as `\\p{L}` or `\\s`, to its characters as written within brackets."""

BELOW = "".join(map(chr, (*range(0xD800), *range(0xE000, 0x10000))))
"""Every character below U+10000."""

ASTRAL = re.compile("[\U00010000-\U0010ffff]")
ABOVE = re.compile("[^\\0-\uffff\U0001f300-\U0001faff]")
"""Characters from U+10000, except U+1F300 to U+1FAFF: emoji and other symbols, or unassigned."""

LINE = re.compile(r"[^\W\d_](?=\n)")
"""After such a letter a text may be cut before a known pattern runs: no alternative that matches a letter matches a
line feed after it, and no match that begins at a line feed depends on the text before it."""

TOKEN = re.compile(r"\\p\{[^}]*\}|\\[sS]|\(\?i-f:|\\.|\[\^?|\]|.", re.DOTALL)


def ranges(characters: Iterable[str]) -> str:
    """Characters as written within brackets.

    >>> ranges("abcx")
    '\\\\u0061-\\\\u0063\\\\u0078'
    """
    return "".join(f"\\u{low:04x}" + (f"-\\u{high:04x}" if high > low else "") for low, high in runs(characters))


@lru_cache(maxsize=64)
def members_of_regex(name: str) -> str:
    """The members of a class of Unicode 16 according to the `regex` module."""
    seen = as_16(BELOW)
    found = set(regex.findall(name, seen))
    return ranges(ch for ch, stand_in in zip(BELOW, seen, strict=True) if stand_in in found)


@lru_cache(maxsize=64)
def members_of_scanners(name: str) -> str:
    """The members of a class according to the scanners: general categories, and white space."""
    if name == r"\s":
        return ranges(map(chr, WHITE_SPACE))
    return ranges(ch for ch in BELOW if major_category(ord(ch)) == name[3] and ord(ch) not in WHITE_SPACE)


def written_out(expression: str, members: Members) -> str:
    """The expression for `re`.

    >>> written_out(r"\\S[x\\s]", lambda name: " ")
    '[^ ][x ]'
    """
    done: list[str] = []
    inside = False
    for token in TOKEN.findall(expression):
        if token[0] == "[" and not inside:
            inside = True
        elif token == "]":
            inside = False
        elif token == "(?i-f:":
            token = "(?i:"
        elif token == r"\S":
            assert not inside, "no known pattern has \\S in brackets"
            token = f"[^{members(chr(92) + 's')}]"
        elif token == r"\s" or token.startswith(r"\p"):
            token = members(token) if inside else f"[{members(token)}]"
        done.append(token)
    return "".join(done)


@lru_cache(maxsize=64)
def _compiled(expression: str, members: Members) -> re.Pattern[str]:
    return re.compile(written_out(expression, members))


def split_by_regex(compiled: regex.Pattern[str], expression: str) -> Split:
    """A split by a known pattern. compiled: the expression as the `regex` module runs it.

    >>> split_by_regex(regex.compile(r"(\\p{L}+)|(\\P{L})"), r"\\p{L}+|[^\\p{L}]")("né\U0001f600!")
    ['né', '\U0001f600', '!']
    """
    # without groups, so that findall gives the matches
    bare = regex.compile(expression, compiled.flags)

    def above(text: str) -> list[str]:
        seen = as_16(text)
        return bare.findall(text) if seen is text else [text[slice(*match.span())] for match in bare.finditer(seen)]

    return _in_blocks(_compiled(expression, members_of_regex).findall, above)


def split_by_scanner(scanner: Scanner) -> Split:
    """A split by the alternatives of a known scanner."""
    expression = "|".join(alternative.runs for alternative in scanner.alternatives)
    return _in_blocks(
        _compiled(expression, members_of_scanners).findall,
        lambda text: [text[start:end] for start, end, _ in scanner.scan(text)],
    )


def _in_blocks(below: Split, above: Split) -> Split:
    """Splits with `below`, and with `above` in blocks around characters above U+FFFF."""

    def split(text: str) -> list[str]:
        # a single range is searched twice as fast, and most texts have neither
        first = ASTRAL.search(text)
        found = first and ABOVE.search(text, first.start())
        if found is None:
            return below(text)
        pieces: list[str] = []
        at = 0
        while found is not None:
            start, end = block_around(text, at, found.start())
            pieces += below(text[at:start])
            pieces += above(text[start:end])
            at = end
            found = ABOVE.search(text, at)
        return pieces + below(text[at:])

    return split


def block_around(text: str, begin: int, at: int) -> tuple[int, int]:
    """The block [start, end) around `at` that may be cut out, with start not before `begin`."""
    start = at
    while True:
        start = text.rfind("\n", begin, start)
        if start <= begin:
            start = begin
            break
        if LINE.match(text, start - 1):
            break
    after = LINE.search(text, at)
    return start, after.end() if after else len(text)


class ByText:
    """A strategy that needs no more of a fragment than its text."""

    cache: PieceCache

    def ids(self, fragment: Segment) -> list[int]:
        """The ids of a fragment."""
        return self.ids_of_text(fragment.text)

    def ids_of_text(self, text: str) -> list[int]:
        """The ids of a text without special tokens."""
        raise NotImplementedError


class ByPattern(ByText):
    """Normalizes, splits by pattern, looks up.

    before: the normalization, if there is one. splits: applied in turn, each to the output of the one before.
    """

    def __init__(self, before: Sequence[Part], splits: Sequence[Split], encoder: PieceEncoder) -> None:
        self.before, self.splits = tuple(before), tuple(splits)
        self.is_one_split = not before and len(splits) == 1
        normalizers = [one for part in before if isinstance(part, Normalization) for one in part.normalizers]
        self.form = normalizers[0] if len(normalizers) == 1 and isinstance(normalizers[0], UnicodeForm) else None
        self.encoder = encoder
        self.cache = PieceCache(encoder)

    def ids_of_text(self, text: str) -> list[int]:
        """The ids of a text without special tokens."""
        return self.cache.all_of(self.splits[0](text) if self.is_one_split else self.pieces(text))

    def pieces(self, text: str) -> list[str]:
        """The pieces of a fragment's text, each solved by itself, before bytes are spelled."""
        texts = [self.normalized(text)] if self.before else [text]
        for split in self.splits:
            texts = split(texts[0]) if len(texts) == 1 else [piece for text in texts for piece in split(text)]
        return texts

    def normalized(self, text: str) -> str:
        """The text after normalization."""
        if self.form is None:
            return "".join(texts_after(self.before, Segment.of(text)))
        return text if self.form.keeps(text) else self.form.text(text)


def by_pattern(between: Sequence[Part], model: Part) -> ByPattern | None:
    """The strategy, None where the pre-tokenizer has a splitter that is not supported here."""
    if (stages := pre_tokenization(between)) is None:
        return None
    before, splitters, bytes_spelled = stages
    splits = [split for splitter in splitters if (split := split_of(splitter)) is not None]
    if not splits or len(splits) < len(splitters):
        return None
    return ByPattern(before, splits, PieceEncoder(model, bytes_spelled=bytes_spelled))


def pre_tokenization(between: Sequence[Part]) -> tuple[Sequence[Part], Sequence[Splitter], bool] | None:
    """The normalization before a pre-tokenizer, its splitters, and whether it spells bytes after them.

    None for other stages.
    """
    *before, stage = between or (None,)
    if not isinstance(stage, PreTokenization) or not all(isinstance(part, Normalization) for part in before):
        return None
    splitters = stage.splitters
    bytes_spelled = bool(splitters) and isinstance(splitters[-1], ByteLevel)
    return between[:-1], splitters[: len(splitters) - bytes_spelled], bytes_spelled


def split_of(splitter: Splitter) -> Split | None:
    """A splitter as a function from text to texts, None where it is not supported."""
    if isinstance(splitter, ScannerSplit):
        return split_by_scanner(splitter.scanner) if splitter.scanner in FAITHFUL else None
    if not isinstance(splitter, RegexSplit):
        return None
    if not splitter.is_known:
        isolated = splitter.behavior == Behavior.ISOLATED and not splitter.invert
        return partial(at_matches, splitter) if isolated else None
    if not keeps_matches(splitter):
        return None
    return split_by_regex(splitter.regex, "|".join(alternative.runs for alternative in splitter.alternatives))


def keeps_matches(splitter: RegexSplit) -> bool:
    """Whether the pieces are the matches of a known pattern, which matches every character."""
    return (splitter.behavior, splitter.invert) in ((Behavior.ISOLATED, False), (Behavior.REMOVED, True))


def at_matches(splitter: RegexSplit, text: str) -> list[str]:
    """The matches of a pattern and the text between them. An empty match splits, too.

    >>> from explorer.engine.regexes.safe import Alternative, Pattern
    >>> at_matches(RegexSplit(Pattern("", "", (Alternative("b", ""),))), "abcb")
    ['a', 'b', 'c', 'b']
    """
    boundaries = {0, len(text)}
    for match in splitter.matches_in_time(text):
        boundaries.update(match.span())
    return [text[start:end] for start, end in pairwise(sorted(boundaries))]


FAITHFUL = tuple(scanner for scanner in SCANNERS.values() if scanner.name.startswith(("gpt-2", "llama-3", "qwen")))
"""Scanners that do exactly what their alternatives say."""


LOCAL = (Drop, ToSpace, IsolateChineseChars, UnicodeForm, Lowercase, Lower, NfdFirst)
"""Normalizers that do not look across white space, and map each ASCII character by itself to ASCII."""

WHITE = " \t\n\r"
BETWEEN_WHITE = re.compile(f"[^{WHITE}]+")


class AtWhiteSpace(ByText):
    """Splits at white space, then looks words up.

    stages: normalization and pre-tokenizer. characters: what each character becomes.
    """

    def __init__(self, stages: Sequence[Part], characters: NormalizedCharacters, encoder: PieceEncoder) -> None:
        self.stages, self.characters = tuple(stages), characters
        self.encoder = encoder
        self.words = PieceCache(encoder)
        """the ids of words"""
        self.cache = PieceCache(self.solve)
        """the ids of text between white space"""

    def ids_of_text(self, text: str) -> list[int]:
        """The ids of a text without special tokens."""
        return self.cache.all_of(BETWEEN_WHITE.findall(text))

    def solve(self, text: str) -> Ids:
        """The ids of the text between two white spaces."""
        now = text.translate(self.characters)
        words = texts_after(self.stages, Segment.of(text)) if IN_CONTEXT in now else WORDS.findall(now)
        return tuple(self.words.all_of(words))


Spaced = Callable[[str], str]
"""From a character to what the pre-tokenizer makes of it: a space, the character between spaces, or within a word."""


class NormalizedCharacters(dict[int, str]):
    """Code point → its normalized text, with a space for white space and around characters that are words.

    `IN_CONTEXT` marks a character whose neighbors may change it: where a form decomposes, one with a combining class;
    where it composes, any beyond ASCII.

    normalization: the stage. spaced: what the pre-tokenizer makes of a normalized character.
    """

    def __init__(self, normalization: Normalization, spaced: Spaced) -> None:
        self.normalization, self.spaced = normalization, spaced
        self.forms = [one for one in normalization.normalizers if isinstance(one, UnicodeForm)]
        self.composes = any(form.composes for form in self.forms)

    def __missing__(self, code: int) -> str:
        text = "".join(texts_after([self.normalization], Segment.of(chr(code))))
        depends = code >= 0x80 if self.composes else bool(self.forms) and any(map(combining_class, text))
        made = IN_CONTEXT if depends else "".join(map(self.spaced, text))
        if len(self) < MOST:
            self[code] = made
        return made


IN_CONTEXT = "\udcff"
"""Marks text that the stages must normalize: a character that no text contains."""

MOST = 1 << 16
"""Characters that are cached."""

WORDS = re.compile("[^ ]+")


def spaced_by(part: Part) -> Spaced | None:
    """What a pre-tokenizer does to each character by itself; None if it does more."""
    if isinstance(part, WpmWords):

        def by_turn(ch: str) -> str:
            kind, now = part.turn(ch)
            if now < 0:
                return " " if kind == WpmEvent.WHITE_SPACE else ""
            return f" {chr(now)} " if kind == WpmEvent.ALONE else chr(now)

        return by_turn
    all_splitters = part.splitters if isinstance(part, PreTokenization) else ()
    splitters = [splitter for splitter in all_splitters if isinstance(splitter, CharSplit)]
    if [each.behavior for each in splitters] != [Behavior.REMOVED, Behavior.ISOLATED] or len(all_splitters) > 2:
        return None
    white_space, words = splitters

    def by_class(ch: str) -> str:
        if white_space.class_of(ch) >= 0:
            return " "
        return f" {ch} " if words.class_of(ch) >= 0 else ch

    return by_class


def at_white_space(between: Sequence[Part], model: Part) -> AtWhiteSpace | None:
    """The strategy, None where these stages do more than drop white space and process words."""
    if len(between) != 2 or not isinstance(between[0], Normalization) or (spaced := spaced_by(between[1])) is None:
        return None
    if not all(isinstance(normalizer, LOCAL) for normalizer in between[0].normalizers):
        return None
    if any(texts_after(between, Segment.of(f"a{white}a")) != ["a", "a"] for white in WHITE):
        return None
    return AtWhiteSpace(between, NormalizedCharacters(between[0], spaced), PieceEncoder(model))


class Strategy(Protocol):
    """Turns a fragment into its ids, piece by piece."""

    @property
    def cache(self) -> PieceCache:
        """The ids of the pieces met so far."""

    def ids(self, fragment: Segment) -> list[int]:
        """The ids of a fragment."""


def strategy_for(between: Sequence[Part], model: Part) -> Strategy:
    """The fastest safe strategy. between: the stages after the partition and before the model."""
    return (
        by_pattern(between, model)
        or at_white_space(between, model)
        or at_spaces(between, model)
        or ByStages(between, PieceEncoder(model))
    )
