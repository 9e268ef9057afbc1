"""Ids within ids, and stop strings in tokens: beside plain searches and all sequences of a small vocabulary."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import explorer
from explorer.analysis.boundary.boundary import (
    MOST,
    on_text,
    own_ids_say,
    places,
    stop_say,
    stop_string,
    within,
    within_say,
)
from explorer.analysis.boundary.followers import tokens_by_text
from explorer.text.say import plain
from tests.analysis.toy_tokenizers import bpe
from tests.bundled import bundled
from tests.meaning import named
from tests.tiers import amount


def test_a_colon_and_line_breaks_are_one_token() -> None:
    tok = bundled("cl100k_base")
    found = within(tok, tok.encode("Assistant:").ids, tok.encode("Assistant:\n\nHi").ids)
    assert found.found == ()
    (place,) = found.near
    assert (place.first, place.last, place.before, place.after) == (0, 2, b"", b"\n\n")
    assert ":↵↵" in named(plain(within_say(tok, found)))


def test_a_space_that_the_tokenizer_puts_in_front() -> None:
    tok = bundled("llama-2")
    ids = [tok.encode(text, add_special=False).ids for text in ("### x", "a\n### x")]
    found = within(tok, *ids)
    assert found.without_space
    assert found.near


@settings(max_examples=amount(400))
@given(st.lists(st.integers(0, 3), max_size=30), st.lists(st.integers(0, 3), min_size=1, max_size=4))
def test_places_beside_a_plain_search(ids: list[int], wanted: list[int]) -> None:
    plainly = [at for at in range(len(ids)) if ids[at : at + len(wanted)] == wanted]
    assert list(places(wanted, ids)) == plainly
    assert list(places([256 + each for each in wanted], [256 + each for each in ids])) == plainly


def test_a_long_list_is_searched_in_one_pass() -> None:
    """Ids whose bytes overlap, and half a million that are nearly there everywhere."""
    assert list(places([256] * 50_000, [65_536] * 200_000)) == []
    assert list(places([*[7] * 50_000, 8], [7] * 200_000)) == []


@settings(max_examples=amount(200))
@given(st.text("ab :\n", max_size=20), st.integers(0, 20), st.integers(1, 4))
def test_the_text_of_ids_is_found_where_it_is(text: str, start: int, size: int) -> None:
    tok = bundled("cl100k_base")
    part = text[start : start + size]
    if not part:
        return
    wanted, ids = tok.encode(part).ids, tok.encode(text).ids
    found = within(tok, wanted, ids)
    assert bool(found.found) == any(ids[at : at + len(wanted)] == wanted for at in range(len(ids)))
    assert found.found or found.near
    for place in found.near:
        spelled = b"".join(map(tok.token_bytes, ids[place.first : place.last]))
        assert spelled == place.before + part.encode() + place.after


@pytest.mark.parametrize("spec", ["cl100k_base", "llama-2", "bert-uncased", "xlm-r", "rwkv-world"])
@pytest.mark.sample(2)
@settings(max_examples=amount(60))
@given(text=st.text("ab :\n🤗é", max_size=20), start=st.integers(0, 20), size=st.integers(1, 4))
def test_wanted_ids_are_drawn_on_their_text(spec: str, text: str, start: int, size: int) -> None:
    tok = bundled(spec)
    wanted, ids = (tok.encode(each, add_special=False).ids for each in (text[start : start + size], text))
    if not wanted:
        return
    found = within(tok, wanted, ids)
    placed = on_text(tok, found)
    data = b"".join(map(tok.token_bytes, ids))
    assert placed.text == data.decode("utf-8", "replace")
    assert [token.id for token in placed.tokens] == ids
    if not found.found and not found.near:
        assert placed.wanted == ()
        return
    left = found.text.removeprefix(b" ") if found.without_space else found.text
    assert [token.id for token in placed.wanted] in (wanted, wanted[1:])
    if placed.text.isascii():
        drawn = "".join(placed.text[token.start : token.end] for token in placed.wanted)
        assert drawn.encode() == left
    if found.found:
        assert placed.wanted == placed.tokens[found.found[0] : found.found[0] + len(wanted)]


def test_a_response_template_is_answered_by_name() -> None:
    """The colon of the template is one token with the line break after it."""
    tok = bundled("llama-3")
    ids = [tok.encode(text, add_special=False).ids for text in ("### Response:", "### Response:\nYes")]
    said = plain(within_say(tok, within(tok, *ids)))
    assert ":↵" in named(said)


def test_what_a_stop_string_is_said_to_be() -> None:
    tok = bundled("gpt-2")
    found = stop_string(tok, "\n\nHuman:")
    assert stop_say(found).args == (found.sequences,)
    own = own_ids_say(found)
    assert own.texts[0] == ", ".join(map(str, tok.encode("\n\nHuman:").ids))
    stop = b"\n\nHuman:"
    begins = [
        id
        for id in range(50256)
        for size in range(1, len(stop))
        if len(tok.token_bytes(id)) > size and tok.token_bytes(id).endswith(stop[:size])
    ]
    assert found.inside == len(set(begins))
    assert f"{found.inside} token" in plain(own)


def test_what_is_listed_is_bounded_and_nothing_is_refused() -> None:
    tok = bundled("gpt-2")
    assert len(within(tok, [64], [64] * 1_000).found) == MOST
    with pytest.raises(explorer.InputError, match="empty"):
        within(tok, [], [64])
    with pytest.raises(explorer.InputError, match="99999"):
        within(tok, [99999], [64])


@pytest.mark.parametrize("stop", ["ab", "aba", "bb", "abcab", "aab"])
@pytest.mark.sample(2)
def test_sequences_with_a_stop_string_by_trying_all(stop: str) -> None:
    """From the token in which it begins to the one in which it ends; none is left out that adds to it."""
    tok = bpe("a b", "ab a", "b c", "b b", "a a", "ab c")
    tokens = tokens_by_text(tok)
    by_id = dict(zip(tokens.ids, tokens.data, strict=True))
    data, expected, shortest = stop.encode(), 0, 99
    contain = [id for id, each in by_id.items() if data in each]
    for count in range(2, len(data) + 1):
        for ids in product(by_id, repeat=count):
            parts = [by_id[id] for id in ids]
            for taken in range(1, min(len(data), len(parts[0]) + 1)):
                begins = parts[0].endswith(data[:taken])
                inner = b"".join(parts[1:-1])
                rest = data[taken + len(inner) :]
                if begins and rest and data[taken:].startswith(inner) and parts[-1].startswith(rest):
                    expected += 1
                    shortest = min(shortest, count)
    found = stop_string(tok, stop)
    assert found.contain == tuple(sorted(contain))
    assert found.sequences == expected + len(contain)
    assert len(found.fewest) == shortest
    assert data in b"".join(by_id[id] for id in found.fewest)


def test_beginnings_by_every_token() -> None:
    tok = bundled("gpt-2")
    stop = "\n\nHuman:"
    data = stop.encode()
    found = {each.taken: each for each in stop_string(tok, stop).beginnings}
    for taken in range(1, len(data)):
        ends = {id for id in range(len(tok.vocabulary)) if tok.token_bytes(id).endswith(data[:taken])}
        each = found.get(taken)
        assert ends - {50256} == (set() if each is None else {*each.exact, *each.inside})


def test_stop_strings_are_bounded() -> None:
    for text in ("", "x" * 1_001):
        with pytest.raises(explorer.InputError, match=r"1,000"):
            stop_string(bundled("gpt-2"), text)


def test_what_the_documents_name_is_imported_from_the_folder() -> None:
    from explorer.analysis import boundary

    said = Path("docs/library.md").read_text(encoding="utf-8").partition("`explorer.analysis.boundary`")[2]
    names = re.findall(r"`(\w+)`", said.partition("`explorer.")[0])
    assert names == ["borders", "open_end", "within", "stop_string"]
    assert all(callable(getattr(boundary, name)) for name in names)
