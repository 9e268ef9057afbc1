"""Truncation and padding of a tokenizer.json against the original: every setting of both, on single texts."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Encoding, Tokenizer

import explorer
from explorer.engine.post_processors import LengthEvent
from explorer.errors import InputError
from explorer.facts import FactKind
from explorer.opening.formats import open_bytes
from explorer.script.script import window_of
from explorer.stages.decoders.losses import round_trip
from explorer.text.say import plain
from explorer.views.overview import Section, sections
from tests.originals.generators import strings
from tests.originals.hugging_face import whole
from tests.tiers import amount

LETTERS = "abcdefghij"
VOCAB = {ch: id for id, ch in enumerate(["[PAD]", "[CLS]", "[SEP]", *LETTERS, "Ġ"])}
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}


def template(*pieces: str) -> dict[str, Any]:
    """A template of special tokens around A."""
    slots = [
        {"Sequence": {"id": "A", "type_id": 0}} if piece == "A" else {"SpecialToken": {"id": piece, "type_id": 0}}
        for piece in pieces
    ]
    tokens = {piece: {"id": piece, "ids": [VOCAB[piece]], "tokens": [piece]} for piece in pieces if piece != "A"}
    return {"type": "TemplateProcessing", "single": slots, "pair": slots, "special_tokens": tokens}


POST: dict[str, Any] = {
    "nothing": None,
    "a template": template("[CLS]", "A", "[SEP]"),
    "a template that holds the text twice": template("[CLS]", "A", "[SEP]", "A"),
    "BERT's": {"type": "BertProcessing", "cls": ["[CLS]", 1], "sep": ["[SEP]", 2]},
    "RoBERTa's": {"type": "RobertaProcessing", "cls": ["[CLS]", 1], "sep": ["[SEP]", 2], "trim_offsets": True,
                  "add_prefix_space": False},
    "two": {"type": "Sequence", "processors": [BYTE_LEVEL, template("[CLS]", "A")]},
}  # fmt: skip


def content(truncation: object, padding: object, post: object = POST["a template"]) -> dict[str, Any]:
    added = [{"id": VOCAB[each], "content": each, "special": True} for each in ("[PAD]", "[CLS]", "[SEP]")]
    return whole({
        "model": {"type": "BPE", "vocab": VOCAB, "merges": []}, "pre_tokenizer": BYTE_LEVEL, "decoder": BYTE_LEVEL,
        "added_tokens": added, "truncation": truncation, "padding": padding, "post_processor": post,
    })  # fmt: skip


def pair(file: dict[str, Any]) -> tuple[explorer.Tokenizer, Tokenizer]:
    text = json.dumps(file)
    return open_bytes(text.encode(), "toy", None, {"pad_and_truncate": "yes"}), Tokenizer.from_str(text)


def truncation(longest: int, **more: object) -> dict[str, object]:
    return {"direction": "Right", "max_length": longest, "strategy": "LongestFirst", "stride": 0} | more


def padding(strategy: object, **more: object) -> dict[str, object]:
    asked = {"strategy": strategy, "direction": "Right", "pad_to_multiple_of": None, "pad_id": 0, "pad_type_id": 0}
    return asked | {"pad_token": "[PAD]"} | more


TRUNCATIONS = [
    None,
    *(
        truncation(longest, direction=direction, stride=stride, strategy=strategy)
        for longest, direction, (stride, strategy) in itertools.product(
            (0, 1, 2, 3, 5, 8), ("Left", "Right"), ((0, "LongestFirst"), (0, "OnlyFirst"), (1, "LongestFirst"))
        )
    ),
    {"max_length": 4, "strategy": "LongestFirst", "stride": 0},
]
PADDINGS = [
    None,
    *(
        padding(strategy, direction=direction, pad_to_multiple_of=multiple)
        for strategy, direction, multiple in itertools.product(
            ("BatchLongest", {"Fixed": 0}, {"Fixed": 7}), ("Left", "Right"), (None, 0, 4)
        )
    ),
    padding({"Fixed": 5}, pad_id=3, pad_type_id=7, pad_token="[x]"),
]
TEXTS = ["", "a", "ab", "a b", "abcde", " abc  def ", "[CLS]ab[SEP]c", "abcdefghij" * 3]


def encoded(theirs: Tokenizer, text: str, add_special: bool = True) -> Encoding | None:
    """The original's encoding; None if the stride is too large, or if the second text to truncate is missing."""
    try:
        return theirs.encode(text, add_special_tokens=add_special)
    except BaseException as error:  # a Rust panic is not an Exception
        if "stride" not in str(error) and "Second sequence" not in str(error):
            raise
        return None


def same(ours: explorer.Tokenizer, theirs: Tokenizer, text: str, add_special: bool) -> None:
    """Asserts equal ids and offsets, traced and untraced, and an error where the original raises one."""
    want = encoded(theirs, text, add_special)
    if want is None:
        with pytest.raises(InputError, match=r"overlap|second text"):
            ours.encode(text, add_special=add_special)
        return
    encoding = ours.encode(text, add_special=add_special)
    assert encoding.ids == ours.trace(text, add_special=add_special).ids == want.ids
    assert [span or (0, 0) for span in encoding.spans] == want.offsets
    assert ours.decode(want.ids, remove_special=False) == theirs.decode(want.ids, skip_special_tokens=False)


@pytest.mark.sample(2)
@pytest.mark.parametrize("post", POST)
def test_every_setting_matches_the_original(post: str) -> None:
    some = [*itertools.product(TRUNCATIONS, (None, PADDINGS[-2])), *itertools.product(TRUNCATIONS[-2:], PADDINGS)]
    for cut, fill in some:
        ours, theirs = pair(content(cut, fill, POST[post]))
        for text in TEXTS:
            for add_special in (True, False):
                same(ours, theirs, text, add_special)


@given(
    longest=st.integers(0, 40),
    stride=st.integers(0, 9),
    left=st.booleans(),
    length=st.none() | st.integers(0, 40),
    text=st.text(LETTERS + " ", max_size=60),
    multiple=st.none() | st.integers(0, 9),
)
@settings(max_examples=amount(200))
def test_random_lengths_match_the_original(
    longest: int, stride: int, left: bool, length: int | None, text: str, multiple: int | None
) -> None:
    direction = "Left" if left else "Right"
    fill = padding("BatchLongest" if length is None else {"Fixed": length}, pad_to_multiple_of=multiple)
    ours, theirs = pair(content(truncation(longest, stride=stride, direction=direction), fill))
    for add_special in (True, False):
        same(ours, theirs, text, add_special)


def test_the_bundled_file_with_its_own_truncation_and_padding() -> None:
    theirs = Tokenizer.from_file(str(explorer.catalog()["bert-uncased"].path))
    ours = explorer.load("bert-uncased", pad_and_truncate="yes")
    for text in strings(seed=51, count=400):
        encoding, want = ours.encode(text), theirs.encode(text)
        assert encoding.ids == want.ids
        assert len(encoding.ids) == 128
        assert [span or (0, 0) for span in encoding.spans] == want.offsets
        assert encoding.tokens == ours.trace(text).encoding.tokens
        # decoding drops the padding along with the added tokens
        assert ours.decode(want.ids) == theirs.decode(
            want.ids[1 : sum(want.attention_mask) - 1], skip_special_tokens=False
        )


@pytest.mark.long
def test_the_number_of_overflowing_parts_matches_the_original() -> None:
    for cut, text in itertools.product(TRUNCATIONS[1:], TEXTS):
        ours, theirs = pair(content(cut, None))
        original = encoded(theirs, text)
        if original is None:
            continue
        want = len(original.overflowing)
        said = section(ours, text, "truncate")
        reported = 0 if said.startswith("Changed nothing") else int(said.split(" further part")[0].split()[-1])
        assert reported == want, (cut, text)


def test_only_second_fails_without_a_second_text() -> None:
    ours, theirs = pair(content(truncation(4, strategy="OnlySecond"), None))
    same(ours, theirs, "ab", True)
    same(ours, theirs, "abcd", True)


# --- the choice pad_and_truncate -----------------------------------------------------------------------------------


def test_truncation_and_padding_are_off_unless_chosen() -> None:
    plain_file, asks = content(None, None), content(truncation(4), padding({"Fixed": 9}))
    default = open_bytes(json.dumps(asks).encode(), "toy", None)
    bare = open_bytes(json.dumps(plain_file).encode(), "toy", None)
    for text in TEXTS:
        assert default.encode(text) != pair(asks)[0].encode(text)
        assert default.encode(text).ids == bare.encode(text).ids
    assert [each.says for each in default.choosable] == ["pad_and_truncate = no (or yes)"]
    assert [each.chosen for each in pair(asks)[0].choosable] == ["yes"]
    assert bare.choosable == ()
    assert open_bytes(json.dumps(plain_file).encode(), "toy", None, {"pad_and_truncate": "yes"}).choosable == ()


def test_facts_about_truncation_and_padding() -> None:
    asks = content(truncation(4, stride=1), padding({"Fixed": 9}))
    facts = {fact.place: fact for fact in open_bytes(json.dumps(asks).encode(), "toy", None).facts}
    assert facts["truncation"].kind == facts["padding"].kind == FactKind.WARNING
    assert facts["truncation"].says == (
        "The file cuts a text to 4 tokens, including 2 added ones, at its end. The parts that are cut off overlap by "
        "1. tokenizers always does this; here, as in transformers, only if you choose pad_and_truncate=yes."
    )
    assert facts["padding"].says.startswith("The file fills a text up to 9 tokens with [PAD] (0), after it. ")
    chosen = {fact.place: fact for fact in pair(asks)[0].facts}
    assert chosen["truncation"].kind == chosen["padding"].kind == FactKind.USED
    other = content(None, padding("BatchLongest", pad_id=3))
    said = [fact.says for fact in open_bytes(json.dumps(other).encode(), "toy", None).facts if fact.topic == "padding"]
    assert said[1] == "The padding token is called [PAD], but its id 3 is a."


def section(tok: explorer.Tokenizer, text: str, key: str, **options: bool) -> str:
    trace = tok.trace(text, **options)
    found: dict[str, Section] = {
        each.key: each for each in sections(tok, trace, round_trip(tok, trace), window_of(trace))
    }
    said = found[key].result
    assert said is not None
    return plain(said)


def test_the_stages_report_what_they_did() -> None:
    tok, _ = pair(content(truncation(5, stride=1), padding({"Fixed": 7})))
    assert [part.name for part in tok.parts][-4:] == ["model", "truncate", "post-process", "pad"]
    assert section(tok, "abcdef", "truncate") == (
        "3 tokens are cut off at the end: the text has 6, and 3 have room besides the 2 added. tokenizers returns "
        "the rest as 2 further parts that overlap by 1 token; they are not among these ids."
    )
    assert section(tok, "ab", "truncate") == (
        "Changed nothing: the text has 2 tokens, and 3 have room besides the 2 added."
    )
    assert section(tok, "ab", "pad") == "With 3 tokens “[PAD]” (0) at the end, the text has 7 tokens."
    trace = tok.trace("abcdef")
    assert [(row.kind, row.start, row.end) for row in trace.stage("truncate").events] == [(LengthEvent.CUT, 3, 6)]
    assert [(row.kind, row.start, row.end) for row in trace.stage("pad").events] == [(LengthEvent.FILLED, 5, 7)]
    assert "Truncation cut off 3" in section(tok, "abcdef", "decode")
    short, _ = pair(content(truncation(1), padding("BatchLongest", pad_to_multiple_of=2)))
    assert section(short, "ab", "truncate").startswith("Changed nothing: 1 token is allowed and 2 are added, so the")
    assert section(short, "ab", "pad") == (
        "Changed nothing: a single text is the longest of its batch, and its length is a multiple of 2."
    )
    assert section(short, "abc", "pad") == "With 1 token “[PAD]” (0) at the end, the text has 6 tokens."


@pytest.mark.parametrize(
    ("part", "value", "wrong"),
    [
        ("truncation", 5, "truncation is 5, not an object"),
        ("truncation", {"max_length": 5}, "truncation.strategy is missing"),
        ("truncation", truncation(5, stride=None), "truncation.stride is None"),
        ("truncation", truncation(5, stride=True), "truncation.stride is True"),
        ("truncation", truncation(-1), "truncation.max_length is -1"),
        (
            "truncation",
            truncation(5, direction="left"),
            "truncation.direction is 'left' but should be one of Left, Right",
        ),
        ("truncation", truncation(5, strategy="all"), "truncation.strategy is 'all'"),
        ("padding", padding("Longest"), "padding.strategy is 'Longest'"),
        ("padding", padding({"Fixed": -1}), "padding.strategy.Fixed is -1"),
        ("padding", padding({}), "padding.strategy is {}"),
        ("padding", padding("BatchLongest", pad_id=-1), "padding.pad_id is -1"),
        ("padding", padding("BatchLongest", pad_token=None), "padding.pad_token is None"),
        ("padding", padding("BatchLongest", pad_type_id="0"), "padding.pad_type_id is '0'"),
    ],
)
def test_settings_the_original_refuses_are_refused(part: str, value: object, wrong: str) -> None:
    file = json.dumps(content(None, None) | {part: value})
    with pytest.raises(Exception, match=r"invalid|missing|expected|unknown variant"):
        Tokenizer.from_str(file)
    with pytest.raises(InputError) as caught:
        open_bytes(file.encode(), "bad.json", None)
    assert str(caught.value).startswith(f"bad.json: {wrong}")


@pytest.mark.parametrize("fill", [padding({"Fixed": 10**9}), padding("BatchLongest", pad_to_multiple_of=10**9)])
def test_padding_has_a_limit(fill: dict[str, object]) -> None:
    with pytest.raises(InputError, match="fills every text to more than 1000000 tokens"):
        pair(content(None, fill))


def test_impossible_settings_are_refused() -> None:
    with pytest.raises(InputError, match=r"padding\.pad_id is 99, but the last id is 13"):
        pair(content(None, padding("BatchLongest", pad_id=99)))
    with pytest.raises(InputError, match="pad_and_truncate is 'maybe'; known answers are no, yes"):
        explorer.load("bert-uncased", pad_and_truncate="maybe")
