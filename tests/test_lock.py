"""requirements.lock pins every package that requirements.txt asks for, within its range, by hashes."""

from __future__ import annotations

import re
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
PINNED = re.compile(r"^([\w.-]+)==(\S+)((?: \\\n    --hash=sha256:[0-9a-f]{64})+)$", re.MULTILINE)


def test_the_lock_is_within_the_ranges() -> None:
    lock = (ROOT / "requirements.lock").read_text("utf-8")
    pinned = {name.lower(): version for name, version, _ in PINNED.findall(lock)}
    assert len(pinned) == len(re.findall(r"^\w", lock, re.MULTILINE)), "each package has a version and hashes"
    lines = (ROOT / "requirements.txt").read_text("utf-8").splitlines()
    for asked in (Requirement(line) for line in lines if line and not line.startswith("#")):
        assert asked.specifier.contains(pinned[asked.name]), asked
