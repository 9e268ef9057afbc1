"""Expected ids: each sentence, row and remedy follows from what really gives the ids."""

from __future__ import annotations

import json
from typing import Any

import pytest

from explorer.analysis.expected.expected_ids import Explanation, Reason, placed
from explorer.analysis.expected.explainer import examples, explain
from explorer.engine.part import Options
from explorer.views.compare.expected import (
    PROGRAMS,
    Kind,
    causes,
    evidence,
    examples_picture,
    expected_picture,
    remedy,
    verdict,
)
from tests.bundled import bundled

TEXT = "token unaffable 東京 1234567"


def found(name: str, ids: list[int], text: str = TEXT, options: Options = Options()) -> Explanation:  # noqa: B008
    return explain(bundled(name), text, ids, open_other=bundled, **options._asdict())


def kinds(name: str, ids: list[int], text: str = TEXT, options: Options = Options()) -> list[Kind]:  # noqa: B008
    return [each.kind for each in causes(found(name, ids, text, options), bundled(name), options)]


def drawn(name: str, ids: list[int], text: str = TEXT) -> tuple[dict[str, Any], dict[str, Any]]:
    """The frame of a picture and its rows."""
    picture = expected_picture(found(name, ids, text), bundled(name), name, name, Options())
    assert picture.drawn is not None
    return picture.frame, json.loads(picture.drawn.json)


def ids_drawn(rows: dict[str, Any], row: int) -> list[int]:
    return [id for cell in rows["rows"][row]["cells"] for id in rows["looks"][cell[5]]["ids"]]


def own(name: str, text: str = TEXT, **options: bool) -> list[int]:
    return bundled(name).encode(text, **options).ids


def test_each_cause_is_read_from_what_gives_the_ids() -> None:
    tok = bundled("llama-2")
    bare, full = own("llama-2", add_special=False), own("llama-2")
    assert kinds("llama-2", full) == []
    assert kinds("llama-2", bare) == [Kind.MISSING]
    assert kinds("llama-2", [1, *full]) == [Kind.TWICE]
    assert kinds("llama-2", [*full, 2]) == [Kind.EXTRA]
    assert kinds("llama-2", [1, 6979, *full[2:]]) == [Kind.PREFIX_OFF]
    assert kinds("llama-2", own("llama-2", " " + TEXT)) == [Kind.TEXT]
    assert kinds("llama-2", own("llama-2", TEXT + "\n")) == [Kind.TEXT]
    assert kinds("llama-2", [*full[:5], *tok.encode(TEXT[15:], add_special=False).ids]) == [Kind.PARTS]
    assert kinds("llama-2", own("gpt-2")) == [Kind.TOKENIZER]
    assert kinds("gpt-2", own("gpt-2", "a\nb"), "a\\nb") == [Kind.ESCAPES_READ]
    assert kinds("gpt-2", own("gpt-2", "a\\nb"), "a\nb") == [Kind.ESCAPES_WRITTEN]
    assert kinds("llama-3", [508, 1419], "2023") == [Kind.PATTERN]
    special = own("llama-2", "a <s>", parse_special=False)
    assert kinds("llama-2", special, "a <s>") == [Kind.NOT_PARSED]
    assert kinds("llama-2", own("llama-2", "a <s>"), "a <s>", Options(True, False)) == [Kind.PARSED]
    composed = bundled("qwen2.5@llama.cpp").encode("A\u030a").ids
    assert kinds("qwen2.5", composed, "A\u030a") == [Kind.IMPLEMENTATION]


def test_the_sentence_names_the_reason_and_says_whether_it_is_proved() -> None:
    full = own("llama-2")
    for ids, proved in (([1, 6979, *full[2:]], True), ([1, 5993, 443, 3470, *full[4:]], False), ([1, 2, 3], False)):
        explanation = found("llama-2", ids)
        known = causes(explanation, bundled("llama-2"), Options())
        assert bool(known) is proved
        said = str(evidence(explanation, "Llama 2", bundled("llama-2"), known))
        assert said.startswith("Proved:" if proved else "Possible:")
        assert ("were tried" in said) is not proved
        if proved:
            assert explanation.recipe is not None
            assert explanation.recipe.ids() == ids
            assert f"all {len(ids)} ids" in said


def test_special_tokens_at_an_end_are_no_place_that_is_cut_differently() -> None:
    full = own("llama-2")
    said = str(verdict(found("llama-2", [1, 5993, 443, 3470, *full[4:], 2, 2]), bundled("llama-2"), "Llama 2", []))
    assert "1 place" in said
    assert "</s> twice at the end" in said


def test_what_was_tried_is_counted() -> None:
    none = found("llama-2", [5, 6, 7])
    assert none.recipe is None
    assert none.tried.tokenizers == 10, "all that are bundled"
    near = found("llama-2", [1, 5993, 443, 3470, *own("llama-2")[4:]])
    assert (near.tried.tokenizers, near.tried.ways > 4) == (1, True)


def test_ids_outside_of_the_vocabulary_are_named_and_drawn() -> None:
    ids = [*own("llama-2")[:-1], 999_999]
    said = verdict(found("llama-2", ids), bundled("llama-2"), "Llama 2", [])
    assert "Id 999999" in str(said)
    assert "31999" in str(said)
    _, rows = drawn("llama-2", ids)
    assert ids_drawn(rows, 0) == ids
    assert any(look.get("look") == "bad" for look in rows["looks"])


@pytest.mark.long
@pytest.mark.parametrize("name", ["llama-2", "gpt-2", "bert-uncased", "rwkv-world", "xlm-r", "qwen2.5"])
@pytest.mark.parametrize("text", [TEXT, "é 🤗\n<b>x</b> שלום", "a"])
def test_both_lists_are_drawn_whole_and_what_differs_is_marked(name: str, text: str) -> None:
    full = own(name, text)
    for ids in (full, full[:-1], full[1:], [*full, *full], list(range(300, 310)), [full[0]], [*full[:2], 5, *full[3:]]):
        explanation = found(name, ids, text)
        frame, rows = drawn(name, ids, text)
        assert ids_drawn(rows, 0) == ids
        assert ids_drawn(rows, 1) == full
        assert any(cell[4] for row in rows["rows"] for cell in row["cells"]) is (ids != full)
        assert len(rows["rows"]) == 2 + (explanation.recipe is not None and explanation.reason != Reason.SAME)
        assert frame["said"]
        tokens = placed(explanation, bundled(name)).tokens
        assert all(0 <= token.start <= token.end <= len(text) for token in tokens if token.start >= 0)


def test_a_remedy_has_a_box_for_each_program_that_can_be_set() -> None:
    explanation = found("llama-2", [1, 6979, *own("llama-2")[2:]])
    (cause,) = causes(explanation, bundled("llama-2"), Options())
    made = remedy(cause, "SPM", "Llama 2")
    assert made is not None
    assert [says["texts"][0] for _, says in made["boxes"]] == [
        "add_dummy_prefix",
        "tokenizer.ggml.add_space_prefix",
        "Prepend",
    ]
    for kind in Kind:
        for family in (*PROGRAMS, "RWKV"):
            one = remedy(cause._replace(kind=kind), family, "X")
            assert one is None or 0 < len(one["boxes"]) <= 3


@pytest.mark.parametrize("name", ["llama-2", "gpt-2", "bert-uncased", "rwkv-world", "xlm-r", "o200k_base"])
def test_examples_differ_and_are_explained_as_they_are_named(name: str) -> None:
    tok, full = bundled(name), own(name)
    others = [("Llama 3", bundled("llama-3")), ("Mistral v1", bundled("mistral-v1"))]
    made = examples(tok, TEXT, Options(), others)
    assert len({each.ids for each in made} | {tuple(full)}) == len(made) + 1
    assert len(made) == 4
    for each in made:
        explanation = found(name, list(each.ids))
        assert explanation.recipe is not None, each
    picture = examples_picture(made, TEXT, tok.encode(TEXT), tok, name)
    assert [row["ids"] for row in picture.frame["list"]["rows"]] == [full, *(list(each.ids) for each in made)]


def test_no_example_without_a_text() -> None:
    assert examples(bundled("llama-2"), "", Options()) == []
