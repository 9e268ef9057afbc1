"""Every pre-tokenizer of a tokenizer.json against the original: the pieces and their spans."""

from __future__ import annotations

import random
from typing import Any

import pytest

from explorer.engine import budget
from explorer.engine.part import Events, Options, Segment, Token, silent
from explorer.engine.pre_tokenizers.by_regex import Behavior, PreTokenization, PreTokenizeEvent, PreTokenizeRow
from explorer.engine.pre_tokenizers.patterns import BY_REGEX, GPT2, LLAMA3, O200K_BASE
from explorer.engine.unicode.versions import is_numeric, is_punctuation, script_of
from explorer.errors import InputError
from explorer.facts import FactKind
from explorer.implementations.huggingface import text_stages
from explorer.implementations.huggingface.text_stages import (
    PRE_TOKENIZERS,
    pattern_of,
    pre_tokenizer_facts,
    pre_tokenizers,
)
from explorer.text import WHITE_SPACE
from tests.originals.generators import strings
from tests.originals.hugging_face_parts import differences, original

SAMPLES = strings(seed=61, count=500)


def one(kind: str, **settings: object) -> dict[str, Any]:
    return {"type": kind, **settings}


def sequence(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"type": "Sequence", "pretokenizers": list(parts)}


def split(pattern: str, behavior: str = "Isolated", invert: bool = False, kind: str = "Regex") -> dict[str, Any]:
    return one("Split", pattern={kind: pattern}, behavior=behavior, invert=invert)


def byte_level(add_prefix_space: bool = False, use_regex: bool = True) -> dict[str, Any]:
    return one("ByteLevel", add_prefix_space=add_prefix_space, trim_offsets=True, use_regex=use_regex)


def metaspace(scheme: str = "always", cuts: bool = True, replacement: str = "▁") -> dict[str, Any]:
    return one("Metaspace", replacement=replacement, prepend_scheme=scheme, split=cuts)


CASES = {
    "ByteLevel": byte_level(),
    "ByteLevel with a prefix": byte_level(add_prefix_space=True),
    "ByteLevel without a pattern": byte_level(use_regex=False),
    "ByteLevel with a prefix, without a pattern": byte_level(add_prefix_space=True, use_regex=False),
    "Whitespace": one("Whitespace"),
    "WhitespaceSplit": one("WhitespaceSplit"),
    **{f"Metaspace {scheme}": metaspace(scheme) for scheme in ("always", "first", "never")},
    **{f"Metaspace {scheme}, uncut": metaspace(scheme, cuts=False) for scheme in ("always", "first", "never")},
    "Metaspace written _": metaspace(replacement="_"),
    "Metaspace written as a space": metaspace(replacement=" "),
    "Metaspace of older files": one("Metaspace", replacement="▁", add_prefix_space=True, str_rep="▁"),
    "BertPreTokenizer": one("BertPreTokenizer"),
    "Digits": one("Digits", individual_digits=False),
    "Digits alone": one("Digits", individual_digits=True),
    "Punctuation": one("Punctuation"),
    **{f"Punctuation {behavior}": one("Punctuation", behavior=behavior) for behavior in Behavior},
    "CharDelimiterSplit": one("CharDelimiterSplit", delimiter="e"),
    "UnicodeScripts": one("UnicodeScripts"),
    "FixedLength": one("FixedLength", length=3),
    "FixedLength left open": one("FixedLength"),
    **{
        f"Split {name} {behavior}{' inverted' * invert}": split(pattern, behavior, invert, kind)
        for name, pattern, kind in (
            ("at spaces", r"\s+", "Regex"), ("at what may be empty", r"[aeiou]*", "Regex"),
            ("at a text", "e", "String"), ("at nothing", "", "String"), ("by Llama 3", LLAMA3.regex, "Regex"),
        )
        for behavior in Behavior for invert in (False, True)
    },
    "Llama 3": sequence(split(LLAMA3.regex), byte_level(use_regex=False)),
    "o200k": sequence(split(O200K_BASE.regex), byte_level(use_regex=False)),
    "words, marks, digits": sequence(
        one("WhitespaceSplit"), one("Punctuation", behavior="MergedWithPrevious"), one("Digits", individual_digits=True)
    ),
    "scripts, then Metaspace at the beginning": sequence(one("UnicodeScripts"), metaspace("first")),
    "bytes twice": sequence(byte_level(add_prefix_space=True), byte_level(add_prefix_space=True)),
    "a prefix before each piece": sequence(split(r"\d"), byte_level(add_prefix_space=True)),
    "Metaspace cut again": sequence(metaspace(), split("▁", "Removed", kind="String"), one("FixedLength", length=2)),
    "within one another": sequence(one("Whitespace"), sequence(one("Digits", individual_digits=False), byte_level())),
    "nothing": sequence(),
}  # fmt: skip


@pytest.mark.sample(10)
@pytest.mark.parametrize("name", CASES)
def test_pieces_and_spans_match_the_original(name: str) -> None:
    assert differences(None, CASES[name], SAMPLES) == []


def test_every_pre_tokenizer_is_among_the_cases() -> None:
    assert {case["type"] for case in CASES.values()} == {*PRE_TOKENIZERS, "Sequence"}


NORMALIZERS = {
    "stripped": {"type": "Strip", "strip_left": True, "strip_right": True},
    "decomposed": {"type": "NFD"},
    "composed": {"type": "NFC"},
    "prefixed": {"type": "Prepend", "prepend": "▁"},
    "with something in front": {"type": "Replace", "pattern": {"Regex": r"\A"}, "content": "▁"},
    "with holes": {"type": "Replace", "pattern": {"String": "e"}, "content": ""},
}


AFTER_NORMALIZERS = [
    (normalizer, name)
    for normalizer in NORMALIZERS
    for name in ("ByteLevel with a prefix", "Metaspace first", "UnicodeScripts", "Llama 3")
    # the original panics if bytes are spelled after a pattern has inserted text at the start
    if normalizer != "with something in front" or name in ("Metaspace first", "UnicodeScripts")
]


@pytest.mark.parametrize(("normalizer", "name"), AFTER_NORMALIZERS)
def test_after_a_normalizer(normalizer: str, name: str) -> None:
    assert differences(NORMALIZERS[normalizer], CASES[name], SAMPLES[::2]) == []


@pytest.mark.long
def test_every_code_point_has_the_originals_classes() -> None:
    """All of Unicode, assigned or not: white space, punctuation, numbers, scripts."""
    white, marks, numbers, scripts = (
        original(None, one(kind, **settings)).pre_tokenizer
        for kind, settings in (("WhitespaceSplit", {}), ("Punctuation", {}), ("Digits", {"individual_digits": True}),
                               ("UnicodeScripts", {}))
    )  # fmt: skip
    for code in range(0x110000):
        if 0xD800 <= code < 0xE000 or (code >= 0x20000 and code % 97):
            continue
        ch = chr(code)
        assert (len(white.pre_tokenize_str(f"a{ch}b")) == 2) == (code in WHITE_SPACE), hex(code)
        assert (len(marks.pre_tokenize_str(f"a{ch}")) == 2) == is_punctuation(ch), hex(code)
        assert (len(numbers.pre_tokenize_str(f"a{ch}")) == 2) == is_numeric(ch), hex(code)
        # a Latin and a Greek letter next to it reveal its script, unless it is one of the two
        beside = tuple(len(scripts.pre_tokenize_str(letter + ch)) == 2 for letter in "aα")
        assert beside == tuple(script_of(ch) not in (-1, script_of(letter)) for letter in "aα"), hex(code)
        assert bool(scripts.pre_tokenize_str(ch)) == (script_of(ch) >= 0), hex(code)


def test_merged_scripts_are_those_of_the_original() -> None:
    theirs = original(None, one("UnicodeScripts")).pre_tokenizer
    by_script: dict[int, list[str]] = {}
    for code in (*range(0xD800), *range(0xE000, 0x20000)):
        by_script.setdefault(script_of(chr(code)), []).append(chr(code))
    choose = random.Random(5)
    for script, chars in by_script.items():
        if script >= 0:
            text = "".join(choose.choices(chars, k=50))
            assert len(theirs.pre_tokenize_str(text)) == 1, ascii(text)
    letters = [choose.choice(chars) for script, chars in sorted(by_script.items()) if script >= 0]
    assert len(theirs.pre_tokenize_str("".join(letters))) == len(letters)


# --- expected results ------------------------------------------------------------------------------------------------


def cut(part: dict[str, Any], text: str, at: int = 0) -> tuple[list[str], list[tuple[str, int, int, int]]]:
    """The pieces and the events of a part."""
    events: Events[PreTokenizeRow] = Events(PreTokenizeRow)
    items = PreTokenization(pre_tokenizers(part)).run([Segment.of(text, at)], Options(), events.emit)
    rows = [(PreTokenizeEvent(row.kind).name, *row[1:]) for row in events]
    return [item.text for item in items if isinstance(item, Segment)], rows


@pytest.mark.parametrize(("behavior", "invert", "pieces"), [
    ("Removed", False, "the·final·countdown"), ("Isolated", False, "the·-·final·-·-·countdown"),
    ("MergedWithPrevious", False, "the-·final-·-·countdown"), ("MergedWithNext", False, "the·-final·-·-countdown"),
    ("Contiguous", False, "the·-·final·--·countdown"), ("Removed", True, "-·-·-"),
    ("Isolated", True, "the·-·final·-·-·countdown"), ("MergedWithPrevious", True, "the·-final·-·-countdown"),
    ("MergedWithNext", True, "the-·final-·-·countdown"), ("Contiguous", True, "the·-·final·--·countdown"),
])  # fmt: skip
def test_the_five_behaviors(behavior: str, invert: bool, pieces: str) -> None:
    part = split("-", behavior, invert)
    assert cut(part, "the-final--countdown")[0] == pieces.split("·")
    assert differences(None, part, ["the-final--countdown"]) == []


@pytest.mark.parametrize(("part", "text", "pieces", "events"), [
    (split("-", "Removed"), "a-b", "a·b", [("GAP", 0, 1, -1), ("REMOVED", 1, 2, 0), ("GAP", 2, 3, -1)]),
    (split("-", "Removed", True), "a-", "-", [("REST_REMOVED", 0, 1, -1), ("PIECE", 1, 2, 0)]),
    (split("x|-", "MergedWithPrevious"), "a-", "a-",
     [("GAP", 0, 1, -1), ("FAILED", 1, 1, 0), ("MERGED_PREVIOUS", 1, 2, 1)]),
    (split("-", "MergedWithNext"), "-a", "-a", [("MERGED_NEXT", 0, 1, 0), ("JOINED", 1, 2, -1)]),
    (split("-", "Contiguous"), "--", "--", [("PIECE", 0, 1, 0), ("JOINED", 1, 2, 0)]),
    (split("", kind="String"), "ab", "a·b",
     [("CUT", 0, 0, 0), ("GAP", 0, 1, -1), ("CUT", 1, 1, 0), ("GAP", 1, 2, -1), ("CUT", 2, 2, 0)]),
    (metaspace(), "a b", "▁a·▁b",
     [("SPELLED", 1, 2, 0x2581), ("PREFIX", 0, 0, 0x2581), ("MERGED_NEXT", 0, 1, 0), ("JOINED", 0, 1, -1),
      ("MERGED_NEXT", 1, 2, 0), ("JOINED", 2, 3, -1)]),
    (metaspace(cuts=False), " a", "▁a", [("SPELLED", 0, 1, 0x2581), ("NO_PREFIX", 0, 1, 0x2581)]),
    (one("UnicodeScripts"), " aж", "a·ж",
     [("REST_REMOVED", 0, 1, -1), ("SCRIPT", 1, 2, script_of("a")), ("SCRIPT", 2, 3, script_of("ж"))]),
    (one("UnicodeScripts"), "  ", "", [("REST_REMOVED", 0, 2, -1)]),
    (one("FixedLength", length=2), "abc", "ab·c", [("PIECE", 0, 2, 0), ("PIECE", 2, 3, 0)]),
    (one("CharDelimiterSplit", delimiter="x"), "axxb", "a·b",
     [("GAP", 0, 1, -1), ("REMOVED", 1, 3, 0), ("GAP", 3, 4, -1)]),
    (one("Digits", individual_digits=False), "a12", "a·12", [("GAP", 0, 1, -1), ("PIECE", 1, 3, 0)]),
    (one("Whitespace"), "a! b", "a·!·b",
     [("PIECE", 0, 1, 0), ("FAILED", 1, 1, 0), ("PIECE", 1, 2, 1), ("REST_REMOVED", 2, 3, -1), ("PIECE", 3, 4, 0)]),
    (byte_level(add_prefix_space=True, use_regex=False), "a", "Ġa",
     [("PREFIX", 0, 0, 0x20), ("BYTE", 0, 0, 0x120), ("BYTE", 0, 0, ord("a"))]),
])  # fmt: skip
def test_expected_pieces_and_events(
    part: dict[str, Any], text: str, pieces: str, events: list[tuple[str, int, int, int]]
) -> None:
    assert cut(part, text) == (pieces.split("·") if pieces else [], events)
    assert differences(None, part, [text]) == []


def test_metaspace_first_depends_on_the_position_of_the_piece() -> None:
    assert cut(metaspace("first"), "a", at=3) == (["a"], [("NO_PREFIX", 3, 3, 0x2581), ("GAP", 3, 4, -1)])
    items = PreTokenization(pre_tokenizers(metaspace("first"))).run(
        [Segment.of("a"), Token(1, 1, 2), Segment.of("b", 2)], Options(), silent
    )
    assert [item.text for item in items if isinstance(item, Segment)] == ["▁a", "b"]


def test_a_known_pattern_keeps_its_explanations() -> None:
    (splitter,) = pre_tokenizers(split(LLAMA3.regex))
    assert [each.regex for each in splitter.alternatives] == [each.regex for each in LLAMA3.alternatives]
    assert all(each.says for each in splitter.alternatives)


def test_a_known_pattern_runs_as_if_it_had_been_translated(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {regex: pattern_of(regex) for regex in BY_REGEX}
    monkeypatch.setattr(text_stages, "BY_REGEX", {})
    for regex, pattern in known.items():
        translated = pattern_of(regex)
        assert (pattern.regex, pattern.nested_sets) == (regex, translated.nested_sets)
        assert "|".join(each.runs for each in pattern.alternatives) == "|".join(
            each.runs for each in translated.alternatives
        )


# --- refused files ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("part", "says"), [
    (one("Magic"), "pre_tokenizer: the pre_tokenizer 'Magic' is unknown"),
    (sequence(one("Whitespace"), one("Magic")), "pre_tokenizer.pretokenizers[1]: the pre_tokenizer 'Magic'"),
    (one("Sequence"), "pre_tokenizer.pretokenizers is not a list"),
    (split("a", "Merged"), "Split.behavior is 'Merged'; it is one of Removed, Isolated, MergedWithPrevious"),
    (one("Split", pattern={"String": "a"}, behavior="Removed"), "Split.invert is missing"),
    (one("Split", pattern="a", behavior="Removed", invert=False), "Split.pattern is 'a', not of type object"),
    (split("a|(b"), "Split.pattern “a|(b” cannot be run: character 3 of the pattern: this parenthesis is not closed"),
    (split(r"\p{Klingon}"), "character 1 of the pattern: the property 'Klingon' does not exist"),
    (one("Digits", individual_digits=3), "Digits.individual_digits is 3, not of type true or false"),
    (one("Digits"), "Digits.individual_digits is missing"),
    (one("ByteLevel"), "ByteLevel.add_prefix_space is missing"),
    (one("CharDelimiterSplit", delimiter="ab"), "CharDelimiterSplit.delimiter is 'ab', not one character"),
    (metaspace(replacement=""), "Metaspace.replacement is '', not one character"),
    (metaspace("sometimes"), "Metaspace.prepend_scheme is 'sometimes'; it is one of always, first, never"),
    (one("Metaspace", replacement="▁", add_prefix_space=False), "accepts only with prepend_scheme never"),
    (one("FixedLength", length=0), "FixedLength.length is 0, but a piece has at least one character"),
    (one("FixedLength", length=True), "FixedLength.length is True, not of type whole number"),
])  # fmt: skip
def test_unknown_or_damaged_parts_are_named_with_their_path(part: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError) as caught:
        pre_tokenizers(part)
    assert says in str(caught.value)
    assert str(caught.value).startswith("pre_tokenizer")
    assert str(caught.value).count("repair") <= 1
    assert "\n" not in str(caught.value)


def test_the_original_refuses_the_same_parts() -> None:
    for part in (one("Metaspace", replacement="▁", add_prefix_space=False), split("a", "Merged"), one("Digits"),
                 one("ByteLevel"), one("CharDelimiterSplit", delimiter="ab"), split("a|(b")):  # fmt: skip
        with pytest.raises(Exception, match=r"line 1|Oniguruma"):
            original(None, part)


def test_a_runaway_pattern_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("explorer.engine.regexes.safe.PATTERN_SECONDS", 0.05)
    (runaway,) = pre_tokenizers(split("(?:a|aa)+$b"))
    with pytest.raises(InputError, match=r"the pattern “\(\?:a\|aa\)\+\$b” took too long on 61 characters"):
        runaway.split(Segment.of("a" * 60 + "c"), 0, silent)


def test_many_slow_pieces_are_stopped() -> None:
    stage = PreTokenization(pre_tokenizers(sequence(split("-", "Removed"), split("(?:a|aa)+$b"))))
    with pytest.raises(InputError, match="the pre-tokenizer took too long"), budget.run(budget.Budget("a text", 0.0)):
        stage.run([Segment.of("-".join(["a" * 20] * 20))], Options(), silent)


# --- facts ---------------------------------------------------------------------------------------------------------


def facts_of(part: dict[str, Any], kind: FactKind, normalizer: dict[str, Any] | None = None) -> list[tuple[str, str]]:
    return [(fact.place, fact.says) for fact in pre_tokenizer_facts(part, normalizer) if fact.kind == kind]


def test_every_part_has_a_fact_with_its_path() -> None:
    for name, part in CASES.items():
        facts = pre_tokenizer_facts(part)
        assert all(fact.topic == "pre-tokenizer" and fact.place.startswith("pre_tokenizer") for fact in facts)
        assert all(fact.says.endswith(".") and "\n" not in fact.says for fact in facts)
        assert facts or name == "nothing"
    used = [fact for fact in pre_tokenizer_facts(CASES["Llama 3"]) if fact.kind == FactKind.USED]
    assert [(fact.place, fact.code) for fact in used] == [
        ("pre_tokenizer.pretokenizers[0]", LLAMA3.regex), ("pre_tokenizer.pretokenizers[1]", "")
    ]  # fmt: skip
    assert used[0].says == "What the pattern matches is a pre-token of its own (Isolated)."
    assert [fact.code for fact in pre_tokenizer_facts(byte_level()) if fact.code] == [GPT2.regex]
    assert pre_tokenizer_facts(None) == []


def test_a_split_that_never_matches_is_a_warning() -> None:
    warning = FactKind.WARNING
    assert facts_of(sequence(byte_level(), split(" ", kind="String")), warning) == [
        ("pre_tokenizer.pretokenizers[1].pattern",
         "“␣” never occurs after ByteLevel (pre_tokenizer.pretokenizers[0]), so this Split never matches."),
    ]  # fmt: skip
    assert facts_of(sequence(byte_level(), split(r"\s+|\s*[\r\n]+")), warning)[0][1].endswith("never matches.")
    (some,) = facts_of(sequence(byte_level(), split(GPT2.regex)), warning)
    assert some[1].startswith("Alternatives 5, 6 of its 6 need characters that never occur after ByteLevel")
    assert facts_of(split(" ", kind="String"), warning, one("ByteLevel"))
    assert facts_of(sequence(byte_level(), one("Digits", individual_digits=True), split(" ", kind="String")), warning)
    assert not facts_of(sequence(byte_level(), metaspace(), split("▁", kind="String")), warning)
    assert not facts_of(split("-", kind="String"), warning, {"type": "NFC"})
    assert not facts_of(sequence(byte_level(), split("Ġ", kind="String")), warning)
    assert not facts_of(sequence(split(LLAMA3.regex), byte_level(use_regex=False)), warning)
    assert facts_of(split("", kind="String"), warning)[0][1].startswith("The pattern is empty and matches everywhere")
    assert facts_of(sequence(byte_level(), byte_level()), warning)[0][1].startswith("The bytes are already spelled")


def test_patterns_with_a_warning_never_match_in_the_original() -> None:
    for normalizer, before, pattern, kind in (
        (None, [byte_level()], " ", "String"),
        (None, [byte_level()], r"\s+|\p{Han}", "Regex"),
        (one("ByteLevel"), [], " ", "String"),
        (None, [byte_level(), one("WhitespaceSplit")], "\u0301", "String"),
    ):
        looked = sequence(*before, split(pattern, kind=kind))
        assert facts_of(looked, FactKind.WARNING, normalizer)
        with_it, without_it = original(normalizer, looked), original(normalizer, sequence(*before))
        for text in SAMPLES:
            assert with_it.encode(text).offsets == without_it.encode(text).offsets


def test_unused_settings_are_reported() -> None:
    unused = FactKind.UNUSED
    assert facts_of(byte_level(), unused) == [
        ("pre_tokenizer.trim_offsets",
         "trim_offsets has no effect in a pre-tokenizer; only a post-processor reads it."),
    ]  # fmt: skip
    assert [place for place, _ in facts_of(CASES["Metaspace of older files"], unused)] == [
        "pre_tokenizer.add_prefix_space", "pre_tokenizer.str_rep"
    ]  # fmt: skip
    assert facts_of(one("Whitespace", pattern=r"\w"), unused) == [
        ("pre_tokenizer.pattern", "Whitespace has no setting 'pattern'.")
    ]
