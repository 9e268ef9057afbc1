"""Exports about whole vocabularies: tokens found, a dossier, checks, the difference of two."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Final

from explorer.analysis.export import Export, Provenance, Record, Table
from explorer.analysis.vocabulary.checks import Finding
from explorer.analysis.vocabulary.derivation import Derivation, Split
from explorer.analysis.vocabulary.difference import VocabularyDifference
from explorer.analysis.vocabulary.dossier import Dossier, speller_of
from explorer.analysis.vocabulary.index import VocabularyIndex
from explorer.analysis.vocabulary.query import Query
from explorer.text.say import plain
from explorer.vocabulary import spelled


def tokens_export(index: VocabularyIndex, query: Query, ids: Sequence[int], found: int) -> Export:
    """Tokens of a vocabulary. found: how many a search found, of which these may be the first."""
    made = Provenance.of([index.tokenizer], None, None)
    return Export(
        "vocabulary", made, lambda: tokens_record(index, query, list(ids), found), lambda: token_rows(index, ids)
    )


def dossier_export(index: VocabularyIndex, about: Dossier) -> Export:
    """All about one token."""
    return Export("token", Provenance.of([index.tokenizer], None, None), lambda: dossier_record(index, about))


def checks_export(index: VocabularyIndex, findings: Sequence[Finding]) -> Export:
    """What the checks of a vocabulary found."""
    made = Provenance.of([index.tokenizer], None, None)
    return Export("vocabulary-checks", made, lambda: findings_record(findings, len(index)))


def vocabulary_difference_export(
    left: VocabularyIndex, right: VocabularyIndex, labels: Sequence[str], found: VocabularyDifference
) -> Export:
    """What differs between two vocabularies. labels: of the two, different."""
    made = Provenance.of([left.tokenizer, right.tokenizer], None, None, labels)
    return Export("vocabulary-difference", made, lambda: difference_record(found))


def logit_bias(ids: Sequence[int], bias: int = -100) -> str:
    """Ids as the `logit_bias` of a request: a JSON object from id to bias.

    >>> logit_bias([5, 7])
    '{"5": -100, "7": -100}'
    """
    return json.dumps({str(id): bias for id in ids})


# --- the same as plain values -----------------------------------------------------------------------------------------

COLUMNS: Final = ("id", "text", "piece", "bytes", "kind", "script", "characters", "type", "score")
"""The columns of a list of tokens. kind: by its text; type: as the vocabulary has it."""


def token_row(index: VocabularyIndex, id: int, text: str) -> list[object]:
    """One token in these columns. text: as it is shown.

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


def token_rows(index: VocabularyIndex, ids: Iterable[int]) -> Table:
    """A heading and one row per token."""
    token = speller_of(index).token
    return [list(COLUMNS), *(token_row(index, id, token(id)) for id in ids)]


def tokens_record(index: VocabularyIndex, query: Query, ids: list[int], found: int) -> Record:
    """What was asked for and the tokens found. found: how many there are, of which `ids` may be the first."""
    heading, *rows = token_rows(index, ids)
    asked = query._asdict() | {"facets": {name: list(values) for name, values in query.facets}}
    return {"query": asked, "found": found, "tokens": [dict(zip(map(str, heading), row, strict=True)) for row in rows]}


def dossier_record(index: VocabularyIndex, about: Dossier) -> Record:
    """A dossier. Pieces are spelled as the vocabulary stores them."""
    (_, row), heading = token_rows(index, [about.id]), COLUMNS
    return dict(zip(heading, row, strict=True)) | {
        "reachable": about.reached.outcome.value,
        "verdict": plain(about.verdict),
        "text_that_gives_it": about.reached.text if about.reached.ids == (about.id,) else None,
        "instead": [] if about.reached.ids == (about.id,) else list(about.reached.ids),
        "trials": [each._asdict() for each in about.trials],
        "merged": about.merged,
        "tree": None if about.derivation is None else tree_record(about.derivation),
        "splits": [split_record(each) for each in about.splits],
        "uses": None if about.uses is None else about.uses._asdict(),
        "longer": [
            {"id": each.id, "made_from": each.made_from, "parents": each.parents and split_record(each.parents)}
            for each in about.longer
        ],
        "shorter": list(about.shorter),
        "same_letters": list(about.same_letters),
        "same_bytes": list(about.same_bytes),
    }


def tree_record(made: Derivation) -> list[Record]:
    """The symbols of a derivation in order, then its merges."""
    return [{**node._asdict(), "piece": spelled(node.piece), "children": list(node.children)} for node in made.nodes]


def split_record(split: Split) -> Record:
    """Two pieces that merge."""
    return {**split._asdict(), "left": spelled(split.left), "right": spelled(split.right)}


def findings_record(findings: Iterable[Finding], tokens: int) -> Record:
    """What checks found."""
    return {
        "tokens": tokens,
        "findings": [
            {"key": each.key, "title": each.title, "means": each.means, "count": each.count, "ids": list(each.ids),
             "lines": list(each.lines), "notes": {str(id): note for id, note in each.notes.items()}}
            for each in findings
        ],
    }  # fmt: skip


def difference_record(found: VocabularyDifference) -> Record:
    """What differs between two vocabularies."""
    merges = found.merges
    named = None if merges is None else {"only_left": merges[0], "only_right": merges[1], "both": merges[2]}
    return {"equal": found.equal, **found._asdict(), "merges": named}
