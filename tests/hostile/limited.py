"""Runs code in a separate process whose memory is limited, beyond what its imports take."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]

BOUND: Final = """
import resource
with open("/proc/self/statm") as _file:
    _now = int(_file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (_now + {megabytes} * 1_000_000,) * 2)
"""


def run(imports: str, code: str, megabytes: int, *arguments: str | os.PathLike[str]) -> str:
    """The output of `code`, run after `imports` with this much more memory. Fails with its errors.

    >>> run("import sys", "print(len(bytes(10**7)), sys.argv[1])", 100, "x")
    '10000000 x'
    """
    program = f"{imports}\n{BOUND.format(megabytes=megabytes)}\n{code}"
    # one arena and one thread per library: reserved memory counts even if it is never used
    quiet = {"MALLOC_ARENA_MAX": "1", "OMP_NUM_THREADS": "1", "ARROW_DEFAULT_MEMORY_POOL": "system"}
    done = subprocess.run(
        [sys.executable, "-c", program, *map(os.fspath, arguments)],
        cwd=ROOT, env=os.environ | quiet, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.strip()
