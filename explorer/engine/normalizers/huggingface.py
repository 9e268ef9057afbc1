"""Hugging Face's normalizers that rewrite characters or runs of text: replace, prepend, strip, lowercase, nmt, bytes.

Each follows the normalizer of the same name in its tokenizers.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator

from explorer.engine.items import LengthBudget, Segment
from explorer.engine.normalizers.stage import WHAT, ByCharacter, NormalizeEvent, emit_text, without
from explorer.engine.part import Aligned
from explorer.engine.regexes.pattern import FindSpans
from explorer.engine.trace import Emit
from explorer.engine.unicode.byte_map import printable
from explorer.engine.unicode.versions import is_any_mark, lower
from explorer.text.code_points import is_white_space


class Replace(Aligned):
    """Replaces each match of a pattern by a text (`Replace`).

    The replacement has the span of the match, in the original that of its last character; for an empty match, that of
    the character before.

    >>> Replace(Literal(" "), "▁").apply(Segment.of("a b"), 0, False, lambda *row: None).text
    'a▁b'
    """

    def __init__(self, spans: FindSpans, content: str) -> None:
        self.spans, self.content = spans, content

    def apply(self, segment: Segment, item: int, after_text: bool, emit: Emit) -> Segment:
        """The segment with the matches replaced. Raises InputError if the text gets too long."""
        text, starts, ends = segment
        made: list[str] = []
        new_starts, new_ends = array("i"), array("i")
        done = -1
        """the end of the last match, -1 before the first one"""
        budget = LengthBudget.at(WHAT, segment)
        for low, high in self.spans(text):
            begin = max(done, 0)
            budget.check(len(new_starts) + low - begin + len(self.content), self)
            emit_text(emit, NormalizeEvent.REPLACE if high > low else NormalizeEvent.INSERT, item, low, self.content)
            for at in range(low + 1, high):
                emit(NormalizeEvent.ALSO, item, at, ord(text[at]))
            made += (text[begin:low], self.content)
            new_starts.extend(starts[begin:low])
            new_ends.extend(ends[begin:low])
            first = high - 1 if self.as_original or low == high else low
            near = (starts[first], ends[high - 1]) if high else (starts[0], starts[0])
            new_starts.extend((near[0],) * len(self.content))
            new_ends.extend((near[1],) * len(self.content))
            done = high
        if done < 0:
            return segment
        made.append(text[done:])
        new_starts.extend(starts[done:])
        new_ends.extend(ends[done:])
        return Segment("".join(made), new_starts, new_ends)


class Literal:
    """Finds the occurrences of a literal text, from the left and without overlaps.

    >>> list(Literal("aa")("aaa")), list(Literal("")("ab"))
    ([(0, 2)], [(0, 0), (1, 1), (2, 2)])
    """

    def __init__(self, wanted: str) -> None:
        self.wanted = wanted

    def __call__(self, text: str) -> Iterator[tuple[int, int]]:
        """The spans [start, end)."""
        wanted = self.wanted
        at = text.find(wanted) if text else -1
        while at >= 0:
            yield at, at + len(wanted)
            at = text.find(wanted, at + max(len(wanted), 1)) if at < len(text) else -1


class Prepend(Aligned):
    """Prepends a text to every segment (`Prepend`). It has the span of the first character.

    >>> made = Prepend("▁").apply(Segment.of("a", 3), 0, False, lambda *row: None)
    >>> made.text, list(made.starts), list(made.ends)
    ('▁a', [3, 3], [4, 4])
    """

    def __init__(self, text: str) -> None:
        self.text = text

    def apply(self, segment: Segment, item: int, after_text: bool, emit: Emit) -> Segment:
        """The segment with the text in front."""
        if not segment.text:
            return segment
        if not self.text:
            # in the original the first character then has an empty span
            ends = array("i", [segment.starts[0], *segment.ends[1:]])
            return segment._replace(ends=ends) if self.as_original else segment
        LengthBudget.at(WHAT, segment).check(len(self.text) + len(segment.text), self)
        emit_text(emit, NormalizeEvent.PREFIX, item, 0, self.text)
        return in_front(self.text, segment)


def in_front(text: str, segment: Segment) -> Segment:
    """A segment with a text in front that has the span of its first character."""
    starts, ends = segment.starts, segment.ends
    return Segment(
        text + segment.text,
        array("i", [starts[0]] * len(text) + [*starts]),
        array("i", [ends[0]] * len(text) + [*ends]),
    )


class Strip:
    """Strips white space from the beginning, the end or both (`Strip`).

    >>> Strip(left=True, right=False).apply(Segment.of("\\u3000a "), 0, False, lambda *row: None)
    Segment(text='a ', starts=range(1, 3), ends=range(2, 4))
    """

    def __init__(self, *, left: bool, right: bool) -> None:
        self.left, self.right = left, right

    def apply(self, segment: Segment, item: int, after_text: bool, emit: Emit) -> Segment:
        """The segment without that white space."""
        text = segment.text
        low, high = 0, len(text)
        while self.left and low < high and is_white_space(text[low]):
            low += 1
        while self.right and low < high and is_white_space(text[high - 1]):
            high -= 1
        for at in (*range(low), *range(high, len(text))):
            emit(NormalizeEvent.STRIP, item, at, ord(text[at]))
        return segment.slice(low, high)


class Lowercase(ByCharacter):
    """The full lower case of each character on its own (`Lowercase`): İ becomes two, Σ never the final ς.

    >>> Lowercase().apply(Segment.of("ΣΑΣ İ"), 0, False, lambda *row: None)[0].split()
    ['σασ', 'i̇']
    """

    def __init__(self) -> None:
        super().__init__(lower, NormalizeEvent.LOWER)


class Drop:
    """Drops the characters that satisfy a predicate; each is an event of one kind."""

    def __init__(self, matches: Callable[[str], bool], kind: NormalizeEvent) -> None:
        self.matches, self.kind = matches, kind

    def apply(self, segment: Segment, item: int, after_text: bool, emit: Emit) -> Segment:
        """The segment without those characters."""
        dropped = {ch for ch in set(segment.text) if self.matches(ch)}
        if not dropped:
            return segment
        for at, ch in enumerate(segment.text):
            if ch in dropped:
                emit(self.kind, item, at, ord(ch))
        return without(segment, dropped)


class StripAccents(Drop):
    """Drops every combining mark of any kind (`StripAccents`); it does not decompose, so é stays.

    >>> StripAccents().apply(Segment.of("e\\u0301é"), 0, False, lambda *row: None).text
    'eé'
    """

    def __init__(self) -> None:
        super().__init__(is_any_mark, NormalizeEvent.DROP_MARK)


class ToSpace(ByCharacter):
    """Replaces the characters that satisfy a predicate by spaces."""

    def __init__(self, matches: Callable[[str], bool]) -> None:
        super().__init__(lambda ch: " " if matches(ch) else ch, NormalizeEvent.SPACE)


NMT_CONTROLS = frozenset(map(chr, (*range(0x01, 0x09), 0x0B, *range(0x0E, 0x20), 0x7F, 0x8F, 0x9F)))
NMT_SPACES = frozenset("\t\n\f\r\u1680\u200b\u200c\u200d\u200e\u200f\u2028\u2029\u2581\ufeff\ufffd")


def nmt() -> tuple[Drop, ToSpace]:
    """`Nmt`, what SentencePiece's nmt_nfkc does besides NFKC: drop controls; turn invisible characters, ▁ and U+FFFD
    into spaces.

    >>> drop, spaces = nmt()
    >>> spaces.apply(drop.apply(Segment.of("a\\x01▁b"), 0, False, lambda *row: None), 0, False, lambda *row: None).text
    'a b'
    """
    return Drop(NMT_CONTROLS.__contains__, NormalizeEvent.DROP_CONTROL), ToSpace(NMT_SPACES.__contains__)


class SpellBytes(ByCharacter):
    """Spells each character's bytes as printable characters (the normalizer `ByteLevel`).

    >>> SpellBytes().apply(Segment.of(" é"), 0, False, lambda *row: None).text
    'ĠÃ©'
    """

    def __init__(self) -> None:
        super().__init__(lambda ch: printable(ch.encode()), NormalizeEvent.BYTES)
