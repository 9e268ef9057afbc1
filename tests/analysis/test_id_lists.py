"""Pasted ids in any notation."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.analysis.inputs import ANY, read_ids
from explorer.errors import InputError

WRITTEN = [
    "1 1724 338",
    "1,1724,338",
    " 1;1724;\t338 ",
    "1\n1724\r\n338\n",
    "[1, 1724, 338]",
    "[[1, 1724, 338]]",
    "(1, 1724, 338,)",
    "{1, 1724, 338}",
    "'1', '1724', '338'",
    '["1", "1724", "338"]',
    "“1” “1724” “338”",
    "`1 1724 338`",
    "[   1 1724  338]",
    "array([   1, 1724,  338])",
    "array([   1, 1724,  338], dtype=int32)",
    "np.array([1, 1724, 338], dtype=np.int64)",
    "[np.int64(1), np.int64(1724), np.int64(338)]",
    "[1., 1724., 338.]",
    "[1.0 1724.0 338.0]",
    "tensor([   1, 1724,  338])",
    "tensor([[   1, 1724,  338]], device='cuda:0')",
    "tensor([[1, 1724, 338]], device='cuda:0', dtype=torch.int32)",
    "torch.LongTensor([1, 1724, 338])",
    "<tf.Tensor: shape=(1, 3), dtype=int32, numpy=array([[   1, 1724,  338]], dtype=int32)>",
    "tf.Tensor([[   1 1724  338]], shape=(1, 3), dtype=int32)",
    "{'input_ids': [1, 1724, 338], 'attention_mask': [1, 1, 1]}",
    "{'attention_mask': tensor([[1, 1]]), 'input_ids': tensor([[1, 1724, 338]])}",
    '{"input_ids": [[1, 1724, 338]], "token_type_ids": [[0, 0, 0]]}',
    '{"tokens":[1,1724,338]}',
    '{"tokens":[{"id":1,"piece":"<s>"},{"id":1724,"piece":"What 7"},{"id":338,"piece":"is"}]}',
    "ids = [1, 1724, 338]",
    "     1 -> '<s>'\n  1724 -> ' What'\n   338 -> ' is'",
    "1: '<s>'\n1724: ' 12'\n338: ' is'",
    "     1 -> '<s>'\n  1724 -> '\n'\n   338 -> ' 5 -> '",
    "[ '<s>':1, ' What':1724, ' is':338 ]",
    "['<s>':1, ', ':1724, ' 2]':338]",
    "(3) [1, 1724, 338]",
    "Array(3) [ 1, 1724, 338 ]",
    "Array(3) [1,\n  1724,\n  338]",
    "{input_ids: Array(3) [1, 1724, 338], attention_mask: Array(3) [1, 1, 1]}",
    "Uint32Array(3) [1, 1724, 338]",
    "BigInt64Array(3) [1n, 1724n, 338n]",
    "new Int32Array([1, 1724, 338])",
    "array('i', [1, 1724, 338])",
    "std::vector<int>{1, 1724, 338}",
    "std::array<int, 3>{1, 1724, 338}",
    "std::vector<llama_token> tokens = {1, 1724, 338};",
    "vec![1, 1724, 338]",
    "let ids = [1u32, 1724, 338];",
    "&[1, 1724, 338]",
    "[1L, 1724L, 338L]",
    "- 1\n- 1724\n- 338\n",
    "input_ids:\n  - 1\n  - 1724\n  - 338",
    "0: 1\n1: 1724\n2: 338",
    "0: 1\n1: 1724\n2: 338\nlength: 3\n[[Prototype]]: Array(0)",
    '{"0": 1, "1": 1724, "2": 338}',
    "1，1724，338",
    "\ufeff[1, 1724, 338]",
    "[1, 1724, 338]  # 3 tokens",
    "1, // the first\n1724, // the 2nd\n338 // and the last",
    "[1, 1724, # 2 of 3\n 338]",
]


@pytest.mark.parametrize("text", WRITTEN)
def test_notations_for_ids(text: str) -> None:
    assert read_ids(text) == [1, 1724, 338]


@pytest.mark.parametrize("text", ["[]", " [ ] ", "()", "tensor([], dtype=torch.int64)", "[[]]", '{"input_ids": []}'])
def test_an_empty_list_has_no_ids(text: str) -> None:
    assert read_ids(text) == []


def test_a_number_larger_than_any_id_is_read_where_a_vocabulary_is_asked() -> None:
    assert read_ids(f"[1, {2**31}, {10**1999}]", ANY) == [1, 2**31, 10**1999]
    with pytest.raises(InputError, match="larger than any id"):
        read_ids(str(10**2001), ANY)


BAD = [
    ("", "no ids"),
    ("# [1]", "no ids"),
    ("#1 #2", "“#1” is not an id"),
    ("1: 5\n2: 6", "“1:” is not an id"),
    ("- 1\n2", "“-” is not an id"),
    ("[1, one, 3]", "id number 2: “one” is not an id"),
    ("1 2.5", "id number 2: “2.5” is not an id"),
    ("1 -2", "id number 2: -2 is negative"),
    ("1 -100", "ignored labels"),
    ("[1 2 ... 9]", "was shortened"),
    ("[1, 99999999999]", "id number 2: 99999999999 is larger than any id"),
    ("2147483648", "larger than any id"),
    ("1 ２", "id number 2: “２” is not an id"),
    ("0x1F", "“0x1F” is not an id"),
    ("__import__('os')", "is not an id"),
    ("1\x00 2", "“1␀” is not an id"),
]


@pytest.mark.parametrize(("text", "says"), BAD)
def test_a_word_that_is_not_an_id_is_reported_with_its_position(text: str, says: str) -> None:
    with pytest.raises(InputError) as caught:
        read_ids(text)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.long
def test_a_hundred_thousand_ids() -> None:
    ids = list(range(100_000))
    for text in (json.dumps(ids), " ".join(map(str, ids)), f"array({ids})", "\n".join(f"{id} -> 'x'" for id in ids)):
        assert read_ids(text) == ids


@given(
    st.lists(st.integers(0, 2**31 - 1), min_size=1), st.sampled_from((repr, json.dumps, lambda ids: f"tensor({ids})"))
)
def test_written_ids_are_read(ids: list[int], write: object) -> None:
    assert callable(write)
    assert read_ids(write(ids)) == ids


def outcome(text: str) -> list[int] | str:
    """The ids of a text, or the error."""
    try:
        return read_ids(text)
    except InputError as error:
        return str(error)


@given(st.text())
def test_any_text_gives_ids_or_a_one_line_error(text: str) -> None:
    found = outcome(text)
    assert "\n" not in found if isinstance(found, str) else found
