"""What becomes of a cut elsewhere: under other tokenizers, and in spellings nearby.

Both encode the whole text, because what is around a word may decide how it is cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from explorer.engine.items import Token
from explorer.engine.tokenizer import Encoding, Trace
from explorer.implementations.opened import Opened
from explorer.stages.spelling import Form, Speller
from explorer.stages.why import Cut
from explorer.text.say import Say, Text
from explorer.vocabulary import PieceKind

LONGEST: Final = 4_000
"""Code points of a text that is encoded again, several times."""
MOST_CHARACTERS: Final = 60
"""Characters around a cut that are spelled otherwise."""


class OtherSpelling(NamedTuple):
    """Another spelling of the characters [start, end), which were `was`, and the tokens there: their texts and ids."""

    label: str
    start: int
    end: int
    was: str
    text: str
    tokens: tuple[tuple[str, int], ...]


class OtherCut(NamedTuple):
    """The parts into which some tokenizers cut the characters; one part is the whole. names: of the tokenizers."""

    parts: tuple[str, ...]
    names: tuple[str, ...]


class OtherTokenizers(NamedTuple):
    """How other tokenizers cut the same characters, those with the fewest parts first."""

    say: Say
    cuts: tuple[OtherCut, ...]


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


def other_spellings(tokenizer: Opened, trace: Trace, cut: Cut, form: Form = Form.NOTATION) -> Iterator[OtherSpelling]:
    """The characters at a cut in other spellings: with or without the space in front, in other case.

    >>> import explorer
    >>> from explorer.analysis.why import why_cut
    >>> tok = explorer.load("llama-2")
    >>> trace = tok.trace("What is LoRA?")
    >>> for each in other_spellings(tok, trace, why_cut(trace, 3)):
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
        yield spelled(tokenizer, trace, speller, (start - 1, end), core, Text.of("{0:t} without its space", core))


def spelled(
    tokenizer: Opened, trace: Trace, speller: Speller, span: tuple[int, int], other: str, label: str
) -> OtherSpelling:
    """One spelling, in its place in the text."""
    start, end = span
    tokens = tokenizer.encode(trace.text[:start] + other + trace.text[end:], **trace.options._asdict()).tokens
    found = tokens_in(tokens, start + len(other) - len(other.lstrip()), start + len(other))
    return OtherSpelling(
        label, start, end, trace.text[start:end], other, tuple((speller.token(token.id), token.id) for token in found)
    )


def other_tokenizers(characters: str, others: Iterable[tuple[str, tuple[str, ...]]]) -> OtherTokenizers:
    """How other tokenizers cut the characters at a cut. others: by name, the parts that each cuts them into.

    >>> import explorer
    >>> from explorer.analysis.why import why_cut
    >>> from explorer.text.say import plain
    >>> trace = explorer.load("llama-2").trace("What is LoRA?")
    >>> start, end = characters_of(why_cut(trace, 3), trace.text)
    >>> others = [explorer.load(name).encode(trace.text) for name in ("gpt-2", "bert-uncased")]
    >>> parts = [parts_in(trace.text, each, start, end) for each in others]
    >>> found = other_tokenizers("LoRA", zip(("gpt-2", "bert-uncased"), parts))
    >>> plain(found.say), found.cuts
    ('None of the 2 other tokenizers here keeps “LoRA” as one token.', \
(OtherCut(parts=('Lo', 'RA'), names=('gpt-2', 'bert-uncased')),))
    """
    by_parts: dict[tuple[str, ...], list[str]] = {}
    for name, parts in others:
        by_parts.setdefault(parts, []).append(name)
    count, whole = sum(map(len, by_parts.values())), by_parts.get((characters,), [])
    if whole:
        keeps = "keeps" if len(whole) == 1 else "keep"
        said = Say.of(
            f"{{0}} of the {{1}} other tokenizers here {keeps} {{2:q}} as one token.", len(whole), count, characters
        )
    else:
        said = Say.of("None of the {0} other tokenizers here keeps {1:q} as one token.", count, characters)
    cuts = [OtherCut(parts, tuple(names)) for parts, names in by_parts.items()]
    return OtherTokenizers(said, tuple(sorted(cuts, key=lambda each: len(each.parts))))


def parts_in(text: str, encoding: Encoding, start: int, end: int) -> tuple[str, ...]:
    """The parts of the characters [start, end), one if they are a token. Those in several tokens have their number."""
    parts: list[str] = []
    before: tuple[int, int] | None = None
    for token in tokens_in(encoding.tokens, start, end):
        part = text[token.start : token.end].lstrip()
        span, part = (token.end - len(part), token.end), part.rstrip()
        if encoding.vocabulary.kinds[token.id] == PieceKind.UNKNOWN:
            parts.append(f"{part} unknown")
        elif span == before:
            name, _, times = parts[-1].partition(" × ")
            parts[-1] = f"{name} × {int(times or 1) + 1}"
        elif part:
            parts.append(part)
        before = span
    return tuple(parts)
