"""What of a text does not come back when its ids are decoded, which stage lost it, and the sentence that says so.

Found from the items of the stages alone, whatever the model. Every item knows the characters of the text it comes from,
so after each stage the text can be read back as the decoder would read it: a stage's items are units, stretches of the
text, each with the bytes that the decoder would read back. A character that isn't found at its position any more was
lost there. Which characters of a stretch are still in another is the longest common subsequence.

A change that the decoder reverses, such as ▁ for a space, is not a loss. Whether it does is tested by decoding a piece
that is that one character, whatever the decoder. Only characters of the text count as lost. What was inserted and
removed again is not a loss. What only the decoded text has is counted separately, with the stage that inserted it.

Where two characters could be the one that came back (one of two spaces), the earlier one counts as present.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import cache, lru_cache
from itertools import islice
from typing import Any, NamedTuple

from explorer.engine.decoders.huggingface import DecodeEvent, PaddedDecoder
from explorer.engine.decoders.pieces import DenormalizingDecoder
from explorer.engine.part import Decoder, Items, Segment, Token, silent
from explorer.engine.tokenizer import DecodeTrace, Stage, Trace
from explorer.implementations.opened import Opened
from explorer.stages.decoders.changes import WORDS
from explorer.text import visible
from explorer.text.input import is_utf8
from explorer.text.say import Say, Text, in_a_row, paragraph, plural, shortened, worded
from explorer.vocabulary import SPACE_MARK, PieceKind, Vocabulary


class Unit(NamedTuple):
    """A stretch [start, end) of the text and what it has become.

    plain: the characters as they are. read: as the decoder reads them. unknown: instead of `plain`, the spelling of a
    token that carries nothing of the text. is_piece: whether `plain` is how a piece is spelled, not what it means.
    """

    start: int
    end: int
    plain: str
    read: bytes
    unknown: str = ""
    is_piece: bool = False


Read = Callable[[str], bytes]
"""What the decoder gives for a piece that is one character."""


def reader(decoder: Decoder, vocabulary: Vocabulary) -> Read:
    """A function that decodes a character. It reads one as itself if that is a token of its own or its piece keeps it.

    A character that is not a piece is decoded as one: the decoder reverses its spelling, whatever the model does to it.
    """
    normal = int(PieceKind.NORMAL)
    words = (id for id, piece in enumerate(vocabulary.pieces) if vocabulary.kinds[id] == normal and piece.isalnum())
    neighbors = list(islice(words, 2))

    @cache
    def read(ch: str) -> bytes:
        data = ch.encode()
        id = vocabulary.ids.get(data)
        if id is None:
            part = decoded_alone(decoder, data)
        elif vocabulary.kinds[id] != normal:
            return data
        else:
            # between two words, where the decoder applies no rule for the start or end of a text
            word = next((word for word in neighbors if word != id), id)
            part = decoder.run([word, id, word], False, True, silent)[1]
        return data if data in part else part

    return read


def decoded_alone(decoder: Decoder, piece: bytes) -> bytes:
    """What a decoder makes of a piece that its vocabulary lacks.

    >>> from explorer.engine.decoders.huggingface import ChainDecoder
    >>> from explorer.engine.decoders.huggingface import ByteLevelDecoder
    >>> decoded_alone(ChainDecoder(Vocabulary.of([b"a"]), [ByteLevelDecoder()]), "Ã".encode())
    b'\\xc3'
    """
    if isinstance(decoder, PaddedDecoder | DenormalizingDecoder):
        return decoded_alone(decoder.decoder, piece)
    other: Any = copy(decoder)
    other.vocabulary, other.strings = Vocabulary.of([piece]), {}
    alone: bytes = other.alone(0)
    return alone


def units(items: Items, text: str, returned: bytearray, vocabulary: Vocabulary, read: Read) -> Iterator[Unit]:
    """The items of a stage, one unit per token, stretch or character; without tokens added around the text.

    returned: per character of the text, 1 if it comes back.
    """
    for item in items:
        if isinstance(item, Token):
            if item.start >= 0:
                yield _token_unit(item, text, vocabulary, _spelled_bytes(vocabulary, item.id, read))
        else:
            yield from _segment_units(item, text, returned, read)


def _segment_units(segment: Segment, text: str, returned: bytearray, read: Read) -> Iterator[Unit]:
    """Each run of characters that are those of the text and come back, and each other character alone."""
    begin = stop = -1
    """the run so far"""
    for ch, start, end in zip(*segment, strict=True):
        same = end == start + 1 and ch == text[start] and returned[start] == 1
        if same and start == stop:
            stop = end
            continue
        if begin < stop:
            yield Unit(begin, stop, text[begin:stop], text[begin:stop].encode())
        begin, stop = (start, end) if same else (-1, -1)
        if not same:
            yield Unit(start, end, ch, ch.encode() if ch == text[start:end] else read(ch))
    if begin < stop:
        yield Unit(begin, stop, text[begin:stop], text[begin:stop].encode())


def _spelled_bytes(vocabulary: Vocabulary, id: int, read: Read) -> bytes:
    """The bytes that a piece spells."""
    byte = vocabulary.byte_of(id)
    if byte is not None:
        return bytes([byte])
    piece = vocabulary.pieces[id]
    try:
        return b"".join(map(read, piece.decode()))
    except UnicodeDecodeError:
        return piece


OPAQUE = b"\xff"
"""A byte that is in no UTF-8 text. Replaces each character of a spelling that carries nothing of the text."""


def _token_unit(token: Token, text: str, vocabulary: Vocabulary, data: bytes) -> Unit:
    """A token. The spelling of an unknown or control token is not text, unless the text contains this spelling."""
    start, end = max(token.start, 0), max(token.end, 0)
    spelling = vocabulary.spelling(token.id)
    if vocabulary.kinds[token.id] in (PieceKind.UNKNOWN, PieceKind.CONTROL):
        said = data.strip()
        if said != text[start:end].strip().encode():
            # white space around the spelling still counts as text
            size = len(said.decode("utf-8", "replace"))
            return Unit(start, end, "", data.replace(said, OPAQUE * size) if said else data, spelling)
    # the letter that spells half a character may be a character of the text
    return Unit(start, end, spelling if is_utf8(data) else "", data, is_piece=True)


MOST = 1 << 14
"""The most pairs of characters that are compared to find the longest common subsequence; above it, a greedy search."""


class CharacterMatch(NamedTuple):
    """present: per character of the source, 1 if it is found. inserted: all other characters, each with the index of
    the source character before which it is."""

    present: bytes
    inserted: tuple[tuple[int, str], ...]


def match_characters(source: str, now: str) -> CharacterMatch:
    """Which characters of `source` are found in `now`, in order, as many as possible.

    >>> match_characters("ab c", "xbc")
    CharacterMatch(present=b'\\x00\\x01\\x00\\x01', inserted=((0, 'x'),))
    """
    # the same few short strings are compared again and again
    return _cached_match(source, now) if len(source) + len(now) <= 32 else _match(source, now)


def _match(source: str, now: str) -> CharacterMatch:
    if source == now:
        return CharacterMatch(b"\1" * len(source), ())
    least = min(len(source), len(now))
    first = next((i for i in range(least) if source[i] != now[i]), least)
    least -= first
    last = next((i for i in range(least) if source[-1 - i] != now[-1 - i]), least)
    present = bytearray(b"\1") * len(source)
    present[first : len(source) - last] = bytes(len(source) - first - last)
    inserted: list[tuple[int, str]] = []
    at = first
    for index, ch in _common_subsequence(source[first : len(source) - last], now[first : len(now) - last]):
        if index < 0:
            inserted.append((at, ch))
        else:
            present[first + index] = 1
            at = first + index + 1
    return CharacterMatch(bytes(present), tuple(inserted))


_cached_match = lru_cache(maxsize=1 << 12)(_match)


def _common_subsequence(source: str, now: str) -> Iterator[tuple[int, str]]:
    """Every character of `now` with its index in `source`, -1 if it has none."""
    if len(source) * len(now) > MOST:
        # a very long stretch without a cut: search each character after the one before
        at = 0
        for ch in now:
            index = source.find(ch, at)
            at = max(at, index + 1)
            yield index, ch
        return
    # longest[i][j]: how many characters source[i:] and now[j:] have in common
    longest = [[0] * (len(now) + 1) for _ in range(len(source) + 1)]
    for i in range(len(source) - 1, -1, -1):
        row, below = longest[i], longest[i + 1]
        for j in range(len(now) - 1, -1, -1):
            row[j] = below[j + 1] + 1 if source[i] == now[j] else max(below[j], row[j + 1])
    i = j = 0
    while j < len(now):
        if i < len(source) and source[i] == now[j]:
            yield i, now[j]
            i, j = i + 1, j + 1
        elif i < len(source) and longest[i + 1][j] >= longest[i][j + 1]:
            i += 1
        else:
            yield -1, now[j]
            j += 1


# --- units gathered over the characters they share --------------------------------------------------------------------

MANY = 64
"""A group of more units, such as a letter with very many marks, is treated as one stretch: nothing finer would help."""


class Loss(NamedTuple):
    """A character of the text that does not come back.

    at: its index. stage: the stage that lost it, or `DECODE`. start, end: the characters of the text that were changed
    together with it. became: what they became together; empty if nothing is left.
    """

    at: int
    stage: str
    start: int
    end: int
    became: str


class Change(NamedTuple):
    """Characters [start, end) and what they became together; start == end if there are none."""

    start: int
    end: int
    became: str

    @classmethod
    def of(cls, units: Iterable[Unit]) -> Change:
        """Several units as one change."""
        some = [unit for unit in units if unit.start < unit.end]
        # as bytes, because several pieces may spell one character
        shown = b"".join(unit.read if unit.is_piece else (unit.unknown or unit.plain).encode() for unit in some)
        became = shown.decode("utf-8", "replace")
        return cls(min((unit.start for unit in some), default=0), max((unit.end for unit in some), default=0), became)


class UnitGroup(NamedTuple):
    """Units that share characters [start, end) of the text, and the characters before them that no unit covers."""

    start: int
    end: int
    units: list[Unit]

    def match(self, text: str) -> CharacterMatch:
        """Which characters of the text are found in the plain or in the decoded units, whichever has more of them."""
        source = text[self.start : self.end]
        # invalid bytes become halves of surrogate pairs, which equal no character of a text
        data = b"".join([unit.read for unit in self.units]).decode("utf-8", "surrogateescape")
        read = match_characters(source, data)
        if 0 not in read.present:
            return read
        plain = match_characters(source, "".join([unit.plain for unit in self.units]))
        return plain if sum(plain.present) > sum(read.present) else read

    def losses(self, match: CharacterMatch, stage: str) -> Iterator[Loss]:
        """The characters that are not found, put down to a stage."""
        inserted = without_surrogates("".join(ch for _, ch in match.inserted))
        whole = Change.of(self.units) if len(self.units) > MANY else None
        for at, present in enumerate(match.present, self.start):
            if present:
                continue
            change = whole or Change.of(unit for unit in self.units if unit.start <= at < unit.end)
            if change.became and inserted:
                yield Loss(at, stage, *change)
            else:
                yield Loss(at, stage, at, at + 1, inserted if change.start < change.end else "")


def without_surrogates(text: str) -> str:
    """Text whose invalid bytes, kept as halves of surrogate pairs, are U+FFFD."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def unit_groups(units: Iterable[Unit], length: int) -> Iterator[UnitGroup]:
    """The whole text, cut wherever no unit reaches across.

    >>> units = [Unit(0, 1, "a", b"a"), Unit(2, 3, "b", b"b"), Unit(2, 4, "c", b"c")]
    >>> [group[:2] for group in unit_groups(units, 5)]
    [(0, 1), (1, 4), (4, 5)]
    """
    start = end = 0
    gathered: list[Unit] = []
    loose: list[Unit] = []
    """units with an empty span: they go with the units after them"""
    for unit in units:
        if unit.start == unit.end:
            loose.append(unit)
            continue
        if gathered and unit.start >= end:
            yield UnitGroup(start, end, gathered)
            start, gathered = end, []
        gathered += [*loose, unit]
        loose = []
        end = max(end, unit.end)
    if gathered:
        yield UnitGroup(start, end, gathered)
    if loose or end < length:
        yield UnitGroup(end, length, loose)


def realigned(groups: Iterable[UnitGroup], text: str) -> Iterator[UnitGroup]:
    """The groups, two adjacent ones joined if more of the text is found in both together than in each.

    Hugging Face doesn't count characters its model drops, so later spans shift left.
    """
    pending: UnitGroup | None = None
    for group in groups:
        if pending is not None:
            begin = next((unit.start for unit in group.units if unit.start < unit.end), group.end)
            # white space is found everywhere and proves nothing
            gap = text[group.start : begin].strip()
            if gap and any(ch in gap for _, ch in pending.match(text).inserted):
                both = UnitGroup(pending.start, group.end, pending.units + group.units)
                if sum(both.match(text).present) > sum(pending.match(text).present) + sum(group.match(text).present):
                    pending = both
                    continue
            yield pending
        pending = group
    if pending is not None:
        yield pending


DECODE = "decode"
"""The name used for decoding, as if it were a stage."""

MODEL = "model"
"""The stage that turns the remaining text into tokens. Decoding reverses how it spells them, so insertions from here on
are put down to decoding."""


class Insertion(NamedTuple):
    """Characters that a stage inserted into the decoded text.

    size: how many. at: before which character of the text the first one is. first: that character.
    """

    stage: str
    size: int
    at: int
    first: str


class Losses(NamedTuple):
    """Lost characters in order of the text, insertions in order of the stages; both empty if the text comes back."""

    lost: tuple[Loss, ...]
    added: tuple[Insertion, ...]


class RoundTrip(NamedTuple):
    """The ids of a trace decoded, and what was lost.

    of_text: the ids came from the text; otherwise the text is only what the ids give, and nothing is compared.
    """

    decoded: DecodeTrace
    losses: Losses
    of_text: bool = True


def round_trip(tokenizer: Opened, trace: Trace) -> RoundTrip:
    """Decodes the ids of a trace, without the special tokens that encoding added."""
    decoded = tokenizer.trace_decode(trace.ids, remove_special=trace.options.add_special)
    return RoundTrip(decoded, losses(trace, decoded, tokenizer.vocabulary))


def losses(trace: Trace, decoded: DecodeTrace, vocabulary: Vocabulary) -> Losses:
    """What happened to the text of `trace` until it was decoded.

    >>> import explorer
    >>> tok = explorer.load("bert-uncased")
    >>> trace = tok.trace("W 😊")
    >>> losses(trace, tok.trace_decode(trace.ids), tok.vocabulary).lost
    (Loss(at=0, stage='normalize', start=0, end=1, became='w'), \
Loss(at=2, stage='model', start=2, end=3, became='[UNK]'))
    """
    if decoded.text == trace.text:
        return Losses((), ())
    return _LossSearch(trace, decoded, vocabulary).losses()


class _LossSearch:
    """Finds which characters come back, then goes through the stages to find which one lost each of the others."""

    def __init__(self, trace: Trace, decoded: DecodeTrace, vocabulary: Vocabulary) -> None:
        self.trace, self.text, self.decoded, self.vocabulary = trace, trace.text, decoded, vocabulary
        self.read = reader(decoded.decoder, vocabulary)
        self.returned = bytearray(len(self.text))
        """per character of the text, 1 if it comes back"""
        self.lost: dict[int, Loss] = {}
        self.blamed: set[int] = set()
        """the characters whose loss is put down to a stage before decoding"""

    def losses(self) -> Losses:
        """The result."""
        inserted = self.compare_decoded()
        growth = self.blame_stages(bool(inserted))
        growth.append((DECODE, len(inserted) - sum(count for _, count in growth)))
        return Losses(tuple(joined_losses(self.lost, self.text)), tuple(insertions(growth, inserted)))

    def groups(self, found: Iterable[Unit]) -> Iterator[UnitGroup]:
        """Units over the whole text, in groups."""
        return realigned(unit_groups(found, len(self.text)), self.text)

    def compare_decoded(self) -> list[tuple[int, str]]:
        """Records which characters come back; returns the inserted ones, each with the index it is before."""
        inserted: list[tuple[int, str]] = []
        parts = zip(self.trace.encoding.tokens, self.decoded.parts, strict=True)
        given = [
            _token_unit(token, self.text, self.vocabulary, part) for token, part in parts if token.start >= 0 or part
        ]
        for group in self.groups(unit._replace(plain="", is_piece=False) for unit in given):
            match = group.match(self.text)
            self.returned[group.start : group.end] = match.present
            if 0 not in match.present:
                inserted += [(group.start + at, without_surrogates(ch)) for at, ch in match.inserted]
            else:
                self.lost |= {each.at: each for each in group.losses(match, DECODE)}
        return inserted

    def blame_stages(self, has_insertions: bool) -> list[tuple[str, int]]:
        """Records the first stage that lost each character; returns by how many characters each stage grew the text."""
        growth: list[tuple[str, int]] = []
        surplus, counts = 0, True
        for stage in self.trace.stages:
            if stage.after == stage.before:
                continue
            now = self.blame(stage, has_insertions)
            counts = counts and stage.name != MODEL
            if counts:
                growth.append((stage.name, now - surplus))
                surplus = now
        return growth

    def blame(self, stage: Stage, has_insertions: bool) -> int:
        """Records what one stage lost; returns how many characters its output has beyond those of the text."""
        surplus = 0
        for group in self.groups(units(stage.after, self.text, self.returned, self.vocabulary, self.read)):
            comes_back = self.returned.find(0, group.start, group.end) < 0
            unchanged = [unit.plain for unit in group.units] == [self.text[group.start : group.end]]
            if (comes_back and not has_insertions) or unchanged:
                continue
            match = group.match(self.text)
            if comes_back:
                surplus += len(match.inserted)
                continue
            for each in group.losses(match, stage.name):
                if not self.returned[each.at] and each.at not in self.blamed:
                    self.blamed.add(each.at)
                    self.lost[each.at] = each
        return surplus


def joined_losses(lost: Mapping[int, Loss], text: str) -> Iterator[Loss]:
    """The losses, those of characters that were composed together as one: e and an accent that became é.

    Where the alignment gives the composed character the span of the first one alone, the others look dropped.

    >>> found = {0: Loss(0, "normalize", 0, 1, "é"), 1: Loss(1, "normalize", 1, 2, "")}
    >>> [each.became for each in joined_losses(found, "e\\u0301")]
    ['é', 'é']
    """
    joined: dict[int, Loss] = {}
    for at, each in lost.items():
        if at in joined:
            continue
        joined[at] = each
        stop = each.end
        while each.became and (after := lost.get(stop)) and after[1:] == (each.stage, stop, stop + 1, ""):
            stop += 1
        same = [end for end in range(stop, each.end, -1) if looks_same(text[each.start : end], each.became)]
        for index in range(at, same[0] if same else at):
            joined[index] = Loss(index, each.stage, each.start, same[0], each.became)
    yield from joined.values()


def looks_same(one: str, other: str) -> bool:
    """Whether two strings differ only in their code points, not to a reader (equal in NFKC)."""
    return unicodedata.normalize("NFKC", one) == unicodedata.normalize("NFKC", other)


def insertions(growth: Sequence[tuple[str, int]], inserted: Sequence[tuple[int, str]]) -> list[Insertion]:
    """Which stages inserted the extra characters. What a later stage removed is taken from the last one before it.

    >>> insertions([("normalize", 4), ("pre-tokenize", -4), ("decode", 1)], [(1, " ")])
    [Insertion(stage='decode', size=1, at=1, first=' ')]
    """
    counted: list[Insertion] = []
    left, removed = len(inserted), 0
    for stage, count in reversed(growth):
        if count < 0:
            removed -= count
            continue
        canceled = min(removed, count)
        removed -= canceled
        kept = min(count - canceled, left)
        if kept:
            left -= kept
            counted.append(Insertion(stage, kept, *inserted[left]))
    return counted[::-1]


class StageTerms(NamedTuple):
    """The words for a stage. changed, gone: what it did to so many characters, in the past tense.

    why: explains a space it inserted that stays.
    """

    name: str
    changed: str = "rewrote {0}"
    gone: str = "dropped {0}"
    why: str = ""


STAGES = {stage: StageTerms(**words) for stage, words in WORDS["stages"].items()}
"""By the name of a stage."""

REASONS: Mapping[int, str] = {DecodeEvent[name]: why for name, why in WORDS["reasons"].items()}
"""What decoding did to a character's token → why the character is lost; the first that applies."""

LOOKS_LIKE_A_SPACE = "the vocabulary writes spaces as ▁ (U+2581), so a real ▁ looks like a space"


def decode_result(trace: Trace, round_trip: RoundTrip) -> Say:
    """Whether the text comes back, and why its tokens can't be decoded separately."""
    split = split_says(trace, round_trip.decoded)
    if trace.text == round_trip.decoded.text:
        return Say("All bytes joined and read as UTF-8 give back exactly your text.").then(*split)
    return lost_say(trace, round_trip.decoded, round_trip.losses).then(*split)


def split_says(trace: Trace, decoded: DecodeTrace) -> list[Say]:
    """The first character spread over several tokens: these cannot be decoded separately."""
    tokens = trace.encoding.tokens
    for index, (token, part) in enumerate(zip(tokens, decoded.parts, strict=True)):
        neighbors = (*tokens[max(index - 1, 0) : index], *tokens[index + 1 : index + 2])
        shared = any(other.start < token.end and token.start < other.end for other in neighbors)
        if shared and token.start >= 0 and not is_utf8(part):
            words = (
                "{0:q} (character {1}) is spread over several tokens: decoded separately they would give \ufffd, "
                "and their lengths would no longer add up."
            )
            return [Say(words, shortened(trace.text[token.start : token.end]), token.start + 1)]
    return []


def lost_say(trace: Trace, decoded: DecodeTrace, found: Losses) -> Say:
    """The result for a text that does not come back: one sentence in all, and one per stage.

    >>> import explorer
    >>> from explorer.stages.decoders.losses import losses
    >>> from explorer.text.say import plain
    >>> tok = explorer.load("xlm-r")
    >>> trace = tok.trace("a <mask>")
    >>> decoded = tok.trace_decode(trace.ids)
    >>> plain(lost_say(trace, decoded, losses(trace, decoded, tok.vocabulary)))
    '1 of 8 characters does not come back. \
A token cut out of the text stripped 1: “␣” (character 2).'
    """
    count = len(found.lost)
    if not count:
        said = [Say("The text that comes back is different, but nothing is lost.")]
    elif count == len(trace.text):
        said = [Say("None of the text comes back.")]
    else:
        said = [Say("{0} of {1:t} does not come back.", count, plural(len(trace.text), "character"),
                    many="{0} of {1:t} do not come back.")]  # fmt: skip
    by_stage: dict[str, list[Loss]] = {}
    for each in found.lost:
        by_stage.setdefault(each.stage, []).append(each)
    why = reasons(trace, decoded, found)
    names = dict.fromkeys([*(stage.name for stage in trace.stages), DECODE])
    said += [stage_say(trace, by_stage[name], why) for name in names if name in by_stage]
    said += [added_say(each) for each in found.added]
    return paragraph(said)


def terms_of(stage: str) -> StageTerms:
    """The words for a stage, also for one that is not in the table."""
    return STAGES.get(stage) or StageTerms(Text("The stage {0:t}", stage))


def stage_say(trace: Trace, lost: list[Loss], reasons: Mapping[int, str]) -> Say:
    """`Normalization rewrote 2 and dropped 1; the first: “W” (character 1) became “w”.`"""
    about, changed = terms_of(lost[0].stage), sum(bool(each.became) for each in lost)
    counts = (about.changed, changed), (about.gone, len(lost) - changed)
    did = in_a_row(*(count and Text(words, count) for words, count in counts), between="{0:t} and {1:t}")
    example = became(trace, lost[0])
    if why := reasons.get(lost[0].at):
        example = Say("{0}; {1:t}", example, worded(why))
    says = "{0:t} {1:t}; the first: {2}." if len(lost) > 1 else "{0:t} {1:t}: {2}."
    return Say(says, worded(about.name), did, example)


def became(trace: Trace, lost: Loss) -> Say:
    """`“W” (character 1) became “w”`"""
    source = trace.text[lost.start : lost.end]
    where = "{0:q} (character {1})" if len(source) == 1 else "{0:q} (characters {1} to {2})"
    said = Say(where, shortened(source), lost.start + 1, lost.end)
    if not lost.became:
        return said
    says = "{0} became {1:q}"
    if unicodedata.normalize("NFC", source) == unicodedata.normalize("NFC", lost.became):
        says = "{0} became {1:q}, which looks the same but has other code points"
    return Say(says, said, shortened(lost.became))


def reasons(trace: Trace, decoded: DecodeTrace, found: Losses) -> dict[int, str]:
    """Position in the text → why decoding lost that character."""
    lost = {each.at: each for each in found.lost if each.stage == DECODE}
    did = {(event.position, event.kind) for event in (decoded.events if lost else ())}
    said: dict[int, str] = {}
    for index, token in enumerate(trace.encoding.tokens if lost else ()):
        for at in range(max(token.start, 0), token.end):
            if loss := lost.pop(at, None):
                is_mark = loss.became == " " and trace.text[at] == SPACE_MARK
                why = (why for kind, why in REASONS.items() if (index, kind) in did)
                said[at] = LOOKS_LIKE_A_SPACE if is_mark else next(why, "")
    return said


def added_say(added: Insertion) -> Say:
    """`Decoding inserted 1 character: “␣” before character 2.`"""
    about = terms_of(added.stage)
    say = Say(
        "{1:t} inserted {0} character: {2:q} before character {3}.", added.size, worded(about.name),
        visible(added.first), added.at + 1,
        many="{1:t} inserted {0} characters; the first: {2:q} before character {3}.",
    )  # fmt: skip
    return say.then(Say(about.why)) if about.why and added.first == " " else say
