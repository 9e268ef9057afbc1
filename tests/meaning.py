"""What a sentence is about, however it is worded: the texts it quotes, its numbers, and the names of keys and files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from explorer.text.say import Say, plain

QUOTED: Final = re.compile(r"“([^”]*)”")
NUMBER: Final = re.compile(r"(?<![\w.,−-])[−-]?\d+(?:,\d{3})*(?:\.\d+)?(?![\w])")
NAME: Final = re.compile(
    r"“[^”]*”|'[^' ]+'|--\w[\w-]*|\w+(?:[_.@/-]\w+)+|\b(?:[A-Z]{2,}|[A-Z]*\d)\w*|[^\x00-\x7f“”‘’…]+"
)
"""Quoted texts, flags, keys, files, acronyms, numbers, and anything in another script."""


def named(sentence: Say | str) -> set[str]:
    """The quoted texts and the numbers of a sentence, without separated thousands.

    >>> sorted(named("“l” + “o” occurred 1,007 times."))
    ['1007', 'l', 'o']
    """
    text = sentence if isinstance(sentence, str) else plain(sentence)
    numbers = NUMBER.findall(QUOTED.sub("", text))
    return {*QUOTED.findall(text), *(number.replace(",", "").replace("−", "-") for number in numbers)}


def mentions(said: str | Iterable[str], example: str) -> bool:
    """Whether a sentence, or one of several, names all that an example of it names, in whatever words.

    >>> mentions("a.txt: at byte offset 203, E9 cannot be read", "a.txt: byte offset 203 (E9) is not UTF-8")
    False
    >>> mentions("UTF-8 has no E9 (a.txt, byte offset 203)", "a.txt: byte offset 203 (E9) is not UTF-8")
    True
    """
    names = NAME.findall(example)
    assert names, f"{example!r} names nothing; compare it whole"
    texts = (said,) if isinstance(said, str) else said
    return any(all(name in text for name in names) for text in texts)
