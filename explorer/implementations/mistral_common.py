"""Tokenizers as mistral-common runs them, from a tekken.json.

It hands the ranks and the pattern to tiktoken, without special tokens: their spelling in a text is text like any other,
so there is no partition and `parse_special` changes nothing. The ids it gets are moved up behind the special ones.
`add_special` adds BOS, as its argument `bos` does and as all its requests begin; EOS (`eos`), which it puts behind what
a model answered, is not added.

One thing differs: bytes are joined before they are read as text, also over a special token that is left out, where
mistral-common reads the stretches on its two sides each by itself.
"""

from __future__ import annotations

from collections.abc import Iterator

from explorer.engine.decoders.bpe import PieceDecoder, raw
from explorer.engine.post_processors.add_special import AddSpecial
from explorer.engine.pre_tokenizers.custom_pattern import typed_pattern
from explorer.engine.regexes.pattern import Pattern
from explorer.engine.tokenizer import Tokenizer
from explorer.errors import InputError
from explorer.facts import Fact, FactKind
from explorer.formats.tekken import Tekken
from explorer.implementations.tiktoken import by_ranks
from explorer.vocabulary import PieceKind, Vocabulary

IMPLEMENTATION = "mistral-common"
BOS = "<s>"


def from_tekken(file: Tekken, name: str) -> Tokenizer:
    """The tokenizer of a tekken.json. Raises InputError where its pattern cannot be run."""
    special = file.special_tokens
    pieces = (*(token.encode() for token in special), *file.ranks)
    kinds = bytes([PieceKind.CONTROL]) * len(special) + bytes([PieceKind.NORMAL]) * len(file.ranks)
    ids = {piece: len(special) + rank for piece, rank in file.ranks.items()}
    # a token with a rank may be spelled like a special one, and only the former is ever found in a text
    vocabulary = Vocabulary(pieces, (), kinds, dict(zip(pieces, range(len(special)), strict=False)) | ids)
    bos = special.index(BOS) if BOS in special else None
    pattern = pattern_of(file, name)
    return Tokenizer(
        name=name,
        family="BPE",
        implementation=IMPLEMENTATION,
        vocabulary=vocabulary,
        parts=(*by_ranks(vocabulary, ids, pattern), AddSpecial(bos)),
        decoder=PieceDecoder(vocabulary, raw, special=range(len(special)), first=bos),
        facts=tuple(facts_of(file, pattern)),
    )


def pattern_of(file: Tekken, name: str) -> Pattern:
    try:
        return typed_pattern(file.pattern)
    except InputError as error:
        raise InputError(f"{name}: config.pattern: {error}") from None


def facts_of(file: Tekken, pattern: Pattern) -> Iterator[Fact]:
    """The card of a tekken.json."""
    special, size = len(file.special_tokens), "config.default_vocab_size"
    says = f"{len(file.ranks):,} tokens with ranks, whose ids begin at {special}: neighbours merge if their joined "
    yield Fact("model", f"{says}bytes are one.", "vocab")
    if file.beyond:
        says = f"{file.beyond:,} more tokens stand in the file than it has ids for: they never occur."
        yield Fact("model", says, size, kind=FactKind.UNUSED)
    yield Fact("pre-tokenizer", "This pattern cuts the text into pieces.", "config.pattern", pattern.regex)
    kept = file.named or sum(not token.startswith("<SPECIAL_") for token in file.special_tokens)
    shown = "\n".join(f"{id} {token}" for id, token in enumerate(file.special_tokens[: min(kept, 100)]))
    says = "Special tokens. Their spelling in a text is text like any other."
    if not file.named:
        says += " The file names none: these are those of mistral-common for files up to version 7."
    yield Fact("special tokens", says, "special_tokens" if file.named else "", shown)
    if special > kept:
        says = (
            f"The ids {kept} to {special - 1} are kept free for special tokens to come, called <SPECIAL_…> until then."
        )
        yield Fact("special tokens", says, "config.default_num_special_tokens", kind=FactKind.UNUSED)
    says = f"Version {file.version} is about how the messages of a chat are put together."
    yield Fact("unused", says, "config.version", kind=FactKind.UNUSED)
    for key in file.unused:
        yield Fact("unused", "This is no matter of a text's tokens.", key, kind=FactKind.UNUSED)
