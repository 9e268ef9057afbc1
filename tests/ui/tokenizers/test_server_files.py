"""Files on the server: those of the command line, and those of a folder."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import explorer
from explorer.opening import sources
from explorer.ui.tokenizers import server
from tests.ui.app import html_of, labels, page, tokens_of
from tests.ui.small_files import MERGES_TXT, OTHER, SMALL, VOCAB_JSON


@pytest.fixture(autouse=True)
def _no_cached_files() -> Iterator[None]:
    yield
    server.find_server_files.cache_clear()


def page_with(monkeypatch: pytest.MonkeyPatch, *arguments: object, folder: object = "") -> AppTest:
    """The page of an app started with these arguments and this folder."""
    monkeypatch.setattr(sys, "argv", [str(sources.APP), *map(str, arguments)])
    monkeypatch.setenv(server.FOLDER, str(folder))
    return page(text="abc ab")


def test_files_of_the_command_line_are_offered(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "tokenizer.json").write_bytes(SMALL)
    at = page_with(
        monkeypatch, "--tokenizer", tmp_path / "one" / "tokenizer.json", f"--tokenizer={tmp_path}/two/tokenizer.json"
    )
    assert labels(at)[-2:] == ["tokenizer.json", "tokenizer.json #2"]
    at.selectbox(key="m").set_value("tokenizer.json").run()
    assert not at.exception
    assert tokens_of(at) == [4, 3]
    assert "lives in this session" not in " ".join(each.value for each in at.caption)
    linked = page(m="tokenizer.json #2", text="ab")
    assert tokens_of(linked) == [3], "a link to a file of the server opens for everybody"


def test_a_folder_offers_valid_files_and_lists_the_others(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    secret = tmp_path / "secret.json"
    secret.write_bytes(SMALL)
    folder = tmp_path / "vocabs"
    (folder / "deep" / ".hidden").mkdir(parents=True)
    (folder / "good.json").write_bytes(SMALL)
    (folder / "deep" / "also good.json").write_bytes(OTHER)
    (folder / "deep" / ".hidden" / "x.json").write_bytes(SMALL)
    (folder / "config.json").write_bytes(b"{}")
    (folder / "vocab.json").write_bytes(VOCAB_JSON)
    (folder / "merges.txt").write_bytes(MERGES_TXT)
    (folder / "notes.md").write_bytes(b"notes")
    (folder / "broken <b>.gguf").write_bytes(b"\x00\x01\x02\x03")
    (folder / "gpt-2.json").symlink_to(secret)
    (folder / "gone.json").symlink_to(folder / "nowhere.json")
    at = page_with(monkeypatch, folder=folder)
    assert not at.exception
    assert labels(at)[len(explorer.catalog()) :] == ["good.json", "vocab.json", "deep/also good.json"]
    html = html_of(at)
    assert "broken &lt;b&gt;.gguf" in html
    assert "gone.json" in html
    assert "merges.txt" not in html, "it belongs to the vocab.json"
    assert "gpt-2.json" not in html
    assert str(tmp_path) not in html, "visitors see no paths of the server"
    (folder / "good.json").write_bytes(SMALL[:-30])
    at.selectbox(key="m").set_value("good.json").run()
    assert not at.exception
    assert "good.json" in html_of(at)
    assert str(tmp_path) not in html_of(at)


def test_a_folder_of_a_model_is_one_tokenizer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    models = tmp_path / "models"
    for name in ("one", "two", "led out"):
        (models / name).mkdir(parents=True)
        (models / name / "tokenizer.json").write_bytes(SMALL)
        (models / name / "tokenizer_config.json").write_bytes(b"{}")
    (models / "two" / "tokenizer.json").write_bytes(b"broken")
    (models / "one" / "vocab.json").write_bytes(VOCAB_JSON)
    (models / "one" / "config.json").write_bytes(b'{"vocab_size": 99}')
    (tmp_path / "secret.json").write_bytes(b'{"bos_token": "secret"}')
    (models / "led out" / "special_tokens_map.json").symlink_to(tmp_path / "secret.json")
    at = page_with(monkeypatch, folder=models)
    assert not at.exception
    assert labels(at)[len(explorer.catalog()) :] == ["one"]
    assert "two" in html_of(at)
    assert str(tmp_path) not in html_of(at)
    assert tokens_of(page(m="one", text="abc ab")) == [4, 3]
    alone = page_with(monkeypatch, "--tokenizer", models / "one")
    assert labels(alone)[-1] == "one"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--tokenizer"], "--tokenizer PATH"),
        (["--tokeniser", "x"], "is not known"),
        (["--tokenizer", "."], "EXPLORER_TOKENIZERS"),
        (["--tokenizer", "/nowhere/x.json"], "no such file"),
    ],
)
def test_wrong_arguments_are_reported(monkeypatch: pytest.MonkeyPatch, arguments: list[str], says: str) -> None:
    at = page_with(monkeypatch, *arguments)
    assert not at.exception
    assert says in html_of(at)
    assert labels(at) == list(explorer.catalog())


def test_a_missing_folder_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_bytes(SMALL)
    for folder in (file, tmp_path / "nowhere"):
        at = page_with(monkeypatch, folder=folder)
        assert not at.exception
        assert server.FOLDER in html_of(at)
