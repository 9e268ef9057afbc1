"""The added tokens of tokenizer.json files against the original: flags, ids, normalized spellings."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from tokenizers import Tokenizer as Original

import explorer
from explorer.engine.part import Token
from explorer.engine.partition.special_tokens import PartitionEvent
from explorer.errors import InputError
from explorer.facts import Fact, FactKind
from explorer.formats.tokenizer_json import read
from explorer.implementations.huggingface import from_tokenizer_json
from explorer.script.script import window_of
from explorer.stages.decoders.losses import round_trip
from explorer.views.overview import sections
from tests.originals.generators import strings
from tests.originals.hugging_face import both, whole

LETTERS = {ch: id for id, ch in enumerate("ab <>_[]\n\u3000\u0301\u200dxX▁sé")}
FLAGS = ("single_word", "lstrip", "rstrip", "special", "normalized")
PIECES = (
    "<a>",
    " ",
    "<b>",
    "  ",
    "ab",
    "\n",
    "a<",
    "a",
    "b",
    "_",
    "\u0301",
    "\u3000",
    ">",
    "\u200d",
    "x",
    "X",
    "▁",
    "s",
)


def file(added: list[dict[str, Any]], normalizer: Any = None, **parts: Any) -> dict[str, Any]:
    model = {"type": "BPE", "vocab": LETTERS, "merges": []}
    return {"model": model, "added_tokens": added, "normalizer": normalizer, **parts}


def token(content: str, id: int = -1, **flags: bool) -> dict[str, Any]:
    return {"id": id if id >= 0 else LETTERS.get(content, 900), "content": content, **flags}


def replace(old: str, new: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": {"String": old}, "content": new}


X_TO_A = replace("x", "a")
PREPEND = {"type": "Prepend", "prepend": "▁"}


def texts(seed: int, count: int) -> list[str]:
    choose = random.Random(seed)
    return ["".join(choose.choices(PIECES, k=choose.randint(0, 9))) for _ in range(count)]


@pytest.mark.parametrize("flag", FLAGS)
def test_each_flag_matches_the_original(flag: str) -> None:
    pair = both(file([token("<a>", **{flag: True}), token("ab", **{flag: True}), token("\n"), token("<a>b")]))
    for parse_special in (True, False):
        assert pair.differences(texts(1, 400), parse_special=parse_special) == []


def test_random_combinations_of_flags_match_the_original() -> None:
    choose = random.Random(2)
    for _ in range(60):
        # no token is white space: the original panics if one strips within white space that is already stripped
        contents = choose.sample(["<a>", "<b>", "ab", "a<", "b", " <b>", "x", "xx", "▁<b>"], 5)
        added = [token(content, **{flag: choose.random() < 0.4 for flag in FLAGS}) for content in contents]
        normalizer = choose.choice([None, X_TO_A, PREPEND, {"type": "Sequence", "normalizers": [X_TO_A, PREPEND]}])
        same = [c.replace("x", "a") for c, entry in zip(contents, added, strict=True) if entry["normalized"]]
        if len(set(same)) < len(same):
            continue  # which one the original matches is undefined
        pair = both(file(added, normalizer))
        samples = [text for text in texts(choose.randrange(9**9), 60) if text.strip()]
        assert pair.differences(samples, parse_special=choose.random() < 0.7, offsets=normalizer is None) == [], added


def test_nasty_text_is_split_like_the_original() -> None:
    added = [
        token("[CLS]", special=True),
        token("<s>", lstrip=True),
        token(" ", rstrip=True),
        token("ß", single_word=True),
    ]
    pair = both(file(added))
    assert pair.differences(strings(61, 500)) == []


def test_added_ids_follow_the_model_whatever_the_file_says() -> None:
    size = len(LETTERS)
    added = [token("<s>", 500), token("a", 77), token("</s>", size + 1), token("<s>", 3)]
    pair = both(file(added))
    assert pair.ours.encode("<s>a</s>").ids == [size, 0, size + 1] == pair.theirs.encode("<s>a</s>").ids
    (warning,) = (fact for fact in pair.ours.facts if fact.kind == FactKind.WARNING and fact.topic == "added tokens")
    assert warning == Fact(
        "added tokens",
        f"The file gives <s> the id 500, but tokenizers numbers added tokens itself and gives it {size}, and 2 more "
        "like it.",
        "added_tokens[0]",
        kind=FactKind.WARNING,
    )


def test_a_vocabulary_with_gaps_loses_a_piece_to_an_added_token() -> None:
    model = {"type": "BPE", "vocab": {"a": 0, "b": 2}, "merges": []}
    pair = both({"model": model, "added_tokens": [token("X", 3)]})
    assert pair.differences(["ab", "aXb", "XX"]) == []
    assert pair.decode_differences([[0, 2], [2, 2]]) == []
    assert pair.ours.decode([2]) == "X"
    assert pair.ours.encode("b").ids == [2]


def test_repeated_and_empty_tokens() -> None:
    first, second = token("<a>", special=True, rstrip=True), token("<a>", lstrip=True)
    pair = both(file([first, token("", special=True), token("b", special=True), second]))
    for parse_special in (True, False):
        assert pair.differences(texts(3, 300), parse_special=parse_special) == []
    # a spelling that was special once remains special
    ids = pair.ours.encode("a<a>b").ids
    assert pair.decode_differences([ids]) == []
    assert pair.ours.decode(ids, unparse_special=False) == "a"


def test_a_normalized_token_is_matched_and_decoded_in_normalized_form() -> None:
    added = [token("<x>", special=True, normalized=True), token("x<", normalized=True), token("[x]")]
    pair = both(file(added, X_TO_A))
    samples = ["<x>", "<a>", "[x]", "[a]", "x<x", "a<b", "<x><a>[x][a]", *texts(4, 200)]
    assert pair.differences(samples) == []
    ids = pair.ours.encode("<x>b[x]").ids
    # not removed as special, because its spelling differs from the file's
    assert pair.decode_differences([ids]) == []
    assert pair.ours.decode(ids, unparse_special=False) == "<a> b [x]"
    assert "<a>" in {fact.code for fact in pair.ours.facts if fact.topic == "added tokens"}


def test_a_repeated_token_keeps_the_normalized_spelling_of_an_earlier_entry() -> None:
    """It is searched for as the last entry says, and decodes to what an earlier one was normalized to."""
    pair = both(file([token("<x>", normalized=True), token("<x>", special=True)], X_TO_A))
    assert pair.differences(["<x>", "<a>", "b<x>", *texts(4, 60)]) == []
    ids = pair.ours.encode("<x>").ids
    assert pair.ours.decode(ids) == "<a>"
    assert pair.decode_differences([ids, ids * 2]) == []


STRIP = {"type": "Strip", "strip_left": True, "strip_right": True}


def test_a_token_normalized_to_nothing_is_refused() -> None:
    words = {"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2, "\n": 3}, "merges": [["a", "b"]]}}
    content = words | {"normalizer": STRIP, "added_tokens": [token("\n", 3, normalized=True)]}
    assert Original.from_str(json.dumps(whole(content))).encode("ab").tokens == ["a", "b"], "ab is a token"
    with pytest.raises(InputError, match=r"^toy: added_tokens\[0\]: '.n' is empty once normalized, so"):
        both(content)
    plain = words | {"normalizer": STRIP, "added_tokens": [token("\n", 3, normalized=False)]}
    assert both(plain).differences(["ab", "ab\nab", "ab\n\n"]) == []


def test_two_tokens_normalized_to_the_same_text_are_a_warning() -> None:
    content = whole(file([token("<x>", normalized=True), token("<a>", normalized=True)], X_TO_A))
    tok = from_tokenizer_json(read(json.dumps(content).encode(), "toy"), "toy")
    assert tok.encode("<a>").ids == tok.encode("<x>").ids
    assert any("which one tokenizers finds is undefined" in fact.says for fact in tok.facts)


def test_special_tokens_are_removed_by_their_spelling() -> None:
    pair = both(file([token("a", special=True), token("<a>", special=True), token("b")]))
    ids = pair.ours.encode("<a>ab_").ids
    assert pair.decode_differences([ids, ids[:1], ids[1:2]]) == []


def test_overlapping_tokens_are_an_event() -> None:
    tok = both(file([token("<a>", rstrip=True), token("\n")])).ours
    (_, _, second, _) = items = tok.parts[0].run(*start(tok, "b<a> \nb"))
    assert [item for item in items if isinstance(item, Token)][1] == second
    rows = [(row.kind, row.start, row.end) for row in tok.trace("b<a> \nb").stages[0].events]
    assert (PartitionEvent.TAKEN_TWICE, 5, 6) in rows


def start(tok: explorer.Tokenizer, text: str) -> tuple[Any, Any, Any]:
    trace = tok.trace(text)
    return trace.stages[0].before, trace.options, lambda *row: None


def test_both_partitions_have_their_own_section() -> None:
    tok = both(file([token("<x>", normalized=True), token("<b>")], X_TO_A)).ours
    trace = tok.trace("<b><x>")
    shown = sections(tok, trace, round_trip(tok, trace), window_of(trace))
    keys = [section.key for section in shown]
    assert len(set(keys)) == len(keys)
    results = [section.result for section in shown if section.key.startswith("partition")]
    assert [said.texts[0] for said in results if said] == ["1 user-defined token", "1 user-defined token"]


def test_facts_about_special_and_other_tokens() -> None:
    many = [token(f"<{number}>", special=True) for number in range(30)]
    facts = both(file([*many, token("ab", single_word=True), token("x", lstrip=True)])).ours.facts
    said = [fact.says for fact in facts if fact.place == "added_tokens" and fact.kind == FactKind.USED]
    size = len(LETTERS)
    assert said[0].startswith(f"Special tokens with their ids: <0> ({size}), <1> ({size + 1}),")
    assert said[0].endswith(" and 10 more.")
    assert said[1] == f"Other tokens that are cut out of the text: ab ({size + 30}), x ({LETTERS['x']})."
    assert "1 of the 32 added tokens absorb the white space before them." in said
