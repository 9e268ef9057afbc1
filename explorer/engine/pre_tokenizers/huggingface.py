"""The splitters that Hugging Face's tokenizers have beside those everybody has: `pretokenizers` says what they emit.

By a pattern of Oniguruma, by sorts of characters, by script, by number of characters, and at spaces with a character to
write for them. Alignment follows the original (`aligned`): what is put in front of a piece has the place of its first
character. Patterns of Oniguruma and tables of scripts are imported when a text is cut by them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, Literal

import regex

from explorer.engine.items import Segment
from explorer.engine.normalizers.huggingface import in_front
from explorer.engine.pre_tokenizers.by_regex import RegexSplit
from explorer.engine.pre_tokenizers.scanners import Found
from explorer.engine.pre_tokenizers.stage import Behavior, PreTokenize, cut_at, part_of
from explorer.engine.regexes.pattern import Alternative, Pattern
from explorer.engine.trace import Emit
from explorer.engine.unicode.versions import is_numeric, is_punctuation
from explorer.text.code_points import WHITE_SPACE


class OnigurumaSplit(RegexSplit):
    """Cuts by a pattern whose alternatives `oniguruma` has spelled; an empty match cuts as well (`Split`).

    >>> from explorer.engine.regexes import oniguruma
    >>> split = OnigurumaSplit(Pattern("", "", oniguruma.alternatives(""), nested_sets=True))
    >>> [piece.text for piece in split.split(Segment.of("abc"), 0, lambda *row: None)]
    ['a', 'b', 'c']
    """

    def found(self, text: str, seconds: float) -> Iterator[regex.Match[str]]:
        from explorer.engine.regexes import oniguruma

        return oniguruma.matches(self.regex, text, seconds)


Sort = tuple[Alternative, Callable[[str], bool]]
"""A sort of characters, and whether a character is of it."""


class CharSplit:
    """Cuts at the characters of some sorts, each a match of its own; of several the first that holds.

    >>> split = CharSplit([PUNCTUATION], Behavior.MERGED_WITH_PREVIOUS)
    >>> [piece.text for piece in split.split(Segment.of("Hey!! You"), 0, lambda *row: None)]
    ['Hey!', '!', ' You']
    """

    def __init__(self, sorts: Sequence[Sort], behavior: Behavior) -> None:
        self.sorts, self.behavior = tuple(sorts), behavior
        self.alternatives = tuple(alternative for alternative, _ in sorts)

    def split(self, piece: Segment, first: int, emit: Emit) -> list[Segment]:
        sort_of = {ch: self.sort_of(ch) for ch in set(piece.text)}
        matches = self.matches(piece.text, sort_of) if max(sort_of.values(), default=-1) >= 0 else ()
        return cut_at(piece, matches, first, emit, self.behavior)

    def matches(self, text: str, sort_of: Mapping[str, int]) -> Iterator[Found]:
        # those that are left out or stand together anyway are one match
        together = self.behavior in (Behavior.REMOVED, Behavior.CONTIGUOUS)
        stop = 0
        while stop < len(text):
            start, sort = stop, sort_of[text[stop]]
            stop += 1
            while together and stop < len(text) and sort_of[text[stop]] == sort:
                stop += 1
            if sort >= 0:
                yield Found(start, stop, sort)

    def sort_of(self, ch: str) -> int:
        for place, (_, belongs) in enumerate(self.sorts):
            if belongs(ch):
                return place
        return -1


def is_white_space(ch: str) -> bool:
    return ord(ch) in WHITE_SPACE


WHITE: Final[Sort] = Alternative(r"\s", "White space."), is_white_space
PUNCTUATION: Final[Sort] = (
    Alternative(r"[\p{P}$+<=>^`|~]", "A punctuation mark of Unicode 8, or one of ASCII's symbols."),
    is_punctuation,
)


def digits(individual: bool) -> CharSplit:
    """`Digits`: numbers are cut out, every run of them or each one alone. What is a number says Rust's
    `char::is_numeric`, that is \\p{N}.

    >>> [piece.text for piece in digits(individual=True).split(Segment.of("a12"), 0, lambda *row: None)]
    ['a', '1', '2']
    """
    says = (
        Alternative(r"\p{N}", "One number, always alone.")
        if individual
        else Alternative(r"\p{N}+", "A run of numbers.")
    )
    behavior = Behavior.ISOLATED if individual else Behavior.CONTIGUOUS
    return CharSplit([(says, is_numeric)], behavior)


WORDS: Final = Pattern(
    "words",
    "Hugging Face tokenizers, Whitespace",
    (
        Alternative(r"\w+", "A word: letters, marks, digits, _ and joiners."),
        Alternative(r"[^\w\s]+", "Anything else that is visible."),
    ),
)


def whitespace() -> RegexSplit:
    """`Whitespace`: words and runs of what is neither word nor white space are kept, the white space between is not.

    >>> [piece.text for piece in whitespace().split(Segment.of("Hey friend!"), 0, lambda *row: None)]
    ['Hey', 'friend', '!']
    """
    return RegexSplit(WORDS, Behavior.REMOVED, invert=True)


def fixed_length(size: int) -> RegexSplit:
    """`FixedLength`: so many characters, the last piece what is left.

    >>> [piece.text for piece in fixed_length(2).split(Segment.of("abcde"), 0, lambda *row: None)]
    ['ab', 'cd', 'e']
    """
    says = f"{size} characters, whatever they are; fewer at the end." if size > 1 else "One character, whatever it is."
    return RegexSplit(Pattern("fixed length", "FixedLength", (Alternative(f"(?s:.{{1,{size}}})", says),)))


class UnicodeScripts:
    """Cuts where the script changes (`UnicodeScripts`); a space and what has no script goes to what stands before it.

    What stands before the first character with a script is lost: a surprise in the original, kept.

    >>> [piece.text for piece in UnicodeScripts().split(Segment.of(" ab かな漢字!"), 0, lambda *row: None)]
    ['ab ', 'かな漢字', '!']
    """

    alternatives: tuple[Alternative, ...] = ()

    def split(self, piece: Segment, first: int, emit: Emit) -> list[Segment]:
        from explorer.engine.unicode.scripts import script_of

        text, starts, ends = piece
        cuts: list[tuple[int, int]] = []
        """where a script begins, and which"""
        for at, ch in enumerate(text):
            script = script_of(ch)
            if script >= 0 and (not cuts or cuts[-1][1] != script):
                cuts.append((at, script))
        begin = cuts[0][0] if cuts else len(text)
        if begin:
            emit(PreTokenize.REST_REMOVED, starts[0], ends[begin - 1], -1)
        found = []
        for place, (start, script) in enumerate(cuts):
            stop = cuts[place + 1][0] if place + 1 < len(cuts) else len(text)
            emit(PreTokenize.SCRIPT, starts[start], ends[stop - 1], script)
            found.append(part_of(piece, start, stop))
        return found


class PrefixSpace:
    """Puts a space in front of each piece that does not begin with one (`ByteLevel` with add_prefix_space)."""

    alternatives: tuple[Alternative, ...] = ()

    def split(self, piece: Segment, first: int, emit: Emit) -> list[Segment]:
        return [prefixed(piece, " ", emit)]


def prefixed(piece: Segment, ch: str, emit: Emit) -> Segment:
    """The piece with a character in front, if it has none there."""
    start = piece.starts[0]
    if piece.text.startswith(ch):
        emit(PreTokenize.NO_PREFIX, start, start + 1, ord(ch))
        return piece
    emit(PreTokenize.PREFIX, start, start, ord(ch))
    return in_front(ch, piece)


Scheme = Literal["always", "first", "never"]


class Metaspace:
    """Writes every space as another character, puts one in front, and cuts before each (`Metaspace`).

    scheme: in front of every piece, only of one at the beginning of the text, or never.

    >>> [piece.text for piece in Metaspace("▁", "always").split(Segment.of("a  b"), 0, lambda *row: None)]
    ['▁a', '▁', '▁b']
    """

    def __init__(self, replacement: str, scheme: Scheme, *, cuts: bool = True) -> None:
        self.replacement, self.scheme, self.cuts = replacement, scheme, cuts
        says = f"{replacement} begins a piece; what comes behind it goes with it."
        self.alternatives = (Alternative(replacement, says),) if cuts else ()

    def split(self, piece: Segment, first: int, emit: Emit) -> list[Segment]:
        text, starts, ends = piece
        mark = self.replacement
        at = text.find(" ") if mark != " " else -1
        while at >= 0:
            emit(PreTokenize.SPELLED, starts[at], ends[at], ord(mark))
            at = text.find(" ", at + 1)
        piece = Segment(text.replace(" ", mark), starts, ends)
        if self.scheme == "always" or (self.scheme == "first" and starts[0] == 0):
            piece = prefixed(piece, mark, emit)
        elif self.scheme == "first":
            emit(PreTokenize.NO_PREFIX, starts[0], starts[0], ord(mark))
        if not self.cuts:
            return [piece]
        matches = (Found(at, at + 1, 0) for at, ch in enumerate(piece.text) if ch == mark)
        return cut_at(piece, matches, first, emit, Behavior.MERGED_WITH_NEXT)
