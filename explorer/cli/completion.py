"""The command that prints what a shell needs to complete commands, options, models and files: `completion`."""

from __future__ import annotations

import argparse
from typing import Any, Final

from explorer.cli.shared import Parsed, add_command, write_exact

SHELLS: Final = ("bash", "zsh", "fish", "tcsh")

INSTALLED: Final = {
    "bash": "~/.local/share/bash-completion/completions/explorer",
    "zsh": '"${fpath[1]}/_explorer"',
    "fish": "~/.config/fish/completions/explorer.fish",
}
"""Where a shell looks for such a script."""

FILES: Final = ("files", "paths", "output", "tokenizer", "corpus")
MODELS: Final = ("model", "models")
"""The `dest` of arguments that take files or models."""


def add_commands(commands: Any) -> None:
    """Adds the command to the command line."""
    summary = "Print a script that completes `explorer` in your shell."
    examples = ((f"{shell} > {path}", "") for shell, path in INSTALLED.items())
    command = add_command(commands, "completion", completion, summary, *examples)
    command.add_argument("shell", choices=SHELLS, help="the shell")


def completion(parsed: Parsed) -> int:
    """`completion`."""
    import shtab

    from explorer.cli.main import parser
    from explorer.opening.catalog import catalog

    everything = parser(prog="explorer")
    models = model_or_file(" ".join(catalog()))
    (commands,) = (action for action in everything._actions if isinstance(action, argparse._SubParsersAction))
    for command in commands.choices.values():
        for action in command._actions:
            if action.dest in MODELS:
                action.complete = models
            elif action.dest in FILES:
                action.complete = shtab.FILE
            elif action.dest in ("write", "below"):
                action.complete = shtab.DIRECTORY
    write_exact(f"{shtab.complete(everything, shell=parsed.shell)}\n".encode())
    return 0


def model_or_file(models: str) -> dict[str, Any]:
    """How each shell completes a bundled model or the path of a file, as shtab takes it."""
    return {
        "bash": "_explorer_models",
        "zsh": f'_alternative "models:bundled model:({models})" "files:file:_files"',
        "fish": f"({{ string split ' ' '{models}'; __fish_complete_path (commandline -ct) }})",
        "tcsh": f"({models})",
        "preamble": {"bash": f'_explorer_models() {{\n  compgen -W "{models}" -- "$1"\n  compgen -f -- "$1"\n}}\n'},
    }
