"""The Corpus page run in Python: no result, the server's results, and uploads, valid and invalid."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from explorer.cli.main import main
from explorer.ui.corpus import controls as corpus_results
from tests.ui.app import APP, html_of

PAGE = "../pages/corpus.py"
TEXTS = (
    '{"text": "Good morning", "lang": "en"}\n{"text": "Guten Morgen", "lang": "de"}\n{"text": "早上好", "lang": "zh"}'
)


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("results")
    for name in ("one", "two"):
        (folder / f"{name}.jsonl").write_text(TEXTS)
    out = folder / "mine.json"
    assert main(["corpus", "-m", "gpt-2", "-m", "llama-2", str(folder), "--label", "lang", "--baseline", "en",
                 "--output", str(out)]) == 0  # fmt: skip
    return out


def page() -> AppTest:
    at = AppTest.from_file(APP, default_timeout=60).run()
    at.switch_page(PAGE).run()
    assert not at.exception
    return at


def test_without_a_result_the_page_shows_the_command() -> None:
    at = page()
    assert "python -m explorer corpus" in at.code[0].value
    assert not at.dataframe


def test_an_uploaded_result_is_shown(result: Path) -> None:
    at = page()
    at.file_uploader[0].set_value([("mine.json", result.read_bytes(), "application/json")]).run()
    assert not at.exception
    assert [each.value for each in at.header] == [
        "By label", "By file", "All numbers", "Document lengths", "Most frequent tokens"
    ]  # fmt: skip
    assert at.dataframe[0].value["tokenizer"].tolist() == ["GPT-2", "Llama 2"]
    assert at.selectbox(key="corpus_labels").value == "parity"
    for name in at.selectbox(key="corpus_bars").options:
        at.selectbox(key="corpus_bars").set_value(name).run()
        assert not at.exception
    at.session_state["corpus_rows"] = "Labels"
    at.run()
    assert not at.exception
    assert set(at.dataframe[0].value["name"]) == {"de", "en", "zh"}
    at.selectbox(key="corpus_frequent").set_value("Llama 2").run()
    assert not at.exception


def test_results_on_the_server_are_chosen_by_name(result: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = ("--corpus", str(result), "--corpus", str(result.with_name("none.json")))
    monkeypatch.setattr(corpus_results, "app_arguments", lambda: given)
    at = page()
    assert at.selectbox(key="result").options == ["mine.json", "none.json", corpus_results.OWN]
    assert at.dataframe[0].value["tokenizer"].tolist() == ["GPT-2", "Llama 2"]
    at.selectbox(key="result").set_value("none.json").run()
    assert not at.exception
    assert "none.json: cannot be read (No such file or directory)" in html_of(at)
    assert str(result.parent) not in html_of(at)


@pytest.mark.parametrize("data", [b"", b"{}", b"\x00\xff", b'{"format": "tokenizer-explorer corpus 1"}', b"[" * 9_999])
def test_an_invalid_file_is_one_error(data: bytes) -> None:
    at = page()
    at.file_uploader[0].set_value([("<b>mine</b>.json", data, "application/json")]).run()
    assert not at.exception
    html = html_of(at)
    assert 'role="alert"' in html
    assert "<b>mine" not in html
    assert at.code, "and the command is shown"


def test_an_empty_corpus_works(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"")
    out = tmp_path / "out.json"
    assert main(["corpus", "-m", "gpt-2", str(tmp_path / "a.txt"), "--output", str(out)]) == 0
    at = page()
    at.file_uploader[0].set_value([("out.json", out.read_bytes(), "application/json")]).run()
    assert not at.exception
    assert "no tokens" in at.info[0].value
