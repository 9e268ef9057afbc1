"""Streams: what they hold back, what is marked, and bounds; every text against the whole decoder's."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import explorer
from explorer.analysis.streaming import STRETCH, MarkKind, Method, ShownText, Windows, aligned
from explorer.errors import InputError
from tests.analysis.streaming.test_originals import LLAMA, TEXTS, lists
from tests.bundled import bundled
from tests.originals.hugging_face import both
from tests.tiers import amount

MODELS = (
    "llama-2",
    "mistral-v1",
    "gpt-2",
    "bert-uncased",
    "rwkv-world",
    "o200k_base",
    "xlm-r",
    "gpt-2@llama.cpp",
    "bert-uncased@llama.cpp",
)
HUGGING = [15043, 29871, 243, 162, 167, 154, 274, 28059]
"""“Hello 🤗 café” with Llama 2."""


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", [*MODELS, "toy"])
def test_a_window_is_what_its_ids_decode_to(name: str) -> None:
    """Stretches that grow by one id at a time, which are not decoded anew, against each decoded alone."""
    tok = both(LLAMA).ours if name == "toy" else bundled(name)
    choose = random.Random(1)
    for unparse_special in (True, False):
        joins = [
            tok.encode(text, add_special=False).ids
            for text in ("a ' b 's , ' ' ' s", "he 're ' ' . ! x 've", "🤗 's 🤗'🤗 , 𝄞")
        ]
        for ids in [*joins, *lists(tok, 5, amount(60))]:
            ids = (ids * 20)[: 20 * STRETCH]
            windows, start = Windows(tok, ids, unparse_special), choose.randrange(1 + len(ids) // 2)
            for stop in range(start, len(ids) + 1):
                want = tok.decode(ids[start:stop], remove_special=False, unparse_special=unparse_special)
                assert windows.text(start, stop) == want, (ids, start, stop)


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", [*MODELS, "toy"])
def test_the_whole_decoder_shows_what_decode_gives_and_each_id_alone_too(name: str) -> None:
    tok = both(LLAMA).ours if name == "toy" else bundled(name)
    for ids in lists(tok, 6, amount(60)):
        stream = explorer.stream(tok, ids)
        assert stream.text == tok.decode(ids, remove_special=False)
        for stop in range(1, len(ids) + 1):
            assert stream.text_of("whole", stop) == tok.decode(ids[:stop], remove_special=False)
        assert stream.text_of("alone") == "".join(tok.decode([id], remove_special=False) for id in ids)


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", [*MODELS, "toy"])
def test_marks_turn_a_methods_text_into_the_whole_text(name: str) -> None:
    """What is lost and added, counted over all steps, is the difference in length; a text without marks is right."""
    tok = both(LLAMA).ours if name == "toy" else bundled(name)
    for ids in lists(tok, 8, amount(60)):
        stream = explorer.stream(tok, ids)
        for method in stream.methods[1:]:
            marks = [mark for each in stream.shown(method) for mark in each.marks]
            text = stream.text_of(method)
            if not marks:
                assert text == stream.text
            if text != stream.text:
                assert marks
            lost = sum(len(each.text) for each in marks if each.kind.endswith("lost"))
            added = sum(len(each.text) for each in marks if each.kind.endswith(("added", "doubled")))
            early = sum(len(each.text) for each in marks if each.kind == MarkKind.EARLY)
            # an early U+FFFD is added, or takes the place of one character
            assert -early <= len(stream.text) - lost + added - len(text) <= 0, (method, ids)


def test_what_is_held_back_is_what_has_come_and_is_not_shown() -> None:
    tok = bundled("llama-2")
    stream = explorer.stream(tok, HUGGING)
    for method in (Method.LLAMA_CPP, Method.VLLM, Method.TOKENIZERS, Method.TIKTOKEN):
        held = [each.held for each in stream.shown(method)]
        assert held == [b"", b"", b"\xf0", b"\xf0\x9f", b"\xf0\x9f\xa4", b"", b"", b"", b""], method


def test_sglang_shows_words_and_ideographs_of_a_text_that_is_not_complete() -> None:
    tok = both(LLAMA).ours
    # " a" and an incomplete character after it: the word is shown, and at the end the character as U+FFFD
    stream = explorer.stream(tok, [3, 7 + 0xF0, 7 + 0x9F], methods=["sglang", "vllm"])
    assert [each.text for each in stream.shown("sglang")] == ["a", "", "", "\ufffd\ufffd"]
    assert stream.text_of("vllm") == "a"
    assert stream.right == ("sglang",)


def test_each_id_alone_loses_spaces_and_shows_replacements_too_early() -> None:
    stream = explorer.stream(bundled("llama-2"), HUGGING)
    marks = [[mark.kind for mark in each.marks] for each in stream.shown("alone")]
    early = [MarkKind.EARLY]
    assert marks == [[], [MarkKind.SPACE_LOST], early, early, early, early, [MarkKind.SPACE_LOST], [], []]
    assert stream.text_of("alone") == "Hello\ufffd\ufffd\ufffd\ufffdcafé"


def test_bytes_keep_the_space_that_decoding_a_whole_text_drops() -> None:
    stream = explorer.stream(bundled("llama-2"), HUGGING)
    (mark,) = stream.steps[0].shown[stream.index("whole")].marks
    assert mark.kind == MarkKind.SPACE_LOST
    assert stream.kinds_of("llama.cpp") == [MarkKind.SPACE_ADDED]


def test_a_line_break_makes_the_text_streamer_lose_the_next_space() -> None:
    tok = both(LLAMA).ours
    stream = explorer.stream(tok, [3, 6, 3, 4])
    assert (stream.text, stream.text_of("transformers")) == ("a\n ab", "a\nab")
    assert stream.kinds_of("transformers") == [MarkKind.SPACE_LOST]


def test_bert_takes_back_nothing_but_llama_cpps_clean_up_does() -> None:
    stream = explorer.stream(bundled("gpt-2@llama.cpp"), bundled("gpt-2").encode("Hello , world").ids)
    assert stream.text == "Hello, world"
    assert MarkKind.SPACE_ADDED in stream.kinds_of("llama.cpp")


@pytest.mark.parametrize("name", ["gpt-2", "llama-3", "qwen2.5"])
def test_methods_that_hold_back_are_right_on_texts_of_byte_level_models(name: str) -> None:
    for text in TEXTS:
        stream = explorer.stream(bundled(name), bundled(name).encode(text, add_special=False).ids)
        assert stream.text == text
        held = set(Method) - {Method.WHOLE, Method.ALONE}
        assert held <= set(stream.right) or "\ufffd" in text


def test_vllms_pieces_end_where_a_text_does() -> None:
    """What `detokenize_incrementally` promises: no piece ends in U+FFFD, and on a text of the model nothing is lost."""
    for name in ("gpt-2", "llama-2", "mistral-v1"):
        for ids in lists(bundled(name), 9, amount(100)):
            stream = explorer.stream(bundled(name), ids, methods=["vllm"])
            assert not any(each.text.endswith("\ufffd") for each in stream.shown("vllm"))


@given(st.text("a b\ufffd🤗", max_size=8), st.text("a b🤗", max_size=8), st.booleans())
@settings(max_examples=amount(800), deadline=None)
def test_an_alignment_has_both_texts_and_no_cheaper_one_exists(piece: str, wanted: str, open_end: bool) -> None:
    pairs, used = aligned(piece, wanted, open_end)
    assert "".join(shown for shown, _ in pairs) == piece
    assert "".join(meant for _, meant in pairs) == wanted[:used]
    assert open_end or used == len(wanted)
    assert all(shown in (meant, "", "\ufffd") or not meant for shown, meant in pairs)
    cost = sum(shown != meant for shown, meant in pairs)
    ends = range(len(wanted) + 1) if open_end else [len(wanted)]
    assert cost == min(_distance(piece, wanted[:end]) for end in ends)


def _distance(one: str, other: str) -> int:
    if not one or not other:
        return len(one) + len(other)
    choices = [_distance(one[1:], other) + 1, _distance(one, other[1:]) + 1]
    if one[0] == other[0]:
        choices.append(_distance(one[1:], other[1:]))
    elif one[0] == "\ufffd":
        choices.append(_distance(one[1:], other[1:]) + 1)
    return min(choices)


def test_a_doubled_space_and_an_added_one() -> None:
    assert [each.kind for each in ShownText("a b").show("a  b", 3, False)] == [MarkKind.SPACE_DOUBLED]
    assert [each.kind for each in ShownText("ab").show("a b", 2, False)] == [MarkKind.SPACE_ADDED]


@pytest.mark.parametrize(
    ("ids", "asked"),
    [
        ([1] * 10_001, {}),
        ([10**9], {}),
        ([-1], {}),
        ("1", {}),
        ([1], {"methods": ["exo"]}),
        ([1], {"unparse_special": 1}),
    ],
)
def test_what_cannot_be_streamed_is_one_error(ids: list[int], asked: dict[str, object]) -> None:
    with pytest.raises(InputError) as raised:
        explorer.stream(bundled("llama-2"), ids, **asked)  # type: ignore[arg-type]  # wrong on purpose
    assert "\n" not in str(raised.value)


def test_an_empty_stream() -> None:
    stream = explorer.stream(bundled("llama-2"), [])
    assert (stream.text, stream.steps, stream.right) == ("", (), tuple(Method))


@pytest.mark.parametrize("name", ["llama-2", "gpt-2", "mistral-v1"])
def test_ten_thousand_ids_are_within_the_budget(name: str) -> None:
    tok = bundled(name)
    ids = (tok.encode("Hello 🤗 café, what is LoRA? " * 1_500, add_special=False).ids)[:10_000]
    assert len(explorer.stream(tok, ids).steps) == 10_000


@pytest.mark.long
@pytest.mark.parametrize("name", ["gpt-2", "gpt-2@llama.cpp", "llama-2"])
def test_ten_thousand_parts_of_characters_are_within_the_budget(name: str) -> None:
    """No id is text on its own, so nothing is settled by a whole character."""
    tok = bundled(name)
    part = tok.encode("🤗", add_special=False).ids[-1]
    assert len(explorer.stream(tok, [part] * 10_000).steps) == 10_000
