"""Exports of samples, of their distribution, and of n-best lists."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from explorer.analysis.export import Export, Provenance, Record
from explorer.analysis.sampling import Candidate, Distribution, Drawn, Sample
from explorer.engine.part import Options
from explorer.implementations.opened import Opened


def sampling_export(
    tokenizer: Opened, text: str, draw: Callable[[], Sample | Distribution], options: Mapping[str, bool]
) -> Export:
    """A sample with what was drawn, or a distribution, as JSON. draw: makes it, once the export is written."""

    def body() -> Record:
        found = draw()
        shared = {"alpha": found.alpha, "seed": found.seed, "rule": found.rule}
        if isinstance(found, Sample):
            return shared | {"ids": found.ids, "pieces": found.pieces, "drawn": list(map(_drawn, found.drawn))}
        ways = [way._asdict() for way in found.ways]
        return shared | {
            "samples": found.samples,
            "total": found.total,
            "complete": found.complete,
            "usual": list(found.usual),
            "ways": ways,
        }

    return Export("sampling", Provenance.of([tokenizer], text, Options(**options)), body)


def nbest_export(
    tokenizer: Opened, text: str, best: Callable[[], Sequence[Candidate]], options: Mapping[str, bool]
) -> Export:
    """An n-best list as JSON. best: makes it, once the export is written."""

    def body() -> Record:
        return {"candidates": [each._asdict() for each in best()]}

    return Export("nbest", Provenance.of([tokenizer], text, Options(**options)), body)


def _drawn(drawn: Drawn) -> Record:
    choices = [
        {
            "number": None if len(choice.options) == 1 else choice.number,
            "chosen": choice.chosen,
            "options": [
                {"start": edge.start, "end": edge.end, "id": edge.token, "score": edge.score, "chance": chance}
                for edge, chance in choice.options
            ],
        }
        for choice in drawn.choices
    ]
    picks = [
        {"left": pick.left, "bytes": pick.text.hex(), "number": pick.number, "verdict": str(pick.verdict)}
        for pick in drawn.picks
    ]
    return {"text": drawn.text, "choices": choices, "picks": picks}
