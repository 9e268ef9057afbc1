"""What holds for the events of any Unigram training."""

from __future__ import annotations

import math
from collections import Counter

from explorer.training.training import Training, UnigramState, UnigramTrain, real


def check_unigram_events(training: Training[str]) -> UnigramState:
    """A replay gives the vocabulary; pieces are dropped once; the probabilities of an estimate add up to 1 nearly."""
    learned, state = training.learned, UnigramState()
    dropped: Counter[int] = Counter()
    pieces = 0
    for row in training.events:
        was = len(state.scores)
        state.apply(row)
        if len(state.scores) < was:
            dropped[row.a] += 1
        if row.kind == UnigramTrain.ROUND:
            pieces = row.b
            assert len(state.scores) == pieces
            assert sum(map(math.exp, state.scores.values())) < 1.001
        elif row.kind == UnigramTrain.STOP:
            assert row.a <= row.b
        elif row.kind == UnigramTrain.LIKELIHOOD:
            assert row.b == len(state.scores)
            assert real(row.n) < 1e-3
    assert max(dropped.values(), default=1) == 1
    floors = {chr(row.a): real(row.n) for row in training.events if row.kind == UnigramTrain.REQUIRED}
    """characters that were dropped and have to be pieces"""
    spelled = {learned.symbols[piece]: score for piece, score in state.scores.items()} | floors
    ordinary = [id for id in range(len(learned.tokens)) if id not in learned.special]
    assert {learned.tokens[id]: learned.scores[id] for id in ordinary} == spelled
    for row in training.events:
        if row.kind == UnigramTrain.TOKEN:
            assert (learned.tokens[row.b], learned.scores[row.b]) == (learned.symbols[row.a], real(row.n))
    return state
