"""What a corpus job costs before, around and after its text: `python -m benchmarks.first_job [-m SPEC …] [--rounds N]`.

Runs `explorer corpus -m SPEC` over a text of two lines in a process of its own, with the compiled encoder, for each
bundled tokenizer alone and for three together. Nothing is subtracted: the interpreter's start, imports and the output
are in the seconds. The compiled code is there before, and Python's own .pyc files; everything else begins with an empty
cache folder. `new` is the first job of a tokenizer, which makes its tables and keeps them, `again` the fastest of the
following ones. Printed: seconds of the clock; those of the processor; then where they go, in milliseconds of the clock,
from another run with timers.
"""

from __future__ import annotations

import argparse
import functools
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from typing import Any, Final

TOGETHER: Final = ("llama-3", "xlm-r", "gpt-2")
TEXT: Final = "What is LoRA?\nA tiny text, with a few words: naïve café 東京.\n"
PHASES: Final = ("python", "imports", "key", "vocabulary", "strategy", "code", "tables", "properties", "rest")


def child(specs: list[str], text: str, began: float) -> None:
    """Runs the job with timers, and prints the seconds of each phase. began: when the process was started."""
    spent = dict.fromkeys(PHASES, 0.0)
    spent["python"] = (at := time.monotonic()) - began
    import explorer.cli.corpus_job  # noqa: F401
    from explorer.cli.main import main as command
    from explorer.compiled import build
    from explorer.corpus import counter
    from explorer.corpus.counter import TokenizerStats
    from explorer.engine.fast.encoder import Batches

    spent["imports"] = time.monotonic() - at

    def timed(function: Callable[..., Any], phase: str) -> Callable[..., Any]:
        @functools.wraps(function)
        def run(*given: Any, **named: Any) -> Any:
            since = time.monotonic()
            try:
                return function(*given, **named)
            finally:
                spent[phase] += time.monotonic() - since

        return run

    def replace(owner: Any, name: str, phase: str) -> None:
        setattr(owner, name, timed(getattr(owner, name), phase))

    replace(counter, "load", "vocabulary")
    replace(counter, "key", "key")
    replace(Batches, "parts", "strategy")
    loads = timed(build.compiled, "code")
    loads.cache_info = build.compiled.cache_info  # type: ignore[attr-defined]
    build.compiled = loads  # type: ignore[assignment]
    make = Batches.make

    def make_timed(batches: Batches) -> None:
        """The compiled way: what is neither code nor strategy are tables."""
        before, since = spent["code"] + spent["strategy"], time.monotonic()
        make(batches)
        spent["tables"] += time.monotonic() - since - (spent["code"] + spent["strategy"] - before)

    Batches.make = make_timed  # type: ignore[method-assign]
    properties = TokenizerStats.__dict__["properties"]
    properties.func = timed(properties.func, "properties")
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        assert command(arguments(specs, text)) == 0
    spent["rest"] = time.monotonic() - began - sum(spent.values())
    print(json.dumps(spent))


def arguments(specs: list[str], text: str) -> list[str]:
    """Those of the command."""
    return ["corpus", *(word for spec in specs for word in ("-m", spec)), text]


def seconds(command: list[str], environment: Mapping[str, str]) -> tuple[float, float]:
    """The clock's and the processor's seconds of one process."""
    before, began = getrusage(RUSAGE_CHILDREN), time.monotonic()
    subprocess.run([sys.executable, *command], check=True, capture_output=True, env=environment)
    clock, after = time.monotonic() - began, getrusage(RUSAGE_CHILDREN)
    return clock, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def phases(specs: list[str], text: str, environment: Mapping[str, str]) -> dict[str, float]:
    """The seconds of each phase of one job."""
    command = [sys.executable, "-m", "benchmarks.first_job", "--child", text, str(time.monotonic()), *specs]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return dict(json.loads(done.stdout))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.first_job", description=__doc__)
    parser.add_argument("-m", "--model", action="append", metavar="SPEC")
    parser.add_argument("--rounds", type=int, default=5, metavar="N")
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.child:
        text, began, *specs = asked.child
        child(specs, text, float(began))
        return
    # not above: what the measured process imports is measured
    import explorer
    from explorer.compiled import build, kept

    build.announce = print
    build.compiled()
    jobs = [[spec] for spec in asked.model or explorer.catalog()] + ([] if asked.model else [[*TOGETHER]])
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder, "tiny.txt")
        text.write_text(TEXT, "utf-8")
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment |= {"EXPLORER_COMPILED": "always", "PYTHONPYCACHEPREFIX": f"{folder}/pyc", "XDG_CACHE_HOME": folder}
        shutil.copytree(build.folder(), Path(folder, kept.FOLDER, build.folder().name))
        seconds(["-m", "explorer", *arguments([jobs[0][0]], str(text))], environment)
        phases([jobs[0][0]], str(text), environment)
        heading = "".join(f"{phase:>11}" for phase in PHASES)
        print(f"{'':<24}{'new':>6}{'again':>7}{'cpu':>7}{heading}")
        for specs in jobs:
            shutil.rmtree(Path(folder, kept.FOLDER, "tables"), ignore_errors=True)
            command = ["-m", "explorer", *arguments(specs, str(text))]
            new, *again = (seconds(command, environment) for _ in range(1 + asked.rounds))
            clock, processor = (min(each) for each in zip(*again, strict=True))
            spent = min(
                (phases(specs, str(text), environment) for _ in range(asked.rounds)),
                key=lambda each: sum(each.values()),
            )
            parts = "".join(f"{1000 * spent[phase]:>11.0f}" for phase in PHASES)
            print(f"{' '.join(specs):<24}{new[0]:>6.2f}{clock:>7.2f}{processor:>7.2f}{parts}", flush=True)


if __name__ == "__main__":
    main()
