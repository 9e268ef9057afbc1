"""The best path through a lattice, as everybody else asks about it: Unigram's, and PLaMo-2's from the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, cast

from explorer.engine.items import Segment
from explorer.engine.models.lattice_replay import LatticeReplay
from explorer.engine.models.unigram import Unigram, UnigramEvent, UnigramRow
from explorer.engine.results import Stage
from explorer.stages.lattice.question import best_path
from explorer.stages.lattice.story import lattice_script, plamo2_script
from explorer.stages.lattice.why import Paths
from explorer.stages.spelling import Speller
from explorer.stages.stage import DRAWN, Drawing, ModelKind, by_kind, of_stage


def drawing(stage: Stage, segment: Segment, rows: Sequence[tuple[int, UnigramRow]], speller: Speller) -> Drawing | None:
    """The pieces that compete over a text, and the path that wins."""
    text = segment.text
    replay = LatticeReplay(cast(Unigram, stage.part), len(text), rows)
    candidates = [each for at in replay.at.values() for each in at]
    if not any(each.end - each.start > 1 for each in candidates):
        return None
    end, path = len(text), set()
    while end in replay.best:
        path.add((replay.best[end].start, end))
        end = replay.best[end].start
    arcs = sorted({(each.start, each.end, each.token) for each in candidates if each.end <= DRAWN})
    return {
        "kind": "lattice", "leaves": list(text[:DRAWN].replace("▁", "·")),
        "arcs": [[start, end, token, (start, end) in path] for start, end, token in arcs],
    }  # fmt: skip


UNIGRAM: Final = ModelKind(
    title="The best path",
    purpose="Every way to cut the text is a path through a lattice of pieces; the highest sum of scores wins.",
    name="Best path",
    script=of_stage(lattice_script),
    account=Paths,
    clause=lambda model: "takes the best path through a lattice",
    outputs=by_kind(UnigramEvent.TOKEN, UnigramEvent.BYTE),
    sums=True,
    questions={"best-path": best_path},
    drawing=drawing,
)
PLAMO2: Final = replace(
    UNIGRAM,
    title="The best path, from the end",
    purpose=f"{UNIGRAM.purpose} Sums are computed from the right, so the path can be read from the left.",
    script=of_stage(plamo2_script),
    questions={},
    drawing=None,
)
