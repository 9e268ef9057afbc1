"""Pieces with ids, scores and kinds, in the order of a `.model` file: `Serialize` of `trainer_interface.cc`.

Special pieces have their ids; the learned ones fill the gaps, in order. A learned piece has the score minus its number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from explorer.errors import InputError
from explorer.training.sentencepiece.options import Options
from explorer.training.training import Learned
from explorer.vocabulary import PieceKind


def model(
    learned: Sequence[tuple[str, float]],
    special: Mapping[int, tuple[str, PieceKind]],
    options: Options,
    symbols: Sequence[str] = (),
    merges: Sequence[tuple[int, int, int]] = (),
) -> Learned[str]:
    """The model. Raises InputError where a piece comes twice, or there are fewer pieces than asked.

    learned: pieces with their scores, the best first.

    >>> model([("a", 0.0)], {0: ("<unk>", PieceKind.UNKNOWN)}, Options(vocab_size=2)).tokens
    ('<unk>', 'a')
    """
    tokens: list[str] = []
    scores: list[float] = []
    kinds: list[PieceKind] = []
    left = iter(learned)
    for id in range(options.vocab_size):
        if id in special:
            text, kind = special[id]
            if len(tokens) != id:
                raise InputError(
                    f"the special piece {text!r} has the id {id}, and only {len(tokens)} pieces come before it; choose "
                    "a lower id"
                )
            score = 0.0
        else:
            found = next(left, None)
            if found is None:
                continue
            (text, score), kind = found, PieceKind.NORMAL
        tokens.append(text)
        scores.append(score)
        kinds.append(kind)
    if len(set(tokens)) < len(tokens):
        twice = next(text for at, text in enumerate(tokens) if text in tokens[:at])
        raise InputError(f"the piece {twice!r} is special and learned as well; give the special one another spelling")
    if options.hard_vocab_limit and len(tokens) < options.vocab_size:
        raise InputError(
            f"vocab_size is {options.vocab_size}, and this corpus gives {len(tokens)} pieces; choose {len(tokens)} or "
            "less, or hard_vocab_limit=False"
        )
    return Learned(tuple(symbols), tuple(tokens), tuple(merges), tuple(scores), tuple(sorted(special)), tuple(kinds))
