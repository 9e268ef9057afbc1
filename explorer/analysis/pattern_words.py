"""The difference of two patterns in words, for the page and the command line."""

from __future__ import annotations

from explorer.analysis.pattern_difference import AlternativePair, PatternDifference
from explorer.engine.regexes.pattern import Alternative
from explorer.text import visible
from explorer.text.quantities import number, plural

NONE = "–"


def summary(found: PatternDifference) -> str:
    """The difference in a sentence or two.

    >>> from explorer.analysis.pattern_difference import difference, known_pattern
    >>> summary(difference(known_pattern("qwen-2"), known_pattern("llama-3")))
    '1 of 7 alternatives is spelled differently. 26,156 short texts were cut by both patterns, the shortest first.'
    """
    count, of = found.different, len(found.pairs)
    verb = "is" if count == 1 else "are"
    apart = any(pair.texts for pair in found.pairs)
    searched = f"{number(found.searched)} short texts were cut by both patterns, the shortest first"
    if not count:
        said = "All alternatives are spelled alike."
    else:
        said = f"{number(count)} of {plural(of, 'alternative')} {verb} spelled differently."
    return f"{said} {searched}{'' if apart else ': all into the same pre-tokens'}."


def pieces(text: tuple[str, ...]) -> str:
    """Pieces with bars between them, made visible.

    >>> pieces((" ", "1"))
    '␣ | 1'
    """
    return " | ".join(visible(piece) for piece in text)


def verdict(pair: AlternativePair) -> str:
    """What the search says of two alternatives, in a few words."""
    if pair.texts:
        return ""
    return "the same" if pair.same else "no text tells them apart"


def shown(alternatives: tuple[Alternative, ...], index: int | None) -> str:
    """An alternative after its number."""
    return NONE if index is None else f"{index + 1}  {visible(alternatives[index].regex)}"
