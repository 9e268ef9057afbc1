"""A part that makes a text far longer is refused before it writes the text."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import pytest

from explorer.engine import part as length_limit
from explorer.engine.decoders.huggingface import ChainDecoder, DecoderStep, FuseDecoder, ReplaceDecoder
from explorer.engine.decoders.pieces import PieceReader, SentencePieceDecoder, SpmDecoder
from explorer.engine.normalizers.charsmap import CharsmapNormalization, PrecompiledCharsmap
from explorer.engine.normalizers.huggingface import Literal, Precompiled, Prepend, Replace, SpellBytes
from explorer.engine.normalizers.stage import Normalization
from explorer.engine.part import Options, Part, Segment, silent
from explorer.engine.pre_tokenizers.by_regex import ByteLevel, PreTokenization
from explorer.errors import InputError
from explorer.formats.tokenizer_json import AddedEntry
from explorer.implementations.huggingface.added_tokens import read_added_tokens
from explorer.vocabulary import Vocabulary
from tests.engine.charsmap_writer import charsmap

TEN = Replace(Literal("o"), "o" * 10)
LONG = "o" * 40_000
MAP = PrecompiledCharsmap(charsmap({"o": LONG}), "toy")


LETTERS = Vocabulary.of([LONG.encode()])
TOY = Vocabulary.of([b"<unk>"], kinds=[2])


def matches(text: str) -> list[tuple[int, int]]:
    return [(at, at + 1) for at in range(len(text))]


def stage(part: Part) -> Callable[[], object]:
    return lambda: part.run([Segment.of("oéo" * 20)], Options(), silent)


def decoded(*steps: DecoderStep) -> Callable[[], object]:
    return lambda: ChainDecoder(Vocabulary.of([b"ooo"]), steps).run([0] * 20, True, True, silent)


@pytest.mark.parametrize(
    "run",
    [
        stage(Normalization([TEN] * 30)),
        stage(Normalization([Replace(Literal("o"), LONG)])),
        stage(Normalization([Replace(Literal(""), LONG)])),
        stage(Normalization([Prepend(LONG)] * 1_000)),
        stage(Normalization([SpellBytes(), Replace(Literal("o"), "é")] + [SpellBytes()] * 40)),
        stage(Normalization([Precompiled(MAP)])),
        stage(CharsmapNormalization(MAP)),
        stage(PreTokenization([ByteLevel()] * 40)),
        decoded(*[ReplaceDecoder("o", "o" * 10)] * 30),
        decoded(ReplaceDecoder("o", LONG)),
        decoded(ReplaceDecoder(matches, LONG)),
        decoded(ReplaceDecoder("o", "o" * 1_000), FuseDecoder(), ReplaceDecoder("o", "o" * 10)),
        lambda: ChainDecoder(LETTERS, [FuseDecoder()]).run([0] * 20, True, True, silent),
        lambda: ChainDecoder(TOY, [FuseDecoder()], strings={0: LONG.encode()}).run([0] * 20, True, True, silent),
        lambda: SpmDecoder(LETTERS).run([0] * 20, True, True, silent),
        lambda: SentencePieceDecoder(TOY, PieceReader(LONG.encode())).run([0] * 20, True, True, silent),
    ],
)
def test_it_is_refused_before_memory_is_allocated(run: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(length_limit, "AT_LEAST", 100_000)
    monkeypatch.setattr(length_limit, "DECODED_AT_LEAST", 100_000)
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=r"makes more than 10[0-9]{4} characters or bytes of (this text|20 ids)"):
            run()
        assert tracemalloc.get_traced_memory()[1] < 30_000_000
    finally:
        tracemalloc.stop()


def test_the_part_is_named() -> None:
    with pytest.raises(InputError, match=r"^the normalizer \(its Replace\) makes more than 1002400 characters"):
        stage(Normalization([TEN] * 30))()
    with pytest.raises(
        InputError, match=r"^the decoder \(its Replace\) makes more than 10004000 characters or bytes of"
    ):
        decoded(*[ReplaceDecoder("o", "o" * 10)] * 30)()


def test_added_tokens_together_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(length_limit, "AT_LEAST", 100_000)
    entries = [AddedEntry(id, chr(0x4E00 + id), False, False, False, False, True) for id in range(10)]
    with pytest.raises(InputError, match=r"^added_tokens: the normalizer makes more than 100400 characters"):
        read_added_tokens(entries, {}, lambda text: LONG)


def test_real_normalizers_stay_within_the_limit() -> None:
    text = "ﷺ" * 100_000
    made = Normalization([Replace(Literal("ﷺ"), "صلى الله عليه وسلم")]).run([Segment.of(text)], Options(), silent)
    assert len(made[0].text) == 18 * len(text)  # type: ignore[union-attr]
