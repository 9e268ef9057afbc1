"""How many tokens of a vocabulary each known pattern would cut, from the vocabulary alone.

Merges happen within the pieces of a pattern, so a vocabulary's own pattern cuts next to none of its tokens: o200k's
cuts 12 of its own, Llama 3's 11,357. The patterns are the models' own, by llama.cpp's names. Those that leave words
together are not tried: they cut no token of any vocabulary.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from operator import itemgetter
from typing import Final, NamedTuple

from explorer.engine.limits.budget import within
from explorer.engine.models.bpe import Bpe
from explorer.engine.pre_tokenizers.by_regex import RegexSplit
from explorer.engine.pre_tokenizers.byte_level import ByteLevel
from explorer.engine.pre_tokenizers.fit import sample, texts_of, tokens_cut
from explorer.engine.pre_tokenizers.patterns import BY_REGEX, KIMI
from explorer.engine.pre_tokenizers.stage import PreTokenization, Splitter
from explorer.engine.unicode.byte_map import bytes_of
from explorer.errors import InputError
from explorer.implementations.huggingface.pre_tokenizers import pre_tokenizers
from explorer.implementations.llama_cpp.conversion_pre import SIGNATURES
from explorer.implementations.opened import Opened
from explorer.vocabulary import PieceKind

SAMPLE: Final = 1_000
"""Tokens that all patterns are tried on; the best are tried on all tokens."""
BEST: Final = 2
SECONDS: Final = 30.0
RAW: Final = ("tiktoken", "mistral-common")
"""The implementations that merge bytes without spelling them."""
WORDS: Final = "of words"
"""A text that a pattern for words cuts."""


class Fit(NamedTuple):
    """The patterns that cut the fewest tokens.

    texts: how many tokens are tried, those that are text of 2 to 1,000 characters. cut: name → how many are cut, the
    fewest first. own: how many the tokenizer's own patterns cut, of `own_texts`, a sample where they are slow.
    """

    texts: int
    cut: tuple[tuple[str, int], ...]
    own_texts: int
    own: int

    @property
    def other_fits(self) -> bool:
        """Whether a known pattern cuts far fewer tokens than the own ones.

        >>> Fit(100_000, (("gpt-2", 3),), 1_000, 50).other_fits, Fit(100_000, (("gpt-2", 3),), 1_000, 0).other_fits
        (True, False)
        """
        return self.own / max(1, self.own_texts) > 0.001 + 10 * self.cut[0][1] / max(1, self.texts)


def fit(tokenizer: Opened) -> Fit | None:
    """The patterns that fit best, None for a tokenizer whose model does not merge the bytes of pieces.

    None, too, if its own patterns take too long.

    >>> import explorer
    >>> fit(explorer.load("cl100k_base")).cut[0]
    ('llama-bpe', 0)
    """
    splitters = [splitter for part in cutters(tokenizer) for splitter in part.splitters]
    own = [splitter for splitter in splitters if not isinstance(splitter, ByteLevel)]
    spelled = len(own) < len(splitters)
    if tokenizer.family != "BPE" or not splitters or not (spelled or tokenizer.implementation in RAW):
        return None
    vocabulary = tokenizer.vocabulary
    # marks at the ends of words, such as CLIP's </w>, are added after the patterns have cut
    prefix, suffix = next(((part.prefix, part.suffix) for part in tokenizer.parts if isinstance(part, Bpe)), (b"", b""))
    pieces = (
        piece.removeprefix(prefix).removesuffix(suffix)
        for piece, kind in zip(vocabulary.pieces, vocabulary.kinds, strict=True)
        if kind == PieceKind.NORMAL
    )
    texts = texts_of((bytes_of(piece.decode("utf-8", "replace")) or b"" for piece in pieces) if spelled else pieces)
    if not texts:
        return None
    few = sample(texts, SAMPLE)
    # a pattern that only the file has may be slow
    trusted = all(isinstance(splitter, RegexSplit) and splitter.pattern.regex in BY_REGEX for splitter in own)
    tried = texts if trusted else few
    known = known_splitters()
    try:
        with within("counting the tokens that known patterns cut", SECONDS):
            best = sorted(known, key=lambda name: tokens_cut(known[name], few, known=True))[:BEST]
            counted = [(name, tokens_cut(known[name], texts, known=True)) for name in best]
            own_cut = tokens_cut(own, tried, known=trusted)
    except InputError:
        return None
    return Fit(len(texts), tuple(sorted(counted, key=itemgetter(1))), len(tried), own_cut)


def cutters(tokenizer: Opened) -> list[PreTokenization]:
    """The stages that cut a text."""
    return [part for part in tokenizer.parts if isinstance(part, PreTokenization)]


@cache
def known_splitters() -> Mapping[str, tuple[Splitter, ...]]:
    """llama.cpp's name → the splitters of the model's own patterns."""
    found: dict[str, tuple[Splitter, ...]] = {"kimi-k2": (RegexSplit(KIMI),)}
    for name, patterns in SIGNATURES:
        splitters = tuple(splitter for pattern in patterns for splitter in splitters_of(pattern, name))
        if name not in found and tokens_cut(splitters, [WORDS], known=True):
            found[name] = splitters
    return found


def splitters_of(pattern: str, name: str) -> Sequence[Splitter]:
    """The splitters of a part of a pre-tokenizer: a regular expression or the type of a part without one."""
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
    return pre_tokenizers({"type": pattern} if pattern.isalpha() else split, name)
