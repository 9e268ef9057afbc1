"""Which tokenizers are compiled, and why others aren't.

Byte-level BPE (`by_pattern`) is compiled as a whole where the pattern is known; a Unicode form before it runs in
Python, on the lines that may need it. RWKV's walk through its trie is compiled as a whole. Where texts are cut at white
space (`spaces`, `at_white_space`), finding and remembering pieces is compiled. So are new pieces of WordPiece,
except those with a character that is new, or that its neighbors may change, and new pieces of SentencePiece's BPE (by
score, or by a list of merges) and of Unigram with sums in 64 bits, unless user-defined pieces change what the character
map does. Other new pieces are solved in Python.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import Final, NamedTuple

from explorer.compiled.records import Scanner
from explorer.compiled.scanners import END_WHOLE, GPT2, LLAMA3, LONG_S, NO_CONTRACTIONS, O200K, SPACES
from explorer.engine.fast.at_white_space import WHITE, AtWhiteSpace
from explorer.engine.fast.by_pattern import keeps_matches, pre_tokenization
from explorer.engine.fast.cache import Ids
from explorer.engine.fast.compiling import classes
from explorer.engine.fast.compiling.tables import LONGEST_SYMBOLS
from explorer.engine.fast.solvers import is_plain
from explorer.engine.fast.spaces import SPACE, AtSpaces, Spaces
from explorer.engine.models.bpe import Bpe, Bytes, MergeableRanks
from explorer.engine.models.trie import TrieMatch
from explorer.engine.models.wordpiece import LongestMatch
from explorer.engine.part import Part
from explorer.engine.pre_tokenizers.by_regex import RegexSplit
from explorer.engine.pre_tokenizers.patterns import BY_REGEX
from explorer.engine.pre_tokenizers.scanners import ScannerSplit
from explorer.engine.pre_tokenizers.stage import Splitter

OF_PATTERNS: Final = {
    "gpt-2": (GPT2, 0, 0),
    "r50k_base": (GPT2, 0, 0),
    "llama-3": (LLAMA3, 3, LONG_S),
    "qwen-2": (LLAMA3, 1, LONG_S),
    "cl100k_base": (LLAMA3, 3, LONG_S | END_WHOLE),
    "o200k_base": (O200K, 3, LONG_S),
    "tekken": (O200K, 1, NO_CONTRACTIONS),
}
"""Patterns of `patterns.PATTERNS` as rules of a scanner (family, most numbers in a piece, flags); Kimi's has none."""

OF_SCANNERS: Final = {
    "gpt-2 (llama.cpp)": ((GPT2, 0, 0), False),
    "llama-3 (llama.cpp)": ((LLAMA3, 3, 0), False),
    "qwen-2 (llama.cpp)": ((LLAMA3, 1, 0), False),
    "qwen-3.5 (llama.cpp)": ((LLAMA3, 1, 0), True),
}
"""llama.cpp's scanners likewise, and whether marks are letters."""


class NotCompiled(Exception):
    """Why a tokenizer is not compiled, as a clause."""


def at_spaces(strategy: object) -> AtPieces | None:
    """What is compiled of a tokenizer whose texts are cut at white space, None for another strategy."""
    if isinstance(strategy, AtWhiteSpace):
        model = strategy.encoder.model
        words = (model, strategy.characters) if isinstance(model, LongestMatch) else None
        return AtPieces(scanner_at(WHITE), lambda piece: strategy.solve(piece.strip(WHITE)), b"", inf, words)
    if not isinstance(strategy, AtSpaces):
        return None
    spaces = strategy.spaces
    dropped = spaces.dropped

    def solve(piece: str) -> Ids:
        if not dropped:
            return strategy.encoder(spaces.rewrite(piece))
        word = piece.lstrip(dropped)
        return strategy.solve(word) if word else ()

    # a space in front of the text makes its first piece one that follows a space
    front = SPACE.encode() if spaces.front and not dropped else b""
    scanner = scanner_at(dropped, "" if dropped else strategy.followed + SPACE + spaces.written)
    return AtPieces(scanner, solve, front, strategy.most, respelled=(strategy.encoder.model, spaces))


def scanner_at(dropped: str, joined: str = "") -> Scanner:
    """The scanner that cuts at white space.

    dropped: white space that only separates. joined: characters that a space may follow within a token.
    """
    return Scanner(SPACES, 0, 0, classes.of_characters(dropped, joined))


class AtPieces(NamedTuple):
    """What is compiled where texts are cut at white space: finding pieces, and those met before.

    solve: the ids of a new piece; raises NotIndependent. front: what every text begins with. most: characters of the
    longest text that may be cut. words: WordPiece, and what each character becomes before it; then new pieces are
    compiled, too. respelled: another model likewise, and what is done to spaces before it.
    """

    scanner: Scanner
    solve: Callable[[str], Ids]
    front: bytes
    most: float
    words: tuple[LongestMatch, Mapping[int, str]] | None = None
    respelled: tuple[Part, Spaces] | None = None


class Parts(NamedTuple):
    """What is compiled. before: the normalization, which runs in Python. scanner: makes the tables when called."""

    before: tuple[Part, ...]
    scanner: Callable[[], Scanner]
    model: Bpe
    bytes_spelled: bool


Compiled = Parts | AtPieces | TrieMatch
"""What is compiled; of RWKV, a walk through its trie."""


def parts_of(between: Sequence[Part], model: Part) -> Parts:
    """What is compiled of a tokenizer. between: the stages after the partition and before the model.

    Raises NotCompiled.
    """
    if not isinstance(model, Bpe):
        raise NotCompiled(
            f"its model is {type(model).__name__}, and only BPE over bytes, WordPiece, RWKV's trie and models whose "
            "texts can be cut at spaces are compiled"
        )
    stages = pre_tokenization(between)
    if stages is None:
        raise NotCompiled("it has no pre-tokenizer with a pattern")
    before, splitters, bytes_spelled = stages
    if len(splitters) != 1:
        raise NotCompiled("its text is split by several patterns, or by none")
    scanner = scanner_of(splitters[0])
    if not (bytes_spelled or isinstance(model.initial, Bytes)):
        raise NotCompiled("its model merges characters, not bytes")
    if not is_plain(model) or callable(model.whole):
        raise NotCompiled("its merges depend on where a piece stands")
    if isinstance(model.rule, MergeableRanks) and sum(len(each) ** 2 for each in model.rule.ranks) > LONGEST_SYMBOLS:
        raise NotCompiled("its pieces are too long to be split at every byte")
    return Parts(tuple(before), scanner, model, bytes_spelled)


def scanner_of(splitter: Splitter) -> Callable[[], Scanner]:
    """The compiled scanner that cuts as a splitter does. Raises NotCompiled."""
    if isinstance(splitter, ScannerSplit) and splitter.scanner.name in OF_SCANNERS:
        rules, marks = OF_SCANNERS[splitter.scanner.name]
        return lambda: Scanner(*rules, classes.of_scanners(marks))
    if isinstance(splitter, RegexSplit) and splitter.pattern.regex in BY_REGEX and keeps_matches(splitter):
        known = OF_PATTERNS.get(BY_REGEX[splitter.pattern.regex].name)
        if known is not None:
            return lambda: Scanner(*known, classes.of_regex())
    raise NotCompiled("its pattern is none of those that are compiled")
