"""A border between two texts: ids, tokens across it, the cause, the last cut that holds. Oracles: both parts and the
whole encoded at every border of generated texts by all bundled tokenizers; every token of a vocabulary tried."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import explorer
from explorer.analysis.boundary.boundary import Sentences, borders, boundary, boundary_at, open_say
from explorer.analysis.boundary.followers import LONGEST, Boundary, BoundaryCause, followers, open_end
from explorer.implementations.opened import Opened
from explorer.text.say import plain
from explorer.vocabulary import PieceKind
from tests.analysis.toy_tokenizers import bpe, spm
from tests.bundled import bundled
from tests.meaning import named
from tests.originals.generators import texts
from tests.tiers import amount

EVERY = tuple(f"{name}@{each}" for name, model in explorer.catalog().items() for each in model.implementations)
FEW = st.text(st.sampled_from("aabtehT '\n1,.:/s é猫"), max_size=12)
"""Texts whose borders often matter."""

EXACT = ("gpt-2", "llama-3", "cl100k_base", "o200k_base", "rwkv-world", "llama-2", "mistral-v1")
"""Tokenizers that keep every character: their tokens spell the text."""


def ids_of(tok: Opened, text: str) -> list[int]:
    return tok.encode(text, add_special=False).ids


def test_the_picture_by_eye() -> None:
    found = bundled("gpt-2").boundary("https:", "//example.org")
    assert (found.left_ids, found.right_ids) == ([5450, 25], [1003, 20688, 13, 2398])
    assert [token.id for token in found.gone] == [1378]
    assert [token.id for token in found.instead] == [25, 1003]
    (crossing,) = found.crossings
    assert (crossing.number, crossing.parts, crossing.steps[0].value) == (1, (":", "//"), 1123)
    assert (found.stable.kept, found.stable.drop, found.stable.at) == (1, (25,), 5)
    assert found.stable.followers is not None
    assert found.stable.followers.total == 16


def test_a_lone_space_costs_the_tokens_that_begin_with_one() -> None:
    tok = bundled("gpt-2")
    found = boundary(tok, "The answer is ", "42")
    spaced = [id for id in range(len(tok.vocabulary)) if tok.token_bytes(id)[:1] == b" "]
    assert found.lone_space == (220, len(spaced) - 1)
    assert found.stable.followers is not None
    assert list(found.stable.followers.begin) == spaced
    assert boundary(tok, "The answer is", " 42").lone_space is None
    assert boundary(bundled("bert-uncased"), "The answer is ", "42").lone_space is None
    said = Sentences(tok, found, "GPT-2")
    assert "␣42" in named(plain(said.across))
    assert "220" in named(plain(said.why))


def test_toys_by_eye() -> None:
    """`b c` is merged before `a b`: a border between b and c frees b for a."""
    tok = bpe("b c", "a b")
    found = boundary(tok, "ab", "c")
    assert [tok.vocabulary.spelling(id) for id in found.ids] == ["a", "bc"]
    assert [tok.vocabulary.spelling(id) for id in found.left_ids] == ["ab"]
    assert (found.cause, found.crossings[0].parts) == (BoundaryCause.MERGE, ("b", "c"))
    assert (found.stable.kept, found.stable.at) == (0, 0)
    # a space in front of the right part alone
    assert boundary(spm(("a", 0.0), ("▁", 0.0)), "a", "a").cause is BoundaryCause.PREFIX
    assert boundary(spm(("a", 0.0), ("▁", 0.0), prefix=False), "a", "a").keeps


def test_special_tokens_and_composed_characters_are_causes() -> None:
    found = boundary(bundled("llama-2"), "a<", "s>")
    assert found.cause is BoundaryCause.SPECIAL_TOKEN
    assert boundary(bundled("llama-2"), "a<", "s>", parse_special=False).cause is not BoundaryCause.SPECIAL_TOKEN
    assert boundary(bundled("qwen2.5"), "e", "\u0301").cause is BoundaryCause.NORMALIZER
    assert boundary(bundled("bert-uncased"), "😊", "x😊").cause is BoundaryCause.UNKNOWN


@pytest.mark.parametrize("spec", EVERY)
@pytest.mark.sample(2)
@settings(max_examples=amount(80))
@given(text=FEW | texts().map(lambda text: text[:24]))
def test_every_border_by_brute_force(spec: str, text: str) -> None:
    tok = bundled(spec)
    whole = tok.encode(text, add_special=False)
    keeps = set()
    for at in range(len(text) + 1):
        left, right = ids_of(tok, text[:at]), ids_of(tok, text[at:])
        found = boundary_at(tok, text, at)
        assert (found.left_ids, found.right_ids, found.ids) == (left, right, whole.ids)
        assert found.keeps == (left + right == whole.ids)
        if found.keeps and 0 < at < len(text):
            keeps.add(at)
        across = [number for number, token in enumerate(whole.tokens) if token.start < at < token.end]
        assert [each.number for each in found.crossings] == across
        replaced(found, left, right)
        assert left[: found.stable.kept] == whole.ids[: found.stable.kept]
        assert found.stable.drop == tuple(left[found.stable.kept :])
        check_cause(found)
    assert set(borders(tok, text).offsets) == keeps


def replaced(found: Boundary, left: list[int], right: list[int]) -> None:
    """The tokens that are gone, replaced by those instead of them, give the ids of both parts."""
    front, back = found.kept_left, len(found.whole) - found.kept_right
    gone = [token.id for token in found.gone]
    assert found.ids[front:back] == gone
    assert found.ids[:front] + [token.id for token in found.instead] + found.ids[back:] == left + right


def check_cause(found: Boundary) -> None:
    """A merge joins two texts that meet at the border; a path is better than the best with a cut there."""
    if found.cause in (BoundaryCause.PREFIX, BoundaryCause.PRE_TOKENIZER, BoundaryCause.CONTEXT):
        assert not found.crossings
    plain_at = found.text.replace(" ", "␣").replace("\n", "↵").replace("\t", "⇥")
    for crossing in found.crossings:
        if crossing.cause is BoundaryCause.MERGE and crossing.parts[0]:
            (step,) = crossing.steps
            left, right = (part.replace("▁", "␣") for part in crossing.parts)
            if found.text.isascii():
                assert plain_at[: found.at].endswith(left.removeprefix("␣") if left[0] == "␣" else left)
                assert plain_at[found.at :].startswith(right)
            assert step.value is not None


@pytest.mark.long
@pytest.mark.parametrize("spec", EXACT)
@settings(max_examples=amount(120))
@given(left=FEW, right=FEW)
def test_the_whole_text_goes_on_with_a_token_of_the_set(spec: str, left: str, right: str) -> None:
    found = boundary(bundled(spec), left, right)
    stable = found.stable
    rest = found.ids[stable.kept :]
    if stable.drop and rest and stable.followers is not None:
        assert rest[0] in {*stable.followers.begin, *stable.followers.shorter}


class Spelled(NamedTuple):
    """A token that spells text. marked: whether its piece has the mark of WordPiece."""

    id: int
    data: bytes
    marked: bool


MARKS = {"bert-uncased@huggingface": b"##", "bert-uncased@llama.cpp": "▁".encode()}
"""What a piece begins with that continues a word, or begins one: it may not follow in place of the other sort."""


@cache
def every_token(spec: str) -> dict[int, Spelled]:
    """Every token of a vocabulary that spells text. Its bytes are asked for once: llama.cpp's decoder takes 50 µs."""
    tok = bundled(spec)
    vocabulary, mark = tok.vocabulary, MARKS.get(spec)
    found = {}
    for id in filter(vocabulary.has, range(len(vocabulary))):
        data = tok.token_bytes(id)
        if vocabulary.kinds[id] in (PieceKind.NORMAL, PieceKind.USER_DEFINED, PieceKind.BYTE) and data:
            found[id] = Spelled(id, data, mark is not None and vocabulary.pieces[id].startswith(mark))
    return found


def agreeing(spec: str, dropped: Sequence[int]) -> tuple[list[int], set[int]]:
    """By trying every token: those that begin with what these ids spell, and those that spell its beginning."""
    known = every_token(spec)
    data, marked = b"".join(bundled(spec).token_bytes(id) for id in dropped), known[dropped[0]].marked
    begin = [id for id, own, mark in known.values() if own.startswith(data) and mark == marked]
    return begin, {id for id, own, mark in known.values() if own != data and data.startswith(own) and mark == marked}


@pytest.mark.parametrize("spec", EVERY)
@pytest.mark.sample(1)
@settings(max_examples=amount(80))
@given(text=st.sampled_from([":", " ", " the", "un", "é", "\n\n", "Ā", "://", "   ", "猫"]) | FEW, right=FEW)
def test_healing_sets_by_every_token(spec: str, text: str, right: str) -> None:
    tok = bundled(spec)
    for dropped in (ids_of(tok, text)[-2:], boundary(tok, text, right).stable.drop):
        if not dropped or not all(id in every_token(spec) for id in dropped):
            continue
        found = followers(tok, dropped)
        begin, shorter = agreeing(spec, dropped)
        assert list(found.begin) == begin
        assert set(found.shorter) == shorter
        assert len(found.shorter) == len(shorter)


@pytest.mark.parametrize("spec", EXACT)
@pytest.mark.sample(2)
@settings(max_examples=amount(400))
@given(text=FEW | texts())
def test_tokens_spell_the_text(spec: str, text: str) -> None:
    """Why no other token can follow: the bytes of a text's tokens are the text's, so the next one agrees with it."""
    tok = bundled(spec)
    ids = tok.encode(text, add_special=False, parse_special=False).ids
    data = b"".join(map(tok.token_bytes, ids))
    # SentencePiece puts a space in front, and takes ▁ for one
    as_spaces = text.replace("▁", " ").encode()
    assert data in (text.encode(), b" " + as_spaces)


@pytest.mark.parametrize("merges", [("a b", "ab a", "b c"), ("b c", "a b", "a bc"), ("a a", "aa a", "b b", "aa aa")])
def test_healing_sets_of_small_models_by_every_text_that_goes_on(merges: tuple[str, ...]) -> None:
    """Every text of up to 4 letters, every way to go on with up to 3 more, every token: as the whole decoder has it.

    A token is in the set exactly if the text after the kept ids can be read as begun by it. Text that goes on continues
    with tokens of the set alone, and with all that spell the dropped text and a little more.
    """
    tok = bpe(*merges)
    letters = sorted({ch for merge in merges for ch in merge if ch != " "})
    more = ["".join(each) for size in range(4) for each in product(letters, repeat=size)]
    for left in filter(None, ("".join(each) for size in range(5) for each in product(letters, repeat=size))):
        found = open_end(tok, left)
        kept, rest = [token.id for token in found.tokens[: found.fixed]], found.text.decode()
        came = set()
        for each in more:
            ids = ids_of(tok, left + each)
            assert ids[: found.fixed] == kept
            came |= set(ids[found.fixed : found.fixed + 1])
        if found.followers is None:
            assert not rest
            continue
        fitting = set()
        for id in range(len(tok.vocabulary)):
            text = tok.decode([*kept, id])
            if text.startswith(left) or left.startswith(text):
                fitting.add(id)
        assert {*found.followers.begin, *found.followers.shorter} == fitting
        assert came <= fitting


@pytest.mark.parametrize("spec", EVERY)
@pytest.mark.sample(2)
@settings(max_examples=amount(120))
@given(text=FEW | texts(), more=FEW | texts())
def test_no_continuation_changes_the_ids_that_hold(spec: str, text: str, more: str) -> None:
    tok = bundled(spec)
    found = open_end(tok, text)
    assert ids_of(tok, text + more)[: found.fixed] == [token.id for token in found.tokens[: found.fixed]]


@pytest.mark.parametrize("spec", [*EXACT, "qwen2.5", "llama-3@llama.cpp", "gpt-2@llama.cpp"])
@pytest.mark.sample(1)
def test_tokens_are_tried_after_a_text_that_may_change(spec: str) -> None:
    """What may change does: for each open token of these texts, some token of the vocabulary changes it."""
    tok = bundled(spec)
    for text in ("https:", "The answer is ", "hel"):
        found = open_end(tok, text)
        fixed = len(found.tokens)
        begin = found.followers.begin if found.followers else ()
        goes_on = {tok.token_bytes(id)[len(found.text) :].decode("utf-8", "ignore") for id in begin}
        for ids in tok.encode_batch((text + more for more in goes_on), add_special=False):
            same = next((n for n, token in enumerate(found.tokens) if list(ids[n : n + 1]) != [token.id]), fixed)
            fixed = min(fixed, same)
        assert fixed == found.fixed, text


def test_several_tokens_may_be_dropped() -> None:
    found = boundary(bundled("rwkv-world"), "a  ", " b")
    assert found.stable.followers is not None
    said = plain(Sentences(bundled("rwkv-world"), found, "RWKV").healing)
    assert str(len(found.stable.followers.begin)) in said


@pytest.mark.parametrize("spec", ["gpt-2", "llama-2", "bert-uncased"])
@pytest.mark.parametrize(("left", "right"), [("", ""), ("", "a"), ("a", "")])
@pytest.mark.sample(4)
def test_the_ends_of_a_text_keep_the_ids(spec: str, left: str, right: str) -> None:
    found = boundary(bundled(spec), left, right)
    assert found.keeps
    assert found.stable.drop == ()


def test_a_long_text_and_wrong_offsets_are_refused() -> None:
    tok = bundled("gpt-2")
    for asked in (lambda: boundary(tok, "a" * LONGEST, "b"), lambda: borders(tok, "a" * (LONGEST + 1))):
        with pytest.raises(explorer.InputError, match=r"100,000"):
            asked()
    for at in (-1, 4, True, "1"):
        with pytest.raises(explorer.InputError, match="offset"):
            boundary_at(tok, "abc", at)  # type: ignore[arg-type]
    with pytest.raises(explorer.InputError, match="surrogate"):
        boundary(tok, "\ud800", "b")


def test_a_long_text_has_the_borders_around_the_mark() -> None:
    tok, text = bundled("gpt-2"), "ab, " * 5_000
    found = borders(tok, text, around=10_000)
    assert len(found.keeps) == 100
    assert found.first <= 10_000 < found.first + len(found.keeps)
    near = borders(tok, text, around=len(text))
    assert near.first + len(near.keeps) == len(text)


JOINED = (
    ("gpt-2", "see <|endoftext|", ">"),
    ("llama-3", "b\nᆫ", "a"),
    ("llama-2", "a▁", "the"),
    ("mistral-v1", "'▁", "▁"),
    ("llama-2", "ำ▁▁", "#"),
    ("qwen2.5", "xᄒ", "ᅡ"),
    ("qwen2.5", "xe", "\u0301"),
    ("qwen2.5", "x\u0301", "\u0e49"),
    ("o200k_base", "x<|endofprompt|", ">"),
    ("bert-uncased", "a\u200d", "a"),
)
"""A text, and what follows: a special token, a character or a space is made of both."""


@pytest.mark.parametrize(("spec", "text", "more"), JOINED)
def test_what_is_made_of_both_sides_does_not_hold(spec: str, text: str, more: str) -> None:
    tok = bundled(spec)
    found = open_end(tok, text)
    ids = [token.id for token in found.tokens]
    together = ids_of(tok, text + more)
    assert together[: len(ids)] != ids, "the ids change"
    assert together[: found.fixed] == ids[: found.fixed]


@pytest.mark.parametrize(
    ("left", "right", "char"),
    [("cafe", "\u0301 noir", "é"), ("xᄒ", "ᅡ", "하"), ("x하", "ᆫ y", "한"), ("e\u0301", "\u0323", "ẹ")],
)
def test_a_character_of_both_sides_is_named(left: str, right: str, char: str) -> None:
    for spec in ("qwen2.5", "gpt-2"):  # the one composes characters, the other does not
        tok = bundled(spec)
        found = boundary(tok, left, right)
        composes = spec == "qwen2.5"
        assert (found.cause is BoundaryCause.NORMALIZER) == composes
        said = Sentences(tok, found, "it")
        assert (char in plain(said.across.then(said.why))) == composes


@pytest.mark.parametrize("text", ["", "a", "a b"])
def test_the_end_of_a_short_text_has_no_wrong_number(text: str) -> None:
    said = plain(open_say(bundled("gpt-2"), open_end(bundled("gpt-2"), text)))
    counts = [int(word) for word in said.split() if word.isdigit()]
    assert 0 not in counts or len(counts) > 1, "of none, none stay is no answer"
    assert counts[:1] in ([], [len(ids_of(bundled("gpt-2"), text))])


def test_a_special_token_is_no_text_that_is_read_as_text() -> None:
    tok, text = bundled("gpt-2"), "a <|endoftext|"
    assert open_end(tok, text, parse_special=False).fixed > open_end(tok, text).fixed


PIECES = (
    *("a", " ", "  ", "\n", "e", "\u0301", "👩", "\u200d", "🏽", "ก", "ำ", "ᄒ", "ᅡ", "ᆫ", "한", "ﬁ", "ｶ", "ﾞ", "'", "re"),
    *("<|endoftext|>", "<s>", "[SEP]", "▁", "##a", "://", "42"),
)
ATTACKS = st.lists(st.sampled_from(PIECES), max_size=6).map("".join)
"""Characters of several code points, special tokens and spaces, in any order."""


@pytest.mark.parametrize("spec", EVERY)
@pytest.mark.sample(3)
@settings(max_examples=amount(60))
@given(left=ATTACKS, right=ATTACKS)
def test_sentences_are_true_of_characters_made_of_several(spec: str, left: str, right: str) -> None:
    tok = bundled(spec)
    end, found = open_end(tok, left), boundary(tok, left, right)
    whole, says = found.ids, Sentences(tok, found, "it")
    assert ids_of(tok, left + right)[: end.fixed] == [token.id for token in end.tokens[: end.fixed]]
    instead = [token.id for token in found.instead]
    if "it" in plain(says.sent).split() and instead:
        assert all(whole[at : at + len(instead)] != instead for at in range(len(whole)))
    if "one character" in plain(says.across):
        (char,) = named(plain(says.across))
        parts = unicodedata.normalize("NFC", left), unicodedata.normalize("NFC", right)
        assert unicodedata.normalize("NFC", left + right).count(char) > sum(part.count(char) for part in parts)
        assert not found.crossings
    followers = found.stable.followers
    if followers is not None and found.right and found.stable.kept < len(whole):
        reached = whole[found.stable.kept] in {*followers.begin, *followers.shorter}
        assert (tok.token_bytes(whole[found.stable.kept]) and not reached and bool(followers.total)) == (
            "is not among them" in plain(says.healing)
        )


@pytest.mark.parametrize("spec", ["qwen2.5", "xlm-r"])
@pytest.mark.parametrize(("left", "right"), [("e", "\u0301"), ("a\u0323", "\u0302"), ("\u1100", "\u1161\u11a8")])
def test_a_composed_character_is_named_as_it_is_whatever_the_vocabulary_spells(
    spec: str, left: str, right: str
) -> None:
    (crossing,) = bundled(spec).boundary(left, right).crossings
    assert unicodedata.normalize("NFC", left + right) in plain(crossing.say)
