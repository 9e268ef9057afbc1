"""A GGUF is read in blocks, and no further than its keys."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

import explorer
from explorer.cli.main import main
from explorer.corpus.counter import digest
from explorer.formats import gguf
from explorer.opening.sources import Source
from tests.formats.gguf_writer import ARRAY, ONE_OF_EACH, STRING, U8, Writer, refused

W = Writer()
FORTY_GB = 40_000_000_000


class Counted(NamedTuple):
    """Blocks of a file in memory, which is followed by zeros. asked: the start and end of each read."""

    data: bytes
    size: int
    block: int
    asked: list[tuple[int, int]]

    def read(self, start: int, count: int) -> bytes:
        self.asked.append((start, start + count))
        return self.data[start : start + count].ljust(count, b"\0")


def in_blocks(data: bytes, block: int, size: int = 0) -> Counted:
    return Counted(data, size or len(data), block, [])


@pytest.mark.parametrize("block", [1, 2, 3, 5, 7, 8, 9, 16, 64, 1 << 20])
def test_the_size_of_a_block_makes_no_difference(block: int) -> None:
    data = Writer().file(*ONE_OF_EACH)
    found = in_blocks(data, block)
    assert gguf.read(found) == gguf.read(data)
    assert gguf.read(in_blocks(data, block), lambda key: False).head == data
    ends = [0, *(end for _, end in found.asked)]
    assert [start for start, _ in found.asked] == ends[:-1]
    assert ends[-1] == len(data)


@pytest.mark.parametrize("block", [1, 3, 8, 1000])
def test_every_cut_of_a_file_is_refused_as_if_it_were_read_whole(block: int) -> None:
    data = W.file(*ONE_OF_EACH)
    for end in range(0, len(data), 5):
        assert refused(in_blocks(data[:end], block)) == refused(data[:end])


def test_what_follows_the_keys_is_not_read() -> None:
    data = explorer.catalog()["llama-2"].path.read_bytes()
    found = in_blocks(data, 1 << 16, FORTY_GB)
    head = gguf.read(found)
    assert (head.head, head.size) == (data, FORTY_GB)
    assert found.asked[-1][1] - len(data) < max(1 << 16, len(data) // 4)


def test_a_file_that_becomes_shorter_is_an_error_that_names_the_byte() -> None:
    data = W.file(*ONE_OF_EACH)
    blocks = Counted(data, len(data), 16, [])

    class Shorter(Counted):
        def read(self, start: int, count: int) -> bytes:
            return super().read(start, count)[: max(0, 40 - start)]

    assert "byte offset 40: the file became shorter" in refused(Shorter(*blocks))


@pytest.mark.parametrize("wanted", [True, False])
@pytest.mark.parametrize("pair", [(b"k", ARRAY, STRING, [b"x" * 90] * 20), (b"k", ARRAY, U8, [1] * 2000)])
def test_keys_that_take_too_much_are_refused(monkeypatch: pytest.MonkeyPatch, wanted: bool, pair: tuple) -> None:
    data = W.file(pair, (b"last", U8, 1))
    assert len(gguf.read(in_blocks(data, 16)).metadata) == 2
    monkeypatch.setattr(gguf, "MAX_HEAD", 1000)
    found = in_blocks(data, 16, FORTY_GB)
    assert "more than the first 1000 bytes" in refused(found, wanted=lambda _: wanted)
    assert found.asked[-1][1] <= 1000


def test_a_file_of_40_gb_has_the_ids_and_the_vocabulary_of_its_keys(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = explorer.catalog()["llama-2"].path.read_bytes()
    path = tmp_path / "large.gguf"
    with path.open("wb") as file:  # takes no disk: the rest is a hole
        file.write(data)
        file.truncate(FORTY_GB)
    tok = explorer.load(path)
    assert tok.encode("is").ids == [1, 338]
    assert tok.origin.files == (("large.gguf", FORTY_GB, explorer.catalog()["llama-2"].sha256, len(data)),)
    assert Source(path, name=path.name).deciding() == data
    assert digest(str(path)) == digest(str(path))
    assert main(["edit", "-m", str(path), "--add", "<tool>", "--output", str(tmp_path / "my.gguf")]) == 0
    assert "<tool>" in explorer.load(tmp_path / "my.gguf").encode("a<tool>").pieces
    capsys.readouterr()
