"""Uploads: what the list offers, what the page says, what is limited."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import permutations
from typing import Any

import pytest
import streamlit as st

import explorer
from explorer.answers.offers import short_name
from explorer.opening import formats as opening
from explorer.ui.frame import session_key
from explorer.ui.parameters import Overrides
from explorer.ui.tokenizers import chooser
from tests.meaning import mentions
from tests.ui.app import acknowledged, chosen, drop, html_of, labels, open_button, page, tokens_of
from tests.ui.small_files import MERGES_TXT, OTHER, SMALL, VOCAB_JSON, tokenizer_json


def test_an_upload_is_selected_and_runs() -> None:
    at = drop(page(text="abc ab"), ("mine.json", SMALL))
    assert not at.exception
    assert chosen(at).startswith("mine.json (")
    assert labels(at)[:-1] == list(explorer.catalog())
    assert at.selectbox(key="as").options == ["Hugging Face", "llama.cpp"]
    assert tokens_of(at) == [4, 3]
    assert "lives in this session" in at.caption[0].value
    assert at.file_uploader[0].value == [], "the field is empty for the next file"


def test_the_card_of_an_upload_opens() -> None:
    at = drop(page(text="abc"), ("mine.json", SMALL))
    at.session_state["about"] = True
    at.run()
    assert not at.exception
    html = html_of(at)
    assert mentions(html, r'<pre dir="ltr" tabindex="0">\s+</pre>')
    assert mentions(html, "7: 5 normal, 1 unknown, 1 control")
    assert "&lt;s&gt;" in html
    assert "<s>" not in html


def test_a_card_reports_that_the_sample_text_fails() -> None:
    no_unknown = {"type": "Unigram", "vocab": [["b", -1.0]], "unk_id": None}
    at = drop(page(text="b"), ("mine.json", tokenizer_json(model=no_unknown, added_tokens=[])))
    at.session_state["about"] = True
    at.run()
    assert not at.exception
    assert "Running it for this card failed" in html_of(at)


@pytest.mark.long
def test_several_uploads_at_once_one_of_them_bad() -> None:
    at = drop(page(text="abc"), ("a.json", SMALL), ("bad.bin", b"\x00\x01nothing"), ("b.json", OTHER))
    assert not at.exception
    assert [label.partition(" ")[0] for label in labels(at)[-2:]] == ["a.json", "b.json"]
    assert chosen(at).startswith("b.json")
    assert "bad.bin" in html_of(at)
    at.button(key="dismiss problems").click().run()
    assert "bad.bin" not in html_of(at)


def test_a_vocabulary_and_its_merges_are_one_tokenizer() -> None:
    at = drop(page(text="abc ab"), ("merges.txt", MERGES_TXT), ("../x/vocab.json", VOCAB_JSON))
    if question := [each for each in at.selectbox if str(each.key).startswith("chosen ")]:
        assert question[0].options, "neither file names the pattern"
        acknowledged(open_button(at).click().run())
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


@pytest.mark.sample(1)
@pytest.mark.parametrize("order", list(permutations(range(3))))
@pytest.mark.parametrize("at_once", [True, False])
def test_the_files_of_a_model_are_one_tokenizer_in_any_order(order: tuple[int, ...], at_once: bool) -> None:
    files = [("tokenizer.json", SMALL), ("tokenizer_config.json", CONFIG), ("config.json", b'{"vocab_size": 9}')]
    some = [files[index] for index in order]
    at = page(text="abc ab")
    for each in [some] if at_once else [[file] for file in some]:
        at = drop(at, *each)
        assert not at.exception
        assert "Not opened." not in html_of(at)
        if not any(name == "tokenizer.json" for name, _ in some[: len(each) if at_once else some.index(each[0]) + 1]):
            assert "settings without their tokenizer" in html_of(at)
    assert len(labels(at)) == len(explorer.catalog()) + 1, "one tokenizer, not several"
    assert [each.split()[-1] for each in at.selectbox(key="as").options[:2]] == ["transformers-5", "transformers-4"]
    assert at.selectbox(key="as").value in ("transformers-5", "huggingface")
    at.selectbox(key="as").set_value("transformers-4").run()
    assert tokens_of(at) == [3, 2, 3], "ab is a special token now"
    assert "settings without their tokenizer" not in html_of(at)


@pytest.mark.long
def test_settings_uploaded_again_replace_the_earlier_ones() -> None:
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
def test_files_of_several_models_are_an_error(names: tuple[str, ...], says: str) -> None:
    at = drop(page(), *((name, b"{}" if "config" in name else SMALL) for name in names))
    assert not at.exception
    assert says in html_of(at)
    assert len(labels(at)) == len(explorer.catalog())


def test_unsupported_settings_leave_the_vocabulary_usable() -> None:
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
def test_a_bad_file_is_reported_and_nothing_is_lost(name: str, data: bytes) -> None:
    at = page(text="What is LoRA?", m="gpt-2", parse="false")
    at = drop(at, (name, data))
    assert not at.exception
    assert "Not opened." in html_of(at)
    assert "<script>" not in html_of(at)
    assert (chosen(at), at.toggle(key="parse").value) == ("gpt-2", False)
    assert tokens_of(at) == explorer.load("gpt-2").encode("What is LoRA?").ids
    assert len(labels(at)) == len(explorer.catalog())


def test_the_same_file_twice_is_one_tokenizer() -> None:
    at = drop(page(), ("a.json", SMALL))
    at = drop(at, ("a.json", SMALL))
    assert len(labels(at)) == len(explorer.catalog()) + 1


@pytest.mark.long
def test_removing_an_upload_and_undoing_it() -> None:
    at = drop(page(text="abc", m="gpt-2"), ("mine.json", SMALL))
    label = chosen(at)
    acknowledged(at.button(key="remove").click().run())
    assert not at.exception
    assert chosen(at) == "gpt-2", "the tokenizer before it"
    assert label not in labels(at)
    assert f"{label} was removed." in html_of(at)
    assert "This link" not in html_of(at)
    acknowledged(at.button(key="undo removal").click().run())
    assert chosen(at) == label
    assert tokens_of(at) == [4]


class Interrupted:
    """The session state while another run is requested: every access ends the callback."""

    def __getattr__(self, name: str) -> None:
        raise AssertionError("Streamlit would end the callback here")

    __getitem__ = __setattr__ = __getattr__  # type: ignore[assignment]


def test_no_other_run_cuts_removing_and_undoing_short(monkeypatch: pytest.MonkeyPatch) -> None:
    clicks: dict[str | None, Callable[[], None]] = {}
    button = st.button

    def record(label: str, **options: Any) -> bool:
        clicks[options.get("key")] = options.get("on_click", lambda: None)
        return button(label, **options)

    monkeypatch.setattr(st, "button", record)
    at = drop(page(text="abc", m="gpt-2"), ("mine.json", SMALL))
    label, widgets = chosen(at), at.session_state[session_key(Overrides)]
    for key, selected in (("remove", "gpt-2"), ("undo removal", label)):
        with monkeypatch.context() as interrupted:
            interrupted.setattr(st, "session_state", Interrupted())
            clicks[key]()
        assert widgets.values["m"] == selected
        assert chosen(acknowledged(at.run())) == selected


def test_an_override_is_reapplied_until_the_browser_acknowledges_it() -> None:
    at = page(text="abc", m="gpt-2")
    at.file_uploader[0].set_value([("mine.json", SMALL, "")]).run()
    label = chosen(at)
    at.selectbox(key="m").set_value("gpt-2").run()
    assert chosen(at) == label, "this value was on its way before the browser knew"
    acknowledged(at).selectbox(key="m").set_value("gpt-2").run()
    assert chosen(at) == "gpt-2", "and this one is a person's"


@pytest.mark.long
def test_uploads_of_a_session_are_limited_in_number_and_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chooser, "MOST_FILES", 1)
    at = drop(page(), ("a.json", SMALL))
    at = drop(at, ("b.json", OTHER))
    assert mentions(html_of(at), "a session holds at most 1 files")
    assert chosen(at).startswith("a.json")
    monkeypatch.setattr(chooser, "MOST_FILES", 8)
    monkeypatch.setattr(chooser, "MOST_BYTES", len(SMALL) + len(OTHER) - 1)
    at = drop(at, ("b.json", OTHER))
    assert "remove one of them" in html_of(at)
    acknowledged(at.button(key="remove").click().run())
    at = drop(at, ("b.json", OTHER))
    assert chosen(at).startswith("b.json"), "removing a file frees its space"


def test_too_many_files_at_once_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    at = drop(page(), *((f"{number}.json", SMALL) for number in range(chooser.MOST_AT_ONCE + 1)))
    assert "too much at once" in html_of(at)
    assert len(labels(at)) == len(explorer.catalog())


@pytest.mark.parametrize(
    "name",
    ["<b>x</b>.json", "../../etc/passwd", "y" * 10_000, "\u202emoc.nosj", "$a$ :smile: **b**.json", "\n", "a\x00b"],
)
def test_file_names_are_plain_text(name: str) -> None:
    at = drop(page(text="abc"), (name, SMALL))
    assert not at.exception
    label = chosen(at)
    assert label == f"{short_name(name)} ({label[-9:-1]})"
    assert len(label) < 60
    assert label.isprintable()
    assert "/" not in label
    assert tokens_of(at) == [4]


@pytest.mark.long
def test_sessions_do_not_see_each_others_uploads() -> None:
    one, two = page(), page()
    drop(one, ("mine.json", SMALL))
    two.run()
    assert len(labels(two)) == len(explorer.catalog())
    third = page(m=chosen(one), text="abc")
    assert chosen(third) == "llama-2"
    assert "drop it here again" in html_of(third)


def test_the_field_states_the_configured_size_limit() -> None:
    assert 40 <= st.get_option("server.maxUploadSize") <= chooser.MOST_BYTES / 1e6
    at = page()
    assert f"{st.get_option('server.maxUploadSize')} MB" in next(each.help for each in at.file_uploader if each.help)


def test_the_small_file_gives_the_ids_of_the_original() -> None:
    import tokenizers

    original = tokenizers.Tokenizer.from_str(SMALL.decode())
    ours = opening.open_bytes(SMALL, "small", "huggingface")
    for text in ("abc ab", "<s>cab", "a\n\nb", "xyz"):
        assert ours.encode(text).ids == original.encode(text).ids
    assert json.loads(SMALL)["model"]["type"] == "BPE"
