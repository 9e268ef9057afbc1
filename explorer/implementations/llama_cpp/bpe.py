"""BPE vocabularies (`tokenizer.ggml.model` = `gpt2`) as llama.cpp runs them.

What a file of this kind needs beside its tokens and merges is chosen by a name it carries, `tokenizer.ggml.pre`: which
patterns cut the text, whether a piece that is a token is taken whole, whether BOS is added, whether decoding cleans up
spaces. Follows `llama_vocab::impl::load` and `llm_tokenizer_bpe` in llama.cpp's `src/llama-vocab.cpp`, and
`unicode_regex_split`: for three patterns a hand-written scanner (`engine/scanners.py`), else a regular expression;
several are applied in turn.

llama.cpp never normalizes the text of such a vocabulary, whatever the model's own tokenizer does: Qwen 2 asks for NFC,
and on text with combining marks the ids differ. Left out: the names not in `PRE`, and tokenizers that run on raw UTF-8
instead of printable bytes (Gemma 4).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from explorer.engine.bpe import Bpe, MergeList
from explorer.engine.decode_pieces import PieceDecoder, byte_level_llama_cpp
from explorer.engine.partition import SpecialTokenPartition
from explorer.engine.patterns import (
    LLAMA_CPP_FALCON_PUNCTUATION,
    LLAMA_CPP_NUMBER,
    LLAMA_CPP_NUMBERS,
    LLAMA_CPP_PUNCTUATION,
    LLAMA_CPP_THREE_DIGITS,
)
from explorer.engine.postprocess import AddSpecial
from explorer.engine.pretokenizers import ByteLevel, PreTokenization, RegexSplit, ScannerSplit, Splitter
from explorer.engine.scanners import SCANNERS
from explorer.engine.tokenizer import Tokenizer
from explorer.errors import InputError
from explorer.formats.gguf import Gguf
from explorer.implementations.llama_cpp.vocabulary import corrected, special_tokens, vocabulary_of
from explorer.vocabulary import PieceKind


class Pre(NamedTuple):
    """What `tokenizer.ggml.pre` chooses. The defaults are llama.cpp's for this tokenizer model."""

    splitters: tuple[Splitter, ...]
    whole: bool = False
    """ignore_merges: a piece that is a token is taken whole."""
    add_bos: bool = False
    clean_spaces: bool = True
    """Decoding takes the space before punctuation and contractions away."""


_GPT2 = ScannerSplit(SCANNERS["gpt-2"])
_LLAMA3 = ScannerSplit(SCANNERS["llama-3"])
_QWEN2 = ScannerSplit(SCANNERS["qwen-2"])
_NUMBER = RegexSplit(LLAMA_CPP_NUMBER)
_THREE = RegexSplit(LLAMA_CPP_THREE_DIGITS)

_DEFAULT = Pre((RegexSplit(LLAMA_CPP_PUNCTUATION), _GPT2, RegexSplit(LLAMA_CPP_NUMBERS), _THREE))
_GROUPS: tuple[tuple[str, Pre], ...] = (
    ("default", _DEFAULT),
    ("gpt-2 phi-2 jina-es jina-de gigachat a.x-4.0 mellum modern-bert mpt olmo jais exaone4", Pre((_GPT2,))),
    ("trillion granite-docling", Pre((_GPT2,), clean_spaces=False)),
    ("llama3 llama-v3 llama-bpe falcon3 falcon-h1 pixtral midm-2.0 lfm2", Pre((_LLAMA3,), whole=True, add_bos=True)),
    ("dbrx smaug-bpe", Pre((_LLAMA3,))),
    ("qwen2 deepseek-r1-qwen kormo hunyuan", Pre((_QWEN2,), clean_spaces=False)),
    ("stablelm2 megrez", Pre((_QWEN2,))),
    ("starcoder refact codeshell exaone minerva-7b", Pre((_NUMBER, _GPT2))),
    ("command-r smollm", Pre((_NUMBER, _GPT2), clean_spaces=False)),
    ("falcon", Pre((RegexSplit(LLAMA_CPP_FALCON_PUNCTUATION), _GPT2, _THREE))),
)
PRE: Final[Mapping[str, Pre]] = MappingProxyType({name: pre for names, pre in _GROUPS for name in names.split()})
"""`tokenizer.ggml.pre` → what it chooses."""

DEFAULT_SPECIAL = 11
"""The id of BOS and EOS where the file names none: llama.cpp's default for this tokenizer model."""


def bpe_tokenizer(gguf: Gguf, name: str) -> Tokenizer:
    """The tokenizer of such a file. Raises InputError where something it needs is missing or not known here."""
    metadata = gguf.metadata
    chosen = metadata.get("tokenizer.ggml.pre", "default") or "default"
    pre = PRE.get(chosen) if isinstance(chosen, str) else None
    if pre is None:
        raise InputError(
            f"{name}: tokenizer.ggml.pre is {chosen!r}; this version runs: {', '.join(PRE)}. Choose such a file"
        )
    merges = metadata.get("tokenizer.ggml.merges")
    if not isinstance(merges, list):
        raise InputError(f"{name}: the key tokenizer.ggml.merges is missing or holds no strings; the file is damaged")
    vocabulary = corrected(vocabulary_of(gguf, name))
    size = len(vocabulary)

    def flag(key: str, otherwise: bool) -> bool:
        value = metadata.get(f"tokenizer.ggml.{key}")
        return value if isinstance(value, bool) else otherwise

    def special(key: str) -> int | None:
        value = metadata.get(f"tokenizer.ggml.{key}_token_id")
        if isinstance(value, int) and 0 <= value < size:
            return value
        return DEFAULT_SPECIAL if size > DEFAULT_SPECIAL else None

    first = special("bos") if flag("add_bos_token", pre.add_bos) else None
    last = special("eos") if flag("add_eos_token", False) else None
    for wanted, id, what in (
        (flag("add_bos_token", pre.add_bos), first, "BOS"), (flag("add_eos_token", False), last, "EOS")
    ):  # fmt: skip
        if wanted and id is None:
            raise InputError(f"{name}: the file asks for {what} to be added but names no such token; repair the file")
    return Tokenizer(
        name=name,
        family="BPE",
        implementation="llama.cpp",
        vocabulary=vocabulary,
        parts=(
            SpecialTokenPartition(special_tokens(vocabulary, str(metadata.get("general.name", "")))),
            PreTokenization([*pre.splitters, ByteLevel()]),
            Bpe(vocabulary, MergeList(merges), whole=pre.whole),
            AddSpecial(first, last),
        ),
        decoder=PieceDecoder(
            vocabulary,
            byte_level_llama_cpp,
            special=frozenset(
                id for id, kind in enumerate(vocabulary.kinds) if kind in (PieceKind.CONTROL, PieceKind.UNKNOWN)
            ),
            first=first,
            last=last,
            strip_space=flag("add_space_prefix", False),
            clean_spaces=pre.clean_spaces,
        ),
    )
