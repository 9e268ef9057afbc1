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
from explorer.engine.pre_tokenizers.by_regex import ByteLevel, RegexSplit
from explorer.engine.pre_tokenizers.patterns import BY_REGEX
from explorer.engine.pre_tokenizers.scanners import SCANNERS, ScannerSplit
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
    stages = pre_tokenization(between)
    if stages is None:
        return None
    before, splitters, bytes_spelled = stages
    splits = [split for splitter in splitters if (split := split_of(splitter)) is not None]
    if not splits or len(splits) < len(splitters):
        return None
    return ByPattern(before, splits, PieceEncoder(model, bytes_spelled=bytes_spelled))


def pre_tokenization(between: Sequence[Part]) -> tuple[Sequence[Part], Sequence[Splitter], bool] | None:
    """The normalization before a pre-tokenizer, its splitters, and whether it spells bytes after them.

    None for other stages.
    """
    *before, stage = between or (None,)
    if not isinstance(stage, PreTokenization) or not all(isinstance(part, Normalization) for part in before):
        return None
    splitters = stage.splitters
    bytes_spelled = bool(splitters) and isinstance(splitters[-1], ByteLevel)
    return between[:-1], splitters[: len(splitters) - bytes_spelled], bytes_spelled


def split_of(splitter: Splitter) -> Split | None:
    """A splitter as a function from text to texts, None where it is not supported."""
    if isinstance(splitter, ScannerSplit):
        return split_by_scanner(splitter.scanner) if splitter.scanner in FAITHFUL else None
    if not isinstance(splitter, RegexSplit):
        return None
    if splitter.pattern.regex not in BY_REGEX:
        isolated = splitter.behavior == Behavior.ISOLATED and not splitter.invert
        return partial(at_matches, splitter) if isolated else None
    if not keeps_matches(splitter):
        return None
    return split_by_regex(splitter.regex, "|".join(alternative.runs for alternative in splitter.alternatives))


def keeps_matches(splitter: RegexSplit) -> bool:
    """Whether the pieces are the matches of a known pattern, which matches every character."""
    return (splitter.behavior, splitter.invert) in ((Behavior.ISOLATED, False), (Behavior.REMOVED, True))


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
