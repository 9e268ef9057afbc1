"""Decoding and the round trip: the bytes of each token, all of them joined, and whether the text comes back."""

from __future__ import annotations

from explorer.analysis.round_trip.losses import RoundTrip
from explorer.engine.decoders.rows import GIVES_BYTES, DecodeEvent
from explorer.engine.results import DecodeTrace, Trace
from explorer.text import decode_utf8, visible
from explorer.text.quantities import plural
from explorer.text.say import Say
from explorer.text.utf8 import is_utf8
from explorer.text.visible import hexadecimal
from explorer.views.boards.board import Board, cell, row, shortened
from explorer.views.boards.losses import lost_row, lost_say
from explorer.views.decode_words import HOW
from explorer.views.window import Window
from explorer.vocabulary import Vocabulary


def decode_board(trace: Trace, round_trip: RoundTrip, vocabulary: Vocabulary, window: Window) -> Board:
    """The bytes of each token, and the text they make together."""
    decoded, found = round_trip.decoded, round_trip.losses
    how: dict[int, str] = {}
    for event in decoded.events:
        if event.kind == DecodeEvent.SPACE:
            how[event.position] += "; its leading space is removed"
        elif event.kind == DecodeEvent.CLEANED:
            how[event.position] += "; spaces next to punctuation are removed"
        elif event.kind == DecodeEvent.DENORMALIZED:
            how[event.position] += "; the denormalizer rewrites it"
        elif event.kind == DecodeEvent.CLEANED_SPACES:
            how[event.position] += f"; llama.cpp's clean-up removes {plural(event.size, 'space')}"
        elif event.kind == DecodeEvent.TIDIED:
            how[event.position] += f"; transformers' clean_up_tokenization_spaces removes {plural(event.size, 'space')}"
        else:
            # several decoders may change one piece
            before, says = how.get(event.position, ""), HOW[DecodeEvent(event.kind)]
            instead = before == HOW[DecodeEvent.STRING] and event.kind in GIVES_BYTES
            how[event.position] = says if not before or instead else f"{before}; {says}"
    cells = []
    for index, token in enumerate(trace.encoding.tokens[window.first : window.last], window.first):
        part = decoded.parts[index]
        cells.append(
            cell(hexadecimal(part, 12) or "–", token.start, token.end, id=token.id,
                 sub=visible(vocabulary.spelling(token.id)), look=None if part else "dropped",
                 tip=[["token", f"{token.id} {visible(vocabulary.spelling(token.id))}"], ["gives", how[index]],
                      ["bytes", hexadecimal(part) or "none"], ["as text", readable(part)]])
        )  # fmt: skip
    rows = [row("bytes", "Bytes of each token", cells, limit=300, empty="No tokens.",
                outside=(window.first, len(decoded.ids) - window.last))]  # fmt: skip
    split = split_says(trace, decoded)
    if trace.text == decoded.text:
        same = Say.of("All bytes joined and read as UTF-8 give back exactly your text.")
        return Board(same.then(*split), rows)
    return Board(lost_say(trace, decoded, found).then(*split), [*lost_row(trace, decoded, found, window), *rows])


def split_says(trace: Trace, decoded: DecodeTrace) -> list[Say]:
    """The first character spread over several tokens: these cannot be decoded separately."""
    tokens = trace.encoding.tokens
    for index, (token, part) in enumerate(zip(tokens, decoded.parts, strict=True)):
        neighbors = (*tokens[max(index - 1, 0) : index], *tokens[index + 1 : index + 2])
        shared = any(other.start < token.end and token.start < other.end for other in neighbors)
        if shared and token.start >= 0 and not is_utf8(part):
            return [
                Say.of(
                    "{0:q} (character {1:t}) is spread over several tokens: decoded separately they would give \ufffd, "
                    "and their lengths would no longer add up.",
                    shortened(trace.text[token.start : token.end]), f"{token.start + 1:,}",
                )
            ]  # fmt: skip
    return []


def readable(part: bytes) -> str:
    """The bytes as text, or the rule of UTF-8 they break on their own."""
    if not part:
        return "nothing"
    faults = [run.fault for run in decode_utf8(part) if run.fault]
    return f"not valid text alone: {faults[0].value}" if faults else shortened(part.decode())
