"""Merging without a queue: in every round all pairs are looked up, and the best, leftmost one merges.

Fragments come from the originals' rules, written here again: ▁ for a space, GPT-2's and cl100k's patterns, bytes as
symbols. Numbers come from the vocabularies' files.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from itertools import pairwise

import regex

import explorer
from explorer.engine.pre_tokenizers.patterns import CL100K_BASE, GPT2
from tests.bundled import bundled

Priority = Callable[[bytes, bytes], float | None]
"""Of two symbols, lowest first; None where they may not merge."""
State = list[bytes]


@cache
def byte_characters() -> dict[str, int]:
    """GPT-2's `bytes_to_unicode`, from character to byte."""
    kept = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    moved = [byte for byte in range(256) if byte not in kept]
    return {chr(byte): byte for byte in kept} | {chr(256 + index): byte for index, byte in enumerate(moved)}


@cache
def gpt2_merges() -> dict[tuple[bytes, bytes], int]:
    """GPT-2's list of merges, in bytes."""
    file = json.loads(explorer.catalog()["gpt-2"].path.read_text("utf-8"))
    of = byte_characters()
    pairs = [each.split(" ") if isinstance(each, str) else each for each in file["model"]["merges"]]
    return {(bytes(map(of.__getitem__, a)), bytes(map(of.__getitem__, b))): rank for rank, (a, b) in enumerate(pairs)}


def priority(model: str) -> Priority:
    """What a bundled model sorts by."""
    if model == "gpt-2":
        return lambda left, right: gpt2_merges().get((left, right))
    vocabulary = bundled(model).vocabulary
    if model == "cl100k_base":
        return lambda left, right: vocabulary.ids.get(left + right)

    def by_score(left: bytes, right: bytes) -> float | None:
        id = vocabulary.ids.get(left + right)
        return None if id is None else -vocabulary.scores[id]

    return by_score


def fragments(model: str, text: str) -> list[State]:
    """The symbols that each fragment of a text begins with."""
    if model == "llama-2":
        return [[ch.encode() for ch in "▁" + text.replace(" ", "▁")]]
    pattern = {"gpt-2": GPT2, "cl100k_base": CL100K_BASE}[model]
    found = [match[0].encode() for match in regex.finditer(pattern.regex, text)]
    if model == "cl100k_base":
        # a token as a whole is taken without merges
        found = [each for each in found if each not in bundled(model).vocabulary.ids]
    return [[bytes([byte]) for byte in each] for each in found]


def states(symbols: State, rank: Priority) -> list[State]:
    """The symbols before each merge, and at the end."""
    found = [symbols]
    while True:
        now = found[-1]
        pairs = [(rank(a, b), at) for at, (a, b) in enumerate(pairwise(now))]
        best = min(((each, at) for each, at in pairs if each is not None), default=None)
        if best is None:
            return found
        at = best[1]
        found.append([*now[:at], now[at] + now[at + 1], *now[at + 2 :]])


def shown(symbol: bytes, space: str = "·") -> str:
    """A symbol as a question shows it: line feeds as ↵, tabs as ⇥, bytes that are no text in hexadecimal.

    space: how a space or ▁ is written; before the model it is ␣.

    >>> shown(b" a"), shown(b" \\xf0\\x9f"), shown(b"\\n")
    ('·a', '· F0 9F', '↵')
    """
    marked = symbol.decode("utf-8", "surrogateescape")
    parts = regex.split(r"([\uDC80-\uDCFF]+)", marked)
    words = []
    for part in filter(None, parts):
        data = part.encode("utf-8", "surrogateescape")
        if "\udc80" <= part[0] <= "\udcff":
            # the page ends a run of such bytes where a decoder would
            words += groups(data)
        else:
            text = part.replace(" ", space).replace("▁", space).replace("\n", "↵").replace("\t", "⇥")
            words.append("◌" + text if regex.match(r"\p{M}", text) else text)
    return " ".join(words)


def groups(data: bytes) -> list[str]:
    """Bytes that are no text in hexadecimal, in runs as Python's decoder reports them."""
    found = []
    while data:
        try:
            data.decode()
        except UnicodeDecodeError as error:
            found.append(data[error.start : error.end].hex(" ").upper())
            data = data[error.end :]
    return found
