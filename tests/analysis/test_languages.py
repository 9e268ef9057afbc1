"""The cost of one text in many languages."""

from __future__ import annotations

import unicodedata
from itertools import combinations

import pytest
import regex

import explorer
from explorer.analysis.languages import (
    BUNDLED,
    LONGEST,
    MOST_LANGUAGES,
    WITHOUT_SPACES,
    Language,
    languages,
    measure,
    read_parallel,
)
from tests.bundled import bundled

SCRIPTS = {"Kore": ("Hangul",), "Jpan": ("Hiragana", "Katakana", "Han"), "Hans": ("Han",), "Hant": ("Han",)}
"""ISO 15924 codes of more than one script of Unicode, or that Unicode does not know; the others are known by their
own name."""

ENDS = {
    "Deva": ".।", "Beng": "।", "Guru": "।", "Arab": ".۔", "Armn": "։", "Ethi": "።", "Khmr": "។", "Mymr": "။",
    "Tibt": "།", "Jpan": "。", "Hans": "。", "Hant": "。", "Thai": "", "Laoo": "",
}  # fmt: skip
"""What ends a sentence, where it is not a full stop; Thai and Lao have nothing but a space."""

ROWS = [line.split("\t") for line in BUNDLED.read_text("utf-8").splitlines()[1:]]
ALL = list(languages().values())


def test_there_are_many_languages_and_scripts() -> None:
    assert len(ALL) >= 36
    assert len({language.script for language in ALL}) >= 18
    assert len({language.name for language in ALL}) == len({language.native for language in ALL}) == len(ALL)


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_a_row_is_four_sentences_that_end_as_its_script_ends_them(row: list[str]) -> None:
    assert len(row) == 8
    code, name, _, script, *sentences = row
    assert all(field == field.strip() and field for field in row)
    assert all(unicodedata.is_normalized("NFC", field) for field in row)
    assert name.isascii()
    assert code == code.strip()
    for sentence in sentences:
        assert 8 <= len(sentence) <= 90
        end = ENDS.get(script, ".")
        if end:
            assert sentence[-1] in end
            # Tibetan writes the same stroke within a sentence
            assert script == "Tibt" or not set(end) & set(sentence[:-1])
        else:
            assert unicodedata.category(sentence[-1])[0] in "LM"
    assert languages()[code].text == ("" if script in WITHOUT_SPACES else " ").join(sentences)


@pytest.mark.parametrize("language", ALL, ids=[language.code for language in ALL])
def test_a_text_is_written_in_its_script(language: Language) -> None:
    scripts = "".join(rf"\p{{Script={name}}}" for name in SCRIPTS.get(language.script, (language.script,)))
    letters = regex.findall(r"[\p{L}\p{M}]", language.text)
    own = regex.findall(rf"[{scripts}]", language.text)
    others = [ch for ch in letters if not regex.match(rf"[{scripts}\p{{Script=Inherited}}\p{{Script=Common}}]", ch)]
    assert not others
    assert len(own) >= len(letters) * 0.9
    native = regex.findall(r"[\p{L}]", language.native)
    assert native
    assert all(regex.match(rf"[{scripts}]", ch) for ch in native)
    assert not regex.search(r"[\p{Cc}\p{Co}\p{Cn}\ufffd]", language.text)


def test_no_sentence_is_a_copy_of_another() -> None:
    sentences = [sentence for row in ROWS for sentence in row[4:]]
    assert len(set(sentences)) == len(sentences)
    for one, other in combinations(ALL, 2):
        words = [set(regex.findall(r"\p{L}{4,}", language.text.lower())) for language in (one, other)]
        if all(len(each) > 5 for each in words):
            shared = words[0] & words[1]
            assert len(shared) <= min(map(len, words)) / 2, f"{one.code} and {other.code} share {shared}"


def test_the_two_ways_to_write_chinese_differ() -> None:
    simple, full = languages()["zh-Hans"].text, languages()["zh-Hant"].text
    assert len(simple) == len(full)
    assert sum(a != b for a, b in zip(simple, full, strict=True)) > 8


# --- what they cost -------------------------------------------------------------------------------------------------


def test_costs_by_eye() -> None:
    texts = [Language("en", "English", "English", "Latn", "is is"), Language("ko", "Korean", "한국어", "Kore", "각!")]
    table = measure(texts, [bundled("gpt-2"), bundled("llama-2"), bundled("bert-uncased")])
    assert table.labels == ("gpt-2", "llama-2", "bert-uncased")
    korean = table.row("ko")
    assert (korean.characters, korean.bytes, korean.bytes_per_character) == (2, 4, 2.0)
    assert [cost.tokens for cost in table.row("en").costs] == [2, 2, 2]
    # three bytes and !; the prefix space, three bytes and !; three jamo and !
    assert [cost.tokens for cost in korean.costs] == [4, 5, 4]
    assert [cost.premium for cost in korean.costs] == [2.0, 2.5, 2.0]
    assert [cost.broken for cost in korean.costs] == [0.5, 0.5, 0.0]
    assert [cost.unknown for cost in korean.costs] == [0.0, 0.0, 0.0]
    assert korean.costs[0].characters_per_token == 0.5


def test_unknown_characters_are_counted() -> None:
    texts = [Language("en", "", "", "", "is"), Language("th", "", "", "", "ตลาด is")]
    table = measure(texts, [bundled("bert-uncased")])
    assert table.row("th").costs[0].unknown == 4 / 7


def test_a_table_may_be_parted_by_semicolons() -> None:
    found = read_parallel(b'language;text\nen;Hello, world\nde;"Hallo; Welt"\n', "semi.csv")
    assert [(each.code, each.text) for each in found] == [("en", "Hello, world"), ("de", "Hallo; Welt")]


def test_what_is_mostly_unknown_is_no_cheap_language() -> None:
    table = measure([languages()[code] for code in ("en", "th", "vi")], [bundled("bert-uncased"), bundled("gpt-2")])
    assert [cost.is_read for cost in table.row("th").costs] == [False, True]
    assert (table.row("th").costs[0].premium or 1) < 1


def test_any_baseline_and_nothing_to_compare_with() -> None:
    table = measure(ALL, [bundled("gpt-2")], "my")
    assert table.row("my").costs[0].premium == 1.0
    assert max(row.costs[0].premium or 0 for row in table.rows) <= 1.2
    with pytest.raises(explorer.InputError, match=r"“xx”"):
        measure(ALL, [bundled("gpt-2")], "xx")
    with pytest.raises(explorer.InputError, match="no tokenizer"):
        measure(ALL, [])
    with pytest.raises(KeyError):
        table.row("xx")
    empty = measure([Language("a", "", "", "", ""), Language("b", "", "", "", "b")], [bundled("gpt-2")], "a")
    assert [row.costs[0].premium for row in empty.rows] == [None, None]


# --- a person's own text --------------------------------------------------------------------------------------------

GOOD = [
    "en\tHello.\nde\tHallo.\n",
    "\ufeffen\tHello.\r\nde\tHallo.",
    "language\ttext\n\nen\tHello.\n\nde\tHallo.\n",
    "language,text\nen,Hello.\nde,Hallo.\n",
    "number,Text,Language\r\n1,Hello.,en\r\n2,Hallo.,de\r\n",
    '"language","text"\n"en","Hello."\n"de","Hallo."\n',
]


@pytest.mark.parametrize("text", GOOD)
def test_formats_of_a_parallel_text(text: str) -> None:
    english, german = read_parallel(text.encode(), "x")
    assert (english.code, english.text, english.name, english.script) == ("en", "Hello.", "English", "Latn")
    assert (german.code, german.text, german.native) == ("de", "Hallo.", "Deutsch")


def test_an_unknown_language_keeps_its_code_and_its_text_may_contain_anything() -> None:
    first, second = read_parallel(b'language,text\ntlh,"a, ""b""\nc"\nxx,\tx \n'.replace(b"\t", b" "), "x")
    assert first == Language("tlh", "tlh", "tlh", "", 'a, "b"\nc')
    assert second.text == " x "
    (first, _) = read_parallel(b"a\tone\ttwo\nb\tx", "x")
    assert first.text == "one\ttwo"


BAD = [
    (b"", "the file is empty"),
    (b" \n\n", "the file is empty"),
    (b"en\tHello\xff\nde\tHallo", "byte offset 8"),
    ("en\tHello".encode("utf-16"), "byte offset 0"),
    (b"en\tHello\nde Hallo", "line 2 has no tab"),
    (b"en\tHello\nen\tHello", "line 2: “en” is given twice"),
    (b"en\tHello\nde\t ", "line 2: “de” has no text"),
    (b"en\tHello\n\tHallo", "line 2 has no language"),
    (b"en\tHello", "only 1 language"),
    (b"lang,text\nen,Hello\nde,Hallo", "no column 'language' (it has “lang,␣text”)"),
    (b"language,words\nen,Hello", "no column 'text'"),
    (b"Hello there", "no column 'language'"),
    (b"language,text\nen,Hello\nde", "line 3 has 1 of 2 columns"),
    (b'language,text\nen,"Hello', "is not CSV"),
    (b"language,text\nen,Hello\nen,Hallo", "line 3: “en” is given twice"),
    (b"x" * (LONGEST + 1), "too many"),
    (b"\n".join(b"%d\tx" % number for number in range(MOST_LANGUAGES + 1)), "more than 500 languages"),
]


@pytest.mark.parametrize(("data", "says"), BAD)
def test_unusable_input_gives_a_one_line_error(data: bytes, says: str) -> None:
    with pytest.raises(explorer.InputError) as caught:
        read_parallel(data, "mine.csv")
    assert str(caught.value).startswith("mine.csv: ")
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)
