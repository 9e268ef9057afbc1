"""Every bundled model under each of its implementations, with every preset: the page shows the engine's ids."""

from __future__ import annotations

import json

import pytest
from streamlit.testing.v1 import AppTest

import explorer
from explorer.ui import SCRIPT
from explorer.views.examples import PRESETS
from tests.bundled import bundled
from tests.ui.app import sent_to

RUNS = [(model.name, runs) for model in explorer.catalog().values() for runs in model.implementations]
APP = SCRIPT


@pytest.mark.long
@pytest.mark.parametrize(("name", "implementation"), RUNS)
def test_every_preset_opens_and_shows_the_engines_ids(name: str, implementation: str) -> None:
    tok = bundled(name, implementation)
    for preset in PRESETS:
        at = AppTest.from_file(APP, default_timeout=60)
        for key, value in (("m", name), ("as", implementation), ("text", preset.text)):
            at.query_params[key] = value
        at.run()
        assert not at.exception, preset.label
        sent = (sent_to(each) for each in at.get("bidi_component"))
        tops = [data for data in sent if isinstance(data.get("ids"), str)]
        assert json.loads(tops[0]["ids"]) == tok.encode(preset.text).ids, preset.label


@pytest.mark.long
def test_every_model_can_be_chosen_on_the_page() -> None:
    at = AppTest.from_file(APP, default_timeout=60).run()
    for name, implementation in RUNS:
        at.selectbox(key="m").set_value(name).run()
        assert not at.exception, name
        at.selectbox(key="as").set_value(implementation).run()
        assert not at.exception, (name, implementation)
