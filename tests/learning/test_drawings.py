"""The drawings of the lessons: they are made of what the engine does, and the file has what is made."""

from __future__ import annotations

import pytest

import explorer
from explorer.answers.learn import drawing_of
from explorer.learning.lessons import library, read_lesson
from explorer.training.huggingface import bpe
from explorer.views.components import LESSON_DRAWINGS
from explorer.views.lesson_drawings import rows_drawing, stage_drawing, training_drawing
from tests import drawings as written

CHEAP = ("bytes", "fallback", "bpe")


@pytest.mark.parametrize(
    "key", [*CHEAP, *(pytest.param(key, marks=pytest.mark.long) for key in library() if key not in CHEAP)]
)
def test_the_file_has_the_drawing_of_each_lesson(key: str) -> None:
    assert LESSON_DRAWINGS[key] == written.as_kept(drawing_of(library()[key]))


def test_the_merges_of_a_tree_give_the_tokens() -> None:
    tok = explorer.load("gpt-2")
    drawn = stage_drawing(tok.trace("unhappiness"), "model")
    ends = {start: start + 1 for start in range(len(drawn["leaves"]))}
    for start, middle, end, id in drawn["nodes"]:
        assert ends[start] == middle
        assert ends.pop(middle) == end
        ends[start] = end
        assert tok.vocabulary.pieces[id].decode() == "".join(drawn["leaves"][start:end])
    assert len(ends) == len(tok.encode("unhappiness"))


def test_the_best_pair_of_a_queue_is_the_first_merge() -> None:
    drawn = stage_drawing(explorer.load("llama-2").trace("What is LoRA?"), "model")
    best = max(drawn["scores"], key=lambda each: float(each[1].replace("−", "-").replace(",", "")))
    assert drawn["kind"] == "queue"
    assert best[0] == drawn["best"]


def test_the_marked_arcs_of_a_lattice_are_the_tokens() -> None:
    tok = explorer.load("xlm-r")
    drawn = stage_drawing(tok.trace("token ok"), "model")
    path = sorted(tuple(arc[:3]) for arc in drawn["arcs"] if arc[3])
    assert [id for *_, id in path] == tok.encode("token ok", add_special=False).ids
    assert [start for start, *_ in path] == [0, *(end for _, end, _ in path)][: len(path)]


def test_attempts_and_walks_end_at_the_tokens() -> None:
    tok = explorer.load("bert-uncased")
    drawn = stage_drawing(tok.trace("unplaying"), "model")
    assert [id for *_, id in drawn["tries"] if id >= 0] == tok.encode("unplaying", add_special=False).ids
    rwkv = explorer.load("rwkv-world")
    walk = stage_drawing(rwkv.trace("である。"), "model")
    assert walk["nodes"][walk["taken"]][1] == rwkv.encode("である。").ids[0]
    assert bytes.fromhex("".join(byte for byte, *_ in walk["nodes"])).startswith("である".encode())


@pytest.mark.parametrize("text", ["1234567", "नमस्ते"])
def test_rows_count_the_tokens_and_fill_the_text(text: str) -> None:
    toks = [explorer.load(name) for name in ("gpt-2", "llama-3")]
    drawn = rows_drawing(tok.trace(text, add_special=False) for tok in toks)
    for tok, (ends, count) in zip(toks, drawn["rows"], strict=True):
        assert count == len(ends) == len(tok.encode(text, add_special=False))
        assert ends == sorted(set(ends))
        assert ends[-1] == 1


def test_a_training_shows_its_first_merges_with_their_counts() -> None:
    drawn = training_drawing(bpe.train({"aba": 3, "ab": 2}, bpe.Options(vocab_size=3)))
    assert drawn["rows"] == [["a + b", 5]]


def test_a_lesson_of_ones_own_says_which_card_is_drawn() -> None:
    card = '[[card]]\ntitle = "x"\nwords = "y"\ntext = "{}"\ntokenizer = "gpt-2"\nstage = "utf8"\n'
    source = 'title = "A"\nabout = "B"\nminutes = 1\ndrawn = 2\n' + card.format("a") + card.format("é")
    assert drawing_of(read_lesson(source, "own.toml"))["groups"] == [["é", ["C3", "A9"]]]
