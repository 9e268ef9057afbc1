"""What normalization makes of a character, marks after it included.

Wrong choices are what it is after another operation of the same stage, and what the Unicode forms make of it. Each is
spelled in code points, because composed and decomposed characters look alike.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, Literal, NamedTuple

from explorer.engine.items import Segment
from explorer.engine.normalizers.charsmap import CharsmapEvent, CharsmapNormalization
from explorer.engine.normalizers.llama_cpp import EscapeWhitespace, SpacePrefix
from explorer.engine.normalizers.stage import BEGINNINGS, INSERTIONS, Normalization, NormalizeEvent, Pass, replayed
from explorer.engine.results import Stage
from explorer.implementations.opened import Opened
from explorer.stages.question import NO_REASON, Choice, Draft, Scene
from explorer.text import label, visible
from explorer.text.say import Say

FORMS: Final[tuple[Literal["NFD", "NFC", "NFKD", "NFKC"], ...]] = ("NFD", "NFC", "NFKD", "NFKC")

SAYS: Final = {
    NormalizeEvent.DECOMPOSE: "is taken apart",
    NormalizeEvent.REORDER: "gets its marks in order",
    NormalizeEvent.COMPOSE: "is composed",
    NormalizeEvent.FIRST_OF_NFD: "is taken apart, and only the first code point is kept",
    NormalizeEvent.DROP_MARK: "loses its marks",
    NormalizeEvent.DROP_CONTROL: "is a control character and is dropped",
    NormalizeEvent.LOWER: "is lowercased",
    NormalizeEvent.MAP: "is replaced by the character map",
    NormalizeEvent.GRAPHEME: "is replaced by the character map",
    NormalizeEvent.ISOLATE: "is Chinese and gets spaces around it",
    NormalizeEvent.SPACE: "becomes a space",
    NormalizeEvent.REPLACE: "is replaced",
}
"""By kind of event, what happens to the character."""


class Change(NamedTuple):
    """A character through a stage. texts: before, and after each operation that changes it. kinds: of the event that
    changed it each time. first, last: its first and last event. tried: what else the stage had for it."""

    texts: tuple[str, ...]
    kinds: tuple[NormalizeEvent, ...]
    first: int
    last: int
    tried: tuple[str, ...] = ()


def normalizes(tokenizer: Opened) -> bool:
    """Whether a tokenizer has a stage that rewrites more than spaces."""
    for part in tokenizer.parts:
        if isinstance(part, CharsmapNormalization) and part.charsmap is not None:
            return True
        if isinstance(part, Normalization):
            return any(not isinstance(each, SpacePrefix | EscapeWhitespace) for each in part.normalizers)
    return False


def normalized(scene: Scene) -> Draft | None:
    """What does normalization make of this?"""
    stage = next(each for each in scene.trace.stages if each.name == "normalize")
    found = changes(stage) if isinstance(stage.part, Normalization) else mapped(stage, scene.trace.text)
    changed = [change for change in found if change.texts[0] != change.texts[-1]]
    if not changed:
        return None
    # capitals are easy: rather something else where there is any
    change = scene.random.choice([each for each in changed if not each.texts[0].isascii()] or changed)
    was, now = change.texts[0], change.texts[-1]
    others = [
        *((text, Say("Another operation follows.")) for text in reversed(change.texts[1:-1])),
        *((text, Say("A longer match comes first.")) for text in change.tried),
        (was, Say("It does not stay as it is.")),
        *((unicodedata.normalize(form, was), Say(f"That is its {form}.")) for form in FORMS),
        (was.lower(), Say("That is its lower case.")),
        (base_letters(was), Say("Those are its letters without their marks.")),
        (unicodedata.normalize("NFKD", was)[:1], Say("That is the first code point of its NFKD.")),
        (was.upper(), Say("That is its upper case.")),
        ("", Say("It is not dropped.")),
    ]
    steps = [
        Say.of(f"{{0:q}} {SAYS.get(kind, 'is changed')}: {{1:t}}.", visible(before), points(after))
        for kind, before, after in zip(change.kinds, change.texts, change.texts[1:], strict=False)
    ]
    prompt = scene.say(
        "What does the normalization of {0:t} make of {1:q}, {2:t}?", scene.name, visible(was), points(was)
    )
    wrong = [as_choice(scene, text, why) for text, why in others]
    return Draft(
        prompt, as_choice(scene, now), wrong, steps[0].then(*steps[1:]), stage.name, change.first - 1, change.last
    )


def as_choice(scene: Scene, text: str, why: Say = NO_REASON) -> Choice:
    """A text with its code points."""
    return Choice(Say.of("{0:q}: {1:t}", visible(text), points(text)) if text else scene.say("nothing"), "", why)


def points(text: str) -> str:
    """The code points of a text.

    >>> points("e\\u0301"), points("")
    ('U+0065 U+0301', 'nothing')
    """
    return " ".join(map(label, text)) or "nothing"


def base_letters(text: str) -> str:
    """The letters of a text without their marks.

    >>> base_letters("é"), base_letters("ﬁ")
    ('e', 'fi')
    """
    return "".join(ch for ch in unicodedata.normalize("NFKD", text) if not unicodedata.combining(ch))


class LaidOut:
    """A pass, and where it writes what it reads.

    begins, ends: by index of the code point read, where what has become of it begins and ends in `vector`. events: by
    that index, those about it; without insertions.
    """

    def __init__(self, stage: Stage, done: Pass, events: range) -> None:
        self.vector = "".join(map(chr, done.vector))
        self.begins: list[int] = []
        self.ends: list[int] = []
        written = 0
        for index in range(len(done.was)):
            written += len(done.front.get(index, ()))
            self.begins.append(written)
            written += len(done.at(index))
            self.ends.append(written)
        self.events: dict[int, list[int]] = {}
        for event in events:
            if stage.events[event].kind not in INSERTIONS:
                self.events.setdefault(stage.events[event].at, []).append(event)


def changes(stage: Stage) -> Iterator[Change]:
    """The characters that a stage changes, each with the marks after it, in order."""
    passes: dict[int, list[LaidOut]] = {}
    """by item"""
    ends = pairwise([*[event for event, row in enumerate(stage.events) if row.kind in BEGINNINGS], len(stage.events)])
    for each, (first, last) in zip(replayed(stage.before, stage.events), ends, strict=True):
        passes.setdefault(each.item, []).append(LaidOut(stage, each, range(first + 1, last)))
    for item, done in passes.items():
        segment = stage.before[item]
        assert isinstance(segment, Segment)
        for start, end in clusters(segment.text):
            change = followed(stage, segment.text[start:end], done, start, end)
            if change is not None:
                yield change


def mapped(stage: Stage, text: str) -> Iterator[Change]:
    """The characters that a character map replaces. What becomes white space is left out: other rules follow."""
    part = stage.part
    assert isinstance(part, CharsmapNormalization)
    shorter: list[str] = []
    for event, row in enumerate(stage.events):
        if row.kind not in (CharsmapEvent.SHORTER, CharsmapEvent.MAP) or part.charsmap is None:
            continue
        now = part.charsmap.string(row.value)
        if row.kind == CharsmapEvent.SHORTER:
            shorter.append(now)
            continue
        was = text[row.at : row.at + row.size]
        if not any(ch.isspace() for ch in was + now):
            yield Change((was, now), (NormalizeEvent.MAP,), event, event, tuple(shorter))
        shorter.clear()


def followed(stage: Stage, text: str, passes: Sequence[LaidOut], start: int, end: int) -> Change | None:
    """A character [start, end) through the passes over its item; None if nothing changes it."""
    texts, kinds, events = [text], [], []
    for each in passes:
        if start == end:
            break
        mine = sorted(event for index in range(start, end) for event in each.events.get(index, ()))
        start, end = each.begins[start], each.ends[end - 1]
        now = each.vector[start:end]
        if now != texts[-1] and mine:
            texts.append(now)
            kinds.append(NormalizeEvent(stage.events[mine[0]].kind))
            events += mine
    return Change(tuple(texts), tuple(kinds), min(events), max(events)) if events else None


def clusters(text: str) -> Iterator[tuple[int, int]]:
    """The characters [start, end) with the marks after each; without white space.

    >>> list(clusters("e\\u0301 a"))
    [(0, 2), (3, 4)]
    """
    start = 0
    for end in range(1, len(text) + 1):
        if end < len(text) and unicodedata.combining(text[end]):
            continue
        if not text[start].isspace():
            yield start, end
        start = end
