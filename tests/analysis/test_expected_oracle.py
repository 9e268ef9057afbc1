"""What is said of expected ids is done again: the recipe makes them, and so do the replacements of the regions.

The ids come from real tokenizers and from small tokenizer.json files, with one thing or several things done to them.
"""

from __future__ import annotations

import json
from functools import cache
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.analysis.expected.expected_ids import Explanation, Position, Reason, stretches
from explorer.analysis.expected.explainer import explain
from explorer.analysis.what_if import adds_tokens
from explorer.engine.part import Options
from explorer.engine.tokenizer import Tokenizer
from explorer.opening.formats import open_files
from tests.bundled import bundled
from tests.meaning import mentions
from tests.originals.generators import texts
from tests.tiers import amount

SPECS = ("llama-2", "gpt-2", "bert-uncased", "qwen2.5@llama.cpp", "mistral-v1", "xlm-r")


def small(**normalized: bool) -> Tokenizer:
    """A tokenizer.json of a SentencePiece model, with `normalized` of its special tokens: s=True for `</s>`."""
    pieces = ["<unk>", "<s>", "</s>", *"▁Hi<s/>ab", "▁H", "Hi", "▁Hi", "▁a", "▁<"]
    vocab = {piece: id for id, piece in enumerate(dict.fromkeys(pieces))}
    flags = {"lstrip": False, "rstrip": False, "single_word": False, "special": True}
    bos = {"SpecialToken": {"id": "<s>", "type_id": 0}}
    text = {"Sequence": {"id": "A", "type_id": 0}}
    file: dict[str, Any] = {
        "version": "1.0", "truncation": None, "padding": None, "pre_tokenizer": None,
        "added_tokens": [
            {"id": id, "content": piece, "normalized": normalized.get(name, False)} | flags
            for id, (piece, name) in enumerate((("<unk>", "unk"), ("<s>", "bos"), ("</s>", "eos")))
        ],
        "normalizer": {"type": "Sequence", "normalizers": [
            {"type": "Prepend", "prepend": "▁"}, {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
        ]},
        "post_processor": {
            "type": "TemplateProcessing", "single": [bos, text],
            "pair": [bos, text, {"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}},
        },
        "decoder": {"type": "Sequence", "decoders": [
            {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "Fuse"},
            {"type": "Strip", "content": " ", "start": 1, "stop": 0},
        ]},
        "model": {
            "type": "BPE", "dropout": None, "unk_token": "<unk>", "continuing_subword_prefix": None,
            "end_of_word_suffix": None, "fuse_unk": True, "byte_fallback": False, "ignore_merges": False,
            "vocab": vocab, "merges": [["▁", "H"], ["H", "i"], ["▁H", "i"], ["▁", "a"], ["▁", "<"]],
        },
    }  # fmt: skip
    return open_files({"small.json": json.dumps(file).encode()}, None)


@cache
def opened(spec: str) -> Tokenizer:
    """A bundled one, or a small one by the tokens whose `normalized` is true."""
    name, _, which = spec.partition(":")
    return small(**dict.fromkeys(which.split(), True)) if name == "small" else bundled(spec)


def none_other(spec: str) -> Tokenizer:
    """A loader that fails: the explanation must use this tokenizer alone."""
    raise AssertionError(f"{spec} was opened, although a nearer explanation fits")


def checked(found: Explanation) -> Explanation:
    """Checks that an explanation reproduces the expected ids."""
    expected, ours = list(found.expected), found.given.ids
    made = list(ours)
    for region in sorted(
        found.regions, key=lambda each: (each.stretch.given.start, each.stretch.expected.start), reverse=True
    ):
        stretch = region.stretch
        assert not stretch.same
        assert (region.span is None) == (stretch.position != Position.TEXT)
        made[stretch.given.start : stretch.given.stop] = [expected[index] for index in stretch.expected]
    assert made == expected, "the regions' replacements"
    order = [region.stretch.position for region in found.regions]
    assert order == sorted(order, key=[Position.FRONT, Position.BEHIND, Position.TEXT].index)
    assert found.same == (expected == ours) == (found.reason == Reason.SAME)
    assert [n for each in found.stretches for n in each.expected] == list(range(len(expected)))
    assert [n for each in found.stretches for n in each.given] == list(range(len(ours)))
    if found.recipe is not None:
        assert found.recipe.ids() == expected, "the recipe"
        if found.reason == Reason.PARTS:
            assert "".join(part.text for part in found.recipe.encoded) == found.text
            assert [len(part.text) for part in found.recipe.encoded[:-1]] == [
                b - a for a, b in zip((0, *found.cuts), found.cuts, strict=False)
            ]
    else:
        assert found.reason in (
            Reason.TEXT, Reason.CUTS, Reason.OUT_OF_RANGE, Reason.MISSING_SPECIAL, Reason.EXTRA_SPECIAL,
            Reason.OTHER_SPECIAL, Reason.DOUBLED,
        )  # fmt: skip
    return found


# --- an added token whose normalized is true --------------------------------------------------------------------------

ADDED = ("Hi</s>", "Hi</s> a", "Hi </s>", "</s>a", "a</s></s>b", "Hi</s>Hi </s>")


@pytest.mark.parametrize("text", ADDED)
@pytest.mark.parametrize("special", [True, False])
def test_a_token_searched_in_the_original_text_instead_is_explained(text: str, special: bool) -> None:
    """The file searches `</s>` as `▁</s>`; the ids of a program that searches `</s>` are explained by that."""
    written, normalized = opened("small:"), opened("small:eos")
    ids = written.encode(text).ids
    assert ids != normalized.encode(text).ids
    if not special:
        ids = ids[1:]
    found = checked(explain(normalized, text, ids, open_other=none_other))
    lacks = "" if special else "lack “<s>” (1) at the start; otherwise they "
    assert found.sentence == (
        f"The expected ids {lacks}are those of searching the added token “</s>” (2) in the original text; its "
        "“normalized” is true, so small.json searches the normalized text for “▁</s>”."
    )
    assert found.reason == Reason.NORMALIZED
    # as the sentence states: the same file with normalized false
    assert found.recipe is not None
    (encoded,) = found.recipe.encoded
    assert encoded.ids() == written.encode(text).ids
    if text.startswith("Hi"):
        assert found.decoded is not None
        assert "▁" not in found.decoded
        assert "</s>" in found.decoded, "the token as the file calls it"


@pytest.mark.parametrize("text", ["Hi </s>", "</s>a", "Hi </s>Hi"])
def test_a_token_searched_in_the_normalized_text_instead_is_explained(text: str) -> None:
    written, normalized = opened("small:"), opened("small:eos")
    found = checked(explain(written, text, normalized.encode(text).ids, open_other=none_other))
    assert found.sentence == (
        "The expected ids are those of searching the added token “</s>” (2) as “▁</s>” in the normalized text, as if "
        "its “normalized” were true; small.json searches the original text."
    )


def test_the_search_is_noted_even_if_it_does_not_explain_the_ids() -> None:
    """The token is named by its spelling in the file, not by its normalized spelling."""
    normalized = opened("small:eos")
    ids = [*opened("small:").encode("Hi</s>").ids, 9]
    found = checked(explain(normalized, "Hi</s>", ids, open_other=bundled))
    assert mentions(
        found.sentence,
        "The added token “</s>” (2) is searched as “▁</s>” in the normalized text, because its “normalized” is true.",
    )
    assert "␣</s>" not in found.sentence
    assert "Hi </s>" not in found.sentence


# --- special tokens first and apart -----------------------------------------------------------------------------------


def test_a_missing_bos_hides_nothing() -> None:
    tok = bundled("llama-2")
    ids = tok.encode("What was LoRA!", add_special=False).ids
    found = checked(explain(tok, "What is LoRA?", [*ids, 2], open_other=bundled))
    assert found.sentence == (
        "The expected ids lack “<s>” (1) at the start and have “</s>” (2) at the end, which llama-2 does not "
        "give. Otherwise they spell another text, “What␣was␣LoRA!”: at characters 6 to 13 they have “was␣LoRA!” "
        "where the text "
        "has “is␣LoRA?”."
    )
    assert [region.sentence for region in found.regions] == [
        "Before the text: expected nothing; llama-2 gives “<s>” (1).",
        "After the text: expected “</s>” (2); llama-2 gives nothing.",
        "Characters 5 to 7, “␣is”: expected “␣was” (471); llama-2 gives “␣is” (338).",
        "Character 13, “?”: expected “!” (29991); llama-2 gives “?” (29973).",
    ]


def test_the_text_is_explained_separately_from_the_ends() -> None:
    tok = bundled("llama-2")
    ids = [*tok.encode(" What is", add_special=False).ids, 2]
    found = checked(explain(tok, "What is", ids, open_other=none_other))
    assert found.sentence == (
        "The expected ids lack “<s>” (1) at the start and have “</s>” (2) at the end, which llama-2 does not "
        "give; otherwise they are for the text with a leading space."
    )
    assert found.reason == Reason.LEADING_SPACE


def test_special_tokens_spelled_in_the_text_do_not_count_as_added() -> None:
    tok = bundled("llama-2")
    found = checked(explain(tok, "<s> end", tok.encode("<s> and").ids[1:], open_other=bundled))
    assert found.regions[0].sentence == "Before the text: expected nothing; llama-2 gives “<s>” (1)."
    assert [region.text for region in found.regions] == ["", "␣end"]


DOUBLED = [
    ("llama-2", "What is", "have “<s>” (1) twice at the start; they are what llama-2 gives for the text with "
     "“<s>” before it"),
    ("bert-uncased", "what", "have “[CLS]” (101) twice at the start; they are what bert-uncased gives for the text "
     "with “[CLS]” before it"),
    ("small:", "Hi a", None),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "text", "says"), DOUBLED)
def test_bos_twice(spec: str, text: str, says: str | None) -> None:
    tok = opened(spec)
    ids = tok.encode(text).ids
    found = checked(explain(tok, text, [ids[0], *ids], open_other=none_other))
    assert found.reason == Reason.DOUBLED
    if says is not None:
        assert found.sentence == f"The expected ids {says}."
        assert found.read is not None
        assert tok.encode(found.read).ids == [ids[0], *ids]
    else:
        assert mentions(found.sentence, "“<s>” (1) twice at the start")
    # together with another difference
    found = checked(explain(tok, text, [ids[0], *ids[:-1]], open_other=bundled))
    assert "twice at the start" in found.sentence
    # the tokenizer doubles it, the expected ids don't
    spelled = tok.vocabulary.pieces[ids[0]].decode() + text
    found = checked(explain(tok, spelled, tok.encode(spelled).ids[1:], open_other=none_other))
    assert f"once at the start, where {tok.name} gives it twice" in found.sentence


def test_bos_three_times() -> None:
    found = checked(explain(bundled("llama-2"), "What", [1, 1, 1, 1724], open_other=none_other))
    assert found.sentence == "The expected ids have “<s>” (1) 3 times at the start."


# --- encoded in parts -------------------------------------------------------------------------------------------------

PARTS = [
    # spec, text, cuts, options of the first part and the rest, and the words about special tokens
    ("gpt-2", "What is LoRA?", (6,), (True, True), ""),
    ("gpt-2", "unbelievable", (4,), (True, True), ""),
    ("llama-2", "What is LoRA?", (6,), (True, True), ", each part with its special tokens"),
    ("llama-2", "What is LoRA?", (6,), (True, False), ", only the first part with special tokens"),
    ("llama-2", "What is LoRA?", (6,), (False, False), ", all without special tokens"),
    ("bert-uncased", "unbelievable things", (3,), (True, True), ", each part with its special tokens"),
    ("bert-uncased", "unbelievable things", (3,), (True, False), ", only the first part with special tokens"),
    ("xlm-r", "unbelievable things", (5,), (True, True), ", each part with its special tokens"),
    ("small:", "Hi Hi", (1,), (True, True), ", each part with its special tokens"),
    ("gpt-2", "What is it, and where was it seen before?", (5, 18, 30), (True, True), ""),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "text", "cuts", "options", "how"), PARTS)
def test_ids_that_were_encoded_in_parts(
    spec: str, text: str, cuts: tuple[int, ...], options: tuple[bool, bool], how: str
) -> None:
    tok = opened(spec)
    edges = (0, *cuts, len(text))
    parts = [text[a:b] for a, b in pairwise(edges)]
    ids = [id for number, part in enumerate(parts) for id in tok.encode(part, add_special=options[number > 0]).ids]
    found = checked(explain(tok, text, ids, open_other=bundled))
    assert (found.reason, found.cuts) == (Reason.PARTS, cuts)
    at = f"at character {cuts[0]} (" if len(cuts) == 1 else "at characters 5, 18 and 30"
    assert found.sentence.startswith(f"The expected ids are those of the text encoded in parts, cut {at}")
    assert found.sentence.endswith(f"{')' if len(cuts) == 1 else ''}{how}.")


def test_parts_and_an_end_that_differs() -> None:
    tok = bundled("llama-2")
    ids = [*tok.encode("What i").ids, *tok.encode("s LoRA?").ids, 2]
    found = checked(explain(tok, "What is LoRA?", ids, open_other=none_other))
    assert found.sentence == (
        "The expected ids have “</s>” (2) at the end, which llama-2 does not give; otherwise they are those of "
        "the text encoded in parts, cut at character 6 (“What␣i” | “s␣LoRA?”), each part with its special tokens."
    )


def test_one_part_for_each_id_explains_nothing() -> None:
    tok = bundled("gpt-2")
    ids = [id for ch in "What is" for id in tok.encode(ch).ids]
    assert checked(explain(tok, "What is", ids, open_other=bundled)).reason == Reason.CUTS


WAYS = ((True, True), (True, False), (False, False))
"""Whether the first part and the rest have special tokens."""


@settings(max_examples=amount(60))
@given(texts(), st.sampled_from(SPECS), st.integers(0, 60), st.sampled_from(WAYS))
def test_any_cuts_are_explained_exactly(text: str, spec: str, at: int, options: tuple[bool, bool]) -> None:
    tok = opened(spec)
    at = min(at, len(text))
    ids = [id for part, add in zip((text[:at], text[at:]), options, strict=True)
           for id in tok.encode(part, add_special=add).ids]  # fmt: skip
    found = checked(explain(tok, text, ids, open_other=bundled))
    if 0 < at < len(text):
        assert found.recipe is not None, found.sentence


@settings(max_examples=amount(60))
@given(texts(), st.sampled_from((*SPECS, "small:", "small:eos", "small:bos eos")), st.data())
def test_any_change_of_ids_is_reported_region_by_region(text: str, spec: str, data: st.DataObject) -> None:
    tok = opened(spec)
    ids = tok.encode(text).ids
    size = len(tok.vocabulary)
    for _ in range(data.draw(st.integers(0, 3))):
        at = data.draw(st.integers(0, len(ids)))
        new = data.draw(st.lists(st.one_of(st.integers(0, 5), st.integers(0, size - 1)), max_size=2))
        ids[at : at + data.draw(st.integers(0, 2))] = new
    found = explain(tok, text, ids, open_other=bundled)
    checked(found)
    assert found.sentence.endswith(".")


@pytest.mark.sample(2)
@pytest.mark.parametrize("add", [True, False])
@pytest.mark.parametrize("spec", SPECS)
def test_changed_special_tokens_at_the_ends(spec: str, add: bool) -> None:
    """Each special token, added at the start or the end or removed: always reported first, nothing else is opened."""
    tok, text = opened(spec), "What is it?"
    ids = tok.encode(text, add_special=add).ids
    specials = [id for id, kind in enumerate(tok.vocabulary.kinds) if kind == 3][:3]
    for special in specials:
        for changed in ([special, *ids], [*ids, special], [special, *ids, special]):
            found = checked(explain(tok, text, changed, add_special=add, open_other=none_other))
            assert f"({special})" in found.sentence
            assert all(region.span is None for region in found.regions)
    if adds_tokens(tok) and add:
        bare = tok.encode(text, **Options(False)._asdict()).ids
        assert all(region.span is None for region in checked(explain(tok, text, bare, open_other=none_other)).regions)


# --- the two lists side by side ---------------------------------------------------------------------------------------


def test_lists_are_aligned_by_content() -> None:
    """Equal bytes are aligned, whatever their ids."""
    tok = bundled("gpt-2")
    text = "the cat and the other cat"
    ids = [id for word in ("the", " ", "cat", " and", " the", " our", " cat") for id in tok.encode(word).ids]
    found = checked(explain(tok, text, ids, open_other=bundled))
    assert [(region.text, region.expected) for region in found.regions] == [
        ("␣cat", "“␣” (220), “cat” (9246)"), ("␣other", "“␣our” (674)")
    ]  # fmt: skip


@settings(max_examples=amount(200))
@given(st.data())
def test_same_bytes_are_cut_wherever_both_have_a_cut(data: st.DataObject) -> None:
    """By a slow oracle: no stretch that differs has an offset at which a token ends on both sides."""
    text = data.draw(st.binary(min_size=1, max_size=14))

    def cut() -> list[bytes]:
        edges = sorted(data.draw(st.sets(st.integers(1, max(len(text) - 1, 1)), max_size=6)) - {len(text)})
        return [text[a:b] for a, b in zip((0, *edges), (*edges, len(text)), strict=True)]

    one, other = cut(), cut()
    names: dict[bytes, int] = {}
    ids = [[names.setdefault(part, len(names)) for part in parts] for parts in (one, other)]
    spelled = {id: part for part, id in names.items()}
    found = stretches(ids[0], ids[1], contents=lambda some: [spelled[id] for id in some])
    for each in found:
        left, right = [one[n] for n in each.expected], [other[n] for n in each.given]
        assert b"".join(left) == b"".join(right)
        assert each.same == (left == right)
        if not each.same:
            ends = [{len(b"".join(parts[:n])) for n in range(1, len(parts))} for parts in (left, right)]
            assert not ends[0] & ends[1]


def test_long_lists_are_aligned_too() -> None:
    one = list(range(10_000))
    other = [*one[:3_000], 10_001, *one[3_000:7_000], *one[7_100:]]
    found = [each for each in stretches(one, other) if not each.same]
    assert [(each.expected, each.given) for each in found] == [
        (range(3_000, 3_000), range(3_000, 3_001)), (range(7_000, 7_100), range(7_001, 7_001))
    ]  # fmt: skip
