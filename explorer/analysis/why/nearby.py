"""What becomes of a cut elsewhere: under other tokenizers, and in spellings nearby.

Both encode the whole text, because what is around a word may decide how it is cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from explorer.engine.items import Token
from explorer.engine.results import Trace
from explorer.implementations.opened import Opened
from explorer.stages.answers import Cut
from explorer.stages.speller import Form, Speller
from explorer.text.say import Say
from explorer.vocabulary import PieceKind

LONGEST: Final = 4_000
"""Code points of a text that is encoded again, several times."""
MOST_CHARACTERS: Final = 60
"""Characters around a cut that are spelled otherwise."""
WITHOUT_SPACE: Final = " without its space"


class NearbySpelling(NamedTuple):
    """Another spelling of the characters [start, end), which were `was`, and the tokens there: their texts and ids."""

    label: str
    start: int
    end: int
    was: str
    text: str
    tokens: tuple[tuple[str, int], ...]


class CutElsewhere(NamedTuple):
    """The parts into which some tokenizers cut the characters; one part is the whole. names: of the tokenizers."""

    parts: tuple[str, ...]
    names: tuple[str, ...]


class Elsewhere(NamedTuple):
    """How other tokenizers cut the same characters, those with the fewest parts first."""

    say: Say
    cuts: tuple[CutElsewhere, ...]


def characters_of(cut: Cut, text: str) -> tuple[int, int] | None:
    """The characters [start, end) of both tokens, without white space around; None where they share or lack any."""
    left, right = cut.left, cut.right
    if left.start is None or right.start is None or left.end is None or right.end is None or len(text) > LONGEST:
        return None
    start, end = left.start, right.end
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return (start, end) if 0 < end - start <= MOST_CHARACTERS else None


def tokens_in(tokens: Iterable[Token], start: int, end: int) -> list[Token]:
    """The tokens that come from characters in [start, end)."""
    return [token for token in tokens if 0 <= token.start < end and token.end > start]


def nearby(tokenizer: Opened, trace: Trace, cut: Cut, form: Form = Form.NOTATION) -> Iterator[NearbySpelling]:
    """The characters at a cut in other spellings: with or without the space in front, in other case.

    >>> import explorer
    >>> from explorer.analysis.why import why_cut
    >>> tok = explorer.load("llama-2")
    >>> trace = tok.trace("What is LoRA?")
    >>> for each in nearby(tok, trace, why_cut(trace, 3)):
    ...     print(each.label, [text for text, _ in each.tokens])
    lora ['▁l', 'ora']
    Lora ['▁L', 'ora']
    LORA ['▁L', 'OR', 'A']
    LoRA without its space ['Lo', 'RA']
    """
    text = trace.text
    span = characters_of(cut, text)
    if span is None:
        return
    start, end = span
    core, speller = text[start:end], Speller(trace, form)
    seen = {core}
    for other in (core.lower(), core.capitalize(), core.upper()):
        if other not in seen:
            seen.add(other)
            yield spelled(tokenizer, trace, speller, (start, end), other, other)
    before = text[start - 1 : start]
    if before and not before.isspace():
        yield spelled(tokenizer, trace, speller, (start, end), f" {core}", f"·{core}")
    elif before == " " and start > 1:
        yield spelled(tokenizer, trace, speller, (start - 1, end), core, core + WITHOUT_SPACE)


def spelled(
    tokenizer: Opened, trace: Trace, speller: Speller, span: tuple[int, int], other: str, label: str
) -> NearbySpelling:
    """One spelling, in its place in the text."""
    start, end = span
    tokens = tokenizer.encode(trace.text[:start] + other + trace.text[end:], **trace.options._asdict()).tokens
    found = tokens_in(tokens, start + len(other) - len(other.lstrip()), start + len(other))
    return NearbySpelling(
        label, start, end, trace.text[start:end], other, tuple((speller.token(token.id), token.id) for token in found)
    )


def elsewhere(trace: Trace, cut: Cut, others: Iterable[tuple[str, Opened]]) -> Elsewhere | None:
    """How other tokenizers, by name, cut the characters at a cut; None for a text that is too long.

    >>> import explorer
    >>> from explorer.analysis.why import why_cut
    >>> from explorer.text.say import plain
    >>> trace = explorer.load("llama-2").trace("What is LoRA?")
    >>> others = [(name, explorer.load(name)) for name in ("gpt-2", "bert-uncased")]
    >>> found = elsewhere(trace, why_cut(trace, 3), others)
    >>> plain(found.say), found.cuts
    ('None of the 2 other tokenizers here keeps “LoRA” as one token.', \
(CutElsewhere(parts=('Lo', 'RA'), names=('gpt-2', 'bert-uncased')),))
    """
    span = characters_of(cut, trace.text)
    if span is None:
        return None
    by_parts: dict[tuple[str, ...], list[str]] = {}
    whole, count = [], 0
    for name, tokenizer in others:
        count += 1
        parts = parts_in(trace, tokenizer, *span)
        if parts is WHOLE:
            whole.append(name)
        by_parts.setdefault((trace.text[slice(*span)],) if parts is WHOLE else parts, []).append(name)
    core = trace.text[slice(*span)]
    if whole:
        keeps = "keeps" if len(whole) == 1 else "keep"
        said = Say.of(
            f"{{0}} of the {{1}} other tokenizers here {keeps} {{2:q}} as one token.", len(whole), count, core
        )
    else:
        said = Say.of("None of the {0} other tokenizers here keeps {1:q} as one token.", count, core)
    cuts = [CutElsewhere(parts, tuple(names)) for parts, names in by_parts.items()]
    return Elsewhere(said, tuple(sorted(cuts, key=lambda each: len(each.parts))))


WHOLE: Final[tuple[str, ...]] = ("whole",)


def parts_in(trace: Trace, tokenizer: Opened, start: int, end: int) -> tuple[str, ...]:
    """The parts of the characters [start, end), or `WHOLE`. A character in several tokens has their number."""
    tokens = tokens_in(tokenizer.encode(trace.text, **trace.options._asdict()).tokens, start, end)
    kinds = tokenizer.vocabulary.kinds
    parts: list[str] = []
    before: tuple[int, int] | None = None
    for token in tokens:
        text = trace.text[token.start : token.end].strip()
        span = token.end - len(trace.text[token.start : token.end].lstrip()), token.end
        if kinds[token.id] == PieceKind.UNKNOWN:
            parts.append(f"{text} unknown")
        elif span == before:
            name, _, times = parts[-1].partition(" × ")
            parts[-1] = f"{name} × {int(times or 1) + 1}"
        elif text:
            parts.append(text)
        before = span
    if len(tokens) == 1 and parts == [trace.text[start:end]]:
        return WHOLE
    return tuple(parts)
