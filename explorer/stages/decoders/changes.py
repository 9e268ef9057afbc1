"""The bytes of each token while ids are decoded: every change of them, in the order the decoder makes it.

A decoder's events say what happened to a token and how many bytes it has, not which. They are the token's own bytes
(`Decoder.alone`), and after the last change those the decoder returned. A chain of Hugging Face's decoders runs once
more, and the strings after each decoder are compared.
"""

from codecs import getincrementaldecoder
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from explorer.engine.decoders.huggingface import (
    GIVES_BYTES,
    ChainDecoder,
    DecodeEvent,
    DecoderStep,
    PaddedDecoder,
    bytes_by_token,
)
from explorer.engine.part import AnyEvents, Decoder, Events, silent
from explorer.engine.tokenizer import DecodeTrace
from explorer.tables import Json, read_toml

WORDS: Json = read_toml(__file__, "words.toml")
TIDY = ("clean_up_tokenization_spaces", "transformers drops spaces before punctuation.")


class Change(NamedTuple):
    """The bytes of the token at `position` become `after`.

    how: the `DecodeEvent`; None for a decoder of a chain, whose index is `step`. A change of a whole chain's decoder
    that finds nothing has position -1.
    """

    position: int
    before: bytes
    after: bytes
    how: DecodeEvent | None = None
    size: int = 0
    step: int = -1


def chain_of(decoder: Decoder) -> ChainDecoder | None:
    """The chain of decoders, if it is one."""
    inner = decoder.decoder if isinstance(decoder, PaddedDecoder) else decoder
    return inner if isinstance(inner, ChainDecoder) else None


def name_of(step: DecoderStep) -> tuple[str, str]:
    """What a decoder of a chain is called, and what it does."""
    words = WORDS["decoders"].get(type(step).__name__)
    return (words["name"], words["does"]) if words else TIDY


def changes(decoded: DecodeTrace, remove_special: bool) -> Iterator[Change]:
    """Every change of the bytes of a token; at first each has none.

    >>> import explorer
    >>> tok = explorer.load("llama-2")
    >>> [change.after for change in changes(tok.trace_decode([1, 1724]), True)]
    [b'', b' What', b'What']
    """
    chain = chain_of(decoded.decoder)
    return by_event(decoded) if chain is None else by_step(decoded, chain, remove_special)


def by_event(decoded: DecodeTrace) -> Iterator[Change]:
    """The changes of a decoder that is not a chain."""
    data = [b""] * len(decoded.ids)
    last = {row.position: number for number, row in enumerate(decoded.events)}
    for number, row in enumerate(decoded.events):
        how, before, whole = DecodeEvent(row.kind), data[row.position], decoded.parts[row.position]
        if number == last[row.position]:
            after = whole
        elif how in GIVES_BYTES:
            alone = decoded.decoder.alone(row.token)
            after = alone if len(alone) == row.size else whole
        else:
            after = before[1:] if how == DecodeEvent.SPACE else before
        data[row.position] = after
        yield Change(row.position, before, after, how, row.size)


def by_step(decoded: DecodeTrace, chain: ChainDecoder, remove_special: bool) -> Iterator[Change]:
    """The changes of a chain: first the string of each token, then what each decoder makes of them."""
    ids: Sequence[int] = decoded.ids
    kept = range(len(ids))
    if isinstance(decoded.decoder, PaddedDecoder):
        kept = decoded.decoder.kept(ids, remove_special)
    dropped = {row.position: DecodeEvent(row.kind) for row in decoded.events if row.kind in DROPS}
    data = [b""] * len(ids)
    inside = ids[kept.start : kept.stop]
    states = chain.states(inside, remove_special, True, silent) if inside else iter(())
    for number, strings in enumerate(states):
        found = False
        for position, after in enumerate(bytes_by_token(strings, len(inside)), kept.start):
            before, data[position] = data[position], after
            if not number and position not in dropped:
                yield Change(position, before, after, DecodeEvent.STRING, len(after))
            elif number and before != after:
                found = True
                yield Change(position, before, after, None, len(after), number - 1)
        if not number:
            yield from (Change(position, b"", b"", how) for position, how in sorted(dropped.items()))
        elif not found:
            yield Change(-1, b"", b"", None, 0, number - 1)


DROPS = (DecodeEvent.DROP, DecodeEvent.HIDDEN)


class Release(NamedTuple):
    """What a client that streams writes after the token at `position`, and the bytes it holds back.

    held_before: the bytes it held before. position: -1 for the end.
    """

    position: int
    held_before: bytes
    text: str
    held: bytes


def releases(parts: Sequence[bytes]) -> Iterator[Release]:
    """What is written after each token, so that no character is cut: joined, the text of all bytes.

    >>> [release.text for release in releases(["🤗".encode()[:2], "🤗".encode()[2:] + b"!"])]
    ['', '🤗!', '']
    """
    decoder, held = getincrementaldecoder("utf-8")("replace"), b""
    for position, part in enumerate(parts):
        text = decoder.decode(part)
        before, held = held, decoder.getstate()[0]
        yield Release(position, before, text, held)
    yield Release(-1, held, decoder.decode(b"", True), b"")


def is_left_out(decoder: Decoder, id: int) -> bool:
    """Whether a decoder that skips special tokens leaves one out."""
    events: AnyEvents = Events(decoder.row)
    decoder.run([id], False, False, events.emit)
    return any(row.kind in (DecodeEvent.HIDDEN, DecodeEvent.DROP) for row in events)
