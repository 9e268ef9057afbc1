"""tiktoken's ids, live: the same ranks file and text in the original and here."""

from __future__ import annotations

import json
import unicodedata
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import tiktoken
import tiktoken_ext.openai_public
from hypothesis import given, settings
from tiktoken.load import load_tiktoken_bpe

import explorer
from explorer.engine.pre_tokenizers.by_regex import RegexSplit
from explorer.engine.pre_tokenizers.patterns import CL100K_BASE, GPT2, KIMI
from explorer.errors import ChoiceNeeded, InputError
from explorer.facts import FactKind
from explorer.formats import tiktoken_ranks, tokenizer_json
from explorer.formats.tiktoken_ranks import read
from explorer.implementations.tiktoken import (
    ENCODINGS,
    RanksEncoding,
    as_published,
    from_ranks,
    likeliest,
    ranks_tokenizer,
)
from explorer.vocabulary import bytes_of
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
            with pytest.raises(InputError, match="an id of this vocabulary without a token"):
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
    assert bool(known) == any(fact.kind == FactKind.WARNING for fact in tok.facts if fact.topic == "encoding")


def test_an_unknown_file_needs_a_pattern(own: dict[bytes, int], tmp_path: Path) -> None:
    path = tmp_path / "cl100k_base.mine.tiktoken"
    path.write_bytes(as_published(own))
    with pytest.raises(ChoiceNeeded) as caught:
        explorer.load(path)
    assert (caught.value.key, caught.value.free) == ("pattern", "a pattern")
    assert caught.value.options[0] == "cl100k_base"
    # own ids go up to 5998; r50k's special token has a higher one, so nothing is left out
    assert set(caught.value.options) == set(ENCODINGS)
    assert explorer.load(path, pattern=r"\S+|\s+").encode("a b").ids == [own[b"a"], own[b" "], own[b"b"]]


def test_offers_begin_with_what_fits_and_leave_out_what_fails(r50k: dict[bytes, int]) -> None:
    cl100k = {bytes([byte]): byte for byte in range(256)} | {
        piece: 256 + rank for rank, piece in enumerate((b" the", b"123", b"DON'T", b"'T", b"if\n", b"\xe6\xbc\xa2a"))
    }
    offers = likeliest("tokenizer.model", cl100k)
    pattern = ENCODINGS[offers[0]].pattern
    assert [sum(len(list(RegexSplit(each).matches(text))) > 1 for text in (" the", "123", "DON'T", "'T", "if\n", "漢a"))
            for each in (pattern, GPT2)] == [1, 3]  # fmt: skip
    # 60,000 ranks have the ids of GPT-2's and Whisper's special tokens
    more = r50k | {b"more%d" % id: id for id in range(50256, 60000)}
    failing = set(ENCODINGS) - set(likeliest("own.tiktoken", more))
    assert failing == {"r50k_base", "gpt2", "p50k_base", "p50k_edit", "whisper", "whisper-v3", "whisper.en"}
    data = as_published(more)
    for name in ENCODINGS:
        if name in failing:
            with pytest.raises(InputError, match="two tokens have the id"):
                from_ranks(data, "own.tiktoken", {"pattern": name})
        else:
            from_ranks(data, "own.tiktoken", {"pattern": name})


def test_the_empty_token_is_decoded_and_never_found(own: dict[bytes, int], tmp_path: Path) -> None:
    """Whisper's ranks end with it, as `= 50256`."""
    path = tmp_path / "multilingual.tiktoken"
    path.write_bytes(as_published(own) + b"= 6001\n")
    theirs = tiktoken.Encoding(
        "toy", pat_str=GPT2.regex, mergeable_ranks=load_tiktoken_bpe(str(path)), special_tokens={}
    )
    tok = explorer.load(path, pattern=GPT2.regex)
    for text in strings(seed=8, count=300):
        assert tok.encode(text).ids == tok.trace(text).ids == theirs.encode(text, disallowed_special=())
    assert tok.decode([6001, own[b"a"]]) == theirs.decode([6001, own[b"a"]]) == "a"
    assert list(tok.encode_batch(["it is", " a"] * 500).ids[:2]) == theirs.encode("it is")[:2]
    ranks = tiktoken_ranks.read(path)
    assert as_published(ranks) == path.read_bytes()


@pytest.mark.parametrize(("name", "rows"), [("whisper", 51865), ("whisper-v3", 51866), ("whisper.en", 51864)])
def test_whisper_has_a_row_for_each_token(name: str, rows: int) -> None:
    special = ENCODINGS[name].special_tokens
    assert max(special.values()) + 1 == rows == ENCODINGS[name].size + len(special)


@pytest.mark.parametrize("dropped", [[256], [300, 301, 302], [400, 402, 500], [1, 2], [999]])
def test_a_gap_in_the_ranks_is_named_and_other_ids_stay(dropped: list[int], r50k: dict[bytes, int]) -> None:
    ranks = {token: rank for token, rank in r50k.items() if rank < 1000 and rank not in dropped}
    if min(dropped) < 256:
        with pytest.raises(InputError, match="no line has the ranks 1 to 2"):
            from_ranks(tiktoken_ranks.write(ranks.items()), "toy", {"pattern": GPT2.regex})
        return
    ours = from_ranks(tiktoken_ranks.write(ranks.items()), "toy", {"pattern": GPT2.regex})
    theirs = tiktoken.Encoding("toy", pat_str=GPT2.regex, mergeable_ranks=ranks, special_tokens={})
    assert ours.encode("the cats are in here").ids == theirs.encode("the cats are in here")
    says = [fact.says for fact in ours.facts if fact.kind is FactKind.WARNING and "No line has" in fact.says]
    named = {256: "the rank 256", 300: "the ranks 300 to 302", 400: "the ranks 400, 402, 500"}
    assert [named[dropped[0]] in each for each in says] == [True] * (max(dropped) < max(ranks.values()))


def test_kimi_cuts_as_its_own_pattern(own: dict[bytes, int]) -> None:
    """Its sets are intersections, which tiktoken's engine knows."""
    tok = ranks_tokenizer(own, RanksEncoding("kimi", "", KIMI, {}), "kimi")
    theirs = tiktoken.Encoding("kimi", pat_str=KIMI.regex, mergeable_ranks=own, special_tokens={})
    for text in [*strings(seed=9, count=600), "DON'T漢字漢a ABCd漢", "漢'S 々〆 ㄅ"]:
        assert tok.encode(text).ids == tok.trace(text).ids == theirs.encode(text, disallowed_special=()), ascii(text)


def test_a_folder_names_its_code_and_its_special_tokens(own: dict[bytes, int], tmp_path: Path) -> None:
    config = {
        "auto_map": {"AutoTokenizer": ["tokenization_kimi.TikTokenTokenizer", None]},
        "tokenizer_class": "TikTokenTokenizer",
        "added_tokens_decoder": {"163586": {"content": "<|end_of_msg|>", "special": True}},
    }
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    (tmp_path / "tiktoken.model").write_bytes(as_published(own))
    tok = explorer.load(tmp_path)
    assert tok.encode("<|end_of_msg|><|im_end|>").ids[0] == 163586
    assert len(tok.encode("<|im_end|>").ids) > 1
    assert tok.encode("[EOS]").ids == [163585]


@pytest.mark.parametrize("config", [{}, {"added_tokens_decoder": {"50256": {"content": "<|end|>"}}}])
def test_the_fact_names_the_other_encodings_alone(
    config: dict[str, Any], own: dict[bytes, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = as_published(own)
    same = sha256(data).hexdigest()
    known = {name: ENCODINGS[name]._replace(sha256=same) for name in ("r50k_base", "gpt2")}
    monkeypatch.setattr("explorer.implementations.tiktoken.ENCODINGS", known)
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    (tmp_path / "own.tiktoken").write_bytes(data)
    for name, other in (("r50k_base", "gpt2"), ("gpt2", "r50k_base")):
        (fact,) = (each for each in explorer.load(tmp_path, pattern=name).facts if each.topic == "encoding")
        assert fact.kind is not FactKind.WARNING
        says, _, others = fact.says.partition(". ")
        assert name in says
        assert other in others
        assert name not in others
    monkeypatch.setattr("explorer.implementations.tiktoken.ENCODINGS", {"gpt2": known["gpt2"]})
    (fact,) = (each for each in explorer.load(tmp_path).facts if each.topic == "encoding")
    assert "chosen" not in fact.says


def test_what_cannot_be_used_is_named(own: dict[bytes, int]) -> None:
    data = as_published(own)
    for choice, says in (
        ("cl100k", "there is no pattern named 'cl100k'; known are r50k_base"),
        ("(", "character 1 of the pattern: this parenthesis is not closed"),
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
