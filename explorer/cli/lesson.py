"""The command for authors of lessons: `lesson new NAME.toml` and `lesson check FILE…`.

`check` reads the sentences of the steps, which `explorer.views` writes, and so stands on its floor.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from explorer.cli.shared import Parsed, add_command, add_value, say
from explorer.errors import InputError
from explorer.text import visible


def add_commands(commands: Any) -> None:
    """Adds the command to the command line."""
    command = add_command(
        commands,
        "lesson",
        run,
        "A lesson to start from, and the check of lessons.",
        ("new mine.toml", "mine.toml: written"),
        ("check bytes.toml", "bytes.toml: 7 cards, nothing wrong"),
    )
    parts = command.add_subparsers(required=True, metavar="PART", dest="part")
    part = parts.add_parser("new", help="write a lesson to start from, with comments")
    add_value(part, "file", "NAME.toml", "the file to write; it must not exist")
    part = parts.add_parser(
        "check", help="all that is wrong with lessons, a line for each fault; exit status 1 if there is any"
    )
    add_value(part, "files", "FILE", "the TOML file of a lesson", nargs="+")


def run(parsed: Parsed) -> int:
    """`lesson`."""
    return new(parsed) if parsed.part == "new" else check(parsed)


def new(parsed: Parsed) -> int:
    """`lesson new`."""
    from explorer.corpus.atomic import write_whole
    from explorer.learning.lessons.reading import EMPTY

    path = Path(parsed.file)
    if path.suffix != ".toml":
        raise InputError(f"{visible(parsed.file)}: a lesson is a TOML file; end its name with .toml")
    if path.exists() or path.is_symlink():
        raise InputError(f"{visible(parsed.file)}: exists already; choose another name")
    write_whole(path, EMPTY.read_bytes())
    say(f"{visible(parsed.file)}: written; next, explorer lesson check {visible(parsed.file)}")
    return 0


def check(parsed: Parsed) -> int:
    """`lesson check`."""
    from explorer.learning.checks.engine import OwnEngine
    from explorer.learning.checks.faults import faults_of
    from explorer.learning.lessons.reading import read_file, read_lesson
    from explorer.text.say import plural

    engine, status = OwnEngine(), 0
    for given in parsed.files:
        name = visible(given)
        data = read_file(Path(given), name)
        found = faults_of(engine, data, name)
        for fault in found:
            say(f"{name}, {fault.shown}")
            status = 1
        if not found:
            say(f"{name}: {plural(len(read_lesson(data, name).cards), 'card')}, nothing wrong")
    return status
