"""A tokenizer's fast path, put together from its parts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final

from explorer.engine.budget import TooSlow
from explorer.engine.items import ADDED, TIMES, Segment, Token, has_adjacent_texts, initial_items
from explorer.engine.part import Options, Part, run_through
from explorer.engine.post_processors import AddSpecial
from explorer.errors import InputError

if TYPE_CHECKING:
    from explorer.engine.fast.cache import PieceCache
    from explorer.engine.fast.strategies import Strategy

PAYS: Final = 2_000
"""Characters. Finding a strategy takes up to a third of a second, more than the stages need for the first texts."""


class FastPath:
    """From text to ids.

    parts: the tokenizer's stages.

    >>> import explorer
    >>> FastPath(explorer.load("llama-2").parts).ids("What is LoRA?" * 200, Options())[:3]
    [1, 1724, 338]
    """

    def __init__(self, parts: Sequence[Part]) -> None:
        names = [part.name for part in parts]
        first = next(index for index, name in enumerate(names) if not name.startswith("partition"))
        last = names.index("model")
        self.parts, self.partitions, self.after = tuple(parts), tuple(parts[:first]), tuple(parts[last + 1 :])
        self.between, self.model = tuple(parts[first:last]), parts[last]
        self.partitions_again = any(part.name.startswith("partition") for part in self.between)
        """whether special tokens are looked for once more, in the normalized text"""
        self.lengths = any(
            part.name != "post-process" or (isinstance(part, AddSpecial) and part.once) for part in self.after
        )
        """whether what follows the model depends on the text's ids: on how many there are, or on the last one"""
        self._templates: dict[Options, list[int | None]] = {}
        """what post-processing adds, by options (`template`)"""
        self._seen = 0
        """characters encoded by the stages so far, up to PAYS"""

    @cached_property
    def strategy(self) -> Strategy:
        """How fragments of text become ids. Imported here, because the first short texts do without."""
        from explorer.engine.fast.strategies import strategy_for

        return strategy_for(self.between, self.model)

    @property
    def memory(self) -> PieceCache:
        """The strategy's cache, with its hit rate."""
        return self.strategy.cache

    def ids(self, text: str, options: Options) -> list[int]:
        """The ids of `text`. Raises InputError as the stages do."""
        try:
            return self.unlocated(text, options)
        except TooSlow:
            raise
        except InputError:
            # the error may count within a piece; the stages know the position in the text
            return self.by_stages(text, options)

    def unlocated(self, text: str, options: Options) -> list[int]:
        """The ids of `text`. A position in an InputError may be one within a piece."""
        if self.lengths or not text:  # a stage may put something in front of no text
            return self.by_stages(text, options)
        if self._seen < PAYS:
            self._seen += len(text)
            if self._seen < PAYS:
                return self.by_stages(text, options)
        items = run_through(self.partitions, initial_items(text), options)
        if self.partitions_again and not options.parse_special:
            return self.by_stages(text, options)
        # most texts are one fragment and many are short, so the work per text counts
        if len(items) == 1 and isinstance(items[0], Segment):
            return self.post_processed(self.strategy.ids(items[0]), options)
        if has_adjacent_texts(items):
            return self.by_stages(text, options)
        ids: list[int] = []
        for item in items:
            if isinstance(item, Segment):
                ids += self.strategy.ids(item)
            else:
                ids.append(item.id)
        return self.post_processed(ids, options)

    def by_stages(self, text: str, options: Options) -> list[int]:
        """The ids of `text` from the stages themselves."""
        return [item.id for item in run_through(self.parts, initial_items(text), options) if isinstance(item, Token)]

    def post_processed(self, ids: list[int], options: Options) -> list[int]:
        """The ids with those that post-processing adds."""
        template = self._templates.get(options) or self.template(options)
        if template == [None]:
            return ids
        if template.count(None) > TIMES:
            # a template that repeats the text; the stage limits how often
            items = run_through(self.after, [Token(id, 0, 0) for id in ids], options)
            return [item.id for item in items if isinstance(item, Token)]
        done: list[int] = []
        for id in template:
            if id is None:
                done += ids
            else:
                done.append(id)
        return done

    def template(self, options: Options) -> list[int | None]:
        """The ids that post-processing adds, None where the text goes."""
        items = run_through(self.after, [Token(0, 0, 0)], options)
        self._templates[options] = found = [
            item.id if item.start == ADDED else None for item in items if isinstance(item, Token)
        ]
        return found
