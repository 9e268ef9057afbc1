"""The stepper for special tokens, replayed: its fragments end as those of the engine."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import explorer
from explorer.engine.part import Item, Segment, Token
from explorer.engine.partition.special_tokens import PartitionEvent, SpecialTokenPartition
from explorer.script.script import Script, Window
from explorer.stages.partition.story import TEXT, partition_script
from explorer.text.say import shortened
from tests.bundled import bundled
from tests.originals.generators import texts
from tests.originals.hugging_face import both
from tests.tiers import amount
from tests.views.replays import play

MODELS = ("llama-2", "bert-uncased", "gpt-2", "llama-3", "llama-3@llama.cpp", "qwen2.5@llama.cpp",
          "cl100k_base")  # fmt: skip
WORDS = st.lists(
    st.sampled_from(["<s>", "</s>", "<unk>", "a", " ", "  ", "é", "[CLS]", "[SEP]", "<|endoftext|>", "<|im_start|>",
                     "<|begin_of_text|>", "<|eot_id|>", "w<", "\n"]), max_size=12,
).map("".join)  # fmt: skip


def span(item: Item) -> tuple[int, int]:
    """Where an item lies in the original text."""
    return (item.start, item.end) if isinstance(item, Token) else (item.starts[0], item.ends[-1])


def check(tok: explorer.Tokenizer, text: str, parse: bool = True, name: str = "partition") -> Script:
    trace = tok.trace(text, parse_special=parse)
    stage = trace.stage(name)
    script = partition_script(stage, tok.vocabulary, Window(0, len(text), 0, len(trace.ids)), trace)
    replay = play(script)
    shown = [(row[1], (row[2], row[3])) for row in replay.rows("output").values()]
    inclusive = script.data["tracks"][1]["tab"] == "Checks"
    expected = [(item.id if isinstance(item, Token) else TEXT, span(item)) for item in stage.after]
    if inclusive:  # a token's chip is the token; the white space it stripped has steps of its own
        assert [id for id, _ in shown] == [id for id, _ in expected]
        assert all(span_in(small, big) for (_, small), (_, big) in zip(shown, expected, strict=True))
    else:
        assert shown == expected
    words = [script.data["texts"][row[0]] for id, row in zip(shown, replay.rows("output").values(), strict=True)
             if id[0] == TEXT]  # fmt: skip
    assert words == [shortened(item.text) for item in stage.after if isinstance(item, Segment)]
    return script


def span_in(small: tuple[int, int], big: tuple[int, int]) -> bool:
    return big[0] <= small[0] and small[1] <= big[1]


@pytest.mark.parametrize("name", MODELS)
@given(text=texts() | WORDS, parse=st.booleans())
@settings(max_examples=amount(25))
def test_the_fragments_end_as_the_engines(name: str, text: str, parse: bool) -> None:
    check(bundled(name), text, parse)


FLAGS: list[dict[str, Any]] = [
    {"id": 1, "content": "<l>", "lstrip": True},
    {"id": 2, "content": "<r>", "rstrip": True},
    {"id": 3, "content": "<w>", "single_word": True},
    {"id": 4, "content": "<b>", "lstrip": True, "rstrip": True},
    {"id": 5, "content": " ", "special": True},
    {"id": 6, "content": "ab", "normalized": True},
]


@pytest.fixture(scope="module")
def flagged() -> explorer.Tokenizer:
    """A tokenizer whose added tokens have every flag."""
    vocabulary = {"x": 0} | {token["content"]: token["id"] for token in FLAGS}
    return both(
        {"added_tokens": FLAGS, "normalizer": {"type": "Lowercase"},
         "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": "x"}}
    ).ours  # fmt: skip


@given(
    text=st.lists(st.sampled_from(["<l>", "<r>", "<w>", "<b>", " ", "  ", "AB", "ab", "x", "é"]), max_size=10).map(
        "".join
    )
)
@settings(max_examples=amount(150))
def test_every_flag_of_hugging_face(flagged: explorer.Tokenizer, text: str) -> None:
    check(flagged, text)
    check(flagged, text, name="partition-normalized")


def told(script: Script) -> list[str]:
    return [script.sentence(step) for step in range(1, len(script) + 1)]


def test_single_word_names_the_letter_that_touches(flagged: explorer.Tokenizer) -> None:
    said = told(check(flagged, "é<w>!"))
    assert (
        "“<w>” (3) is at index 1, but Hugging Face's single_word fails: é on its left. It counts only as a word of "
        "its own." in said
    )
    assert any(each.startswith("“<w>” is at index 1: a fragment of its own") for each in told(check(flagged, "!<w>!")))


def test_llama_cpp_walks_with_is_prev_special() -> None:
    script = check(bundled("llama-2"), "a<s>b")
    said = told(script)
    assert said[-3:] == [
        "RAW_TEXT “a”: llama.cpp's is_prev_special is true: ' ' is put in front, then it is false. It begins the text.",
        "TOKEN “<s>” (1): it is output, and llama.cpp's is_prev_special is true.",
        "RAW_TEXT “b”: llama.cpp's is_prev_special is true: ' ' is put in front, then it is false. A special token "
        "comes before it.",
    ]
    assert script.data["texts"][play(script).rows("values")[0][1]] == "true, then false"


@pytest.mark.parametrize("name", ["llama-2", "llama-3@llama.cpp"])
@given(text=WORDS)
@settings(max_examples=amount(25))
def test_every_token_is_counted_as_found_or_searched_in_vain(name: str, text: str) -> None:
    stage = bundled(name).trace(text).stage("partition")
    assert isinstance(stage.part, SpecialTokenPartition)
    found = {row.token for row in stage.events if row.kind == PartitionEvent.TOKEN}
    missing = sum(row.end for row in stage.events if row.kind == PartitionEvent.NOT_THERE)
    # a token of which another took a part is in the text, and yet not found
    assert len(found) + missing == len(stage.part.special_tokens)


def test_a_token_that_is_not_parsed_is_named() -> None:
    tok = bundled("llama-2")
    said = told(check(tok, "a<s>b", parse=False))
    assert "“<s>” (1) is at index 1, but “Recognize control tokens” is off: it stays text." in said


@pytest.mark.parametrize("model", ["gpt-2", "bert-uncased"])
def test_every_check_has_a_result_where_no_token_is_found(model: str) -> None:
    script = check(bundled(model), "no such token")
    rows = play(script).rows("search")
    assert rows
    assert all(script.data["texts"][row[1]] for row in rows.values())
