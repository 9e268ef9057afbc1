"""Post-processing: the final ids, and which of them were added."""

from __future__ import annotations

from collections import Counter

from explorer.engine.post_processors.rows import PostProcessEvent
from explorer.engine.results import Trace
from explorer.text import visible
from explorer.text.quantities import plural
from explorer.text.say import Say
from explorer.views.boards.board import Board, cell, row
from explorer.views.window import Window
from explorer.vocabulary import Vocabulary


def post_process_board(trace: Trace, vocabulary: Vocabulary, window: Window) -> Board:
    """The final ids in order, each with its offset in the list."""
    tokens = trace.encoding.tokens
    cells = []
    for index, token in enumerate(tokens[window.first : window.last], window.first):
        added = token.start < 0
        cells.append(
            cell(str(token.id), token.start, token.end, id=token.id, top=str(index),
                 sub=visible(vocabulary.spelling(token.id)),
                 look="inserted" if added else None, tag="added" if added else None,
                 tip=[["offset in the list", str(index)], ["id", str(token.id)],
                      ["piece", visible(vocabulary.spelling(token.id))]])
        )  # fmt: skip
    return Board(
        post_process_say(trace, vocabulary),
        [row("chips", "Ids", cells, limit=300, empty="No ids.", outside=(window.first, len(tokens) - window.last))],
    )


ALSO = {
    PostProcessEvent.TRIMMED: " The offsets of {} are trimmed: they leave out white space at the ends.",
    PostProcessEvent.AGAIN: " The template contains the text more than once, which adds {}.",
    PostProcessEvent.LEFT_OUT: " The template doesn't contain the text, so none of its tokens is left.",
}
"""What else the stage may have done → the sentence about it."""


def post_process_say(trace: Trace, vocabulary: Vocabulary) -> Say:
    """Which tokens were added, where, and whether the text had them already."""
    events = list(trace.stage("post-process").events)
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
