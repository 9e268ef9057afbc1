"""The Explore page run in Python: every preset and hostile text, without an exception.

`tests/browser` tests the rest in a real browser.
"""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block

import explorer
from explorer.answers.explore import STREAMED
from explorer.languages import phrases
from explorer.views.examples import PRESETS
from tests.bundled import bundled
from tests.meaning import mentions
from tests.ui.app import data_of, html_of, page, script_of, sent_to, tokens_of

HOSTILE = {
    "empty": "",
    "one space": " ",
    "20,000 characters": "The quick brown fox. " * 953,
    "one word of 20,000": "a" * 20_000,
    "NUL": "\x00",
    "U+FFFD": "\ufffd",
    "U+2028": "a\u2028b\u2029c",
    "bidi controls": "\u202eabc\u2066\u2069\u200f",
    "markup": "<script>alert(1)</script><img src=x onerror=alert(1)><style>*{display:none}</style>",
    "markdown": "$x$ :smile: *it* [a](b) `c` {0} {0:q} {{",
    "noncharacters": "\ufffe\uffff\U0010ffff\ue000",
    "nothing but special tokens": "<s></s><unk>",
    "marks alone": "\u0301\u0308\ufe0f\u200d",
}


@pytest.mark.sample(2)
@pytest.mark.parametrize("preset", PRESETS, ids=[preset.label for preset in PRESETS])
def test_every_preset_shows_the_engines_ids(preset: Any, llama2: explorer.Tokenizer) -> None:
    at = page(text=preset.text)
    assert not at.exception
    assert tokens_of(at) == llama2.encode(preset.text).ids
    assert data_of(at, "max")["text"] == preset.text


@pytest.mark.sample(2)
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_no_text_breaks_the_page(text: str, llama2: explorer.Tokenizer) -> None:
    at = page(text=text)
    assert not at.exception
    assert tokens_of(at) == llama2.encode(text).ids[: len(tokens_of(at))]


def test_ids_arrive_one_by_one(llama2: explorer.Tokenizer) -> None:
    """The stage of decoding, played: one step for each id of the text itself, and the end."""
    text = "Hello 🤗 café"
    at = page(text=text, stage="decode", stream="One by one")
    assert not at.exception
    script, ids = script_of(at), llama2.encode(text, add_special=False).ids
    assert len(script["steps"]["kind"]) == len(ids) + 1
    at = page(ids=str(ids), stage="decode", stream="One by one")
    assert not at.exception
    assert script_of(at)["steps"] == script["steps"]
    assert len(script_of(page(text=text, stage="decode"))["steps"]["kind"]) != len(ids) + 1


def test_of_a_long_stream_the_first_ids_are_drawn() -> None:
    at = page(text="Hello 🤗 " * 1_000, stage="decode", stream="One by one")
    assert not at.exception
    assert len(script_of(at)["steps"]["kind"]) == STREAMED
    assert any("1,000" in each.value and "10,000" in each.value for each in at.caption)


def test_the_first_page_shows_the_default_example() -> None:
    at = page()
    assert not at.exception
    assert tokens_of(at) == [1, 1724, 338, 4309, 4717, 29973]
    assert len(script_of(at)["steps"]["kind"]) == 47


def test_no_container_is_sent_for_nothing() -> None:
    """Each costs every key press as much as 50 steps."""
    blocks: list[Any] = [page(text="hi", m="gpt-2").main]
    for each in blocks:
        blocks += [child for child in each.children.values() if isinstance(child, Block)]
    drawn = next(each for each in blocks if any(map(holds_tokens, each.children.values())))
    (container,) = (child for child in drawn.children.values() if isinstance(child, Block))
    assert container.proto.id.endswith("-stage")


def holds_tokens(element: Any) -> bool:
    return element.type == "bidi_component" and "tokens" in sent_to(element)


def test_a_link_sets_text_and_options() -> None:
    at = page(text="<s>Hi", special="false", parse="false")
    assert not at.exception
    assert tokens_of(at)[0] != 1


@pytest.mark.parametrize(
    "damage",
    ["step=-1", "step=x", "step=" + "9" * 30, "sel=7-3", "sel=x", "m=?", "as=?", "special=7"],
)
def test_a_damaged_link_opens_anyway(damage: str) -> None:
    at = page(text="What is LoRA?", **dict([damage.split("=")]))
    assert not at.exception
    assert 1724 in tokens_of(at)


def test_a_long_text_is_tokenized_whole_and_drawn_in_part(llama2: explorer.Tokenizer) -> None:
    text = "".join(f"Sentence number {i}. " for i in range(700))
    at = page(text=text)
    at.slider[0].set_value(5000).run()
    assert not at.exception
    assert "characters of the text are tokenized" in at.info[0].value
    ids = llama2.encode(text).ids
    shown = data_of(at, "tokens")
    before, after = shown["outside"]
    assert before + len(shown["tokens"]) + after == len(ids)
    assert tokens_of(at) == ids[before : len(ids) - after]
    assert shown["tokens"][0]["s"] <= 5000 < shown["tokens"][1]["e"]
    at.slider[0].set_value(0).run()
    assert not at.exception
    assert tokens_of(at)[0] == 1


def test_escapes_are_read_and_an_invalid_one_is_reported() -> None:
    at = page(text=r"a\u00e9\n", escapes="true")
    assert not at.exception
    assert tokens_of(at) == bundled("llama-2").encode("aé\n").ids
    for text in (r"\ud800", r"ab\q", "\\"):
        at = page(text=text, escapes="true")
        assert not at.exception
        assert not [e for e in at.get("bidi_component") if "rows" in sent_to(e)]
        assert any("position" in html.proto.body for html in at.get("html"))


def test_an_error_escapes_its_quotes() -> None:
    at = page(text=r"\<b>", escapes="true")
    assert not at.exception
    shown = [html.proto.body for html in at.get("html") if "alert" in html.proto.body]
    assert shown
    assert "<b>\\" not in shown[0].partition("</b>")[2]


def test_a_link_to_what_is_no_longer_offered_opens_the_nearest_and_says_so() -> None:
    at = page(text="hi", stage="all")
    assert not at.exception
    assert data_of(at, "focus")["focus"] == "model"
    assert "“all” is no longer offered" in html_of(at)
    at.button(key="dismiss absent").click().run()
    assert "no longer offered" not in html_of(at)


def above(at: AppTest) -> list[str]:
    """The lines of the warnings in the bar."""
    frames = [html for each in at.get("html") if "<li><bdi>" in (html := each.proto.body)]
    assert len(frames) <= 1, "once"
    return [unescape(line) for line in re.findall(r"<li><bdi>(.*?)</bdi></li>", "".join(frames))]


def test_a_doubled_bos_is_a_sentence_and_warnings_about_the_file_are_behind_their_count() -> None:
    at = page(m="llama-2", text="<s>Hi")
    words = "<s> (1) occurs twice: the text begins with it, and “Add BOS/EOS” adds another one. Remove one of them."
    assert data_of(at, "hint")["hint"] == {"words": "", "level": "", "warning": words}
    assert above(at) == []
    at.toggle(key="parse").set_value(False).run()
    assert not data_of(at, "hint")["hint"]["warning"]
    at = page(m="bert-uncased", text="[CLS] hi [SEP]")
    said = data_of(at, "hint")["hint"]["warning"]
    assert [name in said for name in ("[CLS] (101)", "[SEP] (102)")] == [True, True]
    lines = above(at)
    assert [line.split()[0] for line in lines] == ["The", "The"]
    assert mentions(lines[0], "The file cuts a text to 128 tokens")
    assert above(page(m="gpt-2", text="hi")) == []


@pytest.mark.long
def test_padding_and_truncation_are_applied_if_chosen() -> None:
    at = page(m="bert-uncased", text="hi " * 200)
    [choice] = [each for each in at.selectbox if each.label == "Pad and truncate as the file asks"]
    assert (choice.value, len(tokens_of(at))) == ("no", 202)
    choice.set_value("yes").run()
    assert not at.exception
    assert len(tokens_of(at)) == 128
    assert above(at) == []
    assert {"truncate", "pad"} <= {each["key"] for each in data_of(at, "stages")["stages"]}
    [choice] = [each for each in at.selectbox if each.label == "Pad and truncate as the file asks"]
    assert choice.value == "yes"
    at.selectbox(key="m").set_value("gpt-2").run()
    assert [each.label for each in at.selectbox if each.label.startswith("Pad")] == []
    at.selectbox(key="m").set_value("bert-uncased").run()
    [choice] = [each for each in at.selectbox if each.label == "Pad and truncate as the file asks"]
    assert (choice.value, len(tokens_of(at))) == ("yes", 128), "the choice stays with its tokenizer"
    choice.set_value("no").run()
    assert len(tokens_of(at)) == 202


def test_what_add_special_adds_can_be_chosen_for_a_sentencepiece_model() -> None:
    at = page(m="mistral-v1", text="hi")
    [choice] = [each for each in at.selectbox if each.label == "“Add BOS/EOS” adds"]
    assert (choice.value, tokens_of(at)) == ("bos", [1, 12014])
    for value, ids in (("both", [1, 12014, 2]), ("eos", [12014, 2]), ("none", [12014]), ("bos", [1, 12014])):
        choice.set_value(value).run()
        [choice] = [each for each in at.selectbox if each.label == "“Add BOS/EOS” adds"]
        assert tokens_of(at) == ids


def test_a_link_makes_optional_choices() -> None:
    at = page(m="bert-uncased", text="hi " * 200, choose_pad_and_truncate="yes")
    choice = at.selectbox(key="choose_pad_and_truncate")
    assert (choice.value, len(tokens_of(at))) == ("yes", 128)
    choice.set_value("no").run()
    assert len(tokens_of(at)) == 202
    at.run()
    assert len(tokens_of(at)) == 202, "a link is read once"
    at = page(m="mistral-v1", text="hi", choose_add_special="eos")
    choice = at.selectbox(key="choose_add_special")
    assert (choice.value, tokens_of(at)) == ("eos", [12014, 2])
    assert choice.options[0] == "bos", "the first option, which the URL omits, is the file's"
    at.selectbox(key="m").set_value("bert-uncased").run()
    at.selectbox(key="choose_pad_and_truncate").set_value("yes").run()
    at.selectbox(key="m").set_value("mistral-v1").run()
    assert (at.selectbox(key="choose_add_special").value, tokens_of(at)) == ("eos", [12014, 2])


@pytest.mark.parametrize(
    ("m", "key", "value", "says"),
    [
        ("mistral-v1", "add_special", "<b>", "add_special = '<b>', but known are bos, eos, both, none."),
        ("gpt-2", "add_special", "eos", "add_special = 'eos', but gpt-2 has no such choice."),
    ],
)
def test_a_refused_choice_of_a_link_is_reported_once_and_ignored(m: str, key: str, value: str, says: str) -> None:
    at = page(m=m, text="hi", **{f"choose_{key}": value})
    assert not at.exception
    assert tokens_of(at) == explorer.load(m).encode("hi").ids
    said = [unescape(each.proto.body) for each in at.get("html") if "This link chooses" in each.proto.body]
    assert len(said) == 1
    assert says in said[0]
    at.button(key="dismiss choices").click().run()
    assert not [each for each in at.get("html") if "This link chooses" in each.proto.body]


def test_an_id_that_is_none_leaves_the_others() -> None:
    at = page(m="llama-2", ids="[1, 450, 999999, 338]")
    assert not at.exception
    assert "999999" in html_of(at)
    assert tokens_of(at) == [1, 450, 338]
    at = page(m="llama-2", ids="[1, x]")
    assert not at.exception
    assert "decoded" in html_of(at)


def test_a_border_takes_the_place_of_the_stage() -> None:
    at = page(m="gpt-2", text="https://example.org", border="6")
    assert not at.exception
    picture = data_of(at, "picture")["picture"]
    assert picture["at"] == 6
    assert picture["borders"]["6"]["left"] == [25]
    assert data_of(at, "tokens")["focus"] == "border"


@pytest.mark.sample(3)
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("border", ["", "0", "99999999", "x"])
def test_no_link_breaks_the_border(text: str, border: str) -> None:
    at = page(m="gpt-2", text=text, border=border)
    assert not at.exception
    assert data_of(at, "picture")["picture"]["length"] == len(text)


def test_other_ways_take_the_place_of_the_stage() -> None:
    at = page(m="gpt-2", text=" unrelated", sample="many", alpha="0.2", seed="3", draws="50", rule="subword-nmt")
    assert not at.exception
    shown = data_of(at, "picture")
    found = explorer.distribution(bundled("gpt-2"), " unrelated", 0.2, 3, samples=50, rule="subword-nmt")
    assert shown["picture"]["rows"][0]["cells"][2][0] == str(found.ways[0].times)
    assert data_of(at, "tokens")["focus"] == "sample"


def test_one_draw_is_played() -> None:
    at = page(m="gpt-2", text=" unrelated", sample="one", alpha="0.3", draw="4")
    assert not at.exception
    found = bundled("gpt-2").sample(" unrelated", 0.3, 0, draw=4)
    script = script_of(at)
    assert len(script["steps"]["kind"]) == sum(len(drawn.picks) for drawn in found.drawn) + len(found.drawn)


ASKED = {
    "nothing": {},
    "a million draws": {"draws": "1000000"},
    "no number": {"alpha": "nan", "seed": "x", "draw": "1e9"},
    "too large": {"alpha": "1e999", "seed": str(10**30), "draws": "-1", "draw": "0"},
    "no rule": {"rule": "<script>"},
}


@pytest.mark.sample(4)
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("sample", ["many", "one", ""])
@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_no_link_breaks_other_ways(text: str, sample: str, asked: dict[str, str]) -> None:
    at = page(m="gpt-2", text=text, sample=sample, **asked)
    assert not at.exception
    assert data_of(at, "picture")["picture"]["rules"]


@pytest.mark.parametrize("model", ["bert-uncased", "rwkv-world"])
@pytest.mark.parametrize("sample", ["many", "one"])
def test_a_model_without_sampling_says_so(model: str, sample: str) -> None:
    at = page(m=model, text="hello", sample=sample)
    assert not at.exception
    shown = data_of(at, "picture")["picture"]
    assert not shown["rules"]
    assert shown["says"]["what"]["texts"]


def test_a_space_at_the_end_is_reported() -> None:
    assert data_of(page(m="gpt-2", text="The answer is "), "tokens")["lone_space"] == 220
    assert data_of(page(m="gpt-2", text="The answer is"), "tokens")["lone_space"] is None


def test_ids_within_the_ids_of_a_text() -> None:
    at = page(m="cl100k_base", text="Assistant:\n\nHi", border="3", between="Ids in these ids", find="Assistant:")
    assert not at.exception
    data = data_of(at, "frame")
    assert [row["tokens"] for row in json.loads(data["rows"])["rows"]] == [3, 2]
    assert ":↵↵" in data["frame"]["said"][0][0]["texts"]
    for find in ("[72803, 1473]", "[1]", "[9999999]", "x\\", "[1, x]", "<b>"):
        assert not page(m="cl100k_base", text="Assistant:", border="", between="Ids in these ids", find=find).exception


def test_a_stop_string_in_tokens() -> None:
    at = page(m="gpt-2", text="a", border="", between="A stop string", stop="\\n\\nHuman:")
    assert not at.exception
    table = at.dataframe[-1].value
    assert table["tokens"].tolist() == [2, 1]
    assert table["in which it begins inside"].tolist() == [1, 0]
    assert not page(m="gpt-2", text="a", border="", between="A stop string", stop="x" * 2_000).exception
    assert not page(m="gpt-2", text="a", border="", between="nothing", stop="<b>").exception


def test_ids_that_are_not_canonical_have_a_row_each() -> None:
    at = page(m="gpt-2", ids="[5450, 25, 1003, 20688]", stage="again")
    assert not at.exception
    table = at.dataframe[-1].value
    assert table["ids number"].tolist() == ["2–3"]
    assert table["canonical"].tolist() == ["1378 ://"]
    assert table["changed by"].tolist() == ["model"]
    assert not page(m="gpt-2", ids="[5450, 1378]", stage="again").dataframe


@pytest.mark.parametrize("query", [{"text": "unaffable LoRA"}, {"ids": "[2653, 4590]", "stage": "decode"}])
def test_steps_and_stages_are_said_in_the_visitors_language(query: dict[str, str]) -> None:
    english, german = (page(m="gpt-2", lang=language, **query) for language in ("en", "de"))
    assert not german.exception
    one, other = script_of(english), script_of(german)
    assert one["steps"] == other["steps"]
    assert one["phases"] != other["phases"] or one["start"] != other["start"]
    to = phrases("de")
    names, said = ([stage["name"] for stage in data_of(at, "tokens")["stages"]] for at in (english, german))
    assert said == [to.caption(name) for name in names] != names


def test_an_example_says_what_to_look_for_in_the_visitors_language() -> None:
    query = {"stage": "model", "level": "algorithm", "step": "14"}
    hints = [data_of(page(lang=language, **query), "tokens")["hint"]["words"] for language in ("en", "de", "ja")]
    assert all(hints)
    assert len(set(hints)) == 3
