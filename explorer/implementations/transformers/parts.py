"""The parts that classes of `transformers` build, as a tokenizer.json has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from explorer.vocabulary import SPACE_MARK

Part: TypeAlias = Mapping[str, Any]


def byte_level(add_prefix_space: bool, *, trim_offsets: bool = True, use_regex: bool = True) -> Part:
    return {
        "type": "ByteLevel", "add_prefix_space": add_prefix_space, "trim_offsets": trim_offsets, "use_regex": use_regex,
    }  # fmt: skip


BYTE_LEVEL_DECODER: Final[Part] = byte_level(True)


def metaspace(prepend_scheme: str, *, split: bool = True) -> Part:
    return {"type": "Metaspace", "replacement": SPACE_MARK, "prepend_scheme": prepend_scheme, "split": split}


def split(regex: str) -> Part:
    return {"type": "Split", "pattern": {"Regex": regex}, "behavior": "Isolated", "invert": False}


def replace(text: str, content: str) -> Part:
    return {"type": "Replace", "pattern": {"String": text}, "content": content}


def sequence(key: str, *parts: Part) -> Part:
    """Several parts in a row. key: under which a Sequence of this kind holds them."""
    return {"type": "Sequence", key: list(parts)}


def pre_tokenizers(*parts: Part) -> Part:
    return sequence("pretokenizers", *parts)


def spaces_of_llama(strip: bool) -> Part:
    """The decoder of a SentencePiece BPE. strip: takes the space away that was put in front."""
    steps: list[Part] = [replace(SPACE_MARK, " "), {"type": "ByteFallback"}, {"type": "Fuse"}]
    if strip:
        steps.append({"type": "Strip", "content": " ", "start": 1, "stop": 0})
    return sequence("decoders", *steps)


def bpe(vocab: Mapping[str, int], merges: Sequence[Any], **settings: Any) -> Part:
    """A BPE model. settings: those that are not as the library has them."""
    return {
        "type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
        "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False, "ignore_merges": False, "vocab": vocab,
        "merges": merges,
    } | settings  # fmt: skip


def byte_level_bpe(vocab: Mapping[str, int], merges: Sequence[Any]) -> Part:
    return bpe(vocab, merges, continuing_subword_prefix="", end_of_word_suffix="")


def template(before: Sequence[tuple[str, int]], behind: Sequence[tuple[str, int]]) -> Part:
    """Tokens around a text. The template for two texts is not as in the original: nothing here runs it."""
    first, text, last = ([special(name) for name, _ in before], [text_of("A")], [special(name) for name, _ in behind])
    return {
        "type": "TemplateProcessing",
        "single": [*first, *text, *last],
        "pair": [*first, *text, *last, text_of("B", 1)],
        "special_tokens": {name: {"id": name, "ids": [id], "tokens": [name]} for name, id in (*before, *behind)},
    }


def special(name: str, kind: int = 0) -> Part:
    return {"SpecialToken": {"id": name, "type_id": kind}}


def text_of(name: str, kind: int = 0) -> Part:
    return {"Sequence": {"id": name, "type_id": kind}}
