"""`prompt --check`: a chat template tried with many conversations, held against a kept check or another template."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final
from xml.etree import ElementTree

from explorer.cli.commands import load_model
from explorer.cli.shared import DIFFERENT, SAME, Parsed, escaped, say, say_columns, say_json
from explorer.errors import InputError
from explorer.formats import strict_json
from explorer.formats.model_folder import in_folder
from explorer.prompts.check import (
    TITLES,
    Cell,
    Check,
    Verdict,
    check_template,
    headline,
    record,
    summary,
)
from explorer.prompts.servers import SERVERS
from explorer.prompts.templates import MARK
from explorer.text.say import plain

Read = Callable[[str], str]
"""Gives the text of a file. Raises InputError."""
MOST_TEMPLATES: Final = 2


def say_check(parsed: Parsed, read: Read) -> int:
    """Prints a check. The exit status is 1 if a cell is worse than before or, with --strict, bad."""
    if len(parsed.check) > MOST_TEMPLATES:
        parsed.usage_error("--check: give one template, or an old and a new one")
    if not parsed.check and not parsed.model:
        parsed.usage_error("--check: give a template, or a model by -m")
    kept = baseline(parsed.baseline, read) if parsed.baseline else None
    checks = [checked(parsed, name, read) for name in parsed.check or [""]]
    check = checks[-1]
    worse = check.worse_than(checks[0] if len(checks) > 1 else kept or {})
    bad = [cell for cell in check.cells if cell.verdict.is_bad]
    strict = kept is None and len(checks) == 1
    if parsed.junit:
        failures = bad if strict else [cell for cell, _ in worse]
        parsed.junit.write_bytes(junit(check, failures))
    if parsed.json:
        say_json(json.dumps(exported(checks, worse), ensure_ascii=False, indent=2))
    else:
        print_check(parsed, checks, worse)
    return DIFFERENT if worse or (parsed.strict and strict and bad) else SAME


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
    elif name and not name.startswith(MARK):
        source = read(name)
    template = name if name.startswith(MARK) else parsed.template
    return check_template(tok, template, source=source, special_tokens=tokens, name=name)


def baseline(name: str, read: Read) -> dict[tuple[str, str], str]:
    """The verdicts in a file that `--check --json` wrote."""
    value = strict_json.read(read(name).encode(), name, "a check")
    try:
        return {(cell["conversation"], cell["server"]): str(cell["verdict"]) for cell in value["cells"]}
    except (KeyError, TypeError):
        raise InputError(f"{name}: it is no check; write one with explorer prompt --check --json") from None


def exported(checks: list[Check], worse: tuple[tuple[Cell, str], ...]) -> dict[str, Any]:
    """What --json prints."""
    changed = [
        {"conversation": cell.conversation, "server": cell.server, "before": before, "after": cell.verdict.value}
        for cell, before in worse
    ]
    older = {"before": record(checks[0])} if len(checks) > 1 else {}
    return {**record(checks[-1]), "worse": changed, **older}


def print_check(parsed: Parsed, checks: list[Check], worse: tuple[tuple[Cell, str], ...]) -> None:
    """Prints a table, then each cell that is to be looked at, once."""
    check, before = checks[-1], checks[0]
    table = [("conversation", *(f"{TITLES[name]} {SERVERS[name].version}" for name in TITLES))]
    for row, cells in check.rows():
        words = [plain(cell.words) for cell in cells]
        if len(checks) > 1:
            old = [plain(before.cell(row.name, cell.server).words) for cell in cells]
            words = [new if new == was else f"{was} → {new}" for was, new in zip(old, words, strict=True)]
            differs = words != old or any(before.cell(row.name, cell.server).text != cell.text for cell in cells)
        else:
            differs = any(cell.verdict is not Verdict.AS_SENT for cell in cells)
        if differs or parsed.all:
            table.append((row.name, *words))
    say_columns(table)
    for each in filter(None, (headline(check), summary(check))):
        say(plain(each))
    for line in explained(check, [cell for cell, _ in worse] if len(checks) > 1 or worse else check.cells):
        say(line)
    for cell, was in worse:
        say(f"worse: {cell.conversation}, {TITLES[cell.server]}: {was}, now {cell.verdict}", error=True)


def explained(check: Check, cells: Any) -> Iterator[str]:
    """Why cells are as they are, those with the same reason once."""
    groups: dict[tuple[str, str], list[Cell]] = {}
    for cell in cells:
        if cell.reason:
            groups.setdefault((plain(cell.words), plain(cell.reason)), []).append(cell)
    for (words, reason), group in groups.items():
        names = list(dict.fromkeys(cell.conversation for cell in group))
        servers = list(dict.fromkeys(TITLES[cell.server] for cell in group))
        yield ""
        yield f"{words}: {'; '.join(names)} ({', '.join(servers)})"
        yield f"  {reason}"
        if repair := next((cell.repair for cell in group if cell.repair), None):
            yield f"  {plain(repair.say)} Tried: nothing else changes."
            yield f"  {repair.line}: {repair.after}"


def junit(check: Check, failures: list[Cell]) -> bytes:
    """The report: a suite for each server, a case for each conversation."""
    top = ElementTree.Element("testsuites", name="chat template")
    for server, title in TITLES.items():
        cells = [cell for cell in check.cells if cell.server == server]
        failed = [cell for cell in cells if cell in failures]
        untried = [cell for cell in cells if cell.verdict in (Verdict.UNTRIED, Verdict.UNKNOWN)]
        numbers: Mapping[str, object] = {"tests": len(cells), "failures": len(failed), "skipped": len(untried)}
        suite = ElementTree.SubElement(top, "testsuite", name=f"{title} {SERVERS[server].version}")
        suite.attrib |= {name: str(number) for name, number in numbers.items()}
        for cell in cells:
            case = ElementTree.SubElement(suite, "testcase", classname=title, name=cell.conversation)
            words, reason = plain(cell.words), escaped(plain(cell.reason)) if cell.reason else ""
            if cell in failed:
                text = f"{reason} {plain(cell.repair.say)}" if cell.repair else reason
                ElementTree.SubElement(case, "failure", message=words).text = text
            elif cell in untried:
                ElementTree.SubElement(case, "skipped", message=words)
            elif reason:
                ElementTree.SubElement(case, "system-out").text = f"{words}: {reason}"
    data: bytes = ElementTree.tostring(top, "utf-8", xml_declaration=True)
    return data
