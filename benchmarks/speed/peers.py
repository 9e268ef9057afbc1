"""Encoders made for many texts at once: this engine compiled, and the fastest that install from PyPI.

Each is a function of texts that gives one array of ids and one of offsets. This engine's may run in several threads at
once; gigatoken and fastokens have threads of their own, as many as RAYON_NUM_THREADS says when they are imported.
quicktok, from the package quicktok-v1, has threads, too. The package quicktok of PyPI is another one: it trains and
reads a format of its own, and opens none of these vocabularies. quicktok and bpe-openai bring the vocabularies that
they know; the others open ours. tiktoken, `tokenizers`, bpe-openai and tokie give lists, and run on one thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from itertools import accumulate
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

import explorer
from benchmarks.speed.compiled import batches_of
from benchmarks.speed.measure import options_of
from benchmarks.speed.rivals import rivals

Arrays = tuple[NDArray[np.uint32], NDArray[np.int64]]
EncodeBatch = Callable[[Sequence[str]], Arrays]

OURS: Final = "this engine"
PATTERNS: Final = {"cl100k_base": "cl100k", "o200k_base": "o200k"}
"""What gigatoken calls the pattern of a file of ranks."""
OF_QUICKTOK: Final = {"cl100k_base": "cl100k_base", "o200k_base": "o200k_base", "llama-3": "llama3", "qwen2.5": "qwen3"}
"""What quicktok calls its vocabularies."""


def names(spec: str) -> Iterator[str]:
    """The encoders of a tokenizer that are installed here."""
    model = explorer.catalog()[spec.partition("@")[0]]
    yield OURS
    yield from (name for name, _ in rivals(spec, None))
    for name in ("gigatoken", "fastokens"):
        if find_spec(name) and (model.path.suffix in (".json", ".tiktoken") or name == "gigatoken"):
            yield name
    if find_spec("quicktok") and model.name in OF_QUICKTOK:
        yield "quicktok"
    if find_spec("bpe_openai") and model.name in PATTERNS:
        yield "bpe-openai"
    if find_spec("tokie") and model.path.suffix == ".json":
        yield "tokie"


def encoder(name: str, spec: str, threads: int) -> EncodeBatch:
    """An encoder by name, with an empty memory. threads: how many of its own it may use.

    Raises what the library raises for a tokenizer it does not know.
    """
    model = explorer.catalog()[spec.partition("@")[0]]
    if name == OURS:
        return of_this_engine(spec)
    if name == "gigatoken":
        return of_gigatoken(model.path, model.name, threads)
    if name == "fastokens":
        return of_fastokens(model.path, model.name, threads)
    if name == "quicktok":
        return of_quicktok(OF_QUICKTOK[model.name], threads)
    if name == "bpe-openai":
        import bpe_openai

        encode = bpe_openai.get_encoding(model.name).encode_ordinary
    elif name == "tokie":
        import tokie

        original = tokie.Tokenizer.from_json(str(model.path))
        encode = lambda text: original.encode_bytes(text.encode())  # noqa: E731
    else:
        encode = next(encode for each, encode in rivals(spec, None) if each == name)
    return lambda texts: joined([encode(text) for text in texts])


def of_this_engine(spec: str) -> EncodeBatch:
    batches, options = batches_of(spec), options_of(spec)
    assert batches is not None, f"{spec} has no compiled way"
    batches.encode(["loads the compiled code"], options)

    def encode(texts: Sequence[str]) -> Arrays:
        found = batches.encode(texts, options)
        assert found is not None
        return np.frombuffer(found[0], np.uint32), np.frombuffer(found[1], np.uint64).astype(np.int64)

    return encode


def of_gigatoken(path: Any, name: str, threads: int) -> EncodeBatch:
    import awkward
    import gigatoken

    if path.suffix == ".json":
        original = gigatoken.Tokenizer.from_json(path.read_bytes())
    elif path.suffix == ".tiktoken":
        original = gigatoken.Tokenizer.from_tiktoken(path, PATTERNS[name])
    else:
        original = gigatoken.Tokenizer.from_sentencepiece(path)

    def encode(texts: Sequence[str]) -> Arrays:
        found = original.encode_batch(list(texts), parallel=threads > 1)
        counts = np.asarray(awkward.num(found))
        return np.asarray(awkward.flatten(found)), np.concatenate(([0], np.cumsum(counts)))

    return encode


def of_fastokens(path: Any, name: str, threads: int) -> EncodeBatch:
    import fastokens

    if path.suffix == ".json":
        original = fastokens.Tokenizer.from_json_str(path.read_text("utf-8"))
    else:
        original = fastokens.Tokenizer.from_tiktoken(str(path), encoding=name)

    def encode(texts: Sequence[str]) -> Arrays:
        ids, offsets = original.encode_batch_flat(list(texts), split_special_tokens=path.suffix != ".json")
        return np.frombuffer(ids, np.uint32), np.frombuffer(offsets, np.uint64).astype(np.int64)

    return encode


def of_quicktok(name: str, threads: int) -> EncodeBatch:
    import quicktok

    original = quicktok.get_encoding(name)
    return lambda texts: original.encode_batch(list(texts), threads, False)


def joined(lists: Sequence[Sequence[int]]) -> Arrays:
    """Lists of ids as arrays."""
    offsets = np.array([0, *accumulate(map(len, lists))])
    return np.fromiter((id for ids in lists for id in ids), np.uint32, offsets[-1]), offsets


def different(one: Arrays, other: Arrays) -> int:
    """How many texts have other ids."""
    return sum(
        not np.array_equal(one[0][a:b], other[0][c:d])
        for a, b, c, d in zip(one[1][:-1], one[1][1:], other[1][:-1], other[1][1:], strict=True)
    )
