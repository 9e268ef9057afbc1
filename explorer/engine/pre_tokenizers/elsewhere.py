"""Words that another program finds, with a dictionary of its own: the stages end at the text that it would get."""

from __future__ import annotations

from typing import NoReturn

from explorer.engine.items import Segment
from explorer.engine.pre_tokenizers.stage import Splitter
from explorer.engine.trace import Emit
from explorer.errors import Unfinished, shown


class WordsElsewhere(Splitter):
    """Ends the stages at any text that is not an added token. says: who finds its words.

    >>> WordsElsewhere("MeCab cuts").split(Segment.of("a"), 0, lambda *row: None)
    Traceback (most recent call last):
    explorer.errors.Unfinished: MeCab cuts; the first text that it would get is 'a'
    """

    def __init__(self, says: str) -> None:
        self.says = says

    def split(self, piece: Segment, first: int, emit: Emit) -> NoReturn:
        """Raises Unfinished."""
        raise Unfinished(f"{self.says}; the first text that it would get is {shown(piece.text)}")
