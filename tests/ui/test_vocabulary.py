"""The Vocabulary page, run in Python: what a link opens, and what the browser is sent."""

from __future__ import annotations

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from explorer.analysis.vocabulary.figures import notable
from explorer.analysis.vocabulary.index import Query, Search, index_of
from explorer.analysis.vocabulary.reach import Outcome, dossier, sweep
from explorer.text.say import Flat, plain
from explorer.ui import PAGES
from explorer.views.vocabulary import LAST, dossier_view, facets, headline, lengths, rows
from tests.analysis.vocabulary.test_toys import HOSTILE, toy
from tests.bundled import bundled
from tests.ui.app import APP, data_of, html_of, sent_to


def page(**query: str) -> AppTest:
    at = AppTest.from_file(APP, default_timeout=120)
    at.run()
    for name, value in {"m": "rwkv-world", **query}.items():
        at.query_params[name] = value
    at.switch_page(str(PAGES / "vocabulary.py")).run()
    assert not at.exception
    return at


def test_a_link_opens_a_search_and_a_token() -> None:
    data = data_of(page(q="^ ?猫", by="regex", token="17065"), "rows")
    texts = index_of(bundled("rwkv-world")).texts
    assert [row[0] for row in data["rows"]] == [id for id, text in enumerate(texts) if text.lstrip(" ")[:1] == "猫"]
    assert (data["found"], data["of"], data["error"]) == (len(data["rows"]), 65_530, "")
    assert data["dossier"]["text"] == bundled("rwkv-world").decode([17065])


def test_what_cannot_be_read_is_said_and_the_token_stays() -> None:
    data = data_of(page(q="2x", by="bytes", token="300", having="nothing"), "explore")
    assert "not hexadecimal" in data["error"]
    assert data["dossier"]["id"] == 300


@pytest.mark.parametrize("wrong", [{"q": "(", "by": "regex"}, {"q": "x", "by": "ids"}, {"token": "999999999"}])
def test_what_cannot_be_read_in_a_link_leaves_the_vocabulary(wrong: dict[str, str]) -> None:
    """The error, and besides it all that the page shows without a search."""
    data, whole = data_of(page(**wrong), "explore"), data_of(page(), "explore")
    assert data["error"]
    assert not whole["error"]
    for part in ("rows", "facets", "lengths", "dossier"):
        assert data[part] == whole[part]
        assert data[part]


def said(data: dict[str, Any]) -> str:
    """The sentence above the columns."""
    return plain(Flat(*(data["say"] or data["dossier"]["say"]).values()))


def test_the_page_opens_on_a_token_whose_sentence_is_counted() -> None:
    data = data_of(page(m="gpt-2"), "explore")
    token = bundled("gpt-2").encode(" token").ids
    assert [data["dossier"]["id"]] == token == [data["dossier"]["row"][0]]
    index = index_of(bundled("gpt-2"))
    made = dossier(index, token[0]).derivation
    assert made is not None
    merges = sum(bool(node.children) for node in made.nodes)
    assert said(data).endswith(
        f"is token {token[0]} of GPT-2 · Hugging Face: {merges} merges make it, and text gives it."
    )


def test_the_sentence_says_whether_text_gives_the_token() -> None:
    """For a token of each outcome of the check, as encoding its text decides."""
    ends = {
        Outcome.ITSELF: "text gives it.", Outcome.PART: "it comes with the rest of its character.",
        Outcome.SEVERAL: "no text gives it.", Outcome.OTHER: "no text gives it.",
    }  # fmt: skip
    seen = set()
    for model in ("gpt-2", "bert-uncased", "mistral-v1"):
        index = index_of(bundled(model))
        found = sweep(index, ids=range(0, len(index), 50))
        for id in [*list(found.unreached)[:3], *range(100, 110), *range(188, 192)]:
            about = dossier(index, id)
            seen.add(about.reached.outcome)
            assert plain(headline(index, about, "T")).endswith(ends[about.reached.outcome])
    assert seen == set(ends)


def test_whether_a_text_is_a_token_is_a_sentence() -> None:
    """A text that one token spells opens it; of another one the sentence has what the text gives."""
    tok = bundled("gpt-2")
    assert data_of(page(m="gpt-2", q="token"), "explore")["dossier"]["id"] in tok.encode("token").ids
    data = data_of(page(m="gpt-2", q="tokenizerx"), "explore")
    ids = tok.encode("tokenizerx", add_special=False).ids
    assert "not a token" in said(data)
    assert f"{len(ids)} tokens" in said(data)
    assert list(data["say"]["texts"][-len(ids) :]) == [tok.decode([id]) for id in ids]
    assert data["dossier"] is None
    assert data_of(page(m="gpt-2", q="tokenizerx", token="5"), "explore")["dossier"]["id"] == 5
    data = data_of(page(m="llama-2", q="သ"), "explore")  # behind the space that Llama 2 puts in front, a token
    assert "not a token" not in said(data)
    assert data["found"] == 1
    assert "2 tokens" in said(data)


@pytest.mark.parametrize("typed", ["15339", " #15339 ", "id 15339", "[15339]"])
def test_an_id_that_is_typed_as_text_is_offered_as_that_id(typed: str) -> None:
    data = data_of(page(m="gpt-2", q=typed), "explore")
    token = bundled("gpt-2").decode([15339])
    assert data["ids"]["q"].strip("[]") == "15339"
    assert (data["ids"]["say"]["args"][0], data["ids"]["say"]["texts"]) == (15339, [token.replace(" ", "·")])
    there = data_of(page(m="gpt-2", q=data["ids"]["q"], by="ids"), "explore")
    assert [row[0] for row in there["rows"]] == [15339] == [there["dossier"]["id"]]
    assert there["ids"] is None


def test_what_is_no_id_of_the_vocabulary_is_not_offered_as_one() -> None:
    last = len(index_of(bundled("gpt-2"))) - 1
    for typed, offered in ((str(last), True), (str(last + 1), False), ("1.5", False), ("token", False)):
        found = data_of(page(m="gpt-2", q=typed), "explore")["ids"]
        assert bool(found) is offered, typed
    several = data_of(page(m="gpt-2", q="15339, 262-270"), "explore")["ids"]
    assert plain(Flat(*several["say"].values())) == "As ids, these are 10 tokens."


def test_surprises_are_tokens_and_say_why() -> None:
    data = data_of(page(m="gpt-2"), "explore")
    listed = notable(index_of(bundled("gpt-2")))
    assert data["surprises"] == [each.id for each in listed]
    chosen = data_of(page(m="gpt-2", token=str(listed[3].id)), "explore")["dossier"]
    assert plain(Flat(*chosen["why"].values())) == plain(listed[3].why)


@pytest.mark.long
def test_the_answer_of_the_checks_counts_what_no_text_gives() -> None:
    at = page(m="qwen2.5", checked="true")
    found = sweep(index_of(bundled("qwen2.5")))
    sentences = [sent_to(each).get("say") for each in at.get("bidi_component")]
    answer = next(plain(Flat(*each.values())) for each in sentences if each and "out of a text" in each["template"])
    assert f"; {len(found.unreached):,} never" in answer
    asked = index_of(bundled("qwen2.5")).all.bit_count() - found.unasked
    assert answer.startswith(f"{asked - len(found.unreached):,} of {asked:,} tokens of Qwen 2.5")


def test_hostile_tokens_are_sent_visible_and_short() -> None:
    index = toy([*HOSTILE, "a"])
    search = Search(index)
    found = search.find(Query())
    sent = [rows(index, range(len(index))), facets(search, found, Query()), lengths(search, found)]
    for id in range(len(index)):
        view = dossier_view(index, dossier(index, id), {"a finding": (id,)})
        assert view["findings"] == ["a finding"]
        del view["explore"]  # a text for a URL, as it is
        sent.append([view])
    written = json.dumps(sent, ensure_ascii=False)
    assert written.isprintable()
    assert len(written) < 40_000
    assert [bar[1] for bar in sent[2]][LAST - 1] == 2, "the two longest"


def test_differences_open_with_the_vocabulary_that_was_used_before() -> None:
    at = page(m="gpt-2", look="Differences")
    first = at.selectbox(key="beside").value
    assert first not in ("gpt-2", "no other")
    at.selectbox(key="m").set_value("llama-3").run()
    at.query_params["look"] = "Differences"
    at.selectbox(key="beside").set_value("no other").run()
    assert at.selectbox(key="beside").value == "gpt-2", "a comparison needs another one"
    at.selectbox(key="beside").set_value("rwkv-world").run()
    assert at.selectbox(key="beside").value == "rwkv-world", "what is chosen stays"
    assert not at.exception


def test_a_link_opens_a_trim_of_a_size() -> None:
    at = page(m="gpt-2", look="Trim and extend", **{"trim-size": "2000"})
    data = data_of(at, "points")
    assert data["size"] == data["view"]["size"] == 2_048
    assert data["groups"][: data["count"]] == ["English", "German", "Turkish", "Ukrainian", "Python code"]
    assert (data["points"][0]["tokens"], data["view"]["total"]) == (50_257, 50_257 - 2_049)
    costs = [sum(each["costs"][: data["count"]]) for each in data["points"][1:]]
    assert costs == sorted(costs, reverse=True)
    at.multiselect(key="trim-for").set_value([]).run()
    assert not at.exception


def test_a_vocabulary_that_cannot_be_extended_says_so() -> None:
    at = page(m="bert-uncased", look="Trim and extend", way="Extend")
    assert "byte-level BPE" in html_of(at)
    assert not page(m="gpt-2", look="Trim and extend", way="Extend").exception
