"""RWKV World's vocabulary as JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest

from explorer.errors import InputError
from explorer.formats import rwkv
from explorer.opening.formats import open_bytes
from tests.bundled import bundled
from tests.meaning import mentions


def as_json(tokens: tuple[bytes, ...]) -> dict[str, Any]:
    """The tokens of the ids from 1 on, as ChatRWKV's script writes them."""
    try_text = [(str(id), token, token.decode("utf-8", "replace")) for id, token in enumerate(tokens, 1)]
    return {id: text if text.encode() == token else list(token) for id, token, text in try_text}


@pytest.mark.parametrize("single_bytes", [True, False])
def test_the_json_form_gives_the_same_tokens(single_bytes: bool) -> None:
    pieces = bundled("rwkv-world").vocabulary.pieces
    file = as_json(pieces[1:])
    if not single_bytes:
        file = {id: token for id, token in file.items() if not 129 <= int(id) <= 256}
    data = json.dumps(file).encode()
    tok = open_bytes(data, "world.json", None)
    assert tok.vocabulary.pieces == pieces
    assert tok.encode("吾輩は猫である。").ids == [11080, 17065, 10139, 14398, 58552, 10080]
    says = [fact.says for fact in tok.facts]
    assert mentions(says, "65,043 of them are valid UTF-8, 486 are not: they cut a character apart.")
    assert mentions(says, "The five longest have 76, 76, 80, 80, 128 bytes (ids 65525, 65526, 65527, 65528, 65529).")
    assert not any("length after each token" in each for each in says), "JSON has no lengths"


@pytest.mark.parametrize(("file", "says"), [
    ({"257": ""}, "id 257: '' is neither text nor a list of bytes"),
    ({"257": [256]}, "id 257: [256] is neither"),
    ({"257": [True]}, "id 257: [True] is neither"),
    ({"257": 1.5}, "id 257: 1.5 is neither"),
    ({"01": "a"}, "'01' is not an id between 1 and 257"),
    ({"257": "ab", "259": "cd", "300": "x"}, "'300' is not an id between 1 and 259"),
    ({"1": "x", "257": "ab", "259": "cd"}, "the id 258 is missing"),
    ({"1": "a", "x": "b"}, "'x' is not an id"),
    ([], "not an object of ids and tokens"),
])  # fmt: skip
def test_what_is_wrong_is_named(file: object, says: str) -> None:
    with pytest.raises(InputError) as raised:
        rwkv.read_json(json.dumps(file).encode(), "bad.json")
    assert str(raised.value).startswith("bad.json: ")
    assert says in str(raised.value)
