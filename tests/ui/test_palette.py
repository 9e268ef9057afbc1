"""What the palette answers: each of its answers is true, leads to its place, and is found by what people ask."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from explorer.languages import languages
from explorer.learning.lessons.reading import lessons_in
from explorer.ui import PAGES, SCRIPT, palette
from explorer.ui.compare.tabs import TABS
from explorer.ui.palette import entries, index
from explorer.views.examples import EXAMPLES
from explorer.views.prompt.registry import VIEWS
from tests.bundled import bundled
from tests.ui.app import data_of

ANSWERS: list[Mapping[str, Any]] = entries()["entry"]
BYTES = re.compile(r"[0-9A-F]{2}(?: [0-9A-F]{2})*")


def parts(href: str) -> tuple[str, dict[str, list[str]]]:
    """The name of a page, and its parameters."""
    link = urlsplit(href)
    return link.path.removeprefix("./") or "explore", parse_qs(link.query, keep_blank_values=True)


def visit(href: str) -> AppTest:
    """The page of an address, in a session of its own."""
    name, query = parts(href)
    at = AppTest.from_file(SCRIPT, default_timeout=120)
    at.switch_page(str(PAGES / f"{name}.py"))
    for key, values in query.items():
        at.query_params[key] = values
    return at.run()


@pytest.mark.long
@pytest.mark.parametrize("href", [each["href"] for each in ANSWERS])
def test_every_answer_finds_its_place(href: str) -> None:
    name, query = parts(href)
    at = visit(href)
    assert not at.exception
    assert not [each for each in at.markdown if 'role="alert"' in each.value]
    state, said = at.session_state, {key: values[0] for key, values in query.items()}
    if name == "learn":
        assert data_of(at, "question")["lesson"]["key"] == said["lesson"] if said else data_of(at, "lessons")
        return
    context = state["explorer.ui.parameters.Context"]
    if name in ("explore", "compare") and "text" in said:
        assert context.text == said["text"]
    if "m" in said:
        assert state["offer"].label == said["m"]
    if "with" in said:
        assert context.kept["with"] == query["with"]
    if "stage" in said:
        assert state["stage"] == said["stage"]
    if "bytes" in said:
        assert state["bytes"] == said["bytes"]
    if "stream" in said:
        assert state["stream"] == said["stream"]
    if "border" in said or "sample" in said:
        assert state["stage"] in said
    if "view" in said:
        assert said["view"] in (TABS if name == "compare" else [each.name for each in VIEWS])
        assert name == "prompt" or state["view"] == said["view"]


@pytest.mark.long
def test_examples_and_pages_open() -> None:
    at = AppTest.from_file(SCRIPT, default_timeout=120).run()
    hrefs = {row.href for row, _ in index("en") if row.href} - {each["href"] for each in ANSWERS}
    for href in sorted(each for each in hrefs if not each.startswith("learn?")):
        name, query = parts(href)
        at.switch_page(str(PAGES / f"{name}.py"))
        at.query_params.clear()
        for key, values in query.items():
            at.query_params[key] = values
        at.run()
        assert not at.exception, href


@pytest.mark.parametrize("language", languages())
def test_lessons_of_the_index_have_their_cards(language: str) -> None:
    lessons = {**lessons_in("en"), **lessons_in(language)}
    for row, _ in index(language):
        name, query = parts(row.href)
        if name == "learn" and "lesson" in query:
            cards = lessons[query["lesson"][0]].cards
            assert 1 <= int(query.get("card", ["1"])[0]) <= len(cards)


@pytest.mark.parametrize("each", [each for each in ANSWERS if "ids" in each], ids=lambda each: each["en"][0])
def test_ids_tokens_and_counts_are_those_of_the_engine(each: Mapping[str, Any]) -> None:
    _, query = parts(each["href"])
    tokenizer = bundled(query["m"][0])
    encoding = tokenizer.encode(query["text"][0])
    assert encoding.ids == each["ids"]
    for spelled, id in zip(each["tokens"], each["ids"], strict=False):
        data = encoding.bytes_of(id)
        if BYTES.fullmatch(spelled) and spelled.lower() == data.hex(" "):
            continue
        assert spelled.replace("↵", "\n").replace("U+200B", "\u200b") == data.decode()
    for name in languages():
        counts = re.findall(r"(\d+) (?:tokens|Token|トークン)", each[name][1])
        assert not counts or str(len(each["ids"])) in counts


def test_counts_in_other_tokenizers_are_true() -> None:
    def count(name: str, text: str) -> int:
        return len(bundled(name).encode(text).ids)

    assert count("qwen2.5", "नमस्ते दुनिया") == 13
    assert count("o200k_base", "こんにちは") == 1
    assert count("o200k_base", "مرحبا بالعالم") == 4
    assert count("qwen2.5", "1234567") == 7
    assert [count("gpt-2", each) for each in ("Hello", "hello", " SolidGoldMagikarp")] == [1, 1, 1]
    assert [count("qwen2.5", each) for each in "+4930"] == [1] * 5
    assert bundled("gpt-2").encode(" SolidGoldMagikarp").ids == [43453]
    assert bundled("gpt-2").encode("The answer is 42").ids[-1] == bundled("gpt-2").encode(" 42").ids[0]


def test_entries_are_said_in_all_languages() -> None:
    assert len(ANSWERS) > 60
    for each in ANSWERS:
        assert all(all(each[name]) for name in languages())
        assert each["words"]
    for each in (*entries()["setting"], *entries()["first"]):
        assert all(each[name][0] for name in languages())
    assert len({each["en"][0] for each in ANSWERS}) == len(ANSWERS)


def script(typed: list[str]) -> None:
    import streamlit as st

    from explorer.ui.palette import found_by_words

    for each in typed:
        for row in found_by_words(each):
            st.text(f"{each}\t{row.kind}\t{row.title}\t{row.href}")


ASKED = {
    "double BOS": "%3Cs%3EWhat", "two bos tokens": "%3Cs%3EWhat", "phone number": "%2B49", "strawberry": "strawberry",
    "how many letters": "strawberry", "llama.cpp differs": "view=Expected", "why are my ids different": "view=Expected",
    "chat template": "prompt", "stop string": "A+stop+string",
    "emoji": "%F0%9F%A4%97", "space before a word": "Hello+Hello", "numbers": "1234567",
    "digits": "1234567", "cost of a language": "corpus", "why is hindi expensive": "%E0%A4%A8", "newline": "%0A",
    "trailing space": "The+answer+is+", "unk": "bert-uncased", "glitch tokens": "43453", "prompt injection": "im_end",
    "loss mask": "view=training", "train my own tokenizer": "train", "count tokens": "How+many", "gpt-4": "o200k_base",
    "regex": "pre-tokenize", "what is a merge": "lesson=bpe", "detokenize": "stage=decode",
    "invisible characters": "%E2%80%8B",
    "doppeltes BOS": "%3Cs%3EWhat", "Telefonnummer": "%2B49", "Warum ist Hindi so teuer": "%E0%A4%A8",
    "Zeilenumbruch": "%0A", "Leerzeichen vor einem Wort": "Hello+Hello", "Chat-Vorlage": "prompt", "Ziffern": "1234567",
    "wie viele Token": "How+many", "電話番号": "%2B49", "先頭の空白": "Hello", "絵文字": "%F0%9F%A4%97",
    "チャットテンプレート": "prompt", "言語の料金": "corpus", "IDが違う": "view=Expected",
}  # fmt: skip
"""What people ask → a part of the address of one of the first three answers."""


def test_questions_find_an_answer() -> None:
    at = AppTest.from_function(script, args=(list(ASKED),), default_timeout=60).run()
    assert not at.exception
    found: dict[str, list[str]] = {}
    for line in at.text:
        typed, kind, _, href = line.value.split("\t")
        if kind == "Answers":
            found.setdefault(typed, []).append(href)
    missed = {
        typed: found.get(typed)
        for typed, href in ASKED.items()
        if not any(href in each for each in found.get(typed, [])[:3])
    }
    assert not missed


def test_a_long_text_is_no_question_of_many_words() -> None:
    """Every entry is held against each word: of two thousand words a few are looked for."""
    asked = " ".join(["dark", "theme", *(f"word{number}" for number in range(2_000))])
    seen: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(palette, "matches", lambda wanted, known: seen.append(wanted) or 0.0)
        AppTest.from_function(script, args=([asked],), default_timeout=60).run()
    assert {"dark", "theme"} <= {*seen}
    assert len({*seen}) <= palette.ASKED


@pytest.mark.parametrize(
    ("typed", "title"),
    [
        ("dark", "Theme: dark"),
        ("deutsch", "Language: Deutsch"),
        ("tokens as stored", "Raw spelling"),
        ("fullscreen", "Full screen"),
        ("shortcuts", "All keys of this page"),
        ("llama 3", "Llama 3 · llama.cpp"),
        ("gpt2", "GPT-2 · Hugging Face"),
        ("llama3", "Llama 3 · llama.cpp"),
        ("algorithm level", "Level of detail: Algorithm"),
    ],
)
def test_settings_are_found(typed: str, title: str) -> None:
    at = AppTest.from_function(script, args=([typed],), default_timeout=60).run()
    assert ["Settings", title] in [each.value.split("\t")[1:3] for each in at.text]


@pytest.mark.parametrize("language", [each for each in languages() if each != "en"])
def test_what_an_example_shows_is_said_in_the_language(language: str) -> None:
    notes = {row.note for row, _ in index(language)}
    assert not notes & {each.shows for each in EXAMPLES}
    assert {row.title for row, _ in index(language)} >= {each.text for each in EXAMPLES if each.label == each.text}


def test_a_lesson_is_found_by_its_number_in_any_language() -> None:
    number = {"lesson 3": 3, "Lektion 12": 12, "レッスン7": 7, "lesson 1": 1}
    at = AppTest.from_function(script, args=(list(number),), default_timeout=60).run()
    first: dict[str, str] = {}
    for line in at.text:
        typed, kind, _, href = line.value.split("\t")
        if kind == "Lessons":
            first.setdefault(typed, href)
    ids = list(lessons_in("en"))
    assert first == {typed: f"learn?lesson={ids[each - 1]}" for typed, each in number.items()}


PAGES_OF_MODELS = {
    "https://huggingface.co/Qwen/Qwen3-0.6B": "Qwen/Qwen3-0.6B",
    "https://huggingface.co/Qwen/Qwen3-0.6B/tree/main": "Qwen/Qwen3-0.6B",
    "https://hf.co/Qwen/Qwen3-0.6B/blob/main/tokenizer.json?download=true": "Qwen/Qwen3-0.6B",
    "https://huggingface.co/Qwen/Qwen3-0.6B/": "Qwen/Qwen3-0.6B",
    "Qwen/Qwen3-0.6B@main": "Qwen/Qwen3-0.6B@main",
    "https://huggingface.co/Qwen": None,
    "https://huggingface.co/datasets/a/b": None,
    "https://example.org/Qwen/Qwen3-0.6B": None,
    "../../etc/passwd": None,
    "org/name?": None,
}


def test_the_address_of_a_models_page_is_its_name() -> None:
    def script(typed: list[str]) -> None:
        import streamlit as st

        from explorer.ui.palette import rows

        for each in typed:
            for row in rows(each)[1]:
                if row.kind == "On the Hub":
                    st.text(f"{each}\t{row.title}")

    at = AppTest.from_function(script, args=(list(PAGES_OF_MODELS),), default_timeout=60).run()
    assert not at.exception
    found = dict(each.value.split("\t") for each in at.text)
    assert found == {typed: name for typed, name in PAGES_OF_MODELS.items() if name}


def test_a_long_text_has_all_its_tokens_counted() -> None:
    def script() -> None:
        import streamlit as st

        from explorer.ui.palette import row_of_text

        st.text(row_of_text("𒀀" * 1_000).note)

    at = AppTest.from_function(script, default_timeout=60).run()
    assert not at.exception
    tokens = bundled("llama-2").encode("𒀀" * 1_000, add_special=False).tokens
    count = sum(each.start < each.end for each in tokens)
    assert count > 2_000
    assert f"{count:,} tokens" in at.text[0].value
