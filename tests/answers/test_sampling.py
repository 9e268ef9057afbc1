"""What a page refuses to draw: more characters than it has the time for."""

from __future__ import annotations

import pytest

from explorer.answers.explore import ONE, Request, WaysRequest, draw_script, ways_view
from explorer.answers.offers import TokenizerSpec, bundled
from explorer.errors import InputError

SPEC = TokenizerSpec(bundled()["gpt-2"], "huggingface")


def test_a_draw_that_many_others_go_before_is_refused_for_a_long_text() -> None:
    far = WaysRequest(ONE, draw="10000")
    assert draw_script(Request(SPEC, "ab"), far)
    with pytest.raises(InputError, match="100 or fewer"):
        draw_script(Request(SPEC, "ab" * 500), far)


def test_many_draws_of_a_long_text_are_refused() -> None:
    assert "100 or fewer" in str(ways_view(Request(SPEC, "ab" * 500), WaysRequest(draws="1000"))["error"])
