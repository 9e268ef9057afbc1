"""The work of explaining expected ids grows linearly with the text: calls and characters are counted, never time."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import explorer
from explorer.analysis.expected.expected_ids import Explanation, Reason
from explorer.analysis.expected.explainer import explain
from explorer.engine.tokenizer import Tokenizer
from tests.analysis.test_growth import MORE, TIMES, calls
from tests.bundled import bundled

SMALL = 12_000
SPECS = ("gpt-2", "llama-2", "mistral-v1", "qwen2.5@llama.cpp", "xlm-r")


def every(step: int) -> Callable[[list[int]], list[int]]:
    return lambda ids: [id + 1 if n and n % step == 0 else id for n, id in enumerate(ids)]


NEARLY: dict[str, Callable[[list[int]], list[int]]] = {
    "one in the middle": lambda ids: [*ids[: len(ids) // 2], ids[len(ids) // 2] + 1, *ids[len(ids) // 2 + 1 :]],
    "one left out": lambda ids: [*ids[: len(ids) // 2], *ids[len(ids) // 2 + 1 :]],
    "the last missing": lambda ids: ids[:-1],
    "the first doubled": lambda ids: [ids[0], *ids],
    "every 500th": every(500),
    "every 50th": every(50),
}


def none_other(spec: str) -> Tokenizer:
    raise AssertionError(f"{spec} was opened, although the ids are nearly those of this tokenizer")


def nearly(spec: str, piece: str, size: int, change: str) -> Callable[[], Explanation]:
    tok, text = bundled(spec), (piece * (size // len(piece) + 1))[:size]
    trace = tok.trace_lazily(text)
    return lambda: explain(tok, text, NEARLY[change](trace.ids), open_other=none_other, given=trace)


@pytest.mark.long
@pytest.mark.parametrize("change", NEARLY)
@pytest.mark.parametrize("spec", ["gpt-2", "llama-2"])
def test_nearly_matching_ids_are_explained_in_the_time_of_the_text(spec: str, change: str) -> None:
    nearly(spec, "a", SMALL, change)()  # the first call builds tables
    counted = [calls(nearly(spec, "a", size, change)) for size in (SMALL, SMALL * TIMES)]
    assert counted[1] <= MORE * TIMES * counted[0], counted


@pytest.mark.sample(6)
@pytest.mark.parametrize("change", NEARLY)
@pytest.mark.parametrize("piece", ["a", "The quick brown fox. "])
@pytest.mark.parametrize("spec", SPECS)
def test_nearly_matching_ids_tokenize_little_text(
    spec: str, piece: str, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before, each of six other texts was tokenized under four options, and a million characters cut into parts."""
    ask = nearly(spec, piece, SMALL, change)
    characters = 0
    encode = Tokenizer.encode

    def counted(self: Tokenizer, text: str, **options: bool) -> explorer.Encoding:
        nonlocal characters
        characters += len(text)
        return encode(self, text, **options)

    monkeypatch.setattr(Tokenizer, "encode", counted)
    found = ask()
    assert found.reason != Reason.SAME
    assert characters <= 10 * SMALL, characters / SMALL


@pytest.mark.long
@pytest.mark.parametrize("change", ["every 500th", "every 50th"])
def test_each_of_many_differences_is_a_region_of_its_own(change: str) -> None:
    found = nearly("gpt-2", "a", SMALL, change)()
    given = found.given.ids
    assert [(list(each.stretch.expected), list(each.stretch.given)) for each in found.regions] == [
        ([n], [n]) for n, (id, other) in enumerate(zip(found.expected, given, strict=True)) if id != other
    ]


@pytest.mark.parametrize("ids", [[1, 1724], [15496], [300_000], [5] * 100])
def test_ids_that_no_bundled_vocabulary_can_give_open_none(ids: list[int]) -> None:
    found = explain(bundled("gpt-2"), "a" * 10_000, ids, open_other=none_other)
    assert found.recipe is None


def test_another_tokenizer_is_still_found_and_one_of_each_file_is_opened() -> None:
    opened: list[str] = []

    def opens(spec: str) -> Tokenizer:
        opened.append(spec)
        return bundled(spec)

    text = "a" * 2_000
    found = explain(bundled("gpt-2"), text, bundled("llama-3").encode(text).ids, open_other=opens)
    assert found.specs == ("llama-3@huggingface", "cl100k_base@tiktoken")
    names = [spec.partition("@")[0] for spec in opened if not spec.startswith("gpt-2")]
    assert len(names) == len(set(names))
