"""Compares the pieces from a normalizer and a pre-tokenizer with those of Hugging Face's `tokenizers`.

The original gets a model whose vocabulary is this engine's pieces, so its tokens are its pieces, with their spans in
the input text.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from tokenizers import Tokenizer

from explorer.engine.normalizers.stage import Normalization, NormalizeRow
from explorer.engine.part import Events, Options, Segment, silent
from explorer.engine.pre_tokenizers.by_regex import PreTokenization, PreTokenizeRow
from explorer.implementations.huggingface.text_stages import normalizers, pre_tokenizers

Part = Mapping[str, Any]
UNKNOWN = "\0no piece of ours"


class Piece(NamedTuple):
    """A piece and its span in the text."""

    text: str
    start: int
    end: int


def original(normalizer: Part | None, pre_tokenizer: Part | None, vocabulary: Iterable[str] = ()) -> Tokenizer:
    """The original with these parts. A piece outside `vocabulary` is UNKNOWN."""
    pieces = dict.fromkeys([UNKNOWN, *vocabulary])
    whole = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": normalizer,
        "pre_tokenizer": pre_tokenizer,
        "post_processor": None,
        "decoder": None,
        "model": {"type": "WordLevel", "vocab": {piece: id for id, piece in enumerate(pieces)}, "unk_token": UNKNOWN},
    }
    return Tokenizer.from_str(json.dumps(whole))


def parts(normalizer: Part | None, pre_tokenizer: Part | None) -> tuple[Normalization, PreTokenization]:
    """This engine's stages, aligned as the original's."""
    normalization = Normalization(normalizers(normalizer)).original()
    return normalization, PreTokenization(pre_tokenizers(pre_tokenizer))


def ours(stages: tuple[Normalization, PreTokenization], text: str) -> list[Piece]:
    """This engine's pieces of a text. Traced and untraced must agree."""
    normalization, pre_tokenization = stages
    found = []
    for first, second in (
        (silent, silent),
        (Events(NormalizeRow).emit, Events(PreTokenizeRow).emit),
    ):
        items = normalization.run([Segment.of(text)] if text else [], Options(), first)
        items = pre_tokenization.run(items, Options(), second)
        found.append([Piece(i.text, i.starts[0], i.ends[-1]) for i in items if isinstance(i, Segment)])
    assert found[0] == found[1], ascii(text)
    return found[0]


def differences(
    normalizer: Part | None, pre_tokenizer: Part | None, samples: Iterable[str]
) -> list[tuple[str, list[Piece], list[Piece]]]:
    """Texts whose pieces differ, with the original's pieces and this engine's."""
    stages = parts(normalizer, pre_tokenizer)
    mine = {text: ours(stages, text) for text in samples}
    theirs = original(normalizer, pre_tokenizer, (piece.text for pieces in mine.values() for piece in pieces))
    found = []
    for text, pieces in mine.items():
        encoding = theirs.encode(text)
        want = [Piece(token, *span) for token, span in zip(encoding.tokens, encoding.offsets, strict=True)]
        if want != pieces:
            found.append((text, want, pieces))
    return found
