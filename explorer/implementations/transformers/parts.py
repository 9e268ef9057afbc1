"""Builders of the parts that classes of `transformers` create, as JSON of a tokenizer.json."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Part = Mapping[str, Any]


def sequence(key: str, *parts: Part) -> Part:
    """Several parts in order. key: under which this kind of Sequence holds them."""
    return {"type": "Sequence", key: list(parts)}


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
