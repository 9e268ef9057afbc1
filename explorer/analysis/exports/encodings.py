"""Exports about a single tokenizer: an encoding, a decoding, a trace, a card, and the list of bundled models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from explorer.analysis.card import Card
from explorer.analysis.export import Export, Provenance, Record, Rows, Table
from explorer.analysis.ownership import ownership, says
from explorer.engine.items import Item, Segment
from explorer.engine.part import Options
from explorer.engine.results import DecodeTrace, Encoding, Trace
from explorer.implementations.opened import Opened
from explorer.opening.catalog import Model

if TYPE_CHECKING:
    from explorer.analysis.inventory import Entry


def encoding_export(tokenizer: Opened, text: str, options: Mapping[str, bool], encoding: Encoding) -> Export:
    """The ids of a text."""
    return Export("encoding", Provenance.of([tokenizer], text, Options(**options)), lambda: encoding_record(encoding))


def decoding_export(tokenizer: Opened, decoded: DecodeTrace, options: Mapping[str, bool]) -> Export:
    """The text of ids. options: those of `decode`."""

    def body() -> Record:
        parts = [part.hex() for part in decoded.parts]
        return {"ids": list(decoded.ids), "decode_options": dict(options), "text": decoded.text, "bytes": parts}

    return Export("decoding", Provenance.of([tokenizer], None, None), body)


def card_export(tokenizer: Opened, card: Card) -> Export:
    """The facts of a tokenizer's file."""
    return Export("card", Provenance.of([tokenizer], None, None), card.record)


def models_export(models: Iterable[Model]) -> Export:
    """The bundled models, without opening them."""
    fields = ("title", "family", "implementations", "tokens", "file", "sha256", "source", "licence")
    body = {model.name: {field: getattr(model, field) for field in fields} for model in models}
    return Export("models", Provenance((), None, {}), lambda: {"models": body})


def folder_export(folder: str, entries: Iterable[Entry], problems: Iterable[str]) -> Export:
    """The tokenizers below a folder."""
    models = [entry._asdict() for entry in entries]
    body = {"folder": folder, "models": models, "problems": list(problems)}
    return Export("folder", Provenance((), None, {}), lambda: body)


def trace_export(tokenizer: Opened, trace: Trace) -> Export:
    """A trace: complete as JSON, its tokens as CSV."""
    made = Provenance.of([tokenizer], trace.text, trace.options)
    return Export("trace", made, lambda: trace_record(tokenizer, trace), lambda: token_rows(tokenizer, trace))


def encoding_record(encoding: Encoding) -> Record:
    """The ids of a text with their pieces, bytes and spans."""
    data = [data.hex() for data in encoding.bytes]
    return {"ids": encoding.ids, "pieces": encoding.pieces, "bytes": data, "spans": encoding.spans}


def token_rows(tokenizer: Opened, trace: Trace, most: int | None = None) -> Table:
    """A heading and one row per token: what it is, the characters it covers, its share of a split character.

    most: the maximum number of tokens.

    >>> import explorer
    >>> tok = explorer.load("llama-2")
    >>> token_rows(tok, tok.trace("is"))[2]
    [338, '▁is', '20 69 73', 'normal', -79.0, 0, 2, 'is', '']
    """
    vocabulary = tokenizer.vocabulary
    made: Table = [["id", "piece", "bytes", "kind", "score", "start", "end", "text", "part"]]
    tokens = trace.encoding.tokens[:most]
    for (id, start, end), shares in zip(tokens, ownership(trace.text, trace.encoding, 0, len(tokens)), strict=True):
        data = trace.encoding.bytes_of(id)
        score = vocabulary.scores[id] if vocabulary.scores else None
        where = [start, end, trace.text[start:end]] if start >= 0 else [None, None, ""]
        part = "" if all(share.whole for share in shares) else says(shares)
        spelled = [vocabulary.spelling(id), data.hex(" ").upper(), vocabulary.kind(id).name.lower()]
        made.append([id, *spelled, score, *where, part])
    return made


def trace_record(tokenizer: Opened, trace: Trace) -> Record:
    """The whole trace: every stage's items and events, with the names of the fields.

    Events are lists in the order of `fields`; `kinds` names the numbers in the first field.
    """

    def of_item(item: Item) -> Record:
        if isinstance(item, Segment):
            return {"text": item.text, "start": item.starts[0], "end": item.ends[-1]}
        return item._asdict()

    return {
        "model": tokenizer.name,
        "family": tokenizer.family,
        "implementation": tokenizer.implementation,
        "text": trace.text,
        "options": trace.options._asdict(),
        **encoding_record(trace.encoding),
        "stages": [
            {
                "name": stage.name,
                "after": [of_item(item) for item in stage.after],
                "fields": stage.events.row._fields,  # type: ignore[attr-defined]  # a NamedTuple class
                "kinds": {kind.value: kind.name for kind in stage.part.kinds},
                "events": [list(row) for row in stage.events],
            }
            for stage in trace.stages
        ],
    }


class Answered(NamedTuple):
    """One question of a quiz. answer: None where it was left out. seed: makes this question again. choices: all."""

    number: int
    kind: str
    seed: int
    text: str
    question: str
    answer: str | None
    right_answer: str
    correct: bool
    choices: tuple[str, ...]


def quiz_export(tokenizer: Opened, seed: int, answered: Sequence[Answered], name: str = "") -> Export:
    """A quiz as JSON and CSV. seed: of the quiz, which makes the same questions again. name: of who answered.

    The name stands in the CSV alone, which has a column for each choice.
    """
    most = max((len(each.choices) for each in answered), default=0)
    head = ["name", "quiz_seed", *Answered._fields[:-1], *(f"choice_{index + 1}" for index in range(most))]
    choices = ([*row.choices, *[None] * (most - len(row.choices))] for row in answered)
    rows: Rows = [head, *([name, seed, *row[:-1], *cells] for row, cells in zip(answered, choices, strict=True))]

    def body() -> dict[str, object]:
        questions = [each._asdict() for each in answered]
        return {"seed": seed, "correct": sum(each.correct for each in answered), "questions": questions}

    return Export("quiz", Provenance.of([tokenizer], None, Options(True, True)), body, lambda: rows)
