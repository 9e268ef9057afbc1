"""Lines in bytes: what a block of them counts, and its ids, beside texts."""

from __future__ import annotations

from itertools import pairwise

import pytest

from explorer.compiled import build
from explorer.compiled.utf8 import PADDING, valid_width
from explorer.compiled.worker import block_of
from explorer.corpus import counter
from explorer.corpus.counter import Counter, chosen, of_lines, of_texts, stats_of
from explorer.corpus.documents import DocumentBatch, LineBatch
from explorer.engine.part import Options
from tests.bundled import bundled
from tests.compiled.hostile import COMPILED, batches, found, hostile
from tests.corpus.texts import plain


def lines_of(text: str) -> list[str]:
    """Lines as a job reads them: each with its line feed, and nothing after the last one."""
    *lines, last = text.split("\n")
    return [line + "\n" for line in lines] + ([last] if last else [])


@pytest.mark.parametrize("front", [b"", "▁".encode()])
def test_a_block_counts_what_its_lines_count(front: bytes) -> None:
    for text in hostile(7, 12):
        lines = lines_of(text)
        block = block_of(text.encode(), front, build.PLAIN)
        assert block is not None
        assert of_lines(len(text.encode()), block).tolist() == of_texts(lines).tolist()
        assert block.longest == max((len(line.encode()) for line in lines), default=0)
        joined = b"".join(front + line.encode() + b"\xff" for line in lines)
        assert block.joined.tobytes() == joined + PADDING[1:]


def test_texts_are_counted_alike_by_numpy_and_by_compiled_code(monkeypatch: pytest.MonkeyPatch) -> None:
    given = [hostile(9, 6), ["a b\n", "", " c"], [""], []]
    by_numpy = [of_texts(texts).tolist() for texts in given]
    monkeypatch.setattr(counter, "LONG", 0)
    monkeypatch.setattr(build, "is_loaded", lambda: True)
    monkeypatch.setattr(build, "loaded", lambda: build.PLAIN)
    assert [of_texts(texts).tolist() for texts in given] == by_numpy


def test_eight_characters_at_a_time_count_what_one_does() -> None:
    # every character of ASCII, and some others, at every place of a word
    for other in [*map(chr, range(128)), "é", "€", "\u3000", "🙂"]:
        for at in range(9):
            for filler in ("x", " ", "x "):
                text = (filler * 9)[:at] + other + (filler * 9)[: 17 - at]
                block = block_of(text.encode(), b"", build.PLAIN)
                assert block is not None
                assert (block.words, block.characters) == (len(text.split()), len(text)), text
                joined = "".join(f"{line}\xff" for line in lines_of(text))
                assert block.joined.tobytes() == joined.encode().replace("\xff".encode(), b"\xff") + PADDING[1:]


def test_only_utf_8_has_widths() -> None:
    # every first byte and every boundary of a second one, then two more or none
    seconds = (0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF)
    datas = [bytes([first, second, *rest]) for first in range(256) for second in seconds
             for rest in ((), (0x80,), (0x80, 0xBF), (0x80, 0x7F))]  # fmt: skip
    for data in datas:
        try:
            width = len(data.decode()[0].encode())
        except UnicodeDecodeError as error:
            width = len(data[: error.start].decode()[:1].encode())
        assert valid_width(data, 0, len(data)) == width, data
    assert block_of(b"a\n\xe2\x82\n", b"", build.PLAIN) is None


def test_lines_in_bytes_count_as_texts_do(monkeypatch: pytest.MonkeyPatch) -> None:
    (model,) = chosen(["gpt-2"], {})
    stats = stats_of(model)
    text = "".join(hostile(5, 8)).replace("<|", "|")
    way = batches(stats.tokenizer.parts, build.PLAIN, 64)
    monkeypatch.setitem(vars(stats.tokenizer), "batches", way)
    in_bytes, as_texts = (Counter([stats], False, False) for _ in range(2))
    in_bytes.count("a", LineBatch(text.encode(), list))
    monkeypatch.undo()
    as_texts.count("a", DocumentBatch(lines_of(text)))
    assert plain(in_bytes.tally()) == plain(as_texts.tally())


@pytest.mark.long
def test_lines_in_bytes_have_the_ids_of_texts() -> None:
    for spec in COMPILED:
        together = batches(bundled(spec).parts, build.compiled(), 64)
        options = Options(True, False)
        taken = 0
        for text in hostile(3, 20):
            made = together.encode_lines(text.encode(), options)
            if made is not None:
                taken += 1
                ids = [made.ids[start:end].tolist() for start, end in pairwise(made.offsets)]
                assert ids == found(together, lines_of(text), options)
        assert taken, spec
