"""The way of byte-level BPE: the pre-tokenizer's patterns cut the text, and each piece is looked up."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise

from explorer.engine.fast.by_stages import texts_after
from explorer.engine.fast.cache import Memory
from explorer.engine.fast.piece_encoder import Pieces
from explorer.engine.fast.re_patterns import Cut, cut_by_regex, cut_by_scanner
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
from explorer.engine.trace import silent


class ByPattern:
    """before: the normalization, if there is one. cuts: applied in turn, each to what the one before made."""

    def __init__(self, before: Sequence[Part], cuts: Sequence[Cut], pieces: Pieces) -> None:
        self.before, self.cuts = tuple(before), tuple(cuts)
        normalizers = [one for part in before if isinstance(part, Normalization) for one in part.normalizers]
        self.form = normalizers[0] if len(normalizers) == 1 and isinstance(normalizers[0], UnicodeForm) else None
        self.memory = Memory(pieces)

    def ids(self, fragment: Segment) -> list[int]:
        texts = [self.normalized(fragment)] if self.before else [fragment.text]
        for cut in self.cuts:
            texts = cut(texts[0]) if len(texts) == 1 else [piece for text in texts for piece in cut(text)]
        return self.memory.all_of(texts)

    def normalized(self, fragment: Segment) -> str:
        """The text after the normalization; where that is a Unicode form, line by line."""
        text, form = fragment.text, self.form
        if form is None:
            return "".join(texts_after(self.before, fragment))
        if form.keeps(text):
            return text
        # nothing composes with the end of a line, and no mark changes places with one
        return "".join(form.apply(Segment.of(line), 0, False, silent).text for line in text.splitlines(keepends=True))


def by_pattern(between: Sequence[Part], model: Part) -> ByPattern | None:
    """The way, None where the pre-tokenizer is not made of splitters that are known here."""
    *before, stage = between or (None,)
    if not isinstance(stage, PreTokenization) or not all(isinstance(part, Normalization) for part in before):
        return None
    splitters = list(stage.splitters)
    bytes_spelled = isinstance(splitters[-1], ByteLevel) if splitters else False
    cuts = [cut_of(splitter) for splitter in (splitters[:-1] if bytes_spelled else splitters)]
    known = [cut for cut in cuts if cut is not None]
    if not known or len(known) < len(cuts):
        return None
    return ByPattern([part for part in before if part], known, Pieces(model, bytes_spelled=bytes_spelled))


def cut_of(splitter: Splitter) -> Cut | None:
    """A splitter as a function from text to texts, None where it is none of those known here."""
    if isinstance(splitter, ScannerSplit):
        return cut_by_scanner(splitter.scanner) if splitter.scanner in FAITHFUL else None
    if not isinstance(splitter, RegexSplit):
        return None
    isolated = splitter.behavior == Behavior.ISOLATED and not splitter.invert
    if splitter.pattern.regex not in BY_REGEX:
        return partial(at_matches, splitter) if isolated else None
    # a known pattern takes every character, so there is nothing between its matches
    if not isolated and not (splitter.behavior == Behavior.REMOVED and splitter.invert):
        return None
    return cut_by_regex(splitter.regex, "|".join(alternative.runs for alternative in splitter.alternatives))


def at_matches(splitter: RegexSplit, text: str) -> list[str]:
    """What a pattern matches and what lies between its matches. An empty match cuts, too.

    >>> from explorer.engine.regexes.pattern import Alternative, Pattern
    >>> at_matches(RegexSplit(Pattern("", "", (Alternative("b", ""),))), "abcb")
    ['a', 'b', 'c', 'b']
    """
    places = {0, len(text)}
    for match in splitter.in_time(text):
        places.update(match.span())
    return [text[start:end] for start, end in pairwise(sorted(places))]


FAITHFUL = tuple(scanner for scanner in SCANNERS.values() if scanner.name.startswith(("gpt-2", "llama-3", "qwen")))
"""Scanners that do what the alternatives say that their branches stand for."""
