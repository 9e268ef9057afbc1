"""Counts the words of a corpus in parts, as the corpus job does its tasks: in several processes, resumable.

Memory is bounded by the distinct words. Words come out in the order of their first occurrence in the corpus, whichever
part was counted first.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final, NamedTuple

from explorer.corpus.documents import all_batches
from explorer.corpus.run import ALWAYS, OnBytes, Turn, ignore
from explorer.corpus.sources import Reading, Task
from explorer.engine.budget import TASK, within
from explorer.errors import InputError
from explorer.training.words import Cutting

FORMAT: Final = 1
"""Incremented when words are counted otherwise."""


@dataclass
class WordCounts:
    """Words, and how often each occurs. first: where each occurs first, as (task, number within it)."""

    words: Counter[str] = field(default_factory=Counter)
    first: dict[str, tuple[int, int]] = field(default_factory=dict)
    size: int = 0
    """bytes of text"""

    def take(self, other: WordCounts, number: int) -> None:
        """Adds the words of the task with this number."""
        self.size += other.size
        self.words.update(other.words)
        for at, word in enumerate(other.words):
            place = number, at
            self.first[word] = min(self.first.get(word, place), place)

    def text_bytes(self) -> int:
        """How many bytes of text were counted."""
        return self.size

    def ordered(self) -> dict[str, int]:
        """The words in the order of their first occurrence.

        >>> counts = WordCounts()
        >>> counts.take(WordCounts(Counter(b=1, a=2)), 1)
        >>> counts.take(WordCounts(Counter("a")), 0)
        >>> counts.ordered()
        {'a': 3, 'b': 1}
        """
        return {word: self.words[word] for word in sorted(self.words, key=self.first.__getitem__)}


class Counting(NamedTuple):
    """The job: a text is a document of the corpus, cut into words."""

    cutting: Cutting
    reading: Reading

    def key(self, task: Task) -> str:
        """The name of a task's result: the files and their times, and how they are cut, decide."""
        depends = [FORMAT, self.cutting, self.reading, task.ranges]
        return sha256(json.dumps(depends).encode()).hexdigest()[:32]

    def do(self, task: Task, on_progress: OnBytes = ignore, turn: Turn = ALWAYS) -> bytes:
        """The words of a task, as JSON."""
        counts = WordCounts()
        with turn, within("a part of this corpus", TASK) as whole:
            for batch in all_batches(task, self.reading):
                whole.grow(sum(map(len, batch.texts)))
                size = sum(len(text.encode()) for text in batch.texts)
                counts.words.update(self.cutting.words(batch.texts))
                counts.size += size
                on_progress(size)
        return json.dumps([counts.size, counts.words], ensure_ascii=False).encode()

    def read(self, data: bytes, name: str = "these bytes") -> WordCounts:
        """The words in these bytes. Raises InputError for a damaged file."""
        try:
            size, words = json.loads(data)
            if not (isinstance(size, int) and all(type(times) is int for times in words.values())):
                raise TypeError
        except (ValueError, TypeError, AttributeError):
            raise InputError(f"{name}: it is damaged; delete it, and --resume counts this part again") from None
        return WordCounts(Counter(words), {}, size)

    def nothing(self) -> WordCounts:
        """No words."""
        return WordCounts()
