"""The commands about a text in pieces, and why these: `stream`, `boundary`, `why`, `sample` and `nbest`.

`stream`: the ids arrive one by one.

`boundary`: with two texts, or one and --at: what the border does to the ids. With one text: which of its ids hold
whatever follows. --find asks whether ids are among those of the text, --stop in which tokens a stop string can occur.

`why`: how the tokens at an offset came about, and why there is a cut. For each answer the sentence comes first, then
its events with their numbers in their stage, as `trace` and the steppers count them, then the other cuts that the
vocabulary allows.

`sample` and `nbest`: other segmentations than the usual one.
"""

import os
from collections.abc import Iterator
from functools import partial

from explorer.analysis import sampling
from explorer.analysis import why as answers
from explorer.analysis.boundary.boundary import (
    Sentences,
    borders,
    borders_record,
    boundary_at,
    boundary_export,
    boundary_record,
    count_of,
    lone_space_say,
    open_record,
    open_say,
    stop_string,
    within,
    within_record,
    within_say,
)
from explorer.analysis.boundary.followers import open_end
from explorer.analysis.export import plain_values
from explorer.analysis.inputs import read_ids
from explorer.analysis.sampling import Distribution, Drawn, Sample
from explorer.analysis.streaming import Shown, Stream
from explorer.analysis.streaming import stream as play
from explorer.analysis.tokenizer_exports import nbest_export, sampling_export, stream_export
from explorer.cli.commands import input_ids, load_all, load_model
from explorer.cli.shared import (
    Parsed,
    Warnings,
    argument,
    clipped,
    columns,
    input_text,
    only_one,
    options,
    say,
    say_columns,
    say_export,
    say_lines,
)
from explorer.engine.tokenizer import Trace
from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.opening.catalog import title_of
from explorer.stages.spelling import plain_bytes
from explorer.stages.stage import WhyStep
from explorer.tables import Record
from explorer.text import from_bytes, visible
from explorer.text.say import Say, hexadecimal, number, plain, plural

METHODS = ("whole", "alone", "llama.cpp", "transformers", "vllm", "sglang", "tokenizers", "tiktoken")


def stream(parsed: Parsed) -> int:
    if parsed.text is not None and parsed.ids:
        parsed.usage_error("give ids or --text")
    tok = load_model(parsed)
    if parsed.text is not None:
        ids = tok.encode(from_bytes(os.fsencode(parsed.text), "--text"), add_special=False).ids
    else:
        ids = input_ids(parsed)
    unparse_special = not parsed.no_unparse_special
    result = play(tok, ids, methods=parsed.methods or METHODS, unparse_special=unparse_special)
    if parsed.json:
        say_export(stream_export(tok, result, unparse_special))
        return 0
    say_columns(_rows(result))
    for method, shown in zip(result.methods, result.ends, strict=True):
        if note := _note(shown):
            say(f"at the end  {method}: {note}")
    say_columns(_summary(result, method) for method in result.methods)
    return 0


def _rows(result: Stream) -> Iterator[tuple[str, ...]]:
    """A row for each id: its number, the id, its bytes, and what each method does that has something to say."""
    for count, step in enumerate(result.steps, 1):
        notes = [
            f"{method}: {note}"
            for method, shown in zip(result.methods, step.shown, strict=True)
            if (note := _note(shown))
        ]
        yield str(count), str(step.id), hexadecimal(step.data), "; ".join(notes)


def _note(shown: Shown) -> str:
    """What a method does at a step: its new text, what it holds back, and what is wrong."""
    parts = [f"“{visible(shown.text)}”"] if shown.text else []
    if shown.held:
        parts.append(f"holds {hexadecimal(shown.held)}")
    parts += [mark.kind.words for mark in shown.marks]
    return ", ".join(parts)


def _summary(result: Stream, method: str) -> tuple[str, ...]:
    """What a method showed in the end."""
    counts = [f"{kind.words}: {plural(result.count(method, kind), 'step')}" for kind in result.kinds_of(method)]
    verdict = "the text of all ids" if method in result.right else "another text"
    return method, verdict, f"“{visible(result.text_of(method))}”", "; ".join(counts)


SHOWN = 12
"""Tokens or ids in a line of output."""


def boundary(parsed: Parsed) -> int:
    only_one(parsed, "find", "find_ids", "stop", "every")
    tokenizers = load_all(parsed.models, parsed, Warnings())
    labels = [label(tok, tokenizers) for tok in tokenizers]
    if len(set(labels)) < len(labels):
        raise InputError("two of the models are the same; give each once")
    if parsed.stop is not None:
        text, answers = None, [stop(parsed, tok) for tok in tokenizers]
    else:
        left = input_text(parsed)
        right = None if parsed.right is None else argument(parsed, parsed.right, "RIGHT")
        if parsed.at is not None and right is not None:
            raise InputError("--at is for one text, and two are given; leave out RIGHT or --at")
        if parsed.at is not None and not 0 <= parsed.at <= len(left):
            raise InputError(f"--at {parsed.at} is not in the text, whose offsets are 0 to {len(left)}")
        text = left + (right or "")
        if parsed.find is not None or parsed.find_ids is not None:
            answer = find
        elif parsed.every:
            answer = every
        elif right is None and parsed.at is None:
            answer = end
        else:
            answer = partial(border, at=len(left) if parsed.at is None else parsed.at, others=tokenizers)
        answers = [answer(parsed, tok, text) for tok in tokenizers]
    if parsed.json:
        body = {"borders": [{"tokenizer": name} | record for name, (record, _) in zip(labels, answers, strict=True)]}
        say_export(boundary_export(tokenizers, labels, text, not parsed.no_parse_special, lambda: body))
        return 0
    for index, (name, (_, lines)) in enumerate(zip(labels, answers, strict=True)):
        heading = [f"{name}:"] if len(labels) > 1 else []
        say_lines([*([""] if index else []), *heading, *lines])
    return 0


Answer = tuple[Record, list[str]]
"""What one tokenizer answers: as JSON, and as lines."""


def label(tok: Opened, others: list[Opened]) -> str:
    """The name of a tokenizer in sentences: as people call it, with the implementation if two run the same."""
    alike = sum(each.name == tok.name for each in others) > 1
    return f"{title_of(tok.name)} ({tok.implementation})" if alike else title_of(tok.name)


# --- one tokenizer's answers ------------------------------------------------------------------------------------------


def border(parsed: Parsed, tok: Opened, text: str, *, at: int, others: list[Opened]) -> Answer:
    """A border in a text. others: the tokenizers that answer, too."""
    name = label(tok, others)
    sentences = Sentences(tok, boundary_at(tok, text, at, parse_special=not parsed.no_parse_special, label=name), name)
    examples = ", ".join(sentences.examples)
    lines = [
        f"{plain(sentences.headline)} {plain(sentences.across)}",
        *columns(token_rows(sentences)),
        f"Why: {plain(sentences.why)}",
        f"The last cut that holds: {plain(sentences.healing)}" + (f" Such as: {examples}" if examples else ""),
        f"Sent as it is: {plain(sentences.sent)}",
    ]
    return boundary_record(sentences), lines


def token_rows(sentences: Sentences) -> Iterator[tuple[str, ...]]:
    """The tokens around the border: of the whole text, of the left part and of the right part."""
    border = sentences.found
    before = max(0, border.kept_left - SHOWN // 2)
    after = max(0, border.kept_right - SHOWN // 2)
    for name, tokens, first, last in (
        ("whole", border.whole, before, after),
        ("left", border.left, before, 0),
        ("right", border.right, 0, after),
    ):
        ids = [token.id for token in tokens[first : len(tokens) - last]]
        dots = ["…"] if first else []
        more = ["…"] if last or len(ids) > 2 * SHOWN else []
        texts, numbers = (
            " ".join([*dots, *map(spell, ids[: 2 * SHOWN]), *more])
            for spell in (lambda id: clipped(sentences.token(id)), str)
        )
        yield f"  {name}", plural(len(tokens), "token"), texts, numbers


def every(parsed: Parsed, tok: Opened, text: str) -> Answer:
    """All borders of a text."""
    result = borders(tok, text, parse_special=not parsed.no_parse_special)
    line = f"{count_of(result.kept, len(result.keeps))}: {' '.join(map(str, result.offsets))}"
    rest = len(text) - 1 - len(result.keeps)
    more = [f"{plural(rest, 'cut')} after offset {len(result.keeps)} not tried: the text is too long."]
    return borders_record(result), [line, *(more if rest > 0 else [])]


def end(parsed: Parsed, tok: Opened, text: str) -> Answer:
    """The end of a text: what may follow."""
    parse = not parsed.no_parse_special
    result = open_end(tok, text, parse_special=parse)
    lone = boundary_at(tok, text, len(text), parse_special=parse).lone_space
    lines = [] if lone is None else [plain(lone_space_say(*lone))]
    lines.append(plain(open_say(tok, result)))
    if result.followers is not None:
        lines.append(f"{plural(result.followers.total, 'token')} may take the place of the part that may change.")
    return open_record(tok, result) | {"lone_space": None if lone is None else lone._asdict()}, lines


def find(parsed: Parsed, tok: Opened, text: str) -> Answer:
    """Ids among those of the text."""
    options = {"add_special": False, "parse_special": not parsed.no_parse_special}
    if parsed.find is not None:
        wanted = tok.encode(argument(parsed, parsed.find, "--find"), **options).ids
    else:
        wanted = read_ids(parsed.find_ids)
    result = within(tok, wanted, tok.encode(text, **options).ids)
    return within_record(tok, result), [plain(within_say(tok, result))]


def stop(parsed: Parsed, tok: Opened) -> Answer:
    """A stop string."""
    text = argument(parsed, parsed.stop, "--stop")
    result = stop_string(tok, text, parse_special=not parsed.no_parse_special)
    data = text.encode()
    lines = [
        f"Its own ids: {' '.join(map(str, result.ids))}",
        f"Tokens that contain all of it: {len(result.contain):,}" + example(tok, result.contain),
        *(
            f"Tokens that end with its beginning {plain_bytes(data[: each.taken])}: "
            f"{len(each.exact) + len(each.inside):,}, inside {len(each.inside):,} of them" + example(tok, each.inside)
            for each in result.beginnings
        ),
        f"Sequences of tokens that can contain it: {result.sequences:,}.",
    ]
    return plain_values(result), lines


def example(tok: Opened, ids: tuple[int, ...]) -> str:
    """A few tokens after a count."""
    shown = ", ".join(f"{clipped(plain_bytes(tok.token_bytes(id)))} ({id})" for id in ids[:3])
    return f": {shown}{' …' if len(ids) > 3 else ''}" if ids else "."


SEGMENTATIONS = 20
"""Ways that are printed; --json prints all that are listed."""


def sample(parsed: Parsed) -> int:
    if parsed.steps and (parsed.json or parsed.count is not None):
        parsed.usage_error("--steps is about one sample; leave out --count and --json")
    tok, text = load_model(parsed), input_text(parsed)
    how = {"rule": parsed.rule, **options(parsed)}
    if parsed.count is not None:
        ways = sampling.distribution(tok, text, parsed.alpha, parsed.seed, samples=parsed.count, **how)
        if parsed.json:
            _say_json(tok, ways, parsed)
        else:
            _say_distribution(tok, ways)
        return 0
    one = sampling.sample(tok, text, parsed.alpha, parsed.seed, draw=parsed.draw, **how)
    if parsed.json:
        _say_json(tok, one, parsed)
        return 0
    if parsed.steps:
        for drawn in one.drawn:
            say_lines([visible(drawn.text), *(f"  {line}" for line in _steps(tok, drawn))])
    say(*one.ids)
    return 0


def _say_json(tok: Opened, result: Sample | Distribution, parsed: Parsed) -> None:
    say_export(sampling_export(tok, result.text, lambda: result, options(parsed)))


def _say_distribution(tok: Opened, result: Distribution) -> None:
    ways = f"{plural(result.total, 'way')}; the" if result.total is not None else "The"
    drawn = plural(result.samples, "sample")
    say(f"{ways} likeliest and those drawn in {drawn}, by the rule of {result.rule}, seed {result.seed}")
    rows = []
    for way in result.ways[:SEGMENTATIONS]:
        chance = "" if way.probability is None else f"{100 * way.probability:.2f} %"
        usual = "usual" if way.ids == result.usual else ""
        rows.append((chance, number(way.times), " ".join(map(visible, way.pieces)), usual))
    say_columns(rows)
    if len(result.ways) > SEGMENTATIONS:
        say(f"and {number(len(result.ways) - SEGMENTATIONS)} more")


def _steps(tok: Opened, drawn: Drawn) -> Iterator[str]:
    """What was drawn for a segment, a line each."""
    for choice in drawn.choices:
        listed = ", ".join(
            f"{visible(tok.vocabulary.spelling(edge.token))} {chance:.2f}" for edge, chance in choice.options
        )
        edge, _ = choice.options[choice.chosen]
        drew = "alone" if len(choice.options) == 1 else f"{choice.number:.4f} draws"
        yield f"to {edge.end}: {listed}; {drew} {visible(tok.vocabulary.spelling(edge.token))}"
    for pick in drawn.picks:
        yield f"{visible(pick.text.decode('utf-8', 'replace'))}: {pick.number:.4f}, {pick.verdict}"


def nbest(parsed: Parsed) -> int:
    tok, text = load_model(parsed), input_text(parsed)
    best = sampling.nbest(tok, text, parsed.n, **options(parsed))
    if parsed.json:
        say_export(nbest_export(tok, text, lambda: best, options(parsed)))
        return 0
    if not best:
        raise InputError("there is no segmentation of this text; give another one")
    say_columns((str(each.score), " ".join(map(str, each.ids)), " ".join(map(visible, each.pieces))) for each in best)
    return 0


def why(parsed: Parsed) -> int:
    tok = load_model(parsed)
    trace = tok.trace(input_text(parsed), **options(parsed))
    answer = answers.why(trace, parsed.at, tokenizer_label=title_of(tok.name))
    if parsed.json:
        say_export(answers.why_export(tok, trace, answer))
        return 0
    lines: list[str] = []
    for cut in answer.cuts:
        sides = f"{cut.left.text} | {cut.right.text}   ({cut.left.id} | {cut.right.id})"
        lines += ["", *answer_lines(trace, cut.sentence, sides, cut.steps, cut.others and cut.others.sentence)]
    for origin in answer.origins:
        token = f"{origin.token.text}   ({origin.token.id})"
        lines += ["", *answer_lines(trace, origin.sentence, token, origin.steps, origin.meaning)]
    say_lines(lines[1:] or [f"No token comes from the text at offset {parsed.at}."])
    return 0


def answer_lines(trace: Trace, sentence: Say, heading: str, steps: tuple[WhyStep, ...], last: Say | None) -> list[str]:
    """One answer: its sentence, the tokens it is about, its events, and a last sentence if there is one."""
    lines = [plain(sentence), f"  {heading}", *columns(step_rows(trace, steps))]
    return lines if last is None else [*lines, f"  {plain(last)}"]


def step_rows(trace: Trace, steps: tuple[WhyStep, ...]) -> Iterator[tuple[str, ...]]:
    """Events as the rows of a table."""
    for step in steps:
        parts = " + ".join(step.parts)
        arrow = f"{parts} → {step.makes}" if step.makes and step.makes != parts else parts
        value = "" if step.value is None else f"{step.unit} {number(step.value)}"
        yield f"  {trace.stages[step.stage].name} event {step.event}", arrow, plain(step.note), value
