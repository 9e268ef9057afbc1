"""How well patterns fit a vocabulary: the tokens that a pattern cuts when they stand alone.

A tokenizer that uses the pattern for training merges only within pieces, so its own pattern cuts almost none of its
tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from explorer.engine.items import Segment
from explorer.engine.pre_tokenizers.by_regex import RegexSplit
from explorer.engine.pre_tokenizers.stage import Splitter
from explorer.engine.trace import silent


def texts_of(pieces: Iterable[bytes], most: int = 0) -> list[str]:
    """The pieces that are text of more than one character. most: as many of them, evenly spread; 0 for all.

    >>> texts_of([b"a", b"ab", b"\\xff\\xfe", b"cd"]), texts_of([b"ab", b"cd", b"ef", b"gh"], 2)
    (['ab', 'cd'], ['ab', 'ef'])
    """
    found = []
    for piece in pieces:
        if len(piece) > 1:
            try:
                text = piece.decode()
            except UnicodeDecodeError:
                continue
            if len(text) > 1:
                found.append(text)
    return found[:: -(-len(found) // most)] if most and found else found


def tokens_cut(splitters: Sequence[Splitter], texts: Iterable[str]) -> int:
    """How many texts the splitters, applied in order, cut into more than one piece.

    >>> from explorer.engine.pre_tokenizers.by_regex import RegexSplit
    >>> from explorer.engine.pre_tokenizers.patterns import GPT2, QWEN2
    >>> [tokens_cut([RegexSplit(pattern)], ["12", " it", "a b"]) for pattern in (GPT2, QWEN2)]
    [1, 2]
    """
    return sum(any(cuts(text) for cuts in tests) for tests in [[*map(_test, splitters)]] for text in texts)


def _test(splitter: Splitter) -> Callable[[str], bool]:
    """Whether a splitter cuts a text. A pattern whose first match is the whole text does not."""

    def cuts(text: str) -> bool:
        return len(splitter.split(Segment.of(text), 0, silent)) > 1

    if not isinstance(splitter, RegexSplit):
        return cuts
    search, seen = splitter.regex.search, splitter.stand_ins

    def cuts_by_regex(text: str) -> bool:
        found = search(seen(text))
        return found is not None and (found.end() - found.start() < len(text)) and (found.end() > 0 or cuts(text))

    return cuts_by_regex
