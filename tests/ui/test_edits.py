"""The edits on the Vocabulary page, run in Python: the list, undo, the files, and the way to Explore."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from explorer.editing import edits as e
from explorer.editing import edits as edits_file
from explorer.editing.replay import replay
from explorer.opening.formats import open_bytes
from explorer.opening.sources import VOCABS
from explorer.ui import PAGES
from explorer.ui.vocabulary.edits import TEXT
from tests.bundled import bundled
from tests.meaning import mentions
from tests.ui.app import APP, data_of

NAME = "bert-uncased"


def said(at: AppTest) -> str:
    return " ".join(each.proto.body for each in at.get("html"))


def press(at: AppTest, key: str) -> AppTest:
    at.button(key=key).click().run()
    assert not at.exception
    return at


def counts_of(at: AppTest) -> list[int]:
    """How many tokens the text has before and after the edits, as the rows at the top have it."""
    return [row["tokens"] for row in json.loads(data_of(at, "rows_id")["rows"])["rows"]]


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The files that are offered, by name."""
    found: dict[str, Any] = {}
    button: Callable[..., bool] = st.download_button

    def kept(label: str, data: Any, file_name: str, *args: Any, **kwargs: Any) -> bool:
        found[file_name] = data
        return button(label, data, file_name, *args, **kwargs)

    monkeypatch.setattr(st, "download_button", kept)
    return found


@pytest.mark.long
def test_edits_are_listed_undone_saved_and_opened(offered: dict[str, Any]) -> None:
    at = AppTest.from_file(APP, default_timeout=120)
    at.run()
    for name, value in {"m": NAME, "edit": "true", "token": "2652"}.items():
        at.query_params[name] = value
    at.switch_page(str(PAGES / "vocabulary.py")).run()
    assert not at.exception
    at.text_input(key="edit 0 add-token text").set_value("<b>x</b>")
    press(at, "add edit")
    assert mentions(said(at), "1. Add the token “&lt;b&gt;x&lt;/b&gt;”"), "a token is no markup"
    at.text_input(key="edits text").set_value("a <b>x</b> playing").run()
    before, after = (len(tok.encode("a <b>x</b> playing", add_special=False)) for tok in (
        bundled(NAME), open_bytes(replay((VOCABS / "bert-uncased.tokenizer.json").read_bytes(),
                                         [e.AddToken("<b>x</b>")], "x").data, "x", None)))  # fmt: skip
    assert counts_of(at) == [before, after]
    at.selectbox(key="edit 1 kind").set_value("remove").run()
    (field,) = (each for each in at.text_area if each.label == "Tokens")
    field.set_value("playing")
    press(at, "add edit")
    edits = (e.AddToken("<b>x</b>"), e.Remove(("playing",)))
    written = next(data for name, data in offered.items() if name == f"{NAME}-edits.toml")
    assert edits_file.read(written.encode(), "x") == edits
    assert f"# Edits of {NAME}@huggingface, sha256 " in written
    saved = json.loads(offered[f"{NAME}, edited here.json"])
    base = (VOCABS / "bert-uncased.tokenizer.json").read_bytes()
    assert saved == json.loads(replay(base, edits, "x").data)
    press(at, "undo edit")
    press(at, "remove selected")
    assert "2. Remove id 2652" in said(at)
    press(at, "remove edit 1")
    assert "Remove id" not in said(at)
    at.selectbox(key="edit 1 kind").set_value("remove").run()
    (field,) = (each for each in at.text_area if each.label == "Tokens")
    field.set_value("neverever")
    press(at, "add edit")
    assert "Not done." in said(at)
    assert mentions(said(at), "“neverever” is not in the vocabulary")
    press(at, "edited to explore")
    assert at.session_state["m"].startswith(f"{NAME}, edited here.json (")


@pytest.mark.parametrize("name", ["gpt-2", "llama-2", "rwkv-world"])
@pytest.mark.sample(1)
def test_edit_opens_with_what_one_edit_does_to_a_text(name: str) -> None:
    at = AppTest.from_file(APP, default_timeout=120)
    at.run()
    for key, value in {"m": name, "edit": "true"}.items():
        at.query_params[key] = value
    at.switch_page(str(PAGES / "vocabulary.py")).run()
    assert not at.exception
    before, after = counts_of(at)
    assert before == len(bundled(name).encode(TEXT, add_special=False))
    assert 0 < after < before
    assert not [each for each in at.button if each.key == "edited to explore"], "an example is no edit of the visitor's"
    at.text_input(key="edits text").set_value("the of").run()
    assert not at.exception
    with pytest.raises(AssertionError):
        data_of(at, "rows_id")  # each word is a token, so there is nothing to show


def test_a_link_adds_tokens_once() -> None:
    at = AppTest.from_file(APP, default_timeout=120)
    at.run()
    for name, value in {"m": NAME, "edit": "true", "add": ["<|a|>", "<|b|>"]}.items():
        at.query_params[name] = value
    at.switch_page(str(PAGES / "vocabulary.py")).run()
    assert not at.exception
    for number, token in enumerate("ab", 1):
        assert mentions(said(at), f"{number}. Add the special token “&lt;|{token}|&gt;”")
    press(at, "undo edit")
    press(at, "undo edit")
    assert "Add the special token" not in said(at)
