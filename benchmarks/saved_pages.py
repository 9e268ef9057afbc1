"""Measures saved pages: `python -m benchmarks.saved_pages [--parts MODEL]`.

The size of each kind of page, and the same zipped, as docs/saved-pages.md has them; `--parts` says what the bytes of
Explore's page are, for each of some lengths of text. Sizes are in kB of 1,000 bytes and are the same on every machine.
"""

from __future__ import annotations

import argparse
import json
import zlib
from collections.abc import Callable, Iterable
from typing import Any, Final

import explorer
from explorer.answers.saved import comparison_page, training_page
from explorer.engine.part import Options
from explorer.learning.lessons import library
from explorer.learning.questions import Quiz
from explorer.saved.explore import explore_page
from explorer.saved.lesson import lesson_page, quiz_page
from explorer.saved.page import Page, code_inside, html

SHORT: Final = "What is LoRA?"
PROSE: Final = (
    "A tokenizer cuts a text into the pieces that a language model reads. Most pieces are words or parts of words, and "
    "each has a number. Which pieces there are was decided once, from a large collection of texts: what is frequent "
    "there is one piece, what is rare is several. That is why the same sentence costs more in some languages than in "
    "others, why a model finds it hard to spell, and why “strawberry” is no row of letters to it. Numbers such as "
    "3.14159 or 2,000,000 are cut, too; so are 🤗, naïve, and https://example.org/?q=LoRA.\n"
)  # fmt: skip
LENGTHS: Final = (200, 1_000, 2_000)
SIX: Final = ("llama-2", "gpt-2", "llama-3", "o200k_base", "bert-uncased", "xlm-r")


def text_of(length: int) -> str:
    """Prose with so many characters."""
    return (PROSE * (length // len(PROSE) + 1))[:length]


def explore(model: str, text: str, only: str = "") -> Page:
    """A text under a bundled tokenizer."""
    tok = explorer.load(model)
    return explore_page(tok, tok.trace(text), only=only)


def rows() -> Iterable[tuple[str, Iterable[Callable[[], Page]]]]:
    """Each row of the table, and the pages it is about."""
    models = list(explorer.catalog())
    yield "one stage of a short text", [lambda: explore("gpt-2", SHORT, "model")]
    yield "Explore, 13 characters", [lambda: explore("gpt-2", SHORT)]
    for length in LENGTHS:
        pages = [lambda model=model, length=length: explore(model, text_of(length)) for model in models]  # type: ignore[misc]
        yield f"Explore, {length:,} characters, every bundled model", pages
    yield "Compare, two tokenizers", [lambda: comparison_page(["gpt-2", "bert-uncased"], SHORT, Options())]
    yield "Compare, six tokenizers", [lambda: comparison_page(list(SIX), SHORT, Options())]
    yield "a training of 40 tokens", [lambda: training_page("bpe", "huggingface", "", 40, "low lower lowest")]
    yield "a lesson", [lambda lesson=lesson: lesson_page(lesson) for lesson in library().values()]  # type: ignore[misc]
    texts = [SHORT, "the theme", "unhappiness"]
    yield "a quiz of five questions", [lambda: quiz_page(explorer.load("llama-2"), Quiz(5, 3, texts=tuple(texts)))]


def kilobytes(sizes: list[int]) -> str:
    """One size, or the smallest and the largest."""
    least, most = (round(each(sizes) / 1000) for each in (min, max))
    return f"{least} kB" if least == most else f"{least} to {most} kB"


def table() -> None:
    """The table of docs/saved-pages.md."""
    print("| page | size | zipped |\n|---|--:|--:|")
    for name, pages in rows():
        files = [html(page()).encode() for page in pages]
        zipped = [len(zlib.compress(each, 9)) for each in files]
        print(f"| {name} | {kilobytes([len(each) for each in files])} | {kilobytes(zipped)} |", flush=True)


def parts(model: str) -> None:
    """What the bytes of Explore's page are."""
    print(f"| {model}: part | " + " | ".join(f"{length:,} characters" for length in LENGTHS) + " |")
    print("|---|" + "--:|" * len(LENGTHS))
    columns = [parts_of(explore(model, text_of(length))) for length in LENGTHS]
    for name in dict.fromkeys(name for each in columns for name in each):
        print(f"| {name} | " + " | ".join(f"{each.get(name, 0) / 1000:.0f} kB" for each in columns) + " |")


def parts_of(page: Page) -> dict[str, int]:
    """Bytes by part."""

    def size(value: Any) -> int:
        return len(json.dumps(value, ensure_ascii=False).encode())

    data = page.data
    found = {"code": len(code_inside(page.kind)[1])}
    found |= {f"script of {key}": size(each["script"]) for key, each in data["sections"].items()}
    found |= {"other words of stages": sum(size(each | {"script": ""}) for each in data["sections"].values())}
    found |= {"tokens": size(data["overview"]), "why": size(data["whys"])}
    return found | {"styles and the rest": len(html(page).encode()) - sum(found.values())}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", metavar="MODEL", help="the parts of Explore's page under this model")
    given = parser.parse_args()
    if given.parts:
        parts(given.parts)
    else:
        table()


if __name__ == "__main__":
    main()
