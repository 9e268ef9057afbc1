"""A server that is killed: its jobs end with it, and the next server deletes what it left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep

import pytest

from explorer.answers.corpus_jobs import LOCKED, JobFolder, delete_abandoned
from explorer.answers.processes import PAUSE, environment

SERVER = """
import time
from explorer.answers import corpus_jobs as jobs
from explorer.answers.offers import TokenizerSpec, bundled
request = jobs.JobRequest((TokenizerSpec(bundled()["gpt-2"], "huggingface"),))
texts = {"a.txt": b"".join(b"line %d of a text\\n" % number for number in range(1_500_000))}
waits, runs = jobs.CorpusJob(texts, request), jobs.CorpusJob(texts, request)
runs.start()
while not runs.state.pace.of:
    time.sleep(0.01)
print(waits.folder, runs.folder, *jobs.RUNNING, flush=True)
time.sleep(100)
"""


def comes_to(what: Callable[[], bool]) -> bool:
    """Whether it is so, within some seconds."""
    until = monotonic() + 30
    while not what() and monotonic() < until:
        sleep(0.02)
    return what()


def ended(pid: int) -> bool:
    """Whether a process has ended, also if nobody has asked for its status."""
    try:
        return not Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return True


def stopped(pid: int) -> bool:
    """Whether a process is paused."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"


STARTER = """
import subprocess, sys, time
started = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(100)"], process_group=0)
print(started.pid, flush=True)
time.sleep(100)
"""


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="asks Linux which processes run")
def test_a_pause_sent_just_before_the_server_was_killed_leaves_nothing_paused() -> None:
    with subprocess.Popen([sys.executable, "-c", STARTER], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        pid = int(server.stdout.readline())
        os.kill(pid, PAUSE)
        assert comes_to(lambda: stopped(pid)), "while there is a server, it pauses"
        os.kill(pid, signal.SIGCONT)
        assert comes_to(lambda: not stopped(pid))
        server.kill()
    os.kill(pid, PAUSE)
    try:
        sleep(0.2)
        assert not stopped(pid)
    finally:
        os.kill(pid, signal.SIGKILL)


@pytest.mark.long
@pytest.mark.parametrize("paused", [False, True], ids=["computing", "paused"])
@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="asks Linux which processes run")
def test_jobs_end_with_their_server_however_it_ends(
    paused: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SERVER], env=environment() | {"TMPDIR": str(tmp_path)}, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        waits, runs, pid = server.stdout.readline().split()
        assert not ended(int(pid))
        if paused:
            os.kill(int(pid), PAUSE)
            assert comes_to(lambda: stopped(int(pid)))
        server.kill()
    assert comes_to(lambda: ended(int(pid)))
    assert not Path(runs).exists(), "nobody can go on with it"
    assert Path(waits).exists(), "it had no process"
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    mine, others = JobFolder(), tmp_path / f"{LOCKED}of-somebody-else"
    others.mkdir()
    (tmp_path / f"{LOCKED}link").symlink_to(mine.path)
    delete_abandoned()
    assert {*map(Path, os.listdir(tmp_path))} == {Path(mine.path.name), Path(others.name), Path(f"{LOCKED}link")}
    mine.delete()
    assert not mine.path.exists()
