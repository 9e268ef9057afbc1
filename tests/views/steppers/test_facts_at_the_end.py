"""Facts about the whole text that a stepper lists beside its steps: what was lost, taken, left as text."""

from __future__ import annotations

import json

import explorer
from explorer.formats.tokenizer_json import read
from explorer.implementations.huggingface import from_tokenizer_json
from explorer.script.script import Replay, Script, window_of
from explorer.stages.decoders.losses import round_trip
from explorer.views.overview import sections
from tests.bundled import bundled


def script_of(tok: explorer.Tokenizer, key: str, text: str, at: int = 0, size: int = 2000, **options: bool) -> Script:
    trace = tok.trace(text, **options)
    (section,) = sections(tok, trace, round_trip(tok, trace), window_of(trace, at, size), key)
    assert section.script is not None
    return section.script


def at_the_end(script: Script) -> Replay:
    replay = Replay(script)
    while replay.forward():
        pass
    return replay


def lost(tok: explorer.Tokenizer, text: str, at: int = 0, size: int = 2000) -> list[tuple[int, str, str, str]]:
    script = script_of(tok, "decode", text, at, size)
    texts = script.data["texts"]
    rows = at_the_end(script).rows("lost").values()
    return [(row[0], texts[row[1]], texts[row[2]], texts[row[3]]) for row in rows]


def test_each_lost_character_is_listed_with_the_stage_that_lost_it() -> None:
    assert lost(bundled("bert-uncased"), "What  😊") == [
        (0, "W", "Normalization", "w"), (5, "␣", "The pre-tokenizer", "nothing"), (6, "😊", "The model", "[UNK]")
    ]  # fmt: skip
    assert lost(bundled("bert-uncased"), "what") == []


def test_only_losses_within_the_window_are_listed() -> None:
    tok, text = bundled("bert-uncased"), "Aa " * 400
    window = window_of(tok.trace(text), 300, 90)
    rows = lost(tok, text, 300, 90)
    assert rows
    assert all(window.holds(index) for index, *_ in rows)
    assert len(rows) < len(round_trip(tok, tok.trace(text)).losses.lost)


def test_fragments_have_offset_and_length_in_code_points_and_bytes() -> None:
    text = "é<s>é!" * 3
    for at, size in ((0, 2000), (12, 6)):
        script = script_of(bundled("llama-2"), "partition", text, at, size)
        texts = script.data["texts"]
        for row in at_the_end(script).rows("output").values():
            if row[1] < 0:
                start, end = row[2:4]
                offset, length = len(text[:start].encode()), len(text[start:end].encode())
                assert texts[row[4]] == f"text: offset {start}, length {end - start}; bytes {offset}, {length}"


def test_every_occurrence_of_a_token_that_is_not_parsed_is_marked() -> None:
    script = script_of(bundled("llama-2"), "partition", "<s>a<s>", parse_special=False)
    (step,) = [
        step for step in range(1, len(script) + 1) if "<s>" in script.sentence(step) and script.args(step)[1] == 1
    ]
    steps = script.data["steps"]
    marks = steps["marks"][steps["mark_at"][step - 1] : steps["mark_at"][step]]
    assert {marks[at + 1] for at in range(0, len(marks), 3)} >= {0, 1, 2, 4, 5, 6}


def test_each_alternative_says_what_it_took() -> None:
    (rules,) = [
        track
        for track in script_of(bundled("gpt-2"), "pre-tokenize", "He's é").data["tracks"]
        if track["name"] == "rules"
    ]
    assert [rule[3] for rule in rules["rules"]][:3] == ["took 1 pre-token", "took 2 pre-tokens", "took 0 pre-tokens"]


def test_code_points_are_named_and_classified() -> None:
    script = script_of(bundled("llama-2"), "utf8", "é")
    (row,) = at_the_end(script).rows("offsets").values()
    said = [script.data["texts"][row[column]] for column in (3, 5, 6)]
    assert said[0] == "U+00E9 LATIN SMALL LETTER E WITH ACUTE"
    assert said[1].startswith("Ll")
    assert "letter and lowercase" in said[2]


def test_words_are_looked_up_whole() -> None:
    model = {"type": "WordLevel", "vocab": {"[UNK]": 0, "low": 1, "high": 2}, "unk_token": "[UNK]"}
    file = {"model": model, "pre_tokenizer": {"type": "WhitespaceSplit"}}
    tok = from_tokenizer_json(read(json.dumps(file).encode(), "toy"), "toy")
    text = "low lower high"
    for at, size in ((0, 2000), (4, 5)):
        script = script_of(tok, "model", text, at, size)
        window = window_of(tok.trace(text), at, size)
        drawn = [token for token in tok.encode(text).tokens if window.holds(token.start)]
        rows = at_the_end(script).rows("output").values()
        assert [tuple(row[1:4]) for row in rows] == [tuple(token) for token in drawn]
        assert [script.kind(step)["label"] == "unknown" for step in range(1, len(script) + 1)] == [
            token.id == 0 for token in drawn
        ]
