"""The best path: toys checked by eye, and every sum against a brute-force search over all paths."""

from __future__ import annotations

import random
from array import array
from collections.abc import Iterator

import pytest

from explorer.analysis.why import why_cut, why_token
from explorer.engine.models.unigram import (
    LAST_RESORT,
    UNIT,
    Plamo2,
    Unigram,
    huggingface_rules,
    in_units,
    sentencepiece_rules,
)
from explorer.engine.tokenizer import Tokenizer
from explorer.stages.stage import CutCause, OriginKind
from explorer.vocabulary import PieceKind, Vocabulary
from tests.analysis.toy_tokenizers import toy, unigram
from tests.analysis.why.said import cut, origin, sentence, steps
from tests.meaning import mentions
from tests.tiers import amount


def test_both_ways_are_compared() -> None:
    tok = unigram(("a", -1.0), ("b", -1.5), ("ab", -3.0))
    found = cut(tok, "ab")
    assert (found.cause, sentence(found)) == (
        CutCause.BETTER_SUM, "With “a” + “b” the sum up to here is −2.50, with “ab” alone only −3.00."
    )  # fmt: skip
    assert steps(found) == ["1: a = a, the best", "2: ab = ab, the best so far", "3: a + b = b, the best"]
    assert [(step.value, step.unit) for step in found.steps] == [(-1.0, "sum"), (-3.0, "sum"), (-2.5, "sum")]
    assert found.event == 2
    assert found.others is not None
    assert (found.others.total, found.others.fewest) == (2, 1)
    token = origin(tok, "ab", 1)
    assert (token.how, sentence(token)) == (
        OriginKind.BEST_PATH, "With “a” + “b” the sum up to here is −2.50, higher than with “ab” (−3.00)."
    )  # fmt: skip
    assert mentions(sentence(origin(tok, "ab")), "“a” is the only piece that ends here. The sum up to here is −1.00.")


def test_equal_sums() -> None:
    """The piece that is tried later has to be better."""
    tok = unigram(("a", -1.0), ("b", -2.0), ("ab", -3.0), ("c", -1.0), ("bc", -3.0))
    token = origin(tok, "ab")
    assert (token.token.text, sentence(token)) == (
        "ab", "With “ab” the sum up to here is −3.00, the same as with “a” + “b”: the first one tried stays."
    )  # fmt: skip


def test_the_text_of_both_is_no_piece() -> None:
    found = cut(unigram(("a", -1.0), ("b", -1.5)), "ab")
    assert found.cause == CutCause.NOT_A_PIECE
    assert found.joined is not None
    assert found.joined.id is None


def test_a_piece_that_is_skipped() -> None:
    kinds = [PieceKind.UNKNOWN, PieceKind.NORMAL, PieceKind.NORMAL, PieceKind.UNUSED]
    made = Vocabulary.of([b"<unk>", b"a", b"b", b"ab"], [0.0, -1.0, -1.0, -0.5], kinds)
    tok = toy(made, Unigram(made, 0, sentencepiece_rules(made)))
    found = cut(tok, "ab")
    assert found.cause == CutCause.NOT_FOR_TEXT
    assert "2: ab = , may not be output: skipped" in steps(found)
    assert found.event == 2


def test_an_unknown_run() -> None:
    token = origin(unigram(("a", -1.0)), "axya", 1)
    assert (token.how, token.lost) == (OriginKind.UNKNOWN, "xy")
    assert sentence(token) == "“xy” is not a piece, and there are no byte tokens: it becomes “<unk>”. Its text is lost."
    assert steps(token) == ["3: y = y, the best; not a piece, with a penalty"]


def test_bytes_and_joined_runs_of_huggingface() -> None:
    pieces = [b"<unk>", b"a", *(b"<0x%02X>" % byte for byte in range(256)), "猫犬".encode()]
    made = Vocabulary.of(pieces, [0.0, -1.0] + [0.0] * 256 + [-99.0], [2, 1, *[6] * 256, 1])
    tok = toy(made, Unigram(made, 0, huggingface_rules(made.scores, byte_fallback=True)))
    found, token = cut(tok, "aé", 1), origin(tok, "aé", 1)
    assert (found.cause, token.how) == (CutCause.BYTES, OriginKind.BYTE)
    assert sentence(token) == f"“é” is not a piece. Its byte C3, 1 of 2, becomes token {made.ids[b'<0xC3>']}."


def test_the_path_from_the_end() -> None:
    v = Vocabulary.of(
        [b"a", b"b", b"ab", b"bc", *(b"<0x%02X>" % byte for byte in range(256))], (), [1] * 4 + [6] * 256
    )  # fmt: skip
    tok = toy(v, Plamo2(v, [-1.0, -1.0, -1.5, -1.0] + [0.0] * 256, range(4, 260)))
    found = cut(tok, "abc!")
    assert (found.left.text, found.right.text, found.cause) == ("a", "bc", CutCause.NOT_A_PIECE)
    token = origin(tok, "abc!")
    assert (token.how, sentence(token)) == (
        OriginKind.BEST_PATH,
        "With “a” + “bc” the sum from here to the end is −1,002.00, higher than with “ab” + “c” as bytes (−2,001.50).",
    )
    assert origin(tok, "abc!", 2).how == OriginKind.BYTE


# --- the sums ---------------------------------------------------------------------------------------------------------


def single(value: float) -> float:
    return array("f", [value])[0]


def all_sums(text: str, scores: dict[str, float], unknown: float, rounded: bool) -> Iterator[float]:
    """The sums of all paths through a text, added from the left."""

    def paths(at: int, sum: float) -> Iterator[float]:
        if at == len(text):
            yield sum
            return
        for end in range(at + 1, len(text) + 1):
            score = scores.get(text[at:end], unknown if end == at + 1 else None)
            if score is not None:
                total = sum + score
                yield from paths(end, single(total) if rounded else total)

    yield from paths(0, 0.0)


def toys(count: int, rounded: bool) -> Iterator[tuple[Tokenizer, dict[str, float], str]]:
    choose = random.Random(11)
    for _ in range(count):
        pieces = {"".join(choose.choices("abc", k=choose.randint(1, 4))) for _ in range(choose.randint(3, 14))}
        scores = {piece: single(-choose.choice([choose.random() * 9, 1.0, 2.0])) for piece in sorted(pieces)}
        text = "".join(choose.choices("abc", k=choose.randint(2, 9)))
        yield unigram(*scores.items(), single=rounded), scores, text


@pytest.mark.parametrize("rounded", [False, True])
def test_sums_against_all_paths(rounded: bool) -> None:
    causes = set()
    for tok, scores, text in toys(amount(600), rounded):
        unknown = single(min(scores.values()) - 10.0)
        trace = tok.trace(text)
        stage = next(number for number, each in enumerate(trace.stages) if each.name == "model")
        for number in range(len(trace.ids)):
            found = why_token(trace, number)
            for step in found.steps:
                row = trace.stages[stage].events[step.event]
                score = scores.get(text[row.start : row.end], unknown)
                best = max(all_sums(text[: row.start], scores, unknown, rounded))
                assert step.value == (single(best + score) if rounded else best + score)
            end = trace.stages[stage].events[found.steps[0].event].end
            (won,) = [step.value for step in found.steps if step.good]
            assert won == max(all_sums(text[:end], scores, unknown, rounded))
        for number in range(len(trace.ids) - 1):
            cut = why_cut(trace, number)
            causes.add(cut.cause)
            start, end = cut.left.start or 0, cut.right.end or 0
            joined = text[start:end]
            if cut.cause == CutCause.NOT_A_PIECE:
                assert joined not in scores
            else:
                assert cut.cause == CutCause.BETTER_SUM
                values = {step.event: step.value for step in cut.steps}
                best = max(all_sums(text[:start], scores, unknown, rounded))
                rival = best + scores[joined]
                assert values[cut.event or 0] == (single(rival) if rounded else rival)
                assert max(all_sums(text[:end], scores, unknown, rounded)) >= (values[cut.event or 0] or 0.0)
    assert causes == {CutCause.BETTER_SUM, CutCause.NOT_A_PIECE}


def test_sums_from_the_end_against_all_paths() -> None:
    choose = random.Random(3)
    byte_pieces = [b"<0x%02X>" % byte for byte in range(256)]
    for _ in range(amount(300)):
        pieces = sorted({"".join(choose.choices("abc", k=choose.randint(1, 4))) for _ in range(8)})
        own = [round(-choose.random() * 9, 3) for _ in pieces]
        kinds = [1] * len(pieces) + [6] * 256
        v = Vocabulary.of([*(piece.encode() for piece in pieces), *byte_pieces], (), kinds)
        tok = toy(v, Plamo2(v, own + [0.0] * 256, range(len(pieces), len(v))))
        scores = {piece: float(in_units(score)) for piece, score in zip(pieces, own, strict=True)}
        text = "".join(choose.choices("abc", k=choose.randint(2, 8)))
        trace = tok.trace(text)
        for number in range(len(trace.ids)):
            for step in why_token(trace, number).steps:
                row = trace.stages[0].events[step.event]
                given = scores.get(text[row.start : row.end]) if row.token >= 0 else None
                score = LAST_RESORT if given is None else given
                after = max(sums_with_bytes(text[row.end :], scores))
                assert step.value == (score + after) / UNIT


def sums_with_bytes(text: str, scores: dict[str, float]) -> Iterator[float]:
    """The sums of all paths where any character may become its bytes."""
    if not text:
        yield 0.0
        return
    for end in range(1, len(text) + 1):
        given = [scores[text[:end]]] if text[:end] in scores else []
        for score in [*given, *([float(LAST_RESORT)] if end == 1 else [])]:
            for rest in sums_with_bytes(text[end:], scores):
                yield score + rest


def test_rebased_sums_stay_comparable() -> None:
    """sentencepiece sets a sum beyond 100,000 to 0; what competes with it is lowered by as much."""
    tok = unigram(("a", -60000.0), ("aa", -119990.0), ("b", -1.0), ("ab", -70000.0), single=True)
    trace = tok.trace("aaaab")
    kinds = [row.kind for row in trace.stages[0].events]
    assert 10 in kinds
    for number in range(len(trace.ids) - 1):
        found = why_cut(trace, number)
        rival = next((step for step in found.steps if step.event == found.event), None)
        assert rival is not None
        if found.cause == CutCause.BETTER_SUM:
            assert not rival.good
