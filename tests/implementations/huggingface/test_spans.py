"""Spans are the text that a token was made of, whatever a normalizer composes, replaces or reorders."""

from __future__ import annotations

import unicodedata
from random import Random
from typing import Any

import pytest

import explorer
from explorer.engine.normalizers.huggingface import Literal, Prepend, PythonForm, Replace
from explorer.engine.normalizers.stage import Normalization, NormalizeRow
from explorer.engine.part import Events, Options, Segment, Token, initial_items, silent
from explorer.implementations.huggingface.text_stages import normalizers
from tests.bundled import bundled
from tests.fuzz.tokenizer_files import CHARACTERS, normalizer
from tests.originals.hugging_face import both
from tests.tiers import amount

JAMO = "\u1100\u1161\u11a8"
TEXTS = (
    JAMO,
    f"a{JAMO}b",
    "e\u0301",
    "q\u0307\u0323x",
    "か\u3099",
    "\u1100\u1161 \u11a8",
    "a\u0323\u0307e\u0301",
    "ab ab",
)


def test_a_composed_syllable_is_made_of_all_its_letters() -> None:
    """The table's example; the original's offsets have the first letter alone."""
    qwen = bundled("qwen2.5@huggingface")
    (span,) = set(qwen.encode(JAMO).spans)
    assert span == (0, 3)
    assert explorer.offsets(qwen, JAMO) == [(0, 1)] * len(qwen.encode(JAMO).ids)
    assert qwen.encode("e\u0301!").spans == [(0, 2), (2, 3)]
    assert explorer.offsets(qwen, "e\u0301!") == [(0, 1), (2, 3)]


def uncovered(made: Normalization, text: str) -> set[int]:
    """The characters of a text within no span of the normalized text; the spans are in order."""
    events = Events(NormalizeRow)
    inside: set[int] = set()
    for item in made.run(initial_items(text), Options(), events.emit):
        assert isinstance(item, Segment)
        assert [*item.starts] == sorted(item.starts)
        assert [*item.ends] == sorted(item.ends)
        for start, end in zip(item.starts, item.ends, strict=True):
            assert 0 <= start <= end <= len(text)
            inside.update(range(start, end))
    return {*range(len(text))} - inside


def dropping(section: dict[str, Any]) -> bool:
    """Whether a normalizer may drop characters, or write nothing for them."""
    inner = section.get("normalizers")
    if inner is not None:
        return any(map(dropping, inner))
    named = section["type"] in ("Strip", "StripAccents", "Nmt", "BertNormalizer", "Precompiled")
    return named or (section["type"] == "Replace" and not section["content"])


def test_each_character_that_is_not_dropped_belongs_to_a_span() -> None:
    """For random normalizers of every type, nested, and their characters."""
    seen = changed = 0
    for seed in range(amount(4_000)):
        choose = Random(seed)
        section = normalizer(choose)
        if dropping(section):
            continue
        made = Normalization(normalizers(section))
        for _ in range(4):
            text = "".join(choose.choices(CHARACTERS, k=choose.randint(1, 9)))
            assert not uncovered(made, text), (section, ascii(text))
            seen += 1
            items = made.run(initial_items(text), Options(), silent)
            changed += "".join(item.text for item in items if isinstance(item, Segment)) != text
    assert changed > seen / 3 > 50


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
def test_every_part_of_a_form_is_made_by_the_characters_of_its_span(form: Any) -> None:
    """Each stretch of normalized text is the form of the text that its spans cover, by Python's own forms."""
    stage = Normalization([PythonForm(form)])
    choose = Random(form)
    marks = "aeq\u1100\u1161\u11a8\u0301\u0307\u0323か\u3099\ufb01\u0345 "
    for _ in range(amount(3_000)):
        text = "".join(choose.choices(marks, k=choose.randint(1, 8)))
        (item,) = stage.run(initial_items(text), Options(), silent)
        assert isinstance(item, Segment)
        at = 0
        while at < len(item.text):
            end = at + 1
            # characters whose spans overlap belong together
            while end < len(item.text) and item.starts[end] < item.ends[end - 1]:
                end += 1
            source = text[item.starts[at] : item.ends[end - 1]]
            assert unicodedata.normalize(form, source) == item.text[at:end], (ascii(text), ascii(source))
            at = end


def test_a_replaced_text_has_the_span_of_its_match() -> None:
    replaced = Replace(Literal("abc"), "xy").apply(Segment.of("-abc-"), 0, False, silent)
    assert [*zip(replaced.starts, replaced.ends, strict=True)] == [(0, 1), (1, 4), (1, 4), (4, 5)]
    assert Prepend("").apply(Segment.of("ab"), 0, False, silent) == Segment.of("ab")


VOCABULARY = {"<unk>": 0, "a": 1, "b": 2, "<0xC3>": 3, "<0x83>": 4}
MODEL: dict[str, Any] = {"type": "BPE", "vocab": VOCABULARY, "merges": []}


def test_a_character_that_the_model_drops_does_not_shift_later_spans() -> None:
    for model, text, spans in (
        ({**MODEL, "unk_token": None}, "xaxxb", [(1, 2), (4, 5)]),
        ({**MODEL, "unk_token": "<unk>", "fuse_unk": True}, "xya", [(0, 2), (2, 3)]),
        # the unknown token comes after the bytes of what follows it, so they share a span
        ({**MODEL, "unk_token": "<unk>", "byte_fallback": True}, "xÃa", [(0, 2), (0, 2), (0, 2), (2, 3)]),
    ):
        found = both({"model": model})
        assert found.ours.encode(text).spans == spans
        assert found.differences([text, text * 3, f"{text} {text}"]) == []


@pytest.mark.parametrize("section", [
    {"type": "NFC"}, {"type": "NFKC"}, {"type": "Replace", "pattern": {"Regex": r"\p{L}\p{M}+"}, "content": "a"},
    {"type": "Sequence", "normalizers": [{"type": "NFD"}, {"type": "NFC"}]},
])  # fmt: skip
def test_tokens_cover_what_was_composed_and_offsets_stay_the_originals(section: dict[str, Any]) -> None:
    vocabulary = {ch: id for id, ch in enumerate(dict.fromkeys(unicodedata.normalize("NFC", "?" + "".join(TEXTS))))}
    pair = both({"model": MODEL | {"vocab": vocabulary, "unk_token": "?"}, "normalizer": section})
    assert pair.differences(TEXTS) == []
    for text in TEXTS:
        inside = {at for span in pair.ours.encode(text).spans if span for at in range(*span)}
        assert inside == {*range(len(text))}, ascii(text)
        tokens = pair.ours.trace(text).encoding.tokens
        assert all(isinstance(token, Token) and token.start < token.end for token in tokens)
