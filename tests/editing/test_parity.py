"""After every edit the saved file gives the same ids here and in the original; undo gives the same bytes back."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import sentencepiece
import tiktoken
from tokenizers import Tokenizer

from explorer.editing.edits import AddEntries, AddMerges, AddPieces, AddToken, Edit, Preset, Remove, title
from explorer.editing.replay import replay
from explorer.engine.pre_tokenizers.patterns import R50K_BASE
from explorer.implementations.tiktoken import ENCODINGS
from explorer.opening.formats import open_bytes
from explorer.opening.sources import VOCABS
from tests.editing import files
from tests.originals.generators import strings
from tests.originals.llama_cpp import LlamaCpp
from tests.originals.rwkv import Rwkv

TEXTS = [*files.TEXTS, " kaomoji (^_^) playing Norwegian hello <tool>", *strings(seed=17, count=60)]
"""Texts; generated ones have what tokenizers get wrong."""

Original = Callable[[bytes, Path], Callable[[str], Sequence[int]]]


def hugging_face(data: bytes, folder: Path) -> Callable[[str], Sequence[int]]:
    original = Tokenizer.from_str(data.decode())
    original.no_padding()
    original.no_truncation()
    return lambda text: original.encode(text).ids


def of_sentencepiece(data: bytes, folder: Path) -> Callable[[str], Sequence[int]]:
    original = sentencepiece.SentencePieceProcessor(model_proto=data)
    return lambda text: original.encode(text)


def of_tiktoken(data: bytes, folder: Path) -> Callable[[str], Sequence[int]]:
    ranks = {base64.b64decode(token): int(rank) for token, rank in map(bytes.split, data.splitlines())}
    original = tiktoken.Encoding("toy", pat_str=R50K_BASE.regex, mergeable_ranks=ranks, special_tokens={})
    return original.encode_ordinary


def of_rwkv(data: bytes, folder: Path) -> Callable[[str], Sequence[int]]:
    path = folder / "vocab.txt"
    path.write_bytes(data)
    original = Rwkv(path)
    return lambda text: original.encode(text.encode())


def of_llama_cpp(data: bytes, folder: Path) -> Callable[[str], Sequence[int]]:
    path = folder / "vocab.gguf"
    path.write_bytes(data)
    with LlamaCpp(path) as original:
        found = {text: original.tokenize(text) for text in TEXTS}
    return found.__getitem__


CASES: dict[str, tuple[Callable[[], bytes], tuple[Edit, ...], Original]] = {
    "bpe": (files.bpe, files.OF_BPE, hugging_face),
    "unigram": (files.unigram, files.OF_UNIGRAM, hugging_face),
    "wordpiece": (files.wordpiece, files.OF_WORDPIECE, hugging_face),
    "ranks": (files.ranks, files.OF_RANKS, of_tiktoken),
    "sentencepiece bpe": (files.sentencepiece_bpe, files.OF_MODEL, of_sentencepiece),
    "sentencepiece unigram": (files.sentencepiece_unigram, files.OF_MODEL, of_sentencepiece),
    "rwkv": (files.rwkv, files.OF_RWKV, of_rwkv),
    "gguf bpe": (files.gguf_bpe, files.OF_GGUF_BPE, of_llama_cpp),
    "gguf spm": (files.gguf_spm, files.OF_GGUF_SPM, of_llama_cpp),
}


@pytest.mark.sample(len(CASES))
@pytest.mark.parametrize("name", CASES)
def test_the_original_gives_the_same_ids_after_every_edit(name: str, tmp_path: Path) -> None:
    base, edits, original = CASES[name]
    before = base()
    choices = {"pattern": "r50k_base"} if name == "ranks" else {}
    for count in range(len(edits) + 1):
        data = replay(before, edits[:count], name).data
        what = f"after {title(edits[count - 1]) if count else 'nothing'}"
        ours, theirs = open_bytes(data, name, None, choices), original(data, tmp_path)
        for text in TEXTS:
            # sentencepiece itself adds nothing
            given = ours.encode(text, add_special=original is not of_sentencepiece).ids
            assert given == list(theirs(text)), (what, ascii(text))


PUBLISHED: dict[str, tuple[tuple[Edit, ...], Original]] = {
    "llama3.tokenizer.json": (
        (AddMerges((" kaomoji", "(^_^)")), AddToken("<tool>"), Remove((" Norwegian",))), hugging_face,
    ),
    "bert-uncased.tokenizer.json": ((AddPieces(("kaomoji",)), Remove(("playing",))), hugging_face),
    "mistral-v1.model": ((AddPieces(("<tool>",), user_defined=True), Remove(("▁Hello",))), of_sentencepiece),
    "ggml-vocab-llama-spm.gguf": ((AddToken("<tool>", special=True), Remove(("▁hello",))), of_llama_cpp),
    "rwkv_vocab_v20230424.txt": ((Preset("emoji"),), of_rwkv),
}  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("name", PUBLISHED)
def test_published_vocabularies_do_too(name: str, tmp_path: Path) -> None:
    edits, original = PUBLISHED[name]
    data = replay((VOCABS / name).read_bytes(), edits, name).data
    ours, theirs = open_bytes(data, name, None), original(data, tmp_path)
    for text in TEXTS:
        # sentencepiece itself adds nothing
        given = ours.encode(text, add_special=original is not of_sentencepiece).ids
        assert given == list(theirs(text)), ascii(text)


@pytest.mark.long
def test_known_ranks_keep_their_special_tokens(tmp_path: Path) -> None:
    """New ranks step over the ids that tiktoken's code gives special tokens."""
    base = (VOCABS / "cl100k_base.tiktoken").read_bytes()
    data = replay(base, (AddEntries((" kaomo", " kaomoji", "zzzzz")), Remove((" Norwegian",), keep_ids=True)), "x").data
    ranks = {base64.b64decode(token): int(rank) for token, rank in map(bytes.split, data.splitlines())}
    encoding = ENCODINGS["cl100k_base"]
    original = tiktoken.Encoding(
        "edited", pat_str=encoding.pattern.regex, mergeable_ranks=ranks, special_tokens=dict(encoding.special_tokens)
    )
    ours = open_bytes(data, "x", None, {"pattern": "cl100k_base"})
    for text in (*TEXTS, "a kaomoji zzzzz Norwegian<|endoftext|>"):
        assert ours.encode(text).ids == original.encode(text, allowed_special="all"), ascii(text)
