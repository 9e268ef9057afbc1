"""Patterns that would freeze the process or fill its memory are refused before they are compiled, from any source.

What is asserted is counted, never timed: characters, nodes and bytes. The module's search table of a literal takes the
third power of its length, so a bound of the length is one of the time.
"""

from __future__ import annotations

import io
import json
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import regex

import explorer
from explorer.__main__ import main
from explorer.engine.pre_tokenizers.by_regex import RegexSplit
from explorer.engine.pre_tokenizers.custom_pattern import oniguruma_pattern, typed_pattern
from explorer.engine.pre_tokenizers.patterns import BY_REGEX, MOST_ALTERNATIVES
from explorer.engine.pre_tokenizers.patterns_llama_cpp import PATTERNS as PATTERNS_LLAMA_CPP
from explorer.engine.regexes import safe as limits
from explorer.engine.regexes.oniguruma import OnigurumaSpans
from explorer.engine.regexes.safe import PatternError, compiled
from explorer.errors import InputError
from tests.fuzz.seeds import tekken_json
from tests.hostile.patterns import GROWN, generated
from tests.ui.app import html_of, page
from tests.ui.small_files import ranks, tokenizer_json

core = limits.core

REFUSALS = {
    "a literal": "literal characters takes", "a literal of two": "literal characters takes",
    "a literal in any case": "literal characters takes", "a literal in pieces": "literal characters takes",
    "a literal through alternatives": "literal characters takes", "a literal of sets": "literal characters takes",
    "octal": "literal characters takes", "behind": "literal characters takes",
    "closed brackets": "literal characters takes", "open brackets": "unterminated",
    "parentheses": "nested", "conditions": "nested", "repeats of repeats": "nested",
    "a few repeats of repeats": "nested repeats", "fixed repeats of repeats": "nested repeats",
    "one large repeat": "nested repeats", "recursion": "recursive group", "recursion by number": "recursive group",
    "recursion by name": "recursive group", "recursion as Python spells it": "recursive group",
    "recursion to the next": "recursive group|unknown extension", "errors allowed": "fuzzy matching",
    "the best of errors": "fuzzy matching", "a named list": "named list", "groups": "maximum is 100",
}  # fmt: skip


@pytest.mark.parametrize("construct", GROWN)
def test_a_construct_that_costs_too_much_is_refused(construct: str) -> None:
    pattern = GROWN[construct](limits.LONGEST)
    if construct not in REFUSALS:
        assert limits.excess(pattern, regex.VERSION0) is None
        compiled(pattern)
        return
    with pytest.raises(PatternError, match=REFUSALS[construct]) as caught:
        typed_pattern(pattern)
    assert 0 <= caught.value.at <= len(pattern)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("construct", GROWN)
def test_a_construct_in_onigurumas_dialect_stays_within_the_limits(construct: str) -> None:
    try:
        found = oniguruma_pattern(GROWN[construct](limits.LONGEST))
    except PatternError:
        return
    whole = "|".join(each.runs for each in found.alternatives)
    assert limits.excess(whole, regex.VERSION1, limits.LONGEST_SPELLED) is None
    assert len(found.alternatives) <= MOST_ALTERNATIVES


def test_a_pattern_that_is_too_long_is_not_parsed() -> None:
    for read in (typed_pattern, oniguruma_pattern, OnigurumaSpans, compiled):
        with pytest.raises(PatternError, match="at most 5,000 characters") as caught:
            read("(" * (limits.LONGEST + 1))
        assert caught.value.at == limits.LONGEST


def test_a_pattern_is_accepted_at_the_limit_and_refused_beyond_it() -> None:
    for at_most, beyond in (
        ("a" * limits.LITERAL, "a" * (limits.LITERAL + 1)),
        ("()" * limits.GROUPS, "()" * (limits.GROUPS + 1)),
        ("(?:" * 49 + "a" + ")" * 49, "(?:" * 52 + "a" + ")" * 52),
        ("a{19000}", "a{20000}"),
        ("(?:.{100}|b){90}", "(?:.{100}|b){200}"),
    ):
        assert limits.excess(at_most, regex.VERSION0) is None
        assert limits.excess(beyond, regex.VERSION0) is not None


def test_the_index_is_that_of_the_repeat_or_the_literal() -> None:
    for pattern, at in (
        (r"[+{9}]\+{2}(?:a{5}?(?:b++){30000})", 26),
        (r"x[a]" + "b" * 300, 4 + limits.LITERAL),
        ("ab(?R)", 2),
        ("(?:ab){e<=1}", 6),
    ):
        found = limits.excess(pattern, regex.VERSION0)
        assert found is not None
        assert found.at == at, pattern


def strings_of(node: Any) -> Iterator[int]:
    """The lengths of the literals in a tree that the module is about to compile."""
    if type(node).__name__ in ("String", "Literal"):
        yield len(node.characters)
    elif type(node).__name__ == "Character":
        yield 1
    for name in ("items", "branches", "subpattern", "yes_item", "no_item"):
        inside = getattr(node, name, ())
        for each in inside if isinstance(inside, (list, tuple)) else (inside,):
            yield from strings_of(each)


def literals(pattern: str) -> int:
    """The length of the longest literal the module builds."""
    tree, _ = limits.parsed(pattern, regex.VERSION0)
    source = core.Source(pattern)
    info = core.Info(regex.VERSION0 | regex.UNICODE, source.char_type, {})
    tree.fix_groups(pattern, False, False)
    return max(strings_of(tree.optimise(info, False).pack_characters(info)), default=0)


@pytest.mark.long
def test_no_literal_is_longer_than_computed() -> None:
    """The module joins literals across groups, sets of one and alternatives; the count must see all of them."""
    joined = (
        "ab(?:cd)[e](?#x)f(?:)g", "x(?:abc|abd)y", "(?:ab|ab)c", "a(?:b(?:c(?:d)))", "(?i)ab(?-i)cd", "a{1}b{1,1}c",
        "(?>ab)c", "(?x) a b # c\n d", "(?=ab)cd", r"\x41\u0042C", "a|ab|abc", "(?:abc|xbc)d", "(?|ab|ab)c", "(ab)(c)",
    )  # fmt: skip
    checked = 0
    for pattern in (*joined, *generated(7, 1500)):
        try:
            too_much = limits.excess(pattern, regex.VERSION0)
            tree, _ = limits.parsed(pattern, regex.VERSION0)
            cost = limits._CostMeter().cost(tree, 0, 0)
            truth = literals(pattern)
        except (regex.error, RecursionError, limits._TooMuch):
            continue
        assert truth <= cost.literal, pattern
        assert too_much is not None or truth <= limits.LITERAL
        checked += 1
    assert checked > 400


@pytest.mark.long
def test_the_number_of_nodes_bounds_the_memory_of_compiling() -> None:
    accepted = 0
    tracemalloc.start()
    try:
        for pattern in (
            "(?:" * 12 + "a" + "+)+" * 12, "(?:a|[bc]{3}){2000}", "a{19000}", *(f(4_900) for f in GROWN.values()),
            *generated(3, 300),
        ):  # fmt: skip
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            try:
                kept = compiled(pattern)
            except PatternError:
                kept = None
            accepted += kept is not None
            assert tracemalloc.get_traced_memory()[1] - before < limits.NODES * 1_000, pattern[:80]
            del kept
    finally:
        tracemalloc.stop()
    assert accepted > 60


def test_the_module_has_exactly_the_nodes_handled_here() -> None:
    """The tree is private, so a version with other nodes must fail here."""
    nodes = {name for name, each in vars(core).items() if isinstance(each, type) and issubclass(each, core.RegexBase)}
    made_later = {"RegexBase", "ZeroWidthBase", "SetBase", "String", "Literal", "PrecompiledCode", "CallRef"}
    names = {"Character", "Sequence", "Branch"}.union(
        limits.REFUSED, limits.LEAVES, limits.PARTS, limits.REPEATS, limits.SETS
    )
    assert nodes - made_later == names & nodes
    assert names - nodes <= {"GraphemeBoundary"}, "the one that has no base class"


def test_every_known_pattern_is_within_the_bounds() -> None:
    for pattern in (*BY_REGEX.values(), *PATTERNS_LLAMA_CPP.values()):
        if "AFMoE" not in pattern.regex:  # a mere name for a hand-written scanner
            RegexSplit(pattern)
            oniguruma_pattern(pattern.regex)
    longest = max(len(each.regex) for each in (*BY_REGEX.values(), *PATTERNS_LLAMA_CPP.values()))
    assert longest < limits.LONGEST / 2


def test_many_alternatives_are_traced_as_one() -> None:
    text = "a" * 40
    pattern = "|".join(f"x{number}" for number in range(500)) + "|a"
    for read in (typed_pattern, oniguruma_pattern):
        made = read(pattern)
        assert len(made.alternatives) == 1
        assert [found.alternative for found in RegexSplit(made).matches(text)] == [0] * 40


# --- every source --------------------------------------------------------------------------------------------------

EVIL = ("b" * 900 + "|.", "(?R)|a", "(?:" * 40 + "a" + "+)+" * 40)


def split(pattern: str) -> dict[str, Any]:
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}


def tekken(pattern: str) -> bytes:
    whole = tekken_json(3, None)
    whole["config"]["pattern"] = pattern
    return json.dumps(whole).encode()


FILES: dict[str, Callable[[str], bytes]] = {
    "tokenizer.json": lambda pattern: tokenizer_json(pre_tokenizer=split(pattern)),
    "replace.json": lambda pattern: tokenizer_json(
        normalizer={"type": "Replace", "pattern": {"Regex": pattern}, "content": ""}
    ),
    "tekken.json": tekken,
}  # fmt: skip


@pytest.mark.parametrize("pattern", EVIL, ids=["literal", "recursion", "repeats"])
@pytest.mark.parametrize("file", FILES)
def test_a_file_with_such_a_pattern_is_refused(file: str, pattern: str, tmp_path: Path) -> None:
    (tmp_path / file).write_bytes(FILES[file](pattern))
    # in fancy-regex, R in parentheses is a flag, so this pattern matches the empty text; nothing recurs
    with pytest.raises(InputError, match=r"literal|recursive group|repeat|option|matches the empty text"):
        explorer.load(tmp_path / file).encode("a")


def test_the_literal_of_a_split_may_be_as_long_as_the_limit(tmp_path: Path) -> None:
    for size, good in ((limits.LITERAL, True), (limits.LITERAL + 1, False)):
        section = {"type": "Split", "pattern": {"String": "b" * size}, "behavior": "Isolated", "invert": False}
        (tmp_path / "tokenizer.json").write_bytes(tokenizer_json(pre_tokenizer=section))
        if good:
            explorer.load(tmp_path / "tokenizer.json")
        else:
            with pytest.raises(InputError, match="literal characters"):
                explorer.load(tmp_path / "tokenizer.json")


@pytest.mark.parametrize("pattern", EVIL, ids=["literal", "recursion", "repeats"])
def test_the_command_line_refuses_such_a_pattern(
    pattern: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own.tiktoken").write_bytes(ranks(b"ab"))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"")))
    for command in (
        ["encode", "-m", "gpt-2", "--pattern", pattern, "a"],
        ["encode", "-m", str(tmp_path / "own.tiktoken"), "--choose", f"pattern={pattern}", "a"],
    ):
        assert main(command) == 1
        assert "the pattern" in capsys.readouterr().err


def test_a_link_with_such_a_pattern_shows_the_error() -> None:
    at = page(m="gpt-2", text="a" * 5_100, pattern=EVIL[0])
    assert not at.exception
    assert "literal characters takes" in html_of(at)
