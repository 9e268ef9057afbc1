"""RWKV World as RWKV's own tokenizer runs it, and the first-miss loop on the same vocabulary.

The only stage is the longest match: no special tokens in the text, no normalization, no pre-tokenizer, nothing added.
Id 0, the end of a text, separates texts in training; no text is ever encoded to it. It is not in the file and has no
spelling there; here it is called `<|endoftext|>`.
"""

from collections.abc import Iterator, Sequence
from itertools import filterfalse

from explorer.engine.decoders.pieces import RwkvDecoder
from explorer.engine.models.longest_match import ByteModel, FirstMiss, Trie, TrieMatch
from explorer.errors import InputError, errors_of, shown
from explorer.facts import UNUSED, WARNING, Choosable, Fact, listed
from explorer.implementations.opened import Opened
from explorer.text.input import is_utf8
from explorer.vocabulary import PieceKind, Vocabulary

IMPLEMENTATION = "rwkv"
FIRST_MISS = "first-miss"
IMPLEMENTATIONS = (IMPLEMENTATION, FIRST_MISS)
KEY = "faults"
"""The key of the choice."""
FAULTS = ("none", "end", "length", "end and length")
"""Which faults of the first-miss loop are kept: −1 at the end, the length of the round's first character, or both."""
END_OF_TEXT = b"<|endoftext|>"


def from_tokens(
    tokens: Sequence[bytes],
    name: str,
    implementation: str | None = None,
    faults: str | None = None,
    has_lengths: bool = False,
    trie: Trie | None = None,
) -> Opened:
    """The tokenizer of the tokens 1, 2, 3 … of a vocabulary file.

    faults: of the first-miss loop, one of `FAULTS`; None means the first. has_lengths: whether the file has the length
    of each token. trie: of the tokens by their ids, where it was made before.

    Raises InputError for another implementation than `rwkv` (None means it) and `first-miss`, unknown faults, or a
    token that occurs twice.
    """
    if faults is not None and (implementation != FIRST_MISS or faults not in FAULTS):
        raise InputError(f"{name}: {KEY} is {shown(faults)}; {FIRST_MISS} has the answers {', '.join(FAULTS)}")
    if (implementation or IMPLEMENTATION) not in IMPLEMENTATIONS:
        raise InputError(f"{name} cannot be run as {implementation!r}; it runs as: {', '.join(IMPLEMENTATIONS)}")
    faults = faults or FAULTS[0]
    kinds = bytearray([PieceKind.NORMAL]) * (len(tokens) + 1)
    kinds[0] = PieceKind.CONTROL
    with errors_of(name):
        vocabulary = Vocabulary.of([END_OF_TEXT, *tokens], kinds=kinds)
        part: ByteModel = (
            FirstMiss(vocabulary, unchecked_end="end" in faults, first_length="length" in faults)
            if implementation == FIRST_MISS
            else TrieMatch(vocabulary, trie=trie)
        )
    return Opened(
        name=name,
        family="RWKV",
        implementation=implementation or IMPLEMENTATION,
        vocabulary=vocabulary,
        parts=(part,),
        decoder=RwkvDecoder(vocabulary),
        facts=tuple(_facts(tokens, has_lengths)),
        choosable=choosable(faults) if implementation == FIRST_MISS else (),
    )


def choosable(faults: str) -> tuple[Choosable, ...]:
    """The choice of the loop's faults, with the one in effect."""
    return (Choosable(KEY, "Faults kept in the loop", FAULTS, faults),)


def _facts(tokens: Sequence[bytes], has_lengths: bool) -> Iterator[Fact]:
    longest = max(tokens, key=len, default=b"")
    yield Fact("model", f"{len(tokens)} tokens with the ids 1 to {len(tokens)}; the longest has {len(longest)} bytes.")
    most = sorted(range(len(tokens)), key=[*map(len, tokens)].__getitem__)[-5:]
    if len(most) == 5:
        sizes = listed([str(len(tokens[index])) for index in most])
        ids = listed([str(index + 1) for index in most])
        yield Fact("model", f"The five longest have {sizes} bytes (ids {ids}).")
    cut = sum(not is_utf8(token) for token in filterfalse(bytes.isascii, tokens))
    if cut:
        yield Fact(
            "model", f"{len(tokens) - cut:,} of them are valid UTF-8, {cut:,} are not: they cut a character apart."
        )
    if tokens[:256] == [bytes([byte]) for byte in range(256)]:
        yield Fact("model", "The ids 1 to 256 are the bytes 0 to 255, so every text can be encoded.")
    free = 65_535 - len(tokens)
    if 0 <= free < 256:
        yield Fact("model", f"An id takes 16 bits: of the 65,536 possible ids, the {free} after the last are free.")
    if has_lengths:
        says = "The length after each token is only checked when the file is read."
        yield Fact("model", says, "line 1", kind=UNUSED)
    known = set(tokens)
    missing = [byte for byte in range(256) if bytes([byte]) not in known]
    if missing:
        says = f"{len(missing)} bytes are not tokens; a text that needs one of them alone cannot be encoded."
        yield Fact("model", says, code=" ".join(f"{byte:02X}" for byte in missing), kind=WARNING)
    says = (
        f"The file has no special tokens. The id 0 is the end of a text, which is called {END_OF_TEXT.decode()} here."
    )
    yield Fact("special tokens", says)
