r"""The pre-tokenization stage, which splits text into pieces that no token crosses, and its splitters by patterns.

The stage is a list of splitters applied in turn, each to every piece of the one before. How matches and the gaps
between them become pieces (`split_at`) has Hugging Face's five behaviors. Follows Hugging Face's `tokenizers`,
tiktoken's single pattern and llama.cpp's `unicode_regex_split`, which applies several patterns in turn. `ByteLevel`
only changes how a piece is spelled. The splitters without patterns are in `scanners`, those of Hugging Face alone in
`huggingface`. For every piece the trace names the alternative of the pattern that matched and the earlier ones that
were tried at that position and failed. A pattern may take long, so matching has a time limit.

llama.cpp runs the patterns it has no scanner for on a text whose letters are collapsed into classes
(`CollapsedSplit`). C++'s regular expressions do not support Unicode categories, so `unicode_regex_split` in its
`src/unicode.cpp` runs them on another text of the same length. If a pattern names a category (`\p{L}`, `\p{N}`,
`\p{P}`, `\p{M}`, `\p{S}`), every non-ASCII character is collapsed to one that represents its category, and the category
in the pattern is replaced by that character and the category's ASCII characters. If it names none, only non-ASCII white
space is replaced, by a vertical tab, because `\s` matches only ASCII white space there. The consequences:

- `\p{Lu}`, `\p{Ll}`, `\p{Lt}`, `\p{Lm}` and `\p{Lo}` all match any letter.
- A non-ASCII literal never matches in a pattern that names a category (llama.cpp refuses such a pattern).
- `$` is the end of the piece, and each piece of the pattern before is matched on its own.

The results are those of C++'s `std::regex` (ECMAScript): alternatives in order, as here. Left out: its recursion, which
overflows llama.cpp's stack on a piece of some hundred thousand characters.

A tokenizer that uses a pattern for training merges only within pieces, so its own pattern cuts almost none of its
tokens: `tokens_cut` counts them, to say how well a pattern fits a vocabulary.
"""

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import IntEnum, StrEnum
from itertools import chain, repeat
from math import inf
from typing import NamedTuple, Protocol

import regex

from explorer.engine.budget import ask, asking
from explorer.engine.part import Emit, Item, Items, LengthBudget, Options, Segment, length, silent
from explorer.engine.pre_tokenizers.patterns import BY_REGEX
from explorer.engine.regexes import safe as safe_regex
from explorer.engine.regexes.safe import (
    LONGEST_SPELLED,
    Alternative,
    Pattern,
    PatternError,
    StandIns,
    in_seconds,
    seconds_for,
    too_costly,
)
from explorer.errors import InputError, verbatim
from explorer.text import WHITE_SPACE
from explorer.text.code_points import major_category
from explorer.text.input import text_of
from explorer.vocabulary import printable

WHAT = "the pre-tokenizer"
"""The name of the stage in errors."""


class PreTokenizeEvent(IntEnum):
    """What a `PreTokenizeRow` says."""

    PIECE = 0
    """This alternative matches the piece [start, end)."""
    FAILED = 1
    """This alternative does not match at `start` (== end)."""
    GAP = 2
    """No alternative matches within [start, end): the text between two matches is a piece, too."""
    REMOVED = 3
    """The match [start, end) is a separator and is dropped."""
    BYTE = 4
    """The byte-to-printable map: byte number `end` of the character at `start` is spelled as the character `choice`."""
    PREFIX = 5
    """The character `choice`, usually a space, is prepended to the piece at `start`."""
    CUT = 6
    """This alternative matches the empty string at `start` (== end): the text is split there."""
    MERGED_PREVIOUS = 7
    """The match [start, end) joins the piece before it."""
    MERGED_NEXT = 8
    """The match [start, end) begins a piece, which the text after it joins."""
    JOINED = 9
    """[start, end) joins the piece before it: it follows a MERGED_NEXT, or (Contiguous) another match."""
    REST_REMOVED = 10
    """No alternative matches within [start, end): it is dropped, because only matches are kept."""
    SPELLED = 11
    """The space [start, end) is written as the character `choice`."""
    NO_PREFIX = 12
    """Nothing is prepended to the piece at `start`: it already begins with that character (end > start), or it is not
    at the beginning of the text (end == start)."""
    SCRIPT = 13
    """The piece [start, end) is of one script, number `choice` of `unicode.versions.NAMES`."""
    LOOK = 14
    """A scanner at `start` reads the character at `end`, of the class `choice`, to decide about its next rule."""
    RUN = 15
    """A scanner reads the run [start, end); the class `choice` ends it, or, if 0, the number of characters."""


# integers: to look up a member of an enum takes as long as to store an event
PIECE, FAILED, GAP, REMOVED, BYTE = map(int, list(PreTokenizeEvent)[:5])
REST_REMOVED, LOOK, RUN = map(int, (PreTokenizeEvent.REST_REMOVED, PreTokenizeEvent.LOOK, PreTokenizeEvent.RUN))


class PreTokenizeRow(NamedTuple):
    """One decision of a pre-tokenizer."""

    kind: int
    """A `PreTokenizeEvent`."""
    start: int
    """First code point in the original text."""
    end: int
    """Index after the last one (BYTE: index of the byte in the character)."""
    choice: int
    """Index of the alternative, counted over all splitters of the stage; -1 for none. BYTE, PREFIX, SPELLED, NO_PREFIX:
    a code point. LOOK, RUN: the code point of a letter of `classes`, `E` after the end of what is scanned."""


class AlternativeMatch(NamedTuple):
    """A match [start, end), and the index of the alternative that matches."""

    start: int
    end: int
    alternative: int


class Behavior(StrEnum):
    """What happens to a match, with Hugging Face's names."""

    REMOVED = "Removed"
    """It is a separator and is dropped."""
    ISOLATED = "Isolated"
    """It is a piece."""
    MERGED_WITH_PREVIOUS = "MergedWithPrevious"
    """It joins the piece before it, unless that is a match, too."""
    MERGED_WITH_NEXT = "MergedWithNext"
    """It joins the piece after it, unless that is a match, too."""
    CONTIGUOUS = "Contiguous"
    """It forms one piece with the matches directly after it."""


class Splitter(Protocol):
    """One step of the stage. Splitters inherit from it."""

    alternatives: tuple[Alternative, ...] = ()
    """The alternatives of its pattern, empty for a splitter without one."""
    unicode: str = ""
    """The version of Unicode whose categories its pattern uses, such as "16"; empty if it uses none."""

    def split(self, piece: Segment, first: int, emit: Emit) -> list[Segment]:
        """The pieces of one piece. first: the index of its first alternative within the stage."""


class PreTokenization:
    """The stage: splitters applied in turn.

    alternatives: those of all splitters, in the order the rows count them.

    >>> from explorer.engine.pre_tokenizers.patterns import GPT2
    >>> from explorer.engine.pre_tokenizers.by_regex import RegexSplit
    >>> from explorer.engine.part import silent
    >>> part = PreTokenization([RegexSplit(GPT2)])
    >>> [item.text for item in part.run([Segment.of("He's here")], Options(), silent)]
    ['He', "'s", ' here']
    """

    name = "pre-tokenize"
    row = PreTokenizeRow
    kinds = PreTokenizeEvent

    def __init__(self, splitters: Sequence[Splitter]) -> None:
        self.splitters = tuple(splitters)
        self.alternatives: tuple[Alternative, ...] = tuple(a for each in self.splitters for a in each.alternatives)

    def run(self, items: Items, options: Options, emit: Emit) -> Items:
        """The items with every segment split. Raises InputError if the text gets too long or the time is up."""
        done: list[Item] = list(items)
        budget = LengthBudget.of(WHAT, done)
        first = 0
        for splitter in self.splitters:
            cut: list[Item] = []
            for item in asking(done, WHAT):
                if isinstance(item, Segment):
                    cut += splitter.split(item, first, emit)
                else:
                    cut.append(item)
            ask(WHAT)
            budget.check(length(cut), splitter)
            done, first = cut, first + len(splitter.alternatives)
        return done


def matches_and_gaps(matches: Iterable[AlternativeMatch], size: int) -> Iterator[AlternativeMatch]:
    """The matches and, as alternative -1, the gaps between them; together they cover the `size` characters of the text.

    >>> [tuple(each) for each in matches_and_gaps([AlternativeMatch(1, 2, 0)], 3)]
    [(0, 1, -1), (1, 2, 0), (2, 3, -1)]
    """
    at = 0
    for match in matches:
        if match.start > at:
            yield AlternativeMatch(at, match.start, -1)
        yield match
        at = match.end
    if at < size:
        yield AlternativeMatch(at, size, -1)


def split_at(
    piece: Segment,
    matches: Iterable[AlternativeMatch],
    first: int,
    emit: Emit,
    behavior: Behavior = Behavior.ISOLATED,
    *,
    invert: bool = False,
) -> list[Segment]:
    """The pieces that the matches and the gaps between them form.

    invert: the behavior applies to the gaps instead of the matches.

    >>> from explorer.engine.part import silent
    >>> dots = [AlternativeMatch(1, 2, 0), AlternativeMatch(2, 3, 0)]
    >>> for behavior in Behavior:
    ...     print([each.text for each in split_at(Segment.of("a--b"), dots, 0, silent, behavior)])
    ['a', 'b']
    ['a', '-', '-', 'b']
    ['a-', '-', 'b']
    ['a', '-', '-b']
    ['a', '--', 'b']
    """
    if behavior in JOINING:
        return _split_joining(
            piece, list(matches_and_gaps(matches, len(piece.text))), first, emit, behavior, invert=invert
        )
    text, starts, ends = piece
    removed = behavior == Behavior.REMOVED
    pieces: list[Segment] = []
    for start, end, alternative in matches_and_gaps(matches, len(text)):
        if alternative >= 0:
            where = starts[start] if start < len(text) else ends[-1]
            for failed in range(first, first + alternative):
                emit(FAILED, where, where, failed)
            if start == end:
                emit(PreTokenizeEvent.CUT, where, where, first + alternative)
                continue
            kept = invert or not removed
            emit(PIECE if kept else REMOVED, where, ends[end - 1], first + alternative)
        else:
            kept = not (invert and removed)
            emit(GAP if kept else REST_REMOVED, starts[start], ends[end - 1], -1)
        if kept:
            pieces.append(piece if end - start == len(text) else piece.slice(start, end))
    return pieces


JOINING = frozenset((Behavior.MERGED_WITH_PREVIOUS, Behavior.MERGED_WITH_NEXT, Behavior.CONTIGUOUS))
"""The behaviors that join matches and gaps."""


def _split_joining(
    piece: Segment, parts: Sequence[AlternativeMatch], first: int, emit: Emit, behavior: Behavior, *, invert: bool
) -> list[Segment]:
    """`split_at` with one of these behaviors. parts: the matches and the gaps."""
    text, starts, ends = piece
    affected = [(part.alternative >= 0) != invert for part in parts]
    pieces: list[Segment] = []
    begin = 0
    """the start of the current piece"""
    for index, (start, end, alternative) in enumerate(parts):
        where = starts[start] if start < len(text) else ends[-1]
        for failed in range(first, first + alternative):
            emit(FAILED, where, where, failed)
        joins, continues = _joins(affected, index, behavior), _joins(affected, index + 1, behavior)
        begin = begin if joins else start
        if start == end:
            kind = PreTokenizeEvent.CUT
        elif begin < start:
            merged = behavior == Behavior.MERGED_WITH_PREVIOUS
            kind = PreTokenizeEvent.MERGED_PREVIOUS if merged else PreTokenizeEvent.JOINED
        elif continues and behavior == Behavior.MERGED_WITH_NEXT:
            kind = PreTokenizeEvent.MERGED_NEXT
        else:
            kind = PreTokenizeEvent.PIECE if alternative >= 0 else PreTokenizeEvent.GAP
        choice = first + alternative if alternative >= 0 else -1
        emit(kind, where, ends[end - 1] if end > start else where, choice)
        if not continues and end > begin:
            pieces.append(piece if end - begin == len(text) else piece.slice(begin, end))
    return pieces


def _joins(affected: Sequence[bool], index: int, behavior: Behavior) -> bool:
    """Whether a match or gap joins the one before it. affected: whether the behavior applies to each of them."""
    if not 0 < index < len(affected):
        return False
    before, this = affected[index - 1], affected[index]
    if behavior == Behavior.CONTIGUOUS:
        return before == this
    if behavior == Behavior.MERGED_WITH_PREVIOUS:
        return this and not before
    return before and not this


class RegexSplit(Splitter):
    """Splits by a regular expression with one group per alternative, which identifies the one that matched.

    behavior, invert: what happens to the matches. Empty matches are skipped. The pattern sees newer characters as
    unassigned (`stand_ins`), because the originals that run patterns unchanged are at Unicode 16.

    Raises InputError if the expression cannot be compiled, and if it takes too long on a text.
    """

    unicode = "16"

    def __init__(self, pattern: Pattern, behavior: Behavior = Behavior.ISOLATED, *, invert: bool = False) -> None:
        self.pattern, self.behavior, self.invert = pattern, behavior, invert
        self.alternatives = pattern.alternatives
        self.is_known = pattern.regex in BY_REGEX
        self.regex = compiled(pattern)
        self.stand_ins = StandIns(self.regex.pattern)

    def split(self, piece: Segment, first: int, emit: Emit) -> list[Segment]:
        """The pieces between and within the matches."""
        return split_at(piece, self.matches(piece.text), first, emit, self.behavior, invert=self.invert)

    def matches(self, text: str) -> Iterator[AlternativeMatch]:
        """The matches from the left, each with its alternative."""
        for match in self.matches_in_time(text):
            yield AlternativeMatch(*match.span(), int((match.lastgroup or "a0")[1:]))

    def matches_in_time(self, text: str) -> Iterator[regex.Match[str]]:
        """The matches from the left. Raises InputError if that takes too long."""
        # known patterns do not backtrack without end, and on a busy machine a long text may take long; their matches
        # are not empty, so originals don't differ about them
        find_iter, seconds = (self.nonempty, inf) if self.is_known else (self.find_iter, seconds_for(text))
        try:
            yield from find_iter(self.stand_ins(text), seconds)
            if seconds < inf:
                ask(WHAT)
        except (TimeoutError, MemoryError) as error:
            raise too_costly(error, f"the pattern {verbatim(self.pattern.regex)}", text) from None

    def nonempty(self, text: str, seconds: float) -> Iterator[regex.Match[str]]:
        """The matches that are not empty, as the `regex` module yields them. Raises TimeoutError."""
        for match in in_seconds(lambda timeout: self.regex.finditer(text, timeout=timeout), text, seconds):
            if match.end() > match.start():
                yield match

    find_iter = nonempty


def compiled(pattern: Pattern) -> regex.Pattern[str]:
    """The expression with a group for each alternative. Raises InputError naming the character that is wrong."""
    whole = "|".join(f"(?P<a{index}>{each.runs})" for index, each in enumerate(pattern.alternatives))
    if pattern.regex in BY_REGEX:
        return regex.compile(whole, _version(pattern))  # whose cost is known, too
    try:
        return safe_regex.compiled(whole, _version(pattern), LONGEST_SPELLED)
    except PatternError as error:
        raise InputError(
            f"the pre-tokenizer pattern {verbatim(pattern.regex)} cannot be read ({_reason(pattern, error)}); repair it"
        ) from None


def _version(pattern: Pattern) -> int:
    return regex.VERSION1 if pattern.nested_sets else regex.VERSION0


def _reason(pattern: Pattern, error: PatternError) -> str:
    """Why a pattern cannot be compiled, with the number of the character (from 1) if it is known."""
    at = 0
    for each in pattern.alternatives:
        try:
            safe_regex.compiled(each.runs, _version(pattern), LONGEST_SPELLED)
        except PatternError as wrong:
            return f"character {at + (0 if each.engine else wrong.at) + 1}: {wrong.what}"
        at += len(each.regex) + 1
    return error.what


# Splits by a pattern as tiktoken does, which runs the Rust crate fancy-regex.


class FancyRegexSplit(RegexSplit):
    """Splits by a known pattern, or one that `regexes.fancy` has translated.

    Raises InputError where a pattern matches the empty text and the original stops with an error of its own: anywhere
    but directly after another match.
    """

    def find_iter(self, text: str, seconds: float) -> Iterator[regex.Match[str]]:
        """The matches, none of them empty. Raises TimeoutError."""
        from explorer.engine.regexes.oniguruma import find_iter

        for match in find_iter(self.regex, text, seconds) if text else ():
            if match.end() == match.start():
                raise InputError(
                    f"the pattern {verbatim(self.pattern.regex)} matches the empty text at character "
                    f"{match.start() + 1}, and tiktoken stops there; let it match one character at least"
                )
            yield match


COLLAPSED_TO = {"N": "\xd1", "L": "\xd2", "P": "\xd3", "M": "\xd4", "S": "\xd5"}
"""First letter of a category → the character that its non-ASCII characters collapse to."""

OTHERS = "\xd0"
"""The same for all other categories, and for characters that Unicode 15.1 does not assign."""

ASCII = {
    "N": "0-9",
    "L": "A-Za-z",
    "P": r"!-#%-*,-/:-;?-@\[-\]_\{\}",
    "M": "",
    "S": r"\$\+<->^`\|\~",
}
"""A category's ASCII characters, written for use in brackets."""

NAMES = regex.compile(r"\\p\{(N|L|P|M|S|Lu|Ll|Lt|Lm|Lo)\}")
"""The categories that llama.cpp recognizes in a pattern."""

ASCII_SPACE = {ch: 0x0B for ch in WHITE_SPACE if ch > 0x7F}
"""Non-ASCII white space → vertical tab."""


class _Collapsed(dict[int, int]):
    """Code point → the one it collapses to, filled on demand; for `str.translate`."""

    def __missing__(self, code_point: int) -> int:
        if code_point < 0x80:
            found = code_point
        elif code_point in WHITE_SPACE:
            found = 0x0B
        else:
            found = ord(COLLAPSED_TO.get(major_category(code_point), OTHERS))
        self[code_point] = found
        return found


_COLLAPSED = _Collapsed()


def collapsed_text(text: str) -> str:
    """The collapsed text, as such a pattern sees it.

    >>> collapsed_text("aé１ \\u3000—")
    'aÒÑ \\x0bÓ'
    """
    return text.translate(_COLLAPSED)


def collapsed_regex(expression: str) -> str:
    """The pattern rewritten for the collapsed text.

    >>> collapsed_regex(r"\\p{N}|[^\\s\\p{Lu}]+")
    '[Ñ0-9]|[^\\\\sÒA-Za-z]+'
    """
    done: list[str] = []
    at, inside = 0, False
    while at < len(expression):
        ch, escaped = expression[at], at > 0 and expression[at - 1] == "\\"
        if ch == "[" and not escaped:
            inside = True
        elif ch == "]" and inside and not escaped:
            inside = False
        name = NAMES.match(expression, at)
        if name is None:
            done.append(ch)
            at += 1
            continue
        category = name[1][0]
        members = COLLAPSED_TO[category] + ASCII[category]
        done.append(members if inside else f"[{members}]")
        at = name.end()
    return "".join(done)


class CollapsedSplit(Splitter):
    """Splits by a pattern as llama.cpp does.

    >>> from explorer.engine.pre_tokenizers.patterns_llama_cpp import JUST_NUMBERS
    >>> from explorer.engine.part import silent
    >>> [piece.text for piece in CollapsedSplit(JUST_NUMBERS).split(Segment.of("a1２b"), 0, silent)]
    ['a', '1２', 'b']
    """

    unicode = "15.1"

    def __init__(self, pattern: Pattern) -> None:
        self.pattern = pattern
        self.alternatives = pattern.alternatives
        self.collapses = NAMES.search(pattern.regex) is not None
        """whether the pattern is run on the collapsed text"""
        spelled = [collapsed_regex(each.runs) if self.collapses else each.runs for each in pattern.alternatives]
        whole = "|".join(f"(?P<a{index}>{each})" for index, each in enumerate(spelled))
        # ASCII: \s and \d as C++ has them
        self.regex = regex.compile(whole, regex.VERSION0 | regex.ASCII)

    def split(self, piece: Segment, first: int, emit: Emit) -> list[Segment]:
        """The pieces between and within the matches."""
        return split_at(piece, self.matches(piece.text), first, emit)

    def matches(self, text: str) -> Iterator[AlternativeMatch]:
        """The matches from the left, empty ones too, each with its alternative."""
        seen = collapsed_text(text) if self.collapses else text.translate(ASCII_SPACE)
        for match in self.regex.finditer(seen):
            yield AlternativeMatch(*match.span(), int((match.lastgroup or "a0")[1:]))


LONGEST = 1_000
"""Characters of a token that is tried. The longest known token has a few hundred."""


def texts_of(pieces: Iterable[bytes]) -> list[str]:
    """The pieces that are text of 2 to 1,000 characters.

    >>> texts_of([b"a", b"ab", bytes([255, 254]), b"cd"])
    ['ab', 'cd']
    """
    texts = (text_of(piece) for piece in pieces if len(piece) > 1)
    return [text for text in texts if text and 1 < len(text) <= LONGEST]


def sample(texts: Sequence[str], most: int) -> Sequence[str]:
    """Up to about `most` of the texts, evenly spread.

    >>> sample(["a", "b", "c", "d"], 2)
    ['a', 'c']
    """
    return texts[:: max(1, len(texts) // most)]


def tokens_cut(splitters: Sequence[Splitter], texts: Sequence[str], *, known: bool = False) -> int:
    """How many texts the splitters, applied in order, cut into more than one piece.

    known: whether all patterns are known ones, which need no time limit. Raises InputError if others take too long.

    >>> from explorer.engine.pre_tokenizers.patterns import GPT2, QWEN2
    >>> [tokens_cut([RegexSplit(pattern)], ["12", " it", "a b"]) for pattern in (GPT2, QWEN2)]
    [1, 2]
    """
    tests = [_test(splitter, known) for splitter in splitters]
    return sum(any(cuts(text) for cuts in tests) for text in asking(texts, "the patterns"))


def _test(splitter: Splitter, known: bool) -> Callable[[str], bool]:
    """Whether a splitter cuts a text. A pattern whose first match is the whole text does not."""

    def cuts(text: str) -> bool:
        return len(splitter.split(Segment.of(text), 0, silent)) > 1

    if not known or not isinstance(splitter, RegexSplit):
        return cuts
    search, seen = splitter.regex.search, splitter.stand_ins

    def cuts_by_regex(text: str) -> bool:
        found = search(seen(text))
        return found is not None and (found.end() - found.start() < len(text)) and (found.end() > 0 or cuts(text))

    return cuts_by_regex


class ByteLevel(Splitter):
    """Spells every byte of a piece as a printable character (`byte_map`); does not split.

    >>> piece, = ByteLevel().split(Segment.of(" é"), 0, silent)
    >>> piece.text, list(piece.starts)
    ('ĠÃ©', [0, 1, 1])
    """

    def split(self, piece: Segment, first: int, emit: Emit) -> list[Segment]:
        """The one piece, respelled."""
        text, starts, ends = piece
        spelled = printable(text.encode())
        numbers: Iterable[int] = repeat(0)
        if len(spelled) > len(text):
            new_starts, new_ends = array("i"), array("i")
            for ch, start, end in zip(text, starts, ends, strict=True):
                size = 1 if ch < "\x80" else 2 if ch < "\u0800" else 3 if ch < "\U00010000" else 4
                new_starts.extend((start,) * size)
                new_ends.extend((end,) * size)
            starts, ends = new_starts, new_ends
            numbers = chain.from_iterable(map(range, map(len, map(str.encode, text))))
        if emit is not silent:  # one event per byte costs time even if it is discarded
            for ch, start, number in zip(spelled, starts, numbers, strict=False):
                emit(BYTE, start, number, ord(ch))
        return [Segment(spelled, starts, ends)]
