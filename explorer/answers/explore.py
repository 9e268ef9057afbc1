"""The Explore page's questions about one text: its tokens, stages and patterns, other ways to cut it, downloads; about
ids: traced backwards, encoded again, one by one, within others; and about stop strings.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from hashlib import sha256
from itertools import count, islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from explorer.analysis.boundary.boundary import (
    StopString,
    Within,
    boundary_export,
    on_text,
    own_ids_say,
    stop_say,
    stop_string,
    within,
    within_record,
    within_say,
)
from explorer.analysis.boundary.boundary import border_export as one_border
from explorer.analysis.card import Card, card
from explorer.analysis.export import Export, Provenance, plain_values
from explorer.analysis.inputs import ANY, read_ids
from explorer.analysis.ownership import Span, align
from explorer.analysis.pattern_difference import (
    PatternDifference,
    Side,
    difference_of_sides,
    known_pattern,
    known_side,
    name_of_side,
    sides_of,
)
from explorer.analysis.pre_tokenizer import pre_tokenizer_facts
from explorer.analysis.round_trip import Decoding, DriftTotals, IdsAgain, decoding, ids_again
from explorer.analysis.sampling import LONGEST_MANY, distribution, nbest, rules_of, sample
from explorer.analysis.streaming import stream
from explorer.analysis.tokenizer_exports import nbest_export, sampling_export, trace_export
from explorer.analysis.why import characters_of, other_tokenizers, parts_in, why_cut
from explorer.answers.offers import TokenizerSpec
from explorer.answers.questions import Store, material, question
from explorer.engine.part import Options
from explorer.engine.pre_tokenizers.custom_pattern import PatternSlot
from explorer.engine.tokenizer import Encoding, Trace
from explorer.errors import InputError, Unfinished, shown
from explorer.facts import Choosable, Fact
from explorer.implementations.opened import Opened
from explorer.languages import ENGLISH
from explorer.script.script import WINDOW, Script, Window, pack, window_of
from explorer.stages.decoders.losses import RoundTrip, round_trip
from explorer.stages.spelling import Form, Speller, plain_bytes
from explorer.stages.utf8 import bytes_script
from explorer.tables import Record
from explorer.text import unescape
from explorer.text.say import Say, Text, plural
from explorer.views.border import border_picture
from explorer.views.compare.aligned import Aligned, Picture, StyledLine, aligned
from explorer.views.compare.expected import again_picture
from explorer.views.glossary import Word
from explorer.views.overview import Node, Overview, Section, focus_of, ribbon, sections, unfinished_sections
from explorer.views.steppers.draw_script import draw_script as steps_of_draw
from explorer.views.steppers.stream_script import MOST, stream_script
from explorer.views.ways import frame, too_many, ways_picture
from explorer.views.why_card import Card as WhyCard
from explorer.views.why_card import cards_of, cuts_elsewhere

if TYPE_CHECKING:
    import pandas as pd

T = TypeVar("T")
BYTES_PER_PIECE = 700
"""Weight of an opened tokenizer, for each piece of its vocabulary."""
BYTES_PER_CHARACTER = 600
"""Weight of a trace with the events of all stages, for each character of its text."""
BORDER = "border"
"""In place of the key of a stage: a border in the text."""
WAYS = "sample"
"""In place of the key of a stage: other ways to cut the text."""
SECTIONS_BYTES = 4_000_000
"""Weight of the sections of one text, which hold never more than a window of it."""


MOST_BYTES = 2_000
"""Bytes drawn at most of those that a visitor gives instead of a text."""


class Request(NamedTuple):
    """A text under one tokenizer: what most questions are about."""

    spec: TokenizerSpec
    text: str
    options: Options = Options()


def trace_weight(trace: Trace) -> int:
    """The approximate bytes of a trace."""
    return 50_000 + BYTES_PER_CHARACTER * len(trace.text)


@material(lambda tokenizer: 1_000_000 + BYTES_PER_PIECE * len(tokenizer.vocabulary.pieces), Store.TOKENIZERS)
def opened(spec: TokenizerSpec) -> Opened:
    """The opened tokenizer of a spec without a pattern."""
    tokenizer = spec.open()
    freeze_heap()
    return tokenizer


def freeze_heap() -> None:
    """Excludes all current objects from garbage collection: millions that live as long as their tokenizer.

    Every few calls it includes them once, to find those that were dropped.
    """
    if next(OPENED) % FULL_COLLECTION_EVERY == 0:
        gc.unfreeze()
        gc.collect()
    gc.freeze()


OPENED = count(1)
FULL_COLLECTION_EVERY = 16
"""Opened tokenizers between two full collections, which take up to a second: more than the first of a class open."""


def tokenizer(spec: TokenizerSpec) -> Opened:
    """The tokenizer of a spec. With a pattern, it shares everything else with the one without."""
    return spec.apply_pattern(opened(spec.without_pattern))


# --- about the tokenizer alone -------------------------------------------------------------------------------------


class TokenizerFacts(NamedTuple):
    """What a page knows about an opened tokenizer.

    patterns: those that split a text. choosable: the optional choices, with their current values. warnings: about its
    file.
    """

    patterns: tuple[PatternSlot, ...]
    choosable: tuple[Choosable, ...]
    warnings: tuple[str, ...]


@question
def facts_of(spec: TokenizerSpec) -> TokenizerFacts:
    """Opens a tokenizer and returns what a page needs to know about it. Raises InputError, ChoiceNeeded."""
    tok = opened(spec.without_pattern)
    return TokenizerFacts(tok.pattern_slots, tuple(tok.choosable), tok.warnings)


@question
def card_of(spec: TokenizerSpec) -> Card:
    """The card of an opened tokenizer."""
    return card(opened(spec), spec.offer.about)


@question
def known_pre_tokenizers(spec: TokenizerSpec) -> tuple[Fact, ...]:
    """Which of the known pre-tokenizers an opened tokenizer has. Takes a second or two for a large vocabulary."""
    return pre_tokenizer_facts(opened(spec))


@question
def doubled(request: Request) -> tuple[str, ...]:
    """Warnings about special tokens that the ids of a text have twice."""
    return tokenizer(request.spec).doubled(lazy_trace(request).ids, request.options.add_special)


# --- about a text --------------------------------------------------------------------------------------------------


@material(trace_weight)
def lazy_trace(request: Request) -> Trace:
    """A trace whose events are computed stage by stage, when somebody asks for them."""
    return tokenizer(request.spec).trace_lazily(request.text, **request.options._asdict())


@question
def first_tokens(request: Request, most: int | None = 8) -> list[tuple[int, int]]:
    """The ids of the first tokens that are from the text, each with how many code points it has; of all for None."""
    tokens = (each for each in lazy_trace(request).encoding.tokens if each.start < each.end)
    return [(each.id, each.end - each.start) for each in islice(tokens, most)]


@material(trace_weight)
def trace_of(request: Request) -> Trace:
    """The full trace of a text, shared by all windows on it."""
    try:
        return tokenizer(request.spec).trace(request.text, **request.options._asdict())
    except Unfinished as error:
        error.stages = ()  # errors are kept, and weigh nothing there
        raise


@material(lambda back: 50_000 + 500 * len(back.decoded.ids) + 300 * len(back.losses.lost))
def round_trip_of(request: Request) -> RoundTrip:
    """Its ids decoded, and what of the text doesn't come back."""
    return round_trip(tokenizer(request.spec), trace_of(request))


class SectionView(NamedTuple):
    """A `Section` ready to draw, its script packed."""

    key: str
    title: str
    what: str
    script: bytes | None
    result: Say | None
    words: tuple[Word, ...]
    trie: bool

    @classmethod
    def of(cls, section: Section, language: str) -> SectionView:
        """The view of a section."""
        # an empty text has a script without steps, which is false
        script = None if section.script is None else pack(section.script, language)
        return cls(**section._asdict() | {"script": script})


class ExploreView(NamedTuple):
    """What the Explore page draws first of one text under one tokenizer.

    stored: tokens are drawn as the vocabulary stores them. top: what is drawn above the stage. focus: the key of the
    stage drawn, `BORDER` or `WAYS`. warnings: about the tokenizer's file. doubled: about special tokens that the
    ids have twice.
    The stage in focus and the downloads are questions of their own, so that the tokens are on the screen
    before those are computed.
    """

    request: Request
    stored: bool
    window: Window
    top: Overview
    focus: str
    warnings: tuple[str, ...]
    doubled: tuple[str, ...]

    @property
    def id(self) -> str:
        """Identifies exactly this content."""
        return self.top.content_id

    @property
    def spec(self) -> TokenizerSpec:
        """The tokenizer."""
        return self.request.spec

    @property
    def text(self) -> str:
        """The text."""
        return self.request.text


@question
def explore_view(request: Request, at: int, stage: str, stored: bool = False) -> ExploreView:
    """What the Explore page draws first of a text, within the window that starts at code point `at`.

    stage: the key of the stage to draw, `BORDER` or `WAYS`. stored: tokens as the vocabulary stores them, not
    as text.
    """
    spec, trace = request.spec, trace_of(request)
    decoded = tokenizer(spec).trace_decode(trace.ids, remove_special=request.options.add_special)
    window, nodes = window_of(trace, at), ribbon(trace, decoded)
    number = content_id(*request, window, stored)
    return ExploreView(
        request,
        stored,
        window,
        Overview.of(number, trace, tokenizer(spec), window, nodes, stored, spec.title),
        stage if stage in (BORDER, WAYS) else focus_of(nodes, stage),
        facts_of(spec.without_pattern).warnings,
        tokenizer(spec).doubled(trace.ids, request.options.add_special),
    )


@question
def border_view(request: Request, at: int | None, stored: bool) -> Record:
    """A border in a text: at an offset, or where it shows most."""
    return border_picture(
        tokenizer(request.spec), request.text, at, parse_special=request.options.parse_special,
        label=request.spec.offer.name, form=Form.AS_STORED if stored else Form.AS_TEXT,
    )  # fmt: skip


def border_export(request: Request, at: int) -> Export:
    """A border in a text as an export."""
    label = request.spec.offer.name
    return one_border({label: tokenizer(request.spec)}, request.text, at, request.options.parse_special)


@material(lambda sections: SECTIONS_BYTES)
def sections_of(request: Request, start: int, key: str, stored: bool) -> list[Section]:
    """The sections of a text with this key, within the window that starts at code point `start`.

    stored: tokens as the vocabulary stores them.
    """
    trace = trace_of(request)
    back = round_trip_of(request) if key == "decode" else None
    return sections(tokenizer(request.spec), trace, back, window_of(trace, start), key, stored)


@question
def section_view(request: Request, start: int, key: str, stored: bool, language: str = ENGLISH) -> SectionView:
    """One of the sections, ready to draw, said in a language."""
    (section,) = sections_of(request, start, key, stored)
    return SectionView.of(section, language)


@question
def stages_before_end(request: Request, stored: bool, language: str = ENGLISH) -> tuple[SectionView, ...]:
    """The stages of a text up to where they end without tokens; none for a text that has tokens."""
    tok = tokenizer(request.spec)
    try:
        tok.trace(request.text, **request.options._asdict())
    except Unfinished as error:
        trace = Trace(request.text, request.options, error.stages, Encoding.of((), tok.vocabulary, tok.decoder.alone))
        stages = unfinished_sections(tok, trace, window_of(trace), stored)
        return tuple(SectionView.of(section, language) for section in stages)
    return ()


@question
def downloads_of(request: Request) -> tuple[pd.DataFrame, dict[str, str]]:
    """The tokens of a text as a table, and the names of the files that hold its encoding."""
    from explorer.views.charts import table_of_tokens  # a browser has no pandas

    tok, trace = tokenizer(request.spec), trace_of(request)
    made_by = trace_export(tok, trace).provenance
    names = {"tokens": made_by.file_name("tokens", "csv"), "trace": made_by.file_name("trace", "json")}
    return table_of_tokens(trace, tok, WINDOW), names


@question
def why_of(request: Request, start: int, stored: bool, cut: bool, index: int) -> WhyCard | None:
    """How token `index` of a text came about, or why there is a cut after it; None if there is no such token.

    start: of the window that is drawn: only steps within it are linked.
    """
    spec = request.spec

    def script_of(key: str) -> Script | None:
        return next((each.script for each in sections_of(request, start, key, stored)), None)

    form = Form.AS_STORED if stored else Form.AS_TEXT
    return cards_of(tokenizer(spec), trace_of(request), script_of, spec.offer.label, form)(cut, index)


def why_elsewhere(request: Request, cut: int, others: Iterable[TokenizerSpec]) -> WhyCard | None:
    """How others cut the characters at a cut; None where they aren't asked. Each answers where it belongs."""
    span = characters_at(request, cut)
    if span is None:
        return None
    answers, refusals = each_of(others, lambda spec: parts_of(Request(spec, request.text, request.options), *span))
    return cuts_elsewhere(other_tokenizers(request.text[slice(*span)], answers), refusals)


def each_of(
    specs: Iterable[TokenizerSpec], answer: Callable[[TokenizerSpec], T]
) -> tuple[list[tuple[str, T]], list[tuple[str, str]]]:
    """The answers about several tokenizers by their names, and why the others can't be opened or don't answer."""
    answers, refusals = [], []
    for spec in specs:
        try:
            answers.append((spec.offer.name, answer(spec)))
        except InputError as error:
            refusals.append((spec.offer.name, f"{error}."))
    return answers, refusals


@question
def characters_at(request: Request, cut: int) -> tuple[int, int] | None:
    """The characters of both tokens at a cut, None where others can't be asked about them."""
    return characters_of(why_cut(trace_of(request), cut), request.text)


@question
def parts_of(request: Request, start: int, end: int) -> tuple[str, ...]:
    """The parts of the characters [start, end) of a text. Raises InputError."""
    encoding = tokenizer(request.spec).encode(request.text, **request.options._asdict())
    return parts_in(request.text, encoding, start, end)


def text_export(request: Request) -> Export:
    """A text as an export: its full trace as JSON, its tokens as CSV."""
    tok = tokenizer(request.spec)
    return trace_export(tok, tok.trace(request.text, **request.options._asdict()))


@question
def download(export: Callable[..., Export], arguments: tuple[Any, ...], ending: str) -> str:
    """What a function exports, as the text of a file. ending: a key of `Export.texts`."""
    return export(*arguments).texts[ending]()


@question
def file_names(export: Callable[..., Export], arguments: tuple[Any, ...]) -> dict[str, str]:
    """The names of the files of what a function exports, by ending. Nothing is computed that only the text needs."""
    return export(*arguments).file_names


@question
def script_of_bytes(data: bytes, language: str) -> bytes:
    """The packed script of bytes that need not be UTF-8. No tokenizer is asked."""
    return pack(bytes_script(data), language)


def content_id(spec: TokenizerSpec, *content: object) -> str:
    """A short id of exactly this content of a spec."""
    return sha256(repr((spec.offer.key, *spec[1:], *content)).encode()).hexdigest()[:16]


class PatternChoice(NamedTuple):
    """A known pattern, by its name; or one of those of a tokenizer, by its number from 0."""

    name: str = ""
    spec: TokenizerSpec | None = None
    number: int = 0

    def side(self) -> Side:
        """The pattern as it runs. Raises InputError."""
        return (
            known_side(known_pattern(self.name)) if self.spec is None else sides_of(tokenizer(self.spec))[self.number]
        )


@question
def patterns_of(spec: TokenizerSpec) -> tuple[str, ...]:
    """The names of a tokenizer's patterns, in the order they are applied; "" for one that has none."""
    return tuple(name_of_side(side) or "" for side in sides_of(tokenizer(spec)))


@question
def pattern_difference(left: PatternChoice, right: PatternChoice) -> PatternDifference:
    """The difference of two patterns. Raises InputError."""
    return difference_of_sides(left.side(), right.side())


MANY = "many"
ONE = "one"
BEST = 100
"""Of an n-best list that is saved."""


class WaysRequest(NamedTuple):
    """What is asked, as the address has it: any text may stand there.

    view: `MANY` or `ONE`. draw: which one is played step by step.
    """

    view: str = MANY
    alpha: str = "0.1"
    seed: str = "0"
    draws: str = "100"
    rule: str = ""
    draw: str = "1"


def _number(text: str, name: str) -> int:
    """A whole number. Raises InputError."""
    if not re.fullmatch(r"-?[0-9]{1,20}", text):
        raise InputError(f"{name} is {shown(text)}; give a whole number")
    return int(text)


def _alpha(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"alpha is {shown(text)}; give a number") from None


def _rule(request: Request, asked: WaysRequest) -> str:
    """The rule that was asked for, where this tokenizer has it."""
    return asked.rule if asked.rule in rules_of(tokenizer(request.spec)) else ""


@question
def ways_view(request: Request, asked: WaysRequest, stored: bool = False) -> Record:
    """Many draws of a text. An `error` if they can't be drawn."""
    tok = tokenizer(request.spec)
    try:
        alpha, seed = _alpha(asked.alpha), _number(asked.seed, "the seed")
        draws = _number(asked.draws, "the number of draws")
    except InputError as error:
        return frame(tok, asked.rule) | {"error": str(error)}
    return ways_picture(
        tok, request.text, alpha, seed, draws, asked.rule, parse_special=request.options.parse_special,
        form=Form.AS_STORED if stored else Form.AS_TEXT,
    )  # fmt: skip


@question
def ways_frame(request: Request, rule: str) -> Record:
    """What is drawn above the steps of one draw."""
    return frame(tokenizer(request.spec), rule)


def ways_export(request: Request, asked: WaysRequest) -> Export:
    """What the page shows of samples: many draws, or one with all that was drawn."""
    tok, text = tokenizer(request.spec), request.text
    options = {"add_special": False, "parse_special": request.options.parse_special}
    alpha, seed, rule = _alpha(asked.alpha), _number(asked.seed, "the seed"), _rule(request, asked)
    if asked.view == ONE:
        draw = _number(asked.draw, "the number of the draw")
        one = partial(sample, tok, text, alpha, seed, rule=rule, draw=draw, **options)
        return sampling_export(tok, text, one, options)
    draws = _number(asked.draws, "the number of draws")
    many = partial(distribution, tok, text, alpha, seed, samples=draws, rule=rule, **options)
    return sampling_export(tok, text, many, options)


def best_export(request: Request) -> Export:
    """The best ways by a Unigram model, with their scores."""
    tok = tokenizer(request.spec)
    options = {"add_special": False, "parse_special": request.options.parse_special}
    return nbest_export(tok, request.text, partial(nbest, tok, request.text, BEST, **options), options)


@question
def draw_script(request: Request, asked: WaysRequest, stored: bool = False, language: str = ENGLISH) -> bytes:
    """The packed script of one draw. Raises InputError for a draw that can't be made."""
    tok = tokenizer(request.spec)
    alpha, seed, draw = _alpha(asked.alpha), _number(asked.seed, "the seed"), _number(asked.draw, "the draw's number")
    if len(request.text) > LONGEST_MANY:
        raise InputError(f"a text of {plural(len(request.text), 'character')} is too long to draw; the command line "
                         "draws longer ones")  # fmt: skip
    if error := too_many(request.text, draw):
        raise InputError(error)
    rule, parse = _rule(request, asked), request.options.parse_special
    played = steps_of_draw(tok, request.text, alpha, seed, rule, draw, parse_special=parse, stored=stored)
    return pack(played, language)


ROWS = ("ids", "again")
"""The stages that are drawn as rows of tokens on the text, by their keys."""

LISTED = 8
"""Ids in a cell of the table of differences."""


class IdsRequest(NamedTuple):
    """Ids as they were pasted, under one tokenizer. add_special: whether their text gets special tokens, too."""

    spec: TokenizerSpec
    pasted: str
    add_special: bool

    @property
    def ids(self) -> list[int]:
        """The ids. Raises InputError for a text that is no list."""
        return read_ids(self.pasted, ANY) if self.pasted.strip("[]() \t\r\n") else []


@material(lambda found: 100_000 + 2_000 * len(found.trace.ids))
def decoding_of(request: IdsRequest) -> Decoding:
    """The ids in a text, decoded. Raises InputError for a text without ids, and for an id that is none here."""
    return decoding(tokenizer(request.spec), request.ids, add_special=request.add_special)


@question
def decoded_text(request: IdsRequest) -> str:
    """The text of the ids. Raises InputError."""
    return decoding_of(request).trace.text


@question
def known_ids(request: IdsRequest) -> tuple[str, str]:
    """A list of the ids that the vocabulary has, and what is wrong with the others. Raises InputError for no list."""
    try:
        decoding_of(request)
    except InputError as error:
        pieces = tokenizer(request.spec).vocabulary.pieces
        return str([id for id in request.ids if 0 <= id < len(pieces) and pieces[id]]), str(error)
    return request.pasted, ""


class DecodeView(NamedTuple):
    """Ids on their way back to text. same: whether the text gives the ids again; say: if not, where and why."""

    text: str
    top: Overview
    same: bool
    say: Say


@question
def decode_view(request: IdsRequest, at: int, stored: bool) -> DecodeView:
    """What is drawn first, within the window that starts at code point `at` of the decoded text."""
    decoded = decoding_of(request)
    trace, data = decoded.trace, decoded.round_trip.decoded.data
    window = window_of(trace, at)
    nodes = [
        Node("ids", "Ids", plural(len(trace.ids), "id"), True),
        Node("decode", "Back to text", plural(len(trace.text), "character"), True),
        Node("utf8", "Bytes read", plural(len(data), "byte"), len(data) != len(trace.text)),
        Node("again", "Encode again", "the same ids" if decoded.same else "other ids", not decoded.same),
    ]
    number = content_id(request.spec, "ids", *request[1:], window, stored)
    top = Overview.of(number, trace, tokenizer(request.spec), window, nodes, stored)
    return DecodeView(trace.text, top, decoded.same, decoded.say)


@question
def decode_section(request: IdsRequest, at: int, stored: bool, key: str, language: str = ENGLISH) -> SectionView:
    """One stage of the way back that has a stepper, said in a language."""
    found = decoding_of(request)
    (section,) = sections(
        tokenizer(request.spec), found.trace, found.round_trip, window_of(found.trace, at), key, stored
    )
    return SectionView.of(section, language)


@question
def decode_rows(request: IdsRequest, at: int, stored: bool) -> Aligned:
    """The ids on their text, within the window that starts at code point `at`."""
    trace = decoding_of(request).trace
    alignment = align(trace.text, [("These ids", trace.encoding)])
    return aligned(alignment, [tokenizer(request.spec)], _part(trace, at), stored)


def _part(trace: Trace, at: int) -> Span | None:
    """The window of a text, None if it is all of it."""
    window = window_of(trace, at)
    return Span(window.start, window.end) if (window.start, window.end) != (0, len(trace.text)) else None


class DriftView(NamedTuple):
    """Which ids are not canonical: those that encoding their text does not give.

    same: whether it gives all of them. picture: both lists on the text. rows: a stretch each.
    """

    same: bool
    picture: Picture
    rows: pd.DataFrame


@question
def drift_view(request: IdsRequest, at: int, stored: bool) -> DriftView:
    """Where the ids and those of their text part, the canonical ones, and the stage that makes them differ."""
    import pandas as pd  # a browser has none

    found, decoded = again_of(request), decoding_of(request)
    trace = decoded.trace
    picture = again_picture(
        found, tokenizer(request.spec), stored, _part(trace, at) if found.text == trace.text else None
    )
    if not found.ids or (found.same and not decoded.same):  # only the tokens around the text differ
        picture.frame["said"] = StyledLine(decoded.say).data
    spell = Speller(tokenizer(request.spec).trace("")).token

    def listed(ids: Sequence[int]) -> str:
        return " ".join(f"{id} {spell(id)}" for id in ids[:LISTED]) + " …" * (len(ids) > LISTED)

    rows = [
        (
            numbered(each.start, each.end),
            listed(each.ids),
            listed(each.canonical),
            plain_bytes(each.text)[:100],
            each.stage,
        )
        for each in found.drifts[:WINDOW]
    ]
    columns = ["ids number", "these ids", "canonical", "their text", "changed by"]
    return DriftView(found.same, picture, pd.DataFrame(rows, columns=columns))


def numbered(start: int, end: int) -> str:
    """The numbers of the ids [start, end), from 1; of none, the id that they would come before.

    >>> numbered(3, 5), numbered(3, 4), numbered(3, 3)
    ('4–5', '4', 'before 4')
    """
    if end <= start:
        return f"before {start + 1}"
    return f"{start + 1}–{end}" if end > start + 1 else str(end)


def again_of(request: IdsRequest) -> IdsAgain:
    """The ids in a text, and those of their text. Raises InputError."""
    return ids_again(tokenizer(request.spec), request.ids)


def drift_export(request: IdsRequest) -> Export:
    """A round trip of ids as an export: the totals of the command, and this list."""
    tok = tokenizer(request.spec)

    def body() -> Record:
        found, totals = again_of(request), DriftTotals()
        totals.add(found)
        return {"inputs": []} | totals.record() | {"examples": [found.record()]}

    return Export("roundtrip", Provenance.of([tok]), body)


STREAMED = MOST
"""Ids that the page draws."""
MORE = 8
"""Ids beyond those, so that the last character is known."""


class StreamView(NamedTuple):
    """script: packed, as the stepper gets it. total: how many ids there are; the first of many are drawn."""

    script: bytes
    total: int


@question
def stream_of_text(spec: TokenizerSpec, text: str, parse_special: bool, language: str) -> StreamView:
    """The ids of a text one by one, without those that are put around it."""
    return _view(spec, tokenizer(spec).encode(text, add_special=False, parse_special=parse_special).ids, language)


@question
def stream_of_ids(request: IdsRequest, language: str) -> StreamView:
    """Pasted ids one by one. Raises InputError for a text without ids, and for an id that is none here."""
    return _view(request.spec, request.ids, language)


def _view(spec: TokenizerSpec, ids: list[int], language: str) -> StreamView:
    played = stream(tokenizer(spec), ids[: STREAMED + MORE])
    return StreamView(pack(stream_script(played, len(ids)), language), len(ids))


EXAMPLES = 5
"""Tokens in a row of the table."""


class WithinView(NamedTuple):
    """Whether ids are among those of a text. frame: the sentence, and what the field held. rows: both lists."""

    frame: Record
    rows: Aligned


@question
def within_view(request: Request, asked: str, stored: bool) -> WithinView:
    """Whether ids, or those of another text, are among the ids of a text. Raises InputError."""
    tok = tokenizer(request.spec)
    found, read = within_of(request, asked)
    text, tokens, wanted = on_text(tok, found)
    lists = [(Text("The ids of the text"), tokens), (Text("The ids to look for"), wanted)]
    rows = [(name, Encoding.of(each, tok.vocabulary, tok.decoder.alone)) for name, each in lists]
    first = max(0, wanted[0].start - WINDOW // 4) if wanted else 0
    part = Span(first, min(len(text), first + WINDOW)) if len(text) > WINDOW else None
    frame = {
        "said": StyledLine(within_say(tok, found)).data,
        "note": StyledLine(read).data,
        "head": Text("the text"),
    }
    return WithinView(frame, aligned(align(text, rows), [tok] * 2, part, stored))


def within_of(request: Request, asked: str) -> tuple[Within, Say]:
    """The answer, and how the question was read: as ids, or as a text."""
    tok, options = tokenizer(request.spec), {"add_special": False, "parse_special": request.options.parse_special}
    ids = tok.encode(request.text, **options).ids
    try:
        wanted = read_ids(asked) if asked.lstrip().startswith("[") else []
    except InputError:
        wanted = []
    read = "Read as {0:t}."
    if not wanted:
        text = unescape(asked)
        wanted = tok.encode(text, **options).ids
        read = "Read as a text of {0:t}: {1:t}"
    shown = ", ".join(map(str, wanted[:20]))
    return within(tok, wanted, ids), Say(read, plural(len(wanted), "id"), shown)


class StopView(NamedTuple):
    """In which tokens a stop string can occur. rows: by how much of it a token has."""

    say: Say
    more: Say
    rows: pd.DataFrame


@question
def stop_view(request: Request, asked: str) -> StopView:
    """In which tokens a stop string can occur. Raises InputError."""
    import pandas as pd

    tok = tokenizer(request.spec)
    found = stop_of(request, asked)
    data = found.text.encode()

    def examples(ids: tuple[int, ...]) -> str:
        shown = " ".join(f"{plain_bytes(tok.token_bytes(id))} ({id})" for id in ids[:EXAMPLES])
        return shown + " …" * (len(ids) > EXAMPLES)

    whole = len(found.contain)
    rows = [(plain_bytes(data), whole, whole, examples(found.contain))] if whole else []
    for each in found.beginnings:
        total, inside = len(each.exact) + len(each.inside), len(each.inside)
        rows.append((plain_bytes(data[: each.taken]), total, inside, examples(each.inside or each.exact)))
    columns = ["a token ends with", "tokens", "in which it begins inside", "such as"]
    return StopView(stop_say(found), own_ids_say(found), pd.DataFrame(rows, columns=columns))


def stop_of(request: Request, asked: str) -> StopString:
    """A stop string, its escapes read."""
    return stop_string(tokenizer(request.spec), unescape(asked), parse_special=request.options.parse_special)


def within_export(request: Request, asked: str) -> Export:
    """Ids within ids as an export: the command's answer."""
    return _export(request, request.text, lambda: within_record(tokenizer(request.spec), within_of(request, asked)[0]))


def stop_export(request: Request, asked: str) -> Export:
    """A stop string as an export: the command's answer."""
    return _export(request, None, lambda: plain_values(stop_of(request, asked)))


def _export(request: Request, text: str | None, record: Callable[[], Record]) -> Export:
    label = request.spec.offer.name
    return boundary_export(
        [tokenizer(request.spec)], [label], text, request.options.parse_special,
        lambda: {"borders": [{"tokenizer": label} | record()]},
    )  # fmt: skip
