"""Every token and every cut of every bundled tokenizer has an answer, and the answers are true.

Oracles: the vocabulary as a plain set of spellings, merges replayed on spellings, cuts counted one by one. The sums of
paths are checked in `test_lattices`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

import pytest

import explorer
from explorer.analysis.export import plain_values
from explorer.analysis.why import why, why_cut, why_token
from explorer.engine.models.bpe import Bpe
from explorer.engine.models.longest_match import TrieMatch
from explorer.engine.models.merges import MergeEvent, MergeRow
from explorer.engine.models.unigram import Plamo2
from explorer.engine.tokenizer import Tokenizer, Trace
from explorer.stages.stage import Cut, CutCause, OriginKind, TokenOrigin
from explorer.text.say import plain
from explorer.views.examples import PRESETS
from tests.bundled import bundled
from tests.originals.generators import strings

BUNDLED = tuple(
    f"{model.name}@{implementation}"
    for model in explorer.catalog().values()
    for implementation in model.implementations
)
# by name: the tests are collected without opening a vocabulary
MERGING = tuple(spec for spec in BUNDLED if explorer.catalog()[spec.partition("@")[0]].family in ("SPM", "BPE"))
LONGEST = 60
COUNTED = 14
"""Units of the longest text whose cuts are counted one by one."""


SEEN = {
    "SPM": {CutCause.ADDED_TOKEN, CutCause.BYTES, CutCause.NOT_A_PIECE},
    "BPE": {CutCause.PRE_TOKENIZER, CutCause.NOT_A_PIECE},
    "WordPiece": {CutCause.ADDED_TOKEN, CutCause.PRE_TOKENIZER, CutCause.LONGEST_MATCH},
    "Unigram": {CutCause.ADDED_TOKEN, CutCause.NOT_A_PIECE},
    "RWKV": {CutCause.LONGEST_MATCH},
    "first-miss": {CutCause.FIRST_MISS, CutCause.BYTES},
}
"""By family, the causes that the texts bring up at least."""


@cache
def texts() -> list[str]:
    return [preset.text for preset in PRESETS] + [text[:LONGEST] for text in strings(14, 150)]


@cache
def traces(spec: str) -> list[Trace]:
    return [bundled(spec).trace(text) for text in texts()]


def cuts(spec: str) -> Iterator[tuple[Trace, Cut]]:
    for trace in traces(spec):
        for number in range(len(trace.ids) - 1):
            yield trace, why_cut(trace, number)


def origins(spec: str) -> Iterator[tuple[Trace, TokenOrigin]]:
    for trace in traces(spec):
        for number in range(len(trace.ids)):
            yield trace, why_token(trace, number)


@pytest.mark.parametrize("spec", BUNDLED)
def test_every_token_has_an_answer(spec: str) -> None:
    tok = bundled(spec)
    for trace, found in origins(spec):
        assert found.token.id == trace.ids[found.token.number]
        assert found.token.stored == tok.vocabulary.spelling(found.token.id)
        check_sentence(plain(found.sentence))
        plain_values(found)
        check_steps(trace, found)
        assert (found.how == OriginKind.UNKNOWN) == bool(found.lost)
        if found.event is not None:
            # the event is the one that output the token
            row = trace.stages[found.stage].events[found.event]
            assert row.token == found.token.id
        else:
            assert trace.stages[found.stage].part.row is not MergeRow


def check_sentence(text: str) -> None:
    assert text
    assert text[0].isupper() or text[0] in "“0123456789"
    assert text.endswith(".")


def check_steps(trace: Trace, found: TokenOrigin | Cut) -> None:
    """Every step is an event of that kind, in order."""
    for step in found.steps:
        stage = trace.stages[step.stage]
        assert stage.part.kinds(stage.events[step.event].kind).name == step.kind
        assert plain(step.note)
    places = [(step.stage, step.event) for step in found.steps]
    assert places == sorted(set(places))


@pytest.mark.parametrize("spec", BUNDLED)
def test_every_offset_has_an_answer(spec: str) -> None:
    """The origins at an offset are the tokens over it; every cut between two tokens of the text is at some offset."""
    for trace in traces(spec)[: len(PRESETS)]:
        seen: set[int] = set()
        for at in range(len(trace.text) + 1):
            found = why(trace, at)
            for origin in found.origins:
                assert origin.token.start is not None
                assert origin.token.start <= at <= (origin.token.end or 0)
            seen.update(cut.left.number for cut in found.cuts)
        tokens = trace.encoding.tokens
        wanted = {n for n in range(len(tokens) - 1) if tokens[n].start >= 0 and tokens[n + 1].start >= 0}
        assert seen == wanted


@pytest.mark.parametrize("spec", MERGING)
def test_trees_replay_to_their_tokens(spec: str) -> None:
    tok = bundled(spec)
    assert tok.model.row is MergeRow
    pieces = {piece: id for id, piece in enumerate(tok.vocabulary.pieces)}
    trees = 0
    for trace, found in origins(spec):
        tree = found.tree
        if not tree:
            assert found.how in (OriginKind.ADDED, OriginKind.SPECIAL, OriginKind.BYTE, OriginKind.UNKNOWN)
            continue
        trees += len(tree) > 1
        rows = trace.stages[found.stage].events
        spelled: list[bytes] = []
        for node in tree:
            if not node.children:
                spelled.append(tok.vocabulary.pieces[node.id] if node.id is not None else node.stored.encode())
                continue
            left, right = node.children
            spelled.append(spelled[left] + spelled[right])
            assert node.event is not None
            row = rows[node.event]
            assert (row.kind, row.token) == (MergeEvent.MERGE, pieces[spelled[-1]])
            assert node.id == row.token
        assert pieces[spelled[-1]] == found.token.id
        if found.how in (OriginKind.MERGED, OriginKind.SINGLE):
            assert b"".join(spelled[: tree[-1].end - tree[-1].start]) == spelled[-1]
            assert len(tree) == 2 * (tree[-1].end - tree[-1].start) - 1
            events = [node.event for node in tree if node.event is not None]
            assert events == sorted(events)
    assert trees


@pytest.mark.parametrize("spec", BUNDLED)
def test_every_cut_has_an_answer_that_is_true(spec: str) -> None:
    tok = bundled(spec)
    known = set(tok.vocabulary.pieces)
    seen = set()
    for trace, found in cuts(spec):
        seen.add(found.cause)
        check_sentence(plain(found.sentence))
        plain_values(found)
        check_steps(trace, found)
        left, right = (tok.vocabulary.pieces[token.id] for token in (found.left, found.right))
        if found.joined is not None and "\\x" not in found.joined.stored:
            assert (found.joined.id is not None) == (found.joined.stored.encode() in known)
        if found.cause == CutCause.NOT_A_PIECE:
            assert found.joined is not None
            assert found.joined.id is None
            stage = trace.stages[found.stage]
            if found.left.start != found.right.start and not {5, 6} & {tok.vocabulary.kinds[t.id] for t in (
                found.left, found.right
            )}:  # fmt: skip
                assert left + right not in known
            assert stage.name == "model"
            if stage.part.row is MergeRow:
                # the named event looked up this pair and nothing came of it
                assert stage.events[found.event or 0].kind == MergeEvent.MISS
        if found.cause == CutCause.LONGEST_MATCH:
            assert found.joined is not None
            assert found.joined.id is None
        if found.cause == CutCause.SPECIAL_TOKEN:
            assert any(tok.vocabulary.kinds[token.id] in (2, 3, 4) for token in (found.left, found.right))
        if found.cause == CutCause.ADDED_TOKEN:
            assert None in (found.left.start, found.right.start)
        if found.cause == CutCause.PRE_TOKENIZER:
            model = next(stage for stage in trace.stages if stage.name == "model")
            position = found.right.start or 0
            starts = {item.starts[0] for item in model.before if hasattr(item, "text")}
            assert position in starts or found.joined is None
    assert seen >= SEEN[tok.family if tok.implementation != "first-miss" else "first-miss"]


def piece_test(tok: Tokenizer, spelled: dict[bytes, int]) -> Callable[[bytes], bool]:
    """Whether the model may make a piece, read from the vocabulary's kinds."""
    kinds = tok.vocabulary.kinds
    model = tok.model
    if isinstance(model, Bpe):
        return lambda piece: piece in model.ids
    wanted = {1} if isinstance(model, TrieMatch) else {1, 4, 5, 6, 2, 3, 0}
    return lambda piece: piece in spelled and kinds[spelled[piece]] in wanted


def count(units: list[bytes], is_piece: Callable[[bytes], bool]) -> list[int]:
    """The number of pieces of each cut of `units`, found one by one."""
    if not units:
        return [0]
    return [
        1 + rest
        for end in range(1, len(units) + 1)
        if is_piece(b"".join(units[:end]))
        for rest in count(units[end:], is_piece)
    ]


@pytest.mark.parametrize("spec", [spec for spec in BUNDLED if "bert" not in spec])
def test_other_cuts_are_counted(spec: str) -> None:
    tok = bundled(spec)
    assert not isinstance(tok.model, Plamo2)
    spelled = {piece: id for id, piece in enumerate(tok.vocabulary.pieces)}
    is_piece = piece_test(tok, spelled)
    by_byte = tok.model.row.__name__ in ("TrieRow", "FirstMissRow") or tok.implementation == "tiktoken"
    compared = 0
    for _, found in cuts(spec):
        if found.others is None or found.joined is None:
            continue
        data = tok.vocabulary.pieces[found.left.id] + tok.vocabulary.pieces[found.right.id]
        units = [data[at : at + 1] for at in range(len(data))] if by_byte else [ch.encode() for ch in data.decode()]
        if len(units) > COUNTED:
            continue
        sizes = count(units, is_piece)
        assert (found.others.total, found.others.fewest) == (len(sizes), min(sizes))
        assert 2 in sizes
        compared += 1
    assert compared > 20


@pytest.mark.parametrize("spec", ["bert-uncased@huggingface", "bert-uncased@llama.cpp"])
def test_other_cuts_of_words(spec: str) -> None:
    tok = bundled(spec)
    known = set(tok.vocabulary.pieces)
    inner = b"##" if spec.endswith("huggingface") else b""
    compared = 0
    for _, found in cuts(spec):
        if found.others is None or found.joined is None:
            continue
        text = found.joined.stored.encode()
        within = bool(inner) and text.startswith(inner)
        letters = text.removeprefix(inner).decode()
        sizes = word_sizes(letters, within, known, inner)
        assert (found.others.total, found.others.fewest) == (len(sizes), min(sizes))
        compared += 1
    assert compared > 5


def word_sizes(letters: str, within: bool, known: set[bytes], inner: bytes) -> list[int]:
    """The number of pieces of each cut of a word, or of a part within it."""
    if not letters:
        return [0]
    return [
        1 + rest
        for end in range(1, len(letters) + 1)
        if (inner if within else b"") + letters[:end].encode() in known
        for rest in word_sizes(letters[end:], True, known, inner)
    ]
