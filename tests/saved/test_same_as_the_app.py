"""A saved page plays what the app plays: for every bundled tokenizer, its tokens, the scripts of all stages, Why."""

from __future__ import annotations

import json
from base64 import b64decode
from typing import Any

import pytest

from explorer.answers.explore import Request, explore_view, section_view, why_of
from explorer.answers.learn import spec_of
from explorer.answers.saved import explore_file
from explorer.engine.part import Options
from explorer.languages import phrases
from explorer.opening.catalog import catalog
from explorer.script.script import unpack
from tests.saved.test_page import Read, unpacked

TEXT = "Ångström 🤗 isn't <s> LoRA\u202e 3.14"
EVERY = [(name, each) for name, model in catalog().items() for each in model.implementations]


@pytest.mark.parametrize(("model", "implementation"), EVERY, ids=["-".join(each) for each in EVERY])
@pytest.mark.sample(3)
def test_each_stage_of_every_tokenizer_is_what_the_app_shows(model: str, implementation: str) -> None:
    request = Request(spec_of(model, implementation), TEXT, Options())
    saved = json.loads(Read(explore_file(request, 0, False, "")[1]).scripts["application/json"])
    sections = saved["sections"]
    assert sections
    for key, section in sections.items():
        shown = section_view(request, 0, key, False)
        assert section["title"] == shown.title
        assert (section["script"] is None) == (shown.script is None)
        if shown.script is not None:
            assert unpack(b64decode(section["script"])) == unpack(shown.script), key
    view = explore_view(request, 0, "model")
    assert saved["overview"]["tokens"] == loaded(view.top.tokens)
    cards = unpacked(saved["whys"])
    assert cards
    for name, card in cards.items():
        kind, number = name.split()
        assert card == loaded(phrases("en").data(why_of(request, 0, False, kind == "cut", int(number)))), name


def loaded(value: object) -> Any:
    """A value as the browser has it."""
    return json.loads(json.dumps(value))
