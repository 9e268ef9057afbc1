"""The command that says what a model reads of messages: `prompt`."""

from __future__ import annotations

import contextlib
import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from explorer.cli.commands import load_model
from explorer.cli.shared import (
    DIFFERENT,
    SAME,
    STDIN,
    Parsed,
    as_comparison,
    say,
    say_columns,
    say_export,
    say_json,
    say_lines,
    write_exact,
)
from explorer.errors import InputError
from explorer.formats.strict_json import FILE, TYPED, read
from explorer.opening.sources import unreadable
from explorer.text import visible
from explorer.text.say import plain

if TYPE_CHECKING:
    from explorer.implementations.opened import Opened
    from explorer.prompts.messages import Call
    from explorer.prompts.model_input import Prompt
    from explorer.prompts.requests import Served

BOTH = "both"
MOST_BYTES = 4_000_000
MOST_SHOWN = 60
IDS = re.compile(r"\s*\[[-\d,\s]*\]\s*")


def prompt(parsed: Parsed) -> int:
    from explorer.prompts.model_input import prompt as prompt_of

    if parsed.check is not None:
        from explorer.cli.prompt_check import say_check

        refuse(parsed, "ids text tokens", " prints a prompt; leave out --check")
        if parsed.engine or parsed.servers or parsed.tools:
            parsed.usage_error("--check tries its own calls in each server; leave out --engine, --server and --tools")
        if parsed.messages is not None:
            parsed.usage_error("--check has conversations of its own; leave out FILE")
        return as_comparison(lambda parsed: say_check(parsed, read_text))(parsed)
    refuse(parsed, "before baseline junit all", " is for --check")
    if parsed.answer is not None:
        refuse(parsed, "ids text tokens", " prints a prompt; leave out --answer")
        return as_comparison(say_answer)(parsed)
    refuse(parsed, "parser", " is for --answer")
    if parsed.model is None or parsed.messages is None:
        parsed.usage_error("give a model by -m, and a FILE with messages")
    source = None if parsed.template_file is None else read_text(str(parsed.template_file))
    tok = load_model(parsed)
    if parsed.engine == BOTH:
        return both_engines(parsed, tok, source)
    request = call_of(parsed)
    if len(parsed.servers) > 1 or "ollama" in parsed.servers:
        return compare_servers(parsed, tok, request, source)
    result = prompt_of(
        tok,
        request,
        parsed.template,
        source=source,
        engine=parsed.engine,
        server=next(iter(parsed.servers), ""),
        control_as_text=parsed.control_as_text,
    )
    say_converted(result.call)
    if parsed.against is not None:
        return say_parting(parsed, result)
    if parsed.turns or parsed.training:
        say_about(parsed, result)
    elif parsed.json:
        from explorer.prompts.export import prompt_export

        say_export(prompt_export(result))
    elif parsed.ids:
        say(*result.ids)
    elif parsed.text:
        write_exact(result.text.encode())
    else:
        if result.served:
            say_changes(result.served)
        say_tokens(result)
    if not parsed.json:
        for finding in result.findings:
            say(f"explorer: {plain(finding.sentence)} {plain(finding.reason)}", error=True)
    faults = parsed.strict and any(not finding.is_note for finding in result.findings)
    return DIFFERENT if faults else SAME


def refuse(parsed: Parsed, flags: str, why: str) -> None:
    """A usage error for the first of these flags that is given."""
    for flag in flags.split():
        if getattr(parsed, flag):
            parsed.usage_error(f"--{flag}{why}")


def say_parting(parsed: Parsed, prompt: Prompt) -> int:
    """`prompt --against`."""
    from explorer.prompts.turns import parting

    refuse(parsed, "ids text tokens json", " prints a prompt; leave out --against")
    part = parting(prompt, read_text(parsed.against))
    say("They are equal." if part is None else plain(part.sentence))
    return SAME if part is None else DIFFERENT


def say_answer(parsed: Parsed) -> int:
    """`prompt --answer`."""
    from explorer.prompts.model_input import as_call
    from explorer.prompts.model_input import prompt as prompt_of
    from explorer.prompts.parsers.answer import answer, record

    text, prefix = read_text(parsed.answer), ""
    tools = read_json(parsed.tools) if parsed.tools else None
    tok = load_model(parsed) if parsed.model else None
    if IDS.fullmatch(text):
        text = (tok or parsed.usage_error("--answer: ids need a model; give one by -m")).decode(
            read(text.encode(), "the answer", "ids")
        )
    if parsed.messages is not None:
        call = as_call(call_of(parsed))
        tools = call.tools or tools
        prefix = prompt_of(tok, call, parsed.template).text if tok else ""
    is_file = parsed.parser.endswith(".json")
    template = read_json(parsed.parser) if is_file else None
    if isinstance(template, dict):
        template = template.get("response_template", template)
    said = answer(
        text.removesuffix("\n"),
        format="" if is_file else parsed.parser,
        names=tools,
        template=template,
        own=tok and tok.chat.response,
        prefix=prefix,
    )
    if parsed.json:
        say_json(json.dumps(record(said), ensure_ascii=False, indent=2))
    else:
        say(plain(said.headline))
        for name, message in said.messages.items():
            say(f"{said.title(name)}: {message.error or json.dumps(message.to_json(), ensure_ascii=False)}")
        for loss in said.losses:
            say(f"  {said.title(loss.parser)} loses call {loss.call + 1}: {plain(loss.why)}.")
    for fault in said.template.faults() if said.template else ():
        say(f"explorer: {plain(fault)}", error=True)
    return DIFFERENT if said.losses else SAME


def say_about(parsed: Parsed, prompt: Prompt) -> None:
    """`prompt --turns` and `prompt --training`."""
    from explorer.prompts.export import masks_export, turns_export
    from explorer.prompts.masks import loss_masks
    from explorer.prompts.turns import next_turns

    refuse(parsed, "ids text tokens", " prints a prompt; leave out --turns and --training")
    if parsed.turns:
        turns = list(next_turns(prompt))
        if parsed.json:
            say_export(turns_export(prompt, turns))
            return
        for turn in turns:
            say(plain(turn.sentence))
            if turn.remedy:
                say(f"  {plain(turn.cost)} What would keep it: {plain(turn.remedy)}")
        return
    masks = loss_masks(prompt, parsed.response)
    if parsed.json:
        say_export(masks_export(masks))
        return
    for way, mask in masks.masks.items():
        say(f"{way.value}: {plain(mask.sentence)} {plain(mask.reason)}")


def both_engines(parsed: Parsed, tok: Opened, source: str | None) -> int:
    """`prompt --engine both`."""
    from explorer.prompts.engines import compare_engines, lines
    from explorer.prompts.export import engines_export

    refuse(parsed, "ids text tokens turns training against", ": give one engine, not both")
    if parsed.control_as_text:
        parsed.usage_error("--control-as-text: llama.cpp can't; give --engine transformers")
    difference = compare_engines(tok, call_of(parsed), parsed.template, source=source)
    if parsed.json:
        say_export(engines_export(difference))
    else:
        say_lines(lines(difference))
    return DIFFERENT if parsed.strict and not difference.same else SAME


def say_converted(call: Call) -> None:
    """Says that a request had another form."""
    if call.converted:
        say("explorer: The request is in Anthropic's form; it is converted to OpenAI's.", error=True)


def compare_servers(parsed: Parsed, tok: Opened, request: Any, source: str | None) -> int:
    """`prompt --server` for several servers, or for one whose template nobody renders here."""
    from explorer.prompts.export import servers_export
    from explorer.prompts.model_input import as_call
    from explorer.prompts.partings import partings_of, server_sides

    refuse(
        parsed, "ids text tokens turns training against engine control_as_text", ": give one server, or leave it out"
    )
    call = as_call(request)
    say_converted(call)
    sides = server_sides(tok, call, parsed.servers, parsed.template, source=source)
    partings = partings_of(sides)
    if parsed.json:
        say_export(servers_export(tok, call, sides, partings))
    else:
        for side in sides:
            say_changes(side.served)
            say(side.error or f"{len(side.prompt.ids if side.prompt else ()):,} tokens")
        for each in partings:
            say(plain(each.sentence))
    differs = any(each.token is not None or any(side.served.refusal for side in each.sides) for each in partings)
    return DIFFERENT if parsed.strict and differs else SAME


def say_changes(served: Served) -> None:
    """Prints a line for each change: the field, what became of it, and the function."""
    say(f"{served.server.name} {served.server.version}")
    say_columns(
        (
            f"  {each['path']}",
            each["outcome"],
            f"{json_of(each, 'sent')} → {json_of(each, 'made')}",
            each["function"],
        )
        for each in served.record()["changes"]
    )


def json_of(change: dict[str, Any], name: str) -> str:
    """A value of a change, cut short; "–" for none."""
    text = json.dumps(change[name], ensure_ascii=False) if name in change else "–"
    return visible(text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…")


def call_of(parsed: Parsed) -> Any:
    """The request that the arguments describe."""
    value = read_json(parsed.messages)
    value = {"messages": value} if isinstance(value, list) else value
    if not isinstance(value, dict):
        return value  # refused where it is read
    if parsed.tools is not None:
        value["tools"] = read_json(parsed.tools)
    variables = value["chat_template_kwargs"] = value.get("chat_template_kwargs") or {}
    if not isinstance(variables, dict):
        return value  # refused where it is read
    for each in parsed.variables:
        name, equals, text = each.partition("=")
        if not equals or not name:
            parsed.usage_error(f"--set {each}: give NAME=VALUE")
        variables[name] = value_of(text)
    value |= {"add_generation_prompt": False} if parsed.no_generation_prompt or parsed.going_on else {}
    value |= {"continue_final_message": parsed.going_on} if parsed.going_on else {}
    return value


def value_of(text: str) -> Any:
    """A value of `--set`: JSON, or else the text."""
    try:
        return read(text.encode("utf-8", "surrogateescape"), "--set", "a value", sent=TYPED)
    except InputError:
        return text


def read_text(name: str) -> str:
    """A file's text, or that of standard input. Raises InputError."""
    try:
        with contextlib.nullcontext(sys.stdin.buffer) if name == STDIN else Path(name).open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise unreadable(Path(name), error) from None
    if len(data) > MOST_BYTES:
        raise InputError(f"{name}: it has more than {MOST_BYTES:,} bytes; give fewer messages")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise InputError(f"{name}: byte offset {error.start} is not UTF-8; save it as UTF-8") from None


def read_json(name: str) -> Any:
    """The value in a JSON file. Raises InputError."""
    piped = name == STDIN
    return read(read_text(name).encode(), "standard input" if piped else name, "a call", sent=TYPED if piped else FILE)


def say_tokens(prompt: Prompt) -> None:
    """Prints a line for each token: its id, its piece, and who wrote it."""
    roles = [str(message.get("role", "")) for message in prompt.call.messages]
    say_columns(
        (
            str(token.id),
            visible(token.piece),
            " + ".join("template" if each is None else f"message {each + 1} ({roles[each]})" for each in token.authors),
        )
        for token in prompt.tokens
    )
