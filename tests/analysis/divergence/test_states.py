"""A text after each stage, in plain characters, whatever its spelling."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import explorer
from explorer.analysis.divergence.comparer import compare
from explorer.analysis.divergence.matching import aligned_groups, boundaries, match
from explorer.analysis.divergence.result import TEXT_STAGES, DifferenceKind, States, labels, run, states
from explorer.engine.models.bpe import Bpe, KnownCharacters, MergeList
from explorer.engine.post_processors import AddSpecial
from explorer.stages.spelling import How, spelling_of
from tests.analysis.toy_tokenizers import toy, vocabulary
from tests.bundled import bundled
from tests.originals.generators import texts
from tests.tiers import amount

PLAIN = ("gpt-2", "gpt-2@llama.cpp", "llama-3", "qwen2.5@llama.cpp", "cl100k_base", "rwkv-world")
"""Tokenizers that change no text."""


def of(spec: str, text: str, *, parse_special: bool = True) -> States:
    return states(run(bundled(spec), text, parse_special=parse_special))


@settings(max_examples=amount(50))
@given(texts(), st.sampled_from(PLAIN))
def test_without_changes_every_state_is_the_text(text: str, spec: str) -> None:
    side = of(spec, text, parse_special=False)
    assert side.specials == ()
    for name in TEXT_STAGES:
        found = side.plain[name]
        assert found.text == text
        assert found.starts == list(range(len(text)))
        assert found.ends == list(range(1, len(text) + 1))
        assert sorted(found.items) == found.items


@settings(max_examples=amount(50))
@given(texts(), st.sampled_from(("llama-2", "xlm-r", "mistral-v1", "bert-uncased", "qwen2.5", *PLAIN)))
def test_spans_are_within_the_text_and_a_side_never_differs_from_itself(text: str, spec: str) -> None:
    side = of(spec, text)
    for name in TEXT_STAGES:
        found = side.plain[name]
        assert len(found.text) == len(found.starts) == len(found.ends) == len(found.items)
        assert all(0 <= start <= end <= len(text) for start, end in zip(found.starts, found.ends, strict=True))
        assert match(found, found, text).spots == []
        assert boundaries(found, found, []) == []


def test_spelling_is_no_difference() -> None:
    """A space written ▁, and a prefix space that only one side adds."""
    one, other = of("llama-2", "a é▁"), of("gpt-2", "a é▁")
    assert one.before_model.text == " a é▁"
    assert other.before_model.text == "a é▁"
    (found,) = match(one.before_model, other.before_model, "a é▁").spots
    assert found == (0, 0, " ", "", range(0, 1), range(0, 0))


def test_special_tokens_are_left_out_and_cut() -> None:
    side = of("llama-2", "a<s>b")
    assert [token.id for token in side.specials] == [1]
    assert side.plain["partition"].text == "ab"
    assert side.before_model.starts == [0, 0, 4, 4]
    assert side.before_model.begins_piece(4)
    assert of("llama-2", "a<s>b", parse_special=False).before_model.text == " a<s>b"


def test_boundaries_that_only_one_side_has() -> None:
    one, other = of("gpt-2", "it 12"), of("llama-3", "it 12")
    found = boundaries(one.before_model, other.before_model, [])
    assert found == [(3, False, 2)]


def test_groups_end_where_both_sides_have_a_cut() -> None:
    one, other = of("gpt-2", "abc"), of("qwen2.5", "A\u030a!")
    assert list(aligned_groups((), (), 0)) == []
    assert one.before_model.of(1, 3) == "bc"
    assert other.before_model.of(0, 2) == "Å"
    assert other.before_model.pieces_at(1) == (0, 3)


WAYS = {
    "gpt-2": How.PRINTABLE, "llama-3@llama.cpp": How.PRINTABLE, "llama-2": How.ESCAPED, "xlm-r": How.ESCAPED,
    "mistral-v1": How.ESCAPED, "bert-uncased": How.PREFIXED, "bert-uncased@llama.cpp": How.PHANTOM,
    "cl100k_base": How.RAW, "rwkv-world": How.RAW,
}  # fmt: skip


@pytest.mark.parametrize(("spec", "how"), WAYS.items())
def test_every_spelling_is_recognized(spec: str, how: How) -> None:
    spelling = spelling_of(bundled(spec))
    assert spelling.how == how
    (token,) = (
        bundled(spec).encode("hello" if how in (How.PREFIXED, How.PHANTOM) else "Hello", add_special=False).tokens
    )
    content = spelling.content(token.id)
    assert content.strip().lower() == b"hello"
    assert spelling.holds(content)
    assert not spelling.holds(b"no vocabulary holds this as one piece")


def test_prefixes_and_suffixes_of_merged_pieces_are_spelling_too() -> None:
    for spelled, around in (
        (("a", "b</w>", "ab</w>"), {"suffix": b"</w>"}),
        (("a", "##b", "ab"), {"prefix": b"##"}),
    ):
        made = vocabulary(*spelled)
        model = Bpe(made, MergeList([f"{spelled[0]} {spelled[1]}".encode()]), KnownCharacters(made.ids, **around),
                    dropped=len(around.get("prefix", b"")))  # fmt: skip
        tok = toy(made, model, AddSpecial())
        spelling = spelling_of(tok)
        assert (spelling.prefix, spelling.suffix) == (around.get("prefix", b""), around.get("suffix", b""))
        assert [spelling.content(id) for id in range(3)] == [b"a", b"b", b"ab"]
        assert spelling.holds(b"b")
        assert not spelling.holds(b"c")
        found = compare(run(tok, "ab", "one"), run(toy(made, Bpe(made, MergeList([]), model.initial)), "ab", "other"))
        assert [(each.kind, each.left.does) for each in found.divergences] == [
            (DifferenceKind.MERGE_ORDER, f"merges “a” + “b” (merge 1) and gives “{spelled[2]}”")
        ]  # fmt: skip


@settings(max_examples=30)
@given(texts(), st.sampled_from(("gpt-2", "cl100k_base", "rwkv-world", "qwen2.5@llama.cpp", "llama-2")))
def test_the_contents_of_all_tokens_are_the_text(text: str, spec: str) -> None:
    spelling = spelling_of(bundled(spec))
    encoding = bundled(spec).encode(text, add_special=False, parse_special=False)
    made = b"".join(spelling.content(token.id) for token in encoding.tokens)
    if spec == "llama-2":
        # to SentencePiece, a ▁ in the text is a space
        text = "" if not text else " " + text.replace("▁", " ")
    assert made == text.encode()


def test_labels() -> None:
    def of_names(*specs: str) -> tuple[str, ...]:
        return labels([bundled(spec) for spec in specs])

    assert of_names("gpt-2") == ("gpt-2",)
    assert of_names("gpt-2", "llama-2") == ("gpt-2", "llama-2")
    assert of_names("rwkv-world", "rwkv-world@first-miss") == ("RWKV", "the first-miss loop")
    assert of_names("gpt-2", "gpt-2", "llama-2") == ("gpt-2 (1)", "gpt-2 (2)", "llama-2")


def test_escapes_are_replaced_and_positions_refer_to_the_original_text() -> None:
    made = run(bundled("gpt-2"), r"a\tb\u00e9\ud83d\ude0a", read_escapes=True)
    assert made.read == "a\tbé😊"
    spans = [span for span in made.encoding.spans if span is not None]
    assert spans[0] == (0, 1)
    assert {made.text[start:end] for start, end in spans} == {"a", r"\t", "b", r"\u00e9", r"\ud83d\ude0a"}
    assert [made.in_read(at) for at in (0, 1, 3, 4, 10, 22)] == [0, 1, 2, 3, 4, 5]
    assert made.trace.stages[0].before[0].ends[-1] == len(made.text)  # type: ignore[union-attr]
    with pytest.raises(explorer.InputError):
        run(bundled("gpt-2"), "\\q", read_escapes=True)
