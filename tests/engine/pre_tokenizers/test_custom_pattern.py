"""Patterns that somebody types: what they do, where they are wrong, and that none harms the process."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
import regex
import tokenizers

import explorer
from explorer.engine.pre_tokenizers.by_regex import RegexSplit
from explorer.engine.pre_tokenizers.custom_pattern import pattern_slots, typed_pattern, with_pattern
from explorer.engine.pre_tokenizers.patterns import PATTERNS
from explorer.engine.regexes.safe import PatternError, compiled
from explorer.facts import FactKind
from tests.bundled import bundled
from tests.originals.generators import strings
from tests.ui.small_files import tokenizer_json


def pieces(pattern: str, text: str) -> list[str]:
    """What the matches of a typed pattern are, by way of its alternatives."""
    return [text[found.start : found.end] for found in RegexSplit(typed_pattern(pattern)).matches(text)]


def test_the_pattern_in_force_put_back_changes_no_id() -> None:
    texts = strings(7, 150)
    for name in ("gpt-2", "llama-3", "cl100k_base", "o200k_base", "qwen2.5"):
        tok = bundled(name)
        again = with_pattern(tok, pattern_slots(tok)[0].regex)
        for text in texts:
            assert again.encode(text).ids == tok.encode(text).ids, (name, text)


def test_another_models_pattern_cuts_as_there() -> None:
    llama, gpt = bundled("llama-3"), bundled("gpt-2")
    mixed = with_pattern(gpt, pattern_slots(llama)[0].regex)
    text = "1998 words, SHE'LL?\n\n  more"
    cut = [item.text for item in mixed.trace(text).stage("pre-tokenize").after]  # type: ignore[union-attr]
    assert cut == [item.text for item in llama.trace(text).stage("pre-tokenize").after]  # type: ignore[union-attr]
    assert mixed.encode(text).ids != gpt.encode(text).ids
    assert mixed.decode(mixed.encode(text).ids) == text


PATTERNS_TYPED = [
    r"\p{L}+|\p{N}", r"(?i:[a-m])+|.", r"$|\w+", r"[[:alpha:]&&[^a-c]]+", r"(?m:.)+?x|\s", r"\h+", "(a)(b)?\\1|[^a]+",
    r"^\S+", "", r"\X", r"a{2}?|b",
]  # fmt: skip


@pytest.mark.sample(3)
@pytest.mark.parametrize("pattern", PATTERNS_TYPED)
def test_ids_are_those_hugging_face_gives_with_that_pattern(pattern: str) -> None:
    path = explorer.catalog()["llama-3"].path
    file = json.loads(path.read_bytes())
    file["pre_tokenizer"]["pretokenizers"][0]["pattern"] = {"Regex": pattern}
    original = tokenizers.Tokenizer.from_str(json.dumps(file))
    ours = with_pattern(bundled("llama-3"), pattern)
    for text in [*strings(11, 60), "aabbab12xx\nx abc\n", ""]:
        assert ours.encode(text).ids == original.encode(text).ids, text


def test_the_text_of_a_split_is_shown_as_the_pattern_it_is(tmp_path: Path) -> None:
    file = tokenizer_json(pre_tokenizer={"type": "Split", "pattern": {"String": "a.b"}, "behavior": "Isolated",
                                         "invert": False})  # fmt: skip
    (tmp_path / "x.json").write_bytes(file)
    tok = explorer.load(tmp_path / "x.json")
    (place,) = pattern_slots(tok)
    again = with_pattern(tok, place.regex)
    for text in ("aabbca.bcab", "acb", ""):
        assert again.encode(text).ids == tok.encode(text).ids


@pytest.mark.long
def test_a_pattern_that_runs_away_is_stopped() -> None:
    for name in ("cl100k_base", "llama-3"):
        tok = with_pattern(bundled(name), "(?:a|aa)+(?!.)b")
        with pytest.raises(explorer.InputError, match="took too long"):
            tok.encode("a" * 60 + "c")


def test_each_of_several_patterns_may_be_replaced() -> None:
    tok = bundled("gpt-2@llama.cpp")
    assert len(pattern_slots(tok)) == 1, "a scanner is shown as the pattern it stands for"
    assert with_pattern(tok, "[a-z]").encode("ab").pieces == ["a", "b"]
    with pytest.raises(explorer.InputError, match="pattern number 2 does not exist"):
        with_pattern(tok, "a", 1)
    with pytest.raises(explorer.InputError, match="does not split by a pattern"):
        with_pattern(bundled("llama-2"), "a")


def test_the_new_tokenizer_says_that_it_is_no_original() -> None:
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
def test_a_wrong_pattern_names_the_place(pattern: str, at: int, says: str) -> None:
    with pytest.raises(PatternError) as caught:
        typed_pattern(pattern)
    assert caught.value.at == at
    assert says in str(caught.value)
    assert f"character {at + 1} of the pattern" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_cutting_at_the_bars_never_changes_what_matches() -> None:
    """Sets, comments, groups and names that a cut at every | would break."""
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


def test_no_typed_text_is_anything_but_a_pattern_or_an_error_with_its_place() -> None:
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
    good, behind = 0, []
    for _ in range(4000):
        text = "".join(choose.choices(signs, k=choose.randint(1, 14)))
        try:
            made = RegexSplit(typed_pattern(text))
        except PatternError as error:
            behind.append(len(text) - error.at)
        else:
            good += 1
            assert compiled(text) is not None
            assert sum(found.end - found.start for found in made.matches("ab 12 字(x)")) <= 11
    assert good > 100
    assert min(behind) == 0, "the place is within the pattern, or right behind it"
