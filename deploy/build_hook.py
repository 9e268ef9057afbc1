"""Writes into a wheel the commit that it is built from (`explorer --version`), and the documents (`explorer docs`).

The commit is from `EXPLORER_COMMIT`, where a build has no repository, such as a container's; else from git; without
either, nothing. The documents are those that `mkdocs build` has written before, if it has.
"""

import os
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CommitHook(BuildHookInterface):  # type: ignore[misc, type-arg]
    """Adds explorer/bundle/commit.txt and explorer/bundle/docs."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Before the build."""
        commit = os.environ.get("EXPLORER_COMMIT", "") or commit_of(self.root)
        if commit:
            written = Path(self.directory) / "commit.txt"
            written.parent.mkdir(parents=True, exist_ok=True)
            written.write_text(commit)
            build_data["force_include"][str(written)] = "explorer/bundle/commit.txt"
        documents = Path(self.root, "dist", "docs")
        if (documents / "index.html").is_file():
            build_data["force_include"][str(documents)] = "explorer/bundle/docs"


def commit_of(root: str) -> str:
    """The commit of the repository at a folder, "" without one."""
    try:
        found = subprocess.run(["git", "-C", root, "rev-parse", "HEAD"], capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return found.stdout.strip() if found.returncode == 0 else ""
