"""Toy models trained with sentencepiece itself, in memory, and sentencepiece to run them."""

from __future__ import annotations

import io
from functools import cache
from typing import Any

import sentencepiece
from sentencepiece import sentencepiece_model_pb2

from tests.originals.generators import strings

SENTENCES = (
    *["the cat sat on the mat", "a low lower lowest bar", "hello world, tokenization is fun: 123 45"] * 40,
    *["Das ist ein Haus und ein Baum", "naïve café über alles", "吾輩は猫である。名前はまだ無い。"] * 40,
)


def corpus() -> list[str]:
    some = [text for text in strings(seed=9, count=2_000) if len(text) < 200 and text.isprintable()]
    return [*SENTENCES, *some]


@cache
def trained(model_type: str, **settings: Any) -> bytes:
    """A model file. model_type: bpe or unigram; settings as sentencepiece's trainer has them."""
    written = io.BytesIO()
    defaults = {"vocab_size": 1_800, "character_coverage": 0.98, "normalization_rule_name": "nmt_nfkc"}
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(corpus()), model_writer=written, model_type=model_type, minloglevel=2, num_threads=1,
        hard_vocab_limit=False, **defaults | {k: list(v) if isinstance(v, tuple) else v for k, v in settings.items()},
    )  # fmt: skip
    return written.getvalue()


def edited(data: bytes, *, every: int = 0, **spec: Any) -> bytes:
    """The model with every n-th normal piece UNUSED, and fields of its specs set (`normalizer_spec__escape_…`)."""
    proto = sentencepiece_model_pb2.ModelProto()
    proto.ParseFromString(data)
    normal = [piece for piece in proto.pieces if piece.type == 1]
    for piece in normal[::every] if every else []:
        piece.type = 5
    for name, value in spec.items():
        message, _, key = name.partition("__")
        setattr(getattr(proto, message), key, value)
    return bytes(proto.SerializeToString())


def original(data: bytes) -> Any:
    """sentencepiece with this model."""
    return sentencepiece.SentencePieceProcessor(model_proto=data)
