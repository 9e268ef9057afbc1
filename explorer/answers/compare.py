"""The Compare page's questions about several tokenizers, tab by tab.

Questions that are `material` compute what the views are made of, `…_view` is ready to draw, and `…_export` writes the
tab's downloads.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from explorer.analysis.boundary.boundary import border_export
from explorer.analysis.boundary.followers import Stability, stability
from explorer.analysis.comparison_exports import (
    alignment_export,
    divergence_export,
    explanation_export,
    flips_export,
    languages_export,
    stability_export,
)
from explorer.analysis.divergence.comparer import compare
from explorer.analysis.divergence.result import POST_PROCESS, Comparison, Run, clause, headline, labels
from explorer.analysis.expected.expected_ids import Explanation
from explorer.analysis.expected.explainer import Example, examples, explain
from explorer.analysis.export import Export, Provenance
from explorer.analysis.inputs import read_ids
from explorer.analysis.languages import Language, Languages, measure
from explorer.analysis.ownership import Alignment, Span, align
from explorer.analysis.what_if import Variation, flip, variations
from explorer.answers.explore import Request, SectionView, content_id, lazy_trace, tokenizer
from explorer.answers.offers import Specs, TokenizerSpec, bundled
from explorer.answers.questions import material, question
from explorer.engine.part import Options
from explorer.implementations.opened import Opened
from explorer.languages import ENGLISH
from explorer.script.script import WINDOW, window_of
from explorer.stages.spelling import Form, implementation_title, speller_of
from explorer.tables import Record
from explorer.text.say import Say, Text, plain
from explorer.views.border import Picture as BorderPicture
from explorer.views.border import borders_picture
from explorer.views.compare.aligned import (
    Aligned,
    Parting,
    Picture,
    aligned,
    parting_of,
    picture_of_one,
    rows_say,
    three_rows,
    tokens_of,
    window_start,
)
from explorer.views.compare.aligned import picture as parting_picture
from explorer.views.compare.expected import examples_picture, expected_picture
from explorer.views.compare.flips import Flip, flip_say, flips_picture
from explorer.views.compare.typing import summary, typing_picture
from explorer.views.examples import PRESETS
from explorer.views.overview import Node, ribbon, section_of
from explorer.views.premiums import picture, premiums_of, sample_of

LONGEST_EXAMPLE = 20_000
"""Characters of a text up to which examples of other ids are computed."""


class CompareRequest(NamedTuple):
    """Specs by their names on the page, the text and the options, and the baseline's name.

    typed: the text as it is in the field, before `escapes` are read.
    """

    specs: Mapping[str, TokenizerSpec]
    text: str
    options: Options
    typed: str
    escapes: bool
    baseline: str

    @property
    def names(self) -> list[str]:
        """The names of the specs, in order."""
        return list(self.specs)

    def labels(self) -> list[str]:
        """What people call the specs."""
        return list(labels_of(tuple(self.specs.values())))

    def of(self, spec: TokenizerSpec) -> Request:
        """The same text and options under one spec."""
        return Request(spec, self.text, self.options)

    def provenance(self) -> Provenance:
        """Where what all of them give comes from, under the names of the command line."""
        return Provenance.of([*map(tokenizer, self.specs.values())], self.text, self.options, self.names)


def provenance_of(name: str, request: Request) -> Provenance:
    """The provenance of a view about one tokenizer. name: on the page."""
    return Provenance.of([tokenizer(request.spec)], request.text, request.options, [name])


# --- one text traced under each tokenizer: what all tabs share ------------------------------------------------------


@question
def tokenize(request: Request) -> None:
    """Traces the text under one tokenizer, so that later questions find it cached."""
    lazy_trace(request)


def run_of(request: Request, label: str) -> Run:
    """The cached trace as one side of a comparison."""
    return Run(tokenizer(request.spec), request.text, lazy_trace(request), label)


def labels_of(specs: Specs) -> tuple[str, ...]:
    """What people call the specs: the model's name, with the implementation if two share the model."""
    models = [spec.offer.name for spec in specs]
    return tuple(model if models.count(model) == 1 else spec.title for model, spec in zip(models, specs, strict=True))


def open_other(spec: TokenizerSpec, name: str) -> Opened:
    """A tokenizer that an explanation may try: of the spec's own file, or a bundled one. name: NAME@IMPLEMENTATION."""
    label, _, implementation = name.rpartition("@") if "@" in name else (name, "", "")
    offer = spec.offer if label == spec.offer.label else bundled().get(label, spec.offer)
    choices = spec.choices if offer == spec.offer and implementation == spec.implementation else ()
    return tokenizer(offer.spec(implementation, choices))


# --- side by side ---------------------------------------------------------------------------------------------------


@material(lambda alignment: 100_000 + 800 * len(alignment.text))
def alignment_of(request: CompareRequest) -> Alignment:
    """The tokens of all tokenizers, aligned, under the names that people know."""
    traces = (lazy_trace(request.of(spec)) for spec in request.specs.values())
    encodings = [(label, trace.encoding) for label, trace in zip(request.labels(), traces, strict=True)]
    return align(request.text, encodings, request.names.index(request.baseline))


class RowsView(NamedTuple):
    """Rows of tokens above each other.

    part: the span of the text that is drawn; parting: where the rows part most.
    """

    say: Say
    part: Span
    drawn: Aligned
    parting: Record | None


@question
def rows_view(request: CompareRequest, at: int, stored: bool, language: str = ENGLISH) -> RowsView:
    """The rows, from code point `at` on. stored: tokens as the vocabularies spell them."""
    alignment, size = alignment_of(request), len(request.text)
    part = Span(at, min(at + WINDOW, size))
    drawn = aligned(
        alignment, [tokenizer(spec) for spec in request.specs.values()], part if size > WINDOW else None, stored,
        language=language,
    )  # fmt: skip
    return RowsView(rows_say(alignment), part, drawn, parting_of(alignment))


def rows_export(request: CompareRequest) -> Export:
    """The rows as an export, under the names of the command line."""
    alignment = alignment_of(request)
    rows = tuple(row._replace(label=name) for row, name in zip(alignment.rows, request.names, strict=True))
    return alignment_export(request.provenance(), alignment._replace(rows=rows))


@question
def borders_view(request: CompareRequest, at: int | None, stored: bool) -> BorderPicture:
    """A border in the text under all tokenizers: at an offset, or where it shows most under the first one."""
    return borders_picture(
        tokenizers_of(request), request.text, at, parse_special=request.options.parse_special,
        form=Form.AS_STORED if stored else Form.AS_TEXT,
    )  # fmt: skip


def tokenizers_of(request: CompareRequest) -> dict[str, Opened]:
    """The tokenizers by what people call them."""
    return dict(zip(request.labels(), map(tokenizer, request.specs.values()), strict=True))


def borders_export(request: CompareRequest, at: int) -> Export:
    """A border under all tokenizers as an export."""
    return border_export(tokenizers_of(request), request.text, at, request.options.parse_special)


# --- where they part ------------------------------------------------------------------------------------------------


def comparison_weight(comparison: Comparison) -> int:
    """The approximate bytes of a comparison."""
    return 100_000 + 800 * len(comparison.left.text)


@material(comparison_weight)
def comparison_of(left: Request, right: TokenizerSpec) -> Comparison:
    """Two tokenizers compared stage by stage."""
    specs = (left.spec, right)
    toks = [tokenizer(spec) for spec in specs]
    names = labels(
        toks, {tok.name: spec.offer.title for tok, spec in zip(toks, specs, strict=True) if spec.offer.title}
    )
    return compare(*(run_of(left._replace(spec=spec), name) for spec, name in zip(specs, names, strict=True)))


def parting_export(left: Request, right: TokenizerSpec) -> Export:
    """Where two tokenizers differ, as an export."""
    return divergence_export(comparison_of(left, right))


class PartingView(NamedTuple):
    """Where two tokenizers differ, at one of its places.

    id: identifies this comparison. say: what both sides do, more: what follows. picture: of `views.compare.parting`,
    place: the number of the place in it, None if nothing differs, default: that of the first. spot: its span in the
    text. stages: the stage at fault of each side, None where it has none. rows: the place drawn on the text, where a
    side lacks the stage. tokens, does: of each side. labels: what both are called.
    """

    id: str
    say: Say
    more: Say
    picture: Record
    place: int | None
    default: int | None
    spot: tuple[int, int] | None
    rows: Record | None
    tokens: tuple[list[list[Any]], list[list[Any]]]
    does: tuple[str, str]
    labels: tuple[str, str]


def parting_id(left: Request, right: TokenizerSpec) -> str:
    """An id of this comparison, for what the browser reports about it."""
    return content_id(*left, right.offer.key, *right[1:])


@material(lambda nodes: 2_000)
def stages_of(request: Request) -> list[Node]:
    """The stages of a text, each with its result."""
    trace, opened = lazy_trace(request), tokenizer(request.spec)
    return ribbon(trace, opened.trace_decode(trace.ids))


def place_of(comparison: Comparison, wanted: int | tuple[int, int] | None) -> int | None:
    """The place that is asked for by its number, or by a span of the text; else the first."""
    if isinstance(wanted, tuple):
        spans = ((number, place.difference.region) for number, place in enumerate(comparison.places))
        found = (number for number, (start, end) in spans if start < wanted[1] and wanted[0] < end)
        return next(found, comparison.first_place)
    known = wanted is not None and 0 <= wanted < len(comparison.places)
    return wanted if known else comparison.first_place


@question
def parting_view(left: Request, right: TokenizerSpec, wanted: int | tuple[int, int] | None) -> PartingView:
    """Where two tokenizers part: the answer, the picture, and one place. wanted: its number, or a span that it has."""
    comparison = comparison_of(left, right)
    place, default = place_of(comparison, wanted), comparison.first_place
    say, more = headline(comparison, None if place == default else place)
    tokens: tuple[list[list[Any]], list[list[Any]]] = [], []
    rows, spot, does = None, None, ("", "")
    if place is not None:
        chosen = comparison.places[place]
        first = chosen.difference
        sides = (comparison.left, first.left), (comparison.right, first.right)
        rows, spot = three_rows(comparison, chosen), (first.spot.start, first.spot.end)
        tokens = tokens_of(*sides[0]), tokens_of(*sides[1])
        does = Text(clause(left.text, first.left)), Text(clause(left.text, first.right))
    stages = stages_of(left), stages_of(left._replace(spec=right))
    return PartingView(
        parting_id(left, right), say, more, parting_picture(comparison, place, stages), place, default, spot, rows,
        tokens, does, (comparison.left.label, comparison.right.label),
    )  # fmt: skip


@question
def parting_example(left: Request, right: TokenizerSpec) -> str | None:
    """An example text for which the two give other ids; None if there is none."""
    one, other = tokenizer(left.spec), tokenizer(right)
    options = left.options._asdict()
    texts = (preset.text for preset in PRESETS)
    return next((text for text in texts if one.encode(text, **options).ids != other.encode(text, **options).ids), None)


@question
def stages_view(request: Request) -> Record:
    """The picture of one tokenizer: its stages alone."""
    return picture_of_one(stages_of(request))


class SideView(NamedTuple):
    """One side of a place: its stage from about `at` on, if it has that stage.

    id: identifies exactly this content. step: where the difference begins in the script.
    """

    at: int
    stage: SectionView | None
    step: int
    id: str


@question
def side_view(left: Request, right: TokenizerSpec, index: int, place: int, language: str = ENGLISH) -> SideView:
    """One side of a place of two tokenizers that differ, said in a language. index: 0 for the left one."""
    comparison = comparison_of(left, right)
    chosen = comparison.places[place]
    request = left if index == 0 else left._replace(spec=right)
    half = (chosen.difference.left, chosen.difference.right)[index]
    at = window_start(comparison, chosen.difference)
    if half.stage is None:
        return SideView(at, None, 0, "")
    trace = lazy_trace(request)
    window = window_of(trace, at)
    number, last = half.stage, False
    if chosen.only_ids and trace.stages[-1].name == POST_PROCESS:  # where all ids are seen
        number, last = len(trace.stages) - 1, True
    section = section_of(trace.stages[number], trace, tokenizer(request.spec).vocabulary, window)
    script = section.script
    step = 0 if script is None else len(script) if last else script.step_of(half.event)
    return SideView(at, SectionView.of(section, language), step, content_id(*request, number, window, language))


def drawn_of(view: PartingView, specs: Sequence[TokenizerSpec], sides: Sequence[SideView]) -> Parting:
    """All above the panels. sides: of the place; none if nothing differs."""
    beside: list[dict[str, object]] = []
    for spec, label, does, tokens in zip(specs, view.labels, view.does, view.tokens, strict=True):
        program, model = implementation_title(spec.implementation), spec.offer.name
        about = model if label == program else program
        beside.append({"name": label, "about": about, "does": does, "tokens": tokens})
    return Parting(view.picture, beside, view.id, Text(view.say), head_of(view, sides), view.rows, view.default)


def head_of(view: PartingView, sides: Sequence[SideView]) -> dict[str, str] | None:
    """The head of the panels: the stage, and who steps."""
    if view.place is None:
        return None
    names = [node for node in view.picture["stages"][view.picture["here"] or 0]["sides"] if node]
    title = Text("{0:t}, step by step", names[0][0]) if names else Text("At this place")
    have = [label for label, side in zip(view.labels, sides, strict=True) if side.stage is not None]
    lack = [label for label in view.labels if label not in have]
    if not lack:
        return {"title": title, "note": Text("both sides are at the first difference")}
    if have:
        return {"title": title, "note": Text("{0:t} has no such stage, so only {1:t} steps", lack[0], have[0])}
    return {"title": title, "note": Text("{0:t} and {1:t} have no such stage", *lack)}


# --- expected ids: from another program -----------------------------------------------------------------------------


@material(lambda explanation: 1_000_000 + 200 * len(explanation.expected))
def explanation_of(request: Request, pasted: str) -> Explanation:
    """Why the pasted ids differ. Raises InputError."""
    return explain(
        tokenizer(request.spec), request.text, read_ids(pasted), **request.options._asdict(),
        open_other=partial(open_other, request.spec), given=lazy_trace(request),
    )  # fmt: skip


def expected_export(name: str, request: Request, pasted: str) -> Export:
    """The explanation as an export. name: of the spec on the page."""
    return explanation_export(provenance_of(name, request), explanation_of(request, pasted))


class ExpectedView(NamedTuple):
    """Ids from another program. pattern: the one that gives them in place of the tokenizer's own, None if none does."""

    picture: Picture
    pattern: str | None


@question
def expected_view(name: str, request: Request, pasted: str) -> ExpectedView:
    """The pasted ids above a tokenizer's own. name: of the spec on the page. Raises InputError."""
    found = explanation_of(request, pasted)
    title, opened = request.spec.offer.name, tokenizer(request.spec)
    return ExpectedView(expected_picture(found, opened, title, name, request.options), found.pattern)


@question
def expected_examples(request: Request, others: Specs) -> list[Example]:
    """Ids that other programs often give for a text; none for a long one. others: tokenizers whose ids are examples."""
    if len(request.text) > LONGEST_EXAMPLE:
        return []
    named = [(label, tokenizer(spec)) for label, spec in zip(labels_of(others), others, strict=True)]
    return examples(tokenizer(request.spec), request.text, request.options, named)


@question
def examples_view(request: Request, others: Specs, problem: str) -> Picture:
    """The tokenizer's own ids and the examples. problem: what is wrong with what was pasted, "" if nothing was."""
    opened, given = tokenizer(request.spec), lazy_trace(request).encoding
    title = request.spec.offer.name
    return examples_picture(expected_examples(request, others), request.text, given, opened, title, problem)


# --- what if --------------------------------------------------------------------------------------------------------


@question
def variations_of(request: Request) -> tuple[Variation, ...]:
    """The switches of a tokenizer that can be flipped."""
    return variations(tokenizer(request.spec), request.text, **request.options._asdict())


@material(comparison_weight)
def flip_comparison(request: Request, variation: Variation) -> Comparison:
    """A tokenizer compared with itself, one switch flipped."""
    return flip(run_of(request, ""), variation, open_other=partial(open_other, request.spec))


@question
def flip_one(request: Request, variation: Variation) -> None:
    """Flips one switch, so that later questions find it cached."""
    flip_comparison(request, variation)


@question
def what_if_view(name: str, request: Request) -> Picture:
    """The text as it is, and a row for each switch. name: of the spec on the page."""
    flips = [Flip(each, flip_comparison(request, each)) for each in variations_of(request)]
    return flips_picture(flips, run_of(request, ""), request.spec.offer.name, name)


def what_if_export(name: str, request: Request) -> Export:
    """All switches of a tokenizer, flipped one after the other."""
    flips = [(each, flip_comparison(request, each)) for each in variations_of(request)]
    return flips_export(provenance_of(name, request), flips, [plain(flip_say(*each)) for each in flips])


# --- while typing ---------------------------------------------------------------------------------------------------


@material(lambda stability: 1_000_000)
def stability_of(request: Request) -> Stability:
    """The tokens of every prefix of the text."""
    return stability(tokenizer(request.spec), request.text, parse_special=request.options.parse_special)


@question
def typing_view(request: Request) -> Record:
    """Which earlier tokens change while the text is typed. Special tokens are never added."""
    speller = speller_of(tokenizer(request.spec).trace(""), stored=False)
    return typing_picture(stability_of(request), speller, request.spec.offer.name)


def typing_export(name: str, request: Request) -> Export:
    """The same as an export."""
    found = stability_of(request)
    return stability_export(provenance_of(name, request), found, plain(summary(found)))


# --- one text in many languages -------------------------------------------------------------------------------------


@material(lambda languages: 1_000_000)
def languages_of(specs: Specs, texts: tuple[Language, ...], baseline: str) -> Languages:
    """The measures of every language. baseline: a language's code."""
    return measure(texts, [tokenizer(spec) for spec in specs], baseline)


def costs_export(specs: Specs, texts: tuple[Language, ...], baseline: str) -> Export:
    """The measures as an export."""
    return languages_export([tokenizer(spec) for spec in specs], languages_of(specs, texts, baseline))


@question
def languages_view(specs: Specs, texts: tuple[Language, ...], baseline: str, title: str) -> Record:
    """The cost of each language. title: what the text is called. Raises InputError."""
    measured = languages_of(specs, texts, baseline)
    premiums = premiums_of(measured, labels_of(specs))
    return picture(premiums, sample_of(measured, premiums, title))
