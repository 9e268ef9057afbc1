"""Exports about a single tokenizer: an encoding, a decoding, a trace, a card, samples, a stream of ids, its vocabulary
(tokens found, a dossier, checks, the difference from another); and the list of bundled models.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from explorer.analysis.card import Card, Entry
from explorer.analysis.export import COLUMNS, Export, Provenance, Rows, Table, picked, plain_values
from explorer.analysis.ownership import ownership, says
from explorer.analysis.sampling import Candidate, Distribution, Drawn, Sample
from explorer.analysis.streaming import Stream
from explorer.analysis.vocabulary.checks import Finding, VocabularyDifference
from explorer.analysis.vocabulary.derivation import Split
from explorer.analysis.vocabulary.index import Query, VocabularyIndex
from explorer.analysis.vocabulary.reach import Dossier, speller_of
from explorer.engine.part import Options, Segment
from explorer.engine.tokenizer import DecodeTrace, Encoding, Trace
from explorer.implementations.opened import Opened
from explorer.opening.catalog import Model
from explorer.tables import Record
from explorer.text.say import plain
from explorer.vocabulary import spelled


def encoding_export(tokenizer: Opened, text: str, options: Mapping[str, bool], encoding: Encoding) -> Export:
    """The ids of a text."""
    return Export("encoding", Provenance.of([tokenizer], text, Options(**options)), lambda: encoding_record(encoding))


def decoding_export(tokenizer: Opened, decoded: DecodeTrace, options: Mapping[str, bool]) -> Export:
    """The text of ids. options: those of `decode`."""

    def body() -> Record:
        parts = [part.hex() for part in decoded.parts]
        return {"ids": list(decoded.ids), "decode_options": dict(options), "text": decoded.text, "bytes": parts}

    return Export("decoding", Provenance.of([tokenizer]), body)


def card_export(tokenizer: Opened, card: Card) -> Export:
    """The facts of a tokenizer's file."""
    return Export("card", Provenance.of([tokenizer]), card.record)


def models_export(models: Iterable[Model]) -> Export:
    """The bundled models, without opening them."""
    fields = "title family implementations tokens file sha256 source licence".split()
    body = {"models": {model.name: picked(model, *fields) for model in models}}
    return Export("models", Provenance((), None, {}), lambda: body)


def folder_export(folder: str, entries: Iterable[Entry], problems: Iterable[str]) -> Export:
    """The tokenizers below a folder."""
    body = {"folder": folder, "models": plain_values(list(entries)), "problems": list(problems)}
    return Export("folder", Provenance((), None, {}), lambda: body)


def trace_export(tokenizer: Opened, trace: Trace) -> Export:
    """A trace: complete as JSON, its tokens as CSV.

    Events are lists in the order of `fields`; `kinds` names the numbers in the first field.
    """

    def body() -> Record:
        return {
            "model": tokenizer.name,
            **picked(tokenizer, "family", "implementation"),
            "text": trace.text,
            "options": trace.options._asdict(),
            **encoding_record(trace.encoding),
            "stages": [
                {
                    "name": stage.name,
                    "after": [
                        {"text": item.text, "start": item.starts[0], "end": item.ends[-1]}
                        if isinstance(item, Segment)
                        else item._asdict()
                        for item in stage.after
                    ],
                    "fields": stage.events.row._fields,  # type: ignore[attr-defined]  # a NamedTuple class
                    "kinds": {kind.value: kind.name for kind in stage.part.kinds},
                    "events": list(stage.events),
                }
                for stage in trace.stages
            ],
        }

    provenance = Provenance.of([tokenizer], trace.text, trace.options)
    return Export("trace", provenance, body, lambda: token_rows(tokenizer, trace))


def encoding_record(encoding: Encoding) -> Record:
    """The ids of a text with their pieces, bytes and spans."""
    return picked(encoding, "ids", "pieces", "spans") | {"bytes": [data.hex() for data in encoding.bytes]}


def token_rows(tokenizer: Opened, trace: Trace, most: int | None = None) -> Table:
    """A heading and one row per token: what it is, the characters it covers, its share of a split character.

    most: the maximum number of tokens.

    >>> import explorer
    >>> tok = explorer.load("llama-2")
    >>> token_rows(tok, tok.trace("is"))[2]
    [338, '▁is', '20 69 73', 'normal', -79.0, 0, 2, 'is', '']
    """
    vocabulary = tokenizer.vocabulary
    made: Table = [COLUMNS["trace"]]
    tokens = trace.encoding.tokens[:most]
    for (id, start, end), shares in zip(tokens, ownership(trace.text, trace.encoding, 0, len(tokens)), strict=True):
        data = trace.encoding.bytes_of(id)
        score = vocabulary.scores[id] if vocabulary.scores else None
        where = [start, end, trace.text[start:end]] if start >= 0 else [None, None, ""]
        part = "" if all(share.whole for share in shares) else says(shares)
        spelled = [vocabulary.spelling(id), data.hex(" ").upper(), vocabulary.kind(id).name.lower()]
        made.append([id, *spelled, score, *where, part])
    return made


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
        correct = sum(each.correct for each in answered)
        return {"seed": seed, "correct": correct, "questions": plain_values(list(answered))}

    return Export("quiz", Provenance.of([tokenizer], None, Options(True, True)), body, lambda: rows)


def sampling_export(
    tokenizer: Opened, text: str, draw: Callable[[], Sample | Distribution], options: Mapping[str, bool]
) -> Export:
    """A sample with what was drawn, or a distribution, as JSON. draw: makes it, once the export is written."""

    def body() -> Record:
        result = draw()
        if isinstance(result, Sample):
            return picked(result, "alpha", "seed", "rule", "ids", "pieces") | {"drawn": list(map(_drawn, result.drawn))}
        fields = "alpha seed rule samples total complete usual".split()
        return picked(result, *fields) | {"ways": plain_values(result.ways)}

    return Export("sampling", Provenance.of([tokenizer], text, Options(**options)), body)


def nbest_export(
    tokenizer: Opened, text: str, best: Callable[[], Sequence[Candidate]], options: Mapping[str, bool]
) -> Export:
    """An n-best list as JSON. best: makes it, once the export is written."""
    made = Provenance.of([tokenizer], text, Options(**options))
    return Export("nbest", made, lambda: {"candidates": plain_values(list(best()))})


def _drawn(drawn: Drawn) -> Record:
    choices = [
        {
            "number": None if len(choice.options) == 1 else choice.number,
            "chosen": choice.chosen,
            "options": [
                {"start": edge.start, "end": edge.end, "id": edge.token, "score": edge.score, "chance": chance}
                for edge, chance in choice.options
            ],
        }
        for choice in drawn.choices
    ]
    picks = [
        {"left": pick.left, "bytes": pick.text.hex(), "number": pick.number, "verdict": str(pick.verdict)}
        for pick in drawn.picks
    ]
    return {"text": drawn.text, "choices": choices, "picks": picks}


def stream_export(tokenizer: Opened, stream: Stream, unparse_special: bool) -> Export:
    """A stream as JSON. unparse_special: whether special tokens are written."""

    def body() -> Record:
        methods = {
            str(method): {
                "text": stream.text_of(method),
                "same": method in stream.right,
                "steps": plain_values(stream.shown(method)[:-1]),
                "end": plain_values(stream.shown(method)[-1]),
            }
            for method in stream.methods
        }
        ids = [plain_values({"id": step.id, "bytes": step.data, "part": step.part}) for step in stream.steps]
        return {"unparse_special": unparse_special, "text": stream.text, "ids": ids, "methods": methods}

    return Export("stream", Provenance.of([tokenizer]), body)


def tokens_export(index: VocabularyIndex, query: Query, ids: Sequence[int], found: int) -> Export:
    """Tokens of a vocabulary. found: how many a search found, of which these may be the first."""
    made = Provenance.of([index.tokenizer])
    return Export(
        "vocabulary", made, lambda: tokens_record(index, query, list(ids), found), lambda: found_rows(index, ids)
    )


def dossier_export(index: VocabularyIndex, about: Dossier) -> Export:
    """All about one token. Pieces are spelled as the vocabulary stores them."""

    def split(one: Split) -> Record:
        return one._asdict() | {"left": spelled(one.left), "right": spelled(one.right)}

    def body() -> Record:
        (_, row), of_itself = found_rows(index, [about.id]), about.reached.ids == (about.id,)
        derived = about.derivation
        return {
            **dict(zip(COLUMNS["vocabulary"], row, strict=True)),
            "reachable": about.reached.outcome,
            "verdict": plain(about.verdict),
            "text_that_gives_it": about.reached.text if of_itself else None,
            "instead": () if of_itself else about.reached.ids,
            "trials": plain_values(about.trials),
            "merged": about.merged,
            "tree": derived and [node._asdict() | {"piece": spelled(node.piece)} for node in derived.nodes],
            "splits": [split(each) for each in about.splits],
            "uses": plain_values(about.uses),
            "longer": [each._asdict() | {"parents": each.parents and split(each.parents)} for each in about.longer],
            **picked(about, "shorter", "same_letters", "same_bytes"),
        }

    return Export("token", Provenance.of([index.tokenizer]), body)


def checks_export(index: VocabularyIndex, findings: Sequence[Finding]) -> Export:
    """What the checks of a vocabulary found."""

    def body() -> Record:
        fields = "key title means count ids lines".split()
        rows = [picked(each, *fields) | {"notes": {str(id): note for id, note in each.notes.items()}}
                for each in findings]  # fmt: skip
        return {"tokens": len(index), "findings": rows}

    return Export("vocabulary-checks", Provenance.of([index.tokenizer]), body)


def vocabulary_difference_export(
    left: VocabularyIndex, right: VocabularyIndex, labels: Sequence[str], found: VocabularyDifference
) -> Export:
    """What differs between two vocabularies. labels: of the two, different."""

    def body() -> Record:
        named = found.merges and dict(zip(("only_left", "only_right", "both"), found.merges, strict=True))
        return {"equal": found.equal, **found._asdict(), "merges": named}

    made = Provenance.of([left.tokenizer, right.tokenizer], labels=labels)
    return Export("vocabulary-difference", made, body)


def logit_bias(ids: Sequence[int]) -> str:
    """Ids as the `logit_bias` of a request: a JSON object from id to bias.

    >>> logit_bias([5, 7])
    '{"5": -100, "7": -100}'
    """
    return json.dumps({str(id): -100 for id in ids})


# --- the same as plain values -----------------------------------------------------------------------------------------


def token_row(index: VocabularyIndex, id: int, text: str) -> list[object]:
    """One token in the columns of a vocabulary. text: as it is shown.

    >>> import explorer
    >>> from explorer.analysis.vocabulary.index import index_of
    >>> token_row(index_of(explorer.load("gpt-2")), 262, "·the")
    [262, '·the', 'Ġthe', '20 74 68 65', 'start of a word', 'Latin', 4, 'normal', None]
    """
    vocabulary = index.tokenizer.vocabulary
    score = vocabulary.scores[id] if vocabulary.scores else None
    return [
        id, text, vocabulary.spelling(id), index.data[id].hex(" ").upper(), index.classes[id].value,
        index.scripts[id], len(index.texts[id]), vocabulary.kind(id).name.lower(), score,
    ]  # fmt: skip


def found_rows(index: VocabularyIndex, ids: Iterable[int]) -> Table:
    """A heading and one row per token."""
    token = speller_of(index).token
    return [COLUMNS["vocabulary"], *(token_row(index, id, token(id)) for id in ids)]


def tokens_record(index: VocabularyIndex, query: Query, ids: list[int], found: int) -> Record:
    """What was asked for and the tokens found. found: how many there are, of which `ids` may be the first."""
    heading, *rows = found_rows(index, ids)
    asked = query._asdict() | {"facets": {name: list(values) for name, values in query.facets}}
    return {"query": asked, "found": found, "tokens": [dict(zip(map(str, heading), row, strict=True)) for row in rows]}
