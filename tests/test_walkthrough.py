"""The walk-through of the notes, number for number: `What is LoRA?` through Llama 2."""

from __future__ import annotations

import explorer
from explorer.engine.models.merges import MergeEvent
from explorer.engine.part import Segment
from explorer.script.script import Replay, Script, window_of
from explorer.stages.merging.story import MergeScript

TEXT = "What is LoRA?"
SEEDED = [
    ("at", 3, -12), ("▁W", 0, -140), ("is", 6, -16), ("Lo", 9, -3151), ("▁i", 5, -215), ("ha", 2, -2091),
    ("▁L", 8, -106), ("Wh", 1, -8550), ("RA", 11, -4458),
]  # fmt: skip


def test_ids(llama2: explorer.Tokenizer) -> None:
    assert llama2.encode(TEXT).ids == [1, 1724, 338, 4309, 4717, 29973]
    assert llama2.encode("<s>What is LoRA?</s>").ids == [1, 1, 1724, 338, 4309, 4717, 29973, 2]
    assert llama2.encode(TEXT).pieces == ["<s>", "▁What", "▁is", "▁Lo", "RA", "?"]
    assert llama2.encode(TEXT).spans == [None, (0, 4), (4, 7), (7, 10), (10, 12), (12, 13)]
    assert llama2.decode(llama2.encode(TEXT).ids) == TEXT


def test_fourteen_symbols_of_twenty_bytes(llama2: explorer.Tokenizer) -> None:
    (segment,) = llama2.trace(TEXT).stage("model").before
    assert isinstance(segment, Segment)
    assert segment.text == "▁What▁is▁LoRA?"
    assert llama2.trace(TEXT).stage("model").events[0] == (MergeEvent.SEGMENT, 0, 14, -1)
    assert len(segment.text.encode()) == 20


def test_the_seeded_queue(llama2: explorer.Tokenizer) -> None:
    v = llama2.vocabulary
    seeds = list(llama2.trace(TEXT).stage("model").events)[1:14]
    pushed = [row for row in seeds if row.kind == MergeEvent.PUSH]
    assert {(v.spelling(row.token), row.left, v.scores[row.token]) for row in pushed} == set(SEEDED)
    sizes = {v.spelling(row.token): len(v.pieces[row.token]) for row in pushed}
    assert sizes == {"at": 2, "▁W": 4, "is": 2, "Lo": 2, "▁i": 4, "ha": 2, "▁L": 4, "Wh": 2, "RA": 2}


def test_the_first_pop_is_at(llama2: explorer.Tokenizer) -> None:
    first = next(row for row in llama2.trace(TEXT).stage("model").events if row.kind == MergeEvent.MERGE)
    assert llama2.vocabulary.spelling(first.token) == "at"
    assert (first.left, first.right) == (3, 4)


def played(tok: explorer.Tokenizer, text: str) -> tuple[Script, Replay]:
    trace = tok.trace(text)
    script = MergeScript.of(trace.stage("model"), tok.vocabulary, window_of(trace))
    return script, Replay(script)


def test_the_same_on_the_page(llama2: explorer.Tokenizer) -> None:
    script, replay = played(llama2, TEXT)
    texts = script.data["texts"]
    assert len(script) == 47
    assert script.opening() == "The text is split into 14 symbols, one per code point: 20 bytes."
    assert [phase["name"] for phase in script.data["phases"]] == ["Split", "Seed the queue", "Merge", "Output"]
    assert len(replay.rows("cells")) == 14 + 1  # and which segment is current
    assert sum(row[2] for key, row in replay.rows("cells").items() if key >= 0) == 20

    for _ in range(13):
        replay.forward()
    queue = sorted(replay.rows("queue").values(), key=lambda row: row[1])
    assert [(texts[text], left, texts[value], size) for text, _, value, _, left, _, _, size in queue] == [
        ("at", 3, "−12", 2), ("is", 6, "−16", 2), ("▁L", 8, "−106", 4), ("▁W", 0, "−140", 4), ("▁i", 5, "−215", 4),
        ("ha", 2, "−2,091", 2), ("Lo", 9, "−3,151", 2), ("RA", 11, "−4,458", 2), ("Wh", 1, "−8,550", 2),
    ]  # fmt: skip
    assert replay.rows("heap")[0] == (3,), "on top of the heap is at, the fourth pair pushed"
    assert script.sentence(14).startswith("Pop “at” (−12): cell 3 absorbs cell 4.")

    while replay.forward():
        pass
    chain = {key: row[2] for key, row in replay.rows("cells").items() if key >= 0 and row[0]}
    assert chain == {0: 7, 5: 5, 8: 5, 11: 2, 13: 1}
    assert [row[1] for row in replay.rows("output").values()] == [1724, 338, 4309, 4717, 29973]
    assert replay.rows("queue") == {}
    assert replay.rows("heap") == {}
