"""The command that saves a page as one HTML file, which plays without a server: `save`.

`explorer.saved` makes the file. Leaves out what needs a server afterwards: other texts, other tokenizers.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from explorer.cli.commands import load_model
from explorer.cli.shared import Warnings, add_command, add_encoding, input_text, options
from explorer.cli.terminal import say
from explorer.errors import InputError
from explorer.hooks import saved
from explorer.text.quantities import size


def add_commands(commands: Any) -> None:
    """Adds the command to the command line."""
    command = add_command(
        commands,
        "save",
        save,
        "Save what the app shows as one HTML file that plays anywhere.",
        ('-m llama-2 "What is LoRA?" --output lora.html', "lora.html: "),
        ('-m gpt-2 "What is LoRA?" --stage model --output merges.html', "merges.html: "),
    )
    add_encoding(command)
    command.add_argument("-o", "--output", required=True, metavar="FILE", help="write the page to this file")
    command.add_argument("--stage", default="", metavar="STAGE", help="only the stepper of this stage, such as model")
    command.add_argument(
        "--app", metavar="URL", help="where its links lead: the first page of an explorer (http://localhost:8501/)"
    )


def save(parsed: argparse.Namespace) -> int:
    """`save`."""
    warned = Warnings()
    tok = load_model(parsed, warned)
    trace = tok.trace(input_text(parsed), **options(parsed))
    warned.of_ids(tok, trace.ids, not parsed.no_add_special)
    _, made = saved("explore", tok, trace, only=parsed.stage, app=checked_url(parsed.app))
    data = made.encode()
    Path(parsed.output).write_bytes(data)
    say(f"{parsed.output}: {size(len(data))}")
    return 0


def checked_url(url: str | None) -> str | None:
    """The URL of the call. Raises InputError for one that no browser opens as a page."""
    if url is not None and url and not url.startswith(("http://", "https://")):
        raise InputError(f"--app {url[:100]!r} is not a URL of a page; give one that begins with http:// or https://")
    return url
