"""The command `corpus`: its totals equal those of wc, however they are computed."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
import zstandard
from hypothesis import given, settings

import explorer
from explorer.cli.main import main
from explorer.corpus.counter import TokenizerStats
from tests.bundled import bundled
from tests.corpus.command import GPT2, result, run
from tests.corpus.ids import open_ids
from tests.corpus.texts import write_text
from tests.originals.generators import texts


def wc(path: Path) -> dict[str, int]:
    """The counts of wc, an independent implementation of the totals."""
    said = subprocess.run(["wc", "-lwmc", path], capture_output=True, check=True, env={"LC_ALL": "C.UTF-8"}).stdout
    return dict(zip(("lines", "words", "characters", "bytes"), map(int, said.split()[:4]), strict=True))


def test_the_totals_are_those_of_wc_and_of_the_tokenizer(tmp_path: Path) -> None:
    text = write_text(tmp_path / "a.txt", 30_000)
    total = result(tmp_path / "out.json", text, "-m", "llama-2", "--part", "4k")["total"]
    assert {key: total[key] for key in ("lines", "words", "characters", "bytes")} == wc(text)
    lines = text.read_bytes().decode().splitlines(keepends=True)
    lines = "".join(lines).split("\n")  # splitlines cuts at more than line feeds
    lines = [line + "\n" for line in lines[:-1]] + lines[-1:]
    for index, name in enumerate(("gpt-2", "llama-2")):
        tok = bundled(name)
        ids = [tok.encode(line, add_special=False, parse_special=False).ids for line in dict.fromkeys(lines)]
        known = dict(zip(dict.fromkeys(lines), ids, strict=True))
        measures = total["tokenizers"][index]
        every = [id for line in lines for id in known[line]]
        assert measures["tokens"] == len(every)
        assert measures["vocabulary_used"] == len(set(every))
        top = measures["most_frequent"][0]
        assert top["count"] == max(map(every.count, set(every))) == every.count(top["id"])
        assert measures["document_tokens"]["longest"] == max(map(len, known.values()))
        assert sum(each[2] for each in measures["document_tokens"]["buckets"]) == total["documents"] == len(lines)
        assert sum(measures["token_bytes"].values()) == measures["tokens"]


def test_the_numbers_are_the_same_however_files_are_cut_and_compressed(tmp_path: Path) -> None:
    text = write_text(tmp_path / "a.txt", 20_000)
    data = text.read_bytes()
    (tmp_path / "g.txt.gz").write_bytes(gzip.compress(data[:5000]) + gzip.compress(data[5000:]))
    packer = zstandard.ZstdCompressor()
    (tmp_path / "z.txt.zst").write_bytes(packer.compress(data[:5000]) + packer.compress(data[5000:]))
    totals = [
        result(tmp_path / f"{n}.json", text, "--part", size)["total"] for n, size in enumerate(("1M", "3k", "700"))
    ]
    totals += [result(tmp_path / f"{name}.json", tmp_path / name)["total"] for name in ("g.txt.gz", "z.txt.zst")]
    assert all(total == totals[0] for total in totals)
    assert (tmp_path / "0.json").read_bytes() == (tmp_path / "2.json").read_bytes()
    assert not list(tmp_path.glob("*.parts"))


def test_records_labels_and_parity(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = [("en", "Good morning"), ("de", "Guten Morgen"), ("en", "Thank you"), ("de", "Vielen Dank"), (None, "?")]
    jsonl = "".join(json.dumps({"lang": label, "said": text}) + "\n\n" for label, text in records)
    (tmp_path / "a.jsonl").write_text(jsonl)
    with (tmp_path / "a.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("said", "lang"), *((text, label or "") for label, text in records)])
    import pyarrow as pa
    from pyarrow import parquet

    labels = pa.array([label for label, _ in records]).dictionary_encode()
    table = pa.table({"lang": labels, "said": [text for _, text in records], "no": range(5)})
    parquet.write_table(table, tmp_path / "a.parquet", row_group_size=2)
    found = []
    for name in ("a.jsonl", "a.csv", "a.parquet"):
        asked = ("--field", "said", "--label", "lang", "--baseline", "en", "--part", "10")
        one = result(tmp_path / "out.json", tmp_path / name, *asked)
        found.append({key: one[key] for key in ("total", "labels")})
    assert found[0] == found[1] == found[2]
    rows = {row["name"]: row for row in found[0]["labels"]}
    tok = bundled("gpt-2")
    tokens = {name: sum(len(tok.encode(text).ids) for label, text in records if (label or "") == name) for name in rows}
    assert list(rows) == ["", "de", "en"]
    assert {name: row["tokenizers"][0]["tokens"] for name, row in rows.items()} == tokens
    assert rows["de"]["tokenizers"][0]["parity"] == tokens["de"] / tokens["en"]
    assert rows["en"]["tokenizers"][0]["parity"] == 1
    capsys.readouterr()
    status, out, _ = run(capsys, *GPT2, tmp_path / "a.csv", "--field", "said", "--label", "lang", "--baseline", "en")
    assert status == 0
    assert out[0].startswith("5 documents, ")
    assert out[2].split()[:2] == ["gpt-2", str(sum(tokens.values()))]
    assert [line.split()[0] for line in out[3:]] == ["(none)", "de", "en"]


def test_the_other_forms_have_the_same_content(tmp_path: Path) -> None:
    text = write_text(tmp_path / "a.txt", 3_000)
    whole = result(tmp_path / "out.json", text)
    for name in ("out.csv", "out.parquet"):
        assert main([*GPT2, str(text), "--output", str(tmp_path / name)]) == 0
    with (tmp_path / "out.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    from pyarrow import parquet

    columns = parquet.read_table(tmp_path / "out.parquet").to_pylist()
    assert [(row["of"], row["name"], row["tokenizer"]) for row in rows] == [
        ("total", "", "gpt-2"), ("file", str(text), "gpt-2")
    ]  # fmt: skip
    assert columns[0]["tokens"] == int(rows[0]["tokens"]) == whole["total"]["tokenizers"][0]["tokens"]
    assert columns[0]["renyi_efficiency"] == whole["total"]["tokenizers"][0]["renyi_efficiency"]
    assert columns[1]["renyi_efficiency"] is None


def test_ids_on_disk_are_those_of_the_documents(tmp_path: Path) -> None:
    text = write_text(tmp_path / "a.txt", 9_000)
    (tmp_path / "empty.txt").write_bytes(b"")
    arguments = [text, tmp_path / "empty.txt", "-m", "cl100k_base", "--part", "2k", "--write", tmp_path / "ids"]
    assert main([*GPT2, *map(str, arguments)]) == 0
    assert sorted(os.listdir(tmp_path)) == ["a.txt", "empty.txt", "ids"]
    lines = text.read_bytes().decode().split("\n")
    lines = [line + "\n" for line in lines[:-1]] + lines[-1:]
    for name, type in (("gpt-2", "<u2"), ("cl100k_base", "<u4")):
        tok = bundled(name)
        found = open_ids(tmp_path / "ids" / name)
        assert isinstance(found.ids, np.memmap)
        assert (found.ids.dtype.str, found.offsets.dtype.str) == (type, "<u8")
        assert len(found.offsets) == len(lines) + 1 == found.manifest["documents"] + 1
        for index in (0, 1, len(lines) // 2, len(lines) - 1):
            assert (
                found.document(index).tolist() == tok.encode(lines[index], parse_special=False, add_special=False).ids
            )
        assert tok.decode(found.ids.tolist()) == text.read_bytes().decode()
        assert found.manifest["saving"] == 1 - found.ids.nbytes / text.stat().st_size
        assert [each["documents"] for each in found.manifest["files"]] == [len(lines), 0]


def test_threads_change_no_byte(tmp_path: Path) -> None:
    text = write_text(tmp_path / "a.txt", 9_000)
    for threads in ("1", "3"):
        into = [str(tmp_path / threads / name) for name in ("ids", "out.json")]
        (tmp_path / threads).mkdir()
        asked = [str(text), "--part", "1k", "--threads", threads, "--write", into[0], "--output", into[1]]
        assert main([*GPT2, *asked]) == 0
    names = ["out.json", *(f"ids/gpt-2/{name}" for name in ("ids.bin", "offsets.bin", "manifest.json"))]
    for name in names:
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "3" / name).read_bytes()


def test_existing_ids_are_not_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = write_text(tmp_path / "a.txt", 100)
    for expected in (0, 1):
        status, _, said = run(capsys, *GPT2, text, "--write", tmp_path / "ids")
        assert status == expected
    assert "already exists" in said


def test_special_tokens_are_text_by_default(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("<|endoftext|>\n")
    plain = result(tmp_path / "out.json", tmp_path / "a.txt")["total"]["tokenizers"][0]["tokens"]
    special = result(tmp_path / "out.json", tmp_path / "a.txt", "--parse-special")["total"]["tokenizers"][0]["tokens"]
    assert (plain, special) == (len(bundled("gpt-2").encode("<|endoftext|>\n", parse_special=False).ids), 2)


def test_whole_files_are_documents(tmp_path: Path) -> None:
    for name in ("a.py", "b.txt"):
        (tmp_path / name).write_text("x = 1\n\ny = 2\n")
    total = result(tmp_path / "out.json", tmp_path / "*.*", "--whole-files")["total"]
    tok = bundled("gpt-2")
    assert total["documents"] == 2
    assert total["tokenizers"][0]["tokens"] == 2 * len(tok.encode("x = 1\n\ny = 2\n").ids)


def test_added_tokens_are_counted_separately_and_change_no_rate(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("text,label\nWhat is,x\n,y\nit? It is.,y\n")
    asked = (tmp_path / "a.csv", "-m", "llama-2", "-m", "bert-uncased", "--label", "label", "--baseline", "x")
    plain, added = (result(tmp_path / "out.json", *asked, *more) for more in ((), ("--add-special",)))
    for kind in ("files", "labels"):
        for one, other in zip(plain[kind], added[kind], strict=True):
            for index, around in enumerate((0, 1, 2)):
                own, its = one["tokenizers"][index], other["tokenizers"][index]
                assert (own["added"], its["added"]) == (0, around * one["documents"])
                assert its["tokens"] == own["tokens"] + its["added"]
                rest = {key: value for key, value in own.items() if key not in ("tokens", "added")}
                assert {key: its[key] for key in rest} == rest
    assert [each["added"] for each in added["total"]["tokenizers"]] == [0, 3, 6]


@given(text=texts())
@settings(max_examples=20)
def test_every_text_gets_the_same_number_of_added_tokens(text: str) -> None:
    for model in explorer.catalog().values():
        for runs in model.implementations:
            tok = bundled(f"{model.name}@{runs}")
            tokens = tok.encode(text).tokens
            assert sum(token.start < 0 for token in tokens) == TokenizerStats(tok).added


def test_standard_input_is_a_file_of_plain_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = write_text(tmp_path / "a.txt", 5_000)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.read_bytes())))
    piped = result(tmp_path / "piped.json", "-")
    named = result(tmp_path / "named.json", text)
    assert [each.pop("name") for each in piped["files"]] == ["standard input"]
    assert [each.pop("name") for each in named["files"]] == [str(text)]
    assert piped == named
    with pytest.raises(SystemExit):
        main([*GPT2, "-", "--resume", "--output", str(tmp_path / "out.json")])
    assert "standard input cannot be read again" in capsys.readouterr().err
