"""RWKV World as RWKV's own tokenizer runs it, and the first-miss loop on the same vocabulary.

There is nothing around the longest match: no special tokens in the text, no normalization, no pre-tokenizer, nothing
added. Id 0, the end of a text, is put between texts by whoever trains; no text ever becomes it. It is not in the file
and has no spelling there; here it is called `<|endoftext|>`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from explorer.engine.decoders.rwkv import RawDecoder
from explorer.engine.models.first_miss import FirstMiss
from explorer.engine.models.trie import ByteModel, TrieMatch
from explorer.engine.tokenizer import Tokenizer
from explorer.errors import InputError
from explorer.facts import Fact, FactKind
from explorer.vocabulary import PieceKind, Vocabulary

IMPLEMENTATION = "rwkv"
FIRST_MISS = "first-miss"
MODELS: dict[str, type[ByteModel]] = {IMPLEMENTATION: TrieMatch, FIRST_MISS: FirstMiss}
END_OF_TEXT = b"<|endoftext|>"


def from_tokens(tokens: Sequence[bytes], name: str, implementation: str | None = None) -> Tokenizer:
    """The tokenizer of the tokens 1, 2, 3 … of a vocabulary file.

    Raises InputError for another implementation than `rwkv` (None means it) and `first-miss`, or a token that occurs
    twice.
    """
    model = MODELS.get(implementation or IMPLEMENTATION)
    if model is None:
        raise InputError(f"{name} cannot be run as {implementation!r}; it runs as: {', '.join(MODELS)}")
    kinds = bytearray([PieceKind.NORMAL]) * (len(tokens) + 1)
    kinds[0] = PieceKind.CONTROL
    try:
        vocabulary = Vocabulary.of([END_OF_TEXT, *tokens], kinds=kinds)
        part = model(vocabulary)
    except InputError as error:
        raise InputError(f"{name}: {error}") from None
    return Tokenizer(
        name=name,
        family="RWKV",
        implementation=implementation or IMPLEMENTATION,
        vocabulary=vocabulary,
        parts=(part,),
        decoder=RawDecoder(vocabulary),
        facts=tuple(facts_of(tokens)),
    )


def facts_of(tokens: Sequence[bytes]) -> Iterator[Fact]:
    """The card of a vocabulary file."""
    longest = max(tokens, key=len, default=b"")
    yield Fact("model", f"{len(tokens)} tokens with the ids 1 to {len(tokens)}; the longest has {len(longest)} bytes.")
    says = "The length behind each token is checked when the file is read, and is of no other use."
    yield Fact("model", says, "line 1", kind=FactKind.UNUSED)
    known = set(tokens)
    missing = [byte for byte in range(256) if bytes([byte]) not in known]
    if missing:
        says = f"{len(missing)} bytes are no tokens, and a text that needs one of them alone cannot be encoded."
        yield Fact("model", says, code=" ".join(f"{byte:02X}" for byte in missing), kind=FactKind.WARNING)
    says = (
        f"The file has no special tokens. The id 0 is the end of a text, which is called {END_OF_TEXT.decode()} here."
    )
    yield Fact("special tokens", says)
