"""The bytes of tokens against the originals, and that every byte of a text has exactly one owner."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice

import pytest
import tiktoken
from hypothesis import given, settings

import explorer
from explorer.analysis.ownership import Shares, ownership, says, where_changed
from explorer.engine.decoders.huggingface import DecodeEvent
from explorer.engine.tokenizer import Tokenizer
from explorer.opening.formats import open_bytes
from tests.bundled import bundled
from tests.meaning import mentions
from tests.originals.generators import strings, texts
from tests.originals.hugging_face import HuggingFace
from tests.originals.llama_cpp import LlamaCpp
from tests.originals.rwkv import Rwkv
from tests.originals.sentencepiece import original as sentencepiece
from tests.tiers import amount

EVERY = [f"{model.name}@{runs}" for model in explorer.catalog().values() for runs in model.implementations]

# --- the bytes of one token, asked of the original -----------------------------------


def of_tiktoken(name: str) -> Callable[[int], bytes]:
    ours = bundled(name)
    ranks = {piece: id for id, piece in enumerate(ours.vocabulary.pieces) if ours.vocabulary.kind(id).name == "NORMAL"}
    special = {ours.vocabulary.spelling(id): id for id, kind in enumerate(ours.vocabulary.kinds) if kind == 3}
    return tiktoken.Encoding(
        "own", pat_str=".", mergeable_ranks=ranks, special_tokens=special
    ).decode_single_token_bytes


def of_rwkv(name: str) -> Callable[[int], bytes]:
    theirs = Rwkv(explorer.catalog()[name].path)
    return lambda id: theirs.decode([id]) if id else b"<|endoftext|>"


def of_llama_cpp(name: str) -> Callable[[int], bytes]:
    theirs = LlamaCpp(explorer.catalog()[name].path)
    word = bundled(name).encode("is", add_special=False).ids
    front = theirs.detokenize(word)
    # after another token, where decoding removes no space
    return lambda id: theirs.detokenize([*word, id]).removeprefix(front)


def of_sentencepiece(name: str) -> Callable[[int], bytes]:
    theirs = sentencepiece(explorer.catalog()[name].path.read_bytes())
    word = theirs.piece_to_id("▁is")

    def bytes_of(id: int) -> bytes:
        if theirs.is_control(id):
            return b""
        if theirs.is_byte(id):
            return bytes([int(theirs.id_to_piece(id)[3:5], 16)])
        # after another token, where decoding removes no space
        text: str = theirs.decode([word, id])
        return text.removeprefix("is").encode()

    return bytes_of


def of_byte_level(name: str) -> Callable[[int], bytes]:
    """Hugging Face's decoder gives text, so the bytes of a token are those of the model's alphabet; the
    alphabet is asked for, byte by byte: the only piece whose text is this character in front of all the others."""
    theirs = HuggingFace(explorer.catalog()[name].path).tokenizer
    printable = [ch for ch in map(chr, range(0x100)) if ch.isprintable() and not ch.isspace() and ch != "\xad"]
    alphabet = {ch: ord(ch) for ch in printable}
    others = [byte for byte in range(256) if chr(byte) not in alphabet]
    alphabet |= {chr(0x100 + number): byte for number, byte in enumerate(others)}

    def bytes_of(id: int) -> bytes:
        piece = theirs.id_to_token(id)
        if id in theirs.get_added_tokens_decoder():
            return str(piece).encode()
        return bytes(alphabet[ch] for ch in piece)

    return bytes_of


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("spec", "of"),
    [
        ("cl100k_base", of_tiktoken),
        ("o200k_base", of_tiktoken),
        ("rwkv-world", of_rwkv),
        ("rwkv-world@first-miss", of_rwkv),
        ("llama-2", of_llama_cpp),
        ("xlm-r", of_llama_cpp),
        ("mistral-v1", of_sentencepiece),
        ("gpt-2", of_byte_level),
        ("gpt-2@llama.cpp", of_byte_level),
        ("llama-3", of_byte_level),
        ("qwen2.5", of_byte_level),
    ],
)
def test_the_bytes_of_every_token_are_those_of_the_original(
    spec: str, of: Callable[[str], Callable[[int], bytes]]
) -> None:
    ours, theirs = bundled(spec), of(spec.partition("@")[0])
    ids = [id for id, piece in enumerate(ours.vocabulary.pieces) if piece]
    step = 1 if len(ids) < 60_000 else 7
    assert [(id, ours.token_bytes(id), theirs(id)) for id in ids[::step] if ours.token_bytes(id) != theirs(id)] == []


# --- joined they are what decoding gives -----------------------------------

SPACES = {DecodeEvent.CLEANED, DecodeEvent.CLEANED_SPACES}
NOTHING = {DecodeEvent.DROP, DecodeEvent.HIDDEN}
AS_THEY_ARE = {
    DecodeEvent.PIECE,
    DecodeEvent.BYTE,
    DecodeEvent.SPELLED,
    DecodeEvent.SURFACE,
    DecodeEvent.GLUED,
    DecodeEvent.PRINTABLE,
    DecodeEvent.RAW,
    DecodeEvent.STRING,
}


def as_told(data: bytes, kinds: set[DecodeEvent]) -> Iterator[bytes]:
    """What a token may decode to in a text, according to the trace of rules that depend on neighbors and position."""
    if kinds & NOTHING:
        yield b""
    elif kinds & SPACES:
        # clean-up decides which of them it removes; never letters
        spaced = b" " + data if DecodeEvent.SPACED in kinds else data
        yield from {spaced.replace(b" ", b""), spaced[1:], spaced[:-1], spaced.rstrip(), spaced}
    elif DecodeEvent.SPACE in kinds:
        yield data.removeprefix(b" ")
    elif DecodeEvent.SPACED in kinds:
        yield b" " + data
    elif DecodeEvent.REPLACED in kinds:
        yield "\ufffd".encode()
    else:
        assert kinds <= AS_THEY_ARE, kinds
        yield data


@pytest.mark.sample(2)
@pytest.mark.parametrize("spec", EVERY)
def test_joined_bytes_are_the_decoded_text_except_where_its_trace_says_otherwise(spec: str) -> None:
    tok = bundled(spec)
    for text in strings(seed=31, count=1_200):
        ids = tok.encode(text).ids
        decoded = tok.trace_decode(ids)
        kinds_of: list[set[DecodeEvent]] = [set() for _ in ids]
        for event in decoded.events:
            kinds_of[event.position].add(DecodeEvent(event.kind))
        for id, part, kinds in zip(ids, decoded.parts, kinds_of, strict=True):
            assert part in as_told(tok.token_bytes(id), kinds), (text, id, kinds)


@pytest.mark.parametrize("spec", ["gpt-2", "llama-3", "cl100k_base", "o200k_base", "rwkv-world"])
def test_without_losses_joined_bytes_are_the_text(spec: str) -> None:
    tok = bundled(spec)
    for text in strings(seed=32, count=1_200):
        encoding = tok.encode(text, add_special=False)
        assert b"".join(encoding.bytes) == text.encode()
        assert encoding.bytes == [tok.token_bytes(id) for id in encoding.ids]


# --- who owns what -----------------------------------


def owners(text: str, owned: list[Shares]) -> list[Counter[int]]:
    """For each character, how many tokens own each of its bytes. Shares must equal the text or be marked as changed."""
    count = [Counter(dict.fromkeys(range(len(ch.encode())), 0)) for ch in text]
    for share in (share for shares in owned for share in shares):
        if share.changed or share.inserted:
            continue
        assert share.text == text[share.start : share.end]
        assert share.whole or len(share.text) == 1
        at = 0
        for index, ch in enumerate(share.text, share.start):
            size = len(ch.encode())
            for byte in range(size):
                count[index][byte] += share.first <= at + byte < share.last
            at += size
    return count


@pytest.mark.sample(2)
@pytest.mark.parametrize("spec", EVERY)
def test_every_byte_of_a_character_has_one_owner(spec: str) -> None:
    tok, whole = bundled(spec), 0
    for text in strings(seed=33, count=1_200):
        encoding = tok.encode(text, parse_special=False)
        count = owners(text, ownership(text, encoding))
        most = max((max(each.values()) for each in count), default=1)
        least = min((min(each.values()) for each in count), default=1)
        assert most <= 1, text
        # BERT's decoder guesses spaces, and may guess right
        if "bert" not in spec and tok.decode(encoding.ids) == text:
            assert least == 1, text
            whole += 1
    assert whole > amount(1_200) / 4 or "bert" in spec


@pytest.mark.long
@given(text=texts())
@settings(max_examples=amount(60))
def test_the_shares_of_a_token_are_its_bytes(text: str) -> None:
    for spec in EVERY:
        tok = bundled(spec)
        encoding = tok.encode(text)
        for token, shares in zip(encoding.tokens, ownership(text, encoding), strict=True):
            spelled = b"".join(share.text.encode()[share.first : share.last] for share in shares)
            assert spelled == (tok.token_bytes(token.id) if shares else b""), spec


def test_a_range_of_tokens_has_the_same_shares_as_in_the_whole() -> None:
    text = "<s> né 🤗 ｶﾞ  漢字 x" * 4
    for spec in EVERY:
        encoding = bundled(spec).encode(text)
        whole, tokens = ownership(text, encoding), encoding.tokens
        ends = [0, *(n for n in range(1, len(tokens)) if 0 <= tokens[n - 1].end <= tokens[n].start), len(tokens)]
        for first, last in zip(islice(ends, 0, None, 3), islice(ends, 3, None, 3), strict=False):
            assert ownership(text, encoding, first, last) == whole[first:last], spec


HUGS = "I 🤗"
IN_WORDS = {
    "gpt-2": ["“I”", "bytes 1–2 of 4 of 🤗, and a space", "byte 3 of 4 of 🤗", "byte 4 of 4 of 🤗"],
    "gpt-2@llama.cpp": ["“I”", "bytes 1–2 of 4 of 🤗, and a space", "byte 3 of 4 of 🤗", "byte 4 of 4 of 🤗"],
    "cl100k_base": ["“I”", "bytes 1–2 of 4 of 🤗, and a space", "byte 3 of 4 of 🤗", "byte 4 of 4 of 🤗"],
    "llama-2": ["", "an inserted space, and “I”", "a space", *(f"byte {n} of 4 of 🤗" for n in (1, 2, 3, 4))],
    "mistral-v1": ["", "an inserted space, and “I”", "a space", *(f"byte {n} of 4 of 🤗" for n in (1, 2, 3, 4))],
    "rwkv-world": ["“I”", "a space", "bytes 1–2 of 4 of 🤗", "byte 3 of 4 of 🤗", "byte 4 of 4 of 🤗"],
    "xlm-r": ["", "an inserted space, and “I”", "a space", "“🤗”", ""],
}


@pytest.mark.parametrize("spec", IN_WORDS)
def test_shares_in_words(spec: str) -> None:
    encoding = bundled(spec).encode(HUGS)
    assert [says(shares) for shares in ownership(HUGS, encoding)] == IN_WORDS[spec]


# --- tokenizers made for it -----------------------------------


def byte_level(**parts: object) -> Tokenizer:
    """A tokenizer.json with a piece for every byte and no merges."""
    pieces = [bundled("gpt-2").vocabulary.spelling(id) for id in range(256)]
    model = {
        "type": "BPE",
        "vocab": {piece: id for id, piece in enumerate(pieces)},
        "merges": [[pieces[220], pieces[127]]],
    }
    model["vocab"][pieces[220] + pieces[127]] = 256  # type: ignore[index]
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    return open_bytes(
        json.dumps({"model": model, "pre_tokenizer": level, "decoder": level} | parts).encode(), "toy", None
    )


def test_normalized_text_is_shown_with_the_original() -> None:
    text = "e\u0301"
    encoding = byte_level(normalizer={"type": "NFC"}).encode(text)
    owned = ownership(text, encoding)
    assert [says(shares) for shares in owned] == ["byte 1 of 2 of é", "byte 2 of 2 of é"]
    assert mentions(where_changed(owned[0], text), "“é” (U+00E9), where the text has “e\u0301” (U+0065 U+0301)")
    lower = byte_level(normalizer={"type": "Lowercase"}).encode("aÉ")
    assert mentions(where_changed(ownership("aÉ", lower)[1], "aÉ"), "“é”, where the text has “É”")


def test_a_space_trimmed_from_a_span_is_not_called_inserted() -> None:
    trim = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    text = "a ä"
    encoding = byte_level(post_processor=trim).encode(text)
    assert encoding.spans == [(0, 1), (2, 3), (2, 3)]
    assert [says(each) for each in ownership(text, encoding)] == [
        "“a”",
        "byte 1 of 2 of ä, and a space",
        "byte 2 of 2 of ä",
    ]
