"""Models of the Hub on a server: what its operator allows, what visitors read, and what the server keeps."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import explorer
from explorer.answers import hub_models
from explorer.answers.hub_models import VISITORS, Fetch, HubFiles, Rules, evict
from explorer.answers.offers import TokenizerSpec, hub_offer_of
from explorer.opening.hub.fetching import SAID, HubError, Step
from explorer.opening.hub.names import HubName
from tests.opening.gguf_server import COMMIT, Behavior, serving
from tests.opening.hub_server import Hub

pytestmark = [pytest.mark.xdist_group("hub"), pytest.mark.usefixtures("cache")]
SMALL = json.dumps({"model": {"type": "BPE", "vocab": {"h": 0, "i": 1, "hi": 2}, "merges": ["h i"]}}).encode()
OPEN = Rules(on=True)
OWN = Rules(on=True, token=True)


def ended(fetch: Fetch) -> Fetch:
    fetch.run()
    assert fetch.ended.is_set()
    return fetch


def test_without_a_word_of_the_operator_nothing_is_fetched() -> None:
    with pytest.raises(explorer.InputError):
        Rules().name("org/name")


def test_names_are_limited_to_those_that_are_allowed() -> None:
    rules = OPEN._replace(allow=("meta-llama/*", "org/one"))
    assert rules.name(" meta-llama/Llama-3@v1@huggingface ") == HubName("meta-llama/Llama-3", "v1")
    assert rules.name("META-LLAMA/x").repository == "META-LLAMA/x"
    for typed in ("org/two", "x/meta-llama", "meta-llama", "../meta-llama/x", "https://meta-llama/x", "", "a\nb/c"):
        with pytest.raises(explorer.InputError) as error:
            rules.name(typed)
        assert str(error.value).isprintable()


@pytest.mark.parametrize("kind", SAID)
def test_a_visitor_is_told_nothing_to_set_on_the_server(kind: str) -> None:
    said = OPEN.said(HubError("HF_TOKEN", kind), "org/name")
    if kind in VISITORS:
        assert said.startswith("org/name: ")
        assert "HF_" not in said
    else:
        assert "HF_TOKEN" not in SAID[kind]
    if kind != "gguf":
        assert OWN.said(HubError("HF_TOKEN", kind), "org/name") == "HF_TOKEN"


def test_what_was_fetched_runs_in_the_visitors_process_and_names_its_commit(hub: Hub, here: None) -> None:
    commit = hub.put("org/name", {"tokenizer.json": SMALL, "chat_template.jinja": b"{{ 1 }}", "a.safetensors": b"x"})
    made = ended(Fetch(OPEN, HubName("org/name"))).result
    assert isinstance(made, HubFiles)
    assert made.name == f"org/name@{commit}"
    offer = hub_offer_of(made.files, made.name)
    assert TokenizerSpec(offer, "huggingface").untrusted
    tok = offer.open("huggingface", {})
    by_name = explorer.load(f"org/name@{commit}", "huggingface")
    assert tok.encode("hi").ids == [2]
    assert tok.origin.repository == by_name.origin.repository
    assert tok.name == by_name.name
    assert offer.implementations[0] == explorer.load(f"org/name@{commit}").implementation


def test_a_file_of_a_repository_has_its_path_in_its_name(hub: Hub, here: None) -> None:
    commit = hub.put("org/name", {"sub/tokenizer.json": SMALL})
    made = ended(Fetch(OPEN, HubName("org/name", file="sub/tokenizer.json"))).result
    assert isinstance(made, HubFiles)
    assert made.name == f"org/name@{commit}:sub/tokenizer.json"
    assert hub_offer_of(made.files, made.name).open("huggingface", {}).encode("hi").ids == [2]


def test_two_files_of_a_repository_have_two_titles_and_a_folder_runs_with_its_settings(hub: Hub, here: None) -> None:
    settings = b'{"tokenizer_class": "PreTrainedTokenizerFast"}'
    whole = SMALL.replace(b"{", b'{"added_tokens": [], ', 1)
    files = {f"{name}/{file}": data for name in "ab" for file, data in
             (("tokenizer.json", whole), ("tokenizer_config.json", settings))}  # fmt: skip
    commit = hub.put("org/name", files)
    titles = set()
    for file in ("a/tokenizer.json", "b/tokenizer.json", "a", "b/"):
        made = ended(Fetch(OPEN, HubName("org/name", file=file.rstrip("/")))).result
        assert isinstance(made, HubFiles)
        titles.add(made.files[0].title)
        offer = hub_offer_of(made.files, made.name)
        by_name = explorer.load(f"org/name@{commit}:{file}")
        assert offer.implementations[0] == by_name.implementation
        assert offer.open(by_name.implementation, {}).name == by_name.name
        assert OPEN.kept(OPEN.name(made.name)) is not None, "a link with this name opens"
    assert len(titles) == 4
    assert all(title.startswith(f"org/name@{commit[:7]}:") for title in titles)


def test_the_hub_is_asked_for_a_newer_commit_when_the_visitor_wants_it(hub: Hub, here: None) -> None:
    hub.put("org/name", {"tokenizer.json": SMALL})
    ended(Fetch(OPEN, HubName("org/name")))
    new = hub.put("org/name", {"tokenizer.json": SMALL + b" "})
    for refresh, newer in ((False, False), (True, True)):
        made = ended(Fetch(OPEN, HubName("org/name"), refresh=refresh)).result
        assert isinstance(made, HubFiles)
        assert (made.name == f"org/name@{new}") == newer


def test_a_visitor_does_not_get_what_the_operators_token_fetched(
    hub: Hub, here: None, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    hub.put("org/private", {"tokenizer.json": SMALL})
    assert ended(Fetch(OWN, HubName("org/private"))).result is not None
    hub.fault = "gated"
    assert OPEN.kept(HubName("org/private")) is None
    hub.requests.clear()
    refused = ended(Fetch(OPEN, HubName("org/private")))
    assert refused.result is None
    assert refused.error.startswith("org/private: ")
    assert "hf_secret" not in str(hub.requests)


def test_visitors_share_what_was_fetched(hub: Hub, here: None) -> None:
    hub.put("org/name", {"tokenizer.json": SMALL})
    ended(Fetch(OPEN, HubName("org/name")))
    hub.requests.clear()
    assert ended(Fetch(OPEN, HubName("org/name"))).result is not None
    assert hub.requests == []


def test_fetches_come_in_the_order_they_were_asked_and_a_canceled_one_leaves_its_place(
    hub: Hub, here: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_models, "AT_ONCE", 1)
    running, canceled, first, second = (Fetch(OPEN, name) for name in ("one", "two", "three", "four"))
    release, asked = threading.Event(), list[object]()

    def found(text: str, **more: object) -> list[str]:
        asked.append(text)
        assert release.wait(60)
        return []

    monkeypatch.setattr(hub_models, "search", found)
    for number, fetch in enumerate((running, canceled, first, second), 1):
        fetch.start()
        while len(hub_models._asked) < number:  # its thread has asked
            threading.Event().wait(0.01)
    canceled.cancel()
    assert canceled.ended.wait(60)
    assert (canceled.result, canceled.error, canceled.step) == (None, "", Step(0, 0, ""))
    assert asked == ["one"], "the place is taken"
    release.set()
    assert all(each.ended.wait(60) for each in (running, first, second))
    assert asked == ["one", "three", "four"]
    assert hub_models._asked == []


def test_a_search_finds_names_for_the_field(hub: Hub, here: None) -> None:
    hub.put("org/name", {})
    assert ended(Fetch(OPEN, "nam")).result == ["org/name"]


@pytest.mark.parametrize("old", [0, 4e9], ids=["long ago", "a clock that was ahead"])
def test_the_cache_of_a_server_is_bounded(tmp_path: Path, old: float) -> None:
    for number, name in enumerate(("old", "middle", "new")):
        folder = tmp_path / f"models--org--{name}"
        (folder / "blobs").mkdir(parents=True)
        (folder / "blobs" / "x").write_bytes(bytes(100))
        (folder / "snapshots").mkdir()
        (folder / "snapshots" / "link").symlink_to("../blobs/x")
        os.utime(folder, (number or old, number or old))
    (tmp_path / "CACHEDIR.TAG").write_text("")
    evict(tmp_path, 250)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "CACHEDIR.TAG",
        "models--org--middle",
        "models--org--new",
    ]
    evict(tmp_path / "none", 0)


@pytest.fixture
def large(cache: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Behavior]:
    """A Hub with a GGUF of 40 GB."""
    behavior = Behavior(explorer.catalog()["llama-2"].path.read_bytes(), 40_000_000_000)
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache.parent))
    with serving(behavior) as address:
        monkeypatch.setenv("HF_ENDPOINT", address)
        yield behavior


GGUF = HubName("org/name", file="sub/q4.gguf")


def test_of_a_gguf_a_visitor_gets_the_beginning_and_a_link_with_its_commit(large: Behavior) -> None:
    made = ended(Fetch(OPEN, GGUF)).result
    assert isinstance(made, HubFiles)
    assert made.name == f"org/name@{COMMIT}:sub/q4.gguf"
    assert made.files[0].title == f"org/name@{COMMIT[:7]}:sub/q4.gguf"
    assert made.files[0].data == large.data
    tok = hub_offer_of(made.files, made.name).open("llama.cpp", {})
    assert tok.encode("is").ids == [1, 338]
    assert tok.origin.repository == f"org/name@{COMMIT}"
    large.asked.clear()
    linked = HubName("org/name", COMMIT, "sub/q4.gguf")
    assert OPEN.kept(linked) is not None
    assert ended(Fetch(OPEN, linked)).result == made
    assert large.asked == []


def test_a_visitor_gets_no_beginning_that_the_operators_token_fetched(
    large: Behavior, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    assert ended(Fetch(OWN, GGUF)).result is not None
    assert large.asked[0][2] == "Bearer hf_secret"
    large.asked.clear()
    large.fault, large.status = "status", 401
    assert OPEN.kept(HubName("org/name", COMMIT, "sub/q4.gguf")) is None
    refused = ended(Fetch(OPEN, GGUF))
    assert refused.result is None
    assert refused.error.startswith("org/name:sub/q4.gguf: ")
    assert "HF_" not in refused.error
    assert {key for *_, key in large.asked} == {""}


def test_a_gguf_of_a_server_without_commits_is_refused_and_a_canceled_one_ends(
    large: Behavior, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.opening.gguf_server.COMMIT", "none")
    assert "commit" in ended(Fetch(OPEN, GGUF)).error
    fetch = Fetch(OPEN, GGUF._replace(file="other.gguf"))
    fetch.cancel()
    assert ended(fetch).result is None
