"""Typed patterns: what they do, where they are wrong, and that they do not harm the process."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
import regex
import tokenizers

import explorer
from explorer.engine.pre_tokenizers.by_regex import RegexSplit
from explorer.engine.pre_tokenizers.custom_pattern import typed_pattern
from explorer.engine.pre_tokenizers.patterns import PATTERNS
from explorer.engine.regexes.safe import PatternError, compiled
from explorer.facts import FactKind
from explorer.implementations.opened import with_pattern
from tests.bundled import bundled
from tests.originals.generators import strings
from tests.ui.small_files import tokenizer_json


def pieces(pattern: str, text: str) -> list[str]:
    """The matches of a typed pattern, through its alternatives."""
    return [text[found.start : found.end] for found in RegexSplit(typed_pattern(pattern)).matches(text)]


def test_typing_the_own_pattern_changes_no_id() -> None:
    texts = strings(7, 150)
    for name in ("gpt-2", "llama-3", "cl100k_base", "o200k_base", "qwen2.5"):
        tok = bundled(name)
        again = with_pattern(tok, tok.pattern_slots[0].regex)
        for text in texts:
            assert again.encode(text).ids == tok.encode(text).ids, (name, text)


def test_another_models_pattern_splits_as_in_that_model() -> None:
    llama, gpt = bundled("llama-3"), bundled("gpt-2")
    mixed = with_pattern(gpt, llama.pattern_slots[0].regex)
    text = "1998 words, SHE'LL?\n\n  more"
    cut = [item.text for item in mixed.trace(text).stage("pre-tokenize").after]  # type: ignore[union-attr]
    assert cut == [item.text for item in llama.trace(text).stage("pre-tokenize").after]  # type: ignore[union-attr]
    assert mixed.encode(text).ids != gpt.encode(text).ids
    assert mixed.decode(mixed.encode(text).ids) == text


PATTERNS_TYPED = [
    r"\p{L}+|\p{N}", r"(?i:[a-m])+|.", r"$|\w+", r"[[:alpha:]&&[^a-c]]+", r"(?m:.)+?x|\s", r"\h+", "(a)(b)?\\1|[^a]+",
    r"^\S+", "", r"\X", r"a{2}?|b",
]  # fmt: skip


@pytest.mark.sample(2)
@pytest.mark.parametrize("pattern", PATTERNS_TYPED)
def test_ids_equal_hugging_faces_with_that_pattern(pattern: str) -> None:
    path = explorer.catalog()["llama-3"].path
    file = json.loads(path.read_bytes())
    file["pre_tokenizer"]["pretokenizers"][0]["pattern"] = {"Regex": pattern}
    original = tokenizers.Tokenizer.from_str(json.dumps(file))
    ours = with_pattern(bundled("llama-3"), pattern)
    for text in [*strings(11, 60), "aabbab12xx\nx abc\n", ""]:
        assert ours.encode(text).ids == original.encode(text).ids, text


def test_the_literal_of_a_split_is_shown_as_a_pattern(tmp_path: Path) -> None:
    file = tokenizer_json(pre_tokenizer={"type": "Split", "pattern": {"String": "a.b"}, "behavior": "Isolated",
                                         "invert": False})  # fmt: skip
    (tmp_path / "x.json").write_bytes(file)
    tok = explorer.load(tmp_path / "x.json")
    (slot,) = tok.pattern_slots
    again = with_pattern(tok, slot.regex)
    for text in ("aabbca.bcab", "acb", ""):
        assert again.encode(text).ids == tok.encode(text).ids


@pytest.mark.long
def test_a_pattern_that_backtracks_forever_is_stopped() -> None:
    for name in ("cl100k_base", "llama-3"):
        tok = with_pattern(bundled(name), "(?:a|aa)+(?!.)b")
        with pytest.raises(explorer.InputError, match="took too long"):
            tok.encode("a" * 60 + "c")


def test_each_of_several_patterns_can_be_replaced() -> None:
    tok = bundled("gpt-2@llama.cpp")
    assert len(tok.pattern_slots) == 1, "a scanner is shown as the pattern it implements"
    assert with_pattern(tok, "[a-z]").encode("ab").pieces == ["a", "b"]
    with pytest.raises(explorer.InputError, match="pattern number 2 does not exist"):
        with_pattern(tok, "a", 1)
    with pytest.raises(explorer.InputError, match="does not split by a pattern"):
        with_pattern(bundled("llama-2"), "a")


def test_the_new_tokenizer_has_a_warning() -> None:
    tok = bundled("gpt-2")
    fact = with_pattern(tok, "x+").facts[0]
    assert (fact.kind, fact.code) == (FactKind.WARNING, "x+")
    assert with_pattern(tok, "x+").vocabulary is tok.vocabulary


WRONG = [
    ("ab(c", 4, "missing )"),
    ("ab)c", 2, "unbalanced"),
    ("[abc", 4, "unterminated character set"),
    ("*a", 0, "nothing to repeat"),
    (r"a\p{Nonsense}", 13, "unknown property"),
    ("a)|(b", 1, "unbalanced"),
    ("(" * 5000, 0, "nested too deep"),
    ("((a{1000}){1000}){1000}", 10, "too large"),
    ("(?x)(?:ab{1 0 0 0}){1#x\n00000}", 19, "too large"),
    ("a" * 5_001, 5_000, "at most 5,000"),
    ("(?V1)a", 0, "incompatible"),
    ("(?r)a", 0, "from its beginning"),
    (r"(a|b)c\1", 6, "by number"),
    (r"\((?:[^()]|(x)(?1))*\)", 14, "recursive group"),
]


@pytest.mark.parametrize(("pattern", "at", "says"), WRONG, ids=[case[0][:12] for case in WRONG])
def test_an_error_names_the_character(pattern: str, at: int, says: str) -> None:
    with pytest.raises(PatternError) as caught:
        typed_pattern(pattern)
    assert caught.value.at == at
    assert says in str(caught.value)
    assert f"character {at + 1} of the pattern" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_splitting_at_bars_never_changes_the_matches() -> None:
    """Sets, comments, groups and names that splitting at every | would break."""
    text = "xxaa bb|cc (a(b)c) 'q' \"r\" AbC []12,,\n"
    for pattern in (
        "[[:alpha:]|]+", "[]|]+|a", r"\|+|b", "(?x) a+ # one | two\n | b+ # three", "(?x)a|b # end", "(a|b)+|(c)",
        r"""(?P<quote>['"]).*?(?P=quote)|\w""", "(?i)abc|B+", "a(?=(a))|b",
        "(?P<a1>a)|(?P<a0>b)",
        "a(?i)b|BB", "", "a||b", r"\d{2}(?!,)|,", r"(?|(a)|(b))b", r"\\1|\w", "(?i:ab)c|x",
    ):  # fmt: skip
        whole = [match[0] for match in regex.finditer(pattern, text, regex.VERSION0) if match[0]]
        assert pieces(pattern, text) == whole, pattern


def test_every_known_pattern_keeps_its_sentences() -> None:
    for pattern in PATTERNS.values():
        assert typed_pattern(pattern.regex).alternatives[0].says


def test_any_typed_text_is_a_pattern_or_an_error_with_its_index() -> None:
    signs = [
        *"()[]{}|\\*+?^$.,:<>=!#&~-'\"0123459abpPLNRxgkuXi \n",
        "(?",
        "(?:",
        "(?<",
        "(?P<",
        r"\p{",
        "{2,",
        "é",
        "字",
        "\0",
    ]
    choose = random.Random(20)
    good, after = 0, []
    for _ in range(4000):
        text = "".join(choose.choices(signs, k=choose.randint(1, 14)))
        try:
            made = RegexSplit(typed_pattern(text))
        except PatternError as error:
            after.append(len(text) - error.at)
        else:
            good += 1
            assert compiled(text) is not None
            assert sum(found.end - found.start for found in made.matches("ab 12 字(x)")) <= 11
    assert good > 100
    assert min(after) == 0, "the index is within the pattern, or directly after it"
