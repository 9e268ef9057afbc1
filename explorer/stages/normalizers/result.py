"""What normalization did, in one sentence: a count for each kind of change, and where llama.cpp does otherwise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final, cast

from explorer.engine.normalizers.charsmap import CharsmapEvent, CharsmapRow
from explorer.engine.normalizers.llama_cpp import EscapeWhitespace, SpacePrefix
from explorer.engine.normalizers.python_text import PythonForm
from explorer.engine.normalizers.stage import Normalization, NormalizeEvent
from explorer.engine.normalizers.unicode_forms import UnicodeForm
from explorer.engine.results import Stage, Trace
from explorer.engine.unicode.versions import decomposed, is_mark
from explorer.text import label, visible
from explorer.text.code_points import first_of_nfd
from explorer.text.say import Say, plural
from explorer.vocabulary import SPACE_MARK, Vocabulary


def normalize_result(trace: Trace, stage: Stage, vocabulary: Vocabulary) -> Say:
    """What normalization did."""
    if stage.part.row is CharsmapRow:
        return charsmap_say(stage)
    if not trace.text:
        return Say.of("Changed nothing: the text is empty.")
    part = cast(Normalization, stage.part)
    if not all(isinstance(each, SpacePrefix | EscapeWhitespace) for each in part.normalizers):
        return counts_say(trace, stage)
    events = stage.events
    prefixed = sum(event.kind == NormalizeEvent.PREFIX for event in events)
    replaced = sum(event.kind == NormalizeEvent.REPLACE for event in events)
    if not replaced:
        return Say.of("Changed nothing.")
    escaped = f"{plural(replaced, 'space is', 'spaces are')} written ▁ (U+2581)"
    if not prefixed:
        return Say.of("No space is put before the text; {0:t}.", escaped)
    where = "the text" if prefixed == 1 else f"{prefixed} fragments"
    return Say.of("A space is put before {0:t}, and {1:t}.", where, escaped)


def charsmap_say(stage: Stage) -> Say:
    """What the normalization of a SentencePiece vocabulary did: the character map, then white space.

    >>> import explorer
    >>> from explorer.text.say import plain
    >>> plain(charsmap_say(explorer.load("xlm-r").trace("ﬁne  ").stage("normalize")))
    'The character map made 1 replacement; 2 white space characters are dropped; a ▁ is put before the text.'
    """
    count = dict.fromkeys(CharsmapEvent, 0)
    times = dict(count)
    for event in stage.events:
        count[CharsmapEvent(event.kind)] += event.size
        times[CharsmapEvent(event.kind)] += 1
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
    if dropped := count[CharsmapEvent.DROP]:
        parts.append(plural(dropped, "white space character is dropped", "white space characters are dropped"))
    if times[CharsmapEvent.PREFIX]:
        parts.append("a ▁ is put before " + ("each fragment" if times[CharsmapEvent.PREFIX] > 1 else "the text"))
    if times[CharsmapEvent.SUFFIX]:
        parts.append("a ▁ is put after the text")
    if escaped := times[CharsmapEvent.ESCAPE]:
        parts.append(plural(escaped, "run of white space is", "runs of white space are") + " written ▁ (U+2581)")
    said = "; ".join(parts) or "Changed nothing"
    return Say.of("{0:t}.", said[0].upper() + said[1:])


DONE: Final[dict[NormalizeEvent, tuple[str, str]]] = {
    NormalizeEvent.PREFIX: ("fragment of text gets a prefix", "fragments of text get a prefix"),
    NormalizeEvent.REPLACE: ("match of a pattern is replaced", "matches of a pattern are replaced"),
    NormalizeEvent.INSERT: (
        "empty match of a pattern inserts its replacement",
        "empty matches of a pattern insert their replacements",
    ),
    NormalizeEvent.MAP: (
        "character is replaced through the character map",
        "characters are replaced through the character map",
    ),
    NormalizeEvent.GRAPHEME: (
        "character and its marks are replaced by what the character map has for the beginning",
        "characters and their marks are replaced by what the character map has for their beginnings",
    ),
    NormalizeEvent.STRIP: (
        "white space character at the ends is dropped",
        "white space characters at the ends are dropped",
    ),
    NormalizeEvent.DROP_CONTROL: ("control is dropped", "controls are dropped"),
    NormalizeEvent.SPACE: (
        "white space character is written as a space",
        "white space characters are written as spaces",
    ),
    NormalizeEvent.ISOLATE: ("Chinese character gets spaces around it", "Chinese characters get spaces around them"),
    NormalizeEvent.FORM: (
        "character is rewritten by a Unicode normalization form: it looks the same but has other code points",
        "characters are rewritten by a Unicode normalization form: they look the same but have other code points",
    ),
    NormalizeEvent.DECOMPOSE: ("character is decomposed", "characters are decomposed"),
    NormalizeEvent.REORDER: ("mark is reordered", "marks are reordered"),
    NormalizeEvent.FIRST_OF_NFD: (
        "character is decomposed, keeping only the first code point",
        "characters are decomposed, keeping only the first code point",
    ),
    NormalizeEvent.DROP_MARK: ("combining mark is dropped", "combining marks are dropped"),
    NormalizeEvent.LOWER: ("character is lowercased", "characters are lowercased"),
    NormalizeEvent.BYTES: (
        "character is replaced by its bytes, spelled as printable characters",
        "characters are replaced by their bytes, spelled as printable characters",
    ),
}


def counted_kinds(stage: Stage) -> Iterator[int]:
    """The kinds of the events that the sentence counts; of a form that composes, the results alone."""
    composes = False
    for event in stage.events:
        if event.kind == NormalizeEvent.BEGIN:
            normalizer = cast(Normalization, stage.part).normalizers[event.at]
            composes = isinstance(normalizer, UnicodeForm) and normalizer.composes
        elif event.kind in DONE and (event.kind == NormalizeEvent.FORM or not composes):
            yield event.kind


NOT_IN_LLAMA_CPP: Final = "llama.cpp doesn't normalize text for vocabularies of this kind."


def counts_say(trace: Trace, stage: Stage) -> Say:
    """What the normalizers did: a count for each kind, in the order most files have them."""
    counts = Counter(counted_kinds(stage))
    forms = [each for each in cast(Normalization, stage.part).normalizers if isinstance(each, UnicodeForm)]
    # llama.cpp has its own normalization for some of the classes that are written in Python, and runs others not at all
    elsewhere = [] if any(isinstance(each, PythonForm) for each in forms) else [Say.of(NOT_IN_LLAMA_CPP)]
    if counts and set(counts) == {NormalizeEvent.FORM}:
        rewritten = plural(counts[NormalizeEvent.FORM], "character")
        if any(each.compatible for each in forms):
            said = "A Unicode normalization form rewrites {0:t}; it also replaces variants of letters, such as Ａ by A."
        else:
            said = (
                "A Unicode normalization form rewrites {0:t}: the text looks the same but has other code points and "
                "ids."
            )
        return Say.of(said, rewritten).then(*elsewhere)
    words = dict(DONE)
    if all(event.code_point == ord(SPACE_MARK) for event in stage.events if event.kind == NormalizeEvent.REPLACE):
        words[NormalizeEvent.REPLACE] = ("space is written ▁ (U+2581)", "spaces are written ▁ (U+2581)")
    done = [plural(counts[kind], *words[kind]) for kind in DONE if counts[kind]]
    if not done:
        return Say.of("Changed nothing.")
    says = nfd_says(trace.text, counts)
    if counts[NormalizeEvent.FORM]:
        says += elsewhere
    listed = f"{', '.join(done[:-1])} and {done[-1]}" if len(done) > 1 else done[0]
    return Say.of("{0:t}.", listed).then(*says)


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
            left = " ".join(map(label, by_hugging_face)) or "nothing"
            return [
                Say.of(
                    f"{rule}: of {{0:q}} llama.cpp keeps {{1:t}}, Hugging Face {{2:t}}.",
                    visible(ch),
                    label(by_llama_cpp),
                    left,
                )
            ]
    return [Say.of(f"{rule}. For this text both are the same.")]
