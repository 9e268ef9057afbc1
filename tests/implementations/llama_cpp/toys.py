"""Toy vocabularies for llama.cpp's models as keys of a GGUF file, and checks against llama.cpp."""

from __future__ import annotations

from array import array
from pathlib import Path

import pytest

import explorer
from explorer.errors import InputError
from explorer.formats.gguf import Gguf
from explorer.implementations.llama_cpp import from_gguf
from explorer.vocabulary import PRINTABLE
from tests.formats.gguf_writer import written
from tests.implementations.llama_cpp.test_llama_cpp import FLAGS, differences
from tests.originals.generators import strings
from tests.originals.llama_cpp import LlamaCpp, MismatchError

NORMAL, UNKNOWN, CONTROL, USER, UNUSED, BYTE = 1, 2, 3, 4, 5, 6
BYTES = [(f"<0x{byte:02X}>", 0.0, BYTE) for byte in range(256)]
NASTY = strings(seed=91, count=700)[::2]
"""Texts of many scripts and odd characters."""


def keys_of(model: str, pieces: list[tuple[str, float, int]], **more: object) -> dict[str, object]:
    """The keys of a file. Keys of `more` get the prefix `tokenizer.ggml.`, unless they are full keys."""
    return {
        "general.architecture": "llama",
        "tokenizer.ggml.model": model,
        "tokenizer.ggml.tokens": [piece.encode() for piece, _, _ in pieces],
        "tokenizer.ggml.scores": array("f", [score for _, score, _ in pieces]),
        "tokenizer.ggml.token_type": array("i", [kind for _, _, kind in pieces]),
    } | {
        key if "." in key.replace("normalizer.", "") else f"tokenizer.ggml.{key}": value for key, value in more.items()
    }


def hold(keys: dict[str, object], samples: list[str], folder: Path) -> explorer.Tokenizer:
    """Asserts that ids and decoded texts match the original with all flags."""
    path = folder / "toy.gguf"
    path.write_bytes(written(keys))
    ours = explorer.load(path)
    with LlamaCpp(path) as theirs:
        for add, parse in FLAGS:
            assert differences(ours, theirs, samples, add, parse) == []
        for text in samples:
            ids = ours.encode(text, add_special=False).ids
            for unparse in (True, False):
                got = ours.trace_decode(ids, remove_special=False, unparse_special=unparse).data
                assert got == theirs.detokenize(ids, unparse_special=unparse), ascii(text)
    return ours


def refused(keys: dict[str, object]) -> str:
    with pytest.raises(InputError) as caught:
        from_gguf(Gguf(3, 0, keys), "toy.gguf")  # type: ignore[arg-type]  # odd values on purpose
    return str(caught.value)


def refused_by_both(keys: dict[str, object], folder: Path) -> str:
    """The message of the InputError; llama.cpp must refuse the file, too."""
    path = folder / "bad.gguf"
    path.write_bytes(written(keys))
    with pytest.raises(MismatchError, match="cannot load"):
        LlamaCpp(path)
    return refused(keys)


# --- vocabularies -----------------------------------------------------------------------------------------------------

GEMMA = [
    ("<pad>", 0.0, CONTROL), ("<eos>", 0.0, CONTROL), ("<bos>", 0.0, CONTROL), ("<unk>", 0.0, UNKNOWN), *BYTES,
    *((piece, 0.0, NORMAL) for piece in "▁ a b c d ▁a ab ▁ab abc é 漢 \n \n\n \n\n\n ▁▁".split(" ")),
    ("[user]", 0.0, USER), ("<turn|>", 0.0, NORMAL), ("</s>", 0.0, NORMAL), ("<|tool_response>", 0.0, NORMAL),
    ("gone", 0.0, UNUSED), ("<0xg1>", 0.0, BYTE), ("<0x", 0.0, BYTE), ("<0x-1>", 0.0, BYTE),
]  # fmt: skip
GEMMA_MERGES = [b"a b", "▁ a".encode(), "▁a b".encode(), b"ab c", "▁ ▁".encode(), b"\n \n", b"x", b"", b" ", b"c d e"]
WORDS = [*((piece, 0.0, NORMAL) for piece in "a b c ab abc A B é É 漢 ä Ġ Ã ©".split()), *BYTES, ("<s>", 0.0, CONTROL)]
DNA = [
    *((piece, 0.0, NORMAL) for piece in [*PRINTABLE, "ab", "ACGTAC\ue000", "CCCCCC", "<dna>", "</dna>", "<oov>"]),
    *((kmer + "\ue000", 0.0, NORMAL) for kmer in ("CCCCCC", "AAAAAA", "ACGTAA", "ACAAAA")),
    ("[TTTTTT]\ue000", 0.0, USER),
]  # fmt: skip


def escaped(byte: int) -> str:
    return repr(bytes([byte]))[2:-1]


RWKV = [
    ("<s>", 0.0, CONTROL), *((escaped(byte), 0.0, NORMAL) for byte in range(256)),
    *((piece, 0.0, NORMAL) for piece in ["ab", "abcd", "\\xe6\\xbc\\xa2", "\\n\\n", "a\\x20b", "\\'s", "a\\\\b"]),
    ("!--", 0.0, NORMAL),
    ("[u]", 0.0, USER), ("<\\n>", 0.0, USER), ("off", 0.0, UNUSED), ("[PAD9]", 0.0, UNUSED),
]  # fmt: skip
PLAMO = [
    ("<|plamo:unk|>", 0.0, UNKNOWN), ("<|plamo:bos|>", 0.0, CONTROL), ("<|plamo:eos|>", 0.0, CONTROL),
    ("</s>", -9.0, NORMAL), *BYTES,
    ("a", -3.0, NORMAL), ("b", -3.1, NORMAL), ("c", -2.9, NORMAL), ("ab", -4.0, NORMAL), ("bc", -4.0, NORMAL),
    ("abc", -7.0, NORMAL), ("ca", -2500.0, NORMAL), ("cab", -5.00005, NORMAL), (" a", -3.5, NORMAL),
    ("漢", -6.0, NORMAL), ("漢字", -1.0, NORMAL), ("é", -5.0, NORMAL), ("[P]", -1000.0, UNUSED),
    ("[", -2.0, NORMAL), ("P]", -1.0, NORMAL),
    ("bb", float("nan"), NORMAL), ("cc", float("inf"), NORMAL), ("ccc", -1.0, NORMAL), ("d", -1.0, USER),
    ("bbb", 2.0, NORMAL), ("aaaa", 3e38, NORMAL),
]  # fmt: skip

NAMED = [("<unk>", 0.0, UNKNOWN), ("<s>", 0.0, CONTROL), *BYTES, ("▁", -1.0, NORMAL), ("a", -2.0, NORMAL)]


def spm(*spellings: str, kind: int = NORMAL, **more: object) -> dict[str, object]:
    return keys_of("llama", [*NAMED, *((each, -3.0, kind) for each in spellings)], **more)
