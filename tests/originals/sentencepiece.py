"""Toy models trained in memory with sentencepiece, and sentencepiece to run them."""

from __future__ import annotations

import io
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
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
    """A model file. model_type: bpe, unigram, char or word; settings: those of sentencepiece's trainer, but
    custom rules (`normalization_rule_tsv`, `denormalization_rule_tsv`) are pairs, not the name of a file."""
    with TemporaryDirectory() as folder:
        for key in ("normalization_rule_tsv", "denormalization_rule_tsv"):
            if key in settings:
                path = Path(folder, key)
                path.write_text("".join(f"{code_points(a)}\t{code_points(b)}\n" for a, b in settings[key]), "utf-8")
                settings[key] = str(path)
        return _trained(model_type, settings)


def _trained(model_type: str, settings: dict[str, Any]) -> bytes:
    written = io.BytesIO()
    defaults = {"vocab_size": 1_800, "character_coverage": 0.98, "normalization_rule_name": "nmt_nfkc"}
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(corpus()), model_writer=written, model_type=model_type, minloglevel=2, num_threads=1,
        hard_vocab_limit=False, **defaults | {k: list(v) if isinstance(v, tuple) else v for k, v in settings.items()},
    )  # fmt: skip
    return written.getvalue()


def code_points(text: str) -> str:
    """Code points in the form of the trainer's rule files: hexadecimal, separated by spaces."""
    return " ".join(f"{ord(ch):X}" for ch in text)


def edited(data: bytes, *, every: int = 0, more: Sequence[tuple[str, float, int]] = (), **spec: Any) -> bytes:
    """The model with every n-th normal piece UNUSED, more pieces (piece, score, type) appended, and fields of its specs
    set (`normalizer_spec__escape_…`)."""
    proto = sentencepiece_model_pb2.ModelProto()
    proto.ParseFromString(data)
    normal = [piece for piece in proto.pieces if piece.type == 1]
    for piece in normal[::every] if every else []:
        piece.type = 5
    for text, score, kind in more:
        proto.pieces.add(piece=text, score=score, type=kind)
    for name, value in spec.items():
        message, _, key = name.partition("__")
        setattr(getattr(proto, message), key, value)
    return bytes(proto.SerializeToString())


def original(data: bytes) -> Any:
    """sentencepiece with this model."""
    return sentencepiece.SentencePieceProcessor(model_proto=data)
