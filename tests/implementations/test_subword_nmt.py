"""subword-nmt's codes, live against the program: its symbols, and its command."""

from __future__ import annotations

import io
import random
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from subword_nmt.apply_bpe import BPE
from subword_nmt.learn_bpe import learn_bpe

import explorer
from explorer.errors import InputError
from explorer.opening.formats import open_files
from tests.originals.generators import strings

ROOT = Path(explorer.__file__).parent.parent
TOY = b"#version: 0.2\nt h\nth e</w>\ni n\nin g</w>\na a\n"


def learned(count: int) -> bytes:
    """Codes that the program learns from this project's pages and some hard texts."""
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8") + "\n".join(strings(seed=7, count=300))
    codes = io.StringIO()
    learn_bpe(io.StringIO(text), codes, count)
    return codes.getvalue().encode()


def generated(seed: int) -> bytes:
    """Codes over three letters; each pair is of symbols there are, and makes one that no pair before it merges."""
    rng = random.Random(seed)
    symbols = [*"abc", *(f"{letter}</w>" for letter in "abc")]
    pairs: dict[tuple[str, str], None] = {}
    for _ in range(40):
        left, right = rng.choice(symbols), rng.choice(symbols)
        both = left + right
        if left.endswith("</w>") or any(both in pair for pair in pairs):
            continue
        pairs[left, right] = None
        symbols.append(both)
    return "".join(["#version: 0.2\n", *(f"{left} {right}\n" for left, right in pairs)]).encode()


def written(tok: explorer.Tokenizer, text: str) -> list[str]:
    """The symbols as the program writes them, from the spans; @@ after those that do not end a word."""
    found, made = [], tok.encode(text)
    for id, span in zip(made.ids, made.spans, strict=True):
        assert span is not None
        piece = tok.vocabulary.pieces[id].decode()
        inside = text[span[0] : span[1]]
        assert piece in (inside, inside + "</w>", "<unk>")
        ends = span[1] == len(text) or text[span[1]] in " \r\n" or inside[-1] in "\v\f\x1c\x1d\x1e\x85\u2028\u2029"
        assert piece == "<unk>" or len(inside) == 0 or ends == (piece != inside)
        found.append(inside if ends else inside + "@@")
    return found


def texts(codes: bytes) -> Iterable[str]:
    rng = random.Random(3)
    yield from strings(seed=11, count=400)
    yield from ("".join(rng.choices("aabbc \n", k=rng.randrange(40))) for _ in range(400))


@pytest.mark.parametrize("kind", ["toy", "learned", *range(4)])
def test_symbols_equal_the_programs(kind: str | int) -> None:
    codes = generated(kind) if isinstance(kind, int) else TOY if kind == "toy" else learned(200)
    ours, theirs = open_files({"codes": codes}, None), BPE(io.StringIO(codes.decode()))
    assert ours.implementation == "subword-nmt"
    for text in texts(codes):
        lines = [theirs.process_line(line).strip("\r\n ").split(" ") for line in text.splitlines(keepends=True)]
        want = [symbol for line in lines for symbol in line if symbol]
        assert written(ours, text) == want, ascii(text)
        assert ours.trace(text).ids == ours.encode(text).ids == [*ours.encode_batch([text])[0]]


def test_the_command_writes_the_same(tmp_path: Path) -> None:
    path = tmp_path / "codes"
    path.write_bytes(TOY)
    text = "the thing\r\nthin\x0cg  e\u2028aaaa x\n"
    run = "from subword_nmt.subword_nmt import main; main()"
    command = [sys.executable, "-c", run, "apply-bpe", "-c", str(path)]
    done = subprocess.run(command, input=text.encode(), capture_output=True, check=True)
    # no space is written after a word that ends a line with something other than CR and LF
    symbols = re.split(r"[ \r\n]+|(?<=[\f\u2028])", done.stdout.decode().strip("\r\n "))
    assert written(explorer.load(path), text) == symbols


def test_the_ids_are_those_that_the_card_says() -> None:
    tok = open_files({"codes": TOY}, None)
    pieces = [piece.decode() for piece in tok.vocabulary.pieces]
    letters = sorted("thenig" + "a")
    assert pieces == ["<unk>", *letters, *(f"{each}</w>" for each in letters), "th", "the</w>", "in", "ing</w>", "aa"]
    assert tok.decode(tok.encode(" the  thin\na").ids) == "the thin a"
    assert any("has no ids" in fact.says for fact in tok.facts)


@pytest.mark.parametrize(("codes", "says"), [
    (b"#version: 0.2\na b</w>\nc\n", "line 3 is not two symbols"),
    (b"#version: 0.1\na b</w>\n", "line 1 is '#version: 0.1'"),
    (b"#version: 0.2\nab c</w>\na b\n", "line 3 makes 'ab', which an earlier line merges"),
])  # fmt: skip
def test_what_is_not_run_is_refused(codes: bytes, says: str) -> None:
    with pytest.raises(InputError, match=says):
        open_files({"codes": codes}, None)


def test_merges_of_a_vocabulary_stay_its_merges(tmp_path: Path) -> None:
    vocab = b'{"<unk>": 0, "t": 1, "h": 2, "th": 3, "e</w>": 4, "the</w>": 5}'
    merges = b"#version: 0.2\nt h\nth e</w>\n"
    files = {"gpt-vocab.json": vocab, "gpt-merges.txt": merges}
    assert open_files(files, None, {"encoder": "characters"}).encode("the").ids == [5]
    (tmp_path / "vocab.json").write_bytes(vocab)
    (tmp_path / "merges.txt").write_bytes(merges)
    with pytest.raises(InputError, match=r"vocab\.json next to it"):
        explorer.load(tmp_path / "merges.txt")
