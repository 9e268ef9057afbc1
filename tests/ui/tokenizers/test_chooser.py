"""Files that are dropped, files of the server, links to files: what the list offers and what the page says."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import explorer
from explorer.answers import cache, sessions
from explorer.answers.offers import TokenizerSpec, bundled
from explorer.answers.questions import question
from explorer.answers.upload_offer import short_name
from explorer.errors import ChoiceNeeded, InputError
from explorer.opening import formats as opening
from explorer.opening import paths
from explorer.ui.tokenizers import server_files, uploads
from tests.ui.app import drawn, drop, html_of, page, tokens_of
from tests.ui.small_files import MERGES_TXT, VOCAB_JSON, tokenizer_json

SMALL = tokenizer_json()
OTHER = tokenizer_json(normalizer={"type": "NFC"})


@pytest.fixture(autouse=True)
def _server_without_files() -> Iterator[None]:
    yield
    server_files.find_server_files.clear()  # type: ignore[attr-defined]  # a cached function


def labels(at: AppTest) -> list[str]:
    return list(at.selectbox(key="m").options)


def chosen(at: AppTest) -> str:
    return str(at.selectbox(key="m").value)


# --- dropped files -------------------------------------------------------------------------------------------------


def test_a_dropped_file_is_chosen_and_runs() -> None:
    at = drop(page(text="abc ab"), ("mine.json", SMALL))
    assert not at.exception
    assert chosen(at).startswith("mine.json (")
    assert labels(at)[:-1] == list(explorer.catalog())
    assert at.selectbox(key="as").options == ["huggingface", "llama.cpp"]
    assert tokens_of(at) == [4, 3]
    assert "lives in this session" in at.caption[0].value
    assert at.file_uploader[0].value == [], "the next file finds an empty place"


def test_its_card_opens_and_says_what_is_in_force() -> None:
    at = drop(page(text="abc"), ("mine.json", SMALL))
    at.session_state["about"] = True
    at.run()
    assert not at.exception
    html = html_of(at)
    assert r'<pre dir="ltr" tabindex="0">\s+</pre>' in html
    assert "7: 5 normal, 1 unknown, 1 control" in html
    assert "&lt;s&gt;" in html
    assert "<s>" not in html


def test_the_card_of_a_file_that_fails_on_a_text_is_no_traceback() -> None:
    no_unknown = {"type": "Unigram", "vocab": [["b", -1.0]], "unk_id": None}
    at = drop(page(text="b"), ("mine.json", tokenizer_json(model=no_unknown, added_tokens=[])))
    at.session_state["about"] = True
    at.run()
    assert not at.exception
    assert "Trying it out for this card failed" in html_of(at)


def test_what_fails_is_tried_once_and_again_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []

    @question()
    def refused(spec: TokenizerSpec, text: str) -> str:
        tried.append(text)
        if len(tried) < 3:
            raise InputError(f"not {text}")
        return text

    spec = TokenizerSpec(bundled()["gpt-2"], "huggingface")
    for _ in range(3):
        with pytest.raises(InputError, match="not this"):
            refused(spec, "this")
    assert tried == ["this"]
    monkeypatch.setattr(cache, "monotonic", lambda: time.monotonic() + cache.RETRY_SECONDS + 1)
    with pytest.raises(InputError):
        refused(spec, "this")
    assert len(tried) == 2
    assert refused(spec, "that") == refused(spec, "that") == "that"
    assert len(tried) == 3


def test_several_at_once_and_one_of_them_bad() -> None:
    at = drop(page(text="abc"), ("a.json", SMALL), ("bad.bin", b"\x00\x01nothing"), ("b.json", OTHER))
    assert not at.exception
    assert [label.partition(" ")[0] for label in labels(at)[-2:]] == ["a.json", "b.json"]
    assert chosen(at).startswith("b.json")
    assert "bad.bin" in html_of(at)
    at.button(key="dismiss problems").click().run()
    assert "bad.bin" not in html_of(at)


def test_two_files_that_belong_together_are_one_tokenizer() -> None:
    at = drop(page(text="abc ab"), ("merges.txt", MERGES_TXT), ("../x/vocab.json", VOCAB_JSON))
    if question := [each for each in at.selectbox if str(each.key).startswith("chosen ")]:
        assert question[0].options, "what cuts the text is in neither file"
        drawn(open_button(at).click().run())
    assert not at.exception
    assert chosen(at).startswith("vocab.json (")
    assert tokens_of(at)[0] == 4
    assert len(labels(at)) == len(explorer.catalog()) + 1
    assert "Not opened." not in html_of(at)
    alone = drop(page(), ("vocab.json", VOCAB_JSON))
    assert "merges.txt" in html_of(alone)
    assert len(labels(alone)) == len(explorer.catalog())


CONFIG = json.dumps({"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": "ab"}).encode()
"""Settings that make a piece a special token."""


@pytest.mark.parametrize("order", list(permutations(range(3))))
@pytest.mark.parametrize("at_once", [True, False])
def test_a_models_files_are_one_tokenizer_in_any_order(order: tuple[int, ...], at_once: bool) -> None:
    files = [("tokenizer.json", SMALL), ("tokenizer_config.json", CONFIG), ("config.json", b'{"vocab_size": 9}')]
    some = [files[place] for place in order]
    at = page(text="abc ab")
    for each in [some] if at_once else [[file] for file in some]:
        at = drop(at, *each)
        assert not at.exception
        assert "Not opened." not in html_of(at)
        if not any(name == "tokenizer.json" for name, _ in some[: len(each) if at_once else some.index(each[0]) + 1]):
            assert "settings without their tokenizer" in html_of(at)
    assert len(labels(at)) == len(explorer.catalog()) + 1, "one tokenizer, not several"
    assert at.selectbox(key="as").options[:2] == ["transformers-5", "transformers-4"]
    assert at.selectbox(key="as").value in ("transformers-5", "huggingface")
    at.selectbox(key="as").set_value("transformers-4").run()
    assert tokens_of(at) == [3, 2, 3], "ab is a special token now"
    assert "settings without their tokenizer" not in html_of(at)


def test_settings_that_come_again_take_the_place_of_those_before() -> None:
    at = drop(page(text="abc"), ("tokenizer.json", SMALL), ("tokenizer_config.json", CONFIG))
    assert tokens_of(at) == [3, 2]
    at = drop(at, ("tokenizer_config.json", CONFIG.replace(b'"ab"', b'"bc"')))
    assert tokens_of(at)[0] == 0, "a, and bc is a special token"
    assert len(labels(at)) == len(explorer.catalog()) + 1


@pytest.mark.parametrize(
    ("names", "says"),
    [
        (("tokenizer.json", "tokenizer.json", "tokenizer_config.json"), "these files belong to several models"),
        (
            ("a/tokenizer.json", "a/config.json", "b/tokenizer.json", "b/config.json"),
            "these files belong to several models",
        ),
        (("one.json", "two.json", "config.json"), "this may belong to one.json, two.json"),
    ],
)
def test_files_of_several_models_at_once_are_not_guessed_at(names: tuple[str, ...], says: str) -> None:
    at = drop(page(), *((name, b"{}" if "config" in name else SMALL) for name in names))
    assert not at.exception
    assert says in html_of(at)
    assert len(labels(at)) == len(explorer.catalog())


def test_settings_that_cannot_be_followed_leave_the_vocabulary() -> None:
    own = json.dumps(
        {"tokenizer_class": "OwnTokenizer", "auto_map": {"AutoTokenizer": ["<b>own</b>.T", None]}}
    ).encode()
    at = drop(page(text="abc"), ("tokenizer.json", SMALL), ("tokenizer_config.json", own))
    assert not at.exception
    assert tokens_of(at) == [4]
    assert "never run here" in html_of(at)
    assert "as huggingface runs it" in html_of(at)
    assert "<b>own" not in html_of(at)
    broken = drop(page(), ("tokenizer.json", SMALL), ("tokenizer_config.json", b'{"bos_token": 7}'))
    assert "tokenizer_config.json: bos_token is 7" in html_of(broken)
    assert len(labels(broken)) == len(explorer.catalog())


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("empty.json", b""),
        ("cut.json", SMALL[:-40]),
        ("zeros.gguf", bytes(5000)),
        ("magic.gguf", b"GGUF"),
        ("nonsense <b>.model", b"\xff\xfe<script>alert(1)</script>"),
        ("deep.json", b'{"model":' * 10_000),
    ],
)
def test_a_bad_file_is_said_and_nothing_is_lost(name: str, data: bytes) -> None:
    at = page(text="What is LoRA?", m="gpt-2", parse="false")
    at = drop(at, (name, data))
    assert not at.exception
    assert "Not opened." in html_of(at)
    assert "<script>" not in html_of(at)
    assert (chosen(at), at.toggle(key="parse").value) == ("gpt-2", False)
    assert tokens_of(at) == explorer.load("gpt-2").encode("What is LoRA?").ids
    assert len(labels(at)) == len(explorer.catalog())


def test_the_same_contents_are_one_tokenizer() -> None:
    at = drop(page(), ("a.json", SMALL))
    at = drop(at, ("a.json", SMALL))
    assert len(labels(at)) == len(explorer.catalog()) + 1


def test_removing_a_file_and_taking_that_back() -> None:
    at = drop(page(text="abc", m="gpt-2"), ("mine.json", SMALL))
    label = chosen(at)
    drawn(at.button(key="remove").click().run())
    assert not at.exception
    assert chosen(at) == "gpt-2", "the tokenizer before it"
    assert label not in labels(at)
    assert f"{label} was removed." in html_of(at)
    assert "This link" not in html_of(at)
    drawn(at.button(key="undo removal").click().run())
    assert chosen(at) == label
    assert tokens_of(at) == [4]


def test_what_python_chose_stands_until_the_browser_has_heard_of_it() -> None:
    at = page(text="abc", m="gpt-2")
    at.file_uploader[0].set_value([("mine.json", SMALL, "")]).run()
    label = chosen(at)
    at.selectbox(key="m").set_value("gpt-2").run()
    assert chosen(at) == label, "this value was on its way before the browser knew"
    drawn(at).selectbox(key="m").set_value("gpt-2").run()
    assert chosen(at) == "gpt-2", "and this one is a person's"


def test_a_session_holds_so_many_files_and_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "MOST_FILES", 1)
    at = drop(page(), ("a.json", SMALL))
    at = drop(at, ("b.json", OTHER))
    assert "a session holds 1 files" in html_of(at)
    assert chosen(at).startswith("a.json")
    monkeypatch.setattr(uploads, "MOST_FILES", 8)
    monkeypatch.setattr(uploads, "MOST_BYTES", len(SMALL) + len(OTHER) - 1)
    at = drop(at, ("b.json", OTHER))
    assert "remove one of them" in html_of(at)
    drawn(at.button(key="remove").click().run())
    at = drop(at, ("b.json", OTHER))
    assert chosen(at).startswith("b.json"), "what is removed gives its place back"


def test_too_many_at_once_are_not_even_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    at = drop(page(), *((f"{number}.json", SMALL) for number in range(uploads.MOST_AT_ONCE + 1)))
    assert "too much at once" in html_of(at)
    assert len(labels(at)) == len(explorer.catalog())


@pytest.mark.parametrize(
    "name",
    ["<b>x</b>.json", "../../etc/passwd", "y" * 10_000, "\u202emoc.nosj", "$a$ :smile: **b**.json", "\n", "a\x00b"],
)
def test_names_of_files_are_only_text(name: str) -> None:
    at = drop(page(text="abc"), (name, SMALL))
    assert not at.exception
    label = chosen(at)
    assert label == f"{short_name(name)} ({label[-9:-1]})"
    assert len(label) < 60
    assert label.isprintable()
    assert "/" not in label
    assert tokens_of(at) == [4]


def test_two_sessions_do_not_see_each_others_files() -> None:
    one, two = page(), page()
    drop(one, ("mine.json", SMALL))
    two.run()
    assert len(labels(two)) == len(explorer.catalog())
    third = page(m=chosen(one), text="abc")
    assert chosen(third) == "llama-2"
    assert "drop it here again" in html_of(third)


# --- links ---------------------------------------------------------------------------------------------------------


def test_a_link_to_a_file_that_is_not_here_says_so_and_keeps_the_text() -> None:
    at = drop(page(), ("mine.json", SMALL))
    label = chosen(at)
    at = page(m=label, text="abc ab")
    assert not at.exception
    assert chosen(at) == "llama-2"
    assert tokens_of(at) == explorer.load("llama-2").encode("abc ab").ids
    html = html_of(at)
    assert "mine.json" in html
    assert label[-9:-1] in html
    at = drop(at, ("mine.json", SMALL))
    assert chosen(at) == label
    assert tokens_of(at) == [4, 3]
    assert "drop it here again" not in html_of(at)


@pytest.mark.parametrize(
    "label", ["/etc/passwd", "../README.md", "vocabs/gpt2.tokenizer.json", "<img src=x>", "?" * 3000, "a (12345678) b"]
)
def test_an_address_is_never_taken_for_a_path(label: str) -> None:
    at = page(m=label, text="is")
    assert not at.exception
    assert chosen(at) == "llama-2"
    assert tokens_of(at) == [1, 338]
    assert "is no tokenizer here" in html_of(at)
    assert "<img" not in html_of(at)
    at.button(key="dismiss absent").click().run()
    assert "is no tokenizer here" not in html_of(at)


# --- what a file leaves open ---------------------------------------------------------------------------------------


@pytest.fixture
def _asking(monkeypatch: pytest.MonkeyPatch) -> None:
    """A format whose files leave open which letter they are about, and then which number."""

    def opener(source: Any, name: str, choices: opening.Choices) -> explorer.Tokenizer:
        if "letter" not in choices:
            raise ChoiceNeeded(f"{name}: which <letter> is it? choose one", "letter", ("a", "b"), free="a letter")
        if choices["letter"] not in ("a", "b"):
            raise InputError(f"{name}: {choices['letter']!r} is no letter of mine; choose a or b")
        if choices["letter"] == "b" and "number" not in choices:
            raise ChoiceNeeded(f"{name}: which number? choose one", "number", ("1", "2"))
        return opening.open_bytes(SMALL if choices["letter"] == "a" else OTHER, name, "huggingface")

    asks = opening.Format("an asking file", "ASK", lambda head: head.startswith(b"ASK"), {"asker": opener})
    monkeypatch.setattr(opening, "FORMATS", (asks, *opening.FORMATS))
    # another process would not know of it
    monkeypatch.setenv(sessions.SWITCH, "0")


@pytest.mark.usefixtures("_asking")
def test_a_question_is_asked_and_its_answer_opens_the_file() -> None:
    at = drop(page(text="abc", m="gpt-2"), ("x.bin", b"ASK 1"))
    assert not at.exception
    assert "which &lt;letter&gt; is it?" in html_of(at)
    answer = at.selectbox(key="chosen letter")
    assert (answer.options, answer.value) == (["a", "b"], None)
    open_button(at).click().run()
    assert "answer doesn&#x27;t work" not in html_of(at), "nothing was answered"
    assert at.text_input(key="typed letter").label == "Or a letter of your own"
    at.text_input(key="typed letter").set_value("zz")
    open_button(at).click().run()
    assert "That answer doesn&#x27;t work." in html_of(at)
    assert "&#x27;zz&#x27; is no letter of mine" in html_of(at)
    assert at.text_input(key="typed letter").value == "zz"
    at.text_input(key="typed letter").set_value("")
    at.selectbox(key="chosen letter").set_value("a")
    open_button(at).click().run()
    assert not at.exception
    assert tokens_of(at) == [4]
    assert "You chose letter = a." in html_of(at)


@pytest.mark.usefixtures("_asking")
def test_one_question_may_follow_another_and_all_may_be_answered_again() -> None:
    at = drop(page(text="abc"), ("x.bin", b"ASK 2"))
    at.selectbox(key="chosen letter").set_value("b")
    open_button(at).click().run()
    at.selectbox(key="chosen number").set_value("2")
    open_button(at).click().run()
    assert not at.exception
    assert "You chose letter = b, number = 2." in html_of(at)
    next(button for button in at.button if button.label == "Choose again").click().run()
    assert "which &lt;letter&gt; is it?" in html_of(at)
    assert "answer doesn&#x27;t work" not in html_of(at)


@pytest.mark.usefixtures("_asking")
def test_a_question_may_be_left_unanswered() -> None:
    at = drop(page(text="abc", m="gpt-2"), ("x.bin", b"ASK 3"))
    at.selectbox(key="m").set_value("gpt-2").run()
    assert not at.exception
    assert tokens_of(at) == explorer.load("gpt-2").encode("abc").ids
    assert "which &lt;letter&gt;" not in html_of(at)
    at.selectbox(key="m").set_value(labels(at)[-1]).run()
    assert "which &lt;letter&gt;" in html_of(at)
    drawn(at.button(key="remove").click().run())
    assert chosen(at) == "gpt-2"


def open_button(at: AppTest) -> Any:
    return next(button for button in at.button if button.label == "Open")


# --- the server's files --------------------------------------------------------------------------------------------


def given(monkeypatch: pytest.MonkeyPatch, *arguments: object, folder: object = "") -> AppTest:
    """The page of an app that was started with these arguments and this folder."""
    monkeypatch.setattr(sys, "argv", [str(paths.APP), *map(str, arguments)])
    monkeypatch.setenv(server_files.FOLDER, str(folder))
    return page(text="abc ab")


def test_files_of_the_command_line_are_offered(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "tokenizer.json").write_bytes(SMALL)
    at = given(
        monkeypatch, "--tokenizer", tmp_path / "one" / "tokenizer.json", f"--tokenizer={tmp_path}/two/tokenizer.json"
    )
    assert labels(at)[-2:] == ["tokenizer.json", "tokenizer.json #2"]
    at.selectbox(key="m").set_value("tokenizer.json").run()
    assert not at.exception
    assert tokens_of(at) == [4, 3]
    assert "lives in this session" not in " ".join(each.value for each in at.caption)
    linked = page(m="tokenizer.json #2", text="ab")
    assert tokens_of(linked) == [3], "a link to a file of the server opens for everybody"


def test_a_folder_offers_what_works_and_lists_what_does_not(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    secret = tmp_path / "secret.json"
    secret.write_bytes(SMALL)
    folder = tmp_path / "vocabs"
    (folder / "deep" / ".hidden").mkdir(parents=True)
    (folder / "good.json").write_bytes(SMALL)
    (folder / "deep" / "also good.json").write_bytes(OTHER)
    (folder / "deep" / ".hidden" / "x.json").write_bytes(SMALL)
    (folder / "config.json").write_bytes(b"{}")
    (folder / "vocab.json").write_bytes(VOCAB_JSON)
    (folder / "merges.txt").write_bytes(MERGES_TXT)
    (folder / "notes.md").write_bytes(b"notes")
    (folder / "broken <b>.gguf").write_bytes(b"\x00\x01\x02\x03")
    (folder / "gpt-2.json").symlink_to(secret)
    (folder / "gone.json").symlink_to(folder / "nowhere.json")
    at = given(monkeypatch, folder=folder)
    assert not at.exception
    assert labels(at)[len(explorer.catalog()) :] == ["good.json", "vocab.json", "deep/also good.json"]
    html = html_of(at)
    assert "broken &lt;b&gt;.gguf" in html
    assert "gone.json" in html
    assert "merges.txt" not in html, "it belongs to the vocab.json"
    assert "gpt-2.json" not in html
    assert str(tmp_path) not in html, "where files lie is no visitor's business"
    (folder / "good.json").write_bytes(SMALL[:-30])
    at.selectbox(key="m").set_value("good.json").run()
    assert not at.exception
    assert "good.json" in html_of(at)
    assert str(tmp_path) not in html_of(at)


def test_a_models_folder_is_one_tokenizer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    models = tmp_path / "models"
    for name in ("one", "two", "led out"):
        (models / name).mkdir(parents=True)
        (models / name / "tokenizer.json").write_bytes(SMALL)
        (models / name / "tokenizer_config.json").write_bytes(b"{}")
    (models / "two" / "tokenizer.json").write_bytes(b"broken")
    (models / "one" / "vocab.json").write_bytes(VOCAB_JSON)
    (models / "one" / "config.json").write_bytes(b'{"vocab_size": 99}')
    (tmp_path / "secret.json").write_bytes(b'{"bos_token": "secret"}')
    (models / "led out" / "special_tokens_map.json").symlink_to(tmp_path / "secret.json")
    at = given(monkeypatch, folder=models)
    assert not at.exception
    assert labels(at)[len(explorer.catalog()) :] == ["one"]
    assert "two" in html_of(at)
    assert str(tmp_path) not in html_of(at)
    assert tokens_of(page(m="one", text="abc ab")) == [4, 3]
    alone = given(monkeypatch, "--tokenizer", models / "one")
    assert labels(alone)[-1] == "one"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--tokenizer"], "--tokenizer PATH"),
        (["--tokeniser", "x"], "is not known"),
        (["--tokenizer", "."], "EXPLORER_TOKENIZERS"),
        (["--tokenizer", "/nowhere/x.json"], "no such file"),
    ],
)
def test_what_the_server_was_given_wrongly_is_said(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], says: str
) -> None:
    at = given(monkeypatch, *arguments)
    assert not at.exception
    assert says in html_of(at)
    assert labels(at) == list(explorer.catalog())


def test_a_folder_that_is_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_bytes(SMALL)
    for folder in (file, tmp_path / "nowhere"):
        at = given(monkeypatch, folder=folder)
        assert not at.exception
        assert server_files.FOLDER in html_of(at)


def test_the_config_says_how_large_a_file_may_be() -> None:
    assert 40 <= st.get_option("server.maxUploadSize") <= uploads.MOST_BYTES / 1e6
    at = page()
    assert f"{st.get_option('server.maxUploadSize')} MB" in at.file_uploader[0].help


def test_small_files_are_what_the_original_takes_them_for() -> None:
    import tokenizers

    original = tokenizers.Tokenizer.from_str(SMALL.decode())
    ours = opening.open_bytes(SMALL, "small", "huggingface")
    for text in ("abc ab", "<s>cab", "a\n\nb", "xyz"):
        assert ours.encode(text).ids == original.encode(text).ids
    assert json.loads(SMALL)["model"]["type"] == "BPE"
