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
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from itertools import pairwise
from typing import Protocol

import regex

from explorer.engine.fast.cache import Ids, PieceCache
from explorer.engine.fast.piece_encoder import ByStages, PieceEncoder, texts_after
from explorer.engine.fast.spaces import at_spaces
from explorer.engine.normalizers.huggingface import Drop, IsolateChineseChars, Lowercase, NfdFirst, ToSpace
from explorer.engine.normalizers.stage import Lower, Normalization
from explorer.engine.normalizers.unicode_forms import UnicodeForm
from explorer.engine.part import Part, Segment
from explorer.engine.pre_tokenizers.by_regex import Behavior, ByteLevel, PreTokenization, RegexSplit, Splitter
from explorer.engine.pre_tokenizers.huggingface import CharSplit
from explorer.engine.pre_tokenizers.patterns import BY_REGEX
from explorer.engine.pre_tokenizers.scanners import SCANNERS, Scanner, ScannerSplit
from explorer.engine.pre_tokenizers.wpm import WpmEvent, WpmWords
from explorer.engine.regexes.safe import as_16, runs
from explorer.engine.unicode.versions import combining_class
from explorer.text import WHITE_SPACE
from explorer.text.code_points import major_category

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
    if splitter.pattern.regex not in BY_REGEX:
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
