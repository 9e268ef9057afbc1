"""Hooks of mkdocs.yml: pages that are not files of docs/.

The documents at the top of the repository become pages, a link to any other file of the repository becomes its name,
and `reference/commands.md` is written from the parsers of the command line, `reference/api.md` from the public names of
the package. Leaves out: where the site is published.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tomllib
from pathlib import Path
from typing import Any, Final

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT: Final = Path(__file__).parents[1]
TOP: Final = {
    name: name for name in ("ARCHITECTURE.md", "CHANGELOG.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "SECURITY.md")
} | {"deploy/README.md": "deploy.md"}
"""File of the repository → its page."""
LINK: Final = re.compile(r"(!?\[(?:[^\]\\]|\\.)*\])\(([^)#\s]*)(#[^)\s]*)?\)")
OF_RELEASES: Final = re.compile(r"^(## )\[([^]]+)\](?= |$)|^\[[^]]+\]: \.\./\.\./.*\n", re.MULTILINE)
"""Links of CHANGELOG.md to releases and comparisons, which are pages of the repository on the web."""
NAMES: Final = re.compile(r"^from (\S+) import (\w+) as \w+$", re.MULTILINE)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages that docs/ has no file of."""
    sys.path.insert(0, str(ROOT))  # not above: mkdocs takes back what a hook adds while it is loaded
    for source, page in TOP.items():
        text = without_releases((ROOT / source).read_text("utf-8"))
        files.append(File.generated(config, page, content=text))
    for page, write in {"reference/api.md": api, "reference/commands.md": commands}.items():
        files.append(File.generated(config, page, content=write()))
    return files


def without_releases(text: str) -> str:
    """A changelog whose versions are no links."""
    return OF_RELEASES.sub(lambda link: f"{link[1]}{link[2]}" if link[1] else "", text)


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turns links within the repository into links within the site."""
    pages = {page: source for source, page in TOP.items()}
    there = pages.get(page.file.src_uri, f"docs/{page.file.src_uri}")

    def led(link: re.Match[str]) -> str:
        text, target, anchor = link[1], link[2], link[3] or ""
        if not target or ":" in target:
            return link[0]
        at = os.path.normpath(Path(there).parent / target)
        site = TOP.get(at) or (at.removeprefix("docs/") if at.startswith("docs/") else "")
        if not site or files.get_file_from_path(site) is None:
            return text[1:-1]
        return f"{text}({os.path.relpath(site, Path(page.file.src_uri).parent)}{anchor})"

    return LINK.sub(led, markdown)


def api() -> str:
    """Every public name of the package, classes first as they are met."""
    stubs = (ROOT / "explorer" / "__init__.pyi").read_text("utf-8")
    lines = [
        "# The API",
        "What `import explorer` offers; every example runs in the tests. [The library](../library.md) introduces it.",
    ]
    public = [(module, name) for module, name in NAMES.findall(stubs) if not name.startswith("_")]
    first = ("load", "Tokenizer", "Trace", "compare", "train", "prompt")
    order = sorted(public, key=lambda each: (first.index(each[1]) if each[1] in first else len(first), each[1].lower()))
    since = added("names")
    lines += [f"::: {module}.{name}\n\n*Added in version {since[name]}.*" for module, name in order]
    return "\n\n".join(lines) + "\n"


def commands() -> str:
    """What `explorer COMMAND --help` prints, command by command."""
    from explorer.cli.parser import DESCRIPTION, parser

    os.environ["COLUMNS"] = "82"
    top = parser(prog="explorer")
    lines = ["# Commands", f"{DESCRIPTION} [The command line](../cli.md) introduces them."]
    since = added("commands")
    for name, command in parsers(top).items():
        lines += [f"## {name}", f"*Added in version {since[name]}.*", f"```text\n{command.format_help().strip()}\n```"]
        for part, inner in parsers(command).items():
            lines += [f"### {name} {part}", f"```text\n{inner.format_help().strip()}\n```"]
    return "\n\n".join(lines) + "\n"


def added(kind: str) -> dict[str, str]:
    """The version that every name or command came with."""
    with (ROOT / "deploy" / "added.toml").open("rb") as file:
        return {name: version for version, kinds in tomllib.load(file).items() for name in kinds.get(kind, ())}


def parsers(of: argparse.ArgumentParser) -> dict[str, Any]:
    """The commands below a parser."""
    groups = [each for each in of._actions if isinstance(each, argparse._SubParsersAction)]
    return {name: command for group in groups for name, command in group.choices.items()}
