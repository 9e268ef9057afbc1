"""An interrupted job leaves nothing half-written and resumes to the same bytes; a lost worker changes nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from explorer.cli import corpus_job
from explorer.cli.main import main
from explorer.corpus.atomic import unwritable
from explorer.corpus.counter import chosen
from explorer.corpus.run import Progress, plan
from explorer.corpus.run import run as run_job
from tests.corpus.command import GPT2, refused, run
from tests.corpus.ids import open_ids
from tests.corpus.interrupted import ROOT, halted
from tests.corpus.texts import write_text
from tests.meaning import mentions


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.rglob("*") if path.is_file()}


@pytest.mark.sample(1)
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_job_resumes_to_the_same_bytes(tmp_path: Path, end: signal.Signals) -> None:
    text = write_text(tmp_path / "a.txt", 20_000)

    def arguments(into: str) -> list[str]:
        out, ids = tmp_path / f"{into}.json", tmp_path / into
        return [*GPT2, str(text), "--part", "2k", "--output", str(out), "--write", str(ids)]

    assert main(arguments("whole")) == 0
    with halted(3, arguments("halted")) as (process, _):
        process.send_signal(end)
        _, said = process.communicate()
    parts = tmp_path / "halted.parts"
    assert process.returncode == (130 if end == signal.SIGINT else -end)
    if end == signal.SIGINT:
        assert said == "explorer: interrupted; finished parts are kept in halted.parts: --resume continues from there\n"
    assert not (tmp_path / "halted.json").exists()
    assert not names(tmp_path / "halted")
    assert len(list(parts.glob("*.tally"))) == 3
    # starting again doesn't delete finished parts
    assert main(arguments("halted")) == 1
    before = {path.name: path.stat().st_mtime_ns for path in parts.glob("*.tally")}
    assert before
    with halted(4, [*arguments("halted"), "--resume"]):
        now = {path.name: path.stat().st_mtime_ns for path in parts.glob("*.tally")}
        assert before.items() < now.items(), "finished parts are not done again"
        assert len(list(parts.glob(".*.unfinished"))) == 2, (
            "what was half written is gone, but for the task that is at work"
        )
    assert main([*arguments("halted"), "--resume"]) == 0
    assert not parts.exists()
    assert (tmp_path / "halted.json").read_bytes() == (tmp_path / "whole.json").read_bytes()
    for name in names(tmp_path / "whole"):
        assert (tmp_path / "halted/gpt-2" / name).read_bytes() == (tmp_path / "whole/gpt-2" / name).read_bytes()
    assert names(tmp_path / "halted") == {"ids.bin", "offsets.bin", "manifest.json"}


@pytest.mark.long
@pytest.mark.parametrize("changed", ["nothing", "its file", "another file", "an option", "a part"])
def test_only_parts_of_the_same_work_are_reused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], changed: str
) -> None:
    text, other = write_text(tmp_path / "a.txt", 6_000), write_text(tmp_path / "b.txt", 20_000)
    arguments = [*GPT2, text, other, "--part", "2k", "--output", tmp_path / "out.json"]
    with halted(4, arguments):
        pass
    parts = sorted((tmp_path / "out.json.parts").glob("*.tally"))
    assert len(parts) == 4
    if changed == "a part":
        parts[1].write_bytes(b"PK\x03\x04 damaged")
    elif changed in ("its file", "another file"):
        path = text if changed == "its file" else other
        path.write_bytes(path.read_bytes()[:-1] + b"!")
    elif changed == "an option":
        arguments.append("--add-special")
    status, _, said = run(capsys, *arguments, "--resume")
    taken = {"nothing": 4, "its file": 0, "another file": 4, "an option": 0, "a part": 3}[changed]
    assert (status, said) == (0, f"explorer: {taken} of 15 parts done already\n")
    resumed = (tmp_path / "out.json").read_bytes()
    assert main([os.fspath(each) for each in arguments]) == 0
    assert (tmp_path / "out.json").read_bytes() == resumed


def test_joined_ids_are_reused_by_their_own_job_only(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = write_text(tmp_path / "a.txt", 5_000)

    def full(path: Path, data: bytes) -> None:
        raise unwritable(path, OSError(28, "No space left on device"))

    arguments = [*GPT2, text, "--part", "2k", "--write", tmp_path / "ids", "--output", tmp_path / "out.json"]
    with monkeypatch.context() as patched:
        patched.setattr(corpus_job, "write", full)
        status, _, said = run(capsys, *arguments)
        assert status == 1
        assert mentions(said, "out.json: cannot be written (No space left on device)")
    made = (tmp_path / "ids/gpt-2").stat().st_mtime_ns
    status, _, said = run(capsys, *arguments, "--resume", "--add-special")
    assert status == 1
    assert "ids/gpt-2: already exists" in said
    assert run(capsys, *arguments, "--resume")[0] == 0
    assert (tmp_path / "ids/gpt-2").stat().st_mtime_ns == made
    assert (tmp_path / "out.json").exists()
    assert not (tmp_path / "ids.parts").exists()


def test_a_full_disk_gives_a_one_line_error_and_leaves_nothing_half_written(tmp_path: Path) -> None:
    text = write_text(tmp_path / "a.txt", 200_000)
    arguments = [*GPT2, str(text), "--part", "10k", "--write", str(tmp_path / "ids")]
    full = (
        "import resource, sys; from explorer.cli.main import main\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    done = subprocess.run([sys.executable, "-c", full, *arguments], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "cannot be written (File too large); free some space" in done.stderr
    assert "--resume" in done.stderr
    assert not (tmp_path / "ids/gpt-2").exists()
    assert main([*arguments, "--resume"]) == 0
    assert open_ids(tmp_path / "ids/gpt-2").manifest["text_bytes"] == text.stat().st_size


# --- workers ----------------------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.xdist_group("cluster")
def test_a_lost_worker_changes_nothing(tmp_path: Path) -> None:
    text = write_text(tmp_path / "a.txt", 40_000)
    arguments = [*GPT2, str(text), "--part", "2k", "--output"]
    assert main([*arguments, str(tmp_path / "one.json")]) == 0
    with halted(1, [*arguments, tmp_path / "two.json", "--workers", "2"]) as (process, workers):
        assert len(workers) == 2
        os.kill(workers[0], signal.SIGKILL)
        _, said = process.communicate("")
    assert (process.returncode, said) == (0, "")
    assert (tmp_path / "two.json").read_bytes() == (tmp_path / "one.json").read_bytes()


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense", "tcp://"])
def test_a_missing_scheduler_gives_a_one_line_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], address: str
) -> None:
    text = write_text(tmp_path / "a.txt", 100)
    assert f"{address}: no scheduler answers" in refused(capsys, text, "--scheduler", address)


def test_a_job_does_not_read_its_own_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_text(tmp_path / "a.txt", 2_000)
    once = [*GPT2, str(tmp_path), "--output", str(tmp_path / "out.csv")]
    assert main(once) == 0
    first = (tmp_path / "out.csv").read_bytes()
    (tmp_path / "out.csv.parts").mkdir()
    (tmp_path / "out.csv.parts" / "left.txt").write_text("left over")
    assert main(once) == 0
    assert (tmp_path / "out.csv").read_bytes() == first
    capsys.readouterr()
    assert main([*GPT2, str(tmp_path / "out.csv"), "--output", str(tmp_path / "out.csv")]) == 1
    assert "the job writes here" in capsys.readouterr().err
    assert (tmp_path / "out.csv").read_bytes() == first


def test_two_jobs_do_not_share_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = write_text(tmp_path / "a.txt", 20_000)
    arguments = [*GPT2, str(text), "--part", "2k", "--output", str(tmp_path / "out.json")]
    with halted(2, arguments):
        capsys.readouterr()
        for more in ([], ["--resume"]):
            assert main([*arguments, *more]) == 1
            assert "another job works here" in capsys.readouterr().err
    assert main([*arguments, "--resume"]) == 0


def test_progress_moves_within_a_part(tmp_path: Path) -> None:
    text = write_text(tmp_path / "a.txt", 3_000_000)
    seen: list[Progress] = []
    job = plan([str(text)], chosen(["gpt-2"], {}))
    run_job(job.tasks, job.work, seen.append)
    assert {(each.tasks, each.all_tasks) for each in seen} == {(0, 1), (1, 1)}
    done = [each.done for each in seen]
    assert done == sorted(done)
    assert done[0] == 0 < done[1] < done[-1] == text.stat().st_size
