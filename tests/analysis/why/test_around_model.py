"""Cuts and tokens that stages before or after the model make."""

from __future__ import annotations

from pathlib import Path

import pytest

import explorer
from explorer.analysis.divergence.result import as_typed
from explorer.analysis.why import why, why_cut, why_token
from explorer.engine.models.bpe import Bpe, MergeList
from explorer.engine.models.spm import Spm
from explorer.engine.partition.special_tokens import AddedToken, AddedTokenPartition
from explorer.engine.partition.user_defined import DnaGroups, UserDefinedSplit
from explorer.engine.post_processors import Padding, PostProcessing, Template, TrimOffsets, Truncation
from explorer.engine.pre_tokenizers.by_regex import PreTokenization, RegexSplit
from explorer.engine.pre_tokenizers.patterns import GPT2
from explorer.errors import InputError
from explorer.stages.stage import CutCause, OriginKind
from explorer.text import unescape
from explorer.text.say import plain
from explorer.vocabulary import Vocabulary
from tests.analysis.toy_tokenizers import bpe, spm, toy
from tests.analysis.why.said import cut, origin, sentence, steps
from tests.bundled import bundled
from tests.formats.gguf_writer import written
from tests.implementations.llama_cpp.toys import BYTES, keys_of
from tests.meaning import mentions
from tests.originals.llama_cpp import LlamaCpp

ADDED = (AddedToken(0, "<s>", special=True),)
LETTERS = Vocabulary.of([b"<pad>", b"a", b"b", b"[CLS]", b"[SEP]", b"<s>"], (), [3, 1, 1, 3, 3, 3])


def test_a_special_token_in_the_text() -> None:
    tok = bpe("a b", added=ADDED)
    before, after, token = cut(tok, "ab<s>ab"), cut(tok, "ab<s>ab", 1), origin(tok, "ab<s>ab", 1)
    assert (before.cause, after.cause, token.how) == (
        CutCause.SPECIAL_TOKEN,
        CutCause.SPECIAL_TOKEN,
        OriginKind.SPECIAL,
    )
    assert sentence(before) == (
        "The special token “<s>” begins here. Text and such tokens are separated before the model runs."
    )
    assert mentions(sentence(after), "The special token “<s>” ends here.")
    assert sentence(token) == "“<s>” is in the text. It is a special token, and these are taken out before all else."
    assert steps(token) == ["0: <s> = <s>, token 0"]
    assert (token.stage, token.event, before.event) == (0, 0, 0)


def test_two_special_tokens_are_told_apart_by_position() -> None:
    trace = bpe("a b", added=ADDED).trace("<s>a<s>")
    events = [why_token(trace, number).event for number in (0, 2)]
    assert [trace.stages[0].events[event or 0].start for event in events] == [0, 4]


def test_an_added_token_and_a_user_defined_symbol() -> None:
    token = origin(bpe("a b", added=(AddedToken(0, "<s>"),)), "a<s>", 1)
    assert sentence(token) == (
        "“<s>” is in the text. It is an added token, and these are taken out before the model runs."
    )
    made = Vocabulary.of([b"<unk>", b"a", b"<a>"], [0.0, 0.0, 0.0], [2, 1, 4])
    tok = toy(made, UserDefinedSplit({"<a>": 2}), Spm(made, 0))
    assert (origin(tok, "a<a>", 1).how, cut(tok, "a<a>").cause) == (OriginKind.SPECIAL, CutCause.SPECIAL_TOKEN)
    assert mentions(sentence(cut(tok, "a<a>")), "The added token “<a>” begins here.")


def test_dna() -> None:
    v = Vocabulary.of([b"<dna>", b"</dna>", b"<oov>", "ACGTAA\ue000".encode(), b"x"])
    token = origin(toy(v, DnaGroups(v), Bpe(v, MergeList([]))), "x<dna>acgt</dna>", 2)
    assert sentence(token) == "“acgt” is DNA: between <dna> and </dna> every six letters are a token."


def test_the_pattern_cuts() -> None:
    found = cut(bpe("a b", cut=True), "ab c")
    assert found.cause == CutCause.PRE_TOKENIZER
    assert sentence(found) == "The pattern cuts here before any merge. No token crosses such a cut."
    assert steps(found) == [
        "1: ab = ab, Letters, with the space in front of them.",
        "3: ␣c = ␣c, Letters, with the space in front of them.",
    ]


def test_a_piece_across_the_cut() -> None:
    found = cut(bpe("a b", cut=True, more=["ab "]), "ab c")
    assert found.joined is not None
    assert found.joined.text == "ab␣"
    assert mentions(
        sentence(found), "The pattern cuts here before any merge. “ab␣” is a piece, but no token crosses such a cut."
    )


def test_text_between_two_tokens() -> None:
    found = cut(bundled("bert-uncased"), "a  b", 1)
    assert (found.cause, found.joined, found.others) == (CutCause.PRE_TOKENIZER, None, None)
    assert mentions(
        sentence(found), "The pattern cuts here before the model runs. “␣␣” between the two belongs to neither."
    )
    assert "1: ␣␣ = , White space." in steps(found)


def test_added_around_the_text() -> None:
    tok = bundled("llama-2")
    token, found = origin(tok, "a"), cut(tok, "a")
    assert (token.how, token.token.start, found.cause) == (OriginKind.ADDED, None, CutCause.ADDED_TOKEN)
    assert sentence(token) == "“<s>” (1) is put in front of the text. It is not from the text."
    assert sentence(found) == "“<s>” is not from the text: post-processing added it."
    last = bundled("bert-uncased")
    assert mentions(sentence(origin(last, "a", 2)), "“[SEP]” (102) is put after the text. It is not from the text.")


@pytest.mark.parametrize("left", [False, True])
def test_padding_and_truncation(left: bool) -> None:
    template = PostProcessing([Template([(3,), 0, (4,)], [])])
    tok = toy(LETTERS, Bpe(LETTERS, MergeList([])), Truncation(4, added=2, left=left), template,
              Padding(0, 6, left=left))  # fmt: skip
    trace = tok.trace("abab")
    hows = [why_token(trace, number).how for number in range(6)]
    text = [OriginKind.ADDED, OriginKind.SINGLE, OriginKind.SINGLE, OriginKind.ADDED]
    assert hows == ([OriginKind.PADDING] * 2 + text if left else text + [OriginKind.PADDING] * 2)
    cuts = [why_cut(trace, number) for number in range(5)]
    assert [each.cause for each in cuts].count(CutCause.ADDED_TOKEN) == 4
    (cut_off,) = [each for each in cuts if "cut off" in sentence(each)]
    assert mentions(plain(cut_off.steps[0].note), "cut off: 2 tokens")
    assert (cut_off.left.stored, cut_off.right.stored) == (("[CLS]", "a") if left else ("b", "[SEP]"))
    padding = why_token(trace, 0 if left else 5)
    assert sentence(padding) == "“<pad>” (0) fills the length that padding asks for."


def test_a_template_with_the_text_twice() -> None:
    tok = toy(LETTERS, Bpe(LETTERS, MergeList([])), PostProcessing([Template([0, (4,), 0], [])]))
    trace = tok.trace("ab")
    assert [why_token(trace, number).how for number in range(5)] == [
        OriginKind.SINGLE, OriginKind.SINGLE, OriginKind.ADDED, OriginKind.COPY, OriginKind.COPY
    ]  # fmt: skip
    assert why_cut(trace, 3).cause == CutCause.NOT_A_PIECE
    beside = toy(LETTERS, Bpe(LETTERS, MergeList([])), PostProcessing([Template([0, 0], [])])).trace("ab")
    assert [why_cut(beside, number).cause for number in range(3)] == [
        CutCause.NOT_A_PIECE, CutCause.TEMPLATE, CutCause.NOT_A_PIECE
    ]  # fmt: skip


def test_offsets_that_are_trimmed() -> None:
    """A special token that stripped white space passes a stage that trims it."""
    added = AddedTokenPartition([AddedToken(5, "<s>", special=True, lstrip=True, rstrip=True)])
    trim = PostProcessing([TrimOffsets(LETTERS.pieces, False)])
    trace = toy(LETTERS, added, Bpe(LETTERS, MergeList([])), trim).trace("a <s> b")
    assert [why_token(trace, number).how for number in range(3)] == [
        OriginKind.SINGLE,
        OriginKind.SPECIAL,
        OriginKind.SINGLE,
    ]


# --- by offset --------------------------------------------------------------------------------------------------------


def test_inside_a_token_and_at_a_cut() -> None:
    trace = bundled("llama-2").trace("What is LoRA?")
    inside, at_cut = why(trace, 2), trace.why(4)
    assert ([each.token.text for each in inside.origins], inside.cuts) == (["▁What"], ())
    assert [each.token.text for each in at_cut.origins] == ["▁is"]
    assert [(each.left.text, each.right.text) for each in at_cut.cuts] == [("▁What", "▁is")]
    end = why(trace, 13)
    assert (end.origins, end.cuts) == ((), ())


def test_a_character_in_several_tokens() -> None:
    found = why(bundled("gpt-2").trace("a 🤗!"), 2)
    assert [each.token.text for each in found.origins] == ["␣ F0 9F", "A4", "97"]
    assert [(each.left.text, each.right.text) for each in found.cuts] == [("␣ F0 9F", "A4"), ("A4", "97")]


def test_an_offset_within_dropped_text() -> None:
    found = why(bundled("bert-uncased").trace("a  b"), 2)
    assert (len(found.origins), len(found.cuts)) == (0, 1)


@pytest.mark.parametrize("at", [-1, 3, True, "1", None, 1.0])
def test_an_offset_that_is_not_in_the_text(at: object) -> None:
    with pytest.raises(InputError, match=r"0.*2"):
        why(bundled("gpt-2").trace("ab"), at)  # type: ignore[arg-type]


def test_a_token_that_does_not_exist() -> None:
    trace = bundled("gpt-2").trace("ab cd")
    with pytest.raises(InputError, match=r"2.*2"):
        why_token(trace, 2)
    with pytest.raises(InputError, match=r"1.*2"):
        why_cut(trace, 1)


def test_a_text_with_escapes() -> None:
    """Positions are in the text as typed; events count in the text that was read."""
    typed = r"\u0061\u0062 c <s>"
    tok = bpe("a b", cut=True, added=ADDED)
    plainly, moved = tok.trace(unescape(typed)), as_typed(tok.trace(unescape(typed)), typed)
    for number in range(len(plainly.ids) - 1):
        one, other = why_cut(plainly, number), why_cut(moved, number)
        assert (one.cause, one.event, steps(one), sentence(one)) == (
            other.cause, other.event, steps(other), sentence(other)
        )  # fmt: skip
    assert why(moved, 3).origins[0].token.text == "ab"


def test_the_name_in_sentences() -> None:
    found = why_cut(spm(("a", 0.0), ("b", 0.0), prefix=False).trace("ab"), 0, tokenizer_label="Toy 1")
    assert mentions(
        plain(found.sentence), "To be one token, “ab” would have to be a piece of Toy 1. It is not among the 3."
    )


def test_a_pattern_that_splits_nothing_off() -> None:
    made = Vocabulary.of([b"a", b" ", b"b"])
    tok = toy(made, PreTokenization([RegexSplit(GPT2), RegexSplit(GPT2)]), Bpe(made, MergeList([])))
    # the second splitter finds the same pieces again
    assert [step.event for step in cut(tok, "a b").steps] == sorted({step.event for step in cut(tok, "a b").steps})
    assert len(cut(tok, "a b").steps) == 2


LETTERS_OF_GGUF = [("<unk>", 0.0, 2), ("<s>", 0.0, 3), ("</s>", 0.0, 3), ("▁", -1.0, 1), ("a", -2.0, 1)]
USER_DEFINED = ("<think>", "[x]", "aa", "é▁", "\n\n")


@pytest.mark.sample(4)
@pytest.mark.parametrize("parse_special", [True, False])
@pytest.mark.parametrize("user", USER_DEFINED)
@pytest.mark.parametrize("model", ["llama", "gpt2", "gemma4", "whitespace"])
def test_llama_cpp_finds_user_defined_tokens_also_where_special_ones_are_text(
    model: str, user: str, parse_special: bool, tmp_path: Path
) -> None:
    pieces = [*LETTERS_OF_GGUF, (user, 0.0, 4), *BYTES]
    keys = keys_of(model, pieces, merges=[], pre="gpt-2", bos_token_id=1, eos_token_id=2, seperator_token_id=2,
                   cls_token_id=1, unknown_token_id=0)  # fmt: skip
    (tmp_path / "toy.gguf").write_bytes(written(keys))
    tokenizer, text = explorer.load(tmp_path / "toy.gguf"), f"a{user}a"
    with LlamaCpp(tmp_path / "toy.gguf") as theirs:
        assert 5 in theirs.tokenize(text, add_special=False, parse_special=parse_special)
    number = next(at for at, id in enumerate(tokenizer.encode(text, add_special=False).ids) if id == 5)
    asked = {"parse_special": parse_special, "add_special": False}
    said = [sentence(origin(tokenizer, text, number, **asked)), sentence(cut(tokenizer, text, number, **asked))]
    assert all(("llama.cpp always finds" in each) == (not parse_special) for each in said)


def test_added_tokens_are_found_also_where_special_ones_are_text() -> None:
    tok = bpe("a b", added=(AddedToken(0, "<s>"),))
    for parse_special in (True, False):
        token = origin(tok, "a<s>", 1, parse_special=parse_special)
        assert ("always found" in sentence(token)) == (not parse_special)
