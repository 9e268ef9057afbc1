"""Links that name a tokenizer: to an upload that is missing, and to nothing at all."""

from __future__ import annotations

import pytest

import explorer
from explorer.ui.frame import session_key
from explorer.ui.parameters import Context
from tests.ui.app import chosen, drop, html_of, page, tokens_of
from tests.ui.small_files import SMALL


def test_a_link_to_a_missing_upload_says_so_and_keeps_the_text() -> None:
    at = drop(page(), ("mine.json", SMALL))
    label = chosen(at)
    at = page(m=label, text="abc ab")
    assert not at.exception
    assert chosen(at) == "llama-2"
    assert tokens_of(at) == explorer.load("llama-2").encode("abc ab").ids
    html = html_of(at)
    assert "mine.json" in html
    assert label[-9:-1] in html
    at = drop(at, ("mine.json", SMALL))
    assert chosen(at) == label
    assert tokens_of(at) == [4, 3]
    assert "drop it here again" not in html_of(at)


@pytest.mark.parametrize(
    "label", ["/etc/passwd", "../README.md", "vocabs/gpt2.tokenizer.json", "<img src=x>", "?" * 3000, "a (12345678) b"]
)
def test_a_url_is_never_read_as_a_path(label: str) -> None:
    at = page(m=label, text="is")
    assert not at.exception
    assert chosen(at) == "llama-2"
    assert tokens_of(at) == [1, 338]
    assert "is not available here" in html_of(at)
    assert "<img" not in html_of(at)
    at.button(key="dismiss absent").click().run()
    assert "is not available here" not in html_of(at)


@pytest.mark.parametrize(
    ("linked", "label", "implementation"),
    [
        ("gpt-2", "gpt-2", "huggingface"),
        ("gpt-2@llama.cpp", "gpt-2", "llama.cpp"),
        ("llama-2@llama.cpp", "llama-2", "llama.cpp"),
    ],
)
@pytest.mark.sample(3)
def test_explore_reads_every_name_that_the_command_line_reads(linked: str, label: str, implementation: str) -> None:
    at = page(m=linked, text="is")
    assert (chosen(at), at.selectbox(key="as").value) == (label, implementation)
    assert tokens_of(at) == explorer.load(linked).encode("is").ids
    assert "is not available here" not in html_of(at)


@pytest.mark.parametrize(("path", "parameter"), [("compare", "with"), ("corpus", "models")])
@pytest.mark.sample(2)
def test_a_name_without_an_implementation_means_the_default_one(path: str, parameter: str) -> None:
    at = page()
    at.query_params[parameter] = ["gpt-2", "llama-2@llama.cpp", "gpt-2@huggingface", "bert-uncased@llama.cpp"]
    at.switch_page(f"../pages/{path}.py").run()
    assert not at.exception
    expected = [f"gpt-2@{explorer.load('gpt-2').implementation}", "llama-2", "bert-uncased@llama.cpp"]
    assert at.multiselect(key=parameter).value == expected
    assert "not available here" not in html_of(at)


def test_parameters_that_name_one_of_several_read_the_same_names() -> None:
    at = page()
    linked = {"base": "gpt-2", "left": "bert-uncased", "right": "gpt-2", "of": "bert-uncased", "text": "is"}
    linked["chosen"] = "bert-uncased pad_and_truncate=yes"
    for name, value in linked.items():
        at.query_params[name] = value
    at.query_params["with"] = ["llama-2", "gpt-2", "bert-uncased"]
    at.switch_page("../pages/compare.py").run()
    assert not at.exception
    kept = at.session_state[session_key(Context)].kept
    assert kept["base"] == kept["right"] == "gpt-2@huggingface"
    assert kept["left"] == kept["of"] == "bert-uncased@huggingface"
    assert at.multiselect(key="chosen").value == ["bert-uncased@huggingface pad_and_truncate=yes"]
