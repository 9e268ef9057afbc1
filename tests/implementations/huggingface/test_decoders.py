"""The decoders of tokenizer.json files against the original: alone and in chains, on arbitrary lists of ids."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import pytest

from explorer.engine.decoders.huggingface import DecodeEvent
from explorer.facts import FactKind
from explorer.formats.tokenizer_json import read
from explorer.implementations.huggingface import from_tokenizer_json
from tests.originals.hugging_face import both, refusal_of

PIECES = [
    *("a", "b", "▁", "▁a", "a▁b", "▁▁", "##b", "##", "é", "Ġ", "Ã", "©", "Ã©", "ĠaĊ", "漢", "ðŁĺ", "Ĭ"),
    *("ab</w>", "</w>"),
    *(" ", "  a ", ".", " .", "?", "'", " 's", "n't", " do not", "m", "|", "a|b", "<pad>", "<pad>a", "�", "x x", "\n"),
    *("<0x41>", "<0xC3>", "<0xA9>", "<0xE6>", "<0xBC>", "<0xA2>", "<0xff>", "<0x+f>", "<0xG1>", "<0x411>"),
    *("aXbX", "XX"),
]  # fmt: skip
VOCAB = {piece: id for id, piece in enumerate(PIECES)}
ADDED = [
    {"id": 0, "content": "a", "special": True},
    {"id": len(PIECES), "content": "<s>", "special": True},
    {"id": len(PIECES) + 1, "content": "[é ▁]", "special": False},
    {"id": len(PIECES) + 2, "content": "<PAD>", "special": True, "normalized": True},
    {"id": len(PIECES) + 3, "content": "##N", "special": False, "normalized": True},
]
IDS = range(len(PIECES) + len(ADDED) - 1)


def lists(seed: int, count: int) -> list[list[int]]:
    choose = random.Random(seed)
    singles = [[id] for id in IDS]
    return [[], *singles, *([choose.choice(IDS) for _ in range(choose.randint(2, 12))] for _ in range(count))]


def file(decoder: Any) -> dict[str, Any]:
    model = {"type": "BPE", "vocab": VOCAB, "merges": []}
    return {"model": model, "decoder": decoder, "added_tokens": ADDED, "normalizer": {"type": "NFKC"}}


def replace(old: str, new: str, kind: str = "String") -> dict[str, Any]:
    return {"type": "Replace", "pattern": {kind: old}, "content": new}


def strip(content: str, start: int, stop: int) -> dict[str, Any]:
    return {"type": "Strip", "content": content, "start": start, "stop": stop}


def metaspace(replacement: str, scheme: str) -> dict[str, Any]:
    return {"type": "Metaspace", "replacement": replacement, "prepend_scheme": scheme, "split": True}


def word_piece(prefix: str, cleanup: bool) -> dict[str, Any]:
    return {"type": "WordPiece", "prefix": prefix, "cleanup": cleanup}


def ctc(pad: str, delimiter: str, cleanup: bool) -> dict[str, Any]:
    return {"type": "CTC", "pad_token": pad, "word_delimiter_token": delimiter, "cleanup": cleanup}


BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
BYTE_FALLBACK = {"type": "ByteFallback"}
FUSE = {"type": "Fuse"}

DECODERS: dict[str, Any] = {
    "none": None,
    "ByteLevel": BYTE_LEVEL,
    "Replace": replace("▁", " "),
    "Replace by nothing": replace("a", ""),
    "Replace by more": replace("é", "▁é▁"),
    "Replace nothing": replace("", "_"),
    "Replace regex": replace("[ab▁]+|漢", "<>", "Regex"),
    "Replace regex that matches nothing": replace("a*", "_", "Regex"),
    "ByteFallback": BYTE_FALLBACK,
    "Fuse": FUSE,
    "Strip left": strip("▁", 1, 0),
    "Strip left twice": strip(" ", 2, 0),
    "Metaspace": metaspace("▁", "always"),
    "Metaspace first": metaspace("▁", "first"),
    "Metaspace never": metaspace("a", "never"),
    "Metaspace, old": {"type": "Metaspace", "replacement": "▁", "add_prefix_space": True, "str_rep": "▁"},
    "WordPiece": word_piece("##", True),
    "WordPiece, not cleaned": word_piece("##", False),
    "WordPiece, other prefix": word_piece("▁", True),
    "WordPiece, no prefix": word_piece("", True),
    "BPEDecoder": {"type": "BPEDecoder", "suffix": "</w>"},
    "BPEDecoder, other suffix": {"type": "BPEDecoder", "suffix": "X"},
    "BPEDecoder, no suffix": {"type": "BPEDecoder", "suffix": ""},
    "CTC": ctc("<pad>", "|", True),
    "CTC, not cleaned": ctc("<pad>", "|", False),
    "CTC, other tokens": ctc("a", "▁", True),
    "CTC, no tokens": ctc("", "", True),
}
CHAINS: dict[str, list[Any]] = {
    "empty": [],
    "Llama": [replace("▁", " "), BYTE_FALLBACK, FUSE, strip(" ", 1, 0)],
    "Gemma": [replace("▁", " "), BYTE_FALLBACK, FUSE],
    "bytes, then more": [BYTE_LEVEL, replace("�", "?"), strip(" ", 1, 0)],
    "bytes twice": [BYTE_LEVEL, BYTE_LEVEL],
    "fused, then split up": [FUSE, BYTE_FALLBACK, replace("b", "é"), metaspace("▁", "first")],
    "emptied": [replace(".|\n", "", "Regex"), word_piece("##", True), {"type": "BPEDecoder", "suffix": " "}],
    "CTC and words": [ctc("<pad>", "|", False), word_piece("##", False), strip("a", 1, 0)],
    "replaced across ids": [FUSE, replace("ab", "x"), replace("a▁b|é漢", "yy", "Regex"), replace(" ", "")],
    "within": [{"type": "Sequence", "decoders": [BYTE_FALLBACK, FUSE]}, {"type": "Sequence", "decoders": [BYTE_LEVEL]}],
}


@pytest.mark.sample(4)
@pytest.mark.parametrize("name", DECODERS)
def test_every_decoder_matches_the_original(name: str) -> None:
    assert both(file(DECODERS[name])).decode_differences(lists(1, 400)) == []


@pytest.mark.parametrize("name", CHAINS)
def test_decoder_chains_match_the_original(name: str) -> None:
    pair = both(file({"type": "Sequence", "decoders": CHAINS[name]}))
    assert pair.decode_differences(lists(2, 400)) == []


def test_random_decoder_chains_match_the_original() -> None:
    choose = random.Random(3)
    single = [decoder for decoder in DECODERS.values() if decoder]
    for _ in range(60):
        decoders = [choose.choice(single) for _ in range(choose.randint(2, 5))]
        pair = both(file({"type": "Sequence", "decoders": decoders}))
        # without the empty list: here it decodes to no text, but the original's CTC can make a space of it
        assert pair.decode_differences(lists(choose.randrange(9**9), 30)[1:]) == [], decoders


def test_strip_empties_a_string_where_the_original_panics() -> None:
    pair = both(file(strip("a", 0, 1)))
    assert pair.decode_differences(lists(4, 200)) == []
    tok = both(file(strip("a", 1, 2))).ours
    assert tok.decode([VOCAB["a"]]) == ""
    assert tok.decode([VOCAB["b"], VOCAB["a"], VOCAB["aXbX"]]) == "bXbX"


def test_each_id_has_its_bytes() -> None:
    llama = both(file({"type": "Sequence", "decoders": CHAINS["Llama"]})).ours
    ids = [VOCAB[piece] for piece in ("▁a", "<0xC3>", "<0xA9>", "▁", "<0xE6>")]
    assert llama.trace_decode(ids).parts == (b"a", b"\xc3", b"\xa9", b" ", "�".encode())
    words = both(file(word_piece("##", True))).ours
    ids = [VOCAB[piece] for piece in ("a", "##b", ".", "b")]
    assert words.trace_decode(ids, remove_special=False).parts == (b"a", b"b", b".", b" b")
    across = both(file({"type": "Sequence", "decoders": [FUSE, replace("ab", "xyz")]})).ours
    assert across.trace_decode([VOCAB["a"], VOCAB["b"], VOCAB["b"]]).parts == (b"xyz", b"", b"b")


def test_every_decision_is_an_event() -> None:
    tok = both(file({"type": "Sequence", "decoders": CHAINS["Llama"]})).ours
    decoded = tok.trace_decode([VOCAB["▁a"], VOCAB["<0x41>"]])
    assert [DecodeEvent(row.kind) for row in decoded.events] == [
        DecodeEvent.STRING,
        DecodeEvent.STRING,
        DecodeEvent.SUBSTITUTED,
        DecodeEvent.BYTE,
        DecodeEvent.FUSED,
        DecodeEvent.STRIPPED,
    ]
    rows = both(file(None)).ours.trace_decode([VOCAB["a"], VOCAB["b"]], unparse_special=False).events
    assert [DecodeEvent(row.kind) for row in rows] == [DecodeEvent.HIDDEN, DecodeEvent.STRING]


BAD = [
    ({"type": "Sequence", "decoders": [FUSE, {"type": "Sequence", "decoders": [{"type": "Magic"}]}]},
     r"decoder.decoders\[1\].decoders\[0\]: the decoder 'Magic' is unknown; this version runs: Sequence, Byte"),
    ({"type": "Sequence", "decoders": [FUSE, 7]}, r"decoder.decoders\[1\] is not an object with a type"),
    ({"type": "Sequence"}, "decoder.decoders is not a list"),
    (strip("ab", 1, 0), "decoder: Strip.content is 'ab', not one character"),
    (strip("a", -1, 0), "decoder: Strip.start is -1, which is below 0"),
    (strip("a", True, 0), "decoder: Strip.start is True"),  # type: ignore[arg-type]
    (metaspace("", "first"), "Metaspace.replacement is ''"),
    (metaspace("▁", "sometimes"), "Metaspace.prepend_scheme is 'sometimes'"),
    (metaspace("▁", "first") | {"add_prefix_space": False}, "add_prefix_space is false, but prepend_scheme is 'first'"),
    (replace("(a", "", "Regex"), r"Replace.pattern “\(a” cannot be run"),
    (replace("a", "", "Glob"), "Replace.pattern is .*, neither a String nor a Regex"),
    ({"type": "Replace", "pattern": "a", "content": ""}, "Replace.pattern is 'a'"),
    (word_piece("##", 1), "WordPiece.cleanup is 1"),  # type: ignore[arg-type]
]  # fmt: skip


@pytest.mark.parametrize(("decoder", "says"), BAD)
def test_errors_name_the_path(decoder: Any, says: str) -> None:
    said = refusal_of(file(decoder))
    assert said.startswith("bad.json: decoder")
    assert re.search(says, said)


def test_an_old_metaspace_without_a_prefix_keeps_the_first_space() -> None:
    old = {"type": "Metaspace", "replacement": "▁", "add_prefix_space": False}
    content = json.dumps(file(old)).replace('"Lowercase"', '"NFC"').encode()
    assert from_tokenizer_json(read(content, "toy"), "toy").decode([VOCAB["▁a"]]) == " a"


def test_facts_about_decoders() -> None:
    facts = [fact for fact in both(file(None)).ours.facts if fact.topic == "decoder"]
    assert [(fact.kind, fact.place) for fact in facts] == [(FactKind.WARNING, "")]
    facts = list(both(file({"type": "Sequence", "decoders": [*CHAINS["Llama"], BYTE_LEVEL]})).ours.facts)
    said = {fact.place: fact.says for fact in facts if fact.kind == FactKind.USED}
    assert said["decoder.decoders[0]"] == "“▁” is replaced by “␣”."
    assert said["decoder.decoders[3]"].startswith("Up to 1 “␣” at the beginning of a string and 0 at its end")
    unused = [fact for fact in facts if fact.kind == FactKind.UNUSED]
    assert [(fact.place, fact.says) for fact in unused] == [
        ("decoder.decoders[4]", "add_prefix_space, trim_offsets, use_regex: decoding does not use this.")
    ]
