"""Unusable input gives a one-line error with the position and what to do."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import zstandard

import explorer
from explorer.cli.main import main
from explorer.corpus.counter import stats_of
from tests.corpus.command import GPT2, refused, result, run
from tests.corpus.interrupted import ROOT
from tests.corpus.texts import write_text
from tests.meaning import mentions


@pytest.mark.parametrize("part", ["1M", "64"])
def test_invalid_utf8_is_refused_replaced_or_skipped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], part: str
) -> None:
    text = tmp_path / "a.txt"
    text.write_bytes(b"good line\n" * 20 + b"caf\xe9 au lait\n" + b"good line\n" * 20)
    asked = (text, "--part", part)
    assert mentions(refused(capsys, *asked), "a.txt: byte offset 203 (E9) is not UTF-8")
    skipped = result(tmp_path / "out.json", *asked, "--invalid", "skip")["total"]
    replaced = result(tmp_path / "out.json", *asked, "--invalid", "replace")["total"]
    assert (skipped["documents"], skipped["skipped"], skipped["replaced"]) == (40, 1, 0)
    assert (replaced["documents"], replaced["skipped"], replaced["replaced"]) == (41, 0, 1)
    assert replaced["bytes"] == text.stat().st_size + len("\ufffd".encode()) - 1


def test_invalid_text_in_records(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    (tmp_path / "a.jsonl").write_bytes(b'{"text": "a"}\n{"text": "\\ud83d"}\n{"text": "\xff"}\n{"text": null}\n')
    (tmp_path / "a.csv").write_bytes(b'text,x\na,1\n"\xff\nb",2\nc,3\n')
    broken = pa.array([b"a", b"\xff", None], pa.binary())
    table = pa.table({"text": pa.Array.from_buffers(pa.string(), 3, broken.buffers(), 1)})
    parquet.write_table(table, tmp_path / "a.parquet")
    for name, said, left, out in (
        ("a.jsonl", "byte offset 14: the field 'text' contains half of a surrogate pair", 1, 3),
        ("a.csv", "byte offset 12 (FF) is not UTF-8", 2, 1),
        ("a.parquet", "row 2 from row group 0: byte offset 0 (FF) is not UTF-8", 1, 2),
    ):
        assert said in refused(capsys, tmp_path / name)
        total = result(tmp_path / "out.json", tmp_path / name, "--invalid", "skip")["total"]
        assert (total["documents"], total["skipped"]) == (left, out)
    total = result(tmp_path / "out.json", tmp_path / "a.csv", "--invalid", "replace")["total"]
    assert (total["documents"], total["replaced"]) == (3, 1)


@pytest.mark.parametrize(
    ("name", "data", "said"),
    BAD := [
        ("a.jsonl", b'{"text": "x"}\n{"body": "x", "id": 7}\n', "offset 14 has no 'text' (it has 'body', 'id')"),
        ("a.jsonl", b'{"text": 5}\n', "the field 'text' is 5, not text"),
        ("a.jsonl", b'["text"]\n', "is not a JSON object"),
        ("a.jsonl", b'{"text": "x"\n', "byte offset 0 is not JSON"),
        ("a.jsonl", b"[" * 9_000 + b"\n", "nested too deeply"),
        ("a.csv", b"body,id\nx,7\n", "the table has no 'text' (it has 'body', 'id')"),
        ("a.csv", b"text,id\nx\n", "has 1 of 2 columns"),
        ("a.csv", b'text,id\n"x"y,1\n', "is not CSV"),
        ("a.csv", b'text,id\n"x,1\n' + b"and on\n" * 2_000, "is longer than 10000 bytes"),
        ("a.parquet", b"PAR1 but no more", "cannot be read as Parquet"),
        ("a.txt", b"\x7fELF\x02\x01\x00\x00", "byte offset 6 is a NUL"),
        ("a.txt", "text".encode("utf-16"), "is a NUL"),
        ("a.txt.gz", b"no gzip", "cannot be decompressed"),
        ("a.txt.gz", gzip.compress(b"a line\n" * 9_999)[:60], "cannot be decompressed"),
        ("a.txt.zst", b"no zstandard", "cannot be decompressed"),
        ("a.txt.zst", zstandard.compress("".join(map(chr, range(300, 999))).encode())[:-5], "cannot be decompressed"),
        ("a.txt", b"short\n" + b"a" * 10_001 + b"\n", "the line at byte offset 6 is longer than 10000 bytes"),
    ],
    ids=[f"{name}: {said}" for name, _, said in BAD],
)  # fmt: skip
def test_unusable_input_is_a_one_line_error_with_the_position(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, data: bytes, said: str
) -> None:
    (tmp_path / name).write_bytes(data)
    line = refused(capsys, tmp_path / name, "--longest", "10k")
    assert name in line
    assert said in line


@pytest.mark.long
def test_a_line_of_500_mb_is_refused_in_little_memory(tmp_path: Path) -> None:
    with (tmp_path / "a.txt").open("wb") as file:
        file.write(b"one line\n")
        file.write(b"a" * 16_384)  # the head has no NUL; the hole of NULs after it takes no disk space
        file.truncate(500_000_000)
    measured = (
        "import sys; from explorer.cli.main import main\n"
        "status = main(sys.argv[1:])\n"
        # measured for this program alone, because ru_maxrss includes the parent process
        "peak = next(line for line in open('/proc/self/status') if line.startswith('VmHWM'))\n"
        "print(int(peak.split()[1]) // 1024)\n"
        "sys.exit(status)"
    )
    done = subprocess.run(
        [sys.executable, "-c", measured, *GPT2, str(tmp_path / "a.txt")], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert mentions(done.stderr, "the line at byte offset 9 is longer than 8000000 bytes")
    assert "--longest" in done.stderr
    assert int(done.stdout) < 400  # MB


def test_nearly_empty_files_are_counted(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"")
    (tmp_path / "b.jsonl").write_bytes(b"\n")
    (tmp_path / "c.csv").write_bytes(b"")
    found = result(tmp_path / "out.json", tmp_path)
    assert [Path(each["name"]).name for each in found["files"]] == ["a.txt", "b.jsonl", "c.csv"]
    assert found["total"]["documents"] == 0
    assert found["total"]["tokenizers"][0]["bytes_per_token"] is None


def test_a_missing_path_and_one_that_vanishes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "no such file or folder" in refused(capsys, tmp_path / "none.txt")
    assert "no such file or folder" in refused(capsys, tmp_path / "*.txt")
    assert "no file was found" in refused(capsys, tmp_path)
    (tmp_path / "x.pdf").write_bytes(b"%PDF")
    assert mentions(refused(capsys, tmp_path), "the 1 files found have no known suffix")
    text = write_text(tmp_path / "a.txt", 100)
    from explorer.cli import corpus_job

    plan = corpus_job.plan

    def and_then(change: Any) -> None:
        def planned(*arguments: Any, **more: Any) -> Any:
            made = plan(*arguments, **more)
            change()
            return made

        monkeypatch.setattr(corpus_job, "plan", planned)

    and_then(lambda: os.utime(text, ns=(1, 1)))
    assert mentions(refused(capsys, text), "a.txt: the file has changed since the job was planned")
    and_then(text.unlink)
    assert mentions(refused(capsys, text), "a.txt: cannot be read (No such file or directory), though it was there")


def test_a_folder_without_permission(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "closed").mkdir(mode=0o000)
    write_text(tmp_path / "a.txt", 100)
    if os.geteuid() == 0:  # root may read everything, so the system's error is simulated
        scandir = os.scandir

        def closed(path: str) -> Any:
            if os.fspath(path).endswith("closed"):
                raise PermissionError(13, "Permission denied", path)
            return scandir(path)

        monkeypatch.setattr(os, "scandir", closed)
    assert "closed: the folder cannot be read (Permission denied)" in refused(capsys, tmp_path)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--output", "out.txt"), "--output ends in"),
        (("--baseline", "en"), "give --label, too"),
        (("--resume",), "--resume needs"),
        (("--workers", "2", "--scheduler", "tcp://x"), "--workers or --scheduler"),
        (("--workers", "2", "--threads", "2"), "give --threads, or workers"),
        (("--workers", "0"), "not a number of workers"),
        (("--longest", "big"), "not a size"),
    ],
)
def test_wrong_usage_is_status_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*GPT2, str(tmp_path), *arguments])
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


def test_a_job_that_must_fail_is_refused_before_the_work(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = write_text(tmp_path / "a.txt", 100)
    assert "the folder" in refused(capsys, text, "--output", tmp_path / "none/out.json")
    assert "this is a folder" in refused(
        capsys, text, "--output", tmp_path.with_suffix(".json").mkdir() or tmp_path.with_suffix(".json")
    )
    assert "plain text has no columns" in refused(capsys, text, "--label", "lang")
    assert mentions(refused(capsys, text, "-m", "gpt-2"), "gpt-2 is given twice")
    assert mentions(refused(capsys, text, "-m", "llama2"), "did you mean 'llama-2'")


def test_the_baseline_can_be_corrected_at_the_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "x", "lang": "en"}\n')
    asked = (tmp_path / "a.jsonl", "--label", "lang", "--output", tmp_path / "out.json", "--baseline")
    assert mentions(refused(capsys, *asked, "eng"), "the baseline 'eng' is not a label ('en')")
    status, _, said = run(capsys, *GPT2, *asked, "en", "--resume")
    assert (status, said) == (0, "explorer: 1 of 1 part done already\n")


def test_too_many_labels_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from explorer.corpus import counter

    monkeypatch.setattr(counter, "MOST_LABELS", 5)
    (tmp_path / "a.jsonl").write_text("".join(f'{{"text": "x", "id": {n}}}\n' for n in range(9)))
    assert mentions(refused(capsys, tmp_path / "a.jsonl", "--label", "id"), "more than 5 labels")
    (tmp_path / "a.jsonl").write_text(json.dumps({"text": "x", "id": "y" * 201}))
    assert mentions(refused(capsys, tmp_path / "a.jsonl", "--label", "id"), "the label has 201 characters")


def test_a_label_that_no_record_has_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "x"}\n')
    assert mentions(refused(capsys, tmp_path / "a.jsonl", "--label", "lang"), "no record has a 'lang'")


def test_a_missing_optional_package_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = write_text(tmp_path / "a.txt", 100)
    (tmp_path / "a.txt.zst").write_bytes(zstandard.compress(b"x"))
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    for name in ("zstandard", "dask", "distributed", "pyarrow"):
        monkeypatch.setitem(sys.modules, name, None)
    asked = [(tmp_path / "a.txt.zst",), (text, "--workers", "2"), (tmp_path / "a.parquet",)]
    for arguments in (*asked, (text, "--output", tmp_path / "out.parquet")):
        assert "pip install -r requirements-corpus.txt" in refused(capsys, *arguments)
    monkeypatch.setitem(sys.modules, "numpy", None)
    assert "pip install -r requirements-corpus.txt" in refused(capsys, text)


def test_another_tokenizer_file_than_planned_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    shutil.copy(explorer.catalog()["gpt-2"].path, path)
    from explorer.corpus.counter import chosen

    (model,) = chosen([str(path)], {})
    with path.open("a") as file:
        file.write("\n")
    with pytest.raises(explorer.InputError, match="differs from the one the job was planned with"):
        stats_of(model)


def test_a_duplicate_column_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.csv").write_text("text,text\na,b\n")
    assert mentions(refused(capsys, tmp_path / "a.csv"), "several columns 'text'; choose another --field")
    (tmp_path / "b.csv").write_text("lang,text,lang\nen,a,de\n")
    assert "choose another --label" in refused(capsys, tmp_path / "b.csv", "--label", "lang")
    (tmp_path / "c.csv").write_text(",text,\n1,a,2\n")
    assert run(capsys, *GPT2, tmp_path / "c.csv")[0] == 0, (
        "columns without a name are no concern of a job without labels"
    )
    assert "has no ''" in refused(capsys, tmp_path / "b.csv", "--field", "")
