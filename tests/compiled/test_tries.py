"""Tries and the models that match with them, their sources run in Python: beside dictionaries, toys beside stages."""

from __future__ import annotations

import random

import numpy as np
import pytest

from explorer.compiled import build, tries
from explorer.compiled.utf8 import PADDING
from explorer.compiled.worker import LONGEST, Call, Worker, trie_of
from explorer.engine.fast.compiling.encoder import NotCompiled
from explorer.engine.models.longest_match import TrieMatch, WordPiece, Wpm
from explorer.engine.normalizers.huggingface import NfdFirst, bert_normalizers
from explorer.engine.normalizers.stage import Normalization
from explorer.engine.part import Options, Part, Segment, Token, run_through
from explorer.engine.pre_tokenizers.by_regex import Behavior, PreTokenization
from explorer.engine.pre_tokenizers.huggingface import PUNCTUATION, WHITE, CharSplit
from explorer.engine.pre_tokenizers.wpm import WpmWords
from explorer.errors import InputError
from explorer.vocabulary import Vocabulary
from tests.compiled.hostile import batches, hostile
from tests.tiers import amount

BYTES = [bytes([byte]) for byte in range(256)]
PIECES = (b"a", b"ab", b"abc", b"b", b"s", b"the", b"of", b"0", b"##b", b"##s", b"##of", b"##", b"##" + "é".encode(),
          "é".encode(), "中".encode(), b"##\xc3", b"\xe4", b"!", b"'", b"<", b"##0", "▁".encode(), "▁a".encode(),
          "▁the".encode(), "▁".encode() + b"\xc7", b"\x9f", b"x\xffy")  # fmt: skip
"""Whole and continuing pieces, and some that are parts of characters."""


def longest_of(known: dict[bytes, int], data: bytes, at: int) -> tuple[int, int]:
    ends = [end for end in range(at + 1, len(data) + 1) if data[at:end] in known]
    return (ends[-1], known[data[at : ends[-1]]]) if ends else (-1, -1)


def test_a_trie_has_the_longest_piece_of_a_dictionary() -> None:
    choose = random.Random(3)
    letters = b"\0ab\x80\xc3\xfe"
    for _ in range(amount(160)):
        pieces = {bytes(choose.choices(letters, k=choose.randrange(1, 7))) for _ in range(choose.randrange(60))}
        if choose.random() < 0.3:
            pieces |= {bytes(choose.choices(range(0xF0), k=2)) for _ in range(400)}
        known = {piece: id for id, piece in enumerate(pieces)}
        nodes, tokens = trie_of(known.items(), build.PLAIN)
        data = bytes(choose.choices(letters, k=60))
        for at in range(len(data)):
            found = tries.longest(nodes.data, 0, data + PADDING, at)
            wanted = longest_of(known, data, at)
            assert (found >> 32, int(tokens[found & tries.SLOT]) if found >= 0 else -1) == wanted
        for piece in pieces:
            assert tries.node_after(nodes.data, piece, len(piece)) >= 0
            assert tries.node_after(nodes.data, piece + b"\xf0", len(piece) + 1) < 0


def test_a_trie_that_has_no_room_says_so_and_one_too_deep_is_refused() -> None:
    fill = Call("fill_trie", build.PLAIN)
    texts = np.frombuffer(bytes(range(1, 255)) * 2 + PADDING, np.uint8)
    arguments = {
        "texts": texts, "starts": np.arange(0, 4, 2), "ids": np.zeros(2, np.int32), "count": 1,
        "scratch": np.zeros(tries.STACK + 40, np.int64), "tokens": np.zeros(tries.BLOCK, np.int32),
    }  # fmt: skip
    assert fill(nodes=np.zeros(tries.BLOCK, np.int64), room=tries.BLOCK, **arguments) == tries.BLOCK
    pairs = np.frombuffer(b"".join(b"%c%c" % (a, b) for a in (1, 2) for b in range(255)), np.uint8)
    arguments |= {"texts": pairs, "starts": np.arange(0, 1022, 2), "ids": np.zeros(510, np.int32), "count": 510,
                  "scratch": np.zeros(tries.STACK + 4 * 600, np.int64)}  # fmt: skip
    assert fill(nodes=np.zeros(tries.BLOCK, np.int64), room=tries.BLOCK, **arguments) == -1
    with pytest.raises(NotCompiled, match="too long"):
        batches((TrieMatch(Vocabulary.of([b"a", b"b" * (LONGEST + 1)])),), build.PLAIN, 16)


def bert(model: WordPiece, **settings: bool) -> tuple[Part, ...]:
    split = PreTokenization([CharSplit([WHITE], Behavior.REMOVED), CharSplit([PUNCTUATION], Behavior.ISOLATED)])
    return Normalization(bert_normalizers(**settings)), split, model


def toys() -> dict[str, tuple[Part, ...]]:
    whole = Vocabulary.of([b"[UNK]", *PIECES])
    bytes_first = Vocabulary.of([b"<end>", *BYTES, b"th", b"the", b"the!", b"  ", "中".encode(), b"of ", b"x\xffy"])
    return {
        "hugging face": bert(WordPiece(whole, 0)),
        "cased, another prefix, short words": bert(WordPiece(whole, 0, prefix="a", max_characters=4), lowercase=False),
        "no prefix": bert(WordPiece(whole, 0, prefix="")),
        "no such prefix": bert(WordPiece(whole, 0, prefix="@@"), strip_accents=False),
        "llama.cpp": (Normalization([NfdFirst()]), WpmWords(), Wpm(whole, 0)),
        "trie": (TrieMatch(bytes_first),),
        "trie, unknown bytes": (TrieMatch(Vocabulary.of([b"a", b"th", b"the", b"\xc3"]), 0),),
    }


def stages(parts: tuple[Part, ...], text: str) -> list[int]:
    items = run_through(parts, [Segment.of(text)] if text else [], Options())
    return [item.id for item in items if isinstance(item, Token)]


def test_toys_in_python_give_the_ids_of_the_stages() -> None:
    for number, (name, parts) in enumerate(toys().items()):
        together = batches(parts, build.PLAIN, 16)
        texts = [*hostile(number, amount(200)), "a" * 120, "x a\u0301b abc", "the the! of", "\u0301", "ß İ ﬁ ½"]
        made = together.encode(texts, Options())
        assert made is not None
        ids, offsets = made
        for index, text in enumerate(texts):
            assert ids[offsets[index] : offsets[index + 1]].tolist() == stages(parts, text), (name, ascii(text))


def test_known_words_do_not_go_through_python() -> None:
    together = batches(toys()["hugging face"], build.PLAIN, 1 << 10)
    way = together.encoder()
    assert way is not None
    together.encode(["the abs"], Options())
    worker = way.idle[0]
    assert isinstance(worker, Worker)
    asked: list[bytes] = []
    solve = worker.solve
    worker.solve = lambda piece: asked.append(piece) or solve(piece)  # type: ignore[func-returns-value]
    together.encode(["thes abof, x é éé\n\tab zz", "é\u0327 é"], Options())
    assert not asked
    together.encode(["a\u302e b\u302e", "a\u0327"], Options())
    # U+302E has a combining class and is kept, so its neighbors may change it
    assert [piece.decode() for piece in asked] == ["a\u302e", " b\u302e"]


def test_a_byte_without_a_token_is_the_error_of_the_stages() -> None:
    parts = (TrieMatch(Vocabulary.of([b"a", b"b"])),)
    together = batches(parts, build.PLAIN, 16)
    with pytest.raises(InputError) as found:
        together.encode(["a", "abc", "a"], Options())
    with pytest.raises(InputError) as wanted:
        stages(parts, "abc")
    assert str(found.value) == str(wanted.value)
