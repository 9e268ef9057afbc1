"""What many tests share: the bundled tokenizer and its original, each opened once."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

import explorer
from explorer.engine.fast import encoder
from tests import tiers
from tests.bundled import bundled, share
from tests.opening.hub_fixtures import cache as cache
from tests.opening.hub_fixtures import here as here
from tests.opening.hub_fixtures import hub as hub
from tests.originals.llama_cpp import LlamaCpp

# where no bytecode is written beside the source, each process that a test starts would compile all that it imports
if sys.dont_write_bytecode:
    sys.dont_write_bytecode, sys.pycache_prefix = False, str(Path(__file__).parent.parent / ".pytest_cache/bytecode")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix

# CI machines are shared and slow at times: no test asserts a time, and neither does hypothesis
settings.register_profile("project", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
settings.load_profile("project")

# every test's first text goes the fast way; its spans come from the stages, so parity is tested for both
encoder.PAYS = 0
share()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--tier", choices=tiers.TIERS, default="quick", help="quick (the default), long: what quick leaves, all"
    )


def pytest_configure(config: pytest.Config) -> None:
    tiers.chosen_tier = config.getoption("--tier")
    config.pluginmanager.register(tiers.Tiers(tiers.chosen_tier), "tiers")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object | None:
    """Hands out whole files in the quick tier, and of the browser tests: what a file shares is made by one worker.

    Files of browser tests come first: they wait, so their length is the least sure.
    """
    if config.getoption("dist") != "loadgroup":
        return None
    from xdist.scheduler import LoadGroupScheduling

    class Files(LoadGroupScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            group: str = super()._split_scope(nodeid)
            whole = tiers.chosen_tier == "quick" or tiers.in_browser(group)
            return group.partition("::")[0] if whole else group

        def _assign_work_unit(self, node: Any) -> None:
            first = min(self.workqueue, key=lambda group: not tiers.in_browser(group))
            self.workqueue.move_to_end(first, last=False)
            super()._assign_work_unit(node)

    return Files(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collects without the garbage collector, which would search all modules and tests again and again; they stay.

    Later it runs less often than usual: it would search every vocabulary that is open.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()
        gc.set_threshold(20_000, 10, 50)


@pytest.fixture(scope="session")
def llama2() -> explorer.Tokenizer:
    return bundled("llama-2")


@pytest.fixture(scope="session")
def original() -> Iterator[LlamaCpp]:
    """llama.cpp itself on the same file."""
    with LlamaCpp(explorer.catalog()["llama-2"].path) as model:
        yield model


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package as `pip install` builds it, with the tools of requirements-dev.txt instead of downloaded ones."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", folder, "."]
    subprocess.run(build, check=True, capture_output=True, cwd=Path(__file__).parent.parent)
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder the package is installed in: its script is `bin/explorer`, to be run with the folder as PYTHONPATH."""
    folder = tmp_path_factory.mktemp("installed")
    # compiled is what its tests import, and once
    install = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--no-compile"]
    subprocess.run([*install, "--target", folder, wheel], check=True, capture_output=True)
    return folder
