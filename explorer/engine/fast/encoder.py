"""A tokenizer's untraced path, put together from its parts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final

from explorer.engine.items import ADDED, Items, Segment, Token, start
from explorer.engine.limits.budget import TooSlow
from explorer.engine.limits.length import TIMES
from explorer.engine.options import Options
from explorer.engine.part import Part, run_through
from explorer.errors import InputError

if TYPE_CHECKING:
    from explorer.engine.fast.cache import Memory
    from explorer.engine.fast.strategies import Way

PAYS: Final = 2_000
"""Characters. Finding the way takes up to a third of a second, more than the stages need for the first texts."""


class Untraced:
    """From text to ids.

    parts: the tokenizer's stages.

    >>> import explorer
    >>> Untraced(explorer.load("llama-2").parts).ids("What is LoRA?" * 200, Options())[:3]
    [1, 1724, 338]
    """

    def __init__(self, parts: Sequence[Part]) -> None:
        names = [part.name for part in parts]
        first = next(place for place, name in enumerate(names) if not name.startswith("partition"))
        last = names.index("model")
        self.parts, self.partitions, self.after = tuple(parts), tuple(parts[:first]), tuple(parts[last + 1 :])
        self.between, self.model = tuple(parts[first:last]), parts[last]
        self.parts_again = any(part.name.startswith("partition") for part in self.between)
        """whether special tokens are looked for once more, in the normalized text"""
        self.lengths = any(part.name != "post-process" for part in self.after)
        """whether ids are cut or filled up, which depends on how many there are"""
        self._around: dict[Options, list[int | None]] = {}
        self._before = 0
        """characters that the stages were run on before the way was found"""

    @cached_property
    def way(self) -> Way:
        """How fragments of text go to their ids. Imported here: the first short texts do without."""
        from explorer.engine.fast.strategies import way_of

        return way_of(self.between, self.model)

    @property
    def memory(self) -> Memory:
        """What is remembered, and how often that was of use."""
        return self.way.memory

    def ids(self, text: str, options: Options) -> list[int]:
        """The ids of `text`. Raises InputError as the stages do."""
        try:
            return self.found(text, options)
        except TooSlow:
            raise
        except InputError:
            # what is wrong may have been found in a piece; the stages know where that stands in the text
            return self.by_stages(text, options)

    def found(self, text: str, options: Options) -> list[int]:
        """The same; the place that an error names may be one within a piece."""
        if self.lengths:
            return self.by_stages(text, options)
        if self._before < PAYS:
            self._before += len(text)
            if self._before < PAYS:
                return self.by_stages(text, options)
        items = run_through(self.partitions, start(text), options)
        if self.parts_again and not options.parse_special:
            return self.by_stages(text, options)
        # most texts are one fragment, and many are short: what is done once a text counts
        if len(items) == 1 and isinstance(items[0], Segment):
            return self.surrounded(self.way.ids(items[0]), options)
        if two_texts_meet(items):
            return self.by_stages(text, options)
        ids: list[int] = []
        for item in items:
            if isinstance(item, Segment):
                ids += self.way.ids(item)
            else:
                ids.append(item.id)
        return self.surrounded(ids, options)

    def by_stages(self, text: str, options: Options) -> list[int]:
        """The same by the stages themselves."""
        return [item.id for item in run_through(self.parts, start(text), options) if isinstance(item, Token)]

    def surrounded(self, ids: list[int], options: Options) -> list[int]:
        """The ids with those that post-processing adds."""
        around = self._around.get(options)
        if around is None:
            items = run_through(self.after, [Token(0, 0, 0)], options)
            around = self._around[options] = [
                item.id if item.start == ADDED else None for item in items if isinstance(item, Token)
            ]
        if around == [None]:
            return ids
        if around.count(None) > TIMES:
            # the text again and again, which the stage counts
            items = run_through(self.after, [Token(id, 0, 0) for id in ids], options)
            return [item.id for item in items if isinstance(item, Token)]
        done: list[int] = []
        for id in around:
            if id is None:
                done += ids
            else:
                done.append(id)
        return done


def two_texts_meet(items: Items) -> bool:
    """Whether two fragments of text stand side by side: what is put in front of a text may then depend on it."""
    return any(
        isinstance(left, Segment) and isinstance(right, Segment)
        for left, right in zip(items, items[1:], strict=False)  # noqa: RUF007  # items may be a tuple or a list
    )
