"""The stages after the model, as everybody else asks about them."""

from __future__ import annotations

from collections import Counter
from typing import Final, cast

from explorer.engine.post_processors.add_special import PostProcessEvent
from explorer.engine.post_processors.lengths import LengthEvent, Padding, Truncation
from explorer.engine.results import Stage, Trace
from explorer.stages.post_processors.story import padding_script, post_process_script, truncation_script
from explorer.stages.stage import StageKind
from explorer.text import visible
from explorer.text.say import Say, number, plural
from explorer.vocabulary import Vocabulary


def truncation_result(trace: Trace, stage: Stage, vocabulary: Vocabulary) -> Say:
    """How many tokens were cut off, where, and how many parts the original makes of them."""
    part, size = cast(Truncation, stage.part), len(stage.before)
    room = part.room(trace.options)
    if room is None:
        return Say.of(
            "Changed nothing: {0:t} allowed and {1:t} added, so the original's limit is below zero and nothing is cut.",
            plural(part.longest, "token is", "tokens are"),
            plural(part.added, "is", "are"),
        )
    besides = f" besides the {part.added} added" if room != part.longest else ""
    if size <= room:
        return Say.of(
            "Changed nothing: the text has {0:t}, and {1:t} room{2:t}.",
            plural(size, "token"),
            plural(room, "has", "have"),
            besides,
        )
    others = len(list(part.parts(size, room))) - 1
    overlap = f" that overlap by {plural(part.stride, 'token')}" if part.stride else ""
    return Say.of(
        "{0:t} cut off at the {1:t}: the text has {2:t}, and {3:t} room{4:t}. tokenizers returns the rest as "
        "{5:t}{6:t}; they are not among these ids.",
        plural(size - room, "token is", "tokens are"),
        "beginning" if part.left else "end",
        number(size),
        plural(room, "has", "have"),
        besides,
        plural(others, "further part"),
        overlap,
    )


def padding_result(trace: Trace, stage: Stage, vocabulary: Vocabulary) -> Say:
    """How much padding was added, or why none was."""
    part = cast(Padding, stage.part)
    filled = sum(event.end - event.start for event in stage.events if event.kind == LengthEvent.FILLED)
    if filled:
        return Say.of(
            "{0:t} of {1:q} ({2:t}) {5:t} the text to {3:t} {4:t}.",
            plural(filled, "token"),
            visible(vocabulary.spelling(part.token)),
            str(part.token),
            plural(len(stage.after), "token"),
            "at the beginning" if part.left else "at the end",
            "pads" if filled == 1 else "pad",
        )
    if part.length is None:
        reason = "a single text is the longest of its batch"
        reason += f", and its length is a multiple of {part.multiple}" if part.multiple else ""
    else:
        reason = f"the text has {number(len(stage.before))} tokens already"
    return Say.of("Changed nothing: {0:t}.", reason)


ALSO: Final = {
    PostProcessEvent.TRIMMED: " The offsets of {} are trimmed: they leave out white space at the ends.",
    PostProcessEvent.AGAIN: " The template contains the text more than once, which adds {}.",
    PostProcessEvent.LEFT_OUT: " The template doesn't contain the text, so none of its tokens is left.",
}
"""What else the stage may have done → the sentence about it."""


def post_process_result(trace: Trace, stage: Stage, vocabulary: Vocabulary) -> Say:
    """Which tokens were added, where, and whether the text had them already."""
    events = list(stage.events)
    counts = Counter(event.kind for event in events)
    words = []
    texts: list[str] = []
    for event in events:
        spelling = visible(vocabulary.spelling(event.token))
        where = {PostProcessEvent.FIRST: "before the text", PostProcessEvent.LAST: "after the text"}.get(
            PostProcessEvent(event.kind)
        )
        if where:
            words.append(f"{{{len(texts)}:q}} ({event.token}) is added {where}")
            texts.append(spelling)
    also = "".join(sentence.format(plural(counts[kind], "token")) for kind, sentence in ALSO.items() if counts[kind])
    for event in events:
        if event.kind == PostProcessEvent.SPARE:
            option, where = ("add_eos", "after the text") if event.unused else ("add_bos", "before the text")
            also += f" sentencepiece's option {option} would add {{{len(texts)}:q}} ({event.token}) {where}."
            texts.append(visible(vocabulary.spelling(event.token)))
        if event.kind == PostProcessEvent.PRESENT:
            also += f" The text itself ends with {{{len(texts)}:q}} ({event.token}), so it is not added."
            texts.append(visible(vocabulary.spelling(event.token)))
    twice = any(event.kind == PostProcessEvent.TWICE for event in events)
    if not words:
        if also:
            return Say.of("No tokens are added." + also, *texts)
        asked = "adding special tokens is off" if events else "this vocabulary adds no tokens"
        return Say.of("Changed nothing: {0:t}.", asked)
    template = " and ".join(words) + "."
    if twice:
        template += " The text already began with it, so it occurs twice, as in the original."
    template += also
    return Say.of(template, *texts)


TRUNCATE: Final = StageKind(
    title="Truncation",
    purpose="A text with more tokens than the model accepts is cut off.",
    name="Truncate",
    script=truncation_script,
    result=truncation_result,
)
PAD: Final = StageKind(
    title="Padding",
    purpose="A text with fewer tokens is padded, so that all texts have the same length.",
    name="Pad",
    script=padding_script,
    result=padding_result,
)
POST_PROCESS: Final = StageKind(
    title="Post-processing",
    purpose="The tokens the model expects around a text are added.",
    name="Ids",
    script=post_process_script,
    result=post_process_result,
)
