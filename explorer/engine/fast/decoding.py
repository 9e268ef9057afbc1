"""The fast path of `decode`: the bytes of each id, kept once they are known, and joined.

That is exact where neither neighbors nor the position change what a token gives: tiktoken's and RWKV's decoding,
llama.cpp's without its clean-up of spaces, and Hugging Face's byte-level decoder as the only one of a chain. The tokens
that `add_special` adds, and the first token's space, are looked at apart. Everything else takes the stages
(`Tokenizer.trace_decode`): other decoders, ids that are no list of int, ids without a token, and long tokens.
"""

from collections.abc import Sequence

from explorer.engine.decoders.huggingface import ByteLevelDecoder, ChainDecoder, just
from explorer.engine.decoders.pieces import PieceDecoder
from explorer.engine.part import FOR_AN_ID, Decoder
from explorer.vocabulary import Vocabulary


class TokenBytes(dict[int, bytes]):
    """The bytes of each id that was asked for.

    Raises KeyError for an id without a token, and for a token of more bytes than an id may decode to on average.
    """

    def __init__(self, decoder: Decoder, vocabulary: Vocabulary) -> None:
        self.decoder, self.vocabulary = decoder, vocabulary

    def __missing__(self, id: int) -> bytes:
        data = self.decoder.alone(id) if self.vocabulary.has(id) else None
        if data is None or len(data) > FOR_AN_ID:
            raise KeyError(id)
        self[id] = data
        return data


class FastDecoder:
    """From ids to text.

    before, after: the ids that `add_special` adds. strip_space: the first token loses a leading space.

    >>> import explorer
    >>> tok = explorer.load("llama-2")
    >>> decoder = fast_decoder(tok.decoder, tok.vocabulary)
    >>> decoder.text([1, 1724, 338], True), decoder.text([1, 1724, 338], False), decoder.text([-1], True)
    ('What is', '<s> What is', None)
    """

    def __init__(self, parts: TokenBytes, before: Sequence[int], after: Sequence[int], strip_space: bool) -> None:
        self.bytes_of, self.before, self.after = parts.__getitem__, list(before), list(after)
        self.strip_space = strip_space

    def text(self, ids: list[int], remove_special: bool) -> str | None:
        """The text of these ids, None where the stages have to decode them."""
        if {*map(type, ids)} != {int}:  # True is 1 to a dictionary, and so is 1.0
            return None
        if remove_special:
            if self.before and ids[: len(self.before)] == self.before:
                ids = ids[len(self.before) :]
            if self.after and ids[-len(self.after) :] == self.after:
                ids = ids[: -len(self.after)]
        try:
            data = b"".join(map(self.bytes_of, ids))
        except KeyError:
            return None
        if self.strip_space and ids and self.bytes_of(ids[0])[:1] == b" ":
            data = data[1:]
        return data.decode("utf-8", "replace")


def fast_decoder(decoder: Decoder, vocabulary: Vocabulary) -> FastDecoder | None:
    """The fast path of a decoder; None for one whose tokens depend on each other."""
    if isinstance(decoder, PieceDecoder) and not decoder.clean_spaces:
        ends = just(decoder.first), just(decoder.last)
        return FastDecoder(TokenBytes(decoder, vocabulary), *ends, decoder.strip_space)
    if isinstance(decoder, ChainDecoder) and [*map(type, decoder.steps)] == [ByteLevelDecoder]:
        return FastDecoder(TokenBytes(decoder, vocabulary), decoder.before, decoder.after, False)
    return None
