"""What a sentence is about, however it is worded: the texts it quotes and its numbers."""

from __future__ import annotations

import re
from typing import Final

from explorer.text.say import Say, plain

QUOTED: Final = re.compile(r"“([^”]*)”")
NUMBER: Final = re.compile(r"(?<![\w.,−-])[−-]?\d+(?:,\d{3})*(?:\.\d+)?(?![\w])")


def named(sentence: Say | str) -> set[str]:
    """The quoted texts and the numbers of a sentence, without separated thousands.

    >>> sorted(named("“l” + “o” occurred 1,007 times."))
    ['1007', 'l', 'o']
    """
    text = sentence if isinstance(sentence, str) else plain(sentence)
    numbers = NUMBER.findall(QUOTED.sub("", text))
    return {*QUOTED.findall(text), *(number.replace(",", "").replace("−", "-") for number in numbers)}
