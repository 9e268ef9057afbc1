"""Models that see pieces respelled, run in Python: merges by score, Unigram, and character maps, beside the stages."""

from __future__ import annotations

import random
import re
from itertools import pairwise

import pytest

from explorer.compiled import build, pieces
from explorer.compiled.worker import Worker
from explorer.engine.fast.compiling.encoder import NotCompiled, respelling_of
from explorer.engine.fast.strategies import NotIndependent, by_charsmap
from explorer.engine.models.bpe import Bpe, KnownCharacters, MergeList
from explorer.engine.models.spm import Spm
from explorer.engine.models.unigram import PIECES, Unigram, llama_cpp_rules
from explorer.engine.normalizers.charsmap import (
    CharsmapNormalization,
    PrecompiledCharsmap,
    Whitespace,
    llama_cpp_whitespace,
    sentencepiece_whitespace,
)
from explorer.engine.normalizers.stage import EscapeWhitespace, Normalization, SpacePrefix
from explorer.engine.part import Options, Part, Segment, Token, run_through, silent
from explorer.vocabulary import PieceKind, Vocabulary
from tests.compiled.hostile import batches
from tests.engine.charsmap_writer import charsmap
from tests.tiers import amount, spread

CHARACTERS = (
    *"aabb▁  \n\té한",
    "\u200d",
    "\u0301",
    "\ufdfa",
    "´",
    "\u3000",
    "Ａ",
    "\0",
    "\ue000",
    "😀",
    "aab",
    "ba" * 40,
)

MAP = PrecompiledCharsmap(
    charsmap({"\n": " ", "\t": " ", "\u3000": " ", "\u200d": " ", "Ａ": "a", "a\u0301": "b", "´": " \u0301", "\0x": "y",
              "\ufdfa": "a b  a", "▁": " ", "é": "", "b\u0301a": "abab"}),
    "a map",
)  # fmt: skip
WITHOUT_MARK = PrecompiledCharsmap(charsmap({"\n": " ", "Ａ": "a ", "b\u0301": "bb", "´": ""}), "another")

NAMES = ["▁", "a", "b", "ab", "▁a", "▁ab", "ba", "aa", "bab", "▁▁", "한b", "<0xC3>", "<0xA9>"]
UNKNOWN, NORMAL, UNUSED = PieceKind.UNKNOWN, PieceKind.NORMAL, PieceKind.UNUSED


def vocabulary(*more: str, unused: str = "") -> Vocabulary:
    """A small one with an unknown token, with scores that are multiples of 1/4 and often equal."""
    names = [*NAMES, *more]
    choose = random.Random(len(names))
    scores = [0.0, *(-choose.randrange(4, 16) / 4 for _ in names)]
    kinds = [UNKNOWN, *(UNUSED if name == unused else NORMAL for name in names)]
    return Vocabulary.of([b"<unk>", *(name.encode() for name in names)], scores, kinds)


OTHER_BYTES = [name for byte in range(256) if (name := f"<0x{byte:02X}>") not in NAMES]
EVERY, FEW, APART = vocabulary(*OTHER_BYTES, *"éxy"), vocabulary(), vocabulary(unused="ab")
IDS = {f"<0x{byte:02X}>".encode(): 100 + byte for byte in range(256)} | {b"a": 1, b"b": 2, b"ab": 3, "▁".encode(): 4}
BPE = Bpe(Vocabulary.of([*map(str.encode, NAMES)]), MergeList([b"a b", "▁ a".encode(), b"<0xC3> <0xA9>", b"ab a"]),
          KnownCharacters(IDS, byte_fallback=True), ids=IDS)  # fmt: skip

MODELS: dict[str, Part] = {
    "bytes": Spm(EVERY, 0), "unknown": Spm(FEW, 0, byte_fallback=False), "apart": Spm(APART, 0, resegment_unused=True),
    "kinds": Spm(APART, 0, pieces=frozenset((NORMAL,)), byte_fallback=False), "merges": BPE,
    "unigram": Unigram(FEW, 0, llama_cpp_rules(FEW)),
    "not fused": Unigram(EVERY, 0, llama_cpp_rules(EVERY)._replace(fuse_unknown=False, byte_fallback=True)),
    "fused bytes": Unigram(FEW, 0, llama_cpp_rules(FEW)._replace(byte_fallback=True, pieces=PIECES - {UNUSED})),
}  # fmt: skip

STAGES: dict[str, tuple[Part, ...]] = {
    "nothing": (),
    "marks": (Normalization([EscapeWhitespace()]),),
    "front": (Normalization([SpacePrefix(), EscapeWhitespace()]),),
    "map": (CharsmapNormalization(MAP),),
    "llama.cpp": (CharsmapNormalization(MAP, whitespace=llama_cpp_whitespace),),
    "without mark": (CharsmapNormalization(WITHOUT_MARK),),
    "all spaces": (CharsmapNormalization(MAP, Whitespace(remove_extra_whitespaces=False)),),
    "no map": (CharsmapNormalization(None),),
}  # fmt: skip


def made(seed: int, count: int) -> list[str]:
    choose = random.Random(seed)
    return ["".join(choose.choices(CHARACTERS, k=choose.randrange(1, 9))) for _ in range(count)]


def test_every_toy_runs_as_its_stages_do() -> None:
    check_toys(build.PLAIN)


@pytest.mark.long
def test_every_toy_runs_compiled_as_its_stages_do() -> None:
    check_toys(build.compiled())


def check_toys(functions: build.Functions) -> None:
    """Compares the ids of models after stages with those of the stages."""
    solved: set[tuple[str, str]] = set()
    left: set[str] = set()
    for number, (name, model) in enumerate(MODELS.items()):
        for stage in spread([*STAGES][number % 2 :], amount(32)):
            parts = (*STAGES[stage], model)
            try:
                together = batches(parts, functions, 16)
            except NotCompiled:
                left.add(stage)
                continue
            texts = [*made(number, amount(32)), "", "xx a", "x é é", "é", "éa", "ab" * 70, " " * 90]
            found = together.encode(texts, Options())
            assert found is not None
            ids, offsets = found
            for text, (start, end) in zip(texts, pairwise(offsets), strict=True):
                items = run_through(parts, [Segment.of(text)] if text else [], Options())
                expected = [item.id for item in items if isinstance(item, Token)]
                assert ids[start:end].tolist() == expected, (name, stage, ascii(text))
            way = together.encoder()
            assert way is not None
            worker = way.idle[0]
            assert isinstance(worker, Worker)
            if worker.encode.held["model"].does & pieces.SOLVED:
                solved.add((name, stage))
            else:
                left.add(stage)
    # a space that is not a piece may be part of an unknown token, so such a text is not cut there
    assert left <= {"nothing"}
    assert {name for name, _ in solved} == set(MODELS)


def test_a_map_that_is_damaged_or_splits_characters_is_left_to_python() -> None:
    half = PrecompiledCharsmap(charsmap({b"\xc3": b"a", b"b": b"a"}), "half")
    together = batches((CharsmapNormalization(half), MODELS["unigram"]), build.PLAIN, 16)
    with pytest.raises(Exception, match="within a character"):
        together.encode(["b é"], Options())
    strings = PrecompiledCharsmap(charsmap({b"a": b"\xc3"}), "strings")
    spaces = by_charsmap(CharsmapNormalization(strings))
    assert spaces is not None
    assert respelling_of(spaces) is None


def test_words_are_normalized_as_they_are_within_the_text() -> None:
    """Of each original's rule for white space, with maps that make spaces anywhere."""
    cut = dependent = 0
    for number, table in enumerate((MAP, WITHOUT_MARK, None)):
        for rule in (sentencepiece_whitespace, llama_cpp_whitespace):
            for extra in (True, False):
                stage = CharsmapNormalization(table, Whitespace(remove_extra_whitespaces=extra), whitespace=rule)
                spaces = by_charsmap(stage)
                for text in made(number, amount(800)) if spaces else ():
                    dropped = f"[^{re.escape(spaces.dropped)}]+" if spaces.dropped else ""
                    words = re.findall(dropped, text) if dropped else re.split(" (?<=[^ ▁] )", text)
                    try:
                        found = "".join(spaces.rewrite(" " + word) for word in words)
                    except NotIndependent:
                        dependent += 1
                        continue
                    cut += 1
                    assert found == stage.apply(Segment.of(text), silent).text, (rule, extra, ascii(text))
    assert cut > dependent > 0
