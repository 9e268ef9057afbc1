"""Saved pages as outputs of notebooks: the file they have inside, what is shown without it, what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import parse_qs

import pytest

import explorer
from explorer.answers.saved import comparison_page
from explorer.engine.part import Options
from explorer.errors import InputError
from explorer.saved.explore import Shown, explore_page
from explorer.saved.page import html
from tests.bundled import bundled
from tests.saved.test_page import Read

HOSTILE = "\"></iframe><script>alert(1)</script>' &quot; <!-- {0:q}"


class Frame(HTMLParser):
    """The frame in an output, and every tag around it."""

    def __init__(self, output: str) -> None:
        super().__init__()
        self.frame: dict[str, str | None] = {}
        self.tags: list[str] = []
        self.feed(output)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag == "iframe":
            self.frame = dict(attrs)


def begins(shown: Shown) -> dict[str, list[str]]:
    """Where its page begins."""
    return parse_qs(shown.page.data.get("begins", ""))


@pytest.mark.parametrize("text", ["What is LoRA?", HOSTILE])
def test_a_trace_is_the_file_that_is_saved_in_a_frame_of_its_own(text: str, tmp_path: Path) -> None:
    tok = bundled("gpt-2")
    shown = tok.trace(text).show()
    output = Frame(shown._repr_html_())
    assert output.tags.count("iframe") == 1
    assert not {"script", "style", "link"} & set(output.tags)
    assert output.frame["srcdoc"] == html(explore_page(tok, tok.trace(text)), "")
    assert "allow-same-origin" not in str(output.frame["sandbox"])
    assert "allow-popups" not in str(output.frame["sandbox"]), "it has no links"
    shown.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text("utf-8") == output.frame["srcdoc"]


def test_what_shows_a_trace_without_its_page_stays_light() -> None:
    trace = bundled("gpt-2").trace("What is LoRA?")
    assert len(trace._repr_html_()) < 10_000
    assert trace.show()._repr_html_().startswith(f"<div><div>{trace._repr_html_()}")
    assert len(repr(trace.show())) < 200


def test_a_page_begins_where_it_is_asked_to() -> None:
    tok = bundled("gpt-2")
    assert begins(tok.show("a b", step=1)) == {"stage": ["model"], "step": ["1"]}
    asked = tok.show("a b", stage="decode", step=2, level="algorithm", theme="dark")
    assert begins(asked) == {"stage": ["decode"], "decode": ["2"], "level": ["algorithm"], "theme": ["dark"]}
    output = Frame(tok.trace("a b").show(height=500, app="https://example.org")._repr_html_())
    assert "height:500px" in str(output.frame["style"])
    assert "allow-popups" in str(output.frame["sandbox"])
    data = json.loads(Read(str(output.frame["srcdoc"])).scripts["application/json"])
    assert data["app"] == "https://example.org/"


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ({"stage": "merge"}, "pre-tokenize"),
        ({"level": "novel"}, "algorithm"),
        ({"theme": "pink"}, "dark"),
        ({"step": -1}, "-1"),
        ({"step": 1.5}, "1.5"),
        ({"app": "javascript:x"}, "http"),
    ],
)
def test_what_a_page_does_not_have_is_an_input_error(asked: dict[str, object], names: str) -> None:
    with pytest.raises(InputError, match=names):
        bundled("gpt-2").trace("a b").show(**asked)


def test_a_trace_knows_its_tokenizer_and_is_still_what_it_holds() -> None:
    tok = bundled("gpt-2")
    trace = tok.trace("a b")
    assert trace.tokenizer is tok
    alone = replace(trace, tokenizer=None)
    assert alone == trace
    assert repr(alone) == repr(trace)
    with pytest.raises(InputError, match="load"):
        alone.show()


def test_a_comparison_is_the_page_of_its_tokenizers_by_name() -> None:
    text = "e\u0301 b"
    found = explorer.compare("qwen2.5", "qwen2.5@llama.cpp", text=text)
    shown = found.show()
    by_name = comparison_page(["qwen2.5", "qwen2.5@llama.cpp"], text, Options())
    assert (shown.page.heading, shown.page.made, shown.page.back) == (by_name.heading, by_name.made, by_name.back)
    assert shown.page.data["rows"]["say"] == by_name.data["rows"]["say"]
    assert shown.page.data["pairs"] == by_name.data["pairs"]
    assert begins(found.show(place=1, step=1)) == {"view": ["Where they part"], "place": ["1"], "step0": ["1"]}
    with pytest.raises(InputError, match="has 1"):
        found.show(place=2)


def test_a_comparison_of_tokenizers_that_only_the_notebook_has(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_bytes(explorer.catalog()["gpt-2"].path.read_bytes())
    mine = explorer.load(path)
    for left, right in ((mine, bundled("gpt-2")), (mine, explorer.load(path))):
        page = explorer.compare(left, right, text="a b").show().page
        assert len(set(page.data["pairs"][0]["labels"])) == 2


def test_a_training_and_a_prompt_are_shown() -> None:
    learned = explorer.train("low lower lowest", vocab_size=12)
    assert len(learned.tokens) == 12
    assert learned.show(step=3).page.kind == "training"
    assert begins(learned.show(step=3))["step"] == ["3"]
    made = bundled("qwen2.5").prompt([{"role": "user", "content": HOSTILE}])
    shown = made.show(level="algorithm")
    assert shown.page.kind == "prompt"
    assert Frame(shown._repr_html_()).tags.count("iframe") == 1
    assert begins(shown) == {"level": ["algorithm"]}
    with pytest.raises(InputError, match="bpe, wordpiece, unigram, wordlevel"):
        explorer.train("a", "gzip")
