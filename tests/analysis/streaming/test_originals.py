"""Streams beside the programs that make them, live: tokenizers, transformers, SGLang, tiktoken, llama.cpp's pieces.

Of SGLang the functions that make text are run, without the libraries its process needs for other things. vLLM cannot
be installed here; its function is held to what it promises (`test_stream.py`).
"""

from __future__ import annotations

import ast
import codecs
import dataclasses
import json
import os
import random
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import pytest
import tiktoken
from tokenizers import Tokenizer
from tokenizers.decoders import DecodeStream

import explorer
from explorer.analysis.streaming import MarkKind, Method
from explorer.formats.tiktoken_ranks import read
from explorer.implementations.tiktoken import ENCODINGS
from tests.auto_tokenizer.environments import ROOT, python
from tests.bundled import bundled
from tests.environment import environment
from tests.originals.generators import strings
from tests.originals.hugging_face import both
from tests.originals.llama_cpp import LlamaCpp
from tests.tiers import amount

TEXTS = ("Hello 🤗 café", "a\nb  c\n\n 猫は 猫", "👩‍👩‍👧 naïve, isn't it ?", "日本語 한국어 ไทย", "\ufffd x")
JSON = ("gpt-2", "llama-3", "qwen2.5", "bert-uncased")

LLAMA = {
    "model": {
        "type": "BPE",
        "byte_fallback": True,
        "unk_token": "<unk>",
        "merges": [],
        "vocab": {
            piece: id
            for id, piece in enumerate(
                ["<unk>", "<s>", "▁", "▁a", "b", "▁▁", "\n", *(f"<0x{byte:02X}>" for byte in range(256))]
            )
        },
    },
    "added_tokens": [{"id": 1, "content": "<s>", "special": True}],
    "decoder": {
        "type": "Sequence",
        "decoders": [
            {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
            {"type": "ByteFallback"},
            {"type": "Fuse"},
            {"type": "Strip", "content": " ", "start": 1, "stop": 0},
        ],
    },
}
"""A vocabulary that decodes as Llama's tokenizer.json does."""


def lists(tokenizer: explorer.Tokenizer, seed: int, count: int) -> list[list[int]]:
    """Ids of texts, whole and cut, and ids at random, with many bytes that begin characters."""
    choose = random.Random(seed)
    texts = [*TEXTS, *strings(seed=seed, count=count)]
    found = [tokenizer.encode(text[:300], add_special=False).ids for text in texts]
    known = [id for id in range(len(tokenizer.vocabulary)) if tokenizer.vocabulary.has(id)]
    parts = [id for id in known if not _is_text(tokenizer.token_bytes(id))][:200] or known
    for _ in range(count):
        found.append([choose.choice(parts if choose.random() < 0.5 else known) for _ in range(choose.randrange(30))])
    return [*found, *(ids[choose.randrange(len(ids)) :] for ids in found if ids)]


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def shown(tokenizer: explorer.Tokenizer, ids: Sequence[int], method: Method, **asked: Any) -> list[str | None]:
    """What a method shows at each id, and at the end; None from the step on where it fails."""
    pieces: list[str | None] = []
    for each in explorer.stream(tokenizer, ids, methods=[method], **asked).shown(method):
        failed = any(mark.kind == MarkKind.FAILED for mark in each.marks)
        if failed or (pieces and pieces[-1] is None):
            pieces.append(None)
        else:
            pieces.append(each.text)
    return pieces


def decode_stream(theirs: Tokenizer, ids: Sequence[int], skip: bool) -> list[str | None]:
    stream, pieces, failed = DecodeStream(skip_special_tokens=skip), list[str | None](), False
    for id in ids:
        try:
            pieces.append(None if failed else stream.step(theirs, id) or "")
        except Exception:  # the library raises no class of its own
            failed = True
            pieces.append(None)
    return [*pieces, None if failed else ""]


@pytest.mark.sample(2)
@pytest.mark.parametrize("skip", [False, True])
@pytest.mark.parametrize("name", JSON)
def test_the_decode_stream_of_tokenizers(name: str, skip: bool) -> None:
    ours, theirs = bundled(name), Tokenizer.from_file(str(explorer.catalog()[name].path))
    for ids in lists(ours, 3, amount(400)):
        got = shown(ours, ids, Method.TOKENIZERS, unparse_special=not skip)
        assert got == decode_stream(theirs, ids, skip), ids


def test_the_decode_stream_of_a_vocabulary_with_bytes() -> None:
    ours, theirs = both(LLAMA)
    known = random.Random(5)
    failed = 0
    for _ in range(amount(4_000)):
        ids = [known.choice((2, 3, 4, 5, 6, 7 + known.choice((0xF0, 0x9F, 0xA4, 0x97, 0xC3, 0xA9)))) for _ in range(14)]
        want = decode_stream(theirs, ids, False)
        assert shown(ours, ids, Method.TOKENIZERS) == want, ids
        failed += None in want
    assert failed, "no list made the original fail"


STREAMER = """
import json, sys
from tokenizers import Tokenizer
from transformers.generation.streamers import TextStreamer

class Ids(list):
    shape = (1,)
    def tolist(self):
        return list(self)

class Kept(TextStreamer):
    def on_finalized_text(self, text, stream_end=False):
        self.kept.append(text)

class Decodes:
    def __init__(self, inner):
        self.inner = inner
    def decode(self, ids):
        return self.inner.decode(ids, skip_special_tokens=False)

for line in sys.stdin:
    text, lists = json.loads(line)
    decodes, answers = Decodes(Tokenizer.from_str(text)), []
    for ids in lists:
        streamer = Kept(decodes)
        streamer.kept = []
        for id in ids:
            streamer.put(Ids([id]))
        streamer.end()
        answers.append(streamer.kept)
    print("answer", json.dumps(answers), flush=True)
"""


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", [*JSON, "llama"])
def test_the_text_streamer_of_transformers(name: str) -> None:
    if name == "llama":
        ours, theirs = both(LLAMA)
        text = theirs.to_str()
    else:
        ours, text = bundled(name), Path(explorer.catalog()[name].path).read_text("utf-8")
    asked = lists(ours, 7, amount(160))
    made = subprocess.run(
        [python(5), "-c", STREAMER], input=json.dumps([text, asked]), capture_output=True, text=True, check=True
    )
    (answer,) = (line for line in made.stdout.splitlines() if line.startswith("answer "))
    for ids, want in zip(asked, json.loads(answer.removeprefix("answer ")), strict=True):
        assert shown(ours, ids, Method.TRANSFORMERS) == want, ids


SGLANG: Final = "sglang==0.5.23"
NAMES: Final = ("DecodeStatus", "DetokenizerManager", "find_printable_text", "_is_chinese_char")
METHODS: Final = ("trim_matched_stop", "_clamp_decode_ids", "_decode_batch_token_id_output")


@cache
def sglang() -> dict[str, Any]:
    """The parts of SGLang's detokenizer that make text, from its own files."""
    folder = Path(os.environ.get("EXPLORER_SGLANG") or ROOT / ".sglang") / "0.5.23"
    (package,) = environment(folder, "--no-deps", SGLANG).parents[1].glob("lib/python*/site-packages/sglang")
    found: dict[str, Any] = {"dataclasses": dataclasses, "List": list}
    for file in ("utils.py", "srt/managers/detokenizer_manager.py"):
        tree = ast.parse((package / file).read_text("utf-8"))
        tree.body = [each for each in tree.body if getattr(each, "name", "") in NAMES]
        for each in tree.body:
            if isinstance(each, ast.ClassDef) and each.name == "DetokenizerManager":
                each.bases = []
                each.body = [part for part in each.body if getattr(part, "name", "") in METHODS]
                for part in each.body:
                    assert isinstance(part, ast.FunctionDef)
                    part.args = _without_types(part.args)
        exec(compile(tree, file, "exec"), found)  # code of a pinned package, as an import would run
    return found


def _without_types(arguments: ast.arguments) -> ast.arguments:
    for each in arguments.args:
        each.annotation = None
    return arguments


def detokenized(theirs: Tokenizer, ids: Sequence[int], skip: bool) -> list[str]:
    """What SGLang sends at each id, and with the message that says the request has ended."""
    manager = sglang()["DetokenizerManager"]()
    decodes = SimpleNamespace(decode=lambda ids, skip_special_tokens, **_: theirs.decode(
        ids, skip_special_tokens=skip_special_tokens))  # fmt: skip
    vars(manager).update(decode_status={}, vocab_size=None, disable_tokenizer_batch_decode=True, tokenizer=decodes)
    sent = []
    for new, reason in (*(([id], None) for id in ids), ([], {"type": "length"})):
        message = SimpleNamespace(
            rids=["a"], decoded_texts=[""], decode_ids=[new], read_offsets=[0], finished_reasons=[reason],
            no_stop_trim=[False], skip_special_tokens=[skip], spaces_between_special_tokens=[True],
        )  # fmt: skip
        sent += manager._decode_batch_token_id_output(message)
    return sent


@pytest.mark.long
@pytest.mark.parametrize("skip", [False, True])
@pytest.mark.parametrize("name", [*JSON, "llama"])
def test_the_detokenizer_of_sglang(name: str, skip: bool) -> None:
    ours, theirs = (
        both(LLAMA) if name == "llama" else (bundled(name), Tokenizer.from_file(str(explorer.catalog()[name].path)))
    )
    for ids in lists(ours, 3, amount(400)):
        assert shown(ours, ids, Method.SGLANG, unparse_special=not skip) == detokenized(theirs, ids, skip), ids


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base"])
def test_the_bytes_of_tiktoken(name: str) -> None:
    known, model = ENCODINGS[name], explorer.catalog()[name]
    theirs = tiktoken.Encoding(
        name, pat_str=known.pattern.regex, mergeable_ranks=read(model.path), special_tokens=dict(known.special_tokens)
    )
    for ids in lists(bundled(name), 11, amount(400)):
        reader = codecs.getincrementaldecoder("utf-8")("replace")
        want = [reader.decode(theirs.decode_single_token_bytes(id)) for id in ids]
        want.append(reader.decode(b"", True))
        assert shown(bundled(name), ids, Method.TIKTOKEN) == want
        if ids:
            assert explorer.stream(bundled(name), ids).text == theirs.decode(ids)


@pytest.mark.parametrize("special", [True, False])
def test_the_pieces_of_llama_cpp(special: bool) -> None:
    """Its server puts these together; when it sends them is read from its source."""
    ours = bundled("llama-2")
    with LlamaCpp(explorer.catalog()["llama-2"].path) as theirs:
        for ids in lists(ours, 13, amount(400)):
            sent = "".join(each or "" for each in shown(ours, ids, Method.LLAMA_CPP, unparse_special=special))
            data = b"".join(theirs.piece(id, special) for id in ids)
            assert data.decode("utf-8", "replace").startswith(sent)
            left = data.decode("utf-8", "replace")[len(sent) :]
            assert not left or left.endswith("\ufffd"), ids
