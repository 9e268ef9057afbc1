"""Tokenizers as mistral-common runs them, from a tekken.json.

mistral-common passes the ranks and the pattern to tiktoken, without special tokens: their spelling in a text is plain
text, so there is no partition and `parse_special` has no effect. The resulting ids are shifted past the special ones.
`add_special` adds BOS, as its argument `bos` does and as all requests begin. EOS (`eos`), which ends a model's answer,
is not added.

One difference: when decoding drops a special token, the bytes on its two sides are decoded together here, and
separately in mistral-common.
"""

from __future__ import annotations

from collections.abc import Iterator

from explorer.engine.decoders.pieces import PieceDecoder, raw
from explorer.engine.post_processors import AddSpecial
from explorer.engine.pre_tokenizers.custom_pattern import fancy_pattern
from explorer.engine.regexes.safe import Pattern
from explorer.errors import errors_of
from explorer.facts import UNUSED, Fact
from explorer.formats.tekken import Tekken
from explorer.implementations.opened import Opened
from explorer.implementations.tiktoken import by_ranks
from explorer.vocabulary import PieceKind, Vocabulary

IMPLEMENTATION = "mistral-common"
BOS = "<s>"


def from_tekken(file: Tekken, name: str) -> Opened:
    """The tokenizer of a tekken.json. Raises InputError if its pattern cannot be run."""
    special = file.special_tokens
    pieces = (*(token.encode() for token in special), *file.ranks)
    kinds = bytes([PieceKind.CONTROL]) * len(special) + bytes([PieceKind.NORMAL]) * len(file.ranks)
    ids = {piece: len(special) + rank for piece, rank in file.ranks.items()}
    # a token with a rank may be spelled like a special one; only the former ever occurs in a text
    vocabulary = Vocabulary(pieces, (), kinds, dict(zip(pieces, range(len(special)), strict=False)) | ids)
    bos = special.index(BOS) if BOS in special else None
    with errors_of(f"{name}: config.pattern"):
        pattern = fancy_pattern(file.pattern)
    return Opened(
        name=name,
        family="BPE",
        implementation=IMPLEMENTATION,
        vocabulary=vocabulary,
        parts=(*by_ranks(vocabulary, ids, pattern), AddSpecial(bos)),
        decoder=PieceDecoder(vocabulary, raw, special=range(len(special)), first=bos),
        facts=tuple(_facts(file, pattern)),
    )


def _facts(file: Tekken, pattern: Pattern) -> Iterator[Fact]:
    special, size = len(file.special_tokens), "config.default_vocab_size"
    says = f"{len(file.ranks):,} tokens with ranks, whose ids begin at {special}: two neighbors merge if their joined "
    yield Fact("model", f"{says}bytes are a token.", "vocab")
    if file.beyond:
        says = f"{file.beyond:,} more tokens are in the file than it has ids for; they never occur."
        yield Fact("model", says, size, kind=UNUSED)
    yield Fact("pre-tokenizer", "This pattern cuts the text into pre-tokens.", "config.pattern", pattern.regex)
    kept = file.named or sum(not token.startswith("<SPECIAL_") for token in file.special_tokens)
    shown = "\n".join(f"{id} {token}" for id, token in enumerate(file.special_tokens[: min(kept, 100)]))
    says = "Special tokens. Their spelling in a text is plain text."
    if not file.named:
        says += " The file lists none: these are mistral-common's for files up to version 7."
    yield Fact("special tokens", says, "special_tokens" if file.named else "", shown)
    if special > kept:
        says = f"The ids {kept} to {special - 1} are reserved for future special tokens, and called <SPECIAL_…>."
        yield Fact("special tokens", says, "config.default_num_special_tokens", kind=UNUSED)
    says = f"Version {file.version} concerns the format of chat messages."
    yield Fact("unused", says, "config.version", kind=UNUSED)
    for key in file.unused:
        yield Fact("unused", "This does not affect the tokens of a text.", key, kind=UNUSED)
