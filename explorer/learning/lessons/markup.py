"""The few marks in a card's words: **bold**, `tokens`, paragraphs. The page gets runs of text, never HTML.

>>> paragraphs("A **pair**.\\n\\nIt is `is`.")
[[('', 'A '), ('b', 'pair'), ('', '.')], [('', 'It is '), ('code', 'is'), ('', '.')]]
"""

from __future__ import annotations

import re
from typing import Final

MARKS: Final = re.compile(r"\*\*(?P<b>[^*\n]+)\*\*|`(?P<code>[^`\n]+)`")

Run = tuple[str, str]
"""A kind of text ("", "b", "code"), and the text."""


def paragraphs(words: str) -> list[list[Run]]:
    """The paragraphs of a text, each as runs. A line break within one is a space."""
    return [runs(" ".join(each.split("\n"))) for each in re.split(r"\n\s*\n", words.strip())]


def runs(text: str) -> list[Run]:
    """One paragraph as runs."""
    found: list[Run] = []
    at = 0
    for match in MARKS.finditer(text):
        found.append(("", text[at : match.start()]))
        kind = match.lastgroup or ""
        found.append((kind, match[kind]))
        at = match.end()
    found.append(("", text[at:]))
    return [run for run in found if run[1]]


def plain_words(words: str) -> str:
    """The words without marks."""
    return "\n".join("".join(text for _, text in each) for each in paragraphs(words))
