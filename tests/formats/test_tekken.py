"""Reading tekken.json, with one clear error for anything else."""

from __future__ import annotations

import json
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

import explorer
from explorer.errors import InputError
from explorer.formats import tekken
from explorer.formats.tekken import looks_like, read
from explorer.opening.sources import HEAD
from tests.fuzz.seeds import tekken_json

NAMED = [{"rank": 0, "token_str": "<unk>", "is_control": True}, {"rank": 1, "token_str": "<s>", "is_control": True}]


def content(*, special: Any = (*NAMED,), drop: str = "", **config: Any) -> dict[str, Any]:
    """A small file. `drop`: a key to leave out; `config`: settings to override."""
    whole = tekken_json(3, [dict(each) if isinstance(each, dict) else each for each in special] if special else special)
    whole["config"] |= config
    return {key: value for key, value in whole.items() if key != drop}


def written(whole: Any) -> bytes:
    return json.dumps(whole).encode()


def with_entry(index: int, **entry: Any) -> dict[str, Any]:
    whole = content()
    whole["vocab"][index] |= entry
    return whole


def test_the_file_is_read() -> None:
    file = read(written(content()), "toy")
    assert (file.version, file.named, file.beyond) == ("v3", 2, 1)
    assert file.special_tokens == ("<unk>", "<s>", *(f"<SPECIAL_{id}>" for id in range(2, 30)))
    assert (file.ranks[b"\0"], file.ranks[b"\xff"], file.ranks[b"th"]) == (0, 255, 256)
    assert file.unused == ("image",)


def test_old_files_name_no_special_tokens() -> None:
    file = read(written(content(drop="special_tokens")), "toy")
    assert file.named == 0
    assert file.special_tokens[:3] == ("<unk>", "<s>", "</s>")
    assert file.special_tokens[19:21] == ("[TOOL_CONTENT]", "<SPECIAL_20>")


BAD: list[tuple[Any, str]] = [
    ([], "the object 'config' is missing"),
    (content(drop="config"), "the object 'config' is missing"),
    (content(drop="vocab"), "vocab has no tokens"),
    (content() | {"vocab": content()["vocab"][:100]}, "vocab has 100 tokens, but config asks for 264"),
    (content(version=3), "config.version is 3, not v and a number"),
    (content(version="v3.1"), "config.version is 'v3.1'"),
    (content(pattern=None), "config.pattern is None, not a regular expression"),
    (content(default_vocab_size=True), "config.default_vocab_size is True, not a whole number"),
    (content(default_vocab_size=10**12), "but config asks for 999999999970"),
    (content(default_vocab_size=30), "but config asks for 0 (at least 256)"),
    (content(default_num_special_tokens=-1), "default_num_special_tokens is -1, not a whole number"),
    (content(default_num_special_tokens=10**9, default_vocab_size=10**9 + 264), "but at most 100000 are read"),
    (content(version="v11", drop="special_tokens"), "special_tokens is None, not a list"),
    (content() | {"special_tokens": 7}, "special_tokens is 7, not a list"),
    (content(special=(NAMED[1],)), "special_tokens[0] has no token_str with rank 0"),
    (content(special=(7,)), "special_tokens[0] has no token_str"),
    (content(special=(NAMED[0], NAMED[0] | {"rank": 1})), "special tokens 0 and 1 are both '<unk>'"),
    (content(special=(NAMED[0] | {"token_str": "<SPECIAL_9>"},)), "special tokens 0 and 9 are both '<SPECIAL_9>'"),
    (content(default_num_special_tokens=1, default_vocab_size=265), "2 special tokens, but config allows 1"),
    (with_entry(260, rank=7), "vocab[260] has no rank 260"),
    (with_entry(260, token_bytes="!"), "vocab[260] has no rank 260 and bytes in base64"),
    (with_entry(260, token_bytes="\ufeff"), "vocab[260] has no rank 260 and bytes in base64"),
    (with_entry(260, token_bytes=[]), "vocab[260] has no rank 260 and bytes in base64"),
    (with_entry(260, token_bytes=""), "vocab[260] has no rank 260 and bytes in base64"),
    (content() | {"vocab": [7] * 300}, "vocab[0] has no rank 0"),
    (with_entry(65, token_bytes="QUE="), "vocab[65] is not the byte 65"),
    (with_entry(260, token_bytes=b64encode(b"th").decode()), "vocab[260] is the same token as vocab[256]"),
]


@pytest.mark.parametrize(("whole", "says"), BAD, ids=range(len(BAD)))
def test_errors_name_the_key(whole: Any, says: str) -> None:
    with pytest.raises(InputError) as caught:
        read(written(whole), "toy")
    assert str(caught.value).startswith("toy: ")
    assert says in str(caught.value)


def test_a_truncated_file_is_not_json() -> None:
    with pytest.raises(InputError, match=r"toy: .*JSON"):
        read(written(content())[:-100], "toy")


def test_the_first_bytes_identify_the_format() -> None:
    whole = content()
    assert looks_like(written(whole))
    assert looks_like(b"\xef\xbb\xbf\n" + json.dumps(whole, indent=4).encode())
    assert looks_like(written({"vocab": whole["vocab"]} | whole)[:4096])
    assert not looks_like(b'{"version": "1.0", "model": {}}')
    assert not looks_like(b'{"config": {"name": "a"}, "pattern": ""}')
    assert not looks_like(b'"token_bytes"')


@pytest.mark.parametrize("first", ["pattern", "version", "num_vocab_tokens"])
def test_a_long_pattern_does_not_hide_the_format(first: str, tmp_path: Path) -> None:
    whole = content()
    config = whole["config"] | {"pattern": f"{whole['config']['pattern']}|[{'a' * 4_200}]"}
    config = {first: config.get(first, 1), "pattern": config["pattern"]} | config
    data = written({"config": config} | {key: value for key, value in whole.items() if key != "config"})
    assert b'"token_bytes"' not in data[:HEAD]
    assert looks_like(data[:HEAD])
    (tmp_path / "tekken.json").write_bytes(data)
    assert explorer.load(tmp_path / "tekken.json").implementation == "mistral-common"


def test_names_for_unnamed_special_tokens_are_unique() -> None:
    assert len(set(tekken.UNNAMED)) == len(tekken.UNNAMED) == 20
