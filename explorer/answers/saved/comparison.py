"""Compare as a saved page: the rows of all tokenizers, and where each other one parts from the first.

Leaves out the tabs that ask for more texts or tokenizers, and all but the first `MOST_PLACES` places of a pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

from explorer.analysis.export import Provenance
from explorer.answers.compare import (
    CompareRequest,
    PartingView,
    head_of,
    parting_view,
    rows_view,
    side_view,
    sides_of,
)
from explorer.answers.explore import tokenizer
from explorer.answers.offers import TokenizerSpec, bundled, server_offer
from explorer.answers.questions import question
from explorer.engine.part import Options
from explorer.errors import InputError
from explorer.opening.formats import files_at
from explorer.saved.explore import LONGEST_LINK, part_of, quoted
from explorer.saved.page import Page, html, made_of, packed, repacked
from explorer.text.say import plain

MOST_PLACES: Final = 12
"""Places of a pair, each with the stage of both sides."""
MOST_PAIRS: Final = 5
PARTING: Final = "Where they part"
"""The value of `view` in the address for the places (`comparison.js`)."""


def comparison_page(
    models: Sequence[str], text: str, options: Options, choices: tuple[tuple[str, str], ...] = ()
) -> Page:
    """A text under several tokenizers. models: names or paths, as the command line takes them. Raises InputError.

    >>> page = comparison_page(["gpt-2", "bert-uncased"], "What is LoRA?", Options())
    >>> [pair["labels"] for pair in page.data["pairs"]], page.file_name
    ([('GPT-2', 'BERT uncased')], 'gpt-2@huggingface+bert-uncased@huggingface-comparison-9ed868d3.html')
    """
    specs = {spec.name: spec for spec in (spec_of(model, choices) for model in models)}
    if len(specs) < 2:
        raise InputError("give two different tokenizers to compare")
    return page_of(CompareRequest(specs, text, options, text, False, next(iter(specs))))


@question
def comparison_file(request: CompareRequest, start: int, stored: bool, app: str) -> tuple[str, str]:
    """A comparison on the page: the name of the file, and the file.

    start: of the window that is drawn. stored: tokens as the vocabulary stores them. app: the URL its links lead to.
    """
    page = page_of(request, start, stored)
    return page.file_name, html(page, app)


def page_of(request: CompareRequest, start: int = 0, stored: bool = False) -> Page:
    """What Compare shows of a text, as a saved page. Raises InputError for one tokenizer."""
    if len(request.specs) < 2:
        raise InputError("choose a second tokenizer")
    rows = rows_view(request, start, stored)
    specs = list(request.specs.values())
    first = request.specs[request.baseline]
    others = [each for each in specs if each is not first]
    several = [(first, other) for other in others[:MOST_PAIRS]]
    linked = () if rows.parting is None else tuple(specs[at] for at in sorted(rows.parting["sides"]))
    if linked and linked not in several and linked[0] != linked[1]:
        several.append(linked)  # the rows have a link to it
    scripts: dict[str, str] = {}
    pairs = [pair_data(request, pair, scripts) for pair in several]
    data = {
        "rows": {
            "drawn": rows.drawn.json, "id": rows.drawn.id, "say": rows.say._asdict(), "parting": rows.parting,
            "names": request.names,
        },
        "part": part_of(len(request.text), rows.part.start, rows.part.end),
        "pairs": [{"labels": pair["labels"], "names": pair["names"]} for pair in pairs],
        "packed": packed({"pairs": pairs, "scripts": scripts}),
    }  # fmt: skip
    toks = [tokenizer(spec) for spec in request.specs.values()]
    made = Provenance.of(toks, request.text, request.options, request.names)
    labels = request.labels()
    return Page(
        "comparison", f"{quoted(request.text)} in {', '.join(labels[:-1])} and {labels[-1]}", data, made_of(made),
        f"{len(labels)} tokenizers.", made.file_name("comparison", "html"), f"compare?{urlencode(link_of(request))}",
    )  # fmt: skip


def link_of(request: CompareRequest) -> list[tuple[str, str]]:
    """The parameters that open a comparison in the app."""
    query = [("with", name) for name in request.names]
    query += [("base", request.baseline)] if request.baseline != request.names[0] else []
    query += [("chosen", f"{name} {'='.join(each)}") for name, spec in request.specs.items() for each in spec.choices]
    query += [("text", request.text)] if len(request.text) <= LONGEST_LINK else []
    switches = {"addspecial": request.options.add_special, "parsespecial": request.options.parse_special}
    return query + [(name, "false") for name, on in switches.items() if not on]


def pair_data(
    request: CompareRequest, specs: tuple[TokenizerSpec, TokenizerSpec], scripts: dict[str, str]
) -> dict[str, Any]:
    """Where two tokenizers part: a view for each place, by its number. scripts: of all pairs, each once."""
    args = request.of(specs[0]), specs[1]
    start = parting_view(*args, None)
    count = len(start.picture["places"])
    numbers = [] if start.place is None else sorted({start.place, *range(min(count, MOST_PLACES))})
    views = {number: parting_view(*args, number) for number in numbers}
    return {
        "names": [spec.name for spec in specs],
        "labels": start.labels,
        "id": start.id,
        "start": start.place,
        "none": place_data(start, specs, [], scripts) if start.place is None else None,
        "places": {
            number: place_data(view, specs, [side_view(*args, at, number) for at in (0, 1)], scripts)
            for number, view in views.items()
        },
    }


def place_data(
    view: PartingView, specs: Sequence[TokenizerSpec], sides: Sequence[Any], scripts: dict[str, str]
) -> dict[str, Any]:
    """One place as the browser draws it."""
    drawn = []
    for side in sides:
        found = side.stage is not None and side.stage.script is not None
        if found:
            scripts[side.id] = repacked(side.stage.script)
        drawn.append({"script": side.id if found else None, "step": side.step, "stage": side.stage is not None})
    return {
        "say": view.say._asdict(),
        "more": view.more._asdict(),
        "drawn": {
            "picture": view.picture, "sides": sides_of(view, specs), "head": head_of(view, sides), "rows": view.rows,
            "default": view.default, "content_id": view.id, "label": plain(view.say),
        },
        "spot": None if view.spot is None or view.spot == (0, view.picture["size"]) else view.spot,
        "tokens": view.tokens,
        "panels": drawn,
    }  # fmt: skip


def spec_of(model: str, choices: tuple[tuple[str, str], ...]) -> TokenizerSpec:
    """A tokenizer as the command line names it: MODEL or MODEL@IMPLEMENTATION, bundled or a path."""
    name, _, implementation = model.rpartition("@") if "@" in model else (model, "", "")
    offer = bundled().get(name)
    if offer is None:
        path = Path(name if implementation else model)
        offer = server_offer(path, path.name, files_at(path))
    if implementation and implementation not in offer.implementations:
        raise InputError(f"{name} is not run as {implementation!r}; use one of {', '.join(offer.implementations)}")
    return TokenizerSpec(offer, implementation or offer.implementations[0], choices)
