"""Every name of `tokenizer.ggml.pre` against llama.cpp: one small vocabulary per name, on nasty texts."""

from __future__ import annotations

import json
import re
from array import array
from functools import cache
from pathlib import Path

import pytest

import explorer
from explorer.engine.pre_tokenizers.patterns_llama_cpp import PATTERNS
from explorer.errors import ChoiceNeeded
from explorer.facts import FactKind
from explorer.formats.gguf import Gguf
from explorer.implementations.llama_cpp import from_gguf
from explorer.implementations.llama_cpp.pre_tokenizers import PRE, likeliest
from explorer.vocabulary import PRINTABLE, bytes_of
from tests.formats.gguf_writer import written
from tests.originals.generators import strings
from tests.originals.llama_cpp import LlamaCpp, MismatchError

MERGES = 3_000
"""How many of GPT-2's merges each vocabulary has."""

FIRST = {pre.patterns: name for name, pre in reversed(PRE.items())}
"""Patterns → the first name with them, which is tested on more texts."""


@cache
def merges() -> list[str]:
    listed = json.loads(explorer.catalog()["gpt-2"].path.read_text("utf-8"))["model"]["merges"][:MERGES]
    return [merge if isinstance(merge, str) else " ".join(merge) for merge in listed]


@cache
def spelled() -> tuple[list[bytes], list[int], list[bytes]]:
    """Pieces, kinds and merges of a vocabulary that spells bytes as printable characters."""
    pieces = dict.fromkeys([*PRINTABLE, *(merge.replace(" ", "") for merge in merges())])
    return [piece.encode() for piece in pieces], [1] * len(pieces), [merge.encode() for merge in merges()]


@cache
def unspelled() -> tuple[list[bytes], list[int], list[bytes]]:
    """Pieces, kinds and merges of a vocabulary without byte spelling: spaces as ▁, `<0xXX>` for all bytes but one."""
    found: dict[bytes, bytes] = {}
    for merge in merges():
        sides = [(bytes_of(side) or b"").replace(b" ", "▁".encode()) for side in merge.split(" ")]
        whole = b"".join(sides)
        try:
            [side.decode() for side in sides]
        except UnicodeDecodeError:
            continue
        if b"\n" not in whole:
            found.setdefault(whole, b" ".join(sides))
    singles = [ch.encode() for ch in dict.fromkeys(b"".join(found).decode())]
    runs = [b"\n" * count for count in (1, 2, 4)]
    bytes_ = [b"<0x%02X>" % byte for byte in range(256) if byte != 0xF0]
    pieces = list(dict.fromkeys([*singles, *runs, *found]))
    return [*bytes_, *pieces], [6] * len(bytes_) + [1] * len(pieces), list(found.values())


def metadata(pre: str, model: str = "gpt2", **more: object) -> dict[str, object]:
    pieces, kinds, merged = spelled() if PRE[pre].bytes_spelled else unspelled()
    return {
        "general.architecture": "llama",
        "tokenizer.ggml.model": model,
        "tokenizer.ggml.pre": pre,
        "tokenizer.ggml.tokens": pieces,
        "tokenizer.ggml.token_type": array("i", kinds),
        "tokenizer.ggml.merges": merged,
    } | more


def samples(pre: str) -> list[str]:
    found = strings(seed=90, count=1_100)
    # the first name with a pattern gets the listed pieces and combinations, the others only combinations
    chosen = found[::2] if FIRST[PRE[pre].patterns] == pre else found[-100:]
    if not PRE[pre].bytes_spelled and not PRE[pre].escape_spaces:
        # llama.cpp aborts when it would merge a space
        chosen = [text for text in chosen if not re.search(r"\s |(?! )\s\s* | \s", text)]
    return chosen


@pytest.mark.sample(8)
@pytest.mark.parametrize("pre", PRE)
def test_ids_and_texts_equal_the_originals(pre: str, tmp_path: Path) -> None:
    path = tmp_path / f"{pre}.gguf"
    path.write_bytes(written(metadata(pre)))
    ours = explorer.load(path)
    with LlamaCpp(path) as theirs:
        for text in samples(pre):
            want = theirs.tokenize(text)
            got = ours.encode(text).ids
            assert got == want, ascii(text)
            assert ours.trace_decode(got, remove_special=False).data == theirs.detokenize(got), ascii(text)
    for text in samples(pre)[:20]:
        assert ours.trace(text).ids == ours.encode(text).ids


def test_every_pattern_has_a_name_and_every_name_a_pattern() -> None:
    used = {pattern.name for pre in PRE.values() for pattern in pre.patterns}
    assert used | {"white space (llama.cpp)"} == set(PATTERNS)
    assert len({pattern.regex for pattern in PATTERNS.values()}) == len(PATTERNS)


def test_an_unknown_name_asks_for_a_choice(tmp_path: Path) -> None:
    path = tmp_path / "new.gguf"
    path.write_bytes(written(metadata("gpt-2", **{"tokenizer.ggml.pre": "qwen2-next"})))
    with pytest.raises(MismatchError, match="unknown pre-tokenizer type: 'qwen2-next'"):
        LlamaCpp(path)
    with pytest.raises(ChoiceNeeded, match=r"tokenizer\.ggml\.pre is 'qwen2-next', .*\(unknown pre-t") as caught:
        explorer.load(path)
    assert caught.value.key == "pre"
    assert caught.value.options[0] == "qwen2"
    assert sorted(caught.value.options) == sorted(PRE)
    chosen = explorer.load(path, pre="qwen2")
    assert chosen.encode("a12").ids == from_gguf(Gguf(3, 0, metadata("qwen2")), "qwen2").encode("a12").ids
    assert [fact.kind for fact in chosen.facts if "qwen2-next" in fact.says] == [FactKind.WARNING]
    with pytest.raises(ChoiceNeeded, match=r"'qwen9' is not a pre-tokenizer of llama\.cpp"):
        explorer.load(path, pre="qwen9")


def test_a_known_name_overrides_the_choice(tmp_path: Path) -> None:
    ours = from_gguf(Gguf(3, 0, metadata("gpt-2")), "toy", {"pre": "qwen2"})
    assert ours.encode("123").ids == from_gguf(Gguf(3, 0, metadata("gpt-2")), "toy").encode("123").ids


@pytest.mark.parametrize("missing", [{"tokenizer.ggml.pre": ""}, {}])
def test_without_a_name_the_default_is_taken(missing: dict[str, object], tmp_path: Path) -> None:
    keys = metadata("default")
    del keys["tokenizer.ggml.pre"]
    path = tmp_path / "none.gguf"
    path.write_bytes(written(keys | missing))
    ours = explorer.load(path)
    with LlamaCpp(path) as theirs:
        for text in samples("default")[:100]:
            assert ours.encode(text).ids == theirs.tokenize(text), ascii(text)
    assert any(fact.kind == FactKind.WARNING and "names no pre-tokenizer" in fact.says for fact in ours.facts)
    assert len(ours.encode("12").ids) == 1
    assert len(explorer.load(path, pre="qwen2").encode("12").ids) == 2


def test_all_names_are_offered_nearest_first() -> None:
    assert likeliest("gpt2")[0] == "gpt-2"
    assert len(likeliest("gpt2")) == len(set(likeliest("gpt2"))) == len(PRE)
