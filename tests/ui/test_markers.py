"""The markers of well-known templates, as other vocabularies have them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from explorer.analysis.vocabulary.reach import tokens_elsewhere
from explorer.opening.catalog import catalog
from explorer.prompts.findings import MARKER
from explorer.prompts.templates import own_templates
from explorer.tables import read_toml
from explorer.ui import prompt
from tests.bundled import bundled

TABLE: Mapping[str, Any] = read_toml(prompt.__file__, "markers.toml")


@pytest.mark.sample(5)
@pytest.mark.parametrize("model", TABLE["models"])
def test_each_number_is_what_the_vocabulary_makes_of_the_marker(model: str) -> None:
    at = [*TABLE["models"]].index(model)
    counted = {mark: len(tokens_elsewhere(mark, bundled(model))) for mark in TABLE["tokens"]}
    assert counted == {mark: counts[at] for mark, counts in TABLE["tokens"].items()}
    assert TABLE["models"][model] == catalog()[model].title


def test_the_markers_of_our_templates_are_among_them() -> None:
    ours = {mark for each in own_templates().values() for mark in MARKER.findall(each.source)}
    assert ours
    assert ours <= TABLE["tokens"].keys()
