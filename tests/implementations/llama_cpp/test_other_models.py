"""llama.cpp's models that no bundled file uses, on toy vocabularies, against the original."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

import explorer
from explorer.formats.gguf import Gguf
from explorer.implementations.llama_cpp import from_gguf
from explorer.implementations.llama_cpp.models import unescaped
from explorer.vocabulary import PRINTABLE
from tests.formats.gguf_writer import written
from tests.implementations.llama_cpp.toys import (
    BYTE,
    BYTES,
    CONTROL,
    DNA,
    GEMMA,
    GEMMA_MERGES,
    NASTY,
    NORMAL,
    PLAMO,
    RWKV,
    UNKNOWN,
    WORDS,
    escaped,
    hold,
    keys_of,
    refused,
    refused_by_both,
)
from tests.originals.llama_cpp import LlamaCpp

# --- BPE on the text itself: gemma4 -------------------------------------------------------------------------------

TEXTS = [
    "",
    "abc ab",
    "  a  b",
    "\n",
    "\n\n",
    "a\n\n\n\nb",
    "é漢字😀",
    "<bos>a</s> [user]<turn|>",
    "it 's a ? ' b .",
    "▁a",
]


@pytest.mark.sample(2)
@pytest.mark.parametrize("more", [
    {}, {"add_bos_token": False}, {"add_eos_token": True}, {"pre": "qwen2"}, {"add_space_prefix": True},
])  # fmt: skip
def test_gemma4(more: dict[str, object], tmp_path: Path) -> None:
    keys = keys_of("gemma4", GEMMA, bos_token_id=2, eos_token_id=1, merges=GEMMA_MERGES, **more)
    ours = hold(keys, TEXTS + NASTY, tmp_path)
    assert ours.encode("ab\n\n").ids[0] == 2


def test_a_token_ends_at_its_first_nul(tmp_path: Path) -> None:
    letters = [*"ab ", "ab", "\0", "x\0y", "b\0\0"]
    pieces = [(PRINTABLE[ord(ch)] if ch == " " else ch, 0.0, NORMAL) for ch in letters[:4]]
    pieces += [(piece, 0.0, NORMAL) for piece in letters[4:6]]
    keys = keys_of("gpt2", pieces, merges=[b"a b\0", b"a\0 x"], pre="gpt-2", bos_token_id=0, eos_token_id=0)
    ours = hold(keys, ["", "ab", "x", "xy", "ax", "a b", "ab ab"], tmp_path)
    assert ours.encode("abx").ids == [3, 5]
    assert sum("A NUL is in" in fact.says for fact in ours.facts) == 2
    spm = [("<unk>", 0.0, UNKNOWN), *BYTES, ("a", -1.0, NORMAL), ("b\0c", -2.0, NORMAL), ("\0x", -3.0, NORMAL)]
    hold(keys_of("llama", spm), ["a", "b", "bc", "\0", "a\0b", "\0x"], tmp_path)
    unigram = [
        ("<unk>", 0.0, UNKNOWN),
        ("</s>", 0.0, CONTROL),
        ("▁", -3.0, NORMAL),
        ("a", -2.0, NORMAL),
        ("\0", -5.0, NORMAL),
    ]
    hold(keys_of("t5", unigram, unknown_token_id=0, eos_token_id=1), ["a", "\0", "a\0a"], tmp_path)


def test_gemma4_without_bos_is_refused() -> None:
    # llama.cpp loads it, then aborts at the first text
    assert "BOS should be added" in refused(keys_of("gemma4", GEMMA, merges=GEMMA_MERGES))


def test_byte_pieces_are_read_like_the_original(tmp_path: Path) -> None:
    for model in ("gpt2", "gemma4"):
        keys = keys_of(model, GEMMA, bos_token_id=2, merges=GEMMA_MERGES, pre="gpt-2")
        path = tmp_path / "bytes.gguf"
        path.write_bytes(written(keys))
        ours = explorer.load(path)
        with LlamaCpp(path) as theirs:
            for id in range(len(GEMMA)):
                assert ours.trace_decode([4, id], remove_special=False).data == theirs.detokenize([4, id]), GEMMA[id]


def test_a_byte_piece_must_be_long_enough(tmp_path: Path) -> None:
    for model in ("gpt2", "llama"):
        keys = keys_of(model, [*GEMMA, ("<0", 0.0, BYTE)], merges=GEMMA_MERGES)
        assert "token 283 should be a byte but is spelled '<0'" in refused_by_both(keys, tmp_path)


# --- BPE on words: whitespace -------------------------------------------------------------------------------------

SPACES = ["", "a b", " abc\tab  AB", "É\u3000é\x85a", "\n", "x y漢<s>c a", "ÄABC"]


@pytest.mark.sample(2)
@pytest.mark.parametrize("more", [
    {"pre": "whitespace"}, {"pre": "whitespace", "normalizer.lowercase": True}, {"pre": "gpt-2"},
    {"pre": "gpt-2", "normalizer.lowercase": False}, {"pre": "llama-bpe", "bos_token_id": 5}, {"pre": "sarvam-moe"},
    {"pre": "gemma4", "bos_token_id": 1},
])  # fmt: skip
def test_whitespace(more: dict[str, object], tmp_path: Path) -> None:
    keys = keys_of("whitespace", WORDS, merges=[b"a b", b"ab c"], **more)
    hold(keys, SPACES + NASTY, tmp_path)


# --- DNA ------------------------------------------------------------------------------------------------------------

GENES = [
    "<dna>ACGTAC</dna>", "<dna>ccccccacgta</dna>b", "ab<dna>CCCCCC", "<dna></dna><dna>", "CCCCCC",
    "<dna>acNNNé漢cc</dna>", "x</dna>y", "<dna>a<dna>b</dna>", "[TTTTTT]a[TTTTTT]\ue000", "",
]  # fmt: skip


@pytest.mark.parametrize("pre", ["gpt-2", "qwen2", "llama-bpe"])
def test_dna(pre: str, tmp_path: Path) -> None:
    keys = keys_of("hybriddna", DNA, merges=[b"a b"], pre=pre, add_bos_token=False)
    ours = hold(keys, GENES + NASTY[::3], tmp_path)
    assert ours.decode(ours.encode("<dna>ccccccac</dna>").ids) == "<dna>CCCCCCACAAAA</dna>"


def test_dna_without_its_tokens_is_text(tmp_path: Path) -> None:
    pieces = [piece for piece in DNA if piece[0] != "<oov>"]
    hold(keys_of("hybriddna", pieces, merges=[b"a b"], pre="gpt-2"), GENES, tmp_path)


# --- RWKV -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("more", [
    {}, {"add_bos_token": True, "bos_token_id": 0, "eos_token_id": 0}, {"unknown_token_id": 3},
    {"add_space_prefix": True},
])  # fmt: skip
def test_rwkv(more: dict[str, object], tmp_path: Path) -> None:
    samples = ["", "abc abcd", "漢字", "\n\n\n", "a b's a\\b", "!-- !-", "<s>a[u]<\\n>", "<\n>", "off[PAD9]", "\0"]
    hold(keys_of("rwkv", RWKV, **more), samples + NASTY, tmp_path)


def test_rwkv_vocabularies_that_hang_the_original_are_refused() -> None:
    without = [(escaped(byte), 0.0, NORMAL) for byte in range(256) if byte != 0x61]
    keys = keys_of("rwkv", [*without, ("ab", 0.0, NORMAL)])
    assert "token 255 begins with the byte 0x61, which is not a token itself" in refused(keys)
    keys = keys_of("rwkv", [*RWKV, ("\\x61", 0.0, NORMAL)])
    assert "once their escapes are read, token 98 and token 269 are both spelled 'a'" in refused(keys)


@pytest.mark.parametrize(("piece", "data"), [
    (rb"\t\n\r\\\'\x00\xff", b"\t\n\r\\'\0\xff"), (rb"a\q", b"aq"), (b"\\", b""), (rb"\x4", b""),
    (rb"\xG\x41", b"\x9cx41"), ("é".encode(), "é".encode()),
])  # fmt: skip
def test_escapes(piece: bytes, data: bytes) -> None:
    assert unescaped(piece) == data


# --- PLaMo-2 --------------------------------------------------------------------------------------------------------


@pytest.mark.sample(2)
@pytest.mark.parametrize("more", [
    {}, {"add_space_prefix": True}, {"eos_token_id": 0}, {"pre": "qwen2"},
])  # fmt: skip
def test_plamo2(more: dict[str, object], tmp_path: Path) -> None:
    samples = [
        "\ufeffab",
        "\ufeff",
        "a\ufeffb",
        "[P][P",
        "x[P]y",
        "漢字漢",
        "😀é",
        "</s><|plamo:eos|>a",
        "\ufeff<|plamo:bos|>\ufeffa",
    ]
    samples += ["".join(letters) for letters in itertools.product("abc[P]", repeat=4)]
    hold(keys_of("plamo2", PLAMO, **more), samples + NASTY, tmp_path)


def test_plamo2_needs_a_token_for_each_byte(tmp_path: Path) -> None:
    without = [piece for piece in PLAMO if piece[0] != "<0x7F>"]
    assert "there is no token <0x7F>" in refused_by_both(keys_of("plamo2", without), tmp_path)
    assert "there is no token <0x00>" in refused_by_both(keys_of("plamo2", BYTES), tmp_path)


CASES = ["a", "ab ", "漢", "\n", "<dna>A", "[P]"]
KINDS = [
    keys_of("gemma4", GEMMA, bos_token_id=2, merges=GEMMA_MERGES), keys_of("rwkv", RWKV), keys_of("plamo2", PLAMO),
    keys_of("whitespace", WORDS, merges=[b"a b"], pre="gpt-2"),
    keys_of("hybriddna", DNA, merges=[b"a b"], pre="viking"),
]  # fmt: skip


@pytest.mark.parametrize("keys", KINDS, ids=range(len(KINDS)))
def test_decisions_grow_linearly_with_the_text(keys: dict[str, object]) -> None:
    tok = from_gguf(Gguf(3, 0, keys), "toy")  # type: ignore[arg-type]
    for part in CASES:
        small, large = (sum(len(stage.events) for stage in tok.trace(part * size).stages) for size in (300, 3_000))
        assert large <= 12 * small, part
