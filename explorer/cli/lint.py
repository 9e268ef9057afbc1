"""The command that looks for contradictions in a tokenizer.json: `lint`. Exit status 1 if there are any.

It also says which versions of tokenizers can read the file. With --in it checks every tokenizer below a folder; of
those in other formats, and of each tokenizer.json besides its contradictions, it prints the warnings of the card.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from explorer.cautions import of_file
from explorer.cli.shared import add_below, add_command
from explorer.cli.terminal import say
from explorer.errors import ChoiceNeeded, InputError
from explorer.text import visible


def add_commands(commands: Any) -> None:
    """Adds the command to the command line."""
    command = add_command(
        commands,
        "lint",
        lint,
        "Contradictions in a tokenizer.json that its original accepts silently.",
        ("my/tokenizer.json", "my/tokenizer.json: nothing found"),
        ("--in my", ""),
    )
    command.add_argument(
        "file", nargs="?", metavar="FILE", help="a tokenizer.json, the folder of a model, or its name on the Hub"
    )
    add_below(command, "check every tokenizer below this folder instead, each content once")


def lint(parsed: argparse.Namespace) -> int:
    """`lint`."""
    if (parsed.file is None) == (parsed.below is None):
        parsed.usage_error("give a FILE, or --in and a folder")
    if parsed.below is not None:
        return lint_below(Path(parsed.below))
    from explorer.opening.catalog import parse_spec
    from explorer.opening.formats import files_at, format_at, open_json

    model, _ = parse_spec(parsed.file)
    given = model if isinstance(model, Path) else Path(parsed.file)
    # of a folder its vocabulary is meant, as everywhere
    path = files_at(given)[0] if given.is_dir() else given
    # a model on the Hub keeps its name
    name = visible(str(path) if given == Path(parsed.file) else parsed.file)
    found_format = format_at(path)
    if open_json not in found_format.implementations.values():
        raise InputError(f"{name}: this is {found_format.name}; lint checks a tokenizer.json, so give one")
    return 1 if lint_json(path, name) else 0


def lint_json(path: Path, name: str, *, brief: bool = False) -> bool:
    """Prints what is to be said of a tokenizer.json; whether it has contradictions. brief: these alone."""
    from explorer.analysis.lint import lint as linted
    from explorer.analysis.lint import readable
    from explorer.analysis.pre_tokenizer.facts import pre_tokenizer_facts
    from explorer.formats import tokenizer_json
    from explorer.opening.formats import as_huggingface
    from explorer.text.say import plain

    json = tokenizer_json.read(path, name)
    found = linted(json)
    for finding in found:
        say(f"{name}: {finding.place}: {plain(finding.says)} {finding.fix}")
    if not found and not brief:
        say(f"{name}: nothing found")
    if not brief:
        say(f"{name}: {plain(readable(json))}")
        for fact in pre_tokenizer_facts(as_huggingface(json, name)):
            say(f"{name}: {fact.says}{f' ({fact.code})' if fact.code else ''}")
    return bool(found)


def lint_below(folder: Path) -> int:
    """`lint --in`."""
    from explorer.analysis.inventory import checked
    from explorer.opening.below import Place
    from explorer.opening.formats import files_at, format_at, open_json, open_path

    problems: list[str] = []
    wrong: list[str] = []
    right: list[str] = []

    def check(place: Place) -> None:
        name = visible(place.name)
        path = files_at(place.path)[0]
        is_json = open_json in format_at(path).implementations.values()
        contradicts = is_json and lint_json(path, name, brief=True)
        try:
            warnings = of_file(open_path(place.path, None))
        except ChoiceNeeded as error:
            warnings = (f"it was not opened: {error}",)
        for warning in warnings:
            say(f"{name}: warning: {warning}")
        if not contradicts and not warnings:
            say(f"{name}: nothing found")
        (wrong if contradicts else right).append(name)

    same = checked(folder, problems, check)
    for problem in problems:
        say(f"explorer: {problem}", error=True)
    known = f"; {same} have the content of another" if same else ""
    say(f"{len(wrong) + len(right)} checked, {len(wrong)} with contradictions{known}, {len(problems)} not read")
    return 1 if wrong else 0
