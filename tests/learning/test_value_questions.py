"""Questions about sums and code points, answered by trying every path and by `unicodedata`."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

import pytest

from explorer.engine.part import Segment
from explorer.engine.tokenizer import Tokenizer
from explorer.learning.questions import ask
from explorer.script.script import window_of
from explorer.stages.normalizers.stage import NORMALIZE
from explorer.vocabulary import PieceKind
from tests.bundled import bundled
from tests.learning.generated import questions, right, wrong
from tests.tiers import amount

UNICODE = ("bert-uncased", "bert-uncased@llama.cpp", "qwen2.5", "xlm-r")


def paths(text: str, tokenizer: Tokenizer) -> Iterator[tuple[float, tuple[str, ...]]]:
    """Every way to write a text in pieces, with its sum."""
    if not text:
        yield 0.0, ()
    vocabulary = tokenizer.vocabulary
    for end in range(1, len(text) + 1):
        id = vocabulary.ids.get(text[:end].encode())
        if id is not None and vocabulary.kind(id) == PieceKind.NORMAL:
            for sum, rest in paths(text[end:], tokenizer):
                yield vocabulary.scores[id] + sum, (text[:end], *rest)


@pytest.mark.long  # XLM-RoBERTa takes seconds to open
def test_no_path_has_a_higher_sum() -> None:
    for tokenizer, question in questions("best-path", ("xlm-r",), amount(24)):
        text = question.prompt.texts[0].replace("◌", "").replace("·", "▁")
        before = tokenizer.trace(question.text).stage("model").before
        assert any(isinstance(item, Segment) and text in item.text for item in before), question
        ranked = sorted(paths(text, tokenizer), reverse=True)
        best, way = ranked[0]
        second = next(sum for sum, other in ranked if other[-1] != way[-1])
        said, _, margin = right(question).rpartition(" by ")
        assert said == " + ".join(chip(piece) for piece in way), question
        assert abs(float(margin) - (best - second)) < 0.0051, question
        every = {" + ".join(chip(piece) for piece in other): sum for sum, other in ranked}
        for each in wrong(question):
            path, _, other = each.rpartition(" by ")
            assert path in every, question
            assert path != said or other != margin, question


def chip(piece: str) -> str:
    """A piece as a question shows it: a space is ·, and a mark at its beginning is on a circle."""
    shown = piece.replace("▁", "·")
    return f"“{'◌' if unicodedata.category(piece[0])[0] == 'M' else ''}{shown}”"


def after(was: str, name: str) -> str:
    """What the normalization of a model makes of a character, as Unicode's tables say."""
    if name == "qwen2.5":
        return unicodedata.normalize("NFC", was)
    if name == "xlm-r":
        return unicodedata.normalize("NFKC", was)
    if name == "bert-uncased@llama.cpp":
        return "".join(unicodedata.normalize("NFD", ch)[0] for ch in was)
    if "\u4e00" <= was[0] <= "\u9fff":
        return f" {was} "
    kept = (ch for ch in unicodedata.normalize("NFD", was) if unicodedata.category(ch) != "Mn")
    return "".join(kept).lower()


def points(text: str) -> str:
    """The code points of a text."""
    return " ".join(f"U+{ord(ch):04X}" for ch in text) or "nothing"


def test_unicode_makes_the_same_of_it() -> None:
    for tokenizer, question in questions("normalized", UNICODE, amount(16)):
        name = question.tokenizer.removesuffix("@huggingface") if tokenizer.name != "xlm-r" else "xlm-r"
        was = "".join(chr(int(each[2:], 16)) for each in question.prompt.texts[-1].split(" "))
        assert right(question).rpartition(": ")[2] == points(after(was, name)), question
        forms = [unicodedata.normalize(form, was) for form in ("NFC", "NFD", "NFKC", "NFKD")]
        known = {points(each) for each in (was, "", was.lower(), *forms, *map(str.lower, forms))}
        stripped = "".join(ch for ch in unicodedata.normalize("NFD", was) if not unicodedata.combining(ch))
        known |= {points(each) for each in (stripped, was.upper(), *(form[0] for form in forms))}
        known.add(points("".join(ch for ch in forms[3] if not unicodedata.combining(ch))))
        assert {each.rpartition(": ")[2] for each in wrong(question)} <= known, question


def test_the_answer_is_the_step_that_changes_this_character_last() -> None:
    """A composition has a summary after all its steps; the answer stops before what happens to other characters."""
    tokenizer, text = bundled("qwen2.5"), "e\u0323\u0301 o\u0323\u0301x"
    stage = tokenizer.trace(text).stage("normalize")
    script = NORMALIZE.script(stage, tokenizer.vocabulary, window_of(trace := tokenizer.trace(text)), trace)
    for seed in range(8):
        question = ask(tokenizer, text, "normalized", seed)
        assert question is not None
        now = script.told(script.step_of(question.answer))["now"]
        assert str(now)[0] == right(question)[1], question
