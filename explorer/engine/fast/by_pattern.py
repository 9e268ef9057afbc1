"""The strategy of byte-level BPE: the pre-tokenizer's patterns split the text, and each piece is looked up."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise

from explorer.engine.fast.by_stages import texts_after
from explorer.engine.fast.cache import PieceCache
from explorer.engine.fast.piece_encoder import PieceEncoder
from explorer.engine.fast.re_patterns import Split, split_by_regex, split_by_scanner
from explorer.engine.items import Segment
from explorer.engine.normalizers.stage import Normalization
from explorer.engine.normalizers.unicode_forms import UnicodeForm
from explorer.engine.part import Part
from explorer.engine.pre_tokenizers.by_regex import RegexSplit
from explorer.engine.pre_tokenizers.by_scanner import ScannerSplit
from explorer.engine.pre_tokenizers.byte_level import ByteLevel
from explorer.engine.pre_tokenizers.patterns import BY_REGEX
from explorer.engine.pre_tokenizers.scanners import SCANNERS
from explorer.engine.pre_tokenizers.stage import Behavior, PreTokenization, Splitter


class ByPattern:
    """Normalizes, splits by pattern, looks up.

    before: the normalization, if there is one. splits: applied in turn, each to the output of the one before.
    """

    def __init__(self, before: Sequence[Part], splits: Sequence[Split], encoder: PieceEncoder) -> None:
        self.before, self.splits = tuple(before), tuple(splits)
        normalizers = [one for part in before if isinstance(part, Normalization) for one in part.normalizers]
        self.form = normalizers[0] if len(normalizers) == 1 and isinstance(normalizers[0], UnicodeForm) else None
        self.encoder = encoder
        self.cache = PieceCache(encoder)

    def ids(self, fragment: Segment) -> list[int]:
        """The ids of a fragment."""
        return self.cache.all_of(self.pieces(fragment.text))

    def pieces(self, text: str) -> list[str]:
        """The pieces of a fragment's text, each solved by itself, before bytes are spelled."""
        texts = [self.normalized(text)] if self.before else [text]
        for split in self.splits:
            texts = split(texts[0]) if len(texts) == 1 else [piece for text in texts for piece in split(text)]
        return texts

    def normalized(self, text: str) -> str:
        """The text after normalization."""
        if self.form is None:
            return "".join(texts_after(self.before, Segment.of(text)))
        return text if self.form.keeps(text) else self.form.text(text)


def by_pattern(between: Sequence[Part], model: Part) -> ByPattern | None:
    """The strategy, None where the pre-tokenizer has a splitter that is not supported here."""
    *before, stage = between or (None,)
    if not isinstance(stage, PreTokenization) or not all(isinstance(part, Normalization) for part in before):
        return None
    splitters = list(stage.splitters)
    bytes_spelled = isinstance(splitters[-1], ByteLevel) if splitters else False
    splits = [split_of(splitter) for splitter in (splitters[:-1] if bytes_spelled else splitters)]
    supported = [split for split in splits if split is not None]
    if not supported or len(supported) < len(splits):
        return None
    return ByPattern([part for part in before if part], supported, PieceEncoder(model, bytes_spelled=bytes_spelled))


def split_of(splitter: Splitter) -> Split | None:
    """A splitter as a function from text to texts, None where it is not supported."""
    if isinstance(splitter, ScannerSplit):
        return split_by_scanner(splitter.scanner) if splitter.scanner in FAITHFUL else None
    if not isinstance(splitter, RegexSplit):
        return None
    isolated = splitter.behavior == Behavior.ISOLATED and not splitter.invert
    if splitter.pattern.regex not in BY_REGEX:
        return partial(at_matches, splitter) if isolated else None
    # a known pattern matches every character, so there is nothing between its matches
    if not isolated and not (splitter.behavior == Behavior.REMOVED and splitter.invert):
        return None
    return split_by_regex(splitter.regex, "|".join(alternative.runs for alternative in splitter.alternatives))


def at_matches(splitter: RegexSplit, text: str) -> list[str]:
    """The matches of a pattern and the text between them. An empty match splits, too.

    >>> from explorer.engine.regexes.pattern import Alternative, Pattern
    >>> at_matches(RegexSplit(Pattern("", "", (Alternative("b", ""),))), "abcb")
    ['a', 'b', 'c', 'b']
    """
    boundaries = {0, len(text)}
    for match in splitter.matches_in_time(text):
        boundaries.update(match.span())
    return [text[start:end] for start, end in pairwise(sorted(boundaries))]


FAITHFUL = tuple(scanner for scanner in SCANNERS.values() if scanner.name.startswith(("gpt-2", "llama-3", "qwen")))
"""Scanners that do exactly what their alternatives say."""
