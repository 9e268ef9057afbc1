"""`prompt --check`: a chat template tried with many conversations, held against a kept check or another template."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any
from xml.etree import ElementTree

from explorer.cli.commands import load_model
from explorer.cli.shared import DIFFERENT, SAME, Parsed, escaped, say, say_columns, say_json
from explorer.corpus.atomic import write_whole
from explorer.errors import InputError
from explorer.formats import strict_json
from explorer.formats.model_folder import in_folder
from explorer.prompts.check import (
    COLUMNS,
    Cell,
    Check,
    Verdict,
    check_template,
    headline,
    record,
    summary,
)
from explorer.prompts.servers import SERVERS
from explorer.prompts.templates import MARKS
from explorer.text.say import plain

Read = Callable[[str], str]
"""Gives the text of a file. Raises InputError."""
Worse = tuple[tuple[Cell, str], ...]
"""Cells that became worse, with what they were."""


def say_check(parsed: Parsed, read: Read) -> int:
    """Prints a check of each template. The exit status is 1 if a cell is worse than before or, with --strict, bad."""
    if not parsed.check and not parsed.model:
        parsed.usage_error("--check: give a template, or a model by -m")
    kept = baseline(parsed.baseline, read) if parsed.baseline else {}
    older = checked(parsed, parsed.before, read) if parsed.before else None
    compares = bool(parsed.baseline or parsed.before)
    checks = [checked(parsed, name, read) for name in parsed.check or [""]]
    worse = [check.worse_than(older or kept) for check in checks]
    bad = [[cell for cell in check.cells if cell.verdict.is_bad] for check in checks]
    failures = [[cell for cell, _ in each] for each in worse] if compares else bad
    if parsed.junit:
        write_whole(parsed.junit, junit(checks, failures))
    if parsed.json:
        exported = [record(check) | {"worse": worse_record(each)} for check, each in zip(checks, worse, strict=True)]
        say_json(json.dumps(exported if len(exported) > 1 else exported[0], ensure_ascii=False, indent=2))
    else:
        for check, each in zip(checks, worse, strict=True):
            print_check(parsed, check, older, each)
    return DIFFERENT if any(failures) and (compares or parsed.strict) else SAME


def checked(parsed: Parsed, name: str, read: Read) -> Check:
    """The check of one template. name: as given, "" for the model's own."""
    tok = load_model(parsed) if parsed.model else None
    source, tokens = None, None
    if name.endswith(".json"):
        config = strict_json.read(read(name).encode(), name, "a tokenizer_config.json")
        if not isinstance(config, dict):
            raise InputError(f"{name}: it holds no object; give a tokenizer_config.json, or the template's own file")
        chat = in_folder(config, lambda _: None)
        source, tokens = chat.named(parsed.template), chat.special_tokens
    elif name and not name.startswith(MARKS):
        source = read(name)
    template = name if name.startswith(MARKS) else parsed.template
    return check_template(tok, template, source=source, special_tokens=tokens, name=name)


def baseline(name: str, read: Read) -> dict[tuple[str, str], str]:
    """The verdicts in a file that `--check --json` wrote."""
    value = strict_json.read(read(name).encode(), name, "a check")
    try:
        return {(cell["conversation"], cell["server"]): str(cell["verdict"]) for cell in value["cells"]}
    except (KeyError, TypeError):
        raise InputError(f"{name}: it is no check; write one with explorer prompt --check --json") from None


def worse_record(worse: Worse) -> list[dict[str, str]]:
    """The cells that became worse, as data of JSON."""
    return [
        {"conversation": cell.conversation, "server": cell.server, "before": before, "after": cell.verdict.value}
        for cell, before in worse
    ]


def print_check(parsed: Parsed, check: Check, older: Check | None, worse: Worse) -> None:
    """Prints a table, then each cell that is to be looked at, once."""
    if len(parsed.check) > 1:
        say(check.name)
    servers = [SERVERS[name] for name in COLUMNS]
    table = [("conversation", *(f"{each.title} {each.version}" for each in servers))]
    for row, cells in check.rows():
        words = [plain(cell.words) for cell in cells]
        differs = any(cell.verdict is not Verdict.AS_SENT for cell in cells)
        if older is not None:
            before = [older.cell(row.name, cell.server) for cell in cells]
            old = [plain(cell.words) for cell in before]
            differs = words != old or [cell.text for cell in before] != [cell.text for cell in cells]
            words = [new if new == was else f"{was} → {new}" for was, new in zip(old, words, strict=True)]
        if differs or parsed.all:
            table.append((row.name, *words))
    say_columns(table)
    for each in filter(None, (headline(check), summary(check))):
        say(plain(each))
    for line in explained([cell for cell, _ in worse] if worse or older else check.cells):
        say(line)
    for cell, was in worse:
        say(f"worse: {cell.conversation}, {SERVERS[cell.server].title}: {was}, now {cell.verdict}", error=True)


def explained(cells: Any) -> Iterator[str]:
    """Why cells are as they are, those with the same reason once."""
    groups: dict[tuple[str, str], list[Cell]] = {}
    for cell in cells:
        if cell.reason:
            groups.setdefault((plain(cell.words), plain(cell.reason)), []).append(cell)
    for (words, reason), group in groups.items():
        names = list(dict.fromkeys(cell.conversation for cell in group))
        servers = list(dict.fromkeys(SERVERS[cell.server].title for cell in group))
        yield ""
        yield f"{words}: {'; '.join(names)} ({', '.join(servers)})"
        yield f"  {reason}"
        if repair := next((cell.repair for cell in group if cell.repair), None):
            yield f"  {plain(repair.say)} Tried: what was fine stays the same."
            yield f"  {repair.line}: {repair.after}"


def junit(checks: list[Check], failures: list[list[Cell]]) -> bytes:
    """The report: a suite for each template and server, a case for each conversation."""
    top = ElementTree.Element("testsuites", name="chat templates")
    for check, bad in zip(checks, failures, strict=True):
        for server in (SERVERS[name] for name in COLUMNS):
            suite = ElementTree.SubElement(
                top, "testsuite", name=f"{check.name} {server.title} {server.version}".strip()
            )
            cells = [cell for cell in check.cells if cell.server == server.name]
            for cell in cells:
                add_case(suite, server.title, cell, is_failed=cell in bad)
            numbers = {"tests": len(cells), "failures": len(suite.findall(".//failure"))}
            numbers["skipped"] = len(suite.findall(".//skipped"))
            suite.attrib |= {name: str(number) for name, number in numbers.items()}
    data: bytes = ElementTree.tostring(top, "utf-8", xml_declaration=True)
    return data


def add_case(suite: ElementTree.Element, title: str, cell: Cell, *, is_failed: bool) -> None:
    """Adds a conversation to a suite."""
    case = ElementTree.SubElement(suite, "testcase", classname=title, name=cell.conversation)
    words, reason = plain(cell.words), escaped(plain(cell.reason)) if cell.reason else ""
    if is_failed:
        text = f"{reason} {plain(cell.repair.say)}" if cell.repair else reason
        ElementTree.SubElement(case, "failure", message=words).text = text
    elif cell.verdict in (Verdict.UNTRIED, Verdict.UNKNOWN):
        ElementTree.SubElement(case, "skipped", message=words)
    elif reason:
        ElementTree.SubElement(case, "system-out").text = f"{words}: {reason}"
