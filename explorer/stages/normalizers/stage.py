"""Normalization, as everybody else asks: what changed in a sentence, the event that wrote a character, a question.

The sentence has a count for each kind of change, and says where llama.cpp does otherwise. The question is what
normalization makes of a character, marks after it included. Wrong choices are what it is after another operation of the
same stage, and what the Unicode forms make of it. Each is spelled in code points, because composed and decomposed
characters look alike.
"""

import unicodedata
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import Literal, NamedTuple, cast

from explorer.engine.normalizers.charsmap import CharsmapEvent, CharsmapNormalization, CharsmapRow
from explorer.engine.normalizers.huggingface import PythonForm
from explorer.engine.normalizers.stage import EscapeWhitespace, Normalization, NormalizeEvent, SpacePrefix
from explorer.engine.normalizers.unicode_forms import UnicodeForm
from explorer.engine.part import Segment
from explorer.engine.tokenizer import Stage, Trace
from explorer.engine.unicode.versions import decomposed, is_mark
from explorer.implementations.opened import Opened
from explorer.stages.normalizers.layers import WORDS, Home, Walk
from explorer.stages.normalizers.story import normalization_script
from explorer.stages.stage import (
    NO_REASON,
    Choice,
    Draft,
    Finder,
    Kind,
    Painted,
    Scene,
    Sought,
    StageKind,
    kinds_of,
    normalized,
)
from explorer.text import label, visible
from explorer.text.code_points import first_of_nfd
from explorer.text.say import Say, Text, listed, paragraph, plural
from explorer.vocabulary import SPACE_MARK, Vocabulary


class WrittenFinder(Finder):
    """By code point, the sorted positions of the original where it was written or dropped, and each one's event.

    Rows count in the text of their item.
    """

    def __init__(self, stage: Stage) -> None:
        found: dict[int, dict[int, int]] = {}
        for event, row in enumerate(stage.events):
            segment = stage.after[row.item] if row.item < len(stage.after) else None
            if isinstance(segment, Segment) and segment.text:
                position = segment.starts[min(row.at, len(segment.text) - 1)]
                found.setdefault(row.code_point, {}).setdefault(position, event)
        self.written = {
            code_point: (sorted(events), [events[position] for position in sorted(events)])
            for code_point, events in found.items()
        }

    def find(self, sought: Sought) -> int | None:
        """The event that wrote one of the code points nearest to the start."""
        near = []
        for ch in set(sought.code_points):
            positions, events = self.written.get(ord(ch), ([], []))
            at = bisect_left(positions, sought.start)
            near += [
                (abs(positions[each] - sought.start), events[each])
                for each in (at - 1, at)
                if 0 <= each < len(positions)
            ]
        return min(near)[1] if near else None


def finder(stage: Stage) -> Finder:
    """Of a character map each event is about a span; operations write characters."""
    if stage.part.row is not CharsmapRow:
        return WrittenFinder(stage)
    return Painted((row.at, row.at + row.size, event) for event, row in enumerate(stage.events))


def normalize_result(trace: Trace, stage: Stage, vocabulary: Vocabulary) -> Say:
    """What normalization did."""
    if stage.part.row is CharsmapRow:
        return charsmap_say(stage)
    if not trace.text:
        return Say("Changed nothing: the text is empty.")
    part = cast(Normalization, stage.part)
    if not all(isinstance(each, SpacePrefix | EscapeWhitespace) for each in part.normalizers):
        return counts_say(trace, stage)
    counts = Counter(kinds_of(stage))
    prefixed, replaced = counts[NormalizeEvent.PREFIX], counts[NormalizeEvent.REPLACE]
    if not replaced:
        return Say("Changed nothing.")
    escaped = plural(replaced, "space is written ▁ (U+2581)", "spaces are written ▁ (U+2581)")
    if not prefixed:
        return Say("No space is put before the text; {0:t}.", escaped)
    return Say("A space is put before the text, and {1:t}.", prefixed, escaped,
               many="A space is put before {0} fragments, and {1:t}.")  # fmt: skip


def charsmap_say(stage: Stage) -> Say:
    """What the normalization of a SentencePiece vocabulary did: the character map, then white space.

    >>> import explorer
    >>> from explorer.text.say import plain
    >>> plain(charsmap_say(explorer.load("xlm-r").trace("ﬁne  ").stage("normalize")))
    'The character map made 1 replacement; 2 white space characters are dropped; a ▁ is put before the text.'
    """
    times = Counter(kinds_of(stage))
    parts = []
    if replaced := times[CharsmapEvent.MAP]:
        parts.append(f"The character map made {plural(replaced, 'replacement')}")
    if kept := times[CharsmapEvent.USER_DEFINED] + times[CharsmapEvent.BEGINNING]:
        parts.append(f"{plural(kept, 'user-defined piece')} passed unchanged")
    if cut := times[CharsmapEvent.CUT]:
        parts.append(
            plural(cut, "character begins", "characters begin") + " with the bytes of a user-defined piece; llama.cpp "
            "takes only these bytes, so the rest is not valid text"
        )
    if dropped := sum(event.size for event in stage.events if event.kind == CharsmapEvent.DROP):
        parts.append(plural(dropped, "white space character is dropped", "white space characters are dropped"))
    if times[CharsmapEvent.PREFIX]:
        parts.append("a ▁ is put before " + ("each fragment" if times[CharsmapEvent.PREFIX] > 1 else "the text"))
    if times[CharsmapEvent.SUFFIX]:
        parts.append("a ▁ is put after the text")
    if escaped := times[CharsmapEvent.ESCAPE]:
        parts.append(plural(escaped, "run of white space is", "runs of white space are") + " written ▁ (U+2581)")
    said = "; ".join(parts) or "Changed nothing"
    return Say("{0:t}.", said[0].upper() + said[1:])


EVENTS = {NormalizeEvent[name]: words for name, words in WORDS["events"].items()}
DONE: Mapping[NormalizeEvent, Sequence[str]] = {
    kind: words["done"] for kind, words in EVENTS.items() if "done" in words
}
"""By kind of event, its count in words, for one and for many, in the order most files have them."""


def counted_kinds(stage: Stage) -> Iterator[int]:
    """The kinds of the events that the sentence counts; of a form that composes, the results alone."""
    composes = False
    for event in stage.events:
        if event.kind == NormalizeEvent.BEGIN:
            normalizer = cast(Normalization, stage.part).normalizers[event.at]
            composes = isinstance(normalizer, UnicodeForm) and normalizer.composes
        elif event.kind in DONE and (event.kind == NormalizeEvent.FORM or not composes):
            yield event.kind


NOT_IN_LLAMA_CPP = "llama.cpp doesn't normalize text for vocabularies of this kind."


def counts_say(trace: Trace, stage: Stage) -> Say:
    """What the normalizers did: a count for each kind, in the order most files have them."""
    counts = Counter(counted_kinds(stage))
    forms = [each for each in cast(Normalization, stage.part).normalizers if isinstance(each, UnicodeForm)]
    # llama.cpp has its own normalization for some of the classes that are written in Python, and runs others not at all
    elsewhere = [] if any(isinstance(each, PythonForm) for each in forms) else [Say(NOT_IN_LLAMA_CPP)]
    if counts and set(counts) == {NormalizeEvent.FORM}:
        said = "A Unicode normalization form rewrites {0:t}: the text looks the same but has other code points and ids."
        if any(each.compatible for each in forms):
            said = "A Unicode normalization form rewrites {0:t}; it also replaces variants of letters, such as Ａ by A."
        return Say(said, plural(counts[NormalizeEvent.FORM], "character")).then(*elsewhere)
    words = dict(DONE)
    if all(event.code_point == ord(SPACE_MARK) for event in stage.events if event.kind == NormalizeEvent.REPLACE):
        words[NormalizeEvent.REPLACE] = ("space is written ▁ (U+2581)", "spaces are written ▁ (U+2581)")
    done = [plural(counts[kind], *words[kind]) for kind in DONE if counts[kind]]
    if not done:
        return Say("Changed nothing.")
    says = nfd_says(trace.text, counts)
    if counts[NormalizeEvent.FORM]:
        says += elsewhere
    return Say("{0}.", listed(done, len(done), "{0:t}")).then(*says)


def nfd_says(text: str, counts: Mapping[int, int]) -> list[Say]:
    """If anything was decomposed: the two programs keep different parts of it; with an example from the text."""
    first_only = bool(counts[NormalizeEvent.FIRST_OF_NFD])
    if not first_only and not counts[NormalizeEvent.DECOMPOSE]:
        return []
    rule = "Of a decomposition llama.cpp keeps only the first code point, Hugging Face all but the marks"
    for ch in dict.fromkeys(text):
        by_llama_cpp = first_of_nfd(ch)
        by_hugging_face = "".join(part for part in decomposed(ch) if not is_mark(part))
        if by_llama_cpp != by_hugging_face:
            left = " ".join(map(label, by_hugging_face)) or Text("nothing")
            return [
                Say(
                    f"{rule}: of {{0:q}} llama.cpp keeps {{1:t}}, Hugging Face {{2:t}}.",
                    visible(ch),
                    label(by_llama_cpp),
                    left,
                )
            ]
    return [Say(f"{rule}. For this text both are the same.")]


NORMALIZE = StageKind(
    title="Normalization",
    purpose="The text is rewritten before it is cut.",
    name="Normalize",
    script=normalization_script,
    count=normalized,
    result=normalize_result,
    finder=finder,
)


FORMS: tuple[Literal["NFD", "NFC", "NFKD", "NFKC"], ...] = ("NFD", "NFC", "NFKD", "NFKC")


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


@partial(Kind, "normalized", "What does normalization make of this?", suits=normalizes)
def normalized_character(scene: Scene) -> Draft | None:
    """What does normalization make of this?"""
    stage = next(each for each in scene.trace.stages if each.name == "normalize")
    found = changes(stage) if isinstance(stage.part, Normalization) else mapped(stage, scene.trace.text)
    changed = [change for change in found if change.texts[0] != change.texts[-1]]
    if not changed:
        return None
    # capitals are easy: rather something else where there is any
    change = scene.random.choice([each for each in changed if not each.texts[0].isascii()] or changed)
    was, now = change.texts[0], change.texts[-1]
    letters = "".join(ch for ch in unicodedata.normalize("NFKD", was) if not unicodedata.combining(ch))
    others = [
        *((text, Say("Another operation follows.")) for text in reversed(change.texts[1:-1])),
        *((text, Say("A longer match comes first.")) for text in change.tried),
        (was, Say("It does not stay as it is.")),
        *((unicodedata.normalize(form, was), Say(f"That is its {form}.")) for form in FORMS),
        (was.lower(), Say("That is its lower case.")),
        (letters, Say("Those are its letters without their marks.")),
        (unicodedata.normalize("NFKD", was)[:1], Say("That is the first code point of its NFKD.")),
        (was.upper(), Say("That is its upper case.")),
        ("", Say("It is not dropped.")),
    ]
    steps = [
        Say(EVENTS.get(kind, {}).get("says", "{0:q} is changed: {1:t}."), visible(before), points(after))
        for kind, before, after in zip(change.kinds, change.texts, change.texts[1:], strict=False)
    ]
    prompt = Say("What does the normalization of {0:t} make of {1:q}, {2:t}?", scene.name, visible(was), points(was))
    wrong = [as_choice(scene, text, why) for text, why in others]
    return Draft(
        prompt, as_choice(scene, now), wrong, paragraph(steps), change.first - 1, change.last, stage=stage.name
    )


def as_choice(scene: Scene, text: str, why: Say = NO_REASON) -> Choice:
    """A text with its code points."""
    return Choice(Say("{0:q}: {1:t}", visible(text), points(text)) if text else Say("nothing"), why)


def points(text: str) -> str:
    """The code points of a text.

    >>> points("e\\u0301"), points("")
    ('U+0065 U+0301', 'nothing')
    """
    return " ".join(map(label, text)) or "nothing"


def changes(stage: Stage) -> Iterator[Change]:
    """The characters that a stage changes, each with the marks after it, in order."""
    walk = Walk(stage)
    by_home = defaultdict(list)
    for change in walk.changes():
        for touched in change.touched:
            by_home[touched.home].append((change, touched))
    for index, item in walk.items:
        for start, end in clusters(item.text):
            now = {Home(index, at, 1, 0): item.text[at] for at in range(start, end)}
            texts, kinds, events = [item.text[start:end]], [], []
            mine = sorted((each for home in now for each in by_home[home]), key=lambda each: each[0].event)
            for _, done in groupby(mine, key=lambda each: each[0].layer):
                together = list(done)
                for _, touched in together:
                    now[touched.home] = "".join(map(chr, touched.now))
                text = "".join(now.values())
                if text != texts[-1]:
                    texts.append(text)
                    kinds.append(NormalizeEvent(together[0][0].row.kind))
                    events += [together[0][0].event, max(change.last for change, _ in together)]
            if events:
                yield Change(tuple(texts), tuple(kinds), events[0], events[-1])


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
