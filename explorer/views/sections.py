"""A trace as the sections of a page: the bytes, every stage in order, the way back.

What a section is called and what it shows follows from the stage: boards are found by the stage's name, steppers by the
row type of its events. A new algorithm adds a row here and no branch anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from explorer.engine.merges import MergeRow
from explorer.engine.tokenizer import DecodeTrace, Stage, Tokenizer, Trace
from explorer.engine.unigram import UnigramRow
from explorer.views.boards.board import Board
from explorer.views.boards.decode import decode_board
from explorer.views.boards.normalize import normalize_board
from explorer.views.boards.partition import partition_board
from explorer.views.boards.post_process import post_process_board
from explorer.views.boards.utf8 import utf8_board
from explorer.views.lattice_script import lattice_script
from explorer.views.merge_script import merge_script
from explorer.views.script import Script
from explorer.views.window import Window
from explorer.vocabulary import Vocabulary


class Section(NamedTuple):
    """One section: a board, or a script for the stepper, under a title.

    key: short and unique on the page. what: what this stage is for, in a sentence, whatever the text.
    """

    key: str
    title: str
    what: str
    board: Board | None = None
    script: Script | None = None


class BoardView(NamedTuple):
    """How a stage of a given name is shown."""

    title: str
    what: str
    board: Callable[[Trace, Vocabulary, Window], Board]


class ModelView(NamedTuple):
    """How a model stage whose events have a given row type is played."""

    title: str
    what: str
    script: Callable[[Stage, Vocabulary, Window], Script]


BOARDS: Mapping[str, BoardView] = MappingProxyType(
    {
        "partition": BoardView(
            "Special tokens",
            "Before anything else, special tokens written in the text are cut out of it.",
            partition_board,
        ),
        "normalize": BoardView("Normalization", "What is changed in the text before it is cut.", normalize_board),
        "post-process": BoardView("Post-processing", "The tokens the model wants around a text.", post_process_board),
    }
)

MODELS: Mapping[type[Any], ModelView] = MappingProxyType(
    {
        MergeRow: ModelView(
            "Merging",
            "SentencePiece BPE has no pre-tokenizer: a fragment is one chain of symbols, and pairs of neighbours are "
            "merged, best score first, until no pair is a piece.",
            merge_script,
        ),
        UnigramRow: ModelView(
            "Lattice",
            "Every piece that fits somewhere is a candidate. Of all ways from the first character to the last the one "
            "whose scores add up highest is taken.",
            lattice_script,
        ),
    }
)


def sections(tokenizer: Tokenizer, trace: Trace, decoded: DecodeTrace, window: Window) -> list[Section]:
    """The sections of a trace, in the order a text goes through them.

    >>> import explorer
    >>> from explorer.views.window import window_of
    >>> tok = explorer.load("llama-2")
    >>> trace = tok.trace("is")
    >>> [s.key for s in sections(tok, trace, tok.trace_decode(trace.ids), window_of(trace))]
    ['utf8', 'partition', 'normalize', 'model', 'post-process', 'decode']
    """
    vocabulary = tokenizer.vocabulary
    found = [
        Section(
            "utf8",
            "Bytes",
            "A text is stored as bytes. UTF-8 writes each code point with one to four of them.",
            utf8_board(trace, vocabulary, window),
        )
    ]
    for stage in trace.stages:
        if stage.name in BOARDS:
            view = BOARDS[stage.name]
            found.append(Section(stage.name, view.title, view.what, view.board(trace, vocabulary, window)))
        else:
            model = MODELS[stage.part.row]  # type: ignore[index]  # row types are classes
            script = model.script(stage, vocabulary, window)
            found.append(Section(stage.name, model.title, model.what, script=script))
    found.append(
        Section(
            "decode",
            "Back to text",
            "Ids become bytes, all bytes are joined, and only then read as UTF-8.",
            decode_board(trace, decoded, vocabulary, window),
        )
    )
    return found
