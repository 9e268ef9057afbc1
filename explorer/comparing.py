"""`explorer.compare`: compares two tokenizers on one text."""

from __future__ import annotations

from pathlib import Path

from explorer.analysis.divergence.comparer import compare as compared
from explorer.analysis.divergence.result import Comparison
from explorer.analysis.run import runs
from explorer.implementations.opened import Opened
from explorer.opening.catalog import load


def compare(
    left: str | Path | Opened,
    right: str | Path | Opened,
    text: str,
    *,
    add_special: bool = True,
    parse_special: bool = True,
) -> Comparison:
    """Where two tokenizers differ on a text, at which stage first, and why.

    left, right: tokenizers, or what `explorer.load` takes. Raises InputError as `load` and `encode` do.

    >>> import explorer
    >>> found = explorer.compare("qwen2.5", "qwen2.5@llama.cpp", text="A\\u030angstrom")
    >>> found.same, found.first.stage, found.kind.value
    (False, 'normalize', 'composition')
    >>> found.sentence
    'normalize, characters 1 to 2: Hugging Face composes A + U+030A to Å (NFC); llama.cpp leaves two code points.'
    """
    sides = [each if isinstance(each, Opened) else load(each) for each in (left, right)]
    return compared(*runs(sides, text, add_special=add_special, parse_special=parse_special))
