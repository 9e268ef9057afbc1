"""Numbers of a tokenizer.json as the original reads them, live: it writes each score again, to the last bit."""

from __future__ import annotations

import json
import random
import struct
from collections.abc import Iterable, Iterator
from itertools import islice

import pytest
from tokenizers import Tokenizer

from explorer.errors import InputError
from explorer.formats.tokenizer_json import read, serde_float
from explorer.implementations.huggingface import from_tokenizer_json
from tests.auto_tokenizer.bases import xlm_roberta
from tests.originals.hugging_face import Both
from tests.tiers import amount

EDGES = [
    *"-0.0 0.0 0e0 -0e99 0e999999999999 1e-99999999999 5e-324 4.9e-324 2.2250738585072014e-308".split(),
    *"1.7976931348623157e308 1e22 1e23 9007199254740993.0 18446744073709551615.5 18446744073709551616.25".split(),
    *"18446744073709551616e0 123456789012345678901234567890.5 -9223372036854775809e0 1E+2 1e-0".split(),
    *("-0.3000000000000000166", f"0.{'0' * 400}1e400", f"1{'0' * 300}e-300", f"3.{'7' * 5000}", f"0.{'1' * 20}"),
]
LETTERS = "-x0abcdefghijklm"
INTEGERS = ["7", "-7", "9007199254740993", "18446744073709551615", "18446744073709551616", "-18446744073709551621"]


def numbers(seed: int) -> Iterator[str]:
    """Numbers with a point or an exponent: short, long, tiny, huge, and as Python writes scores."""
    choose = random.Random(seed)
    while True:
        kind = choose.random()
        if kind < 0.3:
            text = repr(-20 * choose.random())
        elif kind < 0.5:
            (value,) = struct.unpack("d", choose.randbytes(8))
            text = repr(value)
        else:
            whole = str(choose.getrandbits(choose.choice((1, 8, 60, 64, 66, 120))))
            decimals = "".join(choose.choices("0123456789", k=choose.choice((1, 5, 17, 20, 30))))
            exponent = choose.choice(("", f"e-{choose.randint(0, 400)}", f"E+{choose.randint(0, 200)}", "e-05"))
            text = f"{choose.choice(('', '-'))}{whole}.{decimals}{exponent}"
        if "n" not in text:
            yield text


def file_with(scores: Iterable[str]) -> str:
    """A Unigram model with these scores, as JSON texts."""
    vocab = ",".join(f'["p{index}",{score}]' for index, score in enumerate(scores))
    return f'{{"model":{{"type":"Unigram","unk_id":0,"vocab":[{vocab}]}}}}'


def bits(values: Iterable[float]) -> list[bytes]:
    return [struct.pack("d", value) for value in values]


def theirs(file: str) -> list[float]:
    """The scores that the original has read, as it writes them."""
    return [float(score) for _, score in json.loads(Tokenizer.from_str(file).to_str())["model"]["vocab"]]


def runs(seed: int) -> list[list[object]]:
    """Pieces of one to four equal characters. A score is a sum of equal ones, so the last bit parts many texts."""
    choose = random.Random(seed)
    scores = {letter: -5 * choose.random() - 1 for letter in LETTERS}
    return [[letter * n, score * n] for letter, score in scores.items() for n in range(1, 5)]


def readable(text: str) -> bool:
    try:
        serde_float(text)
    except ValueError:
        return False
    return True


def test_numbers_are_read_as_in_the_original() -> None:
    texts = [*EDGES, *filter(readable, islice(numbers(27), amount(80_000)))]
    got = [serde_float(text) for text in texts]
    assert bits(got) == bits(theirs(file_with(texts)))
    assert sum(value != float(text) for value, text in zip(got, texts, strict=True)) > len(texts) / 8


@pytest.mark.parametrize("text", ["1e309", "1.8e308", "-1e400", "1" + "0" * 400 + ".0", "1e99999999999"])
def test_what_the_original_refuses_is_refused(text: str) -> None:
    with pytest.raises(Exception, match="number out of range"):
        Tokenizer.from_str(file_with([text]))
    with pytest.raises(InputError, match=r"^toy: "):
        read(file_with([text]).encode(), "toy")


def test_the_scores_of_a_model_have_the_bits_of_the_original() -> None:
    file = file_with([*INTEGERS, "-0.9385958677423489", "1.5e-7"])
    ours = from_tokenizer_json(read(file.encode(), "toy"), "toy")
    assert bits(ours.vocabulary.scores) == bits(theirs(file))


@pytest.mark.long
def test_every_score_of_xlm_r() -> None:
    text = json.dumps(xlm_roberta())
    got = [score for _, score in read(text.encode(), "xlm-r").model["vocab"]]
    assert len(got) > 10_000
    assert bits(got) == bits(theirs(text))


def test_equal_sums_part_as_in_the_original() -> None:
    text = json.dumps({"model": {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], *runs(4)]}})
    original = Tokenizer.from_str(text)
    texts = [letter * n for letter in LETTERS for n in range(2, 40)]
    assert Both(from_tokenizer_json(read(text.encode(), "toy"), "toy"), original).differences(texts) == []
    exact = from_tokenizer_json(read(text.encode(), "toy", floats=None), "toy")
    assert any(exact.encode(each).ids != original.encode(each).ids for each in texts)


@pytest.mark.parametrize("score", ["1e308", "-17976931348623157e292", "9" * 308])
def test_a_score_whose_sums_overflow_is_said_to_be_too_large(score: str) -> None:
    file = read(file_with([score]).encode(), "toy")
    with pytest.raises(InputError, match=r"^toy: .*model.vocab.*300"):
        from_tokenizer_json(file, "toy")
