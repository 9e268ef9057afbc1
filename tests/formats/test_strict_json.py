"""What is wrong with text that is not JSON: its line, column, path and cause, for faults in every place of a file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product
from typing import Any, Final

import pytest
from tokenizers import Tokenizer

from explorer.formats import strict_json
from tests.refusals import refusal

WHOLE: Final = {
    "version": "1.0",
    "added_tokens": [{"id": 0, "content": "<a>, [b]"}, {"id": 1, "content": 'c"{'}],
    "model": {"type": "BPE", "vocab": {"x y": 0, "\\": 1}, "merges": [["a", "b"], ["c", "d"]]},
}


def places(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Every list and object: its path, and its JSON with a mark before its closing bracket."""
    if isinstance(value, (dict, list)):
        yield path, "∎"
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, each in items:
            step = f"[{key}]" if isinstance(value, list) else f".{key}" if path else str(key)
            for inner, _ in places(each, path + step):
                yield inner, "∎"


def with_fault(value: Any, path: str, fault: str, now: str = "") -> str:
    """The JSON of a value with a text before the closing bracket of the list or object at a path."""
    end = fault if path == now else ""
    if isinstance(value, dict):
        inside = ",\n".join(
            f"{json.dumps(key)}: {with_fault(each, path, fault, f'{now}.{key}' if now else str(key))}"
            for key, each in value.items()
        )
        return f"{{{inside}{end}}}"
    if isinstance(value, list):
        inside = ", ".join(with_fault(each, path, fault, f"{now}[{index}]") for index, each in enumerate(value))
        return f"[{inside}{end}]"
    return json.dumps(value)


FAULTS: Final = {
    ",": "a comma stands before the end",
    ", ": "a comma stands before the end",
    ",,": "a comma without a value",
    " // why": "a comment",
    ", # why": "a comment",
    ", 'a'": "single quotes",
    ' "a" "b"': "a comma is missing",
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("path", [path for path, _ in places(WHOLE)])
def test_a_fault_has_its_place_and_cause(path: str, fault: str) -> None:
    text = with_fault(WHOLE, path, fault)
    said = refusal(strict_json.read, text.encode(), "f.json", "a tokenizer.json")
    assert FAULTS[fault] in said
    assert (f", in {path}: " in said) == bool(path)
    for theirs, error in ((Tokenizer.from_str, Exception), (json.loads, json.JSONDecodeError)):
        with pytest.raises(error, match=r"line \d+ column"):
            theirs(text)


@pytest.mark.parametrize("cut", range(1, len(json.dumps(WHOLE)), 7))
def test_a_file_that_ends_early_says_so(cut: int) -> None:
    said = refusal(strict_json.read, json.dumps(WHOLE)[:cut].encode(), "f.json", "a tokenizer.json")
    assert "ends before" in said or "column" in said


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "empty"),
        ('{"a": None}', "another language"),
        ('{"a": True, "b": 1}', "another language"),
        ("{a: 1}", "without quotes"),
        ('{"a": 1} x', "follows the end"),
        ('{"a": "b\nc"}', "control character"),
        ('{"a": 1]', "other kind"),
        ('{"a": [1, 2}', "other kind"),
        ('{"a": "b', "ends before"),
        ('{"a": [1,', "ends before"),
    ],
)
def test_other_faults(text: str, why: str) -> None:
    assert why in refusal(strict_json.read, text.encode(), "f.json", "a tokenizer.json")


UNREADABLE: Final = (
    b"", b"[", b'"a', b"[1", b"[?]", b'{"a": 1, "a": 2}', b"NaN", b'"\\ud800"', b"1" * 5_000, b"[" * 100_000,
    b"[" + b"0," * strict_json.MAX_VALUES + b"0]", b"[" * 65 + b"]" * 65,
)  # fmt: skip


def test_an_error_is_about_what_was_sent() -> None:
    """Nobody who typed a text or followed a link is told to fetch a file."""
    every = (strict_json.FILE, strict_json.TYPED, strict_json.LINK)

    def read(data: bytes, sent: strict_json.Sent) -> None:
        strict_json.check_depth(strict_json.read(data, "it", "a call", sent=sent), "a call", sent)

    for data, sent in product(UNREADABLE, every):
        said = refusal(read, data, sent)
        others = {word for each in every if each != sent for word in each}
        assert said.endswith((sent.complete, sent.repair, sent.reduce))
        assert not any(word in said for word in others - {*sent, "the text"}), said


def test_an_error_deep_in_lists_is_short() -> None:
    """Python 3.14 reads lists in lists so deep that their path alone has thousands of characters."""
    with pytest.raises(json.JSONDecodeError) as error:
        json.loads("[" * 300 + "x")
    said = strict_json.json_fault(error.value.doc, error.value, strict_json.FILE)
    assert "line 1, column 301, in [0][0][0]" in said
    assert len(said) < 400
