"""Checks of a vocabulary: what in it can't work, or not as its spelling suggests; and what two vocabularies share.

Each finding has its tokens. Most checks look at the vocabulary and the merges alone. Two run the tokenizer on every
token and take seconds: whether text gives each token (`reach`), and whether merges alone build it. A finding needn't be
a fault: special tokens are often spelled like words, and Llama 3 takes the tokens whole that its merges don't build.
The rows of the model's embedding are known where a folder has a config.json.

Of two vocabularies: tokens only one of them has, and shared ones with another id, score or kind. Tokens are the same if
their bytes are, special and added ones apart from others. Where both vocabularies spell alike, the spelling has to be
the same instead, so that `##ing` is not `ing`. Of several tokens with the same bytes the first counts. `explorer
compare` shows what the difference does to a text.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import pairwise
from operator import or_
from typing import NamedTuple

from explorer.analysis.vocabulary.derivation import is_built, merge_list, merging
from explorer.analysis.vocabulary.index import SEARCHED, TokenClass, VocabularyIndex, ids_in
from explorer.analysis.vocabulary.reach import BLOCK, SECONDS, SECONDS_A_TOKEN, Outcome, Sweep, sweep
from explorer.engine import budget
from explorer.engine.models.bpe import BETWEEN, END, Bpe
from explorer.engine.models.lookup import CodePoints
from explorer.engine.models.merges import Pairs
from explorer.facts import FactKind
from explorer.formats.files import CONFIG
from explorer.implementations.opened import Opened
from explorer.stages.spelling import How, plain_bytes
from explorer.tables import Json, read_toml
from explorer.text.say import Text
from explorer.vocabulary import PieceKind, bytes_of

MOST_LINES = 1_000
"""Lines of a finding that is about no tokens."""


@dataclass(frozen=True)
class Finding:
    """What one check found.

    key: its name. title: what was found. means: why it matters. count: how many; ids: the tokens. lines: what else it
    is about, such as merges, the first `MOST_LINES`. notes: what is said of single tokens.
    """

    key: str
    title: str
    means: str
    count: int
    ids: tuple[int, ...] = ()
    lines: tuple[str, ...] = ()
    notes: Mapping[int, str] = field(default_factory=dict)


def quick_findings(index: VocabularyIndex) -> list[Finding]:
    """The findings of the checks that run nothing; those without a finding are left out.

    >>> import explorer
    >>> from explorer.analysis.vocabulary.index import index_of
    >>> found = quick_findings(index_of(explorer.load("gpt-2")))
    >>> [(each.key, each.count) for each in found]
    [('with-space', 8536)]
    """
    return [found for check in QUICK for found in check(index) if found.count]


def all_findings(index: VocabularyIndex, progress: Callable[[int], None] = lambda done: None) -> list[Finding]:
    """All findings. progress: called now and then with the number of tokens asked for so far, of twice as many."""
    by_merges = list(find_unbuilt(index, progress, range(len(index))))
    return findings_from(index, sweep(index, lambda done: progress(len(index) + done)), by_merges)


def findings_from(index: VocabularyIndex, asked: Sweep, by_merges: Sequence[int]) -> list[Finding]:
    """All findings. asked: the answers for all tokens. by_merges: the tokens that merges alone don't build."""
    return [each for each in (*of_sweep(asked, index), of_unbuilt(by_merges), *quick_findings(index)) if each.count]


def of_sweep(found: Sweep, index: VocabularyIndex) -> Iterator[Finding]:
    """The findings about tokens that no text gives."""
    spelled = index.tokenizer.vocabulary.spelling
    notes = {id: " ".join(map(spelled, each.ids[:8])) for id, each in found.unreached.items()}
    for outcome in (Outcome.SEVERAL, Outcome.OTHER, Outcome.UNBUILT):
        ids = found.of(outcome)
        yield of_tokens(f"unreached-{outcome.value}", ids, {id: notes[id] for id in ids})


def of_unbuilt(found: Sequence[int]) -> Finding:
    """The finding about these tokens."""
    return of_tokens("unbuilt", found)


def find_unbuilt(index: VocabularyIndex, progress: Callable[[int], None], wanted: range) -> Iterator[int]:
    """Of the ids that are wanted, those of such tokens."""
    model, vocabulary = merging(index.tokenizer), index.tokenizer.vocabulary
    if model is None:
        return
    pairs = Pairs(model.pair)
    ids = model.ids if isinstance(model, Bpe) else vocabulary.ids
    with budget.within("this vocabulary", SECONDS + SECONDS_A_TOKEN * len(index)):
        for done, id in enumerate(wanted):
            if not done % BLOCK:
                progress(done)
                budget.ask("the check")
            piece = vocabulary.pieces[id]
            if index.built[id] or vocabulary.kinds[id] != PieceKind.NORMAL or piece not in ids:
                continue
            if not is_built(model, piece, pairs):
                yield id


# --- checks that run nothing ------------------------------------------------------------------------------------------


WORDS: Json = read_toml(__file__, "words.toml")


def of_tokens(key: str, ids: Iterable[int], notes: Mapping[int, str] | None = None) -> Finding:
    """A finding about tokens, in the words of its check."""
    found = tuple(ids)
    return Finding(key, **WORDS[key], count=len(found), ids=found, notes=notes or {})


def of_lines(key: str, lines: Sequence[str]) -> Finding:
    """A finding about something else, in the words of its check."""
    return Finding(key, **WORDS[key], count=len(lines), lines=tuple(lines[:MOST_LINES]))


def of_kinds(index: VocabularyIndex, *kinds: TokenClass) -> Iterator[int]:
    """The ids of some classes."""
    selections = (index.facets["kind"].get(kind, 0) for kind in kinds)
    return ids_in(reduce(or_, selections), len(index))


def same_bytes(index: VocabularyIndex) -> Iterator[Finding]:
    """Tokens with the same bytes as another one."""
    groups = index.same_bytes.values()
    notes = {id: ", ".join(str(other) for other in group if other != id) for group in groups for id in group}
    means = "Only one of them comes from a given text. Of a byte token and a character's own piece, it is the piece."
    several = "The same bytes in several tokens ({0} groups)"
    title = Text("The same bytes in several tokens ({0} group)", len(groups), many=several)
    yield Finding("same-bytes", title, means, len(notes), tuple(notes), notes=notes)


def with_space(index: VocabularyIndex) -> Iterator[Finding]:
    """Tokens of which there is one more with a space in front."""
    known = index.ids_by_data() if index.spaced else {}
    rests = (index.data[id][1:] for id in ids_in(index.spaced, len(index)))
    yield of_tokens("with-space", (known[rest] for rest in rests if rest in known))


def broken_merges(index: VocabularyIndex) -> Iterator[Finding]:
    """Merges whose result or parts are not tokens."""
    model, merges, ids = merging(index.tokenizer), merge_list(index.tokenizer), index.tokenizer.vocabulary.ids
    if model is None or merges is None:
        return
    broken = []
    for number, key in enumerate(merges.split(END)[:-1], 1):
        left, _, right = key.partition(BETWEEN)
        missing = next((each for each in (left, right, model.join([left, right])) if each not in ids), None)
        if missing is not None:
            broken.append(f"merge {number}: {plain_bytes(left)} + {plain_bytes(right)}, without {plain_bytes(missing)}")
    yield of_lines("broken-merges", broken)


def gaps(index: VocabularyIndex) -> Iterator[Finding]:
    """Ids without a token."""
    yield of_tokens("gaps", of_kinds(index, TokenClass.NO_TOKEN))


def missing_bytes(index: VocabularyIndex) -> Iterator[Finding]:
    """Bytes without a token, in a vocabulary that has tokens for bytes."""
    if index.spelling.how not in (How.PRINTABLE, How.RAW) and PieceKind.BYTE not in index.tokenizer.vocabulary.kinds:
        return
    if isinstance(index.tokenizer.model, CodePoints):  # every character has an id
        return
    there = {data for data in index.data if len(data) == 1}
    missing = [f"{byte:02X}" for byte in range(256) if b"%c" % byte not in there]
    yield of_lines("missing-bytes", missing)


def plain_specials(index: VocabularyIndex) -> Iterator[Finding]:
    """Special tokens that are spelled like ordinary text."""
    pieces, special = index.tokenizer.vocabulary.pieces, of_kinds(index, *SEARCHED)
    plain = (id for id in special if pieces[id].decode("utf-8", "replace").strip(" ▁Ġ").isalnum())
    yield of_tokens("plain-specials", plain)


def scores(index: VocabularyIndex) -> Iterator[Finding]:
    """Scores that don't fall with the id, and normal pieces with the score 0."""
    vocabulary = index.tokenizer.vocabulary
    if not vocabulary.scores or merging(index.tokenizer) is None:
        return
    normal = [id for id, kind in enumerate(vocabulary.kinds) if kind == PieceKind.NORMAL]
    rising = (b for a, b in pairwise(normal) if vocabulary.scores[b] > vocabulary.scores[a])
    yield of_tokens("score-order", rising)
    zero = [id for id in normal if vocabulary.scores[id] == 0]
    if len(zero) > 1:
        yield of_tokens("score-zero", zero)


def no_bytes(index: VocabularyIndex) -> Iterator[Finding]:
    """Ordinary tokens that decode to nothing."""
    yield of_tokens("no-bytes", of_kinds(index, TokenClass.NO_BYTES))


def other_alphabet(index: VocabularyIndex) -> Iterator[Finding]:
    """Pieces with characters outside the byte alphabet of their vocabulary."""
    if index.spelling.how is not How.PRINTABLE:
        return
    vocabulary = index.tokenizer.vocabulary
    outside = (
        id
        for id, piece in enumerate(vocabulary.pieces)
        if vocabulary.kinds[id] == PieceKind.NORMAL and bytes_of(piece.decode("utf-8", "replace")) is None
    )
    yield of_tokens("alphabet", outside)


def config_rows(index: VocabularyIndex) -> Iterator[Finding]:
    """Another number of rows in config.json than the tokenizer has ids; what opened the folder compared them."""
    for fact in index.tokenizer.facts:
        if fact.kind is FactKind.WARNING and fact.place.startswith(f"{CONFIG}: "):
            title = "Another number of ids than config.json says"
            yield Finding("config-rows", title, fact.says, 1, lines=(fact.place,))


QUICK = (
    same_bytes, broken_merges, gaps, missing_bytes, plain_specials, scores, no_bytes, other_alphabet, with_space,
    config_rows,
)  # fmt: skip


Key = tuple[bytes, bool]
"""What makes two tokens the same, and whether they are special or added."""


class VocabularyDifference(NamedTuple):
    """The ids that differ.

    only_left, only_right: of tokens that the other side lacks. same: how many tokens have the same bytes and id.
    other_id, other_score, other_kind: pairs of a left and a right id of the same token. merges: how many merges only
    the left, only the right and both lists have; None unless both sides have lists.
    """

    only_left: tuple[int, ...]
    only_right: tuple[int, ...]
    same: int
    other_id: tuple[tuple[int, int], ...]
    other_score: tuple[tuple[int, int], ...]
    other_kind: tuple[tuple[int, int], ...]
    merges: tuple[int, int, int] | None

    @property
    def equal(self) -> bool:
        """Whether nothing differs."""
        return not (self.only_left or self.only_right or self.other_id or self.other_score or self.other_kind
                    or any((self.merges or (0, 0))[:2]))  # fmt: skip


def difference(left: VocabularyIndex, right: VocabularyIndex) -> VocabularyDifference:
    """What differs between two vocabularies.

    >>> import explorer
    >>> from explorer.analysis.vocabulary.index import index_of
    >>> found = difference(index_of(explorer.load("cl100k_base")), index_of(explorer.load("llama-3")))
    >>> len(found.only_left), len(found.other_id), found.same
    (5, 0, 100256)
    """
    alike = (left.spelling.how, left.spelling.prefix) == (right.spelling.how, right.spelling.prefix)
    one, other = dict(keys(left, alike)), dict(keys(right, alike))
    shared = sorted((id, other[key]) for key, id in one.items() if key in other)
    a, b = left.tokenizer.vocabulary, right.tokenizer.vocabulary
    scored = bool(a.scores) and bool(b.scores)
    return VocabularyDifference(
        tuple(sorted(id for key, id in one.items() if key not in other)),
        tuple(sorted(id for key, id in other.items() if key not in one)),
        sum(x == y for x, y in shared),
        tuple((x, y) for x, y in shared if x != y),
        tuple((x, y) for x, y in shared if scored and a.scores[x] != b.scores[y]),
        tuple((x, y) for x, y in shared if a.kinds[x] != b.kinds[y]),
        merges_of(left.tokenizer, right.tokenizer),
    )


def keys(index: VocabularyIndex, by_spelling: bool) -> Iterator[tuple[Key, int]]:
    """Every token's key and id; the last ids first, so that in a dictionary the first counts."""
    pieces, classes = index.tokenizer.vocabulary.pieces, index.classes
    for id in range(len(index) - 1, -1, -1):
        if classes[id] is not TokenClass.NO_TOKEN:
            special = classes[id] in SEARCHED
            yield (pieces[id] if by_spelling or special else index.data[id], special), id


def merges_of(left: Opened, right: Opened) -> tuple[int, int, int] | None:
    """How many merges only the left, only the right and both have."""
    merges = [merge_list(each) for each in (left, right)]
    if None in merges:
        return None
    one, other = (set(each.split(END)[:-1]) for each in merges if each is not None)
    return len(one - other), len(other - one), len(one & other)
