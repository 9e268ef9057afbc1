"""What a trace costs: the time with events ÷ without: `python -m benchmarks.tracing [--only WORD]`.

Both run in turns in one process on the same items. The times are medians, and the ratio is the median of the ratios of
the turns, because other load slows both runs of a turn.
"Without" is the same stage with a silent sink; the fast path does other work. "all" is the whole text. A stage that
takes less than a tenth of the trace is left out. Traces should cost at most twice the stages.
"""

from __future__ import annotations

import argparse
import gc
from collections.abc import Collection
from statistics import median
from time import process_time
from typing import Final, NamedTuple

import explorer
from explorer.analysis.languages import languages
from explorer.engine.part import AnyEvents, Emit, Events, Items, Options, Part, initial_items, silent
from explorer.engine.tokenizer import Tokenizer

SPECS: Final = (
    "gpt-2@llama.cpp", "gpt-2@huggingface", "llama-3@llama.cpp", "llama-3@huggingface", "qwen2.5@llama.cpp",
    "o200k_base", "llama-2", "mistral-v1", "bert-uncased@llama.cpp", "bert-uncased@huggingface", "xlm-r",
    "rwkv-world",
)  # fmt: skip
LANGUAGES: Final = ("en", "ko", "zh", "hi", "ar")
CHARACTERS: Final = 5_000
TIMES: Final = 9
LEAST: Final = 0.1
"""The share of a trace's time from which a stage is printed."""


class Cost(NamedTuple):
    """Seconds with events and without, of each turn, and the number of events."""

    traced: tuple[float, ...]
    silent: tuple[float, ...]
    events: int

    @property
    def ratio(self) -> float:
        return median(traced / silent for traced, silent in zip(self.traced, self.silent, strict=True))


def total(costs: Collection[Cost]) -> Cost:
    """The cost of stages together, turn by turn."""
    turns = [tuple(map(sum, zip(*each, strict=True))) for each in zip(*(cost[:2] for cost in costs), strict=True)]
    return Cost(turns[0], turns[1], sum(cost.events for cost in costs))


def texts() -> dict[str, str]:
    """A text of the bundled sentences per language, and one of the languages together."""
    every = languages()
    made = {code: every[code].text for code in LANGUAGES if code in every}
    made["all"] = "\n".join(each.text for each in every.values())
    return {name: filled(text) for name, text in made.items()}


def filled(text: str) -> str:
    """The text repeated to the size that is measured."""
    return (text + "\n") * (CHARACTERS // (len(text) + 1)) + text[: CHARACTERS % (len(text) + 1)]


def seconds(part: Part, items: Items, emit: Emit) -> float:
    """Processor seconds of one run of a stage."""
    gc.collect()
    began = process_time()
    part.run(items, Options(), emit)
    return process_time() - began


def cost(part: Part, items: Items) -> Cost:
    """The cost of one stage on these items."""
    traced, untraced, events = [], [], 0
    for _ in range(TIMES):
        sink: AnyEvents = Events(part.row)
        traced.append(seconds(part, items, sink.emit))
        untraced.append(seconds(part, items, silent))
        events = len(sink)
    return Cost(tuple(traced), tuple(untraced), events)


def costs(tokenizer: Tokenizer, text: str) -> dict[str, Cost]:
    """The cost of each stage, and of all of them."""
    items, found = initial_items(text), {}
    for part in tokenizer.parts:
        before = tuple(items)
        found[part.name] = cost(part, before)
        items = part.run(before, Options(), silent)
    return found


def main() -> None:
    """Prints a line for each tokenizer, text and stage."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="a part of a tokenizer's name")
    only = parser.parse_args().only
    print(f"{'tokenizer':26}{'text':6}{'stage':14}{'traced ms':>10}{'silent ms':>10}{'ratio':>7}{'events':>9}")
    for spec in SPECS:
        if only not in spec:
            continue
        tokenizer = explorer.load(spec)
        for name, text in texts().items():
            found = costs(tokenizer, text)
            whole = total(found.values())
            for stage, each in {"all": whole, **found}.items():
                traced, untraced = median(each.traced) * 1000, median(each.silent) * 1000
                if traced >= LEAST * median(whole.traced) * 1000:
                    times = f"{traced:10.2f}{untraced:10.2f}{each.ratio:7.2f}{each.events:9,}"
                    print(f"{spec:26}{name:6}{stage:14}{times}", flush=True)


if __name__ == "__main__":
    main()
