"""Names of what is no longer offered, wherever one may be given: the nearest opens, and a sentence says so."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import explorer
from explorer.answers.hub_models import without_implementation
from explorer.cli.main import main
from explorer.errors import FORMER, InputError, nearest, no_longer_offered
from explorer.facts import FactKind
from explorer.learning.lessons import read_lesson
from explorer.learning.lessons.reading import TrainPanel
from explorer.opening import sources
from explorer.opening.formats import IMPLEMENTATIONS
from explorer.training.trainers import TRAINERS
from explorer.ui import PAGES, SCRIPT
from explorer.ui.tokenizers import server
from tests.auto_tokenizer.folders import Case
from tests.ui.app import html_of, page, tokens_of

IMPLEMENTATION = FORMER["implementation"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model's folder whose class has other ids than the file alone, so that the two can't be confused."""
    whole = {"tokenizer_class": "BertTokenizer"}
    return Case("own", "bert", {"tokenizer_config.json": whole}).written(tmp_path)


def test_what_is_nearest_is_offered() -> None:
    assert set(IMPLEMENTATION.values()) <= set(IMPLEMENTATIONS)
    assert not set(IMPLEMENTATION) & set(IMPLEMENTATIONS)
    assert set(FORMER["trainer"].values()) <= {whom for _, whom in TRAINERS}
    assert nearest("trainer", "minbpe") == "minbpe"
    assert not no_longer_offered("trainer", "minbpe")


@pytest.mark.parametrize("name", IMPLEMENTATION)
def test_the_library_opens_the_nearest_and_says_so(name: str, folder: Path) -> None:
    now = explorer.load(folder, IMPLEMENTATION[name])
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        old = explorer.load(folder, name), explorer.load(f"{folder}@{name}")
        assert explorer.compare(f"{folder}@{name}", now, "The É").same
    assert [str(each.message) for each in warned] == [no_longer_offered("implementation", name)] * 3
    assert all(each.category is FutureWarning and "2.0.0" in str(each.message) for each in warned)
    assert [Path(each.filename) == Path(__file__) for each in warned] == [True, True, False], "load names its caller"
    for tok in old:
        assert tok.implementation == now.implementation == IMPLEMENTATION[name]
        assert tok.encode("The É").ids == now.encode("The É").ids
        said = [fact.says for fact in tok.facts if fact.kind is FactKind.WARNING and name in fact.says]
        assert said == [no_longer_offered("implementation", name)]
    assert not any(name in fact.says for fact in now.facts)
    with pytest.raises(InputError, match=r"transformers-5\.0\.1"):
        explorer.load(folder, "transformers-5.0.1")
    with pytest.raises(InputError, match="runs as: "):
        explorer.load(folder / "tokenizer.json", name)


@pytest.mark.parametrize("name", IMPLEMENTATION)
def test_the_command_line_says_so_on_standard_error(
    name: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["encode", "-m", f"{folder}@{IMPLEMENTATION[name]}", "The"]) == 0
    now = capsys.readouterr()
    assert main(["encode", "-m", f"{folder}@{name}", "The"]) == 0
    said = capsys.readouterr()
    assert said.out == now.out
    assert no_longer_offered("implementation", name) in said.err
    assert "no longer" not in now.err


def test_a_comparison_is_saved_as_the_nearest(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saved = tmp_path / "page.html"
    models = ["-m", f"{folder}@transformers-5.0.0", "-m", "gpt-2@huggingface"]
    assert main(["save", *models, "The", "--output", str(saved)]) == 0
    assert no_longer_offered("implementation", "transformers-5.0.0") in capsys.readouterr().err
    assert "transformers-5.0.0" not in saved.read_text("utf-8")
    assert without_implementation("org/name@v1@transformers-5.0.0") == "org/name@v1"


def test_a_former_trainer_trains_as_the_nearest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = tmp_path / "text.txt"
    text.write_text("low lower lowest\n" * 3)
    made = []
    for whom in ("sentencepiece", "sentencepiece-0.2.1"):
        made.append(tmp_path / f"{whom}.model")
        assert main(["train", "bpe", "--as", whom, "--vocab-size", "12", "--output", str(made[-1]), str(text)]) == 0
    assert made[0].read_bytes() == made[1].read_bytes()
    assert capsys.readouterr().err.count("sentencepiece-0.2.1") == 1
    saved = tmp_path / "page.html"
    asked = ["save", "--train", "bpe", "--as", "sentencepiece-0.2.1", "--vocab-size", "14", "--output", str(saved)]
    assert main([*asked, "low lower"]) == 0
    assert "sentencepiece-0.2.1" in capsys.readouterr().err


def test_a_lesson_that_names_one_opens_and_its_check_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = """title = "T"
about = "A"
minutes = 1
[[card]]
title = "C"
words = "W"
[card.train]
text = "low lower"
algorithm = "bpe"
trainer = "sentencepiece-0.2.1"
size = 14
"""
    (card,) = read_lesson(source, "own.toml").cards
    assert isinstance(card.panel, TrainPanel)
    assert card.panel.trainer == "sentencepiece"
    path = tmp_path / "own.toml"
    path.write_text(source)
    assert main(["lesson", "check", str(path)]) == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert "line 10" in line
    assert no_longer_offered("trainer", "sentencepiece-0.2.1") in line
    with pytest.raises(InputError, match="unknown"):
        read_lesson(source.replace("0.2.1", "0.2.0"), "own.toml")


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch, folder: Path) -> Iterator[Path]:
    """An app that offers the folder."""
    monkeypatch.setattr(sys, "argv", [str(sources.APP), "--tokenizer", str(folder)])
    yield folder
    server.find_server_files.cache_clear()


@pytest.mark.parametrize("query", [{"m": "own", "as": "transformers-5.0.0"}, {"m": "own@transformers-4-slow"}])
def test_a_link_to_explore_opens_the_nearest_and_says_so(served: Path, query: dict[str, str]) -> None:
    name = query.get("as") or query["m"].rpartition("@")[2]
    at = page(text="The", **query)
    assert not at.exception
    assert (at.selectbox(key="m").value, at.selectbox(key="as").value) == (served.name, IMPLEMENTATION[name])
    assert no_longer_offered("implementation", name) in html_of(at)
    assert tokens_of(at) == explorer.load(served, IMPLEMENTATION[name]).encode("The").ids


def test_a_link_to_compare_opens_the_nearest_and_says_so(served: Path) -> None:
    at = AppTest.from_file(SCRIPT, default_timeout=60)
    at.query_params["with"] = ["own@transformers-5.0.0", "gpt-2@huggingface"]
    at.run()
    at.switch_page(str(PAGES / "compare.py")).run()
    assert not at.exception
    assert no_longer_offered("implementation", "transformers-5.0.0") in html_of(at)
    assert at.multiselect(key="with").value == ["own@transformers-5", "gpt-2@huggingface"]
