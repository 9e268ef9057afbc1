"""Writes into a package its dependencies, its commit, its documents, and the addresses of its repository.

Dependencies are listed once, in the files that README's commands use.

The commit (`explorer --version`) is from `EXPLORER_COMMIT`, where a build has no repository, such as a container's;
else from git; without either, nothing. The documents (`explorer docs`) are those that `mkdocs build` has written
before, if it has. The addresses are those of the repository that the clone is of, if it is on the web. A wheel built
from a source package has what that one was given.
"""

import os
import re
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface


class PackageHook(BuildHookInterface):  # type: ignore[misc, type-arg]
    """Adds explorer/bundle/commit.txt and the documents."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Before the build."""
        commit = os.environ.get("EXPLORER_COMMIT", "") or of_git(self.root, "rev-parse", "HEAD")
        if commit:
            written = Path(self.directory) / "commit.txt"
            written.parent.mkdir(parents=True, exist_ok=True)
            written.write_text(commit)
            build_data["force_include"][str(written)] = "explorer/bundle/commit.txt"
        documents = Path(self.root, "dist", "docs")
        if (documents / "index.html").is_file():
            there = "dist/docs" if self.target_name == "sdist" else "explorer/bundle/docs"
            build_data["force_include"][str(documents)] = there


class MetadataHook(MetadataHookInterface):  # type: ignore[misc]
    """Sets what pyproject.toml leaves open; a source package has it in its PKG-INFO."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Sets dependencies, and the addresses of `EXPLORER_REPOSITORY`, else of the clone's remote."""
        remote = os.environ.get("EXPLORER_REPOSITORY", "") or of_git(self.root, "remote", "get-url", "origin")
        metadata.setdefault("urls", addresses(remote))
        metadata.setdefault("dependencies", requirements(self.root, "requirements.txt"))
        metadata.setdefault("optional-dependencies", {"corpus": requirements(self.root, "requirements-corpus.txt")})


def requirements(root: str, name: str) -> list[str]:
    """The lines of a file of requirements without its comments."""
    rows = (line.partition("#")[0].strip() for line in Path(root, name).read_text("utf-8").splitlines())
    return [row for row in rows if row]


def addresses(remote: str) -> dict[str, str]:
    """The addresses of a repository on the web, by label; none for a remote that browsers don't open."""
    found = re.fullmatch(r"(?:https://|git@)([\w.-]+\.\w+)[:/]([\w.-]+/[\w.-]+?)(?:\.git)?/?", remote)
    if found is None:
        return {}
    home = f"https://{found[1]}/{found[2]}"
    return {
        "Repository": home,
        "Issues": f"{home}/issues",
        "Documentation": f"{home}/tree/main/docs",
        "Changelog": f"{home}/blob/main/CHANGELOG.md",
    }


def of_git(root: str, *words: str) -> str:
    """What git says in the folder of a clone, "" where it says nothing."""
    if not Path(root, ".git").exists():
        return ""  # of a source package, whose folder may be in another repository
    try:
        found = subprocess.run(["git", "-C", root, *words], capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return found.stdout.strip() if found.returncode == 0 else ""
