"""Whether a text ends in a space that is a token of its own, while words bring theirs along.

Asked at every key press, so the vocabulary is not searched: a word after a space is tokenized instead.
"""

from __future__ import annotations

from collections.abc import Sequence

from explorer.engine.items import ADDED, Token
from explorer.implementations.opened import Opened


def lone_space(tokenizer: Opened, text: str, tokens: Sequence[Token]) -> int | None:
    """The id of the space at the end of a text; None if it ends otherwise, or a space is never part of a word's token.

    >>> import explorer
    >>> found = {}
    >>> for name in ("gpt-2", "llama-2", "bert-uncased"):
    ...     tok = explorer.load(name)
    ...     found[name] = lone_space(tok, "The answer is ", tok.encode("The answer is ").tokens)
    >>> found
    {'gpt-2': 220, 'llama-2': 29871, 'bert-uncased': None}
    """
    if not text.endswith(" "):
        return None
    last = next((token for token in reversed(tokens) if token.start != ADDED), None)
    if last is None or tokenizer.token_bytes(last.id) != b" ":
        return None
    word = tokenizer.token_bytes(tokenizer.encode("a the", add_special=False).ids[-1])
    return last.id if word[:1] == b" " and len(word) > 1 else None
