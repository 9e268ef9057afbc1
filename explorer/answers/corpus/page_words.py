"""What the page calls the options of the command line, which the errors of a job name."""

from __future__ import annotations

from typing import Final

FIELD, LABEL, BASELINE = "Field with the text", "Field to group by", "Compared with the group"
"""The page's fields."""
WORDS: Final = {
    "--field": f"“{FIELD}”",
    "--label": f"“{LABEL}”",
    "--baseline": f"“{BASELINE}”",
    "--longest SIZE": "--longest SIZE on the command line",
    "--invalid skip": "--invalid skip on the command line",
}


def in_page_words(message: str) -> str:
    """An error of a job as the page says it.

    >>> in_page_words("a.csv: the table has no 'text' (it has 'a'); choose one of its fields with --field")
    "a.csv: the table has no 'text' (it has 'a'); choose one of its fields with “Field with the text”"
    """
    for option, words in WORDS.items():
        message = message.replace(option, words)
    return message
