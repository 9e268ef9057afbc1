"""Technical terms, each explained in one plain sentence for readers who meet them for the first time.

`words_in` finds the terms that a section of a page uses, so they are explained right there.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from explorer.tables import read_toml


class Word(NamedTuple):
    """A term. word: as shown. means: its explanation, a phrase. forms: a regex for the ways it is written."""

    word: str
    means: str
    forms: str


def _word(word: str, means: str, forms: str = "") -> Word:
    return Word(word, means, forms or re.escape(word) + "s?")


WORDS = tuple(_word(**term) for term in read_toml(__file__, "glossary.toml")["term"])

FORMS = {word: re.compile(rf"(?<![\w-])(?:{word.forms})(?![\w-])" if word.word != "▁" else "▁") for word in WORDS}


def for_browsers(words: Iterable[Word] = WORDS) -> list[dict[str, str]]:
    """The glossary for the browser: each word, what it means, and a regex of its forms, also at a sentence's beginning.

    >>> [word["form"] for word in for_browsers()][:2]
    ['[Tt]okens?', '[Ii]ds?']
    """
    return [
        {"word": word, "means": means, "form": re.sub("^[a-z]", lambda first: f"[{first[0].upper()}{first[0]}]", forms)}
        for word, means, forms in words
    ]


def words_in(texts: Iterable[str]) -> tuple[Word, ...]:
    """The terms that occur in any of the texts, in the order of `WORDS`.

    >>> [word.word for word in words_in(["The queue holds stale entries."])]
    ['queue', 'stale']
    """
    together = "\n".join(texts)
    return tuple(word for word, form in FORMS.items() if form.search(together))
