"""Variants of a tokenizer that may give expected ids: an added token's setting `normalized` flipped, another pattern.

A tokenizer.json says for each added token whether it is searched in the original or in the normalized text. In the
normalized text its own spelling is normalized, too: with a normalizer that prepends ▁, `</s>` is searched as `▁</s>`.
Other programs search the original text.

A pattern, one of the bundled models', tiktoken's, Mistral's or llama.cpp's, explains expected ids only if all of them
come out. Some patterns give the same ids for a text; the first is named: those of well-known models, then llama.cpp's
`tokenizer.ggml.pre`, in the order of its own list. For a file that llama.cpp runs, the names of `tokenizer.ggml.pre`
come first, because such a file says the wrong one, or none. A pattern that llama.cpp runs in its own way, or Hugging
Face in Oniguruma's dialect, is run in that way. Leaves out tokenizers without a pattern, and whatever exceeds `BUDGET`.
Of a long text the beginning is tried first, up to the first difference: a pattern that does not change it explains
nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final, NamedTuple

from explorer.analysis.ownership import common
from explorer.analysis.what_if import with_other_whole
from explorer.engine.items import Segment, silent
from explorer.engine.models.bpe import Bpe
from explorer.engine.part import Options, Part
from explorer.engine.partition.special_tokens import AddedToken, AddedTokenPartition
from explorer.engine.pre_tokenizers.by_regex import CollapsedSplit, PreTokenization, RegexSplit, Splitter
from explorer.engine.pre_tokenizers.huggingface import CharSplit
from explorer.engine.pre_tokenizers.patterns import CL100K_BASE, PATTERNS, R50K_BASE
from explorer.engine.pre_tokenizers.scanners import ScannerSplit
from explorer.engine.tokenizer import Trace
from explorer.errors import InputError
from explorer.implementations.huggingface.added_tokens import NORMALIZED
from explorer.implementations.llama_cpp.pre_tokenizers import PRE
from explorer.implementations.opened import Opened, with_pattern
from explorer.stages.stage import text_of
from explorer.text import visible
from explorer.text.say import Say

MOST: Final = 12
"""The most tokens that are tried one by one."""


class Flip(NamedTuple):
    """A tokenizer with the setting of some tokens flipped. ids: of these tokens. says: a clause that follows "they"."""

    tokenizer: Opened
    ids: tuple[int, ...]
    says: Say


def flips(tokenizer: Opened, concerned: Collection[int]) -> Iterator[Flip]:
    """The tokenizers that differ in this setting alone. concerned: the ids that may be affected."""
    added = [token for part in partitions(tokenizer) for token in part.tokens]
    for was in (True, False):
        tokens = [token for token in added if token.normalized is was]
        likely = [token for token in tokens if token.id in concerned]
        for some in (*([token] for token in likely[:MOST]), *[each for each in (likely, tokens) if len(each) > 1]):
            other = flipped(tokenizer, some)
            if other is not None:
                yield Flip(other, tuple(token.id for token in some), words(tokenizer, other, some, was))


def partitions(tokenizer: Opened) -> list[AddedTokenPartition]:
    """The stages that search for added tokens as Hugging Face does."""
    return [part for part in tokenizer.parts if isinstance(part, AddedTokenPartition)]


def flipped(tokenizer: Opened, tokens: Sequence[AddedToken]) -> Opened | None:
    """The tokenizer with the setting of these tokens flipped; None if it has no normalizer."""
    normalizer = next((index for index, part in enumerate(tokenizer.parts) if part.name == "normalize"), None)
    if normalizer is None or not isinstance(tokenizer.parts[0], AddedTokenPartition):
        return None
    gone = {token.id for token in tokens}
    stays = [[token for token in part.tokens if token.id not in gone] for part in partitions(tokenizer)]
    written, normal = stays if len(stays) == 2 else (stays[0], [])
    for token in tokens:
        spelled = tokenizer.vocabulary.pieces[token.id].decode()
        if token.normalized:
            written.append(token._replace(content=spelled, normalized=False))
        else:
            content = text_of(tokenizer.parts[normalizer].run([Segment.of(spelled)], Options(), silent))
            if content:
                normal.append(token._replace(content=content, normalized=True))
    rest = [part for part in tokenizer.parts[normalizer + 1 :] if not isinstance(part, AddedTokenPartition)]
    parts: list[Part] = [AddedTokenPartition(written), *tokenizer.parts[1 : normalizer + 1]]
    parts += [AddedTokenPartition(normal, NORMALIZED)] if normal else []
    return replace(tokenizer, parts=(*parts, *rest))


def searched(tokenizer: Opened, ids: Collection[int]) -> list[AddedToken]:
    """The tokens with these ids that are searched in the normalized text."""
    return [token for part in partitions(tokenizer) for token in part.tokens if token.normalized and token.id in ids]


def words(tokenizer: Opened, other: Opened, tokens: Sequence[AddedToken], was: bool) -> Say:
    """The clause about the expected ids."""
    first, more = tokens[0], len(tokens) - 1
    also = f" and {more} more added token{'s' * (more > 1)}" if more else ""
    there = next((token.content for token in searched(tokenizer if was else other, {first.id})), "")
    if was:
        template = (
            "are those of searching the added token {0:t}{1:t} in the original text; its “normalized” is true, so "
            "{2:t} searches the normalized text for {3:t}"
        )
    else:
        template = (
            "are those of searching the added token {0:t}{1:t} as {3:t} in the normalized text, as if its “normalized” "
            "were true; {2:t} searches the original text"
        )
    return Say.of(template, named(tokenizer, first.id), also, tokenizer.name, quoted(there))


def note(tokenizer: Opened, ids: Collection[int]) -> Say | None:
    """A note about these tokens for ids without an explanation.

    >>> import explorer
    >>> note(explorer.load("gpt-2"), {50256}) is None
    True
    """
    found = [token for token in searched(tokenizer, ids) if token.content != spelling(tokenizer, token.id)]
    if not found:
        return None
    return Say.of(
        "The added token {0:t} is searched as {1:t} in the normalized text, because its “normalized” is true.",
        named(tokenizer, found[0].id),
        quoted(found[0].content),
    )


def named(tokenizer: Opened, id: int) -> str:
    """A token's spelling and id, for a sentence."""
    return f"{quoted(spelling(tokenizer, id))} ({id})"


def spelling(tokenizer: Opened, id: int) -> str:
    """A token's spelling in the vocabulary."""
    return tokenizer.vocabulary.pieces[id].decode()


def quoted(text: str) -> str:
    """A text in quotes."""
    return f"“{visible(text)}”"


BUDGET: Final = 400_000
"""The most characters that are encoded for one search."""

SHORT: Final = 4_000
"""The most characters of a text that is tried as a whole at once."""

AFTER: Final = 200
"""The characters after the first difference that belong to the beginning of a long text."""

TITLES: Final = {
    "gpt-2": "GPT-2",
    "llama-3": "Llama 3",
    "qwen-2": "Qwen 2",
    "tekken": "Mistral's Tekken, which the setting fix_mistral_regex of transformers puts in",
}
"""Known patterns as people call them; the others by their names."""


class OtherPattern(NamedTuple):
    """A tokenizer with another pattern. words: which. regex: a pattern that does the same when typed, "" if none."""

    tokenizer: Opened
    words: str
    regex: str = ""


def other_pattern(
    tokenizer: Opened, given: Trace, expected: Sequence[int], options: Options, differs: int
) -> OtherPattern | None:
    """The first known pattern with which a vocabulary gives exactly the expected ids; None if none does.

    given: the tokenizer's own trace of the text. differs: the index after the characters of the first difference.

    >>> import explorer
    >>> tok = explorer.load("llama-3")
    >>> found = other_pattern(tok, tok.trace("2023"), [508, 1419], Options(), 4)
    >>> found and found.words
    'the pattern of GPT-2'
    """
    text, wanted, left = given.text, list(expected), BUDGET
    beginning = text if len(text) <= SHORT else text[: differs + AFTER]
    like = given if beginning == text else tokenizer.trace_lazily(beginning, **options._asdict())
    for other in others(tokenizer):
        left -= len(beginning)
        if left < 0:
            return None
        with suppress(InputError):  # a pattern may be too slow for a text, or a piece not in the vocabulary
            ids = ids_of(other.tokenizer, like, options)
            # of a long text the beginning has to follow the expected ids further than the tokenizer's own do
            further = beginning == text or common(ids, wanted) > common(like.encoding.ids, wanted)
            if further and (beginning == text or (left := left - len(text)) >= 0):
                if beginning != text:
                    ids = ids_of(other.tokenizer, given, options)
                if ids == wanted:
                    return other._replace(regex=typed(tokenizer, other, given, wanted, options))
    return None


def ids_of(tokenizer: Opened, like: Trace, options: Options) -> list[int]:
    """The ids of a text that another tokenizer, which shares most parts, has traced."""
    return tokenizer.trace_lazily(like.text, **options._asdict(), like=like).encoding.ids


def typed(tokenizer: Opened, other: OtherPattern, given: Trace, wanted: list[int], options: Options) -> str:
    """The pattern if the visitor can type it instead of the tokenizer's own and gets the expected ids; otherwise ""."""
    splitters = [each for part in other.tokenizer.parts for each in patterned(part)]
    if len(splitters) != 1 or len(tokenizer.pattern_slots) != 1:
        return ""
    regex = "|".join(each.regex for each in splitters[0].alternatives)
    with suppress(InputError):
        if ids_of(with_pattern(tokenizer, regex), given, options) == wanted:
            return regex
    return ""


def others(tokenizer: Opened) -> Iterator[OtherPattern]:
    """The tokenizer with every other known pattern, the likeliest first."""
    if not any(map(patterned, tokenizer.parts)):
        yield from put_before(tokenizer)
        return
    for patterns in (of_llama_cpp, known) if tokenizer.implementation == "llama.cpp" else (known, of_llama_cpp):
        yield from patterns(tokenizer)


def known(tokenizer: Opened) -> Iterator[OtherPattern]:
    """The tokenizer with the patterns of well-known models."""
    for name, pattern in PATTERNS.items():
        for other in with_splitters(tokenizer, [RegexSplit(pattern)]):
            yield OtherPattern(other, f"the pattern of {TITLES.get(name, name)}")
    slots = tokenizer.pattern_slots
    if len(slots) == 1 and slots[0].oniguruma:
        for pattern in (CL100K_BASE, R50K_BASE):  # a + after a repeat means another thing there
            yield OtherPattern(
                with_pattern(tokenizer, pattern.regex),
                f"the pattern of {pattern.name} as Hugging Face reads it, in Oniguruma's dialect",
            )


def put_before(tokenizer: Opened) -> Iterator[OtherPattern]:
    """A tokenizer that splits at a literal text alone, with a known pattern before that, as Gemma with Mistral's."""
    at = next((index for index, part in enumerate(tokenizer.parts) if isinstance(part, PreTokenization)), None)
    part = tokenizer.parts[at] if at is not None else None
    if isinstance(part, PreTokenization) and any(isinstance(each, RegexSplit) for each in part.splitters):
        for name, pattern in sorted(PATTERNS.items(), key=lambda item: item[0] != "tekken"):
            made = (
                *tokenizer.parts[:at],
                PreTokenization([RegexSplit(pattern), *part.splitters]),
                *tokenizer.parts[(at or 0) + 1 :],
            )
            words = f"the pattern of {TITLES.get(name, name)}, before its own"
            yield OtherPattern(replace(tokenizer, parts=made), words)


def of_llama_cpp(tokenizer: Opened) -> Iterator[OtherPattern]:
    """The tokenizer with llama.cpp's patterns; both with and without its `ignore_merges`, where that differs."""
    seen = set()
    for name, pre in PRE.items():
        if not pre.bytes_spelled:
            continue
        for whole in dict.fromkeys((pre.ignore_merges, None)):
            key = pre.patterns, whole
            if key in seen:
                continue
            seen.add(key)
            for other in with_splitters(tokenizer, pre.splitters, whole):
                yield OtherPattern(other, f"llama.cpp's pre-tokenizer “{name}”")


def patterned(part: Part) -> list[Splitter]:
    """The splitters of a part that have a pattern, which is more than a literal text."""
    every = part.splitters if isinstance(part, PreTokenization) else ()
    return [each for each in every if isinstance(each, ScannerSplit | CollapsedSplit)
            or (isinstance(each, RegexSplit) and each.pattern.name != "text")]  # fmt: skip


def with_splitters(tokenizer: Opened, splitters: Sequence[Splitter], whole: bool | None = None) -> Iterator[Opened]:
    """The tokenizer with these splitters instead of its patterns; also without its splitters of single characters.

    whole: whether a piece that is a token is used whole; None keeps the setting.
    """
    has_digits = any(
        isinstance(each, CharSplit)
        for part in tokenizer.parts
        for each in (part.splitters if isinstance(part, PreTokenization) else ())
    )
    for dropped in ((), (CharSplit,)) if has_digits else ((),):
        yield replace(tokenizer, parts=tuple(replaced(part, splitters, dropped, whole) for part in tokenizer.parts))


def replaced(
    part: Part, splitters: Sequence[Splitter], dropped: tuple[type[Splitter], ...], whole: bool | None
) -> Part:
    """A part with these splitters instead of its patterns, or with another setting of merges."""
    if isinstance(part, Bpe) and whole is not None and part.whole is not whole:
        return with_other_whole(part)
    old = patterned(part)
    if not old:
        return part
    assert isinstance(part, PreTokenization), "only it has patterns"
    made: list[Splitter] = []
    for each in part.splitters:
        if each is old[0]:
            made += splitters
        elif each not in old and not isinstance(each, dropped):
            made.append(each)
    return PreTokenization(made)
