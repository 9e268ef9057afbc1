"""The Compare page run in Python: every tab, bad input, and the content of its tables."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html import unescape
from typing import Any
from urllib.parse import parse_qs

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from explorer.errors import InputError
from explorer.script.script import WINDOW
from explorer.text.say import fill
from explorer.ui import SCRIPT
from explorer.ui.compare import tabs
from explorer.ui.compare.tabs import DEFAULTS, TABS
from explorer.ui.frame import session_key
from explorer.ui.tokenizers.chooser import Uploads
from tests.meaning import mentions
from tests.ui.app import acknowledged, context_of, data_of, drop, html_of, sent_to, tokens_of
from tests.ui.small_files import tokenizer_json

PAGE = "../pages/compare.py"


def page(**query: str | list[str]) -> AppTest:
    at = AppTest.from_file(SCRIPT, default_timeout=120)
    for name, value in query.items():
        at.query_params[name] = value
    at.run()
    at.switch_page(PAGE).run()
    assert not at.exception
    return at


@pytest.mark.long
@pytest.mark.parametrize("name", TABS)
def test_every_tab_is_drawn_and_can_be_downloaded(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    files: dict[str, Callable[[], str]] = {}
    button = st.download_button

    def record(label: str, data: Callable[[], str], *args: Any, **kwargs: Any) -> bool:
        files[label] = data
        return button(label, data, *args, **kwargs)

    monkeypatch.setattr(st, "download_button", record)
    at = on_tab(name, "A\u030angstrom <s> l'été 1234 吾輩", expect="1 1724")
    assert [each.proto.label for each in at.get("download_button")] == ["JSON", "CSV", "Markdown"]
    # as in the server, no session runs when a download is requested
    assert json.loads(files["JSON"]())
    assert files["CSV"]().count("\n") > 1
    assert files["Markdown"]().count("|") > 4


def test_a_border_takes_the_place_of_the_rows() -> None:
    at = page(text="https://example.org", border="6")
    picture = data_of(at, "picture")["picture"]
    assert (picture["at"], len(picture["rows"])) == (6, 4)
    assert [each.proto.label for each in at.get("download_button")] == ["JSON", "CSV", "Markdown"]
    assert len(data_of(page(text="a", border="x"), "picture")["picture"]["rows"]) == 0


def test_an_empty_text_and_a_single_letter_work() -> None:
    at = page()
    for question in TABS:
        for text in ("", "a"):
            context_of(at).text, at.session_state["view"] = text, question
            at.run()
            assert not at.exception, (question, text)


def parting_of(at: AppTest) -> dict[str, Any]:
    """What is drawn of where they part."""
    return data_of(at, "picture")


@pytest.mark.long
def test_the_place_where_two_implementations_differ_is_drawn_on_the_text() -> None:
    at = page()
    at.session_state["with"] = ["qwen2.5@huggingface", "qwen2.5@llama.cpp"]
    context_of(at).text = "A\u030angstrom"
    at.session_state["view"] = "Where they part"
    at.run()
    assert not at.exception
    drawn = parting_of(at)
    assert drawn["picture"]["stages"][drawn["picture"]["here"]]["sides"][0][0] == "Normalize"
    assert drawn["picture"]["stages"][drawn["picture"]["here"]]["sides"][1] is None
    assert "llama.cpp" in drawn["head"]["note"]
    text, (one, other) = (drawn["rows"][each] for each in ("text", "sides"))
    assert [cell[1] for cell in text][:2] == ["0041", "030A"]
    assert [cell[1:] for cell in one if cell[4]] == [["00C5", 0, 2, True]], "it covers the mark that it swallowed"
    assert [cell[1] for cell in other if cell[4]] == ["0041", "030A"]
    assert len([data for data in components(at) if "script_id" in data]) == 1, "only one side has the stage"


def test_a_single_tokenizer_needs_a_second() -> None:
    at = page()
    at.session_state["with"] = ["llama-3@huggingface"]
    at.session_state["view"] = "Where they part"
    at.run()
    assert not at.exception
    assert [side["name"] for side in parting_of(at)["sides"]] == ["Llama 3"]
    offered = [each.label for each in at.button if str(each.key).startswith("second ")]
    assert offered[0] == "Llama 3 · llama.cpp", "first the same model as another program runs it"
    at.button(key="second llama-3@llama.cpp").click().run()
    assert not at.exception
    assert at.multiselect(key="with").value == ["llama-3@huggingface", "llama-3@llama.cpp"]
    assert [side["name"] for side in parting_of(at)["sides"]] == ["Hugging Face", "llama.cpp"]


def on_tab(name: str, text: str = "What is LoRA?", **state: object) -> AppTest:
    """The page with a text, a tab and other state."""
    at = page()
    context_of(at).text = text
    for key, value in {"view": name, **state}.items():
        at.session_state[key] = value
    at.run()
    assert not at.exception
    return at


def counts_drawn(at: AppTest) -> dict[str, int]:
    """The rows of Side by side, and their tokens."""
    return {row["label"]: row["tokens"] for row in json.loads(data_of(at, "rows_id")["rows"])["rows"]}


TWO = ["gpt-2@huggingface", "llama-3@huggingface"]


def pressed(at: AppTest) -> list[str]:
    """The tokenizers that the question is about."""
    return list(data_of(at, "chips")["chosen"])


Click = Callable[..., None]


@pytest.fixture
def click(monkeypatch: pytest.MonkeyPatch) -> Click:
    """Clicks a chip, or with "on_remove" its ×, and runs the page again."""
    draw, given = tabs.tokenizer_chips, dict[str, Any]()

    def record(*args: Any, **kwargs: Any) -> None:
        given.update(kwargs)
        draw(*args, **kwargs)

    def act(at: AppTest, name: str, part: str = "on_choose") -> None:
        given[part](name)
        at.run()
        assert not at.exception

    monkeypatch.setattr(tabs, "tokenizer_chips", record)
    return act


def test_two_that_agree_have_no_difference() -> None:
    at = on_tab("Where they part", **{"with": ["gpt-2@huggingface", "gpt-2@llama.cpp"]})
    assert "5 ids" in said_of(at)
    assert not at.get("page_link")
    assert not [data for data in components(at) if "script_id" in data]
    drawn = parting_of(at)["picture"]
    assert all(stage["same"] for stage in drawn["stages"])
    assert (drawn["places"], drawn["here"]) == ([], None)
    # these two give the same ids for every example
    at.button(key="try_text").click().run()
    assert "for every example" in html_of(at)


def test_an_example_where_two_part_is_offered() -> None:
    at = on_tab("Where they part", text="abc", **{"with": ["qwen2.5@huggingface", "qwen2.5@llama.cpp"]})
    at.button(key="try_text").click().run()
    assert not at.exception
    assert context_of(at).text != "abc"
    assert parting_of(at)["picture"]["count"] > 0


def test_a_place_is_chosen_by_its_number_or_by_a_span_of_the_text() -> None:
    numbers = {"text": "He's 1234567 LoRA", "view": "Where they part", "with": TWO}
    for query, place in (
        ({}, 1),
        ({"place": "3"}, 2),
        ({"sel": "13-15"}, 3),
        ({"place": "99"}, 1),
        ({"place": "x"}, 1),
    ):
        at = page(**numbers, **query)
        drawn = parting_of(at)["picture"]
        assert drawn["place"] == place
        assert [(start, end, ids) for start, end, _, ids in drawn["places"]] == [
            (0, 4, True), (4, 8, False), (8, 12, False), (12, 17, True)
        ]  # fmt: skip
    # the place of a link is of its text alone
    at = page(**numbers, place="3")
    context_of(at).text = "He's 1234567 LoRAs"
    at.run()
    assert parting_of(at)["picture"]["place"] == 1


def test_a_text_that_is_too_long_to_compare_leaves_the_last_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    at = on_tab("Where they part", text="He's 12", **{"with": TWO})
    before = parting_of(at)["picture"]

    def refuse(*_: object) -> None:
        raise InputError("it is longer than 3 characters; shorten it")

    monkeypatch.setattr(tabs, "parting_view", refuse)
    at.run()
    assert not at.exception
    assert "longer than 3 characters" in said_of(at)
    assert parting_of(at)["picture"] == before
    assert not at.get("download_button")


def test_steppers_begin_at_the_difference_and_links_lead_there() -> None:
    at = on_tab("Where they part", text="What is unbelievable", **{"with": TWO})
    players = [data for data in components(at) if "script_id" in data]
    # both cut it alike, so the ids are shown, at their last step
    assert [(data["parameter"], data["start"]) for data in players] == [("step0", 2), ("step1", 2)]
    at = on_tab("Where they part", text="What is naïve", **{"with": TWO})
    players = [data for data in components(at) if "script_id" in data]
    assert [(data["parameter"], data["start"]) for data in players] == [("step0", 40), ("step1", 24)]
    links = [parse_qs(link.proto.query_string) for link in at.get("page_link")]
    assert [(link["m"], link["step"], link["text"]) for link in links] == [
        (["gpt-2"], ["40"], ["What is naïve"]), (["llama-3"], ["24"], ["What is naïve"])
    ]  # fmt: skip


@pytest.mark.long
def test_a_difference_far_into_a_long_text_is_drawn_and_linked() -> None:
    text = "word " * 900 + "A\u030a"
    at = on_tab("Where they part", text=text, **{"with": ["qwen2.5@huggingface", "qwen2.5@llama.cpp"]})
    link = parse_qs(at.get("page_link")[0].proto.query_string)
    assert "text" not in link, "too long for a URL; the session has it"
    at.query_params["at"] = link["at"][0]
    at.switch_page("../pages/explore.py").run()
    assert not at.exception
    shown = at.slider(key="at").value
    assert shown <= 4500 < shown + WINDOW


def test_links_to_explore_contain_the_optional_choices() -> None:
    at = page(m="mistral-v1", text="hi there", choose_add_special="both")
    at.switch_page("../pages/compare.py").run()
    at.multiselect(key="with").set_value(["mistral-v1", "gpt-2@huggingface"]).run()
    at.segmented_control(key="view").set_value("Where they part").run()
    assert not at.exception
    links = [parse_qs(link.proto.query_string) for link in at.get("page_link")]
    assert [link.get("choose_add_special") for link in links if link["m"] == ["mistral-v1"]] == [["both"]]
    assert all("choose_add_special" not in link for link in links if link["m"] != ["mistral-v1"])


def test_a_link_to_compare_makes_optional_choices_that_can_be_removed() -> None:
    two = ["mistral-v1", "gpt-2@huggingface"]
    at = page(text="hi", chosen=["mistral-v1 add_special=both"], **{"with": two})
    assert not at.exception
    assert counts_drawn(at) == {"Mistral v1": 3, "GPT-2": 1}, "with EOS at the end"
    assert at.multiselect(key="chosen").value == ["mistral-v1 add_special=both"]
    at.multiselect(key="chosen").set_value([]).run()
    assert not at.exception
    assert counts_drawn(at) == {"Mistral v1": 2, "GPT-2": 1}
    assert [each.key for each in at.multiselect] == ["with"]


def test_refused_choices_of_a_link_to_compare_are_reported() -> None:
    wrong = ["mistral-v1 add_special=x", "gpt-2@huggingface a=b", "nothing a=b", "x"]
    at = page(text="hi", chosen=wrong, **{"with": ["mistral-v1", "gpt-2@huggingface"]})
    assert not at.exception
    said = html_of(at)
    assert "known are bos, eos, both, none" in said
    assert mentions(said, "gpt-2 has no such choice")
    assert said.count("This link chooses") == 2


def line_of(line: list[Any]) -> str:
    """A line of the page, as it is read."""
    return "".join(fill(say["template"], say["args"], say["texts"]) for say, _ in line)


def expected_rows(at: AppTest) -> dict[str, Any]:
    """The rows of tokens drawn for pasted ids."""
    rows: dict[str, Any] = json.loads(data_of(at, "frame")["rows"])
    return rows


# --- expected ids ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("pasted", "same"), [("[1, 1724, 338, 4309, 4717, 29973]", True), ("1724 338", False)])
def test_expected_ids_are_marked_as_same_or_different(pasted: str, same: bool) -> None:
    at = on_tab("Expected ids", expect=pasted)
    marks = {cell[4] for row in expected_rows(at)["rows"] for cell in row["cells"]}
    assert (marks == {0}) is same


def test_an_invalid_list_of_ids_is_reported() -> None:
    at = on_tab("Expected ids")
    for pasted, says in (
        ("hello <b>", "is not an id"),
        ("-5", "is negative"),
        ("9" * 20, "larger than any id"),
        ("1 2 x", "id number 3"),
        ("[" * 500, "there are no ids"),
        ("[1, 2, ...]", "shortened"),
    ):
        at.session_state["expect"] = pasted
        at.run()
        assert not at.exception
        frame = data_of(at, "frame")["frame"]
        assert says in line_of(frame["said"]).lower()
        assert frame["list"]["rows"], "the examples stay"


@pytest.mark.long
def test_ids_beyond_the_vocabulary_are_reported() -> None:
    at = on_tab("Expected ids", expect="1 31999 32000")
    assert "32000" in line_of(data_of(at, "frame")["frame"]["said"])
    assert any(look["ids"] == [32000] and look.get("look") == "bad" for look in expected_rows(at)["looks"])


@pytest.mark.long
def test_a_hundred_thousand_ids_are_explained() -> None:
    at = on_tab("Expected ids", expect=" ".join(["1724"] * 100_000))
    assert line_of(data_of(at, "frame")["frame"]["said"])
    assert len(data_of(at, "frame")["rows"]) < 100_000


def test_a_link_contains_the_ids() -> None:
    at = page(expect="1 1724", view="Expected ids")
    rows = expected_rows(at)
    assert [rows["looks"][cell[5]]["ids"] for cell in rows["rows"][0]["cells"]] == [[1], [1724]]


def test_an_example_fills_the_field_with_ids_that_are_explained() -> None:
    at = on_tab("Expected ids")
    shown = data_of(at, "frame")["frame"]["list"]["rows"]
    at.session_state["expected-rows"] = {"use": "0 17"}
    at.run()
    assert not at.exception
    assert at.session_state["expect"] == ", ".join(map(str, shown[1]["ids"]))
    assert line_of(data_of(at, "frame")["frame"]["note"]).startswith("Proved")


# --- languages -----------------------------------------------------------------------------------------------------


def languages_drawn(at: AppTest) -> list[str]:
    """The languages of the picture."""
    return list(data_of(at, "picture")["picture"]["languages"])


@pytest.mark.long
@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"language,words\nen,Hello\nde,Hallo\n", "text"),
        (b"", "empty"),
        (b"\xff\xfe", "UTF-8"),
        (b"en\tHi\n", "only 1"),
    ],
)
def test_an_invalid_parallel_text_is_reported(data: bytes, says: str) -> None:
    at = on_tab("Languages")
    at.file_uploader(key="parallel").set_value([("mine.csv", data, "text/csv")])
    at.run()
    assert not at.exception
    assert says in html_of(at)
    assert len(languages_drawn(at)) > 30, "the bundled text is shown instead"
    assert "Below is the bundled text" in html_of(at)


@pytest.mark.long
def test_an_uploaded_parallel_text_is_measured() -> None:
    at = on_tab("Languages")
    at.file_uploader(key="parallel").set_value([("mine.tsv", b"en\tHello.\nde\tHallo.\n", "text/plain")])
    at.run()
    assert languages_drawn(at) == ["English", "German"]


def test_an_uploaded_parallel_text_is_kept_when_the_tab_changes() -> None:
    at = on_tab("Languages")
    at.file_uploader(key="parallel").set_value([("mine.tsv", b"en\tHello.\nde\tHallo.\n", "text/plain")])
    at.run()
    for question in ("What if", "Languages"):
        at.session_state["view"] = question
        at.run()
    assert at.file_uploader(key="parallel").value is None, "the uploader loses its file while it isn't drawn"
    assert languages_drawn(at) == ["English", "German"]
    assert "mine.tsv" in html_of(at)
    next(button for button in at.button if button.label == "Back to the bundled text").click().run()
    assert len(languages_drawn(at)) > 30
    assert "mine.tsv" not in html_of(at)


# --- files ---------------------------------------------------------------------------------------------------------


def test_an_upload_is_compared_at_once() -> None:
    at = drop(page(text="abc ab"), ("mine.json", tokenizer_json()))
    assert not at.exception
    chosen = at.multiselect(key="with").value
    assert chosen[:-1] == list(DEFAULTS)
    assert chosen[-1].startswith("mine.json (")
    rows = list(counts_drawn(at))
    assert rows[:-1] == ["Llama 2", "GPT-2", "Llama 3", "o200k_base (GPT-4o)"]
    assert rows[-1] == chosen[-1].replace("@huggingface", "")
    assert "your own files" in " ".join(caption.value for caption in at.caption)


@pytest.mark.long
def test_a_seventh_tokenizer_replaces_the_sixth() -> None:
    six = [*DEFAULTS, "bert-uncased@huggingface", "qwen2.5@huggingface"]
    at = page()
    at.session_state["with"] = six
    drop(at.run(), ("mine.json", tokenizer_json()))
    assert not at.exception
    chosen = at.multiselect(key="with").value
    assert (chosen[:5], len(chosen)) == (six[:5], 6)


def test_a_file_that_is_not_a_tokenizer_is_reported_and_nothing_changes() -> None:
    at = drop(page(), ("notes.txt.bin", b"\x00\x01nothing"))
    assert not at.exception
    assert "notes.txt.bin" in html_of(at)
    assert at.multiselect(key="with").value == list(DEFAULTS)


def test_the_pattern_that_gives_the_expected_ids_opens_on_explore() -> None:
    at = page(**{"with": ["llama-3", "gpt-2"], "text": "2023", "expect": "508 1419", "view": "Expected ids"})
    assert mentions(json.dumps([each.proto.json for each in at.get("bidi_component")]), "the pattern of GPT-2")
    at.button(key="with_pattern").click().run()
    assert not at.exception
    assert tokens_of(at) == [508, 1419]
    assert at.button(key="own pattern")
    # ids that no pattern gives offer none
    at = page(**{"with": ["llama-3", "gpt-2"], "text": "2023", "expect": "508", "view": "Expected ids"})
    assert not any(each.key == "with_pattern" for each in at.button)


def test_a_link_to_a_missing_upload_says_so() -> None:
    at = page(**{"with": ["gpt-2@huggingface", "mine.json (0123abcd)@huggingface"]})
    assert "drop it here again" in html_of(at)
    assert at.multiselect(key="with").value == ["gpt-2@huggingface"]


def test_all_unknown_names_of_a_link_are_reported() -> None:
    at = page(**{"with": ["nope", "nix", "gpt-2@huggingface"]})
    said = "&#x27;nope&#x27; and &#x27;nix&#x27;, which are not available here: you see GPT-2 · Hugging Face."
    assert said in html_of(at)
    at = page(**{"with": ["nope", "nix"]})
    assert mentions(
        html_of(at), "not available here: you see Llama 2, GPT-2 · Hugging Face, Llama 3 · Hugging Face, o200k"
    )
    assert at.multiselect(key="with").value == list(DEFAULTS)
    at.button(key="dismiss absent").click().run()
    assert "nope" not in html_of(at)


@pytest.mark.long
def test_names_beyond_the_sixth_are_reported() -> None:
    six = [*DEFAULTS, "bert-uncased@huggingface", "qwen2.5@huggingface"]
    at = page(**{"with": [*six, "nope", "rwkv-world@rwkv"]})
    assert at.multiselect(key="with").value == six
    assert mentions(html_of(at), "left out: &#x27;rwkv-world@rwkv&#x27;.")
    assert "&#x27;nope&#x27;, which is not available here" in html_of(at)
    at.button(key="dismiss left out").click().run()
    assert "left out" not in html_of(at)
    assert "left out" not in html_of(page(**{"with": six}))


@pytest.mark.long
def test_a_removed_upload_is_no_longer_compared() -> None:
    at = drop(page(text="abc ab"), ("mine.json", tokenizer_json()))
    at.session_state[session_key(Uploads)].offers.clear()
    at.run()
    assert not at.exception
    assert at.multiselect(key="with").value == list(DEFAULTS)


# --- the content of the page ---------------------------------------------------------------------------------------


def components(at: AppTest) -> list[dict[str, Any]]:
    """The data of all browser components. Of a stepper, what comes before its packed script."""
    return [sent_to(element) for element in at.get("bidi_component")]


def said_of(at: AppTest) -> str:
    """All sentences of the page."""
    said = [data["say"] for data in components(at) if data.get("say")]
    return " ".join(fill(say["template"], say["args"], say["texts"]) for say in said)


def test_a_doubled_bos_is_a_sentence_and_other_warnings_are_in_the_bar_once_whatever_the_tab() -> None:
    for view in ("Side by side", "Where they part", "What if"):
        names = ["bert-uncased@huggingface", "llama-2", "bert-uncased@llama.cpp"]
        at = page(text="<s>Hi", view=view, **{"with": names})
        frames = [each.proto.body for each in at.get("html") if "<li><bdi>" in each.proto.body]
        assert len(frames) == 1
        lines = [unescape(line) for line in re.findall(r"<li><bdi>(.*?)</bdi></li>", frames[0])]
        assert [line.partition(": ")[0] for line in lines] == ["BERT uncased · Hugging Face"] * 2
        said = [unescape(each.proto.body) for each in at.get("html") if "occurs twice" in each.proto.body]
        assert ["Llama 2: <s> (1) occurs twice" in each for each in said] == [True]


def test_the_url_has_short_names_and_only_what_is_not_the_default(click: Click) -> None:
    at = page(text="a b")
    written = next(data["values"] for data in components(at) if "echo" in data and data["echo"] is not None)
    assert written == {"with": None, "base": None}
    at.multiselect(key="with").set_value([*TWO, "llama-2"]).run()
    at.selectbox(key="base").set_value("llama-2").run()
    at.segmented_control(key="view").set_value("Where they part").run()
    click(at, TWO[1])
    written = {name: value for data in components(at) for name, value in data.get("values", {}).items()}
    assert written == {"with": [*TWO, "llama-2"], "base": "llama-2", "left": None, "right": TWO[1]}
    again = page(text="a b", view="Where they part", **{name: value for name, value in written.items() if value})
    assert again.selectbox(key="base").value == "llama-2"
    assert (again.multiselect(key="with").value, pressed(again)) == ([*TWO, "llama-2"], ["llama-2", TWO[1]])


def test_a_click_on_a_chip_replaces_the_choice_that_is_older(click: Click) -> None:
    three = [*TWO, "llama-2"]
    at = on_tab("Where they part", base=TWO[0], **{"with": three})
    assert pressed(at) == TWO
    for name, chosen in (("llama-2", [TWO[0], "llama-2"]), (TWO[1], [TWO[1], "llama-2"]), ("llama-2", None)):
        click(at, name)
        assert pressed(at) == (chosen or [TWO[1], "llama-2"])
    click(at, "llama-2", "on_remove")
    acknowledged(at)
    assert (at.multiselect(key="with").value, pressed(at)) == (TWO, [TWO[1], TWO[0]])
    at.segmented_control(key="view").set_value("What if").run()
    assert pressed(at) == [TWO[0]]
    click(at, TWO[1])
    assert pressed(at) == [TWO[1]]
    at.segmented_control(key="view").set_value("Side by side").run()
    assert data_of(at, "chips")["chosen"] is None


def test_a_comparison_stays_while_another_page_is_shown() -> None:
    at = page(**{"with": TWO})
    at.query_params.clear()
    at.switch_page("../pages/explore.py").run()
    at.switch_page(PAGE).run()
    assert at.multiselect(key="with").value == TWO
