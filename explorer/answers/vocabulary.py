"""The Vocabulary page's questions: search, dossier, checks, files, charts, two vocabularies side by side, and edits.

Edits are replayed on the file's bytes wherever the tokenizer's other questions run. What they give is an upload, which
is opened in the session's own process like any other.
"""

from collections.abc import Iterable
from pathlib import PurePath
from typing import NamedTuple

from explorer.analysis.export import Export
from explorer.analysis.tokenizer_exports import tokens_export
from explorer.analysis.vocabulary.checks import (
    Finding,
    VocabularyDifference,
    difference,
    find_unbuilt,
    findings_from,
    quick_findings,
)
from explorer.analysis.vocabulary.figures import Notable, Picture, notable, opening_token, picture
from explorer.analysis.vocabulary.index import Query, Search, VocabularyIndex, index_of, selection_of
from explorer.analysis.vocabulary.reach import Sweep, dossier, speller_of, sweep
from explorer.answers.explore import Request, content_id, each_of, lazy_trace, tokenizer
from explorer.answers.offers import TokenizerSpec, Upload, UploadGroup, upload_offer
from explorer.answers.questions import material, question
from explorer.editing.edits import AddEntries, Edit, EditOf, Editor, write
from explorer.editing.replay import EDITORS, changed, editor_of, replay
from explorer.errors import ChoicePairs
from explorer.implementations.tiktoken import KEY, with_sha256
from explorer.opening.formats import format_of
from explorer.origin import File
from explorer.tables import Json, Record
from explorer.text import visible
from explorer.text.say import Say, number, plural
from explorer.views.vocabulary import (
    dossier_view,
    facets,
    headline,
    ids_typed,
    lengths,
    not_a_token,
    other_view,
    rows,
    token_text,
)

MOST = 2_000
"""Rows that go to the browser."""

PARTS = 6
"""Parts of the check of every token, each reported when it is done."""

FIRST = 300
"""Rows that go first; the rest when the list is scrolled."""


OTHERS = "Search for another one, or let one surprise you."
"""What stands below the sentence of a token that is not chosen for being worth a look."""


class VocabularyView(NamedTuple):
    """A search as the page draws it. found: how many tokens; of: of how many. id: names the content.

    ids: of a text that reads as ids, what they are.
    """

    rows: list[list[object]]
    found: int
    of: int
    facets: list[Record]
    lengths: list[list[int]]
    sorted_by_score: bool
    id: str
    ids: Json | None


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
        ids_typed(search, query),
    )  # fmt: skip


@question
def token_view(spec: TokenizerSpec, id: int, checked: bool) -> Json:
    """The dossier of a token, its sentence, and why it is worth looking at. Raises InputError for an id without one."""
    index = vocabulary_index(spec)
    findings = {each.title: each.ids for each in findings_of(spec, checked)}
    about = dossier(index, id)
    why = next((each.why for each in notable_of(spec) if each.id == id), Say(OTHERS))
    said = {"say": headline(index, about, spec.title)._asdict(), "why": why._asdict()}
    return {**dossier_view(index, about, findings), **said, "row": rows(index, [id])[0]}


@material(lambda found: 1_000 + 200 * len(found))
def notable_of(spec: TokenizerSpec) -> list[Notable]:
    """The tokens worth looking at."""
    return notable(vocabulary_index(spec))


@question
def surprises_of(spec: TokenizerSpec) -> list[int]:
    """Their ids: what the button chooses among."""
    return [each.id for each in notable_of(spec)]


@question
def opening_of(spec: TokenizerSpec) -> int | None:
    """The token that the page opens on."""
    return opening_token(vocabulary_index(spec))


class TextCheck(NamedTuple):
    """Whether a text is one token. token: that token. say: what it gives, if it is none."""

    token: int | None
    say: Say | None


@question
def check_text(spec: TokenizerSpec, text: str) -> TextCheck:
    """Whether a searched text is a token, alone or after a space. Raises InputError for a text that is refused."""
    index = vocabulary_index(spec)
    ids: list[int] = []
    for each in (text, f" {text}"):
        found = list(index.tokenizer.encode(each, add_special=False).ids)
        if len(found) == 1 and index.texts[found[0]].strip() == text.strip():
            return TextCheck(found[0], None)
        ids = ids or found
    return TextCheck(None, not_a_token(index, text, ids, spec.title))


@question
def checks_say(spec: TokenizerSpec) -> Say:
    """What asking for every token found."""
    index = vocabulary_index(spec)
    every = [checked_part(spec, part)[0] for part in range(PARTS)]
    missed, unasked = sum(len(asked.unreached) for asked in every), sum(asked.unasked for asked in every)
    asked = index.all.bit_count() - unasked
    say = Say("{0} of {1:t} of {2:t} comes out of a text", asked - missed, plural(asked, "token"), spec.title,
              many="{0} of {1:t} of {2:t} come out of a text")  # fmt: skip
    if not missed:
        return Say("{0}.", say)
    never = Say("{0} never does", missed, many="{0} never do")
    return Say("{0}; {1}: they are listed under Checks.", say, never)


def others_of(spec: TokenizerSpec, id: int, others: Iterable[TokenizerSpec]) -> list[Record]:
    """A token's text in other tokenizers, or why one can't tell. Each answers where it belongs."""
    text = text_of(spec, id)
    answers, refusals = each_of(others, lambda other: text_elsewhere(other, text))
    return [*(row for _, row in answers), *({"title": name, "refused": why} for name, why in refusals)]


@question
def text_of(spec: TokenizerSpec, id: int) -> str:
    """The text of a token."""
    return vocabulary_index(spec).texts[id]


@question
def tokens_in(spec: TokenizerSpec, text: str) -> list[tuple[int, str]]:
    """The different tokens of a text in their order, with their texts as the list has them."""
    index = vocabulary_index(spec)
    speller = speller_of(index)
    return [(id, token_text(index, speller, id)) for id in dict.fromkeys(lazy_trace(Request(spec, text)).ids)]


@question
def text_elsewhere(spec: TokenizerSpec, text: str) -> Record:
    """The text of another tokenizer's token in this one. Raises InputError."""
    return other_view(text, spec.offer.label, spec.offer.name, tokenizer(spec))


@question
def file_names(spec: TokenizerSpec) -> dict[str, str]:
    """The names of the files of a search, by ending."""
    return tokens_export(vocabulary_index(spec), Query(), (), 0).file_names


def search_export(spec: TokenizerSpec, query: Query, checked: bool) -> Export:
    """All tokens found, as CSV or JSON."""
    search = search_of(spec, checked)
    found = search.find(query)
    return tokens_export(search.index, query, search.ids(found, query), found.total)


MOST_ROWS = 1_000
"""Rows of a table."""


class PairView(NamedTuple):
    """How many tokens differ, by kind. same: with the same id. merges: only left, only right, in both; or None."""

    counts: dict[str, int]
    same: int
    merges: tuple[int, int, int] | None


class PairRow(NamedTuple):
    """A token that differs: its text, and on each side its id and what differs."""

    text: str
    left: str
    right: str


@question
def picture_of(spec: TokenizerSpec) -> Picture:
    """The numbers of a vocabulary for its charts."""
    return picture(vocabulary_index(spec))


@material(lambda found: 1_000 + 40 * len(found.only_left + found.only_right) + 100 * len(found.other_id))
def difference_of(left: TokenizerSpec, right: TokenizerSpec) -> VocabularyDifference:
    """What differs between two vocabularies."""
    return difference(vocabulary_index(left), vocabulary_index(right))


def pairs_of(found: VocabularyDifference) -> dict[str, tuple[tuple[int | None, int | None], ...]]:
    """What can differ, and its tokens as pairs of a left and a right id."""
    return {
        "Only left": tuple((id, None) for id in found.only_left),
        "Only right": tuple((None, id) for id in found.only_right),
        "Other id": found.other_id,
        "Other score": found.other_score,
        "Other kind": found.other_kind,
    }


@question
def pair_view(left: TokenizerSpec, right: TokenizerSpec) -> PairView:
    """How much differs."""
    found = difference_of(left, right)
    return PairView({name: len(pairs) for name, pairs in pairs_of(found).items()}, found.same, found.merges)


@question
def pair_rows(left: TokenizerSpec, right: TokenizerSpec, kind: str) -> list[PairRow]:
    """The first tokens that differ in one way."""
    sides = vocabulary_index(left), vocabulary_index(right)
    spellers = tuple(map(speller_of, sides))

    def shown(side: int, id: int | None) -> str:
        if id is None:
            return ""
        vocabulary = sides[side].tokenizer.vocabulary
        if kind == "Other score":
            return f"{id}: {number(vocabulary.scores[id])}"
        return f"{id}: {vocabulary.kind(id).name.lower()}" if kind == "Other kind" else str(id)

    rows = []
    for one, other in pairs_of(difference_of(left, right))[kind][:MOST_ROWS]:
        side, id = (1, other) if one is None else (0, one)
        assert id is not None, "one side has it"
        rows.append(PairRow(token_text(sides[side], spellers[side], id), shown(0, one), shown(1, other)))
    return rows


SECONDS = 10.0
"""Processor time of a list of edits on the page."""

SHOWN = 12
"""Tokens and words that are drawn of many."""


class EditedFile(NamedTuple):
    """A file after its edits. notes: what was said about each edit. choices: what opening it needs to be told.

    edits: the list of edits as a file, which names what they are for.
    """

    data: bytes
    name: str
    notes: tuple[tuple[str, ...], ...]
    choices: ChoicePairs
    edits: str
    edits_name: str


class Changes(NamedTuple):
    """What became of the tokens: how many, and the first of them, each with its id."""

    added: tuple[int, list[str]]
    removed: tuple[int, list[str]]
    moved: int
    same: int
    unreached: tuple[int, list[str]]


def editor_for(spec: TokenizerSpec) -> Editor:
    """What can be done to the file of a tokenizer. Raises InputError."""
    label = spec.offer.label
    return editor_of(format_of(spec.offer.open.contents(), label), label)


@question
def kinds_of(spec: TokenizerSpec) -> tuple[type[EditOf], ...]:
    """The kinds of edits that the format of a tokenizer has. Raises InputError."""
    return tuple(editor_for(spec).steps)


@question
def first_edit(spec: TokenizerSpec, text: str) -> tuple[Edit, ...]:
    """An edit to show what edits do: the word of a text with the most tokens becomes one. None without such a word.

    Raises InputError for a format that can't be edited.
    """
    tok = tokenizer(spec)
    size, word = max(((len(tok.encode(each, add_special=False)), each) for each in text.split()), default=(0, ""))
    editor = editor_for(spec)
    if AddEntries in editor.steps and f" {word}" in text:
        word = f" {word}"  # in a list of bytes, the space before a word belongs to its token
    return (editor.found_first(word, False),) if size > 1 else ()


@material(lambda edited: 10_000 + len(edited.data))
def edited_file(spec: TokenizerSpec, edits: tuple[Edit, ...]) -> EditedFile:
    """The file of a tokenizer after edits. Raises InputError that names the edit."""
    data = spec.offer.open.contents()
    found = replay(data, edits, spec.offer.label, SECONDS)
    known = with_sha256(data)
    choices = dict(spec.choices) or ({KEY: known[0].name} if known else {})
    label = spec.offer.label.partition(" (")[0]
    stem = PurePath(label).stem if label.endswith(tuple(each.suffix for each in EDITORS.values())) else label
    suffix = editor_for(spec).suffix
    head = f"# Edits of {visible(spec.name)}, sha256 {File.of(label, data).digest}; replay them with explorer edit.\n"
    return EditedFile(found.data, f"{stem}, edited here{suffix}", found.notes, tuple(choices.items()),
                      head + write(edits), f"{stem}-edits.toml")  # fmt: skip


def edited_spec(spec: TokenizerSpec, edited: EditedFile) -> tuple[UploadGroup, TokenizerSpec]:
    """The edited file as an upload, and how to open it: with the others of its folder, as before."""
    others = spec.offer.files[1:]
    name = spec.offer.files[0].name if others else edited.name
    files = (Upload(name, edited.data, f"{spec.offer.name}, edited here"), *others)
    offer = upload_offer(files)
    known = offer.implementations
    implementation = spec.implementation if spec.implementation in known else known[0]
    return files, TokenizerSpec(offer, implementation, edited.choices)


@question
def changes_of(before: TokenizerSpec, after: TokenizerSpec) -> Changes:
    """What became of the tokens. Raises InputError if the edited file can't be opened."""
    change = changed(tokenizer(before.without_pattern), tokenizer(after))
    what = change.difference
    return Changes(
        (len(what.only_right), first(change.right, what.only_right)),
        (len(what.only_left), first(change.left, what.only_left)),
        len(what.other_id),
        what.same,
        (len(change.unreached), first(change.right, change.unreached)),
    )


def first(index: VocabularyIndex, ids: tuple[int, ...]) -> list[str]:
    """The first of some tokens, visible and short, each with its id."""
    speller = speller_of(index)
    return [f"{speller.token(id)[:80]} ({id})" for id in ids[:SHOWN]]
