"""The Corpus page run in Python: no result, the server's results, and uploads, valid and invalid."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from time import sleep

import pytest
from streamlit.testing.v1 import AppTest

from explorer.answers.offers import Upload
from explorer.cli.main import main
from explorer.ui import corpus as corpus_results
from explorer.ui.frame import session_key
from explorer.ui.tokenizers.chooser import Pending, Uploads
from explorer.ui.tokenizers.server import ServerArguments
from tests.meaning import mentions
from tests.ui.app import APP, data_of, html_of
from tests.ui.small_files import SMALL

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


def own(at: AppTest) -> AppTest:
    """The page with the field for an own text open."""
    return at.button(key="corpus_count").click().run()


def count(at: AppTest) -> AppTest:
    """Presses the button that counts."""
    return next(each for each in at.button if each.label == "Count").click().run()


def part(at: AppTest, name: str) -> AppTest:
    """The page on another tab."""
    at.session_state["part"] = name
    return at.run()


def file_page() -> AppTest:
    """The page with the field for a result from a file."""
    return page().selectbox(key="result").set_value(corpus_results.OWN).run()


def wait(at: AppTest) -> None:
    """Runs the page until its job is done."""
    for _ in range(200):
        assert not at.exception
        if "corpus_job" not in at.session_state:
            break
        sleep(0.2)
        at.run()


def test_the_page_begins_with_the_sample_and_shows_the_command() -> None:
    at = page()
    assert at.selectbox(key="result").value == corpus_results.SAMPLE
    assert "python -m explorer corpus" in own(at).code[0].value
    part(at, "All numbers")
    whole = at.dataframe[0].value
    assert whole["tokenizer"].tolist()[0] == "GPT-2"
    assert not {"name", "documents"} & set(whole.columns), "the same in each row"
    at.session_state["only"] = ["Llama 3"]
    at.run()
    assert at.dataframe[0].value["tokenizer"].tolist() == ["Llama 3"]
    assert at.dataframe[0].value["tokens"].tolist() == whole["tokens"][whole["tokenizer"] == "Llama 3"].tolist()


@pytest.mark.long
def test_two_results_stand_side_by_side(result: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus_results, "app_arguments", lambda: ServerArguments(results=(str(result),)))
    at = part(page(), "Whole text")
    at.selectbox(key="corpus_beside").set_value(corpus_results.SAMPLE).run()
    assert not at.exception
    table = at.dataframe[0].value
    assert table["name"].tolist() == ["mine.json"] * 2 + [corpus_results.SAMPLE] * 10
    made = {
        (name, label): tokens for name, label, tokens in zip(table.name, table.tokenizer, table.tokens, strict=True)
    }
    assert made[corpus_results.SAMPLE, "GPT-2"] == 654_375
    assert made["mine.json", "GPT-2"] == 22


def test_a_paper_takes_the_table_and_the_methods() -> None:
    at = part(page(), "For a paper")
    assert not at.exception
    latex, methods = (each.value for each in at.code)
    assert latex.count("Fertility") == 1
    assert "toprule" in latex
    assert "1,432 documents" in methods
    at.multiselect(key="corpus_paper_keys").set_value(["premium"]).run()
    at.segmented_control(key="corpus_paper_form").set_value("Markdown").run()
    heading, _, first, *_ = at.code[0].value.splitlines()
    assert heading.split("|")[1:-1] == ["  ", " Premium "]
    assert "GPT-2" in first
    assert "5.79" in first


def test_a_typed_text_is_counted_and_its_result_is_shown() -> None:
    at = own(page())
    at.text_area(key="corpus_typed").set_value("Hello Hello\nHello")
    at.multiselect(key="models").set_value(["gpt-2@huggingface"])
    count(at)
    wait(at)
    assert at.selectbox(key="result").value == "typed text.txt"
    part(at, "All numbers")
    table = at.dataframe[0].value
    assert table[["tokenizer", "tokens"]].values.tolist() == [["GPT-2", 4]], "the line end is a token"
    assert data_of(at, "say")["say"]["texts"][0] == "2", "documents"
    assert at.session_state["corpus_results"].keys() == {"typed text.txt"}
    part(at, "For a paper")
    assert not at.exception
    assert "2 documents" in at.code[-1].value


def test_a_tokenizer_of_the_session_is_counted_with() -> None:
    at = page()
    at.session_state[session_key(Uploads)].pending.append(Pending((Upload("mine.json", SMALL, "Mine, edited here"),)))
    at.run()
    assert not at.exception
    added = at.multiselect(key="models").value[-1]
    assert added == f"mine.json ({sha256(SMALL).hexdigest()[:8]})@huggingface"
    at.text_area(key="corpus_typed").set_value("abc ab")
    count(at)
    wait(at)
    part(at, "All numbers")
    assert at.dataframe[0].value[["tokenizer", "tokens"]].values.tolist()[-1] == ["Mine, edited here", 2]
    part(at, "Frequent tokens").selectbox(key="corpus_frequent").set_value("Mine, edited here").run()
    (data,) = at.session_state["corpus_results"].values()
    assert sha256(SMALL).hexdigest() in data.decode()
    (link, *_) = at.dataframe[0].value["vocabulary"]
    assert link.startswith("./vocabulary?m=mine.json+%28")


@pytest.mark.long
def test_a_wrong_field_is_mended_without_the_file_again() -> None:
    at = own(page())
    at.file_uploader(key="corpus_texts").set_value([("a.csv", b"body\nHello\n", "text/csv")])
    at.multiselect(key="models").set_value(["gpt-2@huggingface"])
    count(at)
    job = at.session_state["corpus_job"]
    for _ in range(300):
        if not job.state.running:
            break
        sleep(0.2)
    at.run()
    assert mentions(html_of(at), "it has &#x27;body&#x27;); choose one of its fields with “Field with the text”")
    at.text_input(key="corpus_field").set_value("body")
    next(each for each in at.button if each.label == "Count again").click().run()
    wait(at)
    assert at.selectbox(key="result").value == "a.csv"
    part(at, "All numbers")
    assert at.dataframe[0].value["tokens"].tolist() == [1]


def test_a_link_says_what_of_it_is_missing() -> None:
    at = AppTest.from_file(APP, default_timeout=60).run()
    at.query_params["result"] = "<b>theirs.txt"
    at.query_params["models"] = ["gpt-2@huggingface", "theirs.json (12345678)"]
    at.switch_page(PAGE).run()
    assert not at.exception
    html = html_of(at)
    assert mentions(html, "This link shows &#x27;&lt;b&gt;theirs.txt&#x27;, which is not here")
    assert mentions(html, "a file that somebody else uploaded: theirs.json, sha256 12345678")
    assert at.multiselect(key="models").value == ["gpt-2@huggingface"]
    assert at.selectbox(key="result").value == corpus_results.SAMPLE


def test_what_cannot_be_counted_is_one_error() -> None:
    at = count(own(page()))
    assert not at.exception
    assert "there is no text to count" in html_of(at)
    assert "corpus_job" not in at.session_state


def test_an_uploaded_result_is_shown(result: Path) -> None:
    at = file_page()
    at.file_uploader(key="corpus_file").set_value([("mine.json", result.read_bytes(), "application/json")]).run()
    assert not at.exception
    assert at.selectbox(key="than").options == ["en", "de", "zh"]
    part(at, "Whole text")
    for name in at.selectbox(key="corpus_bars").options:
        at.selectbox(key="corpus_bars").set_value(name).run()
        assert not at.exception
    part(at, "All numbers")
    assert at.dataframe[0].value["tokenizer"].tolist() == ["GPT-2", "Llama 2"]
    at.session_state["corpus_rows"] = "Labels"
    at.run()
    assert not at.exception
    assert set(at.dataframe[0].value["label"]) == {"de", "en", "zh"}
    for name in at.selectbox(key="corpus_map").options[1:]:
        at.selectbox(key="corpus_map").set_value(name).run()
        assert not at.exception
        assert not at.dataframe
    part(at, "Frequent tokens").selectbox(key="corpus_frequent").set_value("Llama 2").run()
    assert not at.exception
    for name in ("Lengths", "A larger corpus"):
        part(at, name)
        assert not at.exception


@pytest.mark.long
def test_results_on_the_server_are_chosen_by_name(result: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = ServerArguments(results=(str(result), str(result.with_name("none.json"))))
    monkeypatch.setattr(corpus_results, "app_arguments", lambda: given)
    at = page()
    mine, none, sample, own = at.selectbox(key="result").options
    assert (mine, none, own) == ("mine.json", "none.json", corpus_results.OWN)
    assert "46 languages" in sample
    part(at, "All numbers")
    assert at.dataframe[0].value["tokenizer"].tolist() == ["GPT-2", "Llama 2"]
    at.selectbox(key="result").set_value("none.json").run()
    assert not at.exception
    assert mentions(html_of(at), "none.json: cannot be read (No such file or directory)")
    assert str(result.parent) not in html_of(at)


@pytest.mark.parametrize("data", [b"", b"{}", b"\x00\xff", b'{"format": "tokenizer-explorer corpus 1"}', b"[" * 9_999])
def test_an_invalid_file_is_one_error(data: bytes) -> None:
    at = file_page()
    at.file_uploader(key="corpus_file").set_value([("<b>mine</b>.json", data, "application/json")]).run()
    assert not at.exception
    html = html_of(at)
    assert 'role="alert"' in html
    assert "<b>mine" not in html


def test_an_empty_corpus_works(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"")
    out = tmp_path / "out.json"
    assert main(["corpus", "-m", "gpt-2", str(tmp_path / "a.txt"), "--output", str(out)]) == 0
    at = file_page()
    at.file_uploader(key="corpus_file").set_value([("out.json", out.read_bytes(), "application/json")]).run()
    assert not at.exception
    assert "no tokens" in at.info[0].value
