"""Attacks that need another server or none, for `benchmarks.attacks`: memory that ends, a full disk, files of others.

Each starts what it needs beside the server whose visitors are measured. Needs Linux, and root for memory and disks.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from benchmarks.attackers import CHAT, FAULT, LONGEST, BrokenError, NotAttackedError, visitor
from benchmarks.served import Server, children, computed, free_port, served
from benchmarks.socket_session import Session
from tests.hostile.test_long_lists import alternating
from tests.prompts.test_hostile_templates import ONE_OPERATION
from tests.ui.small_files import tokenizer_json

ROOM: Final = 60_000_000
"""Bytes of memory that a server may still take before the kernel ends a process."""
DISK: Final = 16_000_000
"""Bytes of a disk for jobs."""
EXCHANGES: Final = 15.0
"""Seconds in which a file of the cache is exchanged."""


PLANTED: Final = """
import os, sys, tempfile
from pathlib import Path
folder = tempfile.mkdtemp()
os.environ["XDG_CACHE_HOME"] = folder
from explorer.compiled import kept
path = kept.root() / "code" / "machine.kept"
assert kept.save(path, (b"another's code",)), "nothing was planted"
os.chmod(path.parent, 0o777)
print(kept.load(path))
"""


def planted(address: str, folder: Path) -> list[str]:
    """Puts machine code into a cache folder that everybody may write to. Needs no server."""
    command = [sys.executable, "-c", PLANTED]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=LONGEST, check=False)
    if done.returncode:
        raise NotAttackedError(done.stderr[-200:])
    if done.stdout.strip() != "None":
        raise BrokenError("the planted code is loaded")
    return [done.stderr.strip()]


EXCHANGED: Final = """
import os, sys, tempfile, threading, time
from pathlib import Path
os.environ["XDG_CACHE_HOME"] = tempfile.mkdtemp()
from explorer.compiled import kept
folder = kept.root() / "code"
own, foreign, path = folder / "own" / "m.kept", folder / "foreign" / "m.kept", folder / "m.kept"
assert kept.save(own, ("own",)) and kept.save(foreign, ("another's",)) and kept.save(path, ("own",))
if os.geteuid():
    os.chmod(foreign, 0o666)
else:
    os.chown(foreign, 65534, 65534)
end, exchanged = time.monotonic() + float(sys.argv[1]), 0

def exchange():
    global exchanged
    while time.monotonic() < end:
        for new in (foreign, own, "link", "folder"):
            with_it = folder / "next"
            if new == "link":
                os.symlink(foreign, with_it)
            elif new != "folder":
                os.link(new, with_it)
            if new != "folder":
                os.replace(with_it, path)
            else:  # the folder above is exchanged for a link to one that others may write to, and back
                os.rename(folder, aside := folder.with_name("aside"))
                os.symlink(planted, folder)
                os.unlink(folder)
                os.rename(aside, folder)
            exchanged += 1

planted = Path(tempfile.mkdtemp())
os.chmod(planted, 0o777)
(planted / "m.kept").write_bytes(foreign.read_bytes())
thread = threading.Thread(target=exchange)
thread.start()
found = {"own": 0, "another's": 0, "refused": 0}
while thread.is_alive():
    made = kept.load(path)
    found[made[0] if made else "refused"] += 1
print(exchanged, found["own"], found["refused"], found["another's"])
"""


def exchanged(address: str, folder: Path) -> list[str]:
    """Exchanges a file of the cache for another's, for links, and its folder, while it is loaded. Needs no server."""
    command = [sys.executable, "-c", EXCHANGED, str(EXCHANGES)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=LONGEST, check=False)
    if done.returncode:
        raise NotAttackedError(done.stderr[-200:])
    times, own, refused, foreign = map(int, done.stdout.split())
    if foreign:
        raise BrokenError(f"another's file is loaded {foreign} times")
    if not own or not refused:
        raise NotAttackedError(f"loaded {own} times, refused {refused} times")
    return [f"{times:,} exchanges: the own file is loaded {own:,} times, another's never ({refused:,} refused)"]


RECIPE: Final[dict[str, Any]] = {
    "format": 2, "algorithm": "bpe", "as": "huggingface", "words": "none", "line_ends": True, "options": {},
    "unk_token": None, "corpus": "0" * 64,
}  # fmt: skip
"""A recipe of another corpus."""


def recipe(**options: Any) -> bytes:
    return json.dumps(RECIPE | {"options": options}).encode()


def hostile_recipes() -> dict[str, bytes]:
    """Recipes by what is wrong with them: 300 MB."""
    return {
        "nested lists": b"[" * 1_000_000,
        "nested objects": b'{"options":' * 1_000_000,
        "5,000 digits": json.dumps(RECIPE).encode().replace(b'"format": 2', b'"format": ' + b"9" * 5_000),
        "1e400": recipe().replace(b"{}", b'{"min_frequency": 1e400}'),
        "NaN": recipe().replace(b"{}", b'{"min_frequency": NaN}'),
        "one key twice": recipe().replace(b"{}", b'{"min_frequency": 1, "min_frequency": 2}'),
        "10⁹ tokens": recipe(vocab_size=10**9),
        "a negative size": recipe(vocab_size=-(10**9)),
        "a prefix of 10 MB": recipe(continuing_subword_prefix="x" * 10**7),
        "a million special tokens": recipe(special_tokens=[str(number) for number in range(10**6)]),
        "an option that is a path": recipe(**{"__class__": "/etc/passwd"}),
        "a terminal's commands": json.dumps(RECIPE | {"algorithm": "\x1b]0;owned\x07\x1b[2J"}).encode(),
        "a charsmap that is none": json.dumps(
            RECIPE | {"algorithm": "unigram", "as": "sentencepiece", "options": {"charsmap": "ff" * 10**6}}
        ).encode(),
        "no text": bytes(range(256)) * 1_000,
        "another corpus": recipe(),
        "200 MB": b'{"format": "' + b"x" * 200_000_000 + b'"}',
    }


def recipes(address: str, folder: Path) -> list[str]:
    """Trains from hostile recipes on the command line. Needs no server: a page takes no recipe."""
    with tempfile.TemporaryDirectory() as place:
        corpus, given, output = Path(place, "text.txt"), Path(place, "recipe.json"), Path(place, "made")
        corpus.write_text("low lower lowest\n" * 100, "utf-8")
        for name, data in (hostile := hostile_recipes()).items():
            given.write_bytes(data)
            made = output.with_suffix(".model" if b"sentencepiece" in data else ".json")
            command = ["-m", "explorer", "train", "--replay", str(given), "--output", str(made), str(corpus)]
            done = subprocess.run(
                [sys.executable, *command], cwd=folder, capture_output=True, text=True, timeout=LONGEST, check=False,
                preexec_fn=limit_to_two_gigabytes,
            )  # fmt: skip
            said = done.stderr.strip()
            if done.returncode != 1 or "Traceback" in said or "\n" in said or "\x1b" in said or len(said) > 1_000:
                raise BrokenError(f"{name}: status {done.returncode}, {said[-200:]!r}")
            if any(each not in (corpus, given) for each in Path(place).iterdir()):
                raise BrokenError(f"{name}: a vocabulary is written")
    return [f"{len(hostile)} recipes are refused in one line"]


def streams_and_samples(address: str, folder: Path) -> list[str]:
    """Streams and samples of any size on the command line. Needs no server: a page asks for neither size."""
    asked = (
        ("nbest", "-m", "xlm-r", "-n", "1000000000", "able"),
        ("sample", "-m", "xlm-r", "--alpha", "nan", "able"),
        ("sample", "-m", "gpt-2", "--alpha", "inf", "able"),
        ("sample", "-m", "gpt-2", "--count", "1000000", "able"),
        ("sample", "-m", "gpt-2", "--count", "10000", "able " * 1_000),
        ("sample", "-m", "gpt-2", "--seed", "-1", "able"),
        ("stream", "-m", "llama-2", "243," * 20_000),
        ("stream", "-m", "llama-2", "--text", "ab " * 20_000),
    )
    for arguments in asked:
        done = subprocess.run(
            [sys.executable, "-m", "explorer", *arguments], cwd=folder, capture_output=True, text=True, timeout=LONGEST,
            check=False, preexec_fn=limit_to_two_gigabytes,
        )  # fmt: skip
        said, name = done.stderr.strip(), " ".join(arguments)[:60]
        if done.returncode != 1 or "Traceback" in said or "\n" in said or len(said) > 1_000:
            raise BrokenError(f"{name}: status {done.returncode}, {said[-200:]!r}")
    return [f"{len(asked)} streams and samples are refused in one line"]


def id_lists(address: str, folder: Path) -> list[str]:
    """Round trips of 10 MB of ids on the command line: many lists, one list, and text that is none."""
    some = " ".join(str(300 + 7919 * number % 29_000) for number in range(200))
    texts = {
        "lists": (f"[{some}]\n" * 50 + f"[{'318, ' * 10_000}318]\n" * 200, 1),
        "one list": (f"[{'318, ' * 2_000_000}318]", 2),
        "no list": ("ids = (" * 1_500_000, 2),
        "one number": ("9" * 10_000_000, 2),
    }
    for name, (text, status) in texts.items():
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
            file.write(text)
            file.flush()
            done = subprocess.run(
                [sys.executable, "-m", "explorer", "roundtrip", "-m", "gpt-2", "--ids", file.name], cwd=folder,
                capture_output=True, text=True, timeout=10 * LONGEST, check=False, preexec_fn=limit_to_two_gigabytes,
            )  # fmt: skip
        said = done.stderr.strip()
        if done.returncode != status or "Traceback" in said or "\n" in said or len(said) > 1_000:
            raise BrokenError(f"{name}: status {done.returncode}, {said[-200:]!r}")
    return [f"{len(texts)} files of ids are answered, or refused in one line"]


def limit_to_two_gigabytes() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (2 * 10**9, 2 * 10**9))


class Group:
    """A group of processes whose memory the kernel limits (cgroup, version 1)."""

    def __init__(self) -> None:
        own = next((line for line in Path("/proc/self/cgroup").read_text().splitlines() if ":memory:" in line), "")
        above = Path("/sys/fs/cgroup/memory") / own.rpartition(":")[2].lstrip("/")
        self.path = above / f"attack-{uuid4().hex[:8]}"
        try:
            self.path.mkdir()
        except OSError as error:
            raise NotAttackedError(f"no group with a limit of memory can be made: {error.strerror}") from None

    def add(self, pid: int) -> None:
        """Adds a process and its descendants."""
        for each in (pid, *children(pid)):
            (self.path / "cgroup.procs").write_text(str(each))

    def leave(self, room: int) -> None:
        """Limits memory to what is used now, and so many bytes more."""
        used = int((self.path / "memory.usage_in_bytes").read_text())
        (self.path / "memory.limit_in_bytes").write_text(str(used + room))

    @property
    def ended(self) -> int:
        """Processes that the kernel ended."""
        return int((self.path / "memory.oom_control").read_text().split()[-1])

    def remove(self) -> None:
        """Removes the group once its processes have ended."""
        for _ in range(50):
            with suppress(OSError):
                self.path.rmdir()
                return
            time.sleep(0.1)


@contextmanager
def server_in_a_group(folder: Path) -> Iterator[tuple[Server, Group]]:
    group = Group()
    try:
        with served(free_port(), folder) as server:
            group.add(server.pid)
            server.wait()
            group.add(server.pid)
            yield server, group
    finally:
        group.remove()


def kernel_ends_a_worker(address: str, folder: Path) -> list[str]:
    """A file that takes more memory than the unit has left: the kernel ends the visitor's process, and no other."""
    with server_in_a_group(folder) as (server, group):
        own = server.address.removeprefix("http://")
        with visitor(own) as other, visitor(own) as session:
            session.send_file("tokenizer.json", tokenizer_json(normalizer=alternating(490)), LONGEST)
            group.leave(ROOM)
            session.type("ab" * 50_000, seconds=LONGEST)
            said = session.said
            if not group.ended:
                raise NotAttackedError(f"the kernel ended nothing; the page says {said}")
            if server.process.poll() is not None:
                raise BrokenError("the kernel ended the server")
            other.type("hello", seconds=LONGEST)
            session.type("ab", seconds=LONGEST)
            if session.said:
                raise BrokenError(f"the visitor does not go on: {session.said}")
            return [f"the kernel ended {group.ended} process; {' '.join(said)}"]


def killed_while_it_answers(address: str, folder: Path) -> list[str]:
    """A visitor's process is ended by signal 9 while it renders a template, and while it runs a pattern."""
    with served(free_port(), folder) as server:
        server.wait()
        own = server.address.removeprefix("http://")
        busy: tuple[tuple[str, str, Callable[[Session], object]], ...] = (
            ("prompt", "m=qwen2.5", lambda page: page.ask(CHAT, ONE_OPERATION[0], LONGEST)),
            ("", "m=gpt-2&text=a&pattern=b&stage=pre-tokenize", lambda page: page.type("(a|aa)+!", "pattern", LONGEST)),
        )
        said = []
        for path, query, ask in busy:
            with visitor(own, query, path) as session, ThreadPoolExecutor(1) as pool:
                if not path:
                    session.type("a" * 60, seconds=LONGEST)
                before = {pid: computed(pid) for pid in children(server.pid)}
                asked = pool.submit(ask, session)
                killed = busiest(server.pid, before)
                asked.result()
                if not killed:
                    raise NotAttackedError(f"no process computes; the page says {session.said}")
                if len(session.said) != 1 or FAULT in session.said[0] or session.said[0].startswith("EXCEPTION"):
                    raise BrokenError(f"{path or 'explore'}: {session.said}")
                said += session.said
                if path:
                    session.ask(CHAT, "{{ messages[0].content }}", LONGEST)
                else:
                    session.type("b", "pattern", LONGEST)
                if session.said:
                    raise BrokenError(f"the visitor does not go on: {session.said}")
        if server.process.poll() is not None:
            raise BrokenError("the server ended")
        return said


def busiest(server: int, before: dict[int, float]) -> int:
    """Ends the first descendant that computes for 0.3 s more than before and has no other; its number, 0 if none."""
    until = time.monotonic() + 20
    while time.monotonic() < until:
        for pid in children(server):
            with suppress(OSError):
                if not children(pid) and computed(pid) - before.get(pid, 0.0) > 0.3:
                    os.kill(pid, signal.SIGKILL)
                    return pid
        time.sleep(0.02)
    return 0


def full_disk(address: str, folder: Path) -> list[str]:
    """Jobs on a server whose disk is full before they begin, or becomes full: each says so, and nothing is left."""
    place = tempfile.mkdtemp()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", place], check=False).returncode:
        raise NotAttackedError("no small disk can be mounted")
    said, text = [], b"a line of this text\n" * 100_000
    try:
        with served(free_port(), folder, TMPDIR=place) as server:
            server.wait()
            own = server.address.removeprefix("http://")
            with visitor(own):
                filler, usual = Path(place, "filler"), set(os.listdir(place))
            for room in (0, len(text) // 2, len(text) + 10_000, DISK):
                filler.unlink(missing_ok=True)
                with visitor(own, "", "corpus") as session:
                    session.press("Count my own text", LONGEST)
                    session.send_file("texts.txt", text, LONGEST)
                    filler.write_bytes(bytes(max(0, os.statvfs(place).f_bavail * os.statvfs(place).f_bsize - room)))
                    session.press("Count", LONGEST)
                    said.append(job_ended(session))
                if said[-1].startswith("EXCEPTION") or place in said[-1]:
                    raise BrokenError(said[-1])
            time.sleep(15)
            if left := set(os.listdir(place)) - usual - {filler.name}:
                raise BrokenError(f"left on the disk: {left}")
    finally:
        subprocess.run(["umount", place], check=True)
        os.rmdir(place)
    if ["t keep" in each for each in said] != [True, True, True, False]:
        raise NotAttackedError(f"the disk was not full, or always: {said}")
    return said


def job_ended(session: Session) -> str:
    """What a job says when it has ended."""
    until = time.monotonic() + LONGEST
    while "Stop" in session.buttons and time.monotonic() < until:
        session.buttons.clear()
        time.sleep(0.5)
        session.run(LONGEST)
    return " ".join(session.said) or "counted"
