"""A release: one version in all files, a changelog in its form, and what the reference says of versions."""

from __future__ import annotations

import re
import tomllib
import warnings
from pathlib import Path

import pytest
from hatchling.metadata.core import ProjectMetadata
from hatchling.plugin.manager import PluginManager

import explorer
from explorer.cli.main import main
from explorer.cli.parser import declared
from explorer.corpus.sources import KINDS as SUFFIXES
from explorer.corpus.sources import PACKED
from explorer.errors import FORMER
from explorer.views.glossary import WORDS
from tests.modules import deployed

ROOT = Path(explorer.__file__).parent.parent
CHANGES = (ROOT / "CHANGELOG.md").read_text("utf-8")
VERSIONS = re.findall(r"^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)$", CHANGES, re.MULTILINE)
KINDS = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]


def test_the_files_agree_on_the_version_and_its_date() -> None:
    cited = dict(re.findall(r"^(version|date-released): (\S+)$", (ROOT / "CITATION.cff").read_text("utf-8"), re.M))
    assert VERSIONS[0] == (explorer.__version__, cited["date-released"])
    assert cited["version"] == explorer.__version__
    entry = (ROOT / "docs" / "tutorials" / "paper.md").read_text("utf-8")
    assert dict(re.findall(r"^  (version|date) += \{(\S+)\},$", entry, re.M)) == {
        "version": cited["version"], "date": cited["date-released"],
    }  # fmt: skip


def test_the_changelog_keeps_its_form() -> None:
    """Keep a Changelog 1.1.0: newest first, kinds of change, dates of ISO 8601, a link for each version."""
    headings = re.findall(r"^## (.*)$", CHANGES, re.MULTILINE)
    assert headings == ["[Unreleased]", *(f"[{version}] - {date}" for version, date in VERSIONS)]
    assert sorted(VERSIONS, key=lambda each: [int(part) for part in each[0].split(".")], reverse=True) == VERSIONS
    for section in re.split(r"^## .*$", CHANGES, flags=re.MULTILINE)[1:]:
        kinds = re.findall(r"^### (.*)$", section, re.MULTILINE)
        assert kinds == [kind for kind in KINDS if kind in kinds]
    links = re.findall(r"^\[(\S+)\]: \S+$", CHANGES, re.MULTILINE)
    assert links == ["Unreleased", *(version for version, _ in VERSIONS)]


def test_a_first_issue_names_files_that_exist_and_is_still_open() -> None:
    text = (ROOT / "docs" / "first-issues.md").read_text("utf-8")
    for row in ("Now", "Change", "Trap", "Test", "Done"):
        assert text.count(f"\n| {row} | ") == text.count("\n## ") >= 5
    for name in re.findall(r"`((?:explorer|tests)/[\w/.]+)`", text):
        assert (ROOT / name).exists(), name
    assert not {".xz", ".tsv"} & {*PACKED, *SUFFIXES}
    assert not {"fertility", "premium"} & {each.word for each in WORDS}
    with pytest.raises(SystemExit):
        main(["patterns", "qwen-2", "llama-3", "--json"])


def test_every_deprecated_name_is_in_the_changelog() -> None:
    for kind in ("implementation", "trainer"):
        for name in FORMER[kind]:
            assert " " in name or f"`{name}`" in CHANGES, name


def test_the_reference_knows_since_when_each_name_is_there() -> None:
    rows = tomllib.loads((ROOT / "deploy" / "added.toml").read_text("utf-8"))
    assert set(rows) <= {version for version, _ in VERSIONS}
    site = deployed("docs_site")
    public = {name for name in explorer.__all__ if not name.startswith("_")}
    assert set(site.added("names")) == public
    assert set(site.added("commands")) == set(declared()["commands"])
    assert site.api().count("*Added in version ") == len(public)


def test_the_site_has_no_links_to_releases() -> None:
    said = deployed("docs_site").without_releases(CHANGES)
    assert "## 1.0.0 - " in said
    assert "../../" not in said
    assert "[Keep a Changelog" in said


@pytest.mark.sample(6)
@pytest.mark.parametrize(
    ("remote", "home"),
    [
        ("https://code.example.org/team/explorer.git", "https://code.example.org/team/explorer"),
        ("https://code.example.org/team/explorer", "https://code.example.org/team/explorer"),
        ("git@code.example.org:team/explorer.git", "https://code.example.org/team/explorer"),
        ("https://someone:secret@code.example.org/team/explorer", ""),
        ("/srv/git/explorer.git", ""),
        ("", ""),
    ],
)
def test_the_package_names_the_repository_it_is_from(remote: str, home: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of hatchling's own
        monkeypatch.setenv("EXPLORER_REPOSITORY", remote or "none")
        urls = ProjectMetadata(str(ROOT), PluginManager()).core.urls
    assert urls.get("Repository", "") == home
    assert all(url.startswith(home) for url in urls.values())
    assert bool(urls.get("Changelog")) == bool(home)
