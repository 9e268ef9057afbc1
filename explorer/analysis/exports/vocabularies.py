"""Exports about whole vocabularies: tokens found, a dossier, checks, the difference of two."""

from __future__ import annotations

import json
from collections.abc import Sequence

from explorer.analysis.exports.export import Export
from explorer.analysis.provenance import Provenance
from explorer.analysis.vocabulary.checks import Finding
from explorer.analysis.vocabulary.difference import VocabularyDifference
from explorer.analysis.vocabulary.dossier import Dossier
from explorer.analysis.vocabulary.index import VocabularyIndex
from explorer.analysis.vocabulary.query import Query
from explorer.analysis.vocabulary.records import (
    difference_record,
    dossier_record,
    findings_record,
    token_rows,
    tokens_record,
)


def tokens_export(index: VocabularyIndex, query: Query, ids: Sequence[int], found: int) -> Export:
    """Tokens of a vocabulary. found: how many a search found, of which these may be the first."""
    made = Provenance.of([index.tokenizer], None, None)
    return Export("vocabulary", made, lambda: tokens_record(index, query, list(ids), found),
                  lambda: token_rows(index, ids))  # fmt: skip


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
