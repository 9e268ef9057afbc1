"""`prompt --check`: a chat template tried with many conversations, held against a kept check or another template."""

from collections.abc import Callable, Iterator, Sequence

from explorer.cli.commands import load_model
from explorer.cli.shared import DIFFERENT, SAME, Parsed, say, say_columns, say_json
from explorer.corpus.atomic import write_whole
from explorer.errors import InputError
from explorer.formats import strict_json
from explorer.formats.model_folder import in_folder
from explorer.prompts.check import (
    Cell,
    Check,
    Verdict,
    Worse,
    as_json,
    bad_cells,
    check_template,
    headline,
    junit,
    summary,
)
from explorer.prompts.templates import MARKS
from explorer.text.say import plain

Read = Callable[[str], str]
"""Gives the text of a file. Raises InputError."""


def say_check(parsed: Parsed, read: Read) -> int:
    """Prints a check of each template. The exit status is 1 if a cell is worse than before or, with --strict, bad."""
    if not parsed.check and not parsed.model:
        parsed.usage_error("--check: give a template, or a model by -m")
    kept = baseline(parsed.baseline, read) if parsed.baseline else {}
    older = checked(parsed, parsed.before, read) if parsed.before else None
    compares = bool(parsed.baseline or parsed.before)
    checks = [checked(parsed, name, read) for name in parsed.check or [""]]
    for check in checks:
        if compares and not check.index.keys() & (older.index if older else kept).keys():
            servers = ", ".join(each.title for each in check.columns.values())
            raise InputError(
                f"{parsed.before or parsed.baseline}: it has no verdict of {servers} to compare; give another"
            )
    worse = [check.worse_than(older or kept) for check in checks]
    failures = [[cell for cell, _ in each] for each in worse] if compares else [*map(bad_cells, checks)]
    if parsed.junit:
        write_whole(parsed.junit, junit(checks, failures))
    if parsed.json:
        say_json(as_json(checks, worse))
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


def print_check(parsed: Parsed, check: Check, older: Check | None, worse: Worse) -> None:
    """Prints a table, then each cell that is to be looked at, once."""
    if len(parsed.check) > 1:
        say(check.name)
    table = [("conversation", *(f"{each.title} {each.version}" for each in check.columns.values()))]
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
    for line in explained(check, [cell for cell, _ in worse] if worse or older else check.cells):
        say(line)
    for cell, was in worse:
        say(f"worse: {cell.conversation}, {check.columns[cell.server].title}: {was}, now {cell.verdict}", error=True)


def explained(check: Check, cells: Sequence[Cell]) -> Iterator[str]:
    """Why cells are as they are, those with the same reason once."""
    groups: dict[tuple[str, str], list[Cell]] = {}
    for cell in cells:
        if cell.reason:
            groups.setdefault((plain(cell.words), plain(cell.reason)), []).append(cell)
    for (words, reason), group in groups.items():
        names = dict.fromkeys(cell.conversation for cell in group)
        servers = dict.fromkeys(check.columns[cell.server].title for cell in group)
        yield ""
        yield f"{words}: {'; '.join(names)} ({', '.join(servers)})"
        yield f"  {reason}"
        if repair := next((cell.repair for cell in group if cell.repair), None):
            yield f"  {plain(repair.say)} Tried: what was fine stays the same."
            yield f"  {repair.line}: {repair.after}"
