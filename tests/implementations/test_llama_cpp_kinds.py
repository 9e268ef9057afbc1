"""The kinds of tokenizers that no bundled file has, and settings by a token's or a model's name, live."""

from __future__ import annotations

import itertools
from array import array
from pathlib import Path

import pytest

import explorer
from explorer.engine.unicode.byte_map import PRINTABLE
from explorer.errors import InputError
from explorer.formats.gguf import Gguf
from explorer.implementations.llama_cpp import from_gguf
from explorer.implementations.llama_cpp.rwkv import unescaped
from tests.formats.gguf_writer import written
from tests.implementations.test_llama_cpp import FLAGS, differences
from tests.originals.generators import strings
from tests.originals.llama_cpp import LlamaCpp, MismatchError

NORMAL, UNKNOWN, CONTROL, USER, UNUSED, BYTE = 1, 2, 3, 4, 5, 6
BYTES = [(f"<0x{byte:02X}>", 0.0, BYTE) for byte in range(256)]
NASTY = strings(seed=91, count=700)[::2]


def keys_of(model: str, pieces: list[tuple[str, float, int]], **more: object) -> dict[str, object]:
    """The keys of a file; those of `more` without `tokenizer.ggml.`, unless they are spelled out."""
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
    """Ids and decoded texts must be the original's, whatever the flags."""
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
    """The message; llama.cpp must refuse the file, too."""
    path = folder / "bad.gguf"
    path.write_bytes(written(keys))
    with pytest.raises(MismatchError, match="cannot load"):
        LlamaCpp(path)
    return refused(keys)


# --- BPE on the text itself: gemma4 -------------------------------------------------------------------------------

GEMMA = [
    ("<pad>", 0.0, CONTROL), ("<eos>", 0.0, CONTROL), ("<bos>", 0.0, CONTROL), ("<unk>", 0.0, UNKNOWN), *BYTES,
    *((piece, 0.0, NORMAL) for piece in "▁ a b c d ▁a ab ▁ab abc é 漢 \n \n\n \n\n\n ▁▁".split(" ")),
    ("[user]", 0.0, USER), ("<turn|>", 0.0, NORMAL), ("</s>", 0.0, NORMAL), ("<|tool_response>", 0.0, NORMAL),
    ("gone", 0.0, UNUSED), ("<0xg1>", 0.0, BYTE), ("<0x", 0.0, BYTE), ("<0x-1>", 0.0, BYTE),
]  # fmt: skip
GEMMA_MERGES = [b"a b", "▁ a".encode(), "▁a b".encode(), b"ab c", "▁ ▁".encode(), b"\n \n", b"x", b"", b" ", b"c d e"]
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
    # llama.cpp loads it and ends the program with the first text
    assert "BOS is to be added" in refused(keys_of("gemma4", GEMMA, merges=GEMMA_MERGES))


def test_pieces_for_bytes_are_read_as_the_original_reads_them(tmp_path: Path) -> None:
    for model in ("gpt2", "gemma4"):
        keys = keys_of(model, GEMMA, bos_token_id=2, merges=GEMMA_MERGES, pre="gpt-2")
        path = tmp_path / "bytes.gguf"
        path.write_bytes(written(keys))
        ours = explorer.load(path)
        with LlamaCpp(path) as theirs:
            for id in range(len(GEMMA)):
                assert ours.trace_decode([4, id], remove_special=False).data == theirs.detokenize([4, id]), GEMMA[id]


def test_a_piece_for_a_byte_must_be_long_enough(tmp_path: Path) -> None:
    for model in ("gpt2", "llama"):
        keys = keys_of(model, [*GEMMA, ("<0", 0.0, BYTE)], merges=GEMMA_MERGES)
        assert "token 283 is to stand for a byte and is spelled '<0'" in refused_by_both(keys, tmp_path)


# --- BPE on words: whitespace -------------------------------------------------------------------------------------

WORDS = [*((piece, 0.0, NORMAL) for piece in "a b c ab abc A B é É 漢 ä Ġ Ã ©".split()), *BYTES, ("<s>", 0.0, CONTROL)]
SPACES = ["", "a b", " abc\tab  AB", "É\u3000é\x85a", "\n", "x y漢<s>c a", "ÄABC"]


@pytest.mark.parametrize("more", [
    {"pre": "whitespace"}, {"pre": "whitespace", "normalizer.lowercase": True}, {"pre": "gpt-2"},
    {"pre": "gpt-2", "normalizer.lowercase": False}, {"pre": "llama-bpe", "bos_token_id": 5}, {"pre": "sarvam-moe"},
    {"pre": "gemma4", "bos_token_id": 1},
])  # fmt: skip
def test_whitespace(more: dict[str, object], tmp_path: Path) -> None:
    keys = keys_of("whitespace", WORDS, merges=[b"a b", b"ab c"], **more)
    hold(keys, SPACES + NASTY, tmp_path)


# --- DNA ------------------------------------------------------------------------------------------------------------

DNA = [
    *((piece, 0.0, NORMAL) for piece in [*PRINTABLE, "ab", "ACGTAC\ue000", "CCCCCC", "<dna>", "</dna>", "<oov>"]),
    *((kmer + "\ue000", 0.0, NORMAL) for kmer in ("CCCCCC", "AAAAAA", "ACGTAA", "ACAAAA")),
    ("[TTTTTT]\ue000", 0.0, USER),
]  # fmt: skip
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


def escaped(byte: int) -> str:
    return repr(bytes([byte]))[2:-1]


RWKV = [
    ("<s>", 0.0, CONTROL), *((escaped(byte), 0.0, NORMAL) for byte in range(256)),
    *((piece, 0.0, NORMAL) for piece in ["ab", "abcd", "\\xe6\\xbc\\xa2", "\\n\\n", "a\\x20b", "\\'s", "a\\\\b"]),
    ("!--", 0.0, NORMAL),
    ("[u]", 0.0, USER), ("<\\n>", 0.0, USER), ("off", 0.0, UNUSED), ("[PAD9]", 0.0, UNUSED),
]  # fmt: skip


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
    assert "token 255 begins with the byte 0x61, which is no token by itself" in refused(keys)
    keys = keys_of("rwkv", [*RWKV, ("\\x61", 0.0, NORMAL)])
    assert "once their escapes are read, token 98 and token 269 are both spelled 'a'" in refused(keys)


@pytest.mark.parametrize(("piece", "data"), [
    (rb"\t\n\r\\\'\x00\xff", b"\t\n\r\\'\0\xff"), (rb"a\q", b"aq"), (b"\\", b""), (rb"\x4", b""),
    (rb"\xG\x41", b"\x9cx41"), ("é".encode(), "é".encode()),
])  # fmt: skip
def test_escapes(piece: bytes, data: bytes) -> None:
    assert unescaped(piece) == data


# --- PLaMo-2 --------------------------------------------------------------------------------------------------------

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


# --- kinds and names ------------------------------------------------------------------------------------------------

NAMED = [("<unk>", 0.0, UNKNOWN), ("<s>", 0.0, CONTROL), *BYTES, ("▁", -1.0, NORMAL), ("a", -2.0, NORMAL)]


def spm(*spellings: str, kind: int = NORMAL, **more: object) -> dict[str, object]:
    return keys_of("llama", [*NAMED, *((each, -3.0, kind) for each in spellings)], **more)


CORRECTED = [
    spm("</s>", "<|im_end|>"), spm("</s>", "<|tool_response>"), spm("</s>", "<|plamo:eos|>"),
    spm("</s>", "<|plamo:eos|>", eos_token_id=261), spm("</s>", "<|plamo:eos|>", eot_token_id=261),
    spm("</s>", "<|plamo:eos|>", fim_pad_token_id=261),
    spm("<|end|>", "<|return|>", "<|call|>"), spm("<|end|>", "<|return|>", "<|calls|>"), spm("<|end|>", "<|flush|>"),
    spm("<|end|>", "<|flush|>", "<|calls|>"), spm("<|end|>", "<|call|>"), spm("<|start|>", "<|channel|>"),
    spm("<|start|>", "<|message|>", kind=CONTROL), spm("<PRE>", "<SUF>", "<MID>", "<PAD>", "<REPO>", "<|file_sep|>"),
    spm("<PRE>", "<SUF>", "<MID>", "<PAD>", "<REPO>", "<|file_sep|>", fim_pre_token_id=1, suffix_token_id=1,
        fim_mid_token_id=10**6, fim_pad_token_id=0),
    spm("▁<PRE>", kind=USER), spm("<EOT>", kind=UNUSED), spm("[PAD]", kind=BYTE),
]  # fmt: skip


@pytest.mark.parametrize("keys", CORRECTED, ids=range(len(CORRECTED)))
def test_kinds_are_corrected_by_spelling_as_in_the_original(keys: dict[str, object], tmp_path: Path) -> None:
    spellings = [piece.decode() for piece in keys["tokenizer.ggml.tokens"][260:]]  # type: ignore[index]
    hold(keys, ["a".join(spellings), " ".join(spellings), "".join(spellings)], tmp_path)


PHI = ("</s>", "<|endoftext|>", "<|end|>")
NAMES = [
    spm("<mask>", kind=CONTROL, pre="jina-v2-de"), spm("<mask>", kind=USER, pre="x-jina-v2-code-y"),
    spm("<mask>", kind=CONTROL, **{"general.architecture": "nomic-bert-moe"}), spm("<mask>", pre="jina-v2-es"),
    spm(*PHI, kind=CONTROL, **{"general.name": "My PHI-3 model"}), spm(*PHI, kind=USER, **{"general.name": "phi3"}),
    spm(*PHI, kind=CONTROL, pre="jina-v2-de", **{"general.name": "phi3"}),
    spm("[MASK]", kind=CONTROL, **{"general.name": "ModErn-bert"}),
    spm("[MASK]", kind=USER, **{"general.name": "modern-bert"}),
]  # fmt: skip


@pytest.mark.parametrize("keys", NAMES, ids=range(len(NAMES)))
def test_white_space_is_swallowed_by_the_models_name(keys: dict[str, object], tmp_path: Path) -> None:
    spellings = [piece.decode() for piece in keys["tokenizer.ggml.tokens"][260:]]  # type: ignore[index]
    samples = [glue.join(["a", *spellings, "<s>", "<unk>", "a"]) for glue in ("", " ", "  ", "\t\n ", "\u3000", " a ")]
    architecture = keys["general.architecture"]
    if architecture == "llama":
        hold(keys, samples, tmp_path)
    else:
        # llama.cpp wants a whole model of that architecture with SPM; Unigram is what such models have
        hold(keys | {"tokenizer.ggml.model": "t5"}, samples, tmp_path)


def test_a_phi_3_without_its_tokens_is_refused(tmp_path: Path) -> None:
    keys = spm(*PHI[1:], kind=CONTROL, **{"general.name": "phi-3"})
    assert "refuses a Phi-3 without the token </s>" in refused_by_both(keys, tmp_path)


def test_several_tokens_for_one_purpose_are_told() -> None:
    ours = from_gguf(Gguf(3, 0, spm("<PAD>", "[PAD]")), "toy")  # type: ignore[arg-type]
    told = [fact for fact in ours.facts if "spelled for one purpose" in fact.says]
    assert [(fact.kind.value, fact.code) for fact in told] == [("warning", "<PAD> [PAD]")]


def test_a_unigram_sees_the_kinds_of_the_file(tmp_path: Path) -> None:
    pieces = [
        ("<pad>", 0.0, CONTROL), ("x", -9.0, NORMAL), ("<unk>", 0.0, UNKNOWN), ("</s>", -1.0, NORMAL),
        ("<|start|>", -2.0, CONTROL), ("<PAD>", -0.5, USER), ("<", -4.0, NORMAL), ("a", -3.0, NORMAL),
    ]  # fmt: skip
    samples = ["a</s>a<|start|><PAD>", "</s>", "<PAD><PA", "<|start|>"]
    ours = hold(keys_of("t5", pieces), samples, tmp_path)
    assert ours.encode("</s>", parse_special=False).ids[:1] == [3]


CASES = ["a", "ab ", "漢", "\n", "<dna>A", "[P]"]
KINDS = [
    keys_of("gemma4", GEMMA, bos_token_id=2, merges=GEMMA_MERGES), keys_of("rwkv", RWKV), keys_of("plamo2", PLAMO),
    keys_of("whitespace", WORDS, merges=[b"a b"], pre="gpt-2"),
    keys_of("hybriddna", DNA, merges=[b"a b"], pre="viking"),
]  # fmt: skip


@pytest.mark.parametrize("keys", KINDS, ids=range(len(KINDS)))
def test_decisions_grow_with_the_text_and_no_faster(keys: dict[str, object]) -> None:
    tok = from_gguf(Gguf(3, 0, keys), "toy")  # type: ignore[arg-type]
    for part in CASES:
        small, large = (sum(len(stage.events) for stage in tok.trace(part * size).stages) for size in (300, 3_000))
        assert large <= 12 * small, part


# --- what is refused ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("more", "message"), [
    ({"add_bos_token": 1}, "add_bos_token is neither true nor false"),
    ({"add_space_prefix": "yes"}, "add_space_prefix is neither true nor false"),
    ({"bos_token_id": "1"}, "bos_token_id is 1 and no token id"),
    ({"pre": 3}, "pre holds no text"),
    ({"merges": 3}, "merges is missing or holds no strings"),
    ({"merges": array("i", [1])}, "merges is missing or holds no strings"),
    ({"token_type": array("f", [1.0] * 270)}, "token_type holds no numbers of the type llama.cpp reads"),
    ({"scores": [b"x"] * 270}, "scores holds no numbers of the type llama.cpp reads"),
    ({"token_type": array("i", [1])}, "entries in tokenizer.ggml.token_type"),
    ({"scores": array("f", [1])}, "entries in tokenizer.ggml.scores"),
    ({"tokens": 7}, "tokens is missing or holds no strings"),
])  # fmt: skip
def test_what_the_original_refuses_is_refused(more: dict[str, object], message: str, tmp_path: Path) -> None:
    keys = keys_of("gpt2", GEMMA, **({"merges": [b"a b"], "pre": "gpt-2"} | more))
    assert message in refused_by_both(keys, tmp_path)


def test_no_tokens_are_refused() -> None:
    assert "tokenizer.ggml.tokens holds no tokens" in refused(keys_of("gpt2", [], merges=[]))


def test_kimi_k2_may_do_without_merges(tmp_path: Path) -> None:
    keys = keys_of("gpt2", DNA, pre="kimi-k2")
    hold(keys, ["ab", "漢字ab 12"], tmp_path)
    assert "merges is missing" in refused_by_both(keys_of("gpt2", DNA, pre="qwen2"), tmp_path)


def test_scores_count_for_nothing_where_nothing_is_scored(tmp_path: Path) -> None:
    keys = keys_of("gpt2", [(piece, float("nan"), kind) for piece, _, kind in DNA], merges=[b"a b"], pre="gpt-2")
    assert hold(keys, ["ab abc"], tmp_path).vocabulary.scores == array("f")


@pytest.mark.parametrize(
    ("model", "pieces", "piece", "says"),
    [
        ("rwkv", RWKV, "a" * 3_000_000, "together, at most 2097152 are read"),
        ("t5", [("<unk>", 0.0, UNKNOWN), ("</s>", 0.0, CONTROL)], "a" * 600_000, "together, at most 524288 are read"),
        ("plamo2", PLAMO, "a" * 20_000, "the pieces have more than 4194304 endings, or 67108864 characters in them"),
    ],
)
def test_tokens_that_would_take_memory_without_end_are_refused(
    model: str, pieces: list[tuple[str, float, int]], piece: str, says: str
) -> None:
    message = refused(keys_of(model, [*pieces, (piece, 0.0, USER)]))
    assert message.startswith("toy.gguf: ")
    assert says in message
