"""Damaged GGUF files are opened and used, or refused with the project's own error.

`python -m tests.implementations.llama_cpp.test_damage 20000` tries that many files.
"""

from __future__ import annotations

import random
import struct
import sys
from array import array
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from explorer.errors import InputError
from explorer.formats import gguf
from explorer.formats.gguf import Gguf
from explorer.implementations.llama_cpp import MODELS, from_gguf
from explorer.implementations.opened import Opened
from tests.engine.charsmap_writer import charsmap
from tests.formats.gguf_writer import ARRAY, U8, Writer, written
from tests.implementations.llama_cpp import toys

SMALL = [("<unk>", 0.0, 2), ("<s>", 0.0, 3), ("</s>", 0.0, 3), ("[u]", 0.0, 4), ("▁a", -1.0, 1), ("a", -1.5, 1),
         ("b", -2.0, 1), ("▁", -3.0, 1), ("ab", -2.5, 1), ("off", -1.0, 5)]  # fmt: skip
KEYS: dict[str, dict[str, Any]] = {
    "llama": toys.keys_of("llama", SMALL, bos_token_id=1, add_space_prefix=True),
    "gpt2": toys.keys_of("gpt2", SMALL, merges=[b"a b"], pre="tekken", bos_token_id=1),
    "bert": toys.keys_of("bert", SMALL, bos_token_id=1, seperator_token_id=2, unknown_token_id=0),
    "t5": toys.keys_of("t5", SMALL, eos_token_id=2, unknown_token_id=0, remove_extra_whitespaces=True),
    "rwkv": toys.keys_of("rwkv", toys.RWKV), "plamo2": toys.keys_of("plamo2", toys.PLAMO),
    "gemma4": toys.keys_of("gemma4", SMALL, merges=[b"a b"], bos_token_id=1),
    "whitespace": toys.keys_of("whitespace", SMALL, merges=[b"a b"], pre="whitespace"),
    "hybriddna": toys.keys_of("hybriddna", toys.DNA, merges=[b"a b"], pre="gpt-2"),
}  # fmt: skip
MAP = charsmap({"ﬁ": "fi", "A": "a"})


def file_of(model: str) -> bytes:
    body = written(KEYS[model])
    if model != "t5":
        return body
    pair = Writer().pair(b"tokenizer.ggml.precompiled_charsmap", ARRAY, U8, list(MAP))
    return body[:16] + struct.pack("<Q", len(KEYS[model]) + 1) + body[24:] + pair


FILES = {model: file_of(model) for model in KEYS}


def used_or_refused(make: Callable[[], Opened]) -> bool:
    """Whether the file opens. The only permitted error is an InputError of one line that names the file."""
    try:
        tok = make()
    except InputError as error:
        message = str(error)
    else:
        for text in ("", "ab <s>é漢[u] A\ufb01\n\n", "<dna>acgtacg</dna> \\n"):
            with suppress(InputError):
                ids = tok.encode(text).ids
                assert tok.trace(text).ids == ids
                tok.trace_decode(ids)
                tok.decode(ids, remove_special=False, unparse_special=False)
        assert all(fact.says for fact in tok.facts)
        return True
    assert message.startswith(("toy: ", "these bytes: ")), message
    assert "\n" not in message
    return False


def damaged_bytes(choose: random.Random, data: bytes) -> bytes:
    found = bytearray(data)
    for _ in range(choose.randint(1, 4)):
        at = choose.randrange(len(found))
        what = choose.randrange(5)
        if what == 0:
            found[at : at + 8] = struct.pack("<Q", choose.choice((0, 1, 2, 1 << 31, 1 << 60, (1 << 64) - 1)))
        elif what == 1:
            found[at : at + 4] = struct.pack("<I", choose.randrange(14))
        elif what == 2:
            del found[at : at + choose.randint(1, 9)]
        elif what == 3:
            found[at] ^= 1 << choose.randrange(8)
        else:
            found[at:at] = choose.randbytes(choose.randint(1, 9))
        if not found:
            return b"G"
    return bytes(found)


VALUES: tuple[Callable[[random.Random], Any], ...] = (
    lambda choose: choose.choice((0, 1, -1, 3, 1 << 40, True, False, 0.5, float("nan"), "", "gpt-2", "é", "phi-3")),
    lambda choose: [choose.choice((b"", b"a", b"a b", b"\xff", b"<0x41>", "▁".encode(), b" ")) for _ in range(6)],
    lambda choose: [b"%d" % number for number in range(choose.randint(0, 400))],
    lambda choose: array("i", [choose.randint(-2, 9) for _ in range(choose.randint(0, 400))]),
    lambda choose: array("f", [choose.choice((0.0, -1.0, float("nan"), float("inf"), 3e38)) for _ in range(400)]),
    lambda choose: array("B", choose.randbytes(choose.randint(0, 2000))),
    lambda choose: array("B", MAP[: choose.randint(0, len(MAP))]),
    lambda choose: (array("i"), [b"x"]),
)


def damaged_keys(choose: random.Random, keys: dict[str, Any]) -> dict[str, Any]:
    found = dict(keys)
    for _ in range(choose.randint(1, 3)):
        key = choose.choice((*found, *SETTINGS))
        if choose.random() < 0.15:
            found.pop(key, None)
        else:
            found[key] = choose.choice(VALUES)(choose)
    return found


SETTINGS = (
    "general.name", "general.architecture",
    *(f"tokenizer.ggml.{key}" for key in (
        "pre bos_token_id eos_token_id unknown_token_id fim_pad_token_id eot_token_id add_bos_token add_eos_token "
        "add_space_prefix remove_extra_whitespaces precompiled_charsmap normalizer.lowercase merges scores token_type"
    ).split()),
)  # fmt: skip


def test_every_model_type_has_a_seed() -> None:
    assert set(KEYS) == set(MODELS)
    for data in FILES.values():
        assert used_or_refused(lambda data=data: from_gguf(gguf.read(data), "toy"))


@pytest.mark.parametrize("model", KEYS)
def test_files_with_damaged_bytes(model: str) -> None:
    choose = random.Random(model)
    tries = [damaged_bytes(choose, FILES[model]) for _ in range(150)]
    opened = [used_or_refused(lambda data=data: from_gguf(gguf.read(data), "toy")) for data in tries]
    assert not all(opened)


@pytest.mark.parametrize("model", KEYS)
def test_files_with_wrong_values(model: str) -> None:
    choose = random.Random(model)
    tries = [damaged_keys(choose, KEYS[model]) for _ in range(150)]
    opened = [used_or_refused(lambda keys=keys: from_gguf(Gguf(3, 0, keys), "toy")) for keys in tries]
    assert any(opened)
    assert not all(opened)


def main(count: int) -> None:
    choose = random.Random(0)
    opened = 0
    for number in range(count):
        model = choose.choice(list(KEYS))
        if number % 2:
            data = damaged_bytes(choose, FILES[model])
            opened += used_or_refused(lambda data=data: from_gguf(gguf.read(data), "toy"))
        else:
            keys = damaged_keys(choose, KEYS[model])
            opened += used_or_refused(lambda keys=keys: from_gguf(Gguf(3, 0, keys), "toy"))
    print(f"{count} damaged files: {opened} opened, {count - opened} refused, nothing else happened")


if __name__ == "__main__":
    main(int(sys.argv[1]))
