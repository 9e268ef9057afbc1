"""What the model made of a text, and what the whole text gave: a sentence each."""

from __future__ import annotations

from explorer.engine.items import Segment, Token
from explorer.engine.results import Stage, Trace
from explorer.text.quantities import number, plural
from explorer.text.say import Say
from explorer.vocabulary import Vocabulary


def tokens_result(trace: Trace) -> Say:
    """How many tokens for how much text. Added tokens don't count towards bytes per token."""
    tokens = trace.encoding.tokens
    added = sum(token.start < 0 for token in tokens)
    if not trace.text:
        return Say.of("The text is empty. {0:t}.", f"It gives {plural(len(tokens), 'token')}")
    size, count = len(trace.text.encode()), len(tokens) - added
    covered = size - len(trace.text[slice(*cut_off(trace))].encode())
    return Say.of(
        "{0:t}{1:t} for {2:t} ({3:t}): {4:t} bytes per token{5:t}.",
        plural(len(tokens), "token"),
        f", {number(added)} of them added," if added else "",
        plural(len(trace.text), "character"),
        plural(size, "byte"),
        f"{covered / count:.2f}" if count else "no",
        " of the text" if added else "",
    )


def cut_off(trace: Trace) -> tuple[int, int]:
    """The characters [start, end) whose tokens were truncated."""
    gone = [
        item
        for stage in trace.stages
        if stage.name == "truncate"
        for event in stage.events
        for item in stage.before[event.start : event.end]
    ]
    spans = [(item.start, item.end) for item in gone if isinstance(item, Token)]
    return (min(start for start, _ in spans), max(end for _, end in spans)) if spans else (0, 0)


def model_result(trace: Trace, stage: Stage, vocabulary: Vocabulary, by: str = "") -> Say:
    """How many tokens the model makes. by: by what, such as ", by 9 merges"."""
    stretches = sum(isinstance(item, Segment) for item in stage.before)
    tokens = len(stage.after) - (len(stage.before) - stretches)
    if not stretches:
        return Say.of("There is no text left for the model.")
    return Say.of(
        "{0:t} of text {1:t} {2:t}{3:t}.",
        plural(stretches, "stretch", "stretches"),
        "becomes" if stretches == 1 else "become",
        plural(tokens, "token"),
        by,
    )
