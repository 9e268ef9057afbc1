"""The parser of the command line, built of commands.toml, whose first lines say what stands there.

The module of a command is imported when it runs, so that `--help` and errors of usage start fast.
"""

import argparse
import re
import sys
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from explorer.cli.shared import escaped, say
from explorer.tables import Json, Record
from explorer.version import version_line

DESCRIPTION = "See which tokens a language model gets, and why."
MODEL = (
    "a bundled model, a file, a model's folder, or its name on the Hugging Face Hub (org/name, org/name@REVISION, "
    "org/name:FILE); MODEL@IMPLEMENTATION picks an implementation"
)
"""What {model} means in the help of an option."""


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are escaped: a shell may put any file name into the arguments."""

    def error(self, message: str) -> NoReturn:
        """Reports wrong usage and exits."""
        super().error(escaped(message))


class VersionAction(argparse.Action):
    """Prints the version and the commit; git is asked for it only then."""

    def __init__(self, option_strings: Sequence[str], dest: str) -> None:
        """Without arguments, as `argparse` makes it."""
        super().__init__(option_strings, dest=argparse.SUPPRESS, nargs=0, help="the version, and the commit if known")

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        """Prints and exits."""
        say(version_line())
        parser.exit()


@cache
def declared(start: str = "") -> Record:
    """The tables of commands.toml whose names begin so. To read all takes longer than most commands."""
    text = Path(__file__).with_name("commands.toml").read_text("utf-8")
    tables = re.split(r"^(?=\[)", text, flags=re.MULTILINE)
    return tomllib.loads("".join(each for each in tables if each.startswith(f"[{start}")))


def parser(command: str = "", prog: str = "") -> argparse.ArgumentParser:
    """The parser of all commands and their options.

    command: the one that will run, which needs no other. prog: the name of the program in help and errors; found out by
    default.
    """
    prog = prog or ("python -m explorer" if Path(sys.argv[0]).name == "__main__.py" else "explorer")
    top = Parser(
        prog=prog, description=DESCRIPTION, epilog=f"{prog} COMMAND --help shows what a command takes, with examples."
    )
    top.add_argument("--version", action=VersionAction)
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    every: dict[str, Record] = declared(f"commands.{command}").get("commands", {})
    if command not in every:
        every = declared("commands.")["commands"]
    for name in [command] if command in every else every:
        _add_command(commands, name, every[name])
    return top


def _add_command(commands: Any, name: str, of: Json) -> None:
    lines = ["examples:"]
    for arguments, prints in of["examples"]:
        lines += [f"  %(prog)s {arguments}".rstrip(), *([f"      {prints}"] if prints else [])]
    command = commands.add_parser(
        name, help=of["summary"], description=of.get("description", of["summary"]), epilog="\n".join(lines),
        formatter_class=argparse.RawDescriptionHelpFormatter, **of.get("more", {}),
    )  # fmt: skip
    command.set_defaults(usage_error=command.error, run=of.get("run"), **of.get("set", {}))
    _add_options(command, of.get("options", {}))
    if "parts" in of:
        parts = command.add_subparsers(required=True, metavar="PART", dest="part")
        for part, each in of["parts"].items():
            inner = parts.add_parser(part, help=each["summary"])
            inner.set_defaults(run=each["run"])
            _add_options(inner, each["options"])


def _add_options(container: Any, options: Json) -> None:
    """Adds options to a parser, or to a group of one."""
    for names, of in options.items():
        if names.startswith("@"):
            _add_options(container, declared("sets.")["sets"][names[1:]])
        elif isinstance(of, str):
            container.add_argument(names, action="store_true", help=of)
        elif "options" not in of:
            container.add_argument(*names.split(), **_arguments(of))
        else:
            group = container.add_argument_group(of["title"]) if "title" in of else container
            group = container.add_mutually_exclusive_group() if of.get("exclusive") else group
            _add_options(group, of["options"])


def _arguments(of: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of `add_argument` for an option."""
    arguments, default = dict(of), of.get("default")
    text = of.get("help", "").replace("{model}", MODEL)
    if arguments.pop("repeat", False):
        arguments |= {"action": "append", "default": []}
        text += "; may be repeated"
    for key in ("type", "choices", "action"):
        if isinstance(name := of.get(key), str) and name != "append":
            arguments[key] = named(name)
    if isinstance(default, (int, float)) and "type" not in of:
        arguments["type"] = type(default)
        text += f" (default: {default})"
    return arguments | {"help": text or None}


def named(name: str) -> Any:
    """What commands.toml names: a type of Python, or an object of a module of this package."""
    module, _, attribute = name.rpartition(".")
    return getattr(import_module(f"explorer.cli.{module}" if module else "builtins"), attribute)
