"""The script of character and word models ends with the model's tokens, for any window."""

from __future__ import annotations

import pytest

from explorer.formats.sentencepiece_model import read
from explorer.implementations.sentencepiece import from_model
from explorer.script.script import window_of
from explorer.stages.decoders.losses import round_trip
from explorer.stages.lookup import LookupScript
from explorer.views.overview import sections
from tests.originals.generators import strings
from tests.originals.sentencepiece import edited, trained
from tests.views.replays import play, put_out, tokens_of


@pytest.mark.parametrize("model_type", ["char", "word"])
@pytest.mark.parametrize("settings", [{}, {"byte_fallback": True, "treat_whitespace_as_suffix": True}])
def test_the_script_ends_with_the_tokens(model_type: str, settings: dict[str, bool]) -> None:
    tok = from_model(read(edited(trained(model_type, **settings), every=5)), "toy")
    for text in ["", " ", "the cat ☃☃ sat", *strings(seed=12, count=40)]:
        trace = tok.trace(text)
        found = {section.key: section for section in sections(tok, trace, round_trip(tok, trace), window_of(trace))}
        script = found["model"].script
        assert script is not None
        assert put_out(play(script)) == tokens_of(trace.stage("model").after)


def test_a_window_draws_its_units_only() -> None:
    tok = from_model(read(trained("char")), "toy")
    trace = tok.trace("the cat sat " * 50)
    script = LookupScript.of(trace.stage("model"), tok.vocabulary, window_of(trace, 100, 50))
    assert len(script) == 50
    assert len(script.data["tracks"][0]["cells"]) == 50
