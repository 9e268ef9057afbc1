"""The Vocabulary page's questions: a search, a dossier, the checks, the files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from explorer.analysis.exports.export import Export
from explorer.analysis.exports.vocabularies import tokens_export
from explorer.analysis.vocabulary.checks import Finding, find_unbuilt, findings_from, quick_findings
from explorer.analysis.vocabulary.dossier import dossier
from explorer.analysis.vocabulary.index import VocabularyIndex, index_of
from explorer.analysis.vocabulary.query import Query, Search
from explorer.analysis.vocabulary.reach import Sweep, sweep
from explorer.analysis.vocabulary.selections import selection_of
from explorer.answers.explore import content_id, other_tokenizers, tokenizer
from explorer.answers.offers import TokenizerSpec, bundled
from explorer.answers.questions import material, question
from explorer.views.vocabulary import dossier_view, facets, lengths, others_view, rows

MOST: Final = 2_000
"""Rows that go to the browser."""

PARTS: Final = 6
"""Parts of the check of every token, each reported when it is done."""

FIRST: Final = 300
"""Rows that go first; the rest when the list is scrolled."""


class VocabularyView(NamedTuple):
    """A search as the page draws it. found: how many tokens; of: of how many. id: names the content."""

    rows: list[list[object]]
    found: int
    of: int
    facets: list[dict[str, Any]]
    lengths: list[list[int]]
    sorted_by_score: bool
    id: str


@material(lambda index: index.weight)
def vocabulary_index(spec: TokenizerSpec) -> VocabularyIndex:
    """The index of a tokenizer."""
    return index_of(tokenizer(spec))


@material(lambda found: 1_000 + 200 * sum(len(each.ids) for each in found))
def findings_of(spec: TokenizerSpec, checked: bool) -> list[Finding]:
    """What the checks find. checked: with those that run the tokenizer on every token."""
    index = vocabulary_index(spec)
    if not checked:
        return quick_findings(index)
    parts = [checked_part(spec, part) for part in range(PARTS)]
    unreached = {id: reached for asked, _ in parts for id, reached in asked.unreached.items()}
    whole = Sweep(unreached, sum(asked.parts for asked, _ in parts), sum(asked.unasked for asked, _ in parts))
    return findings_from(index, whole, [id for _, unbuilt in parts for id in unbuilt])


@material(lambda part: 1_000 + 500 * len(part[0].unreached) + 40 * len(part[1]))
def checked_part(spec: TokenizerSpec, part: int) -> tuple[Sweep, tuple[int, ...]]:
    """The answers for one of `PARTS` parts of the tokens, and those of it that merges alone don't build."""
    index = vocabulary_index(spec)
    size = -(-len(index) // PARTS)
    ids = range(part * size, min(len(index), (part + 1) * size))
    return sweep(index, ids=ids), tuple(find_unbuilt(index, lambda done: None, ids))


@material(lambda search: 100_000)
def search_of(spec: TokenizerSpec, checked: bool) -> Search:
    """The search of a vocabulary, with the findings as a facet."""
    index = vocabulary_index(spec)
    found = {each.title: selection_of(each.ids, len(index)) for each in findings_of(spec, checked) if each.ids}
    return Search(index, {"check": found})


@question
def vocabulary_view(spec: TokenizerSpec, query: Query, checked: bool, most: int) -> VocabularyView:
    """The first tokens found, and the counts. Raises InputError for a query that can't be read."""
    search = search_of(spec, checked)
    found = search.find(query)
    ids = search.ids(found, query, min(most, MOST))
    index = search.index
    return VocabularyView(
        rows(index, ids), found.total, index.all.bit_count(), facets(search, found, query), lengths(search, found),
        bool(index.tokenizer.vocabulary.scores), content_id(spec, query, checked, most),
    )  # fmt: skip


@question
def token_view(spec: TokenizerSpec, id: int, checked: bool) -> Mapping[str, Any]:
    """The dossier of a token. Raises InputError for an id without one."""
    index = vocabulary_index(spec)
    findings = {each.title: each.ids for each in findings_of(spec, checked)}
    return dossier_view(index, dossier(index, id), findings)


@question
def others_of(spec: TokenizerSpec, id: int) -> list[dict[str, Any]]:
    """A token's text in the other bundled tokenizers."""
    labels = {offer.title or offer.label: offer.label for offer in bundled().values()}
    text = vocabulary_index(spec).texts[id]
    return others_view(text, ((labels[title], title, other) for title, other in other_tokenizers(spec)))


@question
def file_names(spec: TokenizerSpec) -> dict[str, str]:
    """The names of the files of a search, by ending."""
    return tokens_export(vocabulary_index(spec), Query(), (), 0).file_names


def search_export(spec: TokenizerSpec, query: Query, checked: bool) -> Export:
    """All tokens found, as CSV or JSON."""
    search = search_of(spec, checked)
    found = search.find(query)
    return tokens_export(search.index, query, search.ids(found, query), found.total)
