"""Adds one token at the beginning of a text and one at the end, such as BOS and EOS. Also the events of every
post-processor.

Follows the end of llama.cpp's `tokenize` for SPM, if the caller asks for special tokens and the vocabulary says so. A
text that already begins with BOS gets a second one, as in the original; the trace reports it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from explorer.engine.items import ADDED, Emit, Items, Token
from explorer.engine.part import Options


class PostProcessEvent(IntEnum):
    """What a `PostProcessRow` says."""

    FIRST = 0
    """A token was added at the beginning."""
    LAST = 1
    """A token was added at the end."""
    TWICE = 2
    """The text itself begins with the token that was added at the beginning."""
    NOT_ASKED = 3
    """The model has such a token, but `add_special` is off."""
    SPARE = 4
    """The original has another option, not `add_special`, that adds this token. `unused` is 1 for a token after the
    text, 0 for one before it."""
    TRIMMED = 5
    """White space at the ends of the token was removed from its span: the file asks for trimmed offsets."""
    AGAIN = 6
    """The template contains the text more than once: this is another copy of the token."""
    LEFT_OUT = 7
    """The template does not contain the text: its tokens are left out. `unused` is how many; token is -1."""
    PRESENT = 8
    """The text itself ends with the token to add at the end, so it is not added."""


class PostProcessRow(NamedTuple):
    """One decision of post-processing."""

    kind: int
    """A `PostProcessEvent`."""
    position: int
    """Index in the ids, -1 for NOT_ASKED, SPARE, LEFT_OUT and PRESENT."""
    unused: int
    """0 except for LEFT_OUT and SPARE."""
    token: int
    """The token's id."""


@dataclass(eq=False)
class AddSpecial:
    """Adds one token at the beginning, one at the end, both or none.

    first, last: their ids. spare: tokens that another option of the original adds, each with 1 if it comes after the
    text and 0 otherwise. once: `last` is not added to a text that ends with it (`ByT5Tokenizer` of transformers).

    >>> AddSpecial(first=1).run([Token(338, 0, 3)], Options(), lambda *row: None)
    [Token(id=1, start=-1, end=-1), Token(id=338, start=0, end=3)]
    """

    name = "post-process"
    row = PostProcessRow
    kinds = PostProcessEvent

    first: int | None = None
    last: int | None = None
    spare: Sequence[tuple[int, int]] = ()
    once: bool = False

    def run(self, items: Items, options: Options, emit: Emit) -> Items:
        """The tokens with those that are added."""
        done = list(items)
        if not options.add_special:
            for token in (self.first, self.last):
                if token is not None:
                    emit(PostProcessEvent.NOT_ASKED, -1, 0, token)
            return done
        if self.first is not None:
            if done and done[0].id == self.first:  # type: ignore[union-attr]  # after the model all items are tokens
                emit(PostProcessEvent.TWICE, 1, 0, self.first)
            done.insert(0, Token(self.first, ADDED, ADDED))
            emit(PostProcessEvent.FIRST, 0, 0, self.first)
        if self.once and self.last is not None and done and done[-1].id == self.last:  # type: ignore[union-attr]  # as above
            emit(PostProcessEvent.PRESENT, -1, 0, self.last)
        elif self.last is not None:
            emit(PostProcessEvent.LAST, len(done), 0, self.last)
            done.append(Token(self.last, ADDED, ADDED))
        for token, is_after in self.spare:
            emit(PostProcessEvent.SPARE, -1, is_after, token)
        return done
