"""A language code such as `>>fra<<` at the beginning of a text, cut out as one token after the added tokens.

Follows `remove_language_code` of `MarianTokenizer` of `transformers`: a text that begins with `>>` is cut after the
first `<<`, whatever is between them, and so is each text after an added token. A code that is not a piece is the
unknown token.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from explorer.engine.items import Item, Segment, Token
from explorer.engine.partition.added_tokens import AddedToken
from explorer.engine.partition.python_tokens import PythonTokenPartition
from explorer.engine.partition.special_tokens import PartitionEvent
from explorer.engine.trace import Emit

OPENS, CLOSES = ">>", "<<"


class LanguageCodePartition(PythonTokenPartition):
    """Cuts out added tokens, then the code.

    id_of: the id of a code.

    >>> part = LanguageCodePartition([], lambda code: 7 if code == ">>fra<<" else 1)
    >>> [item if isinstance(item, Token) else item.text
    ...  for item in part.cut(Segment.of(">>fra<< a << b"), True, lambda *row: None)]
    [Token(id=7, start=0, end=7), ' a << b']
    """

    def __init__(self, tokens: Iterable[AddedToken], id_of: Callable[[str], int]) -> None:
        super().__init__(tokens)
        self.id_of = id_of

    def may_be_cut(self, item: Item) -> bool:
        """Whether an item is text that may be cut, or empty text."""
        return super().may_be_cut(item) or (isinstance(item, Segment) and item.text.startswith(OPENS))

    def cut(self, segment: Segment, parse_special: bool, emit: Emit) -> list[Item]:
        """The segment with added tokens and codes turned into `Token`s."""
        done: list[Item] = []
        for item in super().cut(segment, parse_special, emit):
            found = item.text.find(CLOSES) if isinstance(item, Segment) and item.text.startswith(OPENS) else -1
            if found < 0 or not isinstance(item, Segment):
                done.append(item)
                continue
            text, starts, ends = item
            end = found + len(CLOSES)
            code = Token(self.id_of(text[:end]), starts[0], ends[end - 1])
            emit(PartitionEvent.TOKEN, code.start, code.end, code.id)
            done.append(code)
            if end < len(text):
                done.append(item.slice(end))
        return done
