"""fancy-regex's patterns, as tiktoken runs them: each construct beside the original; generated ones; errors."""

from __future__ import annotations

import random

import pytest
import regex
import tiktoken

from explorer.engine.pre_tokenizers.by_regex import FancyRegexSplit
from explorer.engine.pre_tokenizers.custom_pattern import fancy_pattern
from explorer.engine.pre_tokenizers.patterns import BY_REGEX, KIMI
from explorer.engine.regexes import fancy
from explorer.engine.regexes.rust_sets import BINARY
from explorer.engine.regexes.safe import Pattern, everything
from explorer.engine.unicode.versions import cased
from explorer.errors import InputError
from tests.originals.fancy_patterns import ours, patterns, theirs, verdict
from tests.originals.generators import strings
from tests.tiers import amount

CONSTRUCTS = [
    # characters and classes
    ".", "(?s).", "(?R).", r"\N", r"\O", r"\h", r"\H+", r"\R", r"\R{2}", r"\w", r"\x41", r"\x{41}", r"\u0061",
    r"\U00000062",
    r"\e", r"\a|\f|\v", r"\é", r"\p{^Lu}", r"\pL", r"\p{IsGreek}|\p{Han}", r"\p{gc!=Lu}", r"\p{alnum}", r"\P{graph}",
    "]", "}", "a{", "a{x}",
    # sets
    "[[:alpha:]]+", "[[:^alpha:]]", "[[:foo:]]", "[]a]", "[^]a]", "[--a]", "[a-]", "[a&&b]", "[a-z&&[^b-d]]",
    "[a-z--b]",
    "[a-c~~b-d]", r"[\s--\n]", "[a[^b]]", "[^a-z&&[^b-d]]", "[a-z&&b--b~~x]", r"[^\s\S]|a", r"[\h\e]", r"[\x41-\x43]",
    r"[\p{alnum}&&\p{L}]", r"[\P{alnum}\P{blank}]", r"[\p{^graph}\p{^print}]", "[ #]", r"[\b\R]",
    # quantifiers
    r"\w{,3}", r"\w{2}", r"\w{2}{3}", r"\w++b|.", r"\w*+", r"\w{1,2}+", r"a{1,}?", r"\b+a", "(?U)a+|b+?", "x{ 1 }",
    r"\w{,}", f"a{{{'0' * 21}2}}|(b)\\{'0' * 11}1",
    # what `regex` alone reads otherwise
    "(?:[^x]|[^a])", r"[^\S]|[^\D]", "[^x]b|[^a]b", "[[^x][^y]]", r"(?:\N|[^a])", "(?i)[i]|I", "(?i:ı|İ)",
    # anchors
    "^.", "(?m)^.", ".$", "(?m).$", r"(?mR)^.|.$", r"\A.", r".\z", r".\Z", r"\b.", r"\B.", r"\<.", r".\>",
    r"\b{start}.",
    r".\b{end}", r"\b{start-half}.", r".\b{end-half}", r"(?<=a)b|(?<!a)b", r"(?<=a|\s\s).", r"(?<=\w+)b",
    r"a(?!b)|a(?=b)b",
    # groups, flags, references
    "(a(?i)b)c|(?-i)k", "(?i:k)s", "(?i)k|s|ß|ǆ|ꭰ", r"(?i)[^k]", r"(?i)\p{Lu}", r"(?i)[[:lower:]&&[^s]]",
    r"(?i)\u{212a}",
    "(?x) a b # c\n | b", "(?x: [ ] )", "(?#c)a", "(?#\\)c)a", r"(a|b)\1|.", r"(?P<n>[ab])(?P=n)|.", r"(.)\k<-1>|.",
    r"(?<n>a+)b\k<n>|.", "(?>a+)a|a", r"()a", "(?u)é",
    # real ones
    *BY_REGEX,
]  # fmt: skip


@pytest.mark.quick
@pytest.mark.parametrize("part", range(4))
def test_each_construct_matches_as_in_the_original(part: int) -> None:
    for pattern in CONSTRUCTS[part::4]:
        assert verdict(pattern) == ("equal", ""), pattern


def test_a_pattern_that_used_to_match_nothing_matches() -> None:
    translated = Pattern("", "", fancy.alternatives(KIMI.regex + "|^"), nested_sets=True)
    assert [match.group() for match in FancyRegexSplit(translated).matches_in_time("hello Wörld 漢字")] == [
        "hello", " Wörld", " ", "漢字",
    ]  # fmt: skip


@pytest.mark.quick
@pytest.mark.parametrize("known", BY_REGEX.values(), ids=lambda each: each.name)
def test_a_known_pattern_translated_matches_the_same(known: Pattern) -> None:
    translated = FancyRegexSplit(Pattern("", "", fancy.alternatives(known.regex), nested_sets=True))
    for text in strings(seed=72, count=amount(800)):
        found = [match[:2] for match in translated.matches(text)]
        assert found == [match[:2] for match in FancyRegexSplit(known).matches(text)], ascii(text)


def compared(seed: int, count: int) -> None:
    """Compares generated patterns; most must run in both."""
    found = []
    for pattern in patterns(seed, count):
        kind, details = verdict(pattern)
        assert kind not in ("DIFFERENT", "only theirs refuses"), (pattern, details)
        found.append(kind)
    assert found.count("equal") > count / 2


def test_generated_patterns_match_as_in_the_original() -> None:
    compared(1, amount(1_600))


@pytest.mark.rest
def test_twenty_thousand_generated_patterns() -> None:
    compared(2, 20_000)


def test_an_empty_match_stops_both() -> None:
    for pattern in ("a*", "|a", r"\b", "(?=a)"):
        got, want = ours(pattern, ["bab"]), theirs(pattern, ["bab"])
        assert isinstance(got[0], InputError), pattern
        assert "matches the empty text at character" in str(got[0])
        assert isinstance(want[0], RuntimeError)
    # directly after a match it is skipped
    assert ours("a*", ["aaa"]) == theirs("a*", ["aaa"]) == [["aaa"]]


NAMES = [
    *sorted(BINARY),
    "Lu",
    "lc",
    "Cn",
    "assigned",
    "any",
    "ascii",
    "sc",
    "cf",
    "Han",
    "Qaac",
    "zyyy",
    "sc=Hang",
    "gc:P",
]


def test_properties_have_the_members_of_the_original() -> None:
    choose = random.Random(5)
    text = "".join(choose.sample(everything(), 30_000)) + cased()
    for name in choose.sample(NAMES, amount(len(NAMES))):
        assert members(rf"\p{{{name}}}", text) == originals(rf"\p{{{name}}}", text), name


@pytest.mark.parametrize("name", ["Zanb", "Zanabazar_Square", "Soyombo", "sc=Soyo"])
def test_scripts_that_later_versions_changed_are_those_of_the_original(name: str) -> None:
    text = "a" + "".join(map(chr, range(0x11A00, 0x11AB0)))
    for pattern in (rf"\p{{{name}}}", rf"[^\p{{{name}}}a]", rf"(?i)\P{{{name}}}"):
        assert members(pattern, text) == originals(pattern, text), pattern


def test_characters_equal_the_same_ones_when_case_is_ignored() -> None:
    text = cased() + "İıŉǰ"
    for ch in random.Random(6).sample(text, amount(2_000)):
        pattern = f"(?i)\\x{{{ord(ch):x}}}"
        assert members(pattern, text) == originals(pattern, text), pattern


def members(pattern: str, text: str) -> str:
    """What a pattern for single characters matches in a text."""
    split = FancyRegexSplit(fancy_pattern(pattern))
    return "".join(text[match.start() : match.end()] for match in split.matches_in_time(text))


def originals(pattern: str, text: str) -> str:
    """The same in the original."""
    bytes_alone = {bytes([byte]): byte for byte in range(256)}
    encoding = tiktoken.Encoding("bytes", pat_str=pattern, mergeable_ranks=bytes_alone, special_tokens={})
    return bytes(encoding.encode_ordinary(text)).decode()


@pytest.mark.quick
@pytest.mark.parametrize(("pattern", "says", "refused"), [
    ("a|(b", "character 3 of the pattern: this parenthesis is not closed", True),
    ("a)", "character 2 of the pattern: this parenthesis does not close a group", True),
    ("ab[c", "character 3 of the pattern: this set is not closed", True),
    ("a[z-b]", "character 2 of the pattern: in this set, a range ends before it begins: 'b' comes before 'z'", True),
    (r"[a-\d]", "character 1 of the pattern: in this set, a range begins or ends with a class", True),
    ("*a", "character 1 of the pattern: there is nothing before this to repeat", True),
    ("(?i)*", "character 5 of the pattern: there is nothing before this to repeat", True),
    ("(?=a)+", "character 6 of the pattern: there is nothing before this to repeat", True),
    ("a**", "character 3 of the pattern: there is nothing before this to repeat", True),
    ("a\\", "character 2 of the pattern: this backslash ends the pattern", True),
    (r"\p{Klingon}", "character 1 of the pattern: the property 'klingon' does not exist", True),
    *((rf"\p{{{name}}}", "character 1 of the pattern: the property", True) for name in (
        "Unknown", "sc=Zzzz", "Sidetic", "Script=Tai_Yo", "gc=Cs")),
    (r"\p{InGreek}", "the property 'ingreek' does not exist", True),
    (r"\p{L", "character 1 of the pattern: this property lacks its closing brace", True),
    (r"\x4", "character 1 of the pattern: this takes 2 hexadecimal digits", True),
    (r"\x{110000}", "character 1 of the pattern: this is not the number of a character", True),
    (r"a\y", r"character 2 of the pattern: \y does not exist", True),
    (r"\b{middle}", "character 1 of the pattern: no such edge of a word exists", True),
    (r"(a)\2", "character 4 of the pattern: group 2 is not closed before this", True),
    (r"\k<x>(?<x>a)", "character 1 of the pattern: there is no group 'x' before this", True),
    ("(?-u)a", "character 4 of the pattern: this kind of group or flag does not exist", True),
    ("(?#a", "character 1 of the pattern: this comment is not closed", True),
    (r"(a+)(?<=\1)b", "character 5 of the pattern: a look-behind", True),
    *((pattern, f"character {at} of the pattern: a reference to a group of the same look-behind", refused)
      for pattern, at, refused in (
        (r"(?<=(a+)\1)b", 9, True), (r"(?<=(\B)\1)a", 9, False), (r"(?<!(a)\1)b", 8, False),
        (r"(?<=c(?<=(a)\1))b", 13, False), (r"(?<=(?<x>a)\k<x>)b", 12, False))),
    ("(" * 70 + ")" * 70, "character 64 of the pattern: more than 63 parentheses are open here", True),
    # supported there, but not here
    (r"a\Kb", r"character 2 of the pattern: keep (\K) is not supported", False),
    (r"\Ga", r"character 1 of the pattern: the end of the last match (\G) is not supported", False),
    ("(?~a)", "character 1 of the pattern: an absent expression ((?~) is not supported", False),
    ("(a)(?(1)a)", "character 4 of the pattern: a condition ((?() is not supported", False),
    (r"(a)\g<1>", r"character 4 of the pattern: a group call (\g) is not supported", False),
    ("(*FAIL)", "character 1 of the pattern: a control verb ((*) is not supported", False),
    (r"(?i)(a)\1", "character 8 of the pattern: a reference that ignores case is not supported", False),
    (r"(a\1?)", "character 3 of the pattern: group 1 is not closed before this", False),
    (r"\p{Age=9.0}", "character 1 of the pattern: the property 'age=9.0' does not exist, or is not", False),
    (r"(a+)*\1", "character 5 of the pattern: a repeated group that only holds a repeat cannot be referred to", False),
    ("(?:a*|b)*", "character 9 of the pattern: what this repeats may match nothing although it could", False),
    ("a{2,1}", "character 2 of the pattern: this repeat ends before it begins", False),
    ("((a{100}){100}){100}", "character 16 of the pattern: nested repeats make the pattern too large", True),
    (r"(?i)\p{Lu}|" * 100, "written out, it has more than 60,000 characters; shorten it", False),
    ("a" * 5_001, "character 5001 of the pattern: it is 5,001 characters long", False),
])  # fmt: skip
def test_an_error_names_the_character(pattern: str, says: str, refused: bool) -> None:
    with pytest.raises(InputError) as caught:
        fancy.alternatives(pattern)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)
    assert isinstance(theirs(pattern), str) is refused


def test_an_alternative_is_verbatim() -> None:
    for pattern in (*BY_REGEX, "(?i)a|b", "a||b", "(?x) a | [|] | (|)", "", "(?i)|a"):
        found = fancy.alternatives(pattern)
        assert "|".join(each.regex for each in found) == pattern
        assert regex.compile("|".join(each.runs for each in found), regex.VERSION1)


def test_the_alternative_that_matched_is_known() -> None:
    split = FancyRegexSplit(fancy_pattern(r"(?i:k)|\s|(.)\1"))
    assert [(match.start, match.alternative) for match in split.matches("\u212a aab")] == [(0, 0), (1, 1), (2, 2)]
