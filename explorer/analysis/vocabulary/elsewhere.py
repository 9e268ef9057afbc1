"""What a token's text is in another tokenizer: one token with its id, or several."""

from __future__ import annotations

from explorer.analysis.vocabulary.reach import LONGEST
from explorer.errors import InputError
from explorer.implementations.opened import Opened


def tokens_elsewhere(text: str, other: Opened) -> list[int]:
    """The ids of a text in another tokenizer, the fewest it gives; empty for a text that it refuses.

    A tokenizer that puts a space in front of a text is asked for the text without its own space, too.

    >>> import explorer
    >>> [tokens_elsewhere(" token", explorer.load(name)) for name in ("gpt-2", "llama-2")]
    [[11241], [5993]]
    """
    found: list[list[int]] = []
    texts = (text, text[1:]) if text[:1] == " " and len(text) > 1 else (text,)
    for each in texts if len(text) <= LONGEST else ():
        try:
            ids = other.encode(each, add_special=False).ids
        except InputError:
            continue
        # without the space, only if the tokenizer puts it there again
        if each is text or b"".join(map(other.decoder.alone, ids)) == text.encode():
            found.append(ids)
    return min(found, key=len, default=[])
