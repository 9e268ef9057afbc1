"""sentencepiece's trainer beside ours: the same texts and options."""

from __future__ import annotations

import io
import random
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from typing import Any, TypeVar

import sentencepiece
from sentencepiece import sentencepiece_model_pb2

from explorer.training.sentencepiece import unigram
from explorer.training.sentencepiece.sentences import Options
from explorer.training.training import Learned

Settings = dict[str, Any]

AnyOptions = TypeVar("AnyOptions", bound=Options)

Piece = tuple[str, float, int]
"""Spelling, score and type."""


def lines_given(texts: Iterable[str]) -> list[str]:
    """The texts that an iterator gives to the original: without line ends at their ends."""
    return [text.rstrip("\r\n") for text in texts]


def lines_read(text: str) -> list[str]:
    """The texts of a file that the original reads: cut at LF, CR stays."""
    return text.removesuffix("\n").split("\n")


def settings_of(options: Options, rule: str) -> Settings:
    """The original's arguments. rule: the name of its character map."""
    given = asdict(options)
    del given["charsmap"], given["normalization_rule_name"]
    if not options.auto_character_coverage:
        del given["auto_character_coverage"]  # not known to old versions
    changed = {key: list(value) if isinstance(value, tuple) else value for key, value in given.items()}
    changed = {key: value for key, value in changed.items() if value not in ([], "")}
    kind = "unigram" if isinstance(options, unigram.Options) else "bpe"
    return {"num_threads": 1, **changed, "normalization_rule_name": rule, "model_type": kind, "minloglevel": 4}


def original(texts: Sequence[str], options: Options, rule: str) -> list[Piece] | None:
    """The original's pieces, None where it refuses the corpus or the options."""
    written = io.BytesIO()
    try:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(texts), model_writer=written, **settings_of(options, rule)
        )
    except (RuntimeError, OSError, ValueError):
        return None
    return pieces_of(written.getvalue())


def pieces_of(data: bytes) -> list[Piece]:
    proto = sentencepiece_model_pb2.ModelProto()
    proto.ParseFromString(data)
    return [(piece.piece, piece.score, piece.type) for piece in proto.pieces]


def ours(learned: Learned[str]) -> list[Piece]:
    return [
        (text, score, int(kind))
        for text, score, kind in zip(learned.tokens, learned.scores, learned.kinds, strict=True)
    ]


RULES = ("identity", "identity", "nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf")


def with_rule(options: AnyOptions, rule: str) -> AnyOptions:
    return replace(options, normalization_rule_name=rule)


def unigram_options_of(choose: random.Random) -> unigram.Options:
    """Options for Unigram."""
    return unigram.Options(
        **asdict(options_of(choose)),
        seed_sentencepiece_size=choose.choice((1_000_000, 1_000_000, 30, 5)),
        shrinking_factor=choose.choice((0.75, 0.75, 0.5, 0.9)),
        num_threads=choose.choice((16, 1, 2, 3)),
        num_sub_iterations=choose.choice((2, 2, 1, 3)),
    )


def options_of(choose: random.Random) -> Options:
    """Options of every kind; some contradict the corpus."""

    def flip(often: float = 0.2) -> bool:
        return choose.random() < often

    return Options(
        vocab_size=choose.choice((20, 40, 80, 150, 300, 600)),
        character_coverage=choose.choice((0.9995, 0.9995, 0.98, 1.0, 0.99)),
        max_sentence_length=choose.choice((4_192, 4_192, 20)),
        max_sentencepiece_length=choose.choice((16, 16, 1, 2, 3, 5)),
        split_by_unicode_script=not flip(),
        split_by_number=not flip(),
        split_by_whitespace=not flip(),
        treat_whitespace_as_suffix=flip(),
        allow_whitespace_only_pieces=flip(),
        split_digits=flip(),
        control_symbols=choose.choice(((), (), ("<c>", "the"), ("<s>",))),
        user_defined_symbols=choose.choice(((), (), ("ab", "▁a"), ("</s>", "a"), ("<sep>",))),
        required_chars=choose.choice(("", "", "", "xyz", "猫a")),
        byte_fallback=flip(0.1),
        hard_vocab_limit=flip(0.1),
        unk_id=choose.choice((0, 0, 0, 3)),
        pad_id=choose.choice((-1, -1, 4)),
        add_dummy_prefix=not flip(),
        remove_extra_whitespaces=not flip(),
    )
