"""How well patterns fit a vocabulary: the tokens that a pattern cuts when they stand alone.

A tokenizer that uses the pattern for training merges only within pieces, so its own pattern cuts almost none of its
tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from explorer.engine.budget import asking
from explorer.engine.items import Segment
from explorer.engine.pre_tokenizers.by_regex import RegexSplit
from explorer.engine.pre_tokenizers.stage import Splitter
from explorer.engine.trace import silent

LONGEST: Final = 1_000
"""Characters of a token that is tried. The longest known token has a few hundred."""


def texts_of(pieces: Iterable[bytes]) -> list[str]:
    """The pieces that are text of 2 to 1,000 characters.

    >>> texts_of([b"a", b"ab", bytes([255, 254]), b"cd"])
    ['ab', 'cd']
    """
    found = []
    for piece in pieces:
        if len(piece) > 1:
            try:
                text = piece.decode()
            except UnicodeDecodeError:
                continue
            if 1 < len(text) <= LONGEST:
                found.append(text)
    return found


def sample(texts: Sequence[str], most: int) -> Sequence[str]:
    """Up to about `most` of the texts, evenly spread.

    >>> sample(["a", "b", "c", "d"], 2)
    ['a', 'c']
    """
    return texts[:: max(1, len(texts) // most)]


def tokens_cut(splitters: Sequence[Splitter], texts: Sequence[str], *, known: bool = False) -> int:
    """How many texts the splitters, applied in order, cut into more than one piece.

    known: whether all patterns are known ones, which need no time limit. Raises InputError if others take too long.

    >>> from explorer.engine.pre_tokenizers.patterns import GPT2, QWEN2
    >>> [tokens_cut([RegexSplit(pattern)], ["12", " it", "a b"]) for pattern in (GPT2, QWEN2)]
    [1, 2]
    """
    tests = [_test(splitter, known) for splitter in splitters]
    return sum(any(cuts(text) for cuts in tests) for text in asking(texts, "the patterns"))


def _test(splitter: Splitter, known: bool) -> Callable[[str], bool]:
    """Whether a splitter cuts a text. A pattern whose first match is the whole text does not."""

    def cuts(text: str) -> bool:
        return len(splitter.split(Segment.of(text), 0, silent)) > 1

    if not known or not isinstance(splitter, RegexSplit):
        return cuts
    search, seen = splitter.regex.search, splitter.stand_ins

    def cuts_by_regex(text: str) -> bool:
        found = search(seen(text))
        return found is not None and (found.end() - found.start() < len(text)) and (found.end() > 0 or cuts(text))

    return cuts_by_regex
