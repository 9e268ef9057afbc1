"""tiktoken's ids, live: the same ranks file, the same text, the original beside ours."""

from __future__ import annotations

import base64

import pytest
import tiktoken
from hypothesis import given, settings

import explorer
from explorer.engine.patterns import CL100K_BASE
from explorer.errors import InputError
from explorer.formats.tiktoken_ranks import read
from explorer.implementations.tiktoken import ENCODINGS, RanksEncoding, from_ranks, ranks_tokenizer
from tests.originals.generators import strings, texts
from tests.originals.unicode_versions import settled

MODELS = ("cl100k_base", "o200k_base")


@pytest.fixture(scope="module", params=MODELS)
def pair(request: pytest.FixtureRequest) -> tuple[explorer.Tokenizer, tiktoken.Encoding]:
    model = explorer.catalog()[request.param]
    known = ENCODINGS[model.sha256]
    theirs = tiktoken.Encoding(
        known.name,
        pat_str=known.pattern.regex,
        mergeable_ranks=read(model.path),
        special_tokens=dict(known.special_tokens),
    )
    return explorer.load(request.param), theirs


def differences(ours: explorer.Tokenizer, theirs: tiktoken.Encoding, samples: list[str], parse: bool) -> list[object]:
    found: list[object] = []
    for text in samples:
        want = theirs.encode(text, allowed_special="all" if parse else set(), disallowed_special=())
        got = ours.encode(text, parse_special=parse).ids
        traced = ours.trace(text, parse_special=parse).ids
        if not got == traced == want:
            found.append((text, want, got, traced))
    return found


@pytest.mark.parametrize("parse", [True, False])
def test_ids_equal_the_originals_on_nasty_text(pair: tuple[explorer.Tokenizer, tiktoken.Encoding], parse: bool) -> None:
    samples = list(filter(settled, strings(seed=2, count=3_600)))
    assert len(samples) > 3_000
    assert differences(*pair, samples, parse) == []


@given(text=texts().filter(settled))
@settings(max_examples=150)
def test_ids_equal_the_originals_on_any_text(pair: tuple[explorer.Tokenizer, tiktoken.Encoding], text: str) -> None:
    assert differences(*pair, [text], True) == []


def test_the_text_comes_back_and_bytes_equal_the_originals(
    pair: tuple[explorer.Tokenizer, tiktoken.Encoding],
) -> None:
    ours, theirs = pair
    for text in strings(seed=3, count=1_000):
        ids = ours.encode(text).ids
        assert ours.decode(ids) == text
        assert ours.trace_decode(ids[1:]).data == theirs.decode_bytes(ids[1:])


def test_every_single_token_decodes_as_in_the_original(pair: tuple[explorer.Tokenizer, tiktoken.Encoding]) -> None:
    ours, theirs = pair
    for id in [*range(0, len(ours.vocabulary), 7), *theirs._special_tokens.values()]:
        if ours.vocabulary.pieces[id]:
            assert ours.trace_decode([id]).data == theirs.decode_single_token_bytes(id)
        else:
            with pytest.raises(KeyError):
                theirs.decode_single_token_bytes(id)
            with pytest.raises(InputError, match="is not in this vocabulary"):
                ours.decode([id])


def test_what_cannot_be_used_is_named() -> None:
    every_byte = b"".join(base64.b64encode(bytes([byte])) + b" %d\n" % byte for byte in range(256))
    with pytest.raises(InputError, match="none of those known here"):
        from_ranks(every_byte, "own.tiktoken")
    with pytest.raises(InputError, match="line 257"):
        from_ranks(every_byte + b"x\n", "own.tiktoken")
    encoding = RanksEncoding("own", CL100K_BASE, {"<|x|>": 300})
    assert ranks_tokenizer(read(every_byte), encoding, "own").encode("<|x|>a").ids == [300, 97]
    with pytest.raises(InputError, match="0x61 is no token"):
        ranks_tokenizer({k: v for k, v in read(every_byte).items() if k != b"a"}, encoding, "own")
    with pytest.raises(InputError, match="two tokens have the id 3"):
        ranks_tokenizer(read(every_byte), encoding._replace(special_tokens={"<|x|>": 3}), "own")
