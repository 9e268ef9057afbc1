"""Where two tokenizers diverge, at which stage, and why."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import explorer
from explorer.analysis.divergence.comparer import compare
from explorer.analysis.divergence.result import ORDER, POST_PROCESS, Comparison, DifferenceKind, Divergence, Run
from explorer.engine.part import Token, initial_items, silent
from tests.analysis.pairs import TWINS, against, compared
from tests.analysis.toy_tokenizers import AddedToken, bpe, spm, trie, unigram, word_piece
from tests.bundled import bundled
from tests.meaning import mentions
from tests.originals.generators import strings, texts
from tests.tiers import amount

HF_AND_LLAMA_CPP = [pair for pair in TWINS if not pair[0].startswith("rwkv")]


def only(comparison: Comparison) -> Divergence:
    """The only divergence."""
    assert len(comparison.divergences) == 1, [each.sentence for each in comparison.divergences]
    return comparison.divergences[0]


# --- what is known of the originals -----------------------------------------------------------------------------------

KNOWN = [
    ("qwen2.5", "A\u030angstrom", "normalize", DifferenceKind.COMPOSITION,
     "normalize, characters 1 to 2: Hugging Face composes A + U+030A to Å (NFC); llama.cpp leaves two code points."),
    ("qwen2.5", "a\u2000b", "normalize", DifferenceKind.EQUIVALENT,
     "normalize, character 2: Hugging Face replaces U+2000 by U+2002 (NFC); llama.cpp leaves U+2000 unchanged."),
    ("qwen2.5", "q\u0307\u0323", "normalize", DifferenceKind.ORDER_OF_MARKS,
     "U+0323 + U+0307 (NFC); llama.cpp leaves"),
    ("qwen2.5", "x\u030a\u0301\u0591", "normalize", DifferenceKind.ORDER_OF_MARKS, "(NFC); llama.cpp leaves"),
    ("bert-uncased", "각\u20dd", "normalize", DifferenceKind.FIRST_CODE_POINT,
     "character 1: Hugging Face decomposes 각 to"),
    ("qwen2.5", "x</s>", "partition", DifferenceKind.SPECIAL_TOKEN,
     "partition, characters 2 to 5: Hugging Face leaves “</s>” as text; llama.cpp takes “</s>” for the special token "
     "128247 (</s>)."),
    ("llama-3", "x", "post-process", DifferenceKind.ADDED_TOKENS,
     "post-process: Hugging Face adds nothing at the start; llama.cpp adds “<|begin_of_text|>” (128000) at the start."),
    ("bert-uncased", "한", "normalize", DifferenceKind.FIRST_CODE_POINT,
     "normalize, character 1: Hugging Face decomposes 한 to ᄒ + ᅡ + ᆫ (NFD); llama.cpp reduces 한 to the first "
     "code point of its decomposition, giving ᄒ."),
    ("bert-uncased", "नि", "pre-tokenize", DifferenceKind.MARKS,
     "pre-tokenize, character 2: Hugging Face leaves U+093F unchanged; llama.cpp removes U+093F."),
    ("bert-uncased", "a\vb", "normalize", DifferenceKind.WHITE_SPACE,
     "normalize, character 2: Hugging Face drops U+000B; llama.cpp leaves U+000B unchanged."),
    ("bert-uncased", "h\u0c77w", "pre-tokenize", DifferenceKind.PRE_TOKEN,
     "pre-tokenize, before character 2: Hugging Face takes “h౷w” as one pre-token; llama.cpp cuts “h” | “౷”"),
    ("bert-uncased", "a" * 101,
     "model", DifferenceKind.WORD_LENGTH, "doesn't try words of more than 100 characters and gives “[UNK]”;"),
    ("bert-uncased", "a▁the", "model", DifferenceKind.UNKNOWN, "llama.cpp gives “▁a” (1037) | “▁the” (1996)."),
    ("bert-uncased", "\u093f\u0327\u0308e", "pre-tokenize", DifferenceKind.MARKS,
     "pre-tokenize, character 1: Hugging Face leaves U+093F unchanged; llama.cpp removes U+093F."),
    ("rwkv-world@rwkv", "'re", "model", DifferenceKind.ALGORITHM,
     "model, characters 1 to 3: RWKV takes the longest token along a trie and gives “'re”; the first-miss loop adds "
     "characters until the string is not a token and gives “'” | “re”."),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "stage", "kind", "says"), KNOWN)
def test_known_differences(name: str, text: str, stage: str, kind: DifferenceKind, says: str) -> None:
    one, other = next(pair for pair in TWINS if pair[0].startswith(name))
    found = compared(one, other, text)
    assert found.first is not None
    assert (found.first.stage, found.kind) == (stage, kind)
    assert says in found.sentence


@pytest.mark.parametrize("text", ["\u00a0a", "\ta", "\u3000a b", " a"])
def test_leading_white_space_is_not_taken_for_a_prefix_space(text: str) -> None:
    found = compared("xlm-r", "bert-uncased", text)
    assert found.first is not None
    assert found.first.stage == "pre-tokenize"
    assert "prefix space" not in found.first.sentence
    assert "bert-uncased drops" in found.first.sentence


def test_hugging_face_parses_added_tokens_whatever_the_option() -> None:
    found = compared("qwen2.5", "qwen2.5@llama.cpp", "<|fim_prefix|>", parse_special=False)
    assert found.sentence == (
        "partition, characters 1 to 14: Hugging Face takes “<|fim_prefix|>” for the added token 151659 "
        "(<|fim_prefix|>); llama.cpp leaves “<|fim_prefix|>” as text."
    )


@pytest.mark.long
def test_a_long_s_at_a_contraction_is_cut_differently_and_reported_even_if_no_id_changes() -> None:
    found = compared("llama-3", "llama-3@llama.cpp", "don'ſtop", add_special=False)
    assert found.same
    ((apart, times),) = found.harmless
    assert (apart.stage, apart.kind, times, apart.spot) == ("pre-tokenize", DifferenceKind.PRE_TOKEN, 1, (5, 5))
    assert apart.sentence == (
        "pre-tokenize, before character 6: Hugging Face cuts “'ſ” | “top” by alternative 1, "
        "(?i:'s|'t|'re|'ve|'m|'ll|'d); llama.cpp takes “'ſtop” as one pre-token by alternative 2, "
        r"[^\r\n\p{L}\p{N}]?\p{L}+."
    )


def test_both_sides_name_the_event_at_which_they_diverge() -> None:
    found = compared("qwen2.5", "qwen2.5@llama.cpp", "so A\u030a")
    assert found.first is not None
    left, right = found.first.left, found.first.right
    assert left.stage is not None
    assert found.left.trace.stages[left.stage].name == "normalize"
    assert left.event is not None
    row = found.left.trace.stages[left.stage].events[left.event]
    assert (row.at, row.code_point) == (3, ord("Å"))
    assert (right.stage, right.event) == (None, None), "llama.cpp has no normalizer"
    assert (left.text, right.text) == ("Å", "A\u030a")


def test_han_is_separated_by_different_stages_without_consequence() -> None:
    found = compared("bert-uncased", "bert-uncased@llama.cpp", "漢字")
    assert found.same
    assert [(each.first.stage, each.first.kind) for each in found.harmless] == [("normalize", DifferenceKind.INSERTED)]


def test_the_same_tokenizer_twice_and_an_empty_text() -> None:
    found = compared("gpt-2", "gpt-2", "What is LoRA?")
    assert (found.same, found.kind, found.first, found.harmless) == (True, DifferenceKind.SAME, None, ())
    assert mentions(found.sentence, "No difference: gpt-2 (1) and gpt-2 (2) give the same 5 ids.")
    assert mentions(compared("gpt-2", "gpt-2@llama.cpp", "").sentence, "give the same 0 ids.")
    assert compared("gpt-2", "bert-uncased", "").kind == DifferenceKind.ADDED_TOKENS


@pytest.mark.parametrize(
    ("other", "front", "back"),
    [("bert-uncased", "“[CLS]” (101)", "“[SEP]” (102)"), ("mistral-v1", "“<s>” (1)", "")],
)
def test_tokens_added_to_an_empty_text_stay_at_their_ends(other: str, front: str, back: str) -> None:
    said = [f"post-process: gpt-2 adds nothing at the start; {other} adds {front} at the start."]
    said += [f"post-process: gpt-2 adds nothing at the end; {other} adds {back} at the end."] * bool(back)
    assert [each.sentence for each in compared("gpt-2", other, "").divergences] == said


def test_one_text_only() -> None:
    one, other = compared("gpt-2", "gpt-2", "a"), compared("gpt-2", "gpt-2", "b")
    with pytest.raises(explorer.InputError, match="not the same"):
        compare(one.left, other.right)


# --- other vocabularies -----------------------------------------------------------------------------------------------

ACROSS = [
    ("gpt-2", "cl100k_base", "What is it", DifferenceKind.OTHER_IDS),
    ("gpt-2", "llama-3", "1234567", DifferenceKind.PRE_TOKEN),
    ("gpt-2", "llama-2", "What", DifferenceKind.PREFIX_SPACE),
    ("llama-2", "xlm-r", "ﬁne", DifferenceKind.COMPATIBILITY),
    ("bert-uncased", "gpt-2", "What", DifferenceKind.CASE),
    ("bert-uncased", "gpt-2", "is it", DifferenceKind.WHITE_SPACE),
    ("bert-uncased", "gpt-2", "né", DifferenceKind.MARKS),
    ("llama-2", "mistral-v1", "<s>x", DifferenceKind.SPECIAL_TOKEN),
    ("cl100k_base", "gpt-2", "disestablishment", DifferenceKind.OTHER_PIECES),
    ("llama-2", "mistral-v1", "각", DifferenceKind.UNKNOWN),
    ("mistral-v1", "llama-2", "a", DifferenceKind.OTHER_IDS),
]


@pytest.mark.parametrize(("one", "other", "text", "kind"), ACROSS)
def test_other_vocabularies(one: str, other: str, text: str, kind: DifferenceKind) -> None:
    found = compared(one, other, text, add_special=False)
    assert found.kind == kind, found.sentence


def test_sentences_about_pieces_that_one_vocabulary_lacks() -> None:
    found = compared("gpt-2", "cl100k_base", "disestablishment")
    assert mentions(
        found.sentence,
        "model, characters 4 to 16: gpt-2 has the piece “establishment” (44390); cl100k_base lacks it and gives "
        "“establish” | “ment”.",
    )


# --- toys: every decision by eye --------------------------------------------------------------------------------------


SPELLED = [
    ("rwkv-world", "gpt-2", "Å", "rwkv-world has the piece “Å” (2467); gpt-2 lacks it and gives byte C3 | byte 85."),
    ("cl100k_base", "gpt-2", "漢", "has the piece bytes E6 BC (78256); gpt-2 lacks it and gives byte E6 | byte BC |"),
    ("llama-2", "mistral-v1", "a\x07", "has no piece for “␇” and gives “<0x07>” (10); mistral-v1 gives “␇” (30963)."),
]


@pytest.mark.parametrize(("one", "other", "text", "says"), SPELLED)
def test_bytes_are_named_as_bytes(one: str, other: str, text: str, says: str) -> None:
    assert says in compared(one, other, text, add_special=False).sentence


def test_merge_order_names_the_first_merge_that_only_one_side_makes_with_both_ranks() -> None:
    found = against(bpe("b c", "a b"), bpe("a b", "b c"), "dabc")
    divergence = only(found)
    assert (divergence.kind, divergence.region) == (DifferenceKind.MERGE_ORDER, (1, 4))
    assert mentions(
        divergence.sentence,
        "model, characters 2 to 4: one merges “b” + “c” (merge 1) and gives “a” | “bc”; "
        "other merges “a” + “b” (merge 1) and gives “ab” | “c”.",
    )
    for half, run in ((divergence.left, found.left), (divergence.right, found.right)):
        assert half.stage is not None
        assert half.event is not None
        stage = run.trace.stages[half.stage]
        assert stage.part.kinds(stage.events[half.event].kind).name == "MERGE"


def test_a_missing_merge() -> None:
    divergence = only(against(bpe("a b", "ab c"), bpe("a b", more=["abc"]), "abc"))
    assert divergence.kind == DifferenceKind.MERGE_ORDER
    assert mentions(divergence.right.does, "doesn't merge any further and gives “ab” | “c”")


def test_a_piece_taken_whole() -> None:
    one, other = bpe("a b", whole=True, more=["abc"]), bpe("a b", more=["abc"])
    divergence = only(against(one, other, "abc"))
    assert divergence.kind == DifferenceKind.WHOLE_PIECE
    assert mentions(
        divergence.sentence,
        "model, characters 1 to 3: one takes “abc” whole, because it is a token; other merges it to “ab” | “c”.",
    )


def test_a_cut_at_the_edge_matters_if_a_piece_is_taken_whole() -> None:
    one, other = bpe(whole=True, cut=True, more=["ab"]), bpe(whole=True, more=["ab"])
    divergence = only(against(one, other, "ab c"))
    assert (divergence.stage, divergence.kind, divergence.region) == ("pre-tokenize", DifferenceKind.PRE_TOKEN, (0, 2))
    assert divergence.right.does == "does not cut the text"


def test_white_space_that_a_special_token_swallows() -> None:
    lone = AddedToken(0, "<s>", special=True)
    divergence = only(against(bpe(added=[lone._replace(rstrip=True)]), bpe(added=[lone]), "a<s> b"))
    assert (divergence.kind, divergence.spot) == (DifferenceKind.SWALLOWED, (4, 5))
    assert divergence.sentence == (
        "partition, character 5: one lets the special token “<s>” swallow a space; other leaves it."
    )


def test_an_inserted_space_is_not_swallowed() -> None:
    """XLM-RoBERTa's <mask> strips what is before it; Llama 2 puts a space in front of that."""
    found = against(bundled("xlm-r"), bundled("llama-2"), "\n <mask>")
    assert [each for each in found.divergences if each.sentence.endswith("swallow U+000A; other leaves it.")]
    assert not [each.sentence for each in found.divergences if re.search(r"swallow *[;.]", each.sentence)]


def test_a_special_token_is_the_cause_of_a_merge_it_prevents() -> None:
    """The token prevents a merge across it."""
    added = [AddedToken(0, "b", special=True)]
    divergence = only(against(bpe("a b", "b a", added=added), bpe("a b", "b a"), "abaca"))
    assert (divergence.stage, divergence.kind, divergence.spot) == ("partition", DifferenceKind.SPECIAL_TOKEN, (1, 2))


def test_scores_and_prefix() -> None:
    pieces = [("▁", -9.0), ("a", -9.0), ("b", -9.0), ("c", -9.0), ("ab", -2.0), ("bc", -1.0)]
    other = [*pieces[:4], ("ab", -1.0), ("bc", -2.0)]
    divergence = only(against(spm(*pieces), spm(*other), "abc"))
    assert divergence.kind == DifferenceKind.MERGE_ORDER
    assert mentions(
        divergence.sentence,
        "model, characters 1 to 3: one merges “b” + “c” (score -1) and gives “a” | “bc”; "
        "other merges “a” + “b” (score -1) and gives “ab” | “c”.",
    )
    prefix = only(against(spm(*pieces), spm(*pieces, prefix=False), "a"))
    assert (prefix.kind, prefix.sentence) == (
        DifferenceKind.PREFIX_SPACE,
        "normalize, before character 1: one adds a prefix space; other adds no prefix space.",
    )


def test_unknown_bytes_algorithms_and_paths() -> None:
    pieces = [("a", -1.0), ("b", -1.0), ("c", -1.0), ("ab", -1.5), ("bc", -1.2)]
    divergence = only(against(unigram(*pieces), trie("<unk>", "a", "b", "c", "ab", "bc"), "abc"))
    assert divergence.kind == DifferenceKind.ALGORITHM
    assert mentions(divergence.left.does, "takes the best path through a lattice and gives “a” | “bc”")
    assert mentions(divergence.right.does, "takes the longest token along a trie and gives “ab” | “c”")
    divergence = only(against(unigram(*pieces), unigram(*pieces[:4], ("bc", -1.9)), "abc"))
    assert (divergence.kind, divergence.left.does) == (
        DifferenceKind.BEST_PATH, "finds the best path “a” | “bc” (total score -2.2)"
    )  # fmt: skip
    divergence = only(against(unigram(*pieces), unigram(*pieces, ("d", -1.0)), "ad"))
    assert (divergence.kind, divergence.left.does) == (
        DifferenceKind.UNKNOWN,
        "has no piece for “d” and gives “<unk>” (0)",
    )
    divergence = only(against(word_piece("ab", "##c"), word_piece("ab", "##c", max_characters=2), "abc"))
    assert divergence.kind == DifferenceKind.WORD_LENGTH


def test_every_kind_has_its_sentence_and_every_number_counts_from_one() -> None:
    assert all(kind.says for kind in DifferenceKind)
    assert all(kind.says.endswith(".") and kind.says[0].isupper() for kind in DifferenceKind)


# --- what holds for every text ----------------------------------------------------------------------------------------


def is_within(region: tuple[int, int], token: Token, size: int) -> bool:
    start, end = region
    if token.start == token.end:
        return start <= token.start < end or token.start == end == size
    return start <= token.start < end


def check(found: Comparison) -> None:
    """Everything that differs is attributed, and nothing else."""
    text, size = found.left.text, len(found.left.text)
    assert found.same == (found.left.ids == found.right.ids)
    regions = [each.region for each in found.divergences if each.stage != POST_PROCESS]
    assert all(one.end <= other.start for one, other in pairwise(regions)), "in order, apart"
    outside: list[list[int]] = []
    for run in (found.left, found.right):
        outside.append(
            [
                token.id
                for token in run.encoding.tokens
                if token.start >= 0
                and not any(
                    is_within(each.region, token, size) for each in found.divergences if each.stage != POST_PROCESS
                )
            ]
        )
    assert outside[0] == outside[1], "what is in no region is the same"
    for each in found.divergences:
        assert each.stage in ORDER
        assert each.kind is not DifferenceKind.SAME
        assert each.sentence.startswith(each.stage)
        assert each.sentence.endswith(".")
        assert [token.id for token in each.left.tokens] != [token.id for token in each.right.tokens]
        assert 0 <= each.region.start <= each.region.end <= len(text)
        for half, run in ((each.left, found.left), (each.right, found.right)):
            assert half.does
            if half.stage is not None:
                stage = run.trace.stages[half.stage]
                assert half.event is None or 0 <= half.event < len(stage.events)
    assert found.first is None or found.first in found.divergences


@pytest.mark.parametrize(("one", "other"), TWINS)
@pytest.mark.parametrize("parse_special", [True, False])
def test_every_difference_of_two_implementations_is_attributed(one: str, other: str, parse_special: bool) -> None:
    differing = 0
    for text in strings(11, 900)[-300:]:
        found = compared(one, other, text, parse_special=parse_special)
        check(found)
        differing += not found.same
        for each in found.divergences:
            assert each.kind not in (DifferenceKind.OTHER_PIECES, DifferenceKind.OTHER_IDS), (
                "the vocabulary is the same"
            )
    assert differing or one.startswith("gpt-2")


@settings(max_examples=amount(80))
@given(
    text=texts(),
    one=st.sampled_from(("llama-2", "mistral-v1", "xlm-r", "bert-uncased", "rwkv-world", "gpt-2", "cl100k_base")),
    other=st.sampled_from(("llama-2", "qwen2.5@llama.cpp", "bert-uncased@llama.cpp", "llama-3", "o200k_base")),
)
def test_every_difference_of_two_vocabularies_is_attributed(text: str, one: str, other: str) -> None:
    check(compared(one, other, text))


def part_way(one: Run, other: Run, upto: Sequence[str]) -> list[Token]:
    """The tokens if `one` runs the named first stages and `other` the rest."""
    items = initial_items(one.text)
    for run, wanted in ((one, True), (other, False)):
        names = [stage.name for stage in run.trace.stages]
        first = next((index for index, name in enumerate(names) if name not in upto), len(names))
        # a second partition after the normalizer belongs to it
        while first < len(names) and names[first] in upto:
            first += 1
        for part in run.tokenizer.parts[:first] if wanted else run.tokenizer.parts[first:]:
            items = part.run(items, run.options, silent)
    return [item for item in items if isinstance(item, Token)]


@pytest.mark.parametrize(("one", "other"), HF_AND_LLAMA_CPP)
def test_before_the_named_stage_both_sides_are_exchangeable(one: str, other: str) -> None:
    """If the left side runs the stages before the named one and the right side the rest, the region gets the right
    side's tokens. So no earlier stage is the cause."""
    seen = 0
    for text in ["\u093f\u0327\u0308e", "한\u0301e", *strings(12, 900)[-300:]]:
        found = compared(one, other, text)
        for each in found.divergences:
            if each.stage == POST_PROCESS:
                continue
            before = ORDER[: ORDER.index(each.stage)]
            tokens = part_way(found.left, found.right, before)
            inside = [token.id for token in tokens if token.start >= 0 and is_within(each.region, token, len(text))]
            assert inside == [token.id for token in each.right.tokens], (text, each.sentence)
            seen += 1
    assert seen or one.startswith(("gpt-2", "llama-3"))


def test_after_the_named_stage_nothing_differs_for_qwen() -> None:
    """With its normalizer and its special tokens llama.cpp would give Hugging Face's ids."""
    for text in strings(13, 900)[-300:]:
        found = compared("qwen2.5", "qwen2.5@llama.cpp", text)
        for each in found.divergences:
            tokens = part_way(found.left, found.right, ORDER[: ORDER.index(each.stage) + 1])
            inside = [token.id for token in tokens if is_within(each.region, token, len(text))]
            assert inside == [token.id for token in each.left.tokens], (text, each.sentence)
