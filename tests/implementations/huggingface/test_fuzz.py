"""Randomly damaged files are refused with an InputError, or run."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from explorer.errors import InputError
from explorer.formats.tokenizer_json import read
from explorer.implementations.huggingface import from_tokenizer_json
from tests.implementations.huggingface import test_decoders as decoders
from tests.implementations.huggingface import test_post_processors as processors
from tests.originals.hugging_face import whole

ODD: list[Any] = [
    *(
        None,
        True,
        False,
        0,
        -1,
        1,
        7,
        10**6,
        10**9,
        2**64,
        0.5,
        1e308,
        "",
        "a",
        "ab",
        "é▁",
        "\n",
        "(",
        "<0x41>",
        "Sequence",
    ),
    *([], {}, [[]], [["a"]], [["a", "b"]], {"a": 0}, {"a": "b"}, {"type": "Sequence"}, {"type": 7}, ["a b", 3], [None]),
    *({"String": "a"}, {"Regex": "(a*)*b"}, {"Regex": "["}, [["a", 0]], [["a", float(10**300)]], [0, "a"], "a" * 5_000),
]
MODELS: list[dict[str, Any]] = [
    {"type": "BPE", "vocab": processors.VOCAB, "merges": processors.MERGES, "unk_token": "a", "byte_fallback": True},
    {"type": "BPE", "vocab": {"a": 0, "##b": 1, "ab": 2}, "merges": ["a ##b"], "continuing_subword_prefix": "##"},
    {"type": "WordPiece", "vocab": {"[UNK]": 0, "a": 1, "##b": 2}, "max_input_chars_per_word": 9},
    {"type": "WordLevel", "vocab": {"<unk>": 0, "a": 1}, "unk_token": "<unk>"},
    {"type": "Unigram", "vocab": [["<unk>", 0.0], ["a", -1.5], ["ab", -2]], "unk_id": 0, "byte_fallback": False},
]
NORMALIZERS: list[Any] = [None, {"type": "NFKC"}, {"type": "Prepend", "prepend": "▁"}, decoders.replace("a", "b")]
PRE_TOKENIZERS: list[Any] = [None, processors.BYTE_PRE, {"type": "Digits", "individual_digits": True}]


def locations(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every location in a JSON value: its container and its key or index."""
    for key in value if isinstance(value, dict) else range(len(value)):
        yield value, key
        if isinstance(value[key], (dict, list)):
            yield from locations(value[key])


def damaged(choose: random.Random) -> bytes:
    """A file of random parts, with one to three values changed, removed or repeated."""
    model = choose.choice(MODELS)
    # the processors use the ids of the first model
    processor = choose.choice(list(processors.PROCESSORS.values())) if model is MODELS[0] else None
    decoder = choose.choice([*decoders.DECODERS.values(), {"type": "Sequence", "decoders": decoders.CHAINS["Llama"]}])
    content = copy.deepcopy(
        whole({
            "model": model, "post_processor": processor, "decoder": decoder, "normalizer": choose.choice(NORMALIZERS),
            "pre_tokenizer": choose.choice(PRE_TOKENIZERS), "added_tokens": processors.ADDED,
        })
    )  # fmt: skip
    for _ in range(choose.randint(1, 3)):
        # pick the part first, so that the large vocabulary does not crowd out the rest
        part = choose.choice(list(content))
        near = content[part] if isinstance(content[part], (dict, list)) and content[part] else content
        holder, key = choose.choice(list(locations(near)))
        how = choose.random()
        if how < 0.75:
            # a value of the same type gets past more checks
            alike = [odd for odd in ODD if type(odd) is type(holder[key])]
            holder[key] = copy.deepcopy(choose.choice(alike if how < 0.5 else ODD))
        elif how < 0.9:
            del holder[key]
        elif isinstance(holder, list):
            holder.append(copy.deepcopy(holder[key]))
    data = json.dumps(content, ensure_ascii=choose.random() < 0.5).encode("utf-8", "replace")
    if choose.random() < 0.2:
        at = choose.randrange(len(data))
        data = data[:at] + choose.randbytes(choose.randint(0, 3)) + data[at + choose.randint(0, 2) :]
    return data


def tried(data: bytes) -> str:
    """Opens a file and uses it; returns the InputError's message if it is refused. Other errors propagate."""
    try:
        tok = from_tokenizer_json(read(data, "bad.json"), "bad.json")
    except InputError as error:
        return str(error)
    for text in ("", "a b", "ab <s> é▁", "aXb 12"):
        try:
            ids = tok.encode(text).ids
            assert tok.trace(text).ids == ids
            tok.decode(ids)
        except InputError:
            continue
    assert all(fact.says for fact in tok.facts)
    return ""


@pytest.mark.parametrize("seed", range(4))
def test_a_damaged_file_is_refused_or_runs(seed: int) -> None:
    choose = random.Random(seed)
    said = [tried(damaged(choose)) for _ in range(300)]
    assert 30 < said.count("") < 270
    assert all("\n" not in message and len(message) < 2_000 for message in said)
