"""The Train page: what is asked for is trained, and opens on Explore as a tokenizer of the session."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from tokenizers import Tokenizer

from explorer.answers.train import (
    FEWER,
    FORBID,
    MORE,
    TIES,
    against,
    letters_of,
    lint_of,
    train_view,
    what_if,
    what_if_choices,
    why_token,
    word_view,
)
from explorer.errors import FORMER, InputError
from explorer.languages import ENGLISH, languages, phrases
from explorer.script.script import Replay, Script, unpack
from explorer.stages.lattice.story import BEST
from explorer.text.say import plain
from explorer.training.huggingface import bpe
from explorer.training.trainers import CUTS, OFFERED, TrainRequest, learned_from, query_of
from explorer.ui import PAGES, SCRIPT
from explorer.ui.train import card_of, usual_size
from explorer.views.examples import CORPORA, PROSE, SETTINGS, TWO_LINES
from tests.meaning import mentions
from tests.ui.app import data_of, html_of, script_of, sent_to, tokens_of


def test_a_training_is_drawn_and_its_options_apply() -> None:
    at = AppTest.from_file(SCRIPT, default_timeout=60)
    at.query_params["corpus"] = "ab ab abc"
    at.query_params["size"] = "6"
    at.run()
    at.switch_page(str(PAGES / "train.py")).run()
    assert not at.exception
    texts = script_of(at)["texts"]
    learned = bpe.train({"▁ab": 2, "▁abc": 1}, bpe.Options(vocab_size=6)).learned
    assert set(learned.tokens) <= set(texts)
    assert at.number_input(key="size").value == 6
    at.segmented_control(key="algorithm").set_value("unigram").run()
    assert not at.exception
    assert script_of(at)["board"] == ["losses", "without", "stages"]


def test_why_is_asked_of_the_training_on_the_page() -> None:
    at = AppTest.from_file(SCRIPT, default_timeout=60)
    for name, value in {"corpus": "ab ab abc", "size": "6", "ask": "Why", "why": " abc"}.items():
        at.query_params[name] = value
    at.run()
    at.switch_page(str(PAGES / "train.py")).run()
    assert not at.exception
    said = data_of(at, "say")["say"]
    assert said["texts"][0] == "▁abc"
    assert said["texts"][1:3] == ["▁ab", "c"]


def test_a_pasted_list_of_merges_parts_at_the_step_that_decides() -> None:
    request = TrainRequest(("bpe", "huggingface"), "whitespace", "ab cd", 6)
    found = against(request, "#version: 0.2\nc d\na b")
    said = plain(found.say)
    assert all(each in said for each in ("“a” + “b”", "“c” + “d”", "greater", "CS336"))
    ((step, _),) = found.lines
    assert Script(unpack(train_view(request).script)).sentence(step).startswith("“a” + “b”")
    assert not against(request, "a b\nc d").lines
    with pytest.raises(InputError, match="Line 2"):
        against(request, "a b\nabc")


def test_merges_are_pasted_on_the_page() -> None:
    at = AppTest.from_file(SCRIPT, default_timeout=60)
    for name, value in {"corpus": "ab cd", "bpe-words": "words and signs", "size": "6", "ask": "My merges"}.items():
        at.query_params[name] = value
    at.run()
    at.switch_page(str(PAGES / "train.py")).run()
    at.text_area(key="against").set_value("c d\na b").run()
    assert not at.exception
    assert {"c", "d"} <= set(data_of(at, "say")["say"]["texts"])
    at.text_area(key="against").set_value("abc").run()
    assert "Line 1" in html_of(at)
    at.segmented_control(key="algorithm").set_value("unigram").run()
    assert not at.exception


def test_lines_of_an_answer_lead_to_the_steps_that_say_the_same() -> None:
    """Each line names a merge; the step it leads to joins the same two symbols into the same one."""
    request = TrainRequest(("bpe", "huggingface"), "metaspace", "low low lower lowest", 16)
    answer = why_token(request, " low")
    data = unpack(train_view(request).script)
    assert [plain(say) for _, say in answer.lines] == [
        "Merge 1: “l” + “o” → “lo”.", "Merge 2: “▁” + “lo” → “▁lo”.", "Merge 3: “▁lo” + “w” → “▁low”.",
    ]  # fmt: skip
    script = Script(data)
    for step, say in answer.lines:
        assert script.sentence(step).startswith(plain(say).partition(": ")[2].rstrip("."))


def test_a_merge_that_is_forbidden_is_missing_from_the_other_vocabulary() -> None:
    request = TrainRequest(("bpe", "huggingface"), "metaspace", "ab ab abc", 6)
    assert what_if_choices(request) == (("▁ab", "▁abc"), ("1: a + b", "2: ▁ + ab"), True)
    said = plain(what_if(request, FORBID, "1"))
    assert mentions(
        said,
        "The vocabulary would still have 6 tokens. 1 would be gone: “ab”. 1 would be new: “▁a”. "
        "Merge 1 is the first that differs: “▁” + “a” instead of “a” + “b”.",
    )
    assert plain(what_if(request, TIES, TIES)) == said, "both pairs occur three times"
    assert mentions(plain(what_if(request, FEWER, "▁abc")), "The vocabulary would have 5 tokens instead of 6.")
    assert mentions(plain(what_if(request, MORE, "x")), "The vocabulary would still have 6 tokens. 1 would be gone")


def test_the_ways_to_write_a_word_are_those_of_the_unigram_model() -> None:
    at = AppTest.from_file(SCRIPT, default_timeout=60)
    for name, value in {"corpus": "low lower lowest slow", "algorithm": "Unigram", "ask": "Word"}.items():
        at.query_params[name] = value
    at.run()
    at.switch_page(str(PAGES / "train.py")).run()
    assert not at.exception
    request = TrainRequest(("unigram", "huggingface"), "metaspace", "low lower lowest slow", 48)
    view = word_view(request, " lowest")
    pieces = view.ways.pieces
    assert list(at.dataframe[0].value["Piece"]) == [piece.text for piece in pieces]
    assert list(at.dataframe[0].value["Expected"]) == [piece.expected for piece in pieces]
    replay = Replay(Script(unpack(view.lattice)))
    while replay.forward():
        pass
    texts, arcs = replay.script.data["texts"], replay.rows("arcs").values()
    assert sorted(texts[row[2]] for row in arcs) == sorted(piece.text for piece in pieces)
    assert [texts[row[2]] for row in sorted(arcs) if row[4] == BEST] == list(view.ways.best)


def test_lint_of_what_was_trained() -> None:
    request = TrainRequest(("wordpiece", "huggingface"), "whitespace", "ab abc", 9, (("special_tokens", ("[UNK]",)),))
    assert [plain(say).split(",")[0] for say in lint_of(request)[:-1]] == [
        "The model writes “##” before tokens that continue a word"
    ]
    assert [plain(say) for say in lint_of(request._replace(cutting="bert"))] == [
        "Every version of tokenizers from 0.13.2 on can read it."
    ]
    lost = lint_of(TrainRequest(("bpe", "huggingface"), "byte-level", "ab abc", 9))
    assert ["are not tokens, such as" in plain(say) for say in lost] == [True, False]


def train_page(**query: str) -> AppTest:
    at = AppTest.from_file(SCRIPT, default_timeout=60)
    for name, value in query.items():
        at.query_params[name] = value
    at.run()
    return at.switch_page(str(PAGES / "train.py")).run()


def stepper_data(at: AppTest) -> dict[str, Any]:
    """What the stepper is sent besides its script."""
    sent = next(element.proto.bytes for element in at.get("bidi_component") if b"\n" in element.proto.bytes)
    return dict(json.loads(sent.partition(b"\n")[0]))


def choose_example(at: AppTest, name: str) -> None:
    at.menu_button(key="train_example").click(name).run()


@pytest.mark.parametrize(
    ("algorithm", "size", "text", "before", "after"),
    [("BPE", 48, TWO_LINES, 88, 51), ("WordPiece", 64, TWO_LINES, 70, 39), ("Unigram", 112, PROSE, 608, 456),
     ("WordLevel", 12, TWO_LINES, 20, 20)],
)  # fmt: skip
def test_each_algorithm_opens_on_a_text_and_a_size_where_something_is_learned(
    algorithm: str, size: int, text: str, before: int, after: int
) -> None:
    """The tokens before are characters (words), counted here; those after are what the original encodes."""
    at = train_page(algorithm=algorithm)
    offered_id = (algorithm.lower(), "huggingface")
    assert at.number_input(key="size").value == size
    assert data_of(at, "text")["text"] == text
    about = stepper_data(at)
    said = [before, after] if before != after else [after]
    assert about["board"]["args"] == said
    offered = OFFERED[offered_id]
    view = train_view(TrainRequest(offered_id, offered.cuttings[0], text, size, offered.options))
    original = Tokenizer.from_str(view.file.decode())
    assert sum(len(original.encode(line, add_special_tokens=False).ids) for line in text.split("\n")) == after
    assert about["start"] == view.opens > 0


@pytest.mark.parametrize("language", languages())
def test_the_address_says_how_words_are_cut_in_english(language: str) -> None:
    first, *others = OFFERED["bpe", "huggingface"].cuttings
    for cut in (others[0], first):
        at = train_page(lang=language, **{"bpe-words": CUTS[cut]})
        choice = at.selectbox(key="bpe-words")
        assert (choice.value, choice.label == "How words are cut") == (cut, language == ENGLISH)
        sent = (sent_to(each).get("values", {}) for each in at.get("bidi_component"))
        (written,) = [values["bpe-words"] for values in sent if "bpe-words" in values]
        assert written == (None if cut == first else CUTS[cut])


@pytest.mark.parametrize("language", languages())
def test_the_training_is_drawn_in_the_visitors_language(language: str) -> None:
    at, to = train_page(lang=language), phrases(language)
    assert script_of(at)["title"] == to.caption(unpack(train_view(first_request()).script)["title"])
    assert stepper_data(at)["board"]["template"] == to.words("Your text: {0} → {1} tokens")
    kinds = [kind["say"] for kind in script_of(at)["kinds"]]
    english = [kind["say"] for kind in unpack(train_view(first_request()).script)["kinds"]]
    assert (kinds == english) == (language == ENGLISH)


def first_request() -> TrainRequest:
    offered = OFFERED["bpe", "huggingface"]
    return TrainRequest(("bpe", "huggingface"), offered.cuttings[0], TWO_LINES, 48, offered.options)


def test_the_first_text_is_the_algorithms_until_one_is_chosen() -> None:
    at = train_page()
    at.segmented_control(key="algorithm").set_value("unigram").run()
    assert data_of(at, "text")["text"] == PROSE
    at.segmented_control(key="algorithm").set_value("bpe").run()
    assert data_of(at, "text")["text"] == TWO_LINES
    choose_example(at, "Two lines")
    at.segmented_control(key="algorithm").set_value("unigram").run()
    assert data_of(at, "text")["text"] == TWO_LINES
    assert data_of(train_page(algorithm="Unigram", corpus="ab ab"), "text")["text"] == "ab ab"


def test_the_view_is_that_of_the_link() -> None:
    assert stepper_data(train_page(level="algorithm"))["level"] == "algorithm"
    assert stepper_data(train_page(level="algorithm", ask="Story"))["level"] == "story"
    at = train_page(ask="Lint")
    assert stepper_data(at)["level"] == "story"
    at.segmented_control(key="ask").set_value("Implementation").run()
    assert stepper_data(at)["level"] == "implementation"


@pytest.mark.parametrize("trainer_id", OFFERED)
def test_every_trainer_opens_at_a_size_where_something_is_learned(trainer_id: tuple[str, str]) -> None:
    """Characters and special tokens alone are nothing learned."""
    offered = OFFERED[trainer_id]
    for text in CORPORA.values():
        request = TrainRequest(trainer_id, (*offered.cuttings, "none")[0], text, 0, offered.options)
        size = usual_size(letters_of(request), trainer_id)
        learned = learned_from(request._replace(vocab_size=size)).training.learned
        pieces = [token.removeprefix("##") if isinstance(token, str) else token for token in learned.tokens]
        longer = {piece for piece in pieces if len(piece) > 1} - {"[UNK]", "<unk>", "<s>", "</s>"}
        assert longer, (trainer_id, text[:20])
        if trainer_id[1] != "minbpe" and trainer_id[0] != "wordlevel":
            assert letters_of(request) < size
        assert train_view(request._replace(vocab_size=size)).opens > 0


def test_the_size_follows_the_alphabet_until_it_is_chosen() -> None:
    at = train_page(algorithm="WordPiece")
    first = at.number_input(key="size").value
    words = TWO_LINES.replace(".", "").split()
    letters = {word[0] for word in words} | {f"##{ch}" for word in words for ch in word[1:]}
    assert first >= len(letters) + 10
    choose_example(at, "Four languages")
    assert at.number_input(key="size").value > first + 50
    at.number_input(key="size").set_value(60).run()
    at.selectbox(key="wordpiece-words").set_value("none").run()
    assert at.number_input(key="size").value == 60
    choose_example(at, "Two lines")
    assert at.number_input(key="size").value != 60
    assert train_page(algorithm="WordPiece", size="50").number_input(key="size").value == 50


def test_the_example_of_play_and_ing_shows_them() -> None:
    at = train_page()
    choose_example(at, "play + ing")
    assert not at.exception
    assert not at.warning
    setting = SETTINGS["play + ing"]
    offered = OFFERED[setting.trainer_id]
    assert (at.segmented_control(key="algorithm").value, at.number_input(key="size").value) == (
        setting.trainer_id[0], setting.size)  # fmt: skip
    texts = script_of(at)["texts"]
    assert {"play", "##ing"} <= set(texts)
    at.button(key="to_explore").click().run()
    request = TrainRequest(setting.trainer_id, setting.cutting, CORPORA["play + ing"], setting.size, offered.options)
    original = Tokenizer.from_str(train_view(request).file.decode()).encode("playing")
    assert original.tokens == ["play", "##ing"]
    assert tokens_of(at) == original.ids


def test_the_picture_has_what_was_learned_and_what_the_text_takes() -> None:
    request = TrainRequest(("bpe", "huggingface"), "metaspace", "ab ab abc", 6, OFFERED["bpe", "huggingface"].options)
    card = card_of(request, view := train_view(request))
    learned = bpe.train({"▁ab": 2, "▁abc": 1}, bpe.Options(vocab_size=6)).learned
    wanted = [(text.replace("▁", "·"), id) for id, text in enumerate(learned.tokens) if len(text) > 1]
    assert [(box["t"], box["id"]) for box in card["rows"][0]["boxes"]] == wanted
    assert [int(each) for each in re.findall(r"\d+", card["say"])] == [len(wanted), view.after, view.before]


def test_the_link_to_a_training_opens_it() -> None:
    request = TrainRequest(("wordpiece", "likelihood"), "none", "ab ab", 33, OFFERED["wordpiece", "likelihood"].options)
    at = train_page(**query_of(request))
    assert data_of(at, "text")["text"] == "ab ab"
    assert at.selectbox(key="wordpiece-words").value == "none"
    assert at.selectbox(key="wordpiece-as").value == OFFERED["wordpiece", "likelihood"].title
    assert at.number_input(key="size").value == 33


def test_a_link_to_a_trainer_that_is_gone_opens_the_nearest_and_says_so() -> None:
    for title, nearest in FORMER["trainer"].items():
        at = AppTest.from_file(SCRIPT, default_timeout=60)
        at.query_params.update({"corpus": "ab ab abc", "algorithm": "BPE", "bpe-as": title})
        at.run()
        at.switch_page(str(PAGES / "train.py")).run()
        assert not at.exception
        assert at.selectbox(key="bpe-as").value == nearest
        assert any(title in each.proto.body and nearest in each.proto.body for each in at.get("html"))
