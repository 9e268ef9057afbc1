"""Merges on toys checked by eye, and over generated merge lists against a naive reading of the same events."""

from __future__ import annotations

import random

import pytest

from explorer.analysis.why import why_cut, why_token
from explorer.engine.models.bpe import Bpe, Bytes, KnownCharacters, MergeableRanks, MergeList
from explorer.engine.models.merges import MergeEvent
from explorer.engine.models.spm import Spm
from explorer.engine.part import Model, Token
from explorer.engine.pre_tokenizers.by_regex import PreTokenization, RegexSplit
from explorer.engine.regexes.safe import Alternative, Pattern
from explorer.stages.merging.why import Merging
from explorer.stages.spelling import Speller
from explorer.stages.stage import CutCause, OriginKind, TokenText
from explorer.text.say import plain
from explorer.vocabulary import PieceKind, Vocabulary
from tests.analysis.toy_tokenizers import bpe, spm, toy
from tests.analysis.why.said import cut, origin, sentence, steps
from tests.bundled import bundled
from tests.meaning import mentions
from tests.tiers import amount

LORA = (("▁", -9.0), ("L", -9.0), ("o", -9.0), ("R", -9.0), ("A", -9.0), ("▁L", -1.0), ("▁Lo", -2.0), ("RA", -3.0))


def test_the_text_of_both_is_no_piece() -> None:
    found = cut(spm(*LORA), "LoRA")
    assert (found.left.text, found.right.text, found.cause) == ("▁Lo", "RA", CutCause.NOT_A_PIECE)
    assert mentions(
        sentence(found), "To be one token, “▁LoRA” would have to be a piece of this vocabulary. It is not among the 9."
    )
    assert steps(found) == [
        "3: o + R = oR, no such piece",
        "7: ▁L + o = ▁Lo, joined",
        "8: ▁Lo + R = ▁LoR, no such piece",
        "9: R + A = RA, joined",
        "10: ▁Lo + RA = ▁LoRA, no such piece, and nothing is left to join",
    ]
    assert [(step.value, step.unit) for step in found.steps if step.kind == "MERGE"] == [
        (-2.0, "score"),
        (-3.0, "score"),
    ]
    assert found.event == 10
    assert found.joined is not None
    assert found.joined.id is None
    assert found.others is not None
    # ▁ L o R A, ▁L o R A, ▁Lo R A, and the same three with RA
    assert (found.others.total, found.others.fewest) == (6, 2)
    assert mentions(plain(found.others.sentence), "The pieces allow 6 cuts of “▁LoRA”. This one has the fewest tokens.")


def test_the_tree_of_merges() -> None:
    found = origin(spm(*LORA), "LoRA")
    assert (found.how, sentence(found)) == (OriginKind.MERGED, "2 merges make “▁Lo”.")
    assert [(node.text, node.event, node.value, node.children) for node in found.tree] == [
        ("▁", None, None, ()), ("L", None, None, ()), ("o", None, None, ()),
        ("▁L", 5, -1.0, (0, 1)), ("▁Lo", 7, -2.0, (3, 2)),
    ]  # fmt: skip
    assert found.meaning is not None
    assert plain(found.meaning) == "The highest score joins first."


def test_scores_that_count_pieces_are_said_to() -> None:
    found = origin(spm(("ab", -0.0), ("abc", -1.0), ("a", -2.0), ("b", -3.0), ("c", -4.0), prefix=False), "abc")
    assert found.meaning is not None
    assert mentions(
        plain(found.meaning),
        "A score says when the piece was learned: “ab” after 0 others, “abc” after 1. Early ones join first.",
    )


def test_a_symbol_that_joins_with_nothing() -> None:
    found = origin(spm(*LORA), "oR", 1)
    assert (found.how, sentence(found)) == (OriginKind.SINGLE, "“o” is a piece, and no merge joins it to a neighbor.")


def test_a_character_as_bytes() -> None:
    made = Vocabulary.of(
        [b"<unk>", b"a", *(b"<0x%02X>" % byte for byte in range(256))], [0.0] * 258, [2, 1, *[6] * 256]
    )
    tok = toy(made, Spm(made, 0))
    found = cut(tok, "aé", 1)
    assert (found.cause, found.left.text, found.right.text) == (CutCause.BYTES, "C3", "A9")
    assert mentions(sentence(found), "“é” is not a piece: it becomes one token for each of its 2 bytes.")
    first = cut(tok, "aé", 0)
    assert (first.cause, first.joined and first.joined.text) == (CutCause.NOT_A_PIECE, "aé")
    second = origin(tok, "aé", 2)
    assert (second.how, sentence(second)) == (
        OriginKind.BYTE, f"“é” is not a piece. Its byte A9, 2 of 2, becomes token {made.ids[b'<0xA9>']}."
    )  # fmt: skip


def test_unknown_characters_share_a_token() -> None:
    made = Vocabulary.of([b"<unk>", b"a"], [0.0, 0.0], [2, 1])
    found = origin(toy(made, Spm(made, 0, byte_fallback=False)), "a猫犬", 1)
    assert (found.how, found.lost) == (OriginKind.UNKNOWN, "猫犬")
    assert found.sentence.texts == ("猫犬", "<unk>")


def test_a_byte_without_a_token() -> None:
    made = Vocabulary.of([b"<unk>", b"a"], [0.0, 0.0], [2, 1])
    found = origin(toy(made, Spm(made, 0)), "é", 1)
    assert (found.how, found.lost) == (OriginKind.UNKNOWN, "é")
    assert sentence(found) == "“é” is not a piece, and its byte A9 has no token: it becomes “<unk>”."


def test_a_piece_that_is_taken_apart() -> None:
    kinds = [PieceKind.UNKNOWN, *[PieceKind.NORMAL] * 3, PieceKind.NORMAL, PieceKind.UNUSED]
    made = Vocabulary.of([b"<unk>", b"a", b"b", b"c", b"ab", b"abc"], [0.0, -3.0, -3.0, -3.0, -1.0, -2.0], kinds)
    tok = toy(made, Spm(made, 0, resegment_unused=True))
    found = cut(tok, "abc")
    assert (found.left.text, found.right.text, found.cause) == ("ab", "c", CutCause.TAKEN_APART)
    assert mentions(
        sentence(found), "“abc” was one piece. It may not be output, so it is taken apart the way it was merged."
    )
    assert tok.trace("abc").stages[0].events[found.event or 0].kind == MergeEvent.UNMERGE
    assert found.joined is not None
    assert found.joined.id == 5
    assert [origin(tok, "abc", number).how for number in (0, 1)] == [OriginKind.TAKEN_APART] * 2


def test_a_better_pair_came_first() -> None:
    """abc is made of a + bc, but ab comes first."""
    found = cut(bpe("a b", "b c", "a bc"), "abc")
    assert (found.left.text, found.right.text, found.cause) == ("ab", "c", CutCause.BETTER_PAIR)
    assert mentions(
        sentence(found),
        "“abc” is a piece, made of “a” + “bc”. But a better pair came first: “a” + “b” joined, so these two never met.",
    )
    assert steps(found) == [
        "2: b + c = bc, waits",
        "3: a + b = ab, joined",
        "4: ab + c = abc, no such merge, and nothing is left to join",
        "5: b + c = bc, out of date: “b” is part of “ab” now",
    ]
    assert found.event == 3
    assert found.others is not None
    assert found.others.fewest == 1
    assert mentions(
        plain(found.others.sentence), "The pieces allow 4 cuts of “abc”. The fewest tokens are 1, and this one has 2."
    )


def test_a_piece_without_a_merge() -> None:
    found = cut(bpe("a b", more=["abc"]), "abc")
    assert found.cause == CutCause.NO_MERGE
    assert mentions(
        sentence(found), "“abc” is a piece, but no merge in the list makes it, neither “ab” + “c” nor another."
    )


def test_a_piece_that_is_not_the_models() -> None:
    v = Vocabulary.of([b"a", b"b", b"ab"], (), [1, 1, 3])
    tok = toy(v, Bpe(v, MergeList([]), ids={b"a": 0, b"b": 1}))
    found = cut(tok, "ab")
    assert found.cause == CutCause.NOT_FOR_TEXT
    assert mentions(
        sentence(found),
        "“ab” is token 2 of this vocabulary, of the kind control. The model does not make it from text.",
    )


def test_a_piece_taken_whole() -> None:
    found = origin(bpe("a b", "b c", "a bc", whole=True), "abc")
    assert (found.how, sentence(found)) == (
        OriginKind.WHOLE, "“abc” is a piece as a whole: it is taken without any merge."
    )  # fmt: skip


def test_ranks_are_of_the_joined_token() -> None:
    pieces = [b"a", b"b", b"c", b"bc", b"ab"]
    v = Vocabulary.of(pieces)
    tok = toy(v, Bpe(v, MergeableRanks(dict(zip(pieces, range(5), strict=True))), Bytes()))
    found = origin(tok, "abc", 1)
    assert [(step.value, step.unit) for step in found.steps] == [(3, "rank")]
    assert cut(tok, "abc").cause == CutCause.NOT_A_PIECE


@pytest.mark.parametrize("fallback", [True, False])
def test_what_replaces_a_character_before_merging(fallback: bool) -> None:
    pieces = [b"a", b"<unk>", *(b"<0x%02X>" % byte for byte in range(256))]
    v = Vocabulary.of(pieces, (), [1, 2, *[6] * 256])
    start = KnownCharacters(v.ids, unknown=b"<unk>", byte_fallback=fallback)
    tok = toy(v, Bpe(v, MergeList([]), start))
    found, token = cut(tok, "aé"), origin(tok, "aé", 1)
    if fallback:
        assert (found.cause, token.how) == (CutCause.BYTES, OriginKind.BYTE)
        assert sentence(token) == f"“é” is not a piece. Its byte C3, 1 of 2, becomes token {v.ids[b'<0xC3>']}."
        assert cut(tok, "aé", 1).cause == CutCause.BYTES
    else:
        assert (found.cause, token.how, token.lost) == (CutCause.UNKNOWN, OriginKind.UNKNOWN, "é")
        assert sentence(found) == "“é” is not a piece: before any merge it becomes “<unk>”. This pair never joins."


def test_a_character_that_is_dropped() -> None:
    v = Vocabulary.of([b"a", b"b", b"ab"])
    found = cut(toy(v, Bpe(v, MergeList([]))), "aéb")
    assert (found.cause, sentence(found)) == (
        CutCause.DROPPED, "“é” between them is not a piece, has no token and is dropped."
    )  # fmt: skip


def test_prefixes_and_suffixes_of_a_word() -> None:
    pieces = [b"a", b"##b", b"b", b"ab", b"##b</w>", b"ab</w>"]
    v = Vocabulary.of(pieces)
    start = KnownCharacters(v.ids, prefix=b"##", suffix=b"</w>")
    found = cut(toy(v, Bpe(v, MergeList([b"a ##b"]), start, dropped=2)), "abb")
    assert found.joined is not None
    assert (found.left.stored, found.right.stored, found.joined.stored) == ("ab", "##b</w>", "abb</w>")
    assert found.cause == CutCause.NOT_A_PIECE


def test_symbols_of_two_words_have_no_common_spelling() -> None:
    v = Vocabulary.of([b"a</w>", b"b</w>"])
    model = Bpe(v, MergeList([]), KnownCharacters(v.ids, suffix=b"</w>"))
    found = cut(
        toy(v, PreTokenization([RegexSplit(Pattern("letters", "", (Alternative(".", "One character."),)))]), model),
        "ab",
    )
    assert (found.cause, found.joined, found.others) == (CutCause.PRE_TOKENIZER, None, None)


def merge_lists(count: int) -> list[tuple[list[str], str]]:
    """Lists of merges in which parts come before the whole, and texts."""
    choose = random.Random(7)
    made = []
    for _ in range(count):
        pieces, merges = list("abc"), []
        for _ in range(choose.randint(2, 14)):
            left, right = choose.choice(pieces), choose.choice(pieces)
            if f"{left} {right}" not in merges and len(left + right) < 8:
                merges.append(f"{left} {right}")
                pieces.append(left + right)
        choose.shuffle(merges)
        made.append((merges, "".join(choose.choices("abc", k=choose.randint(2, 12)))))
    return made


def test_causes_over_generated_lists() -> None:
    """The cause follows from the list and the vocabulary alone; the event is a merge across the pair's seam."""
    seen = set()
    for merges, text in merge_lists(amount(1200)):
        tok = bpe(*merges)
        trace = tok.trace(text)
        pieces = {merge.replace(" ", "") for merge in merges} | set("abc")
        ids = trace.ids
        for number in range(len(ids) - 1):
            found = why_cut(trace, number)
            joined = found.left.stored + found.right.stored
            seen.add(found.cause)
            pairs = [merge.split() for merge in merges if merge.replace(" ", "") == joined]
            if joined not in pieces:
                assert found.cause == CutCause.NOT_A_PIECE
                continue
            # every piece here has a merge, so one of them must have been prevented
            assert found.cause == CutCause.BETTER_PAIR
            assert pairs
            assert [found.left.stored, found.right.stored] not in pairs
            row = trace.stages[-2].events[found.event or 0]
            assert row.kind == MergeEvent.MERGE
            start = found.left.start or 0
            texts = found.sentence.texts
            named = [texts[3], texts[4]]
            assert named in pairs
            # the merge's boundary is where the named pair would have met
            assert row.right == start + len(named[0])
            assert [step.event for step in found.steps] == sorted(step.event for step in found.steps)
            assert found.event in [step.event for step in found.steps]
    assert seen == {CutCause.NOT_A_PIECE, CutCause.BETTER_PAIR}


def test_trees_over_generated_lists() -> None:
    """Replaying a tree bottom-up with the list of merges gives the token."""
    for merges, text in merge_lists(amount(300)):
        trace = bpe(*merges).trace(text)
        for number, id in enumerate(trace.ids):
            tree = why_token(trace, number).tree
            for node in tree:
                if node.children:
                    left, right = (tree[child] for child in node.children)
                    assert (left.end, left.start, right.end) == (right.start, node.start, node.end)
                    assert node.stored == left.stored + right.stored
                    assert merges.index(f"{left.stored} {right.stored}") + 1 == node.value
            assert tree[-1].id == id


@pytest.mark.parametrize("name", ["llama-2", "gpt-2", "cl100k_base", "mistral-v1"])
def test_a_crossing_needs_only_the_pairs_within_its_token(name: str) -> None:
    trace = bundled(name).trace("unbelievable aaaa naïve  https://example.org 🤗")
    number = next(number for number, stage in enumerate(trace.stages) if isinstance(stage.part, Model))
    for index, token in enumerate(trace.stages[number].after):
        assert isinstance(token, Token)
        whole, part = (Merging(trace, number, Speller(trace), name) for _ in range(2))
        made, text = whole.made[index], TokenText(index, token.id, "x", "x", token.start, token.end)
        want = whole.account(made, text)
        found = part.crossing(made, text, max(0, made.start + 1))
        assert found.how is want.how
        assert set(found.steps) <= set(want.steps)
        assert part.account(made, text) == want
