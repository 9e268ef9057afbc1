"""Every bundled model in a real browser: no console message, and the stepper ends with the final ids.

Each model takes every fourth preset, starting one later than the model before; tests/ui/test_models.py takes all of
them, without a browser.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

import explorer
from explorer.views.examples import PRESETS
from tests.browser.conftest import Explorer
from tests.bundled import bundled

pytestmark = [pytest.mark.browser, pytest.mark.long]


@pytest.mark.rest
@pytest.mark.parametrize(("index", "name"), list(enumerate(explorer.catalog())))
def test_the_stepper_reaches_the_final_ids(visit: Callable[..., Explorer], index: int, name: str) -> None:
    tok = bundled(name)
    page = visit().open(m=name)
    for preset in PRESETS[index % 4 :: 4]:
        page.field.fill(preset.text)
        page.page.wait_for_timeout(120)
        page.settle()
        tokens = tok.encode(preset.text).tokens
        assert page.shows([token.id for token in tokens]), preset.label
        if page.step[1]:
            page.focus_stepper()
            page.page.keyboard.press("End")
        assert page.at_end(), preset.label
        assert page.puts_out([token.id for token in tokens if token.start >= 0]), preset.label
        assert page.page.locator('[data-testid="stException"]').count() == 0, preset.label
