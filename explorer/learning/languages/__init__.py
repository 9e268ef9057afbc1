"""What the page and the questions say to a learner, in the language of the lesson: one TOML file a language.

`[page]` has the page's own words by name. `[questions]` has sentences of the questions by their English template
(`explorer.text.say`), which is in the code. What a table lacks stays English, as the sentences of the steps do.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

FOLDER: Final = Path(__file__).parent
ENGLISH: Final = "en"


class Phrases(NamedTuple):
    """One language. page: its words by name. questions: English template → template in this language."""

    page: Mapping[str, str]
    questions: Mapping[str, str]

    def words(self, template: str) -> str:
        """A template of a question.

        >>> phrases("de").words("Which pair merges next?"), phrases("en").words("Which pair merges next?")
        ('Welches Paar wird als Nächstes verbunden?', 'Which pair merges next?')
        """
        return self.questions.get(template, template)


@cache
def languages() -> tuple[str, ...]:
    """The languages that have a table."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


def phrases(language: str) -> Phrases:
    """The phrases of a language, such as "de" or "de-AT"; English ones where it has none.

    >>> phrases("de-AT").page["next"], phrases("xx").page["next"]
    ('Weiter ▶', 'Next ▶')
    """
    name = language.partition("-")[0].lower()
    return read(name if name in languages() else ENGLISH)


@cache
def read(name: str) -> Phrases:
    """The phrases of a language that has a table."""
    table = tomllib.loads((FOLDER / f"{name}.toml").read_text("utf-8"))
    return Phrases({**({} if name == ENGLISH else read(ENGLISH).page), **table["page"]}, table.get("questions", {}))
