"""A tokenizer.json with long lists: its card takes linear work, and each list has a maximum length."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import explorer
from explorer.errors import InputError
from explorer.implementations.huggingface.reading import MOST_OF_PATTERNS, MOST_PARTS, MOST_TEXT
from explorer.implementations.huggingface.text_stages import normalizer_facts, normalizers, pre_tokenizer_facts
from tests.ui.small_files import tokenizer_json


def replace(pattern: str, content: str, kind: str = "String") -> dict[str, Any]:
    return {"type": "Replace", "pattern": {kind: pattern}, "content": content}


def listed(parts: list[dict[str, Any]], inner: str = "normalizers") -> dict[str, Any]:
    return {"type": "Sequence", inner: parts}


def alternating(count: int) -> dict[str, Any]:
    return listed([replace("ab"[number % 2], "ba"[number % 2]) for number in range(count)])


def different(count: int) -> dict[str, Any]:
    return listed([replace(chr(0x4E00 + number), "x") for number in range(count)])


def stripping(count: int) -> dict[str, Any]:
    parts: list[dict[str, Any]] = []
    for number in range(count // 4):
        parts += [{"type": "StripAccents"}, {"type": "Nmt"}, {"type": "Prepend", "prepend": chr(0x4E00 + number)},
                  replace("[xy]", "", "Regex")]  # fmt: skip
    return listed([{"type": "ByteLevel"}, *parts])


def calls(work: Callable[[], object]) -> int:
    """The number of Python calls and lines that run, which does not depend on the machine."""
    count = 0

    def tell(frame: object, event: str, _: object) -> Any:
        nonlocal count
        count += 1
        return tell

    before = sys.gettrace()
    sys.settrace(tell)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("section", [alternating, different, stripping])
def test_facts_of_a_list_take_linear_work(section: Callable[[int], dict[str, Any]]) -> None:
    def both(count: int) -> int:
        part = section(count)
        return calls(lambda: (normalizer_facts(part), pre_tokenizer_facts({"type": "WhitespaceSplit"}, part)))

    both(8)  # fills the cache of patterns
    few, many = both(80), both(400)
    assert many < 5.5 * few, (few, many)


@pytest.mark.parametrize(
    ("section", "inner"),
    [("normalizer", "normalizers"), ("pre_tokenizer", "pretokenizers"), ("decoder", "decoders"),
     ("post_processor", "processors")],
)  # fmt: skip
def test_a_section_of_too_many_parts_is_refused(section: str, inner: str, tmp_path: Path) -> None:
    part: dict[str, Any] = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}
    for parts in ([part] * MOST_PARTS, [listed([part], inner)] * (MOST_PARTS // 2)):
        (tmp_path / "tokenizer.json").write_bytes(tokenizer_json(**{section: listed(parts, inner)}))
        with pytest.raises(InputError, match=f"{section} has more than {MOST_PARTS} parts"):
            explorer.load(tmp_path / "tokenizer.json")
    (tmp_path / "tokenizer.json").write_bytes(tokenizer_json(**{section: listed([part] * (MOST_PARTS - 1), inner)}))
    explorer.load(tmp_path / "tokenizer.json")


def test_forty_thousand_steps_are_refused_without_reading_them() -> None:
    section = alternating(40_000)

    def refused() -> None:
        with pytest.raises(InputError, match="more than 500 parts"):
            normalizers(section)

    assert calls(refused) < 5_000


def test_a_setting_that_is_too_long_is_refused() -> None:
    long = "x" * (MOST_TEXT + 1)
    for part in (replace(long, ""), replace("a", long), {"type": "Prepend", "prepend": long}):
        with pytest.raises(InputError, match="10,001 characters, but at most 10,000"):
            normalizers(part)


def test_many_patterns_share_one_bound() -> None:
    one = "|".join("ab"[number % 2] + "c" for number in range(800))
    section = listed([replace(one, "x", "Regex")] * (MOST_OF_PATTERNS // len(one) + 1))
    with pytest.raises(InputError, match="have more than 20,000 characters"):
        normalizers(section)


def test_added_tokens_times_normalizers_are_bounded(tmp_path: Path) -> None:
    added = [
        {"id": 6 + number, "content": f"<{number}>", "single_word": False, "lstrip": False, "rstrip": False,
         "normalized": True, "special": False}
        for number in range(2_100)
    ]  # fmt: skip
    (tmp_path / "tokenizer.json").write_bytes(tokenizer_json(added_tokens=added, normalizer=alternating(499)))
    with pytest.raises(InputError, match=r"2,100 added tokens .* 499 normalizers"):
        explorer.load(tmp_path / "tokenizer.json")
