"""tiktoken's ids, live: the same ranks file and text in the original and here."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
import tiktoken
import tiktoken_ext.openai_public
from hypothesis import given, settings

import explorer
from explorer.engine.pre_tokenizers.patterns import CL100K_BASE
from explorer.engine.unicode.byte_map import bytes_of
from explorer.errors import ChoiceNeeded, InputError
from explorer.facts import FactKind
from explorer.formats import tokenizer_json
from explorer.formats.tiktoken_ranks import read
from explorer.implementations.tiktoken import as_published, from_ranks, likeliest, ranks_tokenizer
from explorer.implementations.tiktoken.encodings import ENCODINGS, RanksEncoding
from tests.bundled import bundled
from tests.originals.generators import strings, texts
from tests.tiers import amount

MODELS = ("cl100k_base", "o200k_base")


@pytest.fixture(scope="module", params=MODELS)
def pair(request: pytest.FixtureRequest) -> tuple[explorer.Tokenizer, tiktoken.Encoding]:
    model = explorer.catalog()[request.param]
    known = ENCODINGS[request.param]
    theirs = tiktoken.Encoding(
        known.name,
        pat_str=known.pattern.regex,
        mergeable_ranks=read(model.path),
        special_tokens=dict(known.special_tokens),
    )
    return bundled(request.param), theirs


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
    samples = strings(seed=2, count=3_600)
    assert len(samples) > amount(3_000)
    assert differences(*pair, samples, parse) == []


@given(text=texts())
@settings(max_examples=amount(150))
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


# --- other ranks ---------------------------------------------------------------------------------------------------


def ranks_of(model: str, drop: str = "") -> dict[bytes, int]:
    """The pieces of a bundled tokenizer.json as ranks, which they were before."""
    vocab = tokenizer_json.read(explorer.catalog()[model].path).model["vocab"]
    found = {bytes_of(piece): id for piece, id in vocab.items() if piece != drop}
    return {piece: id for piece, id in found.items() if piece is not None}


@pytest.fixture(scope="module")
def r50k() -> dict[bytes, int]:
    return ranks_of("gpt-2", drop="<|endoftext|>")


@pytest.fixture(scope="module")
def own(r50k: dict[bytes, int]) -> dict[bytes, int]:
    """Ranks that nobody knows, with gaps."""
    return {piece: rank * 2 for piece, rank in r50k.items() if rank < 3_000}


def original(ranks: dict[bytes, int], encoding: RanksEncoding) -> tiktoken.Encoding:
    return tiktoken.Encoding(
        encoding.name, pat_str=encoding.pattern.regex, mergeable_ranks=ranks,
        special_tokens=dict(encoding.special_tokens),
    )  # fmt: skip


@pytest.mark.parametrize("name", tiktoken_ext.openai_public.ENCODING_CONSTRUCTORS)
def test_encodings_are_those_of_tiktoken(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str | None] = []

    def no_download(url: str, expected_hash: str | None = None) -> dict[bytes, int]:
        asked.append(expected_hash)
        return {}

    monkeypatch.setattr(tiktoken_ext.openai_public, "load_tiktoken_bpe", no_download)
    monkeypatch.setattr(tiktoken_ext.openai_public, "data_gym_to_mergeable_bpe_ranks", lambda **files: {})
    theirs, ours = tiktoken_ext.openai_public.ENCODING_CONSTRUCTORS[name](), ENCODINGS[name]
    assert (ours.pattern.regex, dict(ours.special_tokens)) == (theirs["pat_str"], theirs["special_tokens"])
    assert asked in ([], [ours.sha256])


@pytest.mark.long
def test_ranks_are_known_by_their_sha256(r50k: dict[bytes, int]) -> None:
    p50k = r50k | {b" " * count: 50255 + count for count in range(2, 26)}
    for ranks, names in (
        (r50k, ("r50k_base", "gpt2")),
        (p50k, ("p50k_base", "p50k_edit")),
        (ranks_of("qwen2.5"), ("qwen",)),
    ):
        data = as_published(ranks)
        for other in (data, data.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + data[:-1]):
            tok = from_ranks(other, "unknown")
            assert tok.encode("<|endoftext|>").ids == [ENCODINGS[names[0]].special_tokens["<|endoftext|>"]]
            assert any(names[0] in fact.says for fact in tok.facts if fact.topic == "encoding")
        for name in names:
            assert len(ranks) == ENCODINGS[name].size
            ours, theirs = from_ranks(data, "unknown", {"pattern": name}), original(ranks, ENCODINGS[name])
            for text in strings(seed=5, count=300):
                want = unicodedata.normalize("NFC", text) if name == "qwen" else text
                ids = theirs.encode(want, allowed_special="all")
                assert ours.encode(text).ids == ours.trace(text).ids == ids
                assert ours.decode(ids) == theirs.decode(ids)


def test_llama_4_has_2048_special_tokens() -> None:
    special = ENCODINGS["llama4"].special_tokens
    assert (len(special), min(special.values()), max(special.values())) == (2048, 200000, 202047)
    assert special["<|text_post_train_reserved_special_token_68|>"] == 200079
    assert special["<|vision_reserved_special_token_1047|>"] == 201133
    assert special["<|reasoning_thinking_end|>"] == 201143


@pytest.mark.parametrize(
    "pattern", ["cl100k_base", r"\w+|\s*[^\w\s]+|\s", r" ?(?:[ab]|\d{2,3}?)+", r"a(?=b)|[|]|b{2}|.", r"\w+"]
)
def test_a_pattern_or_an_encoding_may_be_chosen(own: dict[bytes, int], pattern: str) -> None:
    known = ENCODINGS.get(pattern)
    tok = from_ranks(as_published(own), "own.tiktoken", {"pattern": pattern})
    theirs = tiktoken.Encoding(
        "own", pat_str=known.pattern.regex if known else pattern, mergeable_ranks=own,
        special_tokens=dict(known.special_tokens) if known else {},
    )  # fmt: skip
    for text in strings(seed=6, count=400):
        ids = theirs.encode(text, allowed_special="all")
        assert tok.encode(text).ids == tok.trace(text).ids == ids
        assert tok.trace_decode(ids).data == theirs.decode_bytes(ids)
    assert bool(known) == any(fact.kind == FactKind.WARNING for fact in tok.facts)


def test_an_unknown_file_needs_a_pattern(own: dict[bytes, int], tmp_path: Path) -> None:
    path = tmp_path / "cl100k_base.mine.tiktoken"
    path.write_bytes(as_published(own))
    with pytest.raises(ChoiceNeeded) as caught:
        explorer.load(path)
    assert (caught.value.key, caught.value.free) == ("pattern", "a pattern")
    assert caught.value.options[0] == "cl100k_base"
    assert set(caught.value.options) == set(ENCODINGS)
    assert explorer.load(path, pattern=r"\S+|\s+").encode("a b").ids == [own[b"a"], own[b" "], own[b"b"]]
    assert likeliest("tokenizer.model", 128000)[:2] == ("llama3", "llama3.1")


def test_what_cannot_be_used_is_named(own: dict[bytes, int]) -> None:
    data = as_published(own)
    for choice, says in (
        ("cl100k", "there is no pattern named 'cl100k'; known are r50k_base"),
        ("(", "character 2 of the pattern: missing"),
    ):
        with pytest.raises(InputError, match=f"own.tiktoken: .*{says}"):
            from_ranks(data, "own.tiktoken", {"pattern": choice})
    with pytest.raises(InputError, match="line 3001"):
        from_ranks(data + b"x\n", "own.tiktoken")
    encoding = RanksEncoding("own", "", CL100K_BASE, {"<|x|>": 6_001})
    assert ranks_tokenizer(own, encoding, "own").encode("<|x|>a").ids == [6_001, own[b"a"]]
    with pytest.raises(InputError, match="0x61 is not a token"):
        ranks_tokenizer({k: v for k, v in own.items() if k != b"a"}, encoding, "own")
    with pytest.raises(InputError, match=r"two tokens have the id 2: '<\|x\|>' and '\"'"):
        ranks_tokenizer(own, encoding._replace(special_tokens={"<|x|>": 2}), "own")
