"""Explore, Compare and Train as saved pages, and comparisons and trainings as pages in notebooks.

Of a comparison: the rows of all tokenizers, and where each other one parts from the first. Leaves out the tabs that ask
for more texts or tokenizers, and all but the first `MOST_PLACES` places of a pair.
"""

from __future__ import annotations

import gc
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlencode

from explorer.analysis.divergence.result import Comparison, Run
from explorer.analysis.export import LONGEST_LINK
from explorer.analysis.export import link_of as link_to_text
from explorer.answers.compare import CompareRequest, PartingView, drawn_of, parting_view, rows_view, side_view
from explorer.answers.explore import Request, tokenizer, trace_of
from explorer.answers.offers import Offer, Origin, TokenizerSpec, bundled, bundled_offer, server_offer
from explorer.answers.questions import question
from explorer.engine.part import Options
from explorer.errors import ChoicePairs, Choices, InputError, nearest
from explorer.implementations.opened import Opened
from explorer.languages import ENGLISH, phrases
from explorer.opening.catalog import catalog
from explorer.opening.formats import files_at
from explorer.saved.explore import Shown, address, explore_page, part_of, quoted
from explorer.saved.page import Page, in_base64, made_of, packed, repacked
from explorer.text.say import Say, plural
from explorer.version import __version__

if TYPE_CHECKING:
    from explorer.training.trainers import TextTraining, TrainRequest

MOST_PLACES = 12
"""Places of a pair, each with the stage of both sides."""
MOST_PAIRS = 5
PARTING = "Where they part"
"""The value of `view` in the address for the places (`comparison.js`)."""


def comparison_page(models: Sequence[str], text: str, options: Options, choices: ChoicePairs = ()) -> Page:
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
    return page_of(request, start, stored).file(app)


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
    made, labels = request.provenance(), request.labels()
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
        "none": place_data(start, *args, scripts) if start.place is None else None,
        "places": {number: place_data(view, *args, scripts) for number, view in views.items()},
    }


def place_data(
    view: PartingView, left: Request, right: TokenizerSpec, scripts: dict[str, str], language: str = ENGLISH
) -> dict[str, Any]:
    """One place as the browser draws it. scripts: of its two sides are added."""
    sides = () if view.place is None else [side_view(left, right, at, view.place, language) for at in (0, 1)]
    drawn, to = [], phrases(language)
    for side in sides:
        script = side.stage and side.stage.script
        if script:
            scripts[side.id] = repacked(script)
        drawn.append({"script": side.id if script else None, "step": side.step, "stage": side.stage is not None})
    return {
        "say": to.data(view.say),
        "more": to.data(view.more),
        "drawn": to.data(drawn_of(view, (left.spec, right), sides)._asdict()),
        "spot": None if view.spot is None or view.spot == (0, view.picture["size"]) else view.spot,
        "tokens": view.tokens,
        "panels": drawn,
    }  # fmt: skip


def spec_of(model: str, choices: ChoicePairs) -> TokenizerSpec:
    """A tokenizer as the command line names it: MODEL or MODEL@IMPLEMENTATION, bundled or a path."""
    name, _, asked = model.rpartition("@") if "@" in model else (model, "", "")
    implementation = nearest("implementation", asked)
    if name in catalog():  # of the others, a browser may have no file
        offer = bundled_offer(name)
    else:
        path = Path(name if implementation else model)
        offer = server_offer(path, path.name, files_at(path))
    if implementation and implementation not in offer.implementations:
        raise InputError(f"{name} is not run as {implementation!r}; use one of {', '.join(offer.implementations)}")
    return offer.spec(implementation, choices)


@question
def explore_file(request: Request, start: int, stored: bool, app: str) -> tuple[str, str]:
    """A text under one tokenizer: the name of the file, and the file.

    start: of the window that is drawn. app: the URL that its links lead to.
    """
    spec = request.spec
    back = link_to_text(spec.offer.label, spec.implementation, request.text, request.options, spec.choices)
    back |= {"at": str(start)} if start else {}
    page = explore_page(tokenizer(spec), trace_of(request), title=spec.title, start=start, stored=stored, back=back)
    return page.file(app)


def training_page(algorithm: str, whom: str, cutting: str, size: int, text: str) -> Page:
    """A vocabulary learned from a short text. cutting: of words, "" for the usual one. Raises InputError.

    >>> page = training_page("bpe", "huggingface", "whitespace", 12, "low lower lowest")
    >>> page.heading, page.data["file_name"]
    ('BPE learned from “low lower lowest”', 'trained here, 12 tokens.json')
    """
    from explorer.training.trainers import usual_request

    return training_page_of(usual_request(algorithm, whom, cutting, size, text))


@question
def training_file(request: TrainRequest, app: str) -> tuple[str, str]:
    """A training on the page: the name of the file, and the file. app: the URL that its links lead to."""
    return training_page_of(request).file(app)


def training_page_of(request: TrainRequest) -> Page:
    """What Train shows, as a saved page. Raises InputError."""
    from explorer.answers.train import train_view  # a browser has no numpy
    from explorer.training.trainers import ALGORITHMS, OFFERED, query_of

    (algorithm, whom), text, view = request.trainer_id, request.text, train_view(request)
    board = Say("Your text: {0} → {1} tokens", view.before, view.after)
    data = {
        "script": repacked(view.script),
        "on": {"script_id": view.id, "start": view.opens, "board": board._asdict()},
        "text": text,
        "file": in_base64(view.file),
        "file_name": view.file_name,
    }
    made = [
        ("Program", f"tokenizer-explorer {__version__}"),
        ("Trainer", f"{algorithm}, as {whom}"),
        ("Words", request.cutting),
        ("Size", f"{request.vocab_size} asked, {plural(view.tokens, 'token')} learned"),
        *((f"Option {name}", str(value)) for name, value in request.options),
        ("Text", f"{plural(len(text), 'character')}, sha256 {sha256(text.encode()).hexdigest()}"),
    ]
    title = OFFERED[request.trainer_id].title
    return Page(
        "training", f"{ALGORITHMS[algorithm]} learned from {quoted(text)}", data, made,
        f"{ALGORITHMS[algorithm]} as {title} learns it, {plural(view.tokens, 'token')}.",
        f"training-{algorithm}-{whom}-{view.id[:8]}.html", f"train?{urlencode(query_of(request))}",
    )  # fmt: skip


class OpenedAlready(NamedTuple):
    """Gives a tokenizer that a notebook has opened, whatever is asked for."""

    tokenizer: Opened

    def __call__(self, implementation: str, choices: Choices) -> Opened:
        """The tokenizer."""
        return self.tokenizer

    def contents(self) -> bytes:
        """Its file was read long ago, and is asked for only on a page of the app."""
        raise InputError("this tokenizer was opened in a notebook")


def show_comparison(
    comparison: Comparison, *, place: int | None = None, step: int | None = None, level: str = "", **asked: Any
) -> Shown:
    """A comparison as a page. place: the one shown first, from 1; step: of its left side. Raises InputError."""
    count = len(comparison.places)
    if place is not None and not 1 <= place <= count:
        raise InputError(f"there is no place {place}; this comparison has {count}")
    sides = comparison.sides
    specs = [opened_spec(run, run.tokenizer.name) for run in sides]
    if specs[0].name == specs[1].name:
        specs = [opened_spec(run, run.label) for run in sides]
    text, options = comparison.left.text, comparison.left.options
    page = page_of(CompareRequest({each.name: each for each in specs}, text, options, text, False, specs[0].name))
    gc.unfreeze()  # the app keeps what it has opened from the collector; in a notebook, more than that would be kept
    view = "" if place is None and step is None else PARTING
    return Shown(page, comparison._repr_html_(), address(level, view=view, place=place, step0=step), **asked)


def opened_spec(run: Run, label: str) -> TokenizerSpec:
    """One side, as the questions of a page take it. label: what its name begins with."""
    tok, known = run.tokenizer, bundled().get(label)
    opener, key = OpenedAlready(tok), f"opened {id(tok)}"  # the cache keeps it as long as its key
    if known is not None and tok.implementation in known.implementations:
        return TokenizerSpec(replace(known, open=opener, key=key), tok.implementation)
    offer = Offer(label, key, Origin.SERVER, "", 0, (tok.implementation,), (), opener)
    return TokenizerSpec(offer, tok.implementation)


def show_training(training: TextTraining, *, step: int | None = None, level: str = "", **asked: Any) -> Shown:
    """A training as a page. Raises InputError."""
    return Shown(training_page_of(training.request), "", address(level, step=step), **asked)
