"""Every normalizer of a tokenizer.json against the original: text and alignment."""

from __future__ import annotations

import base64
import random
import struct
import unicodedata
from typing import Any

import pytest

from explorer.engine.normalizers.charsmap import CharsmapNormalization
from explorer.engine.normalizers.stage import NormalizeEvent, NormalizeRow
from explorer.engine.part import Events, Options, Segment, silent
from explorer.engine.unicode.versions import UNKNOWN_TO_FORMS
from explorer.errors import InputError
from explorer.facts import FactKind
from explorer.implementations.huggingface.text_stages import NORMALIZERS, normalizer_facts, normalizers
from tests.bundled import bundled
from tests.engine.charsmap_writer import charsmap
from tests.originals.generators import strings
from tests.originals.hugging_face_parts import differences, original, parts

BY_CHARACTER = {"type": "FixedLength", "length": 1}
"""Splits a text into characters, so that each has its span."""

SAMPLES = strings(seed=51, count=600)


def one(kind: str, **settings: object) -> dict[str, Any]:
    return {"type": kind, **settings}


def sequence(*normalizers: dict[str, Any]) -> dict[str, Any]:
    return {"type": "Sequence", "normalizers": list(normalizers)}


def replace(pattern: str, content: str, kind: str = "Regex") -> dict[str, Any]:
    return one("Replace", pattern={kind: pattern}, content=content)


def bert(**settings: object) -> dict[str, Any]:
    default = {"clean_text": True, "handle_chinese_chars": True, "strip_accents": None, "lowercase": True}
    return {"type": "BertNormalizer"} | default | settings


def precompiled(data: bytes) -> dict[str, Any]:
    return one("Precompiled", precompiled_charsmap=base64.b64encode(data).decode())


TOY_MAP = charsmap(
    {"ﬁ": "fi", "A": "a", "A\u030a": "å", "\u200b": "", "\u3000": " ", "…": "...", "e\u0301": "é", "b": "xyz"}
)
STRIP = one("Strip", strip_left=True, strip_right=True)

CASES = {
    **{form: one(form) for form in ("NFC", "NFD", "NFKC", "NFKD")},
    "Lowercase": one("Lowercase"),
    "StripAccents": one("StripAccents"),
    "Strip": STRIP,
    "Strip left": one("Strip", strip_left=True, strip_right=False),
    "Strip right": one("Strip", strip_left=False, strip_right=True),
    "Strip nothing": one("Strip", strip_left=False, strip_right=False),
    "Replace a text": replace(" ", "▁", "String"),
    "Replace by more": replace("e", "ab", "String"),
    "Replace by nothing": replace("is", "", "String"),
    "Replace what means something in a pattern": replace("+", "[.]", "String"),
    "Replace an empty text": replace("", "-", "String"),
    "Replace a pattern": replace(r"\s+", " "),
    "Replace an empty match": replace("a*", "X"),
    "Replace at the beginning": replace(r"\A", "▁"),
    "Prepend": one("Prepend", prepend="▁"),
    "Prepend more": one("Prepend", prepend="ab"),
    "Prepend nothing": one("Prepend", prepend=""),
    "Strip, Prepend nothing": sequence(STRIP, one("Prepend", prepend="")),
    "Prepend, Prepend nothing": sequence(one("Prepend", prepend="▁"), one("Prepend", prepend="")),
    "Prepend nothing, Prepend": sequence(one("Prepend", prepend=""), one("Prepend", prepend="▁")),
    "BertNormalizer": bert(),
    "BertNormalizer cased": bert(lowercase=False),
    "BertNormalizer cased without accents": bert(lowercase=False, strip_accents=True),
    "BertNormalizer with accents": bert(strip_accents=False),
    "BertNormalizer unclean": bert(clean_text=False),
    "BertNormalizer without Chinese": bert(handle_chinese_chars=False),
    "BertNormalizer off": bert(clean_text=False, handle_chinese_chars=False, lowercase=False),
    "Precompiled": precompiled(TOY_MAP),
    "Nmt": one("Nmt"),
    "ByteLevel": one("ByteLevel"),
    "NFKC, Lowercase, Replace": sequence(one("NFKC"), one("Lowercase"), replace(" {2,}", " ")),
    "NFD, StripAccents, Lowercase": sequence(one("NFD"), one("StripAccents"), one("Lowercase")),
    "Strip, then in front": sequence(STRIP, replace(r"\A", "▁")),
    "Prepend, Replace": sequence(one("Prepend", prepend="▁"), replace(" ", "▁", "String")),
    "Precompiled, Replace, Prepend": sequence(precompiled(TOY_MAP), replace(" {2,}", " "), one("Prepend", prepend="▁")),
    "NFC, ByteLevel": sequence(one("NFC"), one("ByteLevel")),
    "Nmt, NFKC": sequence(one("Nmt"), one("NFKC")),
    "within one another": sequence(sequence(one("NFD"), sequence()), one("NFC")),
    "BertNormalizer, NFC": sequence(bert(), one("NFC")),
}  # fmt: skip


@pytest.mark.sample(6)
@pytest.mark.parametrize("name", CASES)
def test_texts_and_alignment_match_the_original(name: str) -> None:
    assert differences(CASES[name], BY_CHARACTER, SAMPLES) == []


def test_every_normalizer_is_among_the_cases() -> None:
    assert {case["type"] for case in CASES.values()} == {*NORMALIZERS, "Sequence"}


def test_the_map_of_a_real_model() -> None:
    stage = bundled("xlm-r").parts[1]
    assert isinstance(stage, CharsmapNormalization)
    table = stage.charsmap
    assert table is not None
    part = precompiled(struct.pack("<I", 4 * len(table.units)) + table.units.tobytes() + table.strings)
    (ours,), theirs = normalizers(part), original(part, None).normalizer
    for text in filter(None, SAMPLES):
        assert ours.apply(Segment.of(text), 0, False, silent).text == theirs.normalize_str(text), ascii(text)
    assert differences(part, BY_CHARACTER, SAMPLES[::8]) == []


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
def test_marks_jamo_and_characters_too_new_for_the_original(form: str) -> None:
    choose = random.Random(3)
    marks = [ch for ch in map(chr, range(0x300, 0x1F000)) if unicodedata.combining(ch)]
    jamo = [chr(code) for code in (*range(0x1100, 0x1113), *range(0x1161, 0x1176), *range(0x11A7, 0x11C3))]
    letters = [*map(chr, sorted(UNKNOWN_TO_FORMS)), *marks, *jamo, *"aeiouAEIKs각가Åﬁ¼"]
    samples = ["".join(choose.choices(letters, k=choose.randint(1, 8))) for _ in range(1_000)]
    assert differences(one(form), BY_CHARACTER, samples) == []


@pytest.mark.long
def test_every_code_point_is_normalized_like_the_original() -> None:
    """All of Unicode, assigned or not: forms, lower case, marks, nmt, white space at the ends."""
    kinds = [one(kind) for kind in ("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Nmt")] + [STRIP]
    pairs = [(normalizers(part), original(part, None).normalizer) for part in kinds]
    for code in range(0x110000):
        # later planes are mostly Han and private use; a sample is enough
        if 0xD800 <= code < 0xE000 or (code >= 0x20000 and code % 97):
            continue
        ch = chr(code)
        for ours, theirs in pairs:
            segment = Segment.of(ch)
            for each in ours:
                segment = each.apply(segment, 0, False, silent)
            assert segment.text == theirs.normalize_str(ch), hex(code)


# --- expected results ------------------------------------------------------------------------------------------------


def normalized(part: dict[str, Any], text: str) -> tuple[str, list[tuple[int, int]], list[tuple[str, int, str]]]:
    """The text, the span of each character, and the events."""
    events: Events[NormalizeRow] = Events(NormalizeRow)
    segment = Segment.of(text)
    for each in normalizers(part):
        segment = each.apply(segment, 0, False, events.emit)
    rows = [
        (NormalizeEvent(row.kind).name, row.at, chr(row.code_point) if row.code_point >= 0 else "")
        for row in events
        if row.kind != NormalizeEvent.PASS
    ]
    return segment.text, list(zip(segment.starts, segment.ends, strict=True)), rows


@pytest.mark.parametrize(("part", "text", "to", "spans", "events"), [
    (one("NFC"), "xe\u0301", "xé", [(0, 1), (1, 3)], [("COMPOSE", 1, "é"), ("ALSO", 2, "\u0301"), ("FORM", 1, "é")]),
    (one("NFD"), "é", "e\u0301", [(0, 1), (0, 1)], [("DECOMPOSE", 0, "e"), ("MORE", 0, "\u0301")]),
    (one("NFKC"), "ﬁ²", "fi2", [(0, 1), (0, 1), (1, 2)],
     [("DECOMPOSE", 0, "f"), ("MORE", 0, "i"), ("DECOMPOSE", 1, "2"), ("FORM", 0, "f"), ("FORM", 1, "2")]),
    (one("NFD"), "a\u0301\u0323", "a\u0323\u0301", [(0, 1), (1, 3), (1, 3)],
     [("REORDER", 1, "\u0323"), ("REORDER", 2, "\u0301")]),
    (one("Lowercase"), "ÀΣ", "àσ", [(0, 1), (1, 2)], [("LOWER", 0, "à"), ("LOWER", 1, "σ")]),
    (one("Lowercase"), "İ", "i\u0307", [(0, 1), (0, 1)], [("LOWER", 0, "i"), ("MORE", 0, "\u0307")]),
    (one("StripAccents"), "e\u0301é", "eé", [(0, 1), (2, 3)], [("DROP_MARK", 1, "\u0301")]),
    (STRIP, "\u3000a ", "a", [(1, 2)], [("STRIP", 0, "\u3000"), ("STRIP", 2, " ")]),
    (replace("ll", "1", "String"), "hello", "he1o", [(0, 1), (1, 2), (2, 4), (4, 5)],
     [("REPLACE", 2, "1"), ("ALSO", 3, "l")]),
    (replace("l+", ""), "all", "a", [(0, 1)], [("REPLACE", 1, ""), ("ALSO", 2, "l")]),
    (replace("", "-", "String"), "ab", "-a-b-", [(0, 0), (0, 1), (0, 1), (1, 2), (1, 2)],
     [("INSERT", 0, "-"), ("INSERT", 1, "-"), ("INSERT", 2, "-")]),
    (one("Prepend", prepend="▁"), "ab", "▁ab", [(0, 1), (0, 1), (1, 2)], [("PREFIX", 0, "▁")]),
    (one("Nmt"), "a\x01\u200bb", "a b", [(0, 1), (2, 3), (3, 4)], [("DROP_CONTROL", 1, "\x01"), ("SPACE", 1, " ")]),
    (one("ByteLevel"), "é ", "Ã©Ġ", [(0, 1), (0, 1), (1, 2)], [("BYTES", 0, "Ã"), ("MORE", 0, "©"), ("BYTES", 1, "Ġ")]),
    # a short grapheme is replaced by the mapping of its first character, so its accent is lost
    (precompiled(TOY_MAP), "A\u030ab", "axyz", [(0, 2), (2, 3), (2, 3), (2, 3)],
     [("GRAPHEME", 0, "a"), ("ALSO", 1, "\u030a"), ("MAP", 2, "x"), ("MORE", 2, "y"), ("MORE", 2, "z")]),
    # the first character is dropped; the original's offsets of the others are then off by one, but begin at 0
    (precompiled(TOY_MAP), "\u200bcd", "cd", [(0, 2), (2, 3)], [("MAP", 0, "")]),
])  # fmt: skip
def test_expected_text_spans_and_events(
    part: dict[str, Any], text: str, to: str, spans: list[tuple[int, int]], events: list[tuple[str, int, str]]
) -> None:
    assert normalized(part, text) == (to, spans, events)
    assert differences(part, BY_CHARACTER, [text]) == []


def test_a_segment_normalized_to_nothing_is_dropped() -> None:
    normalization, _ = parts(STRIP, None)
    assert list(normalization.run([Segment.of("  ")], Options(), silent)) == []


# --- refused files ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("part", "says"), [
    (one("Magic"), "normalizer: the normalizer 'Magic' is unknown"),
    (sequence(one("NFC"), one("Magic")), "normalizer.normalizers[1]: the normalizer 'Magic'"),
    (one("Sequence"), "normalizer.normalizers is not a list"),
    (sequence(one("Sequence", normalizers=[3])), "normalizers[0].normalizers[0] is not an object with a type"),
    (one("Strip", strip_left=True), "normalizer: Strip.strip_right is missing"),
    (one("Strip", strip_left=1, strip_right=True), "Strip.strip_left is 1, not of type true or false"),
    (bert(lowercase="yes"), "BertNormalizer.lowercase is 'yes', not of type true or false"),
    (bert(strip_accents="yes"), "BertNormalizer.strip_accents is 'yes'"),
    (one("Prepend", prepend=None), "Prepend.prepend is None"),
    (one("Replace", content=""), "Replace.pattern is missing"),
    (one("Replace", content="", pattern={"String": "a", "Regex": "b"}), "neither a String nor a Regex"),
    (replace("a(b", ""), "Replace.pattern “a(b” cannot be run: character 2 of the pattern: this parenthesis"),
    (one("Precompiled", precompiled_charsmap="?"), "Precompiled.precompiled_charsmap is not base64"),
    (precompiled(b"ab"), "normalizer: the precompiled character map is damaged: it has 2 bytes"),
])  # fmt: skip
def test_unknown_or_damaged_parts_are_named_with_their_path(part: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError) as caught:
        normalizers(part)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_runaway_pattern_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("explorer.engine.regexes.safe.PATTERN_SECONDS", 0.05)
    (runaway,) = normalizers(replace("(?:a|aa)+$b", ""))
    with pytest.raises(InputError, match=r"the pattern “.*” took too long on 61 characters of this text"):
        runaway.apply(Segment.of("a" * 60 + "c"), 0, False, silent)


# --- facts ---------------------------------------------------------------------------------------------------------


def warned(part: dict[str, Any], kind: FactKind = FactKind.WARNING) -> list[tuple[str, str]]:
    return [(fact.place, fact.says) for fact in normalizer_facts(part) if fact.kind == kind]


def test_every_part_has_a_fact_with_its_path() -> None:
    for name, part in CASES.items():
        facts = normalizer_facts(part)
        assert all(fact.topic == "normalizer" and fact.place.startswith("normalizer") for fact in facts)
        assert all(fact.says.endswith(".") and "\n" not in fact.says for fact in facts)
        assert facts or name == "within one another"
    (fact,) = normalizer_facts(replace(r"\s+", " "))
    assert (fact.says, fact.code) == ("What the pattern matches is replaced by “␣”.", r"\s+")
    facts = normalizer_facts(sequence(one("NFD"), sequence(STRIP)))
    assert [fact.place for fact in facts] == ["normalizer.normalizers[0]", "normalizer.normalizers[1].normalizers[0]"]
    assert normalizer_facts(None) == []


def test_a_replace_that_matches_everywhere_is_a_warning() -> None:
    assert warned(replace("", "x", "String"))[0][1].startswith("The pattern is empty and matches everywhere")


def test_normalizers_without_effect_are_reported() -> None:
    unused = FactKind.UNUSED
    assert warned(one("Strip", strip_left=False, strip_right=False), unused)
    assert warned(one("NFC", strip=True), unused) == [("normalizer.strip", "NFC has no setting 'strip'.")]
    assert warned(bert(clean_text=False, handle_chinese_chars=False, lowercase=False), unused)
    assert warned(one("Prepend", prepend=""), unused)
    assert warned(replace("", "", "String"), unused)
