"""The package as others install it: what the wheel holds, and that its command works away from the clone."""

from __future__ import annotations

import _thread
import os
import signal
import subprocess
import sys
import tarfile
import tomllib
import urllib.request
from pathlib import Path
from threading import Thread
from zipfile import ZipFile

import pytest

import explorer
from explorer.cli.main import main

ROOT = Path(explorer.__file__).parent.parent
INFO = f"tokenizer_explorer-{explorer.__version__}.dist-info"

pytestmark = pytest.mark.xdist_group("installed")  # the wheel is built once


def tree() -> dict[str, Path]:
    """Every file the wheel must hold, by its path there: the package, and what lies beside it in the clone."""
    found = {}
    for top, there in (("explorer", "explorer"), ("vocabs", "explorer/bundle/vocabs"),
                       (".streamlit", "explorer/bundle/.streamlit")):  # fmt: skip
        for path in (ROOT / top).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                found[f"{there}/{path.relative_to(ROOT / top).as_posix()}"] = path
    return found | {"explorer/bundle/app.py": ROOT / "app.py"}


@pytest.mark.long
def test_the_wheel_holds_the_tree_and_nothing_else(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if not name.startswith(f"{INFO}/")}
        files = tree()
        documents = {name for name in names if name.startswith("explorer/bundle/docs/")}
        assert names - documents == {*files, "explorer/bundle/commit.txt"}
        assert bool(documents) == (ROOT / "dist" / "docs" / "index.html").is_file(), "if they were built before"
        assert {Path(name).suffix for name in names} >= {".py", ".js", ".css", ".tsv", ".typed", ".toml", ".model"}
        for name, path in files.items():
            assert archive.read(name) == path.read_bytes(), name


@pytest.mark.long
def test_the_wheel_needs_what_the_requirements_say(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        lines = archive.read(f"{INFO}/METADATA").decode().split("\n\n", 1)[0].splitlines()
    needs = {line.partition(": ")[2] for line in lines if line.startswith("Requires-Dist:")}
    always = {need for need in needs if ";" not in need}
    corpus = {need.partition(";")[0].strip() for need in needs - always}

    def listed(file: str) -> set[str]:
        rows = (ROOT / file).read_text("utf-8").splitlines()
        return {spelled(row) for row in rows if row and not row.startswith("#")}

    def spelled(need: str) -> tuple[str, frozenset[str]]:
        name = need.partition(">")[0].partition("<")[0]
        return name, frozenset(need.removeprefix(name).split(","))

    assert {spelled(need) for need in always} == listed("requirements.txt")
    assert {spelled(need) for need in corpus} == listed("requirements-corpus.txt")
    assert f"Version: {explorer.__version__}" in lines


@pytest.mark.long
def test_a_wheel_from_the_source_package_is_the_same(wheel: Path, tmp_path: Path) -> None:
    """`python -m build` makes it so, and whoever installs from source: without git, and away from the clone."""
    build = [sys.executable, "-m", "hatchling", "build", "-d", str(tmp_path)]
    subprocess.run([*build, "-t", "sdist"], check=True, capture_output=True, cwd=ROOT)
    (source,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(source) as archive:
        archive.extractall(tmp_path, filter="data")
    folder = tmp_path / source.name.removesuffix(".tar.gz")
    subprocess.run([*build, "-t", "wheel"], check=True, capture_output=True, cwd=folder)
    (again,) = tmp_path.glob("*.whl")
    with ZipFile(wheel) as one, ZipFile(again) as other:
        assert set(one.namelist()) == set(other.namelist())
        for name in (f"{INFO}/METADATA", "explorer/bundle/commit.txt", f"{INFO}/licenses/vocabs/LICENSES.md"):
            assert one.read(name) == other.read(name), name


def command(installed: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The installed command, in a folder that is not the clone."""
    environment = os.environ | {"PYTHONPATH": str(installed)}
    return subprocess.run([installed / "bin" / "explorer", *arguments], capture_output=True, text=True, cwd=folder,
                          env=environment)  # fmt: skip


@pytest.mark.long
def test_the_command_works_from_anywhere(installed: Path, tmp_path: Path) -> None:
    commit = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, cwd=ROOT, check=True).stdout
    said = command(installed, tmp_path, "--version").stdout
    assert said == f"tokenizer-explorer {explorer.__version__} (commit {commit[:12]})\n"
    assert command(installed, tmp_path, "encode", "-m", "gpt-2", "hi").stdout == "5303\n"
    usage = command(installed, tmp_path, "encode")
    assert usage.returncode == 2
    assert usage.stderr.startswith("usage: explorer encode ")
    where = subprocess.run([sys.executable, "-c", "import explorer; print(explorer.__file__)"], capture_output=True,
                           text=True, cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(installed)})  # fmt: skip
    assert Path(where.stdout.strip()) == installed / "explorer" / "__init__.py"


def test_the_documents_are_served_where_they_were_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    pages: list[bytes] = []
    kinds: list[str] = []
    monkeypatch.setattr("mimetypes.guess_file_type" if sys.version_info >= (3, 13) else "mimetypes.guess_type",
                        lambda path: ("text/plain", None))  # as a registry of Windows may say  # fmt: skip

    def read(address: str) -> None:
        """Stands for the browser, which asks once the server answers; ends the server as Ctrl-C does."""

        def ask() -> None:
            with urllib.request.urlopen(address) as answer:
                pages.append(answer.read())
            with urllib.request.urlopen(f"{address}/search.js") as answer:
                kinds.append(answer.headers.get_content_type())
            _thread.interrupt_main()

        Thread(target=ask).start()

    monkeypatch.setattr("webbrowser.open", read)
    monkeypatch.setattr("explorer.cli.app.DOCUMENTS", tmp_path)
    assert main(["docs"]) == 1
    assert str(tmp_path) in capfd.readouterr().err
    (tmp_path / "index.html").write_text("<h1>Here</h1>")
    (tmp_path / "search.js").touch()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a run in the background ignores it
    try:
        assert main(["docs"]) == 130
    finally:
        signal.signal(signal.SIGINT, before)
    assert pages == [b"<h1>Here</h1>"]
    assert kinds == ["text/javascript"]  # a browser starts no worker from a plain text


@pytest.mark.parametrize("arguments", [["nonsense"], ["--tokenise", "x"], ["--server.nonsense", "1"]])
def test_what_neither_the_app_nor_streamlit_knows_is_wrong_usage(
    arguments: list[str], installed: Path, tmp_path: Path
) -> None:
    done = command(installed, tmp_path, "app", *arguments)
    assert done.returncode == 2
    assert arguments[0] in done.stderr
    assert "Traceback" not in done.stderr


def test_the_plain_command_watches_no_files() -> None:
    with (ROOT / ".streamlit" / "config.toml").open("rb") as file:
        assert tomllib.load(file)["server"]["fileWatcherType"] == "none"


def test_every_setting_of_the_app_is_one_that_streamlit_knows() -> None:
    from streamlit import config

    with (ROOT / ".streamlit" / "config.toml").open("rb") as file:
        settings = tomllib.load(file)
    known = config.get_config_options()
    assert {f"{section}.{key}" for section in ("server", "runner") for key in settings[section]} <= set(known)
