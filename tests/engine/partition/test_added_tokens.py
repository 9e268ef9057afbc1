"""Added tokens, cut out as in Hugging Face."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import AddedToken as Theirs
from tokenizers import Tokenizer, models

from explorer.engine.part import Events, Options, Segment, Token, silent
from explorer.engine.partition.special_tokens import AddedToken, AddedTokenPartition, PartitionEvent, PartitionRow
from tests.tiers import amount

TOKENS = [
    AddedToken(10, "<s>", special=True),
    AddedToken(11, "<s>s", special=True),
    AddedToken(12, "[L]", lstrip=True),
    AddedToken(13, "[R]", special=True, rstrip=True),
    AddedToken(14, "word", single_word=True),
]
PART = AddedTokenPartition(TOKENS)


def cut(text: str, parse_special: bool = True) -> tuple[list[str | int], list[PartitionRow]]:
    events: Events[PartitionRow] = Events(PartitionRow)
    items = PART.run([Segment.of(text)] if text else [], Options(parse_special=parse_special), events.emit)
    return [item.id if isinstance(item, Token) else item.text for item in items], list(events)


def test_the_longest_leftmost_token_matches() -> None:
    assert cut("a<s>s<s>b")[0] == ["a", 11, 10, "b"]


def test_white_space_is_stripped_and_reported() -> None:
    items, events = cut("a \u3000[L] b[R]\n c")
    assert items == ["a", 12, " b", 13, "c"]
    assert [row for row in events if row.kind == PartitionEvent.STRIPPED] == [
        (PartitionEvent.STRIPPED, 1, 3, 12), (PartitionEvent.STRIPPED, 11, 13, 13)
    ]  # fmt: skip


def test_a_single_word_matches_without_adjacent_word_characters() -> None:
    items, events = cut("word words sword_ word!")
    assert items == [14, " words sword_ ", 14, "!"]
    assert [row for row in events if row.kind == PartitionEvent.NOT_A_WORD] == [
        (PartitionEvent.NOT_A_WORD, 5, 9, 14), (PartitionEvent.NOT_A_WORD, 12, 16, 14)
    ]  # fmt: skip


def test_special_tokens_stay_text_on_request_and_others_do_not() -> None:
    items, events = cut("<s>[L]", parse_special=False)
    assert items == ["<s>", 12]
    assert [row.token for row in events if row.kind == PartitionEvent.NOT_PARSED] == [10, 11, 13]


def test_without_added_tokens_or_with_an_empty_one_nothing_is_cut() -> None:
    assert AddedTokenPartition([AddedToken(1, "")]).run([Segment.of("a")], Options(), silent) == [Segment.of("a")]


def original() -> Tokenizer:
    letters = "<s>[LR]word _!\n\u3000ab\u0301\u200d"
    vocab = {ch: index for index, ch in enumerate(dict.fromkeys(letters))}
    made = Tokenizer(models.BPE(vocab=vocab, merges=[]))
    for token in TOKENS:
        theirs = Theirs(
            token.content, single_word=token.single_word, lstrip=token.lstrip, rstrip=token.rstrip, normalized=False
        )
        (made.add_special_tokens if token.special else made.add_tokens)([theirs])
    return made


THEIRS = original()


@given(
    st.lists(
        st.sampled_from(["<s>", "s", "[L]", "[R]", "word", " ", "\u0301", "\u200d", "\n", "\u3000", "a", "_", "<", "!"])
    ),
    st.booleans(),
)
@settings(max_examples=amount(400))
def test_the_same_as_the_original(parts: list[str], parse_special: bool) -> None:
    text = "".join(parts)
    THEIRS.encode_special_tokens = not parse_special
    wanted: list[str] = []
    for id in THEIRS.encode(text).ids:
        token = THEIRS.id_to_token(id)
        if wanted and len(token) == 1 and not wanted[-1].startswith("#"):
            wanted[-1] += token
        else:
            wanted.append(token if len(token) == 1 else "#" + token)
    contents = {token.id: "#" + token.content for token in TOKENS}
    ours = [contents[item] if isinstance(item, int) else item for item in cut(text, parse_special)[0]]
    assert ours == wanted


LETTERS = st.sampled_from("ab<|. ")


@given(st.sets(st.text(LETTERS, min_size=1, max_size=4), min_size=1, max_size=8), st.text(LETTERS))
def test_pieces_are_what_the_stage_cuts_out(contents: set[str], text: str) -> None:
    part = AddedTokenPartition([AddedToken(id, content) for id, content in enumerate(contents)])
    cut = part.cut(Segment.of(text), parse_special=True, emit=silent)
    assert part.pieces(text) == [each.text if isinstance(each, Segment) else each.id for each in cut]


@pytest.mark.parametrize("setting", ["single_word", "lstrip", "rstrip"])
def test_a_token_that_looks_around_has_no_pieces(setting: str) -> None:
    assert AddedTokenPartition([AddedToken(0, "<s>", **{setting: True})]).pieces("a <s> b") is None
