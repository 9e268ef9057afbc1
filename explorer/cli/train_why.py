"""What `train --why` prints: why a text is a token or not, and the decisions of the training that this rests on.

The training is traced for that, so only a corpus is accepted whose decisions fit into memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from explorer.cli.commands import columns
from explorer.cli.terminal import say
from explorer.errors import InputError
from explorer.text.quantities import number
from explorer.text.say import plain
from explorer.training.asked import why_text
from explorer.training.training import Training

MOST: Final = 1_000_000
"""Characters of a corpus, as its trainer reads it: each distinct word once."""


def say_why(
    training: Training[Any],
    corpus: Mapping[str, int] | Sequence[str],
    texts: Sequence[str],
    whose: tuple[str, str],
    cutting: str,
    options: Any,
    tokens: Sequence[str],
) -> None:
    """Prints the answers. corpus: words with their counts, or texts. Raises InputError for a corpus that is too large.

    The other arguments: see `why_text`.
    """
    size = sum(map(len, corpus))
    if size > MOST:
        raise InputError(
            f"--why follows every decision, and this corpus has {number(size)} characters to learn from; "
            f"give at most {number(MOST)}"
        )
    words = list(corpus) if isinstance(corpus, Mapping) else []
    _ = training.events  # what was learned comes with them
    for token in tokens:
        found = why_text(training, token, whose, cutting, texts, words, options)
        say(plain(found.say))
        rows = [(f"  event {step.event}", plain(step.say)) for step in found.steps]
        for line in columns(rows) if rows else ():
            say(line)
