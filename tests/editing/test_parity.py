"""After every edit the saved file gives the same ids here and in the original; undo gives the same bytes back."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import sentencepiece
import tiktoken
from tokenizers import Tokenizer

from explorer.editing.edits import Edit, title
from explorer.editing.replay import replay
from explorer.engine.pre_tokenizers.patterns import R50K_BASE
from explorer.opening.formats import open_bytes
from tests.editing import files
from tests.originals.generators import strings
from tests.originals.llama_cpp import LlamaCpp
from tests.originals.rwkv import Rwkv

TEXTS = [*files.TEXTS, *strings(seed=17, count=60)]
"""Texts; generated ones have what tokenizers get wrong."""

Original = Callable[[bytes, Path], Callable[[str], Sequence[int]]]


def hugging_face(data: bytes, folder: Path) -> Callable[[str], Sequence[int]]:
    original = Tokenizer.from_str(data.decode())
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
