"""Post-processing: the ids as they leave, and which of them were added."""

from __future__ import annotations

from collections import Counter

from explorer.engine.post_processors.rows import PostProcessEvent
from explorer.engine.tokenizer import Trace
from explorer.text import visible
from explorer.text.quantities import plural
from explorer.views.boards.board import Board, cell, row
from explorer.views.say import Say
from explorer.views.window import Window
from explorer.vocabulary import Vocabulary


def post_process_board(trace: Trace, vocabulary: Vocabulary, window: Window) -> Board:
    """The final ids in order, each with its place."""
    tokens = trace.encoding.tokens
    cells = []
    for place, token in enumerate(tokens[window.first : window.last], window.first):
        added = token.start < 0
        cells.append(
            cell(str(token.id), token.start, token.end, id=token.id, top=str(place),
                 sub=visible(vocabulary.spelling(token.id)),
                 look="inserted" if added else None, tag="added" if added else None,
                 tip=[["offset in the list", str(place)], ["id", str(token.id)],
                      ["piece", visible(vocabulary.spelling(token.id))]])
        )  # fmt: skip
    return Board(
        post_process_say(trace, vocabulary),
        [row("chips", "Ids", cells, limit=300, empty="No ids.", outside=(window.first, len(tokens) - window.last))],
    )


ALSO = {
    PostProcessEvent.TRIMMED: " The offsets of {} are trimmed: white space at their ends counts for nothing.",
    PostProcessEvent.AGAIN: " The template holds the text more than once, which makes {}.",
    PostProcessEvent.LEFT_OUT: " The template does not hold the text, so none of its tokens is left.",
}
"""What else a stage may have done, and what is said of it."""


def post_process_say(trace: Trace, vocabulary: Vocabulary) -> Say:
    """What was added, where, and whether it was there already."""
    events = list(trace.stage("post-process").events)
    counts = Counter(event.kind for event in events)
    words = []
    texts: list[str] = []
    for event in events:
        spelling = visible(vocabulary.spelling(event.token))
        where = {PostProcessEvent.FIRST: "in front", PostProcessEvent.LAST: "behind"}.get(PostProcessEvent(event.kind))
        if where:
            words.append(f"{{{len(texts)}:q}} ({event.token}) is added {where}")
            texts.append(spelling)
    also = "".join(sentence.format(plural(counts[kind], "token")) for kind, sentence in ALSO.items() if counts[kind])
    for event in events:
        if event.kind == PostProcessEvent.SPARE:
            option, where = ("add_eos", "behind") if event.unused else ("add_bos", "in front")
            also += f" sentencepiece's option {option} would add {{{len(texts)}:q}} ({event.token}) {where}."
            texts.append(visible(vocabulary.spelling(event.token)))
    twice = any(event.kind == PostProcessEvent.TWICE for event in events)
    if not words:
        if also:
            return Say.of("No tokens are added." + also, *texts)
        asked = "the caller did not ask for special tokens" if events else "this vocabulary adds no tokens"
        return Say.of("Changed nothing: {0:t}.", asked)
    template = " and ".join(words) + "."
    if twice:
        template += " The text began with it already, so it is there twice, as in the original."
    template += also
    return Say.of(template, *texts)
