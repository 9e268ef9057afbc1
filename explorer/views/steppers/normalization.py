"""The script of a normalize stage, by the type of its events."""

from __future__ import annotations

from explorer.engine.normalizers.charsmap.rows import CharsmapRow
from explorer.engine.results import Stage
from explorer.views.steppers.charsmap_script import charsmap_script
from explorer.views.steppers.normalize_script import normalize_script
from explorer.views.steppers.script import Script
from explorer.views.window import Window
from explorer.vocabulary import Vocabulary


def normalization_script(stage: Stage, vocabulary: Vocabulary, window: Window) -> Script:
    """The script for a normalize stage, within a window."""
    write = charsmap_script if stage.part.row is CharsmapRow else normalize_script
    return write(stage, vocabulary, window)
