"""Ids traced backwards: their bytes, the text these make, and whether encoding that text gives the ids back.

The result has the shape of a trace, with the ids as tokens on the text they decode to, so that everything that draws
the end of a trace draws it. Bytes that are not UTF-8 are U+FFFD in the text, and their tokens lie on that character.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from explorer.analysis.expected import explain
from explorer.analysis.expected.id_texts import laid_out
from explorer.engine.items import Token
from explorer.engine.part import Options
from explorer.engine.results import Encoding, Trace
from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.stages.decoders.losses import Losses, RoundTrip
from explorer.text import decode_utf8
from explorer.text.say import Say, number, plural
from explorer.text.utf8 import is_utf8

LONGEST: Final = 20_000
"""Ids that are decoded at once."""


class Decoding(NamedTuple):
    """trace: of empty stages, with the ids as tokens. again: the ids that the text gives. say: how those compare."""

    trace: Trace
    round_trip: RoundTrip
    again: list[int]
    say: Say

    @property
    def same(self) -> bool:
        """Whether encoding the text gives the ids."""
        return self.again == self.trace.ids


def decoding(tokenizer: Opened, ids: Sequence[int], *, add_special: bool = True) -> Decoding:
    """Decodes ids and encodes the text again. Raises InputError naming the first id that the vocabulary lacks.

    >>> import explorer
    >>> from explorer.text.say import plain
    >>> found = decoding(explorer.load("llama-2"), [1, 1724, 338])
    >>> found.trace.text, found.trace.encoding.spans, found.same
    ('What is', [None, (0, 4), (4, 7)], True)
    >>> print(plain(decoding(explorer.load("llama-2"), [1, 338]).say))
    Encoding this text gives exactly these ids.
    """
    if len(ids) > LONGEST:
        raise InputError(
            f"{number(len(ids))} ids are too many for this page, which decodes {number(LONGEST)}; use `explorer decode`"
        )
    decoded = tokenizer.trace_decode(ids, remove_special=add_special)
    text, options = decoded.text, Options(add_special, True)
    encoding = Encoding.of(
        tokens_on_bytes(tokenizer, ids, decoded.parts), tokenizer.vocabulary, tokenizer.decoder.alone
    )
    again = tokenizer.encode(text, add_special=add_special).ids
    # the stages tell how the vocabulary spells; no text went through them
    trace = Trace(text, options, tokenizer.trace("").stages, encoding)
    back = RoundTrip(decoded, Losses((), ()), of_text=False)
    return Decoding(trace, back, again, compared(tokenizer, list(ids), again, trace))


def tokens_on_bytes(tokenizer: Opened, ids: Sequence[int], parts: Sequence[bytes]) -> tuple[Token, ...]:
    """Ids as tokens on the text that all their bytes make, with U+FFFD for each run that is not UTF-8."""
    of: list[int] = []
    for at, run in enumerate(decode_utf8(b"".join(parts))):
        of += [at] * run.length
    return laid_out(tokenizer, ids, parts, of)


def compared(tokenizer: Opened, ids: list[int], again: list[int], trace: Trace) -> Say:
    """Whether encoding the text gives the ids, and if not, where and why."""
    if not ids:
        given = [Say.of("Encoding the empty text gives {0:t}.", plural(len(again), "token"))] if again else []
        return Say.of("No ids, no text.").then(*given)
    if ids == again:
        return Say.of("Encoding this text gives exactly these ids.")
    differs = "Encoding this text does not give these ids."
    if not is_utf8(b"".join(trace.encoding.bytes)) and "\ufffd" in trace.text:
        return Say.of("{0:t} Their bytes are not UTF-8: � in the text has bytes of its own.", differs)
    why = explain(tokenizer, trace.text, ids, add_special=trace.options.add_special).sentence
    return Say.of("{0:t} {1:t}", differs, why.replace("The expected ids", "These ids", 1))
