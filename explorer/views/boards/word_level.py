"""Words looked up whole: which are pieces, and which become the unknown token."""

from __future__ import annotations

from explorer.engine.items import Segment
from explorer.engine.models.word_level import WordLevelEvent
from explorer.engine.results import Trace
from explorer.text import visible
from explorer.text.quantities import plural
from explorer.text.say import Say
from explorer.views.boards.board import Board, cell, row, shortened
from explorer.views.window import Window
from explorer.vocabulary import Vocabulary


def word_level_board(trace: Trace, vocabulary: Vocabulary, window: Window) -> Board:
    """One chip per word, with its token."""
    stage = trace.stage("model")
    cells = []
    outside = [0, 0]
    unknown = 0
    for event in stage.events:
        word = stage.before[event.place]
        assert isinstance(word, Segment), "only words are looked up"
        lost = event.kind == WordLevelEvent.UNKNOWN
        unknown += lost
        if not window.holds(word.starts[0]):
            outside[word.starts[0] >= window.end] += 1
            continue
        spelling = visible(vocabulary.spelling(event.token))
        found = f"not a piece: {spelling} {event.token}" if lost else f"token {event.token}"
        cells.append(
            cell(shortened(word.text), word.starts[0], word.ends[-1], id=event.token, sub=str(event.token),
                 look="dropped" if lost else None, tag="unknown" if lost else None, tip=[["looked up", found]])
        )  # fmt: skip
    words = len(stage.events)
    if not words:
        say = Say.of("There is no word to look up.")
    elif unknown:
        say = Say.of("{0:t} looked up, of which {1:t} unknown.", plural(words, "word is", "words are"),
                     plural(unknown, "is", "are"))  # fmt: skip
    else:
        say = Say.of("{0:t} looked up and found.", plural(words, "word is", "words are"))
    return Board(say, [row("chips", "Words", cells, limit=300, empty="No words.", outside=(outside[0], outside[1]))])
