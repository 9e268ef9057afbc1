"""Compares structures that can hold the trie of a vocabulary: nodes, bytes, and longest matches a second.

`python -m benchmarks.tries [SPEC] [--write]` builds each structure from the tokens of a vocabulary (RWKV World, or the
one that is named), takes the longest match of a text from left to right with each, checks that all give the same
tokens, and prints one line per structure. --write keeps the figures in `explorer/views/tries.tsv`, which the page
shows.

The structures: a sorted list that is searched for every prefix, with the text erased from the front (the first thing
one writes in C++ with std::map); a dict of all prefixes; the dict of edges that the engine has; a list of children per
node; a table of 256 children per node; a double array. Beside them pygtrie, marisa-trie and pyahocorasick, if
installed. Bytes are what tracemalloc counts while a structure is built: what C++ code allocates by itself is left out.
"""

from __future__ import annotations

import argparse
import datetime
import gc
import platform
import tracemalloc
from array import array
from bisect import bisect_left
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Final, NamedTuple

import explorer
from benchmarks.timing import timed
from explorer.engine.models.longest_match import Trie
from explorer.vocabulary import PieceKind

ROOT: Final = Path(__file__).parent.parent
WRITTEN: Final = ROOT / "explorer" / "views" / "tries.tsv"
MOST: Final = 40_000
"""Bytes of the text."""

Tokens = list[tuple[int, bytes]]
Match = Callable[[bytes, int], tuple[int, int]]
"""From a text and an offset to the id of the longest token there, and its end; (-1, …) for none."""


class Structure(NamedTuple):
    """A structure: its nodes (0 if it has none or does not say) and its search."""

    nodes: int
    match: Match


def sorted_list(tokens: Tokens) -> Structure:
    """A sorted list, searched for each prefix; the rest of the text is copied before each match."""
    pieces = sorted((piece, id) for id, piece in tokens)
    longest = max(len(piece) for piece, _ in pieces)

    def match(data: bytes, start: int) -> tuple[int, int]:
        rest, found, end = data[start:], -1, start
        for size in range(1, min(longest, len(rest)) + 1):
            prefix = rest[:size]
            at = bisect_left(pieces, (prefix, -1))
            if at == len(pieces) or not pieces[at][0].startswith(prefix):
                break
            if pieces[at][0] == prefix:
                found, end = pieces[at][1], start + size
        return found, end

    return Structure(0, match)


def dict_of_prefixes(tokens: Tokens) -> Structure:
    """Every prefix of every token as a key."""
    prefixes: dict[bytes, int] = {}
    for id, piece in tokens:
        for size in range(1, len(piece)):
            prefixes.setdefault(piece[:size], -1)
        prefixes[piece] = id

    def match(data: bytes, start: int) -> tuple[int, int]:
        found, end = -1, start
        for stop in range(start + 1, len(data) + 1):
            id = prefixes.get(data[start:stop])
            if id is None:
                break
            if id >= 0:
                found, end = id, stop
        return found, end

    return Structure(len(prefixes) + 1, match)


def dict_of_edges(tokens: Tokens) -> Structure:
    """What the engine has: one dict from node and byte to node."""
    trie = Trie(tokens)
    edges, token = trie.edges, trie.token

    def match(data: bytes, start: int) -> tuple[int, int]:
        found, end, node = -1, start, 0
        for at in range(start, len(data)):
            after = edges.get(node << 8 | data[at])
            if after is None:
                break
            node = after
            if token[node] >= 0:
                found, end = token[node], at + 1
        return found, end

    return Structure(len(token), match)


def children_of(tokens: Tokens) -> tuple[list[list[tuple[int, int]]], array[int]]:
    """The children (byte, node) of each node, in order of their bytes, and the token of each node."""
    trie = Trie(tokens)
    children: list[list[tuple[int, int]]] = [[] for _ in trie.token]
    for key, after in trie.edges.items():
        children[key >> 8].append((key & 255, after))
    for each in children:
        each.sort()
    return children, trie.token


def child_lists(tokens: Tokens) -> Structure:
    """The children of all nodes in two arrays, sorted by byte; a node has the range where its own begin and end."""
    children, token = children_of(tokens)
    first, labels, nodes = array("i"), bytearray(), array("i")
    for each in children:
        first.append(len(nodes))
        labels += bytes(byte for byte, _ in each)
        nodes.extend(node for _, node in each)
    first.append(len(nodes))
    kept = bytes(labels)

    def match(data: bytes, start: int) -> tuple[int, int]:
        found, end, node = -1, start, 0
        for at in range(start, len(data)):
            index = kept.find(data[at], first[node], first[node + 1])
            if index < 0:
                break
            node = nodes[index]
            if token[node] >= 0:
                found, end = token[node], at + 1
        return found, end

    return Structure(len(token), match)


def tables(tokens: Tokens) -> Structure:
    """A table of 256 children for each node that has any."""
    trie = Trie(tokens)
    token = trie.token
    table: list[array[int] | None] = [None] * len(token)
    for key, after in trie.edges.items():
        row = table[key >> 8]
        if row is None:
            row = table[key >> 8] = array("i", bytes(4 * 256))
        row[key & 255] = after

    def match(data: bytes, start: int) -> tuple[int, int]:
        found, end, node = -1, start, 0
        for at in range(start, len(data)):
            row = table[node]
            node = row[data[at]] if row is not None else 0
            if not node:
                break
            if token[node] >= 0:
                found, end = token[node], at + 1
        return found, end

    return Structure(len(token), match)


def double_array(tokens: Tokens) -> Structure:
    """Two arrays, base and check: the child by byte b of slot s is slot base[s] + b if check there is s. First fit."""
    children, token = children_of(tokens)
    base, check, ids = array("i", [0]), array("i", [-1]), array("i", [-1])
    slots = {0: 0}
    free = 1  # no slot before it is free
    check[0] = 0
    for node in range(len(children)):
        slot, own = slots.pop(node), children[node]
        ids[slot] = token[node]
        if not own:
            continue
        while free < len(check) and check[free] >= 0:
            free += 1
        start = max(1, free - own[0][0])
        tries = 0
        while True:
            tries += 1
            last = start + own[-1][0]
            if last >= len(check):
                more = last + 257 - len(check)
                base.extend([0] * more)
                check.extend([-1] * more)
                ids.extend([-1] * more)
            if all(check[start + byte] < 0 for byte, _ in own):
                break
            # a crowded region is not searched again and again
            start += 1 if tries < 200 else 64
        base[slot] = start
        for byte, after in own:
            check[start + byte] = slot
            slots[after] = start + byte

    def match(data: bytes, start: int) -> tuple[int, int]:
        found, end, slot = -1, start, 0
        size = len(check)
        for at in range(start, len(data)):
            after = base[slot] + data[at]
            if after >= size or check[after] != slot or not after:
                break
            slot = after
            if ids[slot] >= 0:
                found, end = ids[slot], at + 1
        return found, end

    return Structure(len(token), match)


def by_pygtrie(tokens: Tokens) -> Structure:
    """pygtrie.Trie, whose keys are the bytes one by one."""
    import pygtrie  # type: ignore[import-not-found,unused-ignore]

    trie = pygtrie.Trie((piece, id) for id, piece in tokens)
    longest = max(len(piece) for _, piece in tokens)

    def match(data: bytes, start: int) -> tuple[int, int]:
        step = trie.longest_prefix(data[start : start + longest])
        return (step.value, start + len(step.key)) if step else (-1, start)

    return Structure(0, match)


def by_marisa(tokens: Tokens) -> Structure:
    """marisa_trie.Trie, whose keys are text: a byte is the character of its number."""
    import marisa_trie  # type: ignore[import-not-found,unused-ignore]

    trie = marisa_trie.Trie(piece.decode("latin-1") for _, piece in tokens)
    ids = {piece: id for id, piece in tokens}
    longest = max(map(len, ids))

    def match(data: bytes, start: int) -> tuple[int, int]:
        found = trie.prefixes(data[start : start + longest].decode("latin-1"))
        if not found:
            return -1, start
        end = start + len(found[-1])
        return ids[data[start:end]], end

    return Structure(0, match)


def by_ahocorasick(tokens: Tokens) -> Structure:
    """pyahocorasick's Automaton as a trie; it gives the longest prefix that is a path, so shorter ones are tried."""
    import ahocorasick  # type: ignore[import-not-found,unused-ignore]

    trie = ahocorasick.Automaton()
    for id, piece in tokens:
        trie.add_word(piece.decode("latin-1"), id)
    longest = max(len(piece) for _, piece in tokens)

    def match(data: bytes, start: int) -> tuple[int, int]:
        text = data[start : start + longest].decode("latin-1")
        for size in range(trie.longest_prefix(text), 0, -1):
            id = trie.get(text[:size], -1)
            if id >= 0:
                return id, start + size
        return -1, start

    return Structure(int(trie.get_stats()["nodes_count"]), match)


STRUCTURES: Final[dict[str, Callable[[Tokens], Structure]]] = {
    "sorted list, text erased from the front": sorted_list,
    "dict of prefixes": dict_of_prefixes,
    "dict of edges (this engine)": dict_of_edges,
    "lists of children in arrays": child_lists,
    "table of 256 children a node": tables,
    "double array": double_array,
    "pygtrie": by_pygtrie,
    "marisa-trie": by_marisa,
    "pyahocorasick": by_ahocorasick,
}
PACKAGES: Final = {"pygtrie": "pygtrie", "marisa-trie": "marisa_trie", "pyahocorasick": "ahocorasick"}
OURS: Final = "dict of edges (this engine)"


class Figure(NamedTuple):
    """One line: a structure, its nodes, its bytes, its longest matches a second."""

    name: str
    nodes: int
    bytes: int
    matches: float


def matched(structure: Structure, data: bytes) -> list[int]:
    """The ids of the longest matches from left to right; a byte without any is -1."""
    ids, start = [], 0
    while start < len(data):
        id, end = structure.match(data, start)
        ids.append(id)
        start = max(end, start + 1)
    return ids


def measure(name: str, tokens: Tokens, data: bytes, expected: list[int]) -> tuple[Figure, list[int]]:
    """Builds and searches one structure. expected: the ids that it must give, empty for the first."""
    gc.collect()
    tracemalloc.start()
    structure = STRUCTURES[name](tokens)
    gc.collect()
    size = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    seconds, ids = timed(lambda: matched(structure, data))
    if expected and ids != expected:
        raise SystemExit(f"{name} gives other tokens")
    return Figure(name, structure.nodes, size, len(ids) / seconds), ids


def text() -> bytes:
    """A text of several languages: the documentation and the sentences of the languages that the app knows."""
    sources = [ROOT / "explorer" / "analysis" / "languages.tsv", ROOT / "ARCHITECTURE.md"]
    return b"".join(source.read_bytes()[: MOST // 2] for source in sources)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tries", description=__doc__)
    parser.add_argument("spec", nargs="?", default="rwkv-world")
    parser.add_argument("--write", action="store_true", help=f"keep the figures in {WRITTEN.relative_to(ROOT)}")
    asked = parser.parse_args()
    vocabulary = explorer.load(asked.spec).vocabulary
    tokens = [(id, piece) for id, piece in enumerate(vocabulary.pieces) if vocabulary.kinds[id] == PieceKind.NORMAL]
    data, ids = text(), list[int]()
    figures: list[Figure] = []
    for name in STRUCTURES:
        if name in PACKAGES and find_spec(PACKAGES[name]) is None:
            print(f"{name}: not installed")
            continue
        figure, ids = measure(name, tokens, data, ids)
        figures.append(figure)
    ours = next(figure.matches for figure in figures if figure.name == OURS)
    lines = [f"{each.name}\t{each.nodes}\t{each.bytes}\t{each.matches / ours:.2f}" for each in figures]
    head = (
        f"# {asked.spec}, {len(tokens)} tokens, {len(ids)} longest matches in {len(data)} bytes of text; "
        f"{datetime.date.today()}, Python {platform.python_version()}, {platform.machine()}, "
        f"this engine {ours:,.0f} matches a second"
    )
    print("\n".join([head, *lines]))
    if asked.write:
        WRITTEN.write_text("\n".join([head, "structure\tnodes\tbytes\tspeed", *lines, ""]), "utf-8")


if __name__ == "__main__":
    main()
