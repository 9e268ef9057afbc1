"""A model on the Hub on the page: the field, what becomes of a name, links, and where it is off."""

from __future__ import annotations

import sys

import pytest
from streamlit.testing.v1 import AppTest

from explorer.answers.corpus_process import chosen as in_a_job
from explorer.answers.corpus_process import uploaded
from explorer.answers.hub_models import Fetch, HubFiles, Rules
from explorer.answers.offers import TokenizerSpec, bundled, hub_offer_of
from explorer.opening import sources
from explorer.opening.hub.names import HubName
from explorer.ui.frame import session_key
from explorer.ui.tokenizers import server as field
from explorer.ui.tokenizers.server import HubState
from tests.meaning import mentions
from tests.opening.hub_server import Hub
from tests.ui.app import acknowledged, chosen, html_of, labels, page, tokens_of
from tests.ui.small_files import SMALL

pytestmark = [pytest.mark.xdist_group("hub"), pytest.mark.usefixtures("cache")]


def page_with(monkeypatch: pytest.MonkeyPatch, *arguments: str, **query: str) -> AppTest:
    monkeypatch.setattr(sys, "argv", [str(sources.APP), *arguments])
    return page(**{"text": "abc ab"} | query)


def fields(at: AppTest) -> list[str]:
    return [each.label for each in at.text_input if str(each.key).startswith("hub ")]


def fetched(at: AppTest) -> AppTest:
    """The page once its fetch has ended."""
    fetch = at.session_state[session_key(HubState)].fetch
    assert fetch is None or fetch.ended.wait(60)
    acknowledged(at.run())  # which the page's own run at the end of the fetch may overtake
    return acknowledged(at.run())


def typed(at: AppTest, name: str) -> AppTest:
    (box,) = [each for each in at.text_input if str(each.key).startswith("hub ")]
    return fetched(box.set_value(name).run())


def ends_after_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fetch ends once the page has drawn it, and before the head is drawn."""
    show, started = field.show_fetch, list[Fetch]()

    def shown() -> None:
        show()
        while started:
            started.pop().run()

    monkeypatch.setattr(Fetch, "start", lambda fetch: started.append(fetch))
    monkeypatch.setattr(field, "show_fetch", shown)


@pytest.mark.parametrize(
    ("arguments", "hosts", "on"),
    [
        ((), "", False),
        (("--hub=here",), "", True),
        (("--hub=here", "--host=explorer.example.org"), "", False),
        (("--hub=here",), "explorer.example.org", False),
        (("--hub=off",), "", False),
        (("--hub=on", "--host=explorer.example.org"), "", True),
    ],
)
def test_the_field_is_there_on_this_machine_or_if_the_operator_says_so(
    arguments: tuple[str, ...], hosts: str, on: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(field.HOSTS, hosts)
    at = page_with(monkeypatch, *arguments)
    assert not at.exception
    assert bool(fields(at)) == on


def test_an_address_or_a_proxy_that_others_reach_turns_it_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(field.st, "get_option", lambda name: "0.0.0.0")
    assert not field.only_this_machine(())
    for address, own in (("127.0.0.1", True), ("localhost", True), ("::1", True), (None, False), ("x.example", False)):
        monkeypatch.setattr(field.st, "get_option", lambda name, address=address: address)
        assert field.only_this_machine(()) == own


@pytest.mark.long
def test_a_name_is_fetched_and_selected(hub: Hub, here: None, monkeypatch: pytest.MonkeyPatch) -> None:
    commit = hub.put("org/name", {"tokenizer.json": SMALL, "model.safetensors": b"x"})
    at = typed(page_with(monkeypatch, "--hub=here"), "org/name")
    assert not at.exception
    assert chosen(at) == f"org/name@{commit}"
    assert tokens_of(at) == [4, 3]
    assert any(commit[:12] in each.value for each in at.caption)
    at.button(key="remove").click().run()
    assert labels(at) == list(bundled())


def test_a_newer_commit_is_asked_for_by_a_button(hub: Hub, here: None, monkeypatch: pytest.MonkeyPatch) -> None:
    old = hub.put("org/name", {"tokenizer.json": SMALL})
    at = typed(page_with(monkeypatch, "--hub=here"), "org/name")
    hub.requests.clear()
    at = fetched(at.button(key="check commit").click().run())
    assert hub.requests
    assert chosen(at) == f"org/name@{old}"
    assert "no newer commit" in html_of(at)
    new = hub.put("org/name", {"tokenizer.json": SMALL + b" "})
    at = fetched(at.button(key="check commit").click().run())
    assert not at.exception
    assert chosen(at) == f"org/name@{new}"
    assert {f"org/name@{each[:7]}" for each in (old, new)} <= {each.split()[0] for each in labels(at)}
    hub.fault = "busy"
    ends_after_the_page(monkeypatch)
    at = fetched(at.button(key="check commit").click().run())
    assert chosen(at) == f"org/name@{new}", "what is open stays"
    assert "30 seconds" in html_of(at)
    hub.fault = ""
    linked = page_with(monkeypatch, "--hub=here", m=f"org/name@{new}")
    assert chosen(linked) == f"org/name@{new}"
    assert "check commit" not in [each.key for each in linked.button], "a link names a commit, and no branch"


def test_a_refusal_is_said_and_dismissed(hub: Hub, here: None, monkeypatch: pytest.MonkeyPatch) -> None:
    hub.put("org/name", {"tokenizer.json": SMALL})
    hub.fault = "busy"
    at = typed(page_with(monkeypatch, "--hub=on"), "org/name")
    assert not at.exception
    assert "org/name: " in html_of(at)
    assert "HF_TOKEN" not in html_of(at), "a visitor can't set it"
    at.button(key="dismiss problems").click().run()
    assert "org/name: " not in html_of(at)


@pytest.mark.parametrize("name", ["org/../name", "<b>x</b>", "org/name@\x1b", "a b", "../x/y", "x" * 300])
def test_what_is_no_name_is_refused_without_a_request(
    name: str, hub: Hub, here: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = typed(page_with(monkeypatch, "--hub=here"), name)
    assert not at.exception
    assert "Not opened." in html_of(at)
    assert "<b>x</b>" not in html_of(at)
    assert hub.requests == []


def test_a_text_that_is_too_long_for_a_name_is_refused_by_its_length(
    hub: Hub, here: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = typed(page_with(monkeypatch, "--hub=here"), "org/" + "x" * 9_996)
    assert mentions(html_of(at), "300 characters, not 10,000")
    (box,) = [each for each in at.text_input if str(each.key).startswith("hub ")]
    assert box.proto.max_chars == 0, "the browser would drop what is longer without a word"
    at = typed(page_with(monkeypatch, "--hub=here", "--hub-search"), "x" * 10_000)
    assert any(mentions(each.value, "300 characters, not 10,000") for each in at.caption)
    assert hub.requests == []


def test_a_link_opens_what_the_cache_has_and_asks_before_it_fetches(
    hub: Hub, here: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = hub.put("org/name", {"tokenizer.json": SMALL})
    link = f"org/name@{commit}"
    at = page_with(monkeypatch, "--hub=here", m=link)
    assert not at.exception
    assert chosen(at) == next(iter(bundled()))
    assert hub.requests == [], "a link alone makes no request"
    at = fetched(at.button(key=f"fetch {link}").click().run())
    assert chosen(at) == link
    hub.requests.clear()
    other = page_with(monkeypatch, "--hub=here", m=link)
    assert (chosen(other), tokens_of(other)) == (link, [4, 3])
    assert hub.requests == []


def test_a_corpus_job_counts_with_a_model_of_the_hub(hub: Hub, here: None) -> None:
    commit = hub.put("org/name", {"tokenizer.json": SMALL, "tokenizer_config.json": b"{}"})
    fetch = Fetch(Rules(on=True), HubName("org/name"))
    fetch.run()
    assert isinstance(fetch.result, HubFiles)
    spec = TokenizerSpec(hub_offer_of(fetch.result.files, fetch.result.name), "huggingface")
    model = in_a_job(0, spec)
    assert (model.name, model.title) == (f"org/name@{commit}", f"org/name@{commit[:7]}")
    assert {name for name, _ in model.kept} == {"tokenizer.json", "tokenizer_config.json"}
    assert SMALL in [file.data for _, file in uploaded(0, spec).values()]


def test_a_link_is_explained_where_nothing_is_fetched(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    at = page_with(monkeypatch, m="org/name@" + "a" * 40)
    assert not at.exception
    assert "org/name@" in html_of(at)
    assert [each for each in at.button if "Fetch" in each.label] == []
    limited = page_with(monkeypatch, "--hub=on", "--hub-allow=meta-llama/*", m="org/name@" + "a" * 40)
    assert not limited.exception
    assert [each for each in limited.button if "Fetch" in each.label] == []


def test_a_part_of_a_name_searches_only_where_that_is_allowed(
    hub: Hub, here: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.put("org/name", {"tokenizer.json": SMALL})
    at = typed(page_with(monkeypatch, "--hub=here"), "nam")
    assert hub.requests == []
    at = typed(page_with(monkeypatch, "--hub=here", "--hub-search"), "nam")
    assert len(hub.requests) == 1
    at.run()
    assert len(hub.requests) == 1, "the session keeps what a search found"
    at = fetched(at.button(key="found org/name").click().run())
    assert chosen(at).startswith("org/name@")


def test_a_search_that_fails_or_finds_nothing_says_so(hub: Hub, here: None, monkeypatch: pytest.MonkeyPatch) -> None:
    at = typed(page_with(monkeypatch, "--hub=here", "--hub-search"), "nothing")
    assert not at.exception
    assert any("no model" in each.value for each in at.caption)
    hub.fault = "busy"
    at = typed(at, "another")
    assert any("30 seconds" in each.value for each in at.caption)
    assert [each for each in at.button if str(each.key).startswith("found ")] == []
