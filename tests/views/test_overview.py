"""The top of Explore: the text in its tokens, and what each stage made of it."""

from __future__ import annotations

import pytest

import explorer
from explorer.script.script import window_of
from explorer.stages.decoders.losses import round_trip
from explorer.stages.stage import described
from explorer.text import visible
from explorer.views.examples import PRESETS
from explorer.views.overview import cuts_inside_words, ribbon, running_text, sections
from tests.bundled import bundled

MODELS = list(explorer.catalog())


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", MODELS)
def test_a_piece_shows_the_characters_its_token_covers(name: str) -> None:
    tok = bundled(name)
    for preset in PRESETS:
        trace = tok.trace(preset.text)
        pieces = running_text(trace, tok.vocabulary, window_of(trace))
        assert [piece["id"] for piece in pieces] == trace.ids
        for piece, token in zip(pieces, trace.encoding.tokens, strict=True):
            source = preset.text[token.start : token.end] if token.start >= 0 else None
            if source is None:
                assert piece["look"] == "added"
            elif not source:
                assert piece["t"] == "·", "the inserted space"
            else:
                # a mark after a space gets a circle to sit on
                assert piece["t"].replace(" ", "␣").replace("◌", "") == visible(source).replace("◌", "")
                assert piece.get("space", 0) == len(source) - len(source.lstrip(" "))


def test_a_token_of_inserted_text_alone_shows_it() -> None:
    tok = bundled("llama-2")
    trace = tok.trace("吾輩")
    first = running_text(trace, tok.vocabulary, window_of(trace))[1]
    assert first == {"t": "·", "id": 29871, "s": 0, "e": 0}


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", MODELS)
def test_tokens_of_one_character_are_joined_and_own_all_its_bytes(name: str) -> None:
    tok, text = bundled(name), "a 🤗é漢𠀀"
    trace = tok.trace(text)
    pieces = running_text(trace, tok.vocabulary, window_of(trace))
    spans = [(token.start, token.end) for token in trace.encoding.tokens]
    for before, piece, one, other in zip(pieces, pieces[1:], spans, spans[1:], strict=False):
        assert piece.get("joins", False) == (0 <= other[0] < one[1])
        if "part" in piece and "part" in before and piece.get("joins"):
            assert piece["part"][0] == before["part"][1], "the next bytes of the same character"


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", MODELS)
def test_the_row_of_stages_is_that_of_the_report(name: str) -> None:
    tok = bundled(name)
    for preset in PRESETS:
        trace = tok.trace(preset.text)
        there_and_back = round_trip(tok, trace)
        nodes = ribbon(trace, there_and_back.decoded)
        keys = [section.key for section in sections(tok, trace, there_and_back, window_of(trace))]
        assert [key for key in keys if key in {node.key for node in nodes}] == [node.key for node in nodes]
        assert nodes[-1].changed == (there_and_back.decoded.text != preset.text)
        assert nodes[0].result == f"{len(preset.text.encode())} bytes"
        assert nodes[-1].result == ("differs" if nodes[-1].changed else "the same")


def test_results_are_those_of_the_trace() -> None:
    tok = bundled("llama-2")
    trace = tok.trace("What is LoRA?")
    results = {node.key: (node.result, node.changed) for node in ribbon(trace, tok.trace_decode(trace.ids))}
    assert results == {
        "utf8": ("13 bytes", False),
        "partition": ("none", False),
        "normalize": ("+1 space", True),
        "model": ("9 merges", True),
        "post-process": ("6 tokens", True),
        "decode": ("the same", False),
    }
    bert = bundled("bert-uncased")
    trace = bert.trace("Åwhat [SEP] is")
    results = {node.key: (node.result, node.changed) for node in ribbon(trace, bert.trace_decode(trace.ids))}
    assert results["partition"] == ("1 found", True)
    assert results["pre-tokenize"] == ("2 pre-tokens", True)
    assert results["decode"] == ("differs", True)


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("a b", "▁a▁b", "+1 space"),
        ("a b", "a▁b", "spaces → ▁"),
        ("ABC", "abc", "lowercase"),
        ("Åb", "ab", "1 changed"),
        ("a\u0301", "á", "2 → 1 character"),
    ],
)
def test_a_normalization_is_described_in_a_few_words(before: str, after: str, words: str) -> None:
    assert described(before, after) == words


def test_the_first_cut_inside_a_word_is_found() -> None:
    tok = bundled("llama-2")
    trace = tok.trace("What is LoRA?")
    cuts = list(cuts_inside_words(trace))
    assert [tok.decode([trace.ids[cut], trace.ids[cut + 1]]) for cut in cuts] == ["LoRA"]
