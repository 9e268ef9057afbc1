"""What is cached, where, and for how long."""

from __future__ import annotations

import time

import pytest

from explorer.answers import questions, sessions
from explorer.answers.explore import Request, downloads_of, explore_view, section_view, why_of
from explorer.answers.offers import TokenizerSpec, bundled
from explorer.answers.questions import LOCAL, Store, Weighed, question, size_of
from explorer.answers.sessions import Session
from explorer.errors import InputError


def test_a_failed_question_is_computed_again_only_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []

    @question
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
    monkeypatch.setattr(questions, "monotonic", lambda: time.monotonic() + questions.RETRY_SECONDS + 1)
    with pytest.raises(InputError):
        refused(spec, "this")
    assert len(tried) == 2
    assert refused(spec, "that") == refused(spec, "that") == "that"
    assert len(tried) == 3


def test_a_result_weighs_at_least_what_it_takes_in_memory() -> None:
    request = Request(TokenizerSpec(bundled()["gpt-2"], "huggingface"), "The quick brown fox. " * 40)
    view = explore_view(request, 0, "model")
    for asked, arguments in (
        (explore_view, (request, 0, "model")),
        (section_view, (request, 0, "model", False)),
        (downloads_of, (request,)),
        (why_of, (request, view.window.start, False, True, 3)),
    ):
        answer = asked(*arguments)
        assert size_of(answer) <= asked.weigh(answer) * 1.3, asked.name


def test_a_session_caches_its_traces_apart_from_its_results(monkeypatch: pytest.MonkeyPatch) -> None:
    visitor = Session()
    monkeypatch.setattr(questions, "_answerer", lambda: visitor)
    shared = [LOCAL.caches[store].weight for store in Store]
    spec = TokenizerSpec(bundled()["mistral-v1"], "sentencepiece", (("add_special", "eos"),))
    view = explore_view(Request(spec, "hi"), 0, "model")
    assert view.top.ids == "[12014, 2]"
    assert section_view(view.request, 0, "model", False).script
    results, material, tokenizers = (visitor.caches[store].weight for store in Store)
    assert min(results, material, tokenizers) > 0
    visitor.caches[Store.RESULTS].clear()
    assert visitor.caches[Store.MATERIAL].weight == material
    assert [LOCAL.caches[store].weight for store in Store] == shared, "choices are private"
    visitor.release()
    assert [visitor.caches[store].weight for store in Store] == [0, 0, 0]


def test_an_answer_that_nobody_asks_for_again_is_dropped_and_another_is_kept() -> None:
    spec, began = TokenizerSpec(bundled()["gpt-2"], "huggingface"), time.monotonic()
    visitor = Session()
    for text in ("dropped", "kept"):
        visitor.answer(explore_view, (Request(spec._replace(choices=(("pad", "1"),)), text), 0, "model"))
    full = visitor.caches[Store.RESULTS].weight
    time.sleep(0.01)
    since = time.monotonic()
    visitor.answer(explore_view, (Request(spec._replace(choices=(("pad", "1"),)), "kept"), 0, "model"))
    assert not visitor.caches.drop_unused(began)
    assert visitor.caches.drop_unused(since)
    assert 0 < visitor.caches[Store.RESULTS].weight < full


def test_the_server_drops_what_was_not_asked_for_again() -> None:
    spec = TokenizerSpec(bundled()["gpt-2"], "huggingface")
    sessions.session("here", lambda: None, lambda id: False)
    LOCAL.answer(explore_view, (Request(spec, "asked for once"), 0, "model"))
    assert LOCAL.caches[Store.RESULTS].weight > 0
    later = 2 * questions.RETRY_SECONDS + sessions.UNUSED_SECONDS  # another test sets the clock ahead
    sessions.release_ended(lambda id: False, time.monotonic() + later)
    assert LOCAL.caches[Store.RESULTS].weight == LOCAL.caches[Store.MATERIAL].weight == 0
    assert LOCAL.caches[Store.TOKENIZERS].weight > 0


def test_beyond_the_bound_of_all_sessions_the_one_with_most_is_emptied(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [sessions.session(id, lambda: None, lambda id: False) for id in ("much", "little")]
    for each, size in zip(found, (900, 600), strict=True):
        each.caches[Store.RESULTS].get("key", lambda size=size: Weighed("answer", size))
    monkeypatch.setattr(sessions, "ALL_BYTES", 1_000)
    sessions.release_ended(lambda id: False, time.monotonic())
    assert [each.caches.weight for each in found] == [0, 600]
