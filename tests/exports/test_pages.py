"""Every file that a page offers states its provenance, and so does its name."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from explorer.cli.main import main
from explorer.implementations.opened import with_pattern
from explorer.ui import PAGES, STYLES, UI
from explorer.ui.compare.tabs import TABS
from explorer.ui.corpus import OWN
from tests.bundled import bundled
from tests.exports.fields import hold
from tests.ui.app import APP

TEXT = "A\u030a <s> l'été|1"
SPECS = ("gpt-2@huggingface", "gpt-2@llama.cpp", "llama-2")
PATTERN = r"\w|\W "
KINDS = {
    "Side by side": "alignment", "Where they part": "parting", "Expected ids": "expected", "What if": "what-if",
    "While typing": "typing", "Languages": "languages",
}  # fmt: skip


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> dict[str, Callable[[], str]]:
    """The offered files by name."""
    found: dict[str, Callable[[], str]] = {}
    button = st.download_button

    def kept(label: str, data: Callable[[], str], file_name: str, *args: Any, **kwargs: Any) -> bool:
        found[file_name] = data
        return button(label, data, file_name, *args, **kwargs)

    monkeypatch.setattr(st, "download_button", kept)
    return found


def opened(page: str, files: dict[str, Callable[[], str]], **state: object) -> AppTest:
    at = AppTest.from_file(APP, default_timeout=120)
    for name, value in state.items():
        at.query_params[name] = value
    at.run()
    if page == "explore":
        at.session_state["section-take-away"] = True  # the expander is open
        at.run()
        assert files
    else:
        files.clear()
        at.switch_page(f"../pages/{page}.py")
        for name, value in state.items():
            at.session_state[name] = value
        at.run()
    assert not at.exception
    return at


def test_every_file_of_the_pages_is_tested_here() -> None:
    """Streamlit's own CSV download of a table, which has no provenance, is not offered."""
    buttons = [path for path in UI.rglob("*.py") for _ in re.findall(r"\bdownload_buttons?\(", path.read_text("utf-8"))]
    # those of Train, of edits and of a cut are a vocabulary in the format of its original, and how it was made
    assert len(buttons) == 20, [path.name for path in buttons]
    styles = (STYLES / "pages.css").read_text("utf-8")
    assert re.search(r'"Download as CSV"[^{]*\{\s*display: none', styles)
    for page in PAGES.glob("*.py"):
        assert "begin_page" in page.read_text("utf-8")


def test_quiz(files: dict[str, Callable[[], str]]) -> None:
    opened("learn", files, quiz="2", seed="3", m="gpt-2", kinds="how-many", texts="a b\n=1+1", card="3")
    ((name, written),) = files.items()
    assert name.startswith("gpt-2@huggingface-quiz")
    header, *rows = csv.reader(io.StringIO(written()))
    assert [row[header.index("quiz_seed")] for row in rows] == ["3", "3"]
    assert {row[header.index("text")] for row in rows} == {"a b", "'=1+1"}, "no formula"
    assert {row[header.index("correct")] for row in rows} == {"False"}
    assert all(row[header.index("right_answer")].isdecimal() for row in rows)


def test_explore(files: dict[str, Callable[[], str]]) -> None:
    opened("explore", files, m="gpt-2", text=TEXT)
    hash = "".join(name for name in files if "trace" in name)[-13:-5]
    assert list(files) == [f"gpt-2@huggingface-tokens-{hash}.csv", f"gpt-2@huggingface-trace-{hash}.json"]
    options = {"add_special": True, "parse_special": True}
    for name, written in files.items():
        hold(name.rpartition(".")[2], written(), [bundled("gpt-2")], TEXT, options)


def test_explore_with_a_custom_pattern(files: dict[str, Callable[[], str]]) -> None:
    opened("explore", files, **{"m": "gpt-2", "as": "llama.cpp", "text": TEXT, "pattern": PATTERN})
    for name, written in files.items():
        assert re.fullmatch(r"gpt-2@llama\.cpp-(tokens|trace)-pattern-[0-9a-f]{8}-[0-9a-f]{8}\.(csv|json)", name)
        made = with_pattern(bundled("gpt-2@llama.cpp"), PATTERN)
        hold(name.rpartition(".")[2], written(), [made], TEXT, {"add_special": True})


@pytest.mark.parametrize(
    ("asked", "kind", "whole"),
    [
        ({"border": "2"}, "boundary", True),
        ({"border": "2", "between": "Ids in these ids", "find": "[25, 198]"}, "boundary", True),
        ({"border": "2", "between": "A stop string", "stop": "Human:"}, "boundary", False),
        ({"sample": "many", "draws": "5"}, "sampling", True),
    ],
)
def test_what_is_beside_the_stages(
    asked: dict[str, str], kind: str, whole: bool, files: dict[str, Callable[[], str]]
) -> None:
    opened("explore", files, m="gpt-2", text=TEXT, **asked)
    beside = {name: written for name, written in files.items() if kind in name}
    assert beside
    for name, written in beside.items():
        assert name.startswith("gpt-2@huggingface-")
        hold(name.rpartition(".")[2], written(), [bundled("gpt-2")], TEXT if whole else None, {"add_special": False})


def test_a_round_trip_of_ids(files: dict[str, Callable[[], str]]) -> None:
    at = AppTest.from_file(APP, default_timeout=120)
    for name, value in {"m": "gpt-2", "ids": "[54, 5183]", "stage": "again"}.items():
        at.query_params[name] = value
    at.run()
    assert not at.exception
    ((name, written),) = ((name, written) for name, written in files.items() if "roundtrip" in name)
    assert name.startswith("gpt-2@huggingface-")
    hold("json", written(), [bundled("gpt-2")], None, {})


@pytest.mark.long
@pytest.mark.parametrize("question", TABS)
def test_compare(question: str, files: dict[str, Callable[[], str]]) -> None:
    opened("compare", files, view=question, text=TEXT, expect="1 1724", addspecial=False, **{"with": list(SPECS)})
    toks = [bundled(spec) for spec in SPECS]
    made = {"Side by side": toks, "Languages": toks, "Where they part": toks[:2]}.get(question, toks[:1])
    text = None if question == "Languages" else TEXT
    options = {"add_special": False, "parse_special": True}
    assert [name.rpartition(".")[2] for name in files] == ["json", "csv", "md"]
    for name, written in files.items():
        assert KINDS[question] in name
        assert ("-no-add-special-" in name) == (text is not None)
        assert all(f"{tok.name}@{tok.implementation}" in name for tok in made[:2])
        hold(name.rpartition(".")[2], written(), made, text, options)


def test_vocabulary(files: dict[str, Callable[[], str]]) -> None:
    opened("vocabulary", files, m="rwkv-world", q="token")
    assert list(files) == ["rwkv-world@rwkv-vocabulary.csv", "rwkv-world@rwkv-vocabulary.json"]
    for name, written in files.items():
        hold(name.rpartition(".")[2], written(), [bundled("rwkv-world")], None, {})
        assert "token" in written()


def test_corpus(files: dict[str, Callable[[], str]], tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Good morning\n")
    out = tmp_path / "out.json"
    asked = ["corpus", "-m", "gpt-2", "-m", "gpt-2@llama.cpp", str(tmp_path / "a.txt")]
    assert main([*asked, "--output", str(out)]) == 0
    assert main([*asked, "--output", str(tmp_path / "out.csv")]) == 0
    at = opened("corpus", files)
    at.selectbox(key="result").set_value(OWN).run()
    at.file_uploader(key="corpus_file").set_value([("out.json", out.read_bytes(), "application/json")]).run()
    at.session_state["part"] = "All numbers"
    at.run()
    assert not at.exception
    ((name, written),) = files.items()
    shown = r"gpt-2@huggingface\+gpt-2@llama\.cpp-corpus-[0-9a-f]{8}\.csv"
    assert re.fullmatch(shown, name)
    toks = [bundled("gpt-2"), bundled("gpt-2@llama.cpp")]
    hold("csv", written(), toks, None, {"add_special": False, "parse_special": False})
    there = pd.read_csv(tmp_path / "out.csv")
    pd.testing.assert_frame_equal(pd.read_csv(io.StringIO(written())), there, check_dtype=False)
