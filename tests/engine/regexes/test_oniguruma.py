"""Oniguruma's patterns: each construct compared with the original; errors with the character they name."""

from __future__ import annotations

import random

import pytest
import regex
from tokenizers import Regex, pre_tokenizers

from explorer.engine.part import Segment, silent
from explorer.engine.pre_tokenizers.custom_pattern import oniguruma_pattern
from explorer.engine.pre_tokenizers.huggingface import OnigurumaSplit
from explorer.engine.pre_tokenizers.patterns import GPT2, LLAMA3, O200K_BASE
from explorer.engine.regexes import oniguruma
from explorer.engine.regexes.oniguruma import OnigurumaSpans
from explorer.errors import InputError
from tests.originals.generators import PIECES, strings
from tests.originals.oniguruma_patterns import OnigurumaGrammar, ours, theirs, verdict
from tests.tiers import amount

TEXTS = [
    "a", "ab", "aab", "aaaa", "baac", "ABAB", "a\nb\n", "\r\n\n", "a²-", "ssSSßẞ", "K k ſ s", "a-b", "{2}", "a{x}a{,}",
    "漢字か", "1１", "gfGF", "!$~", "e\u0301", "x\x04A", "pLu", "é", "a]b[", "abcdeABCDE-", "  ", "a|b", "axbcx", "#",
]  # fmt: skip


@pytest.mark.parametrize("pattern", [
    # characters
    r".", r"(?m).", r"\N", r"\O", r"\w", r"\W", r"\d", r"\D", r"\s", r"\S", r"\h", r"\H", r"\R", r"\pLu", r"\p{Lu}",
    r"\p{^Lu}", r"\P{^Lu}", r"\p{ l u }", r"\p{Han}", r"\p{In_Basic_Latin}", r"\p{Punct}", r"\p{PosixPunct}",
    r"\p{Alpha}", r"\p{Word}", r"\P{Word}", r"\x41", r"\x4", r"\x{e9}", r"\u0061", r"\101", r"\o{101}",
    r"\q", r"\_", r"\xC3\xA9", r"\cD", r"\x",
    # sets
    "[]a]", "[^]a]", "[a-]", "[-a]", "[a-c-e]", "[[:alpha:]]", "[[:^alpha:]]", "[[:punct:]]", "[:alpha:]", "[a&b]",
    "[a-z&&[^b-d]]", "[^a-z&&[^b-d]]", "[a&&]", "[a[^b]]", "[[a]-z]", r"[\w]", r"[^\w]", r"[\W]", r"[^\s\S]",
    r"[^\D\d]", r"[\d\D]", "[a||b]", "[#-~]", r"[\b\R]", "[{}.]", "[^[a-c]]",
    # quantifiers
    "a*", "a+?", "a??", "a{2}", "a{2}?", "a{1,3}?", "a{3,1}", "a{,2}", "a{,}", "a{", "{", "a{x}", "a{2}{2}", "a{1,2}+",
    f"a{{{'0' * 21}2}}|(b)\\k<{'0' * 21}1>",
    "a++b", "a?+a", "a**", "a+*",
    # anchors
    "^", "$", r"\A", r"\Z", r"\z", r"\b", r"\B", "^.", ".$", "(?m)^.", "(?<=a)b", "(?<!a)b", "(?<=a|bc)x", "(?=b)",
    "a(?!b)",
    # groups and options
    "|a", "a|", "", "()", "(a)\\1", "(?<x>a)\\k<x>", "(?<x>a)(b)", "(a)\\k<-1>", "(?>a+)a", "(?#c)a", "(?i)a|b",
    "a(?i)b|c", "(?i:a)b", "(?i)a(?-i)b", "(?x) a b # c", "(?x)#", "b|(?x)#c",
    "(?x)a\x0bb|a", "(?x)a\x0cb|a", "a{٣}", "a{1}", r"(a)\k<1>",
    "(?x: a + )", "(?i)ß", "(?i)k", "(?i)ſ", r"(?i)\p{Lu}",
    "(?i)[a-c]", r"\10",
])  # fmt: skip
def test_each_construct_matches_as_in_the_original(pattern: str) -> None:
    spans = OnigurumaSpans(pattern)
    for text in TEXTS:
        assert ours(spans, text) == theirs(pattern, text), text


@pytest.mark.parametrize("name", ["Zanb", "Zanabazar_Square", "Soyombo", "Soyo"])
def test_scripts_that_later_versions_changed_are_those_of_the_original(name: str) -> None:
    text = "a" + "".join(map(chr, range(0x11A00, 0x11AB0)))
    for pattern in (rf"\p{{{name}}}", rf"[^\p{{{name}}}a]", rf"\P{{{name}}}"):
        assert ours(OnigurumaSpans(pattern), text) == theirs(pattern, text), pattern


BREAKS = "Control CR LF Extend ZWJ RI Prepend SpacingMark L V T LV LVT".split()


@pytest.mark.parametrize("pattern", [r"\X", r"\X{2}", r"\X+", r"\X(?=b)"])
def test_graphemes_are_those_of_the_original(pattern: str) -> None:
    everything = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x20000), *range(0xE0000, 0xE01F0)]))
    kinds = [regex.findall(rf"\p{{GCB={name}}}", everything) for name in BREAKS]
    kinds += [regex.findall(r"\p{ExtPict}", everything), [*"abक्ष"], [*"क्षनত্রക്ഷ"]]
    choose, spans = random.Random(7), OnigurumaSpans(pattern)
    for text in ["हिन्दी क्षि", *("".join(choose.choice(choose.choice(kinds)) for _ in range(6)) for _ in range(3_000))]:
        assert ours(spans, text) == theirs(pattern, text), ascii(text)


@pytest.mark.parametrize(("pattern", "says"), [
    ("a|(b", "character 3 of the pattern: this parenthesis is not closed"),
    ("a)", "character 2 of the pattern: this parenthesis does not close a group"),
    ("ab[c", "character 3 of the pattern: this set is not closed"),
    ("[]", "character 1 of the pattern: this set is empty"),
    ("a[z-b]", "character 3 of the pattern: the range ends before it begins: 'b' comes before 'z'"),
    (r"[a-\d]", "character 2 of the pattern: a range cannot end with a class"),
    (r"[\d-a]", "character 4 of the pattern: a range cannot begin with a class"),
    ("[a-[b]]", "character 3 of the pattern: a range cannot end with a set"),
    ("[[:foo:]]", "character 2 of the pattern: the class [:foo:] does not exist"),
    ("*a", "character 1 of the pattern: there is nothing before this to repeat"),
    ("a|{2}", "character 3 of the pattern: there is nothing before this to repeat"),
    ("a^*", "character 3 of the pattern: the item before this cannot be repeated"),
    ("(?=a)+", "character 6 of the pattern: the item before this cannot be repeated"),
    ("a{100001}", "character 2 of the pattern: a repeat count is at most 100000"),
    ("a\\", "character 2 of the pattern: this backslash ends the pattern"),
    (r"\p{Klingon}", "character 1 of the pattern: the property 'Klingon' does not exist"),
    (r"\p{Basic_Latin}", "the property 'Basic_Latin' does not exist"),
    (r"\p{Script=Han}", "the property 'Script=Han' does not exist"),
    (r"\p{L", "character 1 of the pattern: this property lacks its closing brace"),
    (r"\u41", r"character 1 of the pattern: \u takes four hexadecimal digits"),
    (r"\x{110000}", "character 1 of the pattern: this is not the number of a character"),
    (r"\xE3", "character 1 of the pattern: this byte does not begin a character of UTF-8"),
    (r"(a)\2", "character 4 of the pattern: group 2 does not exist before this"),
    (r"(a\1?)", "character 3 of the pattern: group 1 is not closed before this"),
    (r"(?i)(a)\1", "character 8 of the pattern: a reference that ignores case is not supported"),
    ("(?<=(?=a))", "character 5 of the pattern: this cannot stand in a look-behind"),
    *((pattern, f"character {at} of the pattern: a reference to a group of the same look-behind") for pattern, at in (
        (r"(?<=(\B)\1)a", 9), (r"(?<=(a)\1)", 8), (r"(?<=b(?<=(a)\1))", 13), (r"(?<=(?<x>a)\k<x>)", 12),
        (r"(?<x>b)(?<=(?<x>a)\k<x>)", 19), (r"(b)(?<=\1(a)\k<-1>)", 13))),
    ("(?<!(a))", "character 5 of the pattern: this cannot stand in a look-behind"),
    (r"(?<x>a)\1", "character 8 of the pattern: in a pattern with named groups, no group can be referenced by number"),
    ("(?P<x>a)", "character 3 of the pattern: this kind of group does not exist"),
    ("(?s)a", "character 3 of the pattern: the option s is not supported, only i, m and x"),
    ("(?#a", "character 1 of the pattern: this comment is not closed"),
    ("a[b-", "character 2 of the pattern: this set is not closed"),
    (r"\p{é}", "character 1 of the pattern: the property"),
    # supported there, but not here
    (r"a\Kb", r"character 2 of the pattern: keep (\K) is not supported"),
    ("(?~a)", "character 1 of the pattern: an absent expression"),
    ("(?(1)a)", "a condition ((?() is not supported"),
    (r"(a)\g<1>", "character 4 of the pattern: a group call"),
    ("(?W:a)", "character 3 of the pattern: the option W is not supported"),
    ("(?i)[^[^a]]", "character 5 of the pattern: a set that ignores case"),
    (r"(?i)[\p{L}]", "character 5 of the pattern: a set that ignores case"),
    ("((a{100}){100}){100}", "character 16 of the pattern: nested repeats make the pattern too large"),
    ("(" * 2_000 + ")" * 2_000, "nested too deeply"),
    ("a" * 5_001, "character 5001 of the pattern: it is 5,001 characters long"),
])  # fmt: skip
def test_an_error_names_the_character(pattern: str, says: str) -> None:
    with pytest.raises(InputError) as caught:
        oniguruma.alternatives(pattern)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("pattern", [r"(a)(?<=\1)b", r"(?<=(a))\1", r"(?<=(a))(?<=\1)\1", r"(a)(?<=(b|\1))\2"])
def test_a_reference_to_a_group_outside_its_look_behind(pattern: str) -> None:
    spans = OnigurumaSpans(pattern)
    for text in ("aab", "aaaa", "ab", "abab", "baa", "aabaab"):
        assert ours(spans, text) == theirs(pattern, text), text


@pytest.mark.parametrize("pattern", ["(?x)#", "b|(?x)#c", "(?x) | #"])
def test_an_alternative_that_is_only_a_comment_splits_as_in_the_original(pattern: str) -> None:
    pieces = OnigurumaSplit(oniguruma_pattern(pattern)).split(Segment.of("abc#"), 0, silent)
    want = pre_tokenizers.Split(Regex(pattern), "isolated").pre_tokenize_str("abc#")
    assert [piece.text for piece in pieces] == [text for text, _ in want]


def test_an_alternative_is_verbatim() -> None:
    for pattern in (GPT2.regex, LLAMA3.regex, O200K_BASE.regex, "(?i)a|b", "a||b", "(?x) a | [|] | (|)", ""):
        assert "|".join(each.regex for each in oniguruma.alternatives(pattern)) == pattern


@pytest.mark.parametrize("pattern", [GPT2.regex, LLAMA3.regex, O200K_BASE.regex])
def test_real_patterns(pattern: str) -> None:
    spans = OnigurumaSpans(pattern)
    for text in strings(seed=71, count=500):
        assert not text or ours(spans, text) == theirs(pattern, text), ascii(text)


ATOMS = (
    *(
        "a",
        "b",
        "A",
        "é",
        "s",
        "k",
        " ",
        "\n",
        "1",
        "²",
        "漢",
        "か",
        "-",
        "_",
        "'",
        ".",
        "^",
        "$",
        "{",
        "}",
        "#",
        "~",
        "&",
    ),
    *(r"\w", r"\W", r"\d", r"\D", r"\s", r"\S", r"\h", r"\H", r"\N", r"\O", r"\R", r"\b", r"\B", r"\A", r"\z", r"\Z"),
    *(r"\p{L}", r"\p{Lu}", r"\p{^L}", r"\P{N}", r"\p{Han}", r"\p{Alpha}", r"\n", r"\x41", r"\x{e9}", r"\-", r"\/"),
)
MEMBERS = ("a", "b", "A-Z", "a-c", "0-9", "é", "漢", r"\w", r"\d", r"\s", r"\h", r"\p{L}", "[:alpha:]", "[:^digit:]",
           r"\]", r"\-", "[xy]", "²", "#", "~", "|", ".", r"\n", "'")  # fmt: skip
QUANTIFIERS = ("", "", "", "", "*", "+", "?", "*?", "+?", "??", "*+", "++", "?+", "{2}", "{2}?", "{1,2}", "{1,2}?",
               "{,2}", "{2,}", "{2,1}", "{1,2}+")  # fmt: skip
GROUPS = ("(", "(?:", "(?:", "(?i:", "(?m:", "(?-i:", "(?>", "(?=", "(?!", "(?x: ")


def random_pattern(choose: random.Random, depth: int = 0) -> str:
    """A random pattern, which may be invalid."""
    alternatives = []
    for _ in range(choose.choice((1, 1, 1, 2, 3))):
        parts = []
        for _ in range(choose.randint(0 if depth else 1, 4)):
            luck = choose.random()
            if luck < 0.15 and depth < 3:
                part = choose.choice(GROUPS) + random_pattern(choose, depth + 1) + ")"
            elif luck < 0.35:
                part = f"[{choose.choice(('', '', '^'))}{''.join(choose.choices(MEMBERS, k=choose.randint(1, 4)))}]"
            else:
                part = choose.choice(ATOMS)
            parts.append(part + choose.choice(QUANTIFIERS))
        alternatives.append("".join(parts))
    return "|".join(alternatives)


def test_random_patterns_match_as_in_the_original() -> None:
    choose = random.Random(17)
    words = [piece for piece in PIECES if len(piece) < 20] + TEXTS
    both = 0
    for _ in range(1_200):
        pattern = random_pattern(choose)
        texts = ["".join(choose.choices(words, k=choose.randint(1, 8))) for _ in range(3)]
        try:
            wanted = [theirs(pattern, text) for text in texts]
        except Exception:  # the original raises this type only
            continue
        try:
            spans = OnigurumaSpans(pattern)
        except InputError:
            continue
        both += 1
        assert [ours(spans, text) for text in texts] == wanted, (pattern, texts)
    assert both > 600


def compared(seed: int, count: int) -> None:
    """Compares generated patterns over the whole grammar; half of them must run in both."""
    grammar, found = OnigurumaGrammar(seed), []
    for _ in range(count):
        pattern = grammar.pattern()
        kind, details = verdict(pattern)
        assert kind != "DIFFERENT", (pattern, details)
        found.append(kind)
    assert found.count("equal") > count / 2


def test_generated_patterns_of_the_whole_grammar() -> None:
    compared(1, amount(1_600))


@pytest.mark.rest
def test_twenty_thousand_generated_patterns() -> None:
    compared(2, 20_000)


@pytest.mark.quick
@pytest.mark.parametrize("pattern", [
    # what `regex` alone reads otherwise
    "[^x]|[^a]", "[^x]b|[^a]b", "[[^x][^y]]", "[^x]|.", r"\N|[^a]", "(?i)i", "(?i)I", "(?i)ı", "(?i)İ", "(?i)[a-z]",
    "(?i)[ı]", "(?i)[iı]", r"[^\S]|[^\D]", r"\x+", r"(?i:q)w|[^9-ax]", r"(?<n>a)\101|A",
])  # fmt: skip
def test_what_the_module_reads_otherwise(pattern: str) -> None:
    assert verdict(pattern, ["aAbBxyxb", "iIıİ", "a\nb"]) == ("equal", "")
