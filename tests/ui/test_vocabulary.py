"""The Vocabulary page, run in Python: what a link opens, and what the browser is sent."""

from __future__ import annotations

import json

import pytest
from streamlit.testing.v1 import AppTest

from explorer.analysis.vocabulary.dossier import dossier
from explorer.analysis.vocabulary.index import index_of
from explorer.analysis.vocabulary.query import Query, Search
from explorer.ui import PAGES
from explorer.views.vocabulary import LAST, dossier_view, facets, lengths, rows
from tests.analysis.vocabulary.test_toys import HOSTILE, toy
from tests.bundled import bundled
from tests.ui.app import APP, data_of


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
