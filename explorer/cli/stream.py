"""The command that lets ids arrive one by one: `stream`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

from explorer.cli.commands import columns, input_ids, load_model
from explorer.cli.shared import (
    Parsed,
    Warnings,
    add_command,
    add_flag,
    add_json,
    add_list,
    add_model,
    add_value,
    say,
    say_json,
    say_lines,
)
from explorer.text import from_bytes, visible
from explorer.text.say import plural
from explorer.text.visible import hexadecimal

if TYPE_CHECKING:
    from explorer.analysis.streaming import Shown, Stream

METHODS: Final = ("whole", "alone", "llama.cpp", "transformers", "vllm", "sglang", "tokenizers", "tiktoken")


def add_commands(commands: Any) -> None:
    """Adds the command to the command line."""
    command = add_command(
        commands,
        "stream",
        stream,
        "Token ids one by one: what programs that stream show after each, and what they hold back or get wrong.",
        ("-m llama-2 15043 29871 243 162 167 154", "1  15043  20 48 65 6C 6C 6F"),
        ('-m llama-2 --text "Hello 🤗 café" --method alone', "1  15043  20 48 65 6C 6C 6F"),
        ('-m gpt-2 --text "naïve 🤗" --json', '{"format": "tokenizer-explorer stream 1", '),
    )
    add_model(command)
    add_value(command, "ids", "ID", "any common notation; standard input if missing or -", nargs="*")
    add_value(command, "--text", "TEXT", "the ids of this text instead, without tokens around it")
    add_list(command, "--method", "METHOD", f"only this one of {', '.join(METHODS)}", dest="methods")
    add_flag(command, "--no-unparse-special", "leave out special tokens")
    add_json(command)


def stream(parsed: Parsed) -> int:
    """`stream`."""
    from explorer.analysis.streaming import stream as played

    if parsed.text is not None and parsed.ids:
        parsed.usage_error("give ids or --text")
    tok = load_model(parsed, Warnings())
    if parsed.text is not None:
        ids = tok.encode(from_bytes(os.fsencode(parsed.text), "--text"), add_special=False).ids
    else:
        ids = input_ids(parsed)
    unparse_special = not parsed.no_unparse_special
    found = played(tok, ids, methods=parsed.methods or METHODS, unparse_special=unparse_special)
    if parsed.json:
        from explorer.analysis.tokenizer_exports import stream_export

        say_json(stream_export(tok, found, unparse_special).json())
        return 0
    say_lines(columns(_rows(found)))
    for method, shown in zip(found.methods, found.ends, strict=True):
        if note := _note(shown):
            say(f"at the end  {method}: {note}")
    say_lines(columns(_summary(found, method) for method in found.methods))
    return 0


def _rows(found: Stream) -> list[tuple[str, ...]]:
    """A row for each id: its number, the id, its bytes, and what each method does that has something to say."""
    rows = list[tuple[str, ...]]()
    for number, step in enumerate(found.steps, 1):
        notes = [
            f"{method}: {note}"
            for method, shown in zip(found.methods, step.shown, strict=True)
            if (note := _note(shown))
        ]
        rows.append((str(number), str(step.id), hexadecimal(step.data), "; ".join(notes)))
    return rows


def _note(shown: Shown) -> str:
    """What a method does at a step: its new text, what it holds back, and what is wrong."""
    parts = [f"“{visible(shown.text)}”"] if shown.text else []
    if shown.held:
        parts.append(f"holds {hexadecimal(shown.held)}")
    parts += [mark.kind.words for mark in shown.marks]
    return ", ".join(parts)


def _summary(found: Stream, method: str) -> tuple[str, ...]:
    """What a method showed in the end."""
    counts = [f"{kind.words}: {plural(found.count(method, kind), 'step')}" for kind in found.kinds_of(method)]
    verdict = "the text of all ids" if method in found.right else "another text"
    return method, verdict, f"“{visible(found.text_of(method))}”", "; ".join(counts)
