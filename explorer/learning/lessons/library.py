"""The lessons that come with the program, in the order in which they are taught."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

from explorer.learning.lessons.lesson import Lesson
from explorer.learning.lessons.reading import read_lesson

FILES: Final = Path(__file__).parent / "files"

ORDER: Final = (
    "bytes", "normalization", "special", "pieces", "bpe", "queue", "wordpiece", "trie", "unigram", "fallback",
    "train-bpe", "train-wordpiece", "languages", "programs", "own", "bytes.de", "trie.ja",
)  # fmt: skip
"""The keys of the lessons: the names of their files."""


@cache
def library() -> Mapping[str, Lesson]:
    """All lessons by key, in order.

    >>> next(iter(library().values())).cards[0].title
    'One text, two counts'
    """
    read = (read_lesson((FILES / f"{key}.toml").read_bytes(), f"{key}.toml") for key in ORDER)
    return {lesson.key: lesson for lesson in read}
