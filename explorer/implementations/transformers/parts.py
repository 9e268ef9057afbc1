"""Builders of the parts that classes of `transformers` create, as JSON of a tokenizer.json."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from explorer.vocabulary import SPACE_MARK

Part = Mapping[str, Any]


def byte_level(add_prefix_space: bool, *, trim_offsets: bool = True, use_regex: bool = True) -> Part:
    """A ByteLevel, as a pre-tokenizer, post-processor or decoder."""
    return {
        "type": "ByteLevel", "add_prefix_space": add_prefix_space, "trim_offsets": trim_offsets, "use_regex": use_regex,
    }  # fmt: skip


BYTE_LEVEL_DECODER = byte_level(True)


def metaspace(prepend_scheme: str, *, split: bool = True) -> Part:
    """A Metaspace, as a pre-tokenizer or decoder."""
    return {"type": "Metaspace", "replacement": SPACE_MARK, "prepend_scheme": prepend_scheme, "split": split}


def split(regex: str) -> Part:
    """A Split that isolates the matches of a pattern."""
    return {"type": "Split", "pattern": {"Regex": regex}, "behavior": "Isolated", "invert": False}


def matches(regex: str) -> Part:
    """A Split that leaves out what a pattern does not match."""
    return {"type": "Split", "pattern": {"Regex": regex}, "behavior": "Removed", "invert": True}


def replace(text: str, content: str) -> Part:
    """A Replace of a literal text."""
    return {"type": "Replace", "pattern": {"String": text}, "content": content}


def replace_regex(regex: str, content: str) -> Part:
    """A Replace of the matches of a pattern."""
    return {"type": "Replace", "pattern": {"Regex": regex}, "content": content}


def strip(*, left: bool = False, right: bool) -> Part:
    return {"type": "Strip", "strip_left": left, "strip_right": right}


def sequence(key: str, *parts: Part) -> Part:
    """Several parts in order. key: under which this kind of Sequence holds them."""
    return {"type": "Sequence", key: list(parts)}


def pre_tokenizers(*parts: Part) -> Part:
    """Several pre-tokenizers in order."""
    return sequence("pretokenizers", *parts)


def spaces_of_llama(strip: bool) -> Part:
    """The decoder of a SentencePiece BPE. strip: whether it removes the space that was put in front."""
    steps: list[Part] = [replace(SPACE_MARK, " "), {"type": "ByteFallback"}, {"type": "Fuse"}]
    if strip:
        steps.append({"type": "Strip", "content": " ", "start": 1, "stop": 0})
    return sequence("decoders", *steps)


def bpe(vocab: Mapping[str, int], merges: Sequence[Any], **settings: Any) -> Part:
    """A BPE model. settings: those that differ from the library's defaults."""
    return {
        "type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
        "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False, "ignore_merges": False, "vocab": vocab,
        "merges": merges,
    } | settings  # fmt: skip


def roberta(around: Iterable[tuple[str, int]], trim_offsets: bool, add_prefix_space: bool) -> Part:
    """A RobertaProcessing with a token before and one after a text."""
    first, last = around
    return {
        "type": "RobertaProcessing", "sep": [*last], "cls": [*first], "trim_offsets": trim_offsets,
        "add_prefix_space": add_prefix_space,
    }  # fmt: skip


def template(before: Sequence[tuple[str, int]], after: Sequence[tuple[str, int]]) -> Part:
    """A template with tokens before and after a text. The one for pairs differs from the original; it is never run."""
    first, text, last = ([_special(name) for name, _ in before], [_text("A")], [_special(name) for name, _ in after])
    return {
        "type": "TemplateProcessing",
        "single": [*first, *text, *last],
        "pair": [*first, *text, *last, _text("B", 1)],
        "special_tokens": {name: {"id": name, "ids": [id], "tokens": [name]} for name, id in (*before, *after)},
    }


def _special(name: str) -> Part:
    return {"SpecialToken": {"id": name, "type_id": 0}}


def _text(name: str, kind: int = 0) -> Part:
    return {"Sequence": {"id": name, "type_id": kind}}
