"""Why a tokenizer gives other ids than expected."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import explorer
from explorer.analysis.expected.expected_ids import Explanation, Reason, stretches, tokens_on
from explorer.analysis.expected.explainer import explain
from explorer.analysis.vocabulary.index import index_of
from explorer.analysis.vocabulary.reach import dossier
from explorer.errors import InputError
from tests.bundled import bundled
from tests.meaning import mentions
from tests.originals.generators import texts
from tests.tiers import amount


def none_other(spec: str) -> explorer.Tokenizer:
    """A loader for questions that must not open another tokenizer."""
    raise AssertionError(f"{spec} was opened, although a nearer explanation fits")


def asked(spec: str, text: str, ids: list[int], *, open_others: bool = False) -> Explanation:
    return explain(bundled(spec), text, ids, open_other=bundled if open_others else none_other)


NEAR = [
    ("llama-2", "What is", [1, 1724, 338], Reason.SAME,
     "No difference: the expected ids are the 3 that llama-2 gives."),
    ("llama-2", "What is", [1724, 338], Reason.MISSING_SPECIAL,
     "The expected ids lack “<s>” (1) at the start; without the option “Add BOS/EOS” they are what llama-2 gives."),
    ("llama-2", "What is", [1, 1724, 338, 2], Reason.EXTRA_SPECIAL,
     "The expected ids have “</s>” (2) at the end, which llama-2 does not give."),
    ("llama-2", "What is", [1, 1724, 1, 338], Reason.EXTRA_SPECIAL,
     "The expected ids have “<s>” (1) at id number 3, which llama-2 does not give."),
    ("llama-2", "What is", [2, 1724, 338], Reason.OTHER_SPECIAL,
     "The expected ids have “</s>” (2) at the start, where llama-2 gives “<s>” (1)."),
    ("bert-uncased", "what", [101, 2054], Reason.MISSING_SPECIAL, "The expected ids lack “[SEP]” (102) at the end."),
    ("llama-2", "<s>is", [1, 529, 29879, 29958, 275], Reason.OPTIONS,
     "The expected ids are for other options; without the option “Recognize control tokens” they are what llama-2 "
     "gives."),
    ("gpt-2", "a\\nb", [64, 198, 65], Reason.ESCAPES,
     "The expected ids are for the text with its escapes replaced (\\n by U+000A LINE FEED)."),
    ("gpt-2", "a\\tb", [64, 197, 65], Reason.ESCAPES,
     "The expected ids are for the text with its escapes replaced (\\t by U+0009 CHARACTER TABULATION)."),
    ("gpt-2", "a\nb", [64, 59, 46803], Reason.ESCAPES,
     "The expected ids are for the text with characters written as escapes (U+000A LINE FEED as \\n)."),
    ("gpt-2", "What", [1867], Reason.LEADING_SPACE, "The expected ids are for the text with a leading space."),
    ("gpt-2", " What", [2061], Reason.LEADING_SPACE, "The expected ids are for the text without its leading space."),
    ("llama-2", "What", [1, 5618], Reason.LEADING_SPACE,
     "The expected ids are those without a prefix space."),
    ("gpt-2", "What", [2061, 198], Reason.WHITE_SPACE,
     "The expected ids are for the text with a line feed at the end."),
    ("gpt-2", "What\n", [2061], Reason.WHITE_SPACE,
     "The expected ids are for the text without a line feed at the end."),
    ("gpt-2", "What is", [2061, 373], Reason.TEXT,
     "The expected ids spell another text, “What␣was”: at character 6 they have “wa” where the text has i (U+0069 "
     "LATIN SMALL LETTER I)."),
    ("gpt-2", "What is", [2061, 318, 13], Reason.TEXT,
     "The expected ids spell another text, “What␣is.”: at the end they have . (U+002E FULL STOP) where the text "
     "has nothing."),
    ("gpt-2", "What is", [2061, 220, 72, 82], Reason.CUTS,
     "The expected ids spell the same text but cut it differently at id number 2: expected “␣” (220), "
     "“i” (72), “s” (82), gpt-2 gives “␣is” (318)."),
]  # fmt: skip


ELSEWHERE = [
    # spec, the text, the text of the ids, and the position and characters in the first text
    ("llama-2", "a <s> b c", "a <s> b d", "at character 9 they have d (U+0064 LATIN SMALL LETTER D) where the text has "
     "c (U+0063 LATIN SMALL LETTER C)."),
    ("bert-uncased", "Straße  x\u200b y CD", "Straße  x\u200b y ce", "at character 15 they have e (U+0065 LATIN SMALL "
     "LETTER E) where the text has D (U+0044 LATIN CAPITAL LETTER D)."),
    ("xlm-r", "  a   b cd", "  a   b ce", "at character 10 they have e (U+0065 LATIN SMALL LETTER E) where the text "
     "has d (U+0064 LATIN SMALL LETTER D)."),
    ("bert-uncased", "สวัสดีครับ ok ab", "สวัสดีครับ ok ac", "at character 16 they have c (U+0063 LATIN SMALL LETTER C) "
     "where the text has b (U+0062 LATIN SMALL LETTER B)."),
    ("bert-uncased", "(a) bc d", "(a) bc, d", "before character 7 they have , (U+002C COMMA) where the text has "
     "nothing."),
    ("gpt-2", "say “hi” now", 'say "hi" now', 'at characters 5 to 8 they have “"hi"” where the text has ““hi””.'),
    ("gpt-2", "token by token", "token by token or", "at the end they have “␣or” where the text has nothing."),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "text", "other", "says"), ELSEWHERE)
def test_a_different_text_is_located_in_the_original(spec: str, text: str, other: str, says: str) -> None:
    found = asked(spec, text, bundled(spec).encode(other).ids, open_others=True)
    assert found.reason == Reason.TEXT
    assert found.sentence.endswith(f"”: {says}")


def test_invalid_utf_8_is_shown_as_bytes_and_missing_text_is_not_quoted() -> None:
    found = asked("gpt-2", "é", [127], open_others=True)
    assert mentions(found.sentence, "they have byte C3 where the text has é (U+00E9")
    found = asked("gpt-2", "What is", [], open_others=True)
    assert mentions(found.sentence, "The list of expected ids is empty; gpt-2 gives 2 for this text.")
    found = asked("llama-2", "<s> end", bundled("llama-2").encode("x").ids, open_others=True)
    assert found.sentence == (
        "The expected ids have “<s>” (1) once at the start, where llama-2 gives it twice. Otherwise they spell "
        "another text, “<s>␣x”: at characters 4 to 7 they have x (U+0078 LATIN SMALL LETTER X) where the text has "
        "“␣end”."
    )


@pytest.mark.parametrize(("spec", "text", "ids", "reason", "says"), NEAR)
def test_simple_reasons(spec: str, text: str, ids: list[int], reason: Reason, says: str) -> None:
    found = asked(spec, text, ids, open_others=reason in (Reason.TEXT, Reason.CUTS))
    assert (found.sentence, found.reason) == (says, reason)
    if found.specs:
        assert found.options is not None
        assert found.read is not None
        if reason != Reason.LEADING_SPACE:
            assert bundled(found.specs[0]).encode(found.read, **found.options._asdict()).ids == ids


def test_another_implementation_of_the_same_model() -> None:
    ids = bundled("qwen2.5@llama.cpp").encode("A\u030a!").ids
    found = asked("qwen2.5", "A\u030a!", ids, open_others=True)
    assert (found.reason, found.specs) == (Reason.IMPLEMENTATION, ("qwen2.5@llama.cpp",))
    assert mentions(
        found.sentence,
        "The expected ids are what qwen2.5@llama.cpp gives: normalize, characters 1 to 2: Hugging Face composes A + "
        "U+030A to Å (NFC); llama.cpp leaves two code points.",
    )


def test_another_tokenizer() -> None:
    ids = bundled("cl100k_base").encode("Where is it from?").ids
    found = asked("gpt-2", "Where is it from?", ids, open_others=True)
    assert (found.reason, found.specs) == (
        Reason.OTHER_TOKENIZER, ("llama-3@huggingface", "cl100k_base@tiktoken")
    )  # fmt: skip
    assert mentions(
        found.sentence, "The expected ids are what llama-3@huggingface gives, and cl100k_base@tiktoken as well."
    )
    ids = bundled("bert-uncased").encode("Where is it from?", add_special=False).ids
    found = asked("gpt-2", "Where is it from?", ids, open_others=True)
    assert mentions(
        found.sentence, "The expected ids are what bert-uncased@huggingface gives without the option “Add BOS/EOS”."
    )


def test_ids_out_of_range_and_ids_that_nothing_gives() -> None:
    found = asked("gpt-2", "What is", [2061, 999_999], open_others=True)
    assert (found.reason, found.decoded, found.at) == (Reason.OUT_OF_RANGE, None, 1)
    assert mentions(
        found.sentence,
        "Id number 2, 999999, is not in the vocabulary of gpt-2, whose ids are 0 to 50256, and no bundled tokenizer "
        "gives these ids for this text.",
    )
    found = asked("gpt-2", "What is", [5, 6, 7], open_others=True)
    assert (found.reason, found.decoded) == (Reason.TEXT, "&'(")


def test_an_id_without_a_token_is_told_from_one_outside_the_vocabulary() -> None:
    tok = bundled("o200k_base")
    assert [tok.vocabulary.has(id) for id in (200006, 200018, 200019)] == [False, True, False]
    for id, says in ((200006, "without a token"), (200019, "whose ids are 0 to 200018")):
        found = explain(tok, "0", [id, 15], open_other=bundled)
        assert found.reason == Reason.OUT_OF_RANGE
        assert says in found.sentence
        with pytest.raises(InputError, match=says):
            tok.decode([id])
        with pytest.raises(InputError, match=says):
            dossier(index_of(tok), id)
    assert "no token (200006)" in explain(tok, "0", [200006, 15], open_other=bundled).regions[0].expected


@pytest.mark.long
def test_a_hundred_thousand_ids() -> None:
    found = asked("gpt-2", "a" * 10, [64] * 100_000, open_others=True)
    assert found.reason == Reason.TEXT
    assert found.decoded == "a" * 100_000
    assert sum(len(each.expected) for each in found.stretches) == 100_000


def test_expected_ids_become_tokens_on_the_text_they_spell() -> None:
    found = asked("gpt-2", "What 각", [2061, 220, 166, 108, 223])
    assert found.encoding is not None
    assert found.encoding.spans == [(0, 4), (4, 5), (5, 6), (5, 6), (5, 6)]
    assert asked("gpt-2", "What is", [2061, 373], open_others=True).encoding is None
    added = tokens_on(bundled("llama-2"), [1, 1724], "What")
    assert added is not None
    assert added.spans == [None, (0, 4)]


@settings(max_examples=amount(40))
@given(
    texts(), st.sampled_from(("gpt-2", "llama-2", "bert-uncased", "qwen2.5@llama.cpp")), st.booleans(), st.booleans()
)
def test_what_a_tokenizer_gives_is_explained_by_its_options(text: str, spec: str, add: bool, parse: bool) -> None:
    ids = bundled(spec).encode(text, add_special=add, parse_special=parse).ids
    found = asked(spec, text, ids)
    assert found.reason in (
        Reason.SAME, Reason.OPTIONS, Reason.MISSING_SPECIAL, Reason.EXTRA_SPECIAL, Reason.OTHER_SPECIAL
    )  # fmt: skip
    assert found.specs
    assert found.options is not None
    assert bundled(found.specs[0]).encode(text, **found.options._asdict()).ids == ids


@given(st.lists(st.integers(0, 3), max_size=12), st.lists(st.integers(0, 3), max_size=12))
def test_stretches_cover_both_lists_and_say_what_is_the_same(expected: list[int], given: list[int]) -> None:
    found = list(stretches(expected, given))
    assert [index for each in found for index in each.expected] == list(range(len(expected)))
    assert [index for each in found for index in each.given] == list(range(len(given)))
    for each in found:
        assert each.same == ([expected[index] for index in each.expected] == [given[index] for index in each.given])


def test_a_clause_about_one_token_ends_before_the_next_one() -> None:
    tokenizer = bundled("llama-3")
    ids = [128000, *tokenizer.encode("hello world", add_special=False).ids, 128009]
    says = explain(tokenizer, "hello world", ids).sentence
    assert mentions(says, "at the start, which llama-3 does not give, and have")
