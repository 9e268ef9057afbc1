"""Machine code is loaded from files that only the user can have written."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from explorer.compiled import build, kept

pytestmark = pytest.mark.skipif(not kept.CHECKED, reason="no owners and modes here")
IS_ROOT = os.name == "posix" and os.geteuid() == 0


@pytest.fixture
def planted(tmp_path: Path) -> Path:
    """A file in the cache that is as it should be."""
    path = tmp_path / "cache" / kept.FOLDER / "code" / "one.kept"
    old = os.umask(0o002)
    try:
        assert kept.save(path, (7,))
    finally:
        os.umask(old)
    assert kept.load(path) == (7,)
    return path


def linked(path: Path) -> None:
    """Moves a file or folder elsewhere and puts a link in its place."""
    path.rename(path.with_name("elsewhere"))
    path.symlink_to(path.with_name("elsewhere"))


ATTACKS: dict[str, Callable[[Path], object]] = {
    "a file that others write": lambda path: path.chmod(0o620),
    "a folder that others write": lambda path: path.parent.chmod(0o770),
    "a cache that others write": lambda path: path.parents[1].chmod(0o702),
    "a folder above that others write": lambda path: path.parents[2].chmod(0o775),
    "a linked file": linked,
    "a linked folder": lambda path: linked(path.parent),
    "a linked cache": lambda path: linked(path.parents[1]),
    "a linked folder above": lambda path: linked(path.parents[2]),
    "a sticky folder as the cache": lambda path: path.parent.chmod(0o1777),
}
OF_ROOT: dict[str, Callable[[Path], object]] = {
    "another's file": lambda path: os.chown(path, 65534, 65534),
    "another's folder": lambda path: os.chown(path.parent, 65534, 65534),
    "another's cache": lambda path: os.chown(path.parents[1], 65534, 65534),
    "another's folder above": lambda path: os.chown(path.parents[2], 65534, 65534),
}


@pytest.mark.sample(len(ATTACKS) + len(OF_ROOT))
@pytest.mark.parametrize("attack", [*ATTACKS, *OF_ROOT])
def test_what_others_could_have_written_is_not_loaded(
    attack: str, planted: Path, caplog: pytest.LogCaptureFixture
) -> None:
    if attack in OF_ROOT and not IS_ROOT:
        pytest.skip("only root can give files away")
    kept.say_once.cache_clear()
    (ATTACKS | OF_ROOT)[attack](planted)
    with caplog.at_level(logging.WARNING):
        assert kept.load(planted) is None
        for _ in range(3):
            assert kept.kept(planted, lambda: "made anew") == "made anew"
    assert len(caplog.records) == 1
    assert "\n" not in caplog.text.strip()
    # a file in a folder of one's own is replaced
    assert kept.is_kept(planted.parent) == ("file" in attack)
    assert kept.load(planted) == ("made anew" if "file" in attack else None)


def test_a_file_exchanged_while_it_is_loaded_is_never_anothers(planted: Path) -> None:
    foreign = planted.with_name("foreign") / planted.name  # the digest is of the name, too
    assert kept.save(foreign, (666,))
    foreign.chmod(0o666)
    own = planted.with_name("own.kept")
    os.link(planted, own)
    loads, ended = set[object](), threading.Event()

    def exchange() -> None:
        while not ended.is_set():
            for each in (foreign, own):
                os.link(each, planted.with_name("next"))
                os.replace(planted.with_name("next"), planted)

    thread = threading.Thread(target=exchange)
    thread.start()
    try:
        for _ in range(5_000):
            loads.add(kept.load(planted))
    finally:
        ended.set()
        thread.join()
    assert loads == {None, (7,)}


def test_a_relative_path_is_not_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", "cache")
    path = kept.root() / "one.kept"
    assert not kept.save(path, (7,))
    assert not [*tmp_path.iterdir()]
    tmp_path.joinpath("cache").mkdir()
    assert kept.load(path) is None


def test_what_is_made_is_for_the_user_alone(planted: Path) -> None:
    for each in (planted, *planted.parents[:3]):
        assert each.stat().st_mode & 0o077 == 0, each


def test_a_pipe_in_place_of_a_file_blocks_nothing(tmp_path: Path) -> None:
    path = tmp_path / "one.kept"
    os.mkfifo(path, 0o600)
    assert kept.load(path) is None


def test_planted_machine_code_is_compiled_anew(planted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    planted.parent.chmod(0o777)
    monkeypatch.setattr(build, "folder", lambda: planted.parent)
    monkeypatch.setattr(build, "processor", lambda: planted.stem)
    monkeypatch.setattr(build, "functions", lambda code, names: code)
    monkeypatch.setattr(build, "compiled_anew", lambda: b"own")
    assert not build.is_compiled()
    assert build.compiled.__wrapped__() == b"own"
