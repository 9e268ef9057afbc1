"""Normalization, as everybody else asks about it."""

from __future__ import annotations

from typing import Final

from explorer.stages.normalizers.finding import finder
from explorer.stages.normalizers.result import normalize_result
from explorer.stages.normalizers.story import normalization_script
from explorer.stages.results import normalized
from explorer.stages.stage import StageKind, of_stage

NORMALIZE: Final = StageKind(
    title="Normalization",
    purpose="The text is rewritten before it is cut.",
    name="Normalize",
    script=of_stage(normalization_script),
    count=normalized,
    result=normalize_result,
    finder=finder,
)
