"""The commands about other segmentations than the usual one: `sample` and `nbest`."""

from __future__ import annotations

from collections.abc import Iterator

from explorer.analysis import sampling
from explorer.analysis.sampling import Distribution, Drawn, Sample
from explorer.analysis.tokenizer_exports import nbest_export, sampling_export
from explorer.cli.commands import load_model
from explorer.cli.shared import (
    Parsed,
    input_text,
    options,
    say,
    say_columns,
    say_export,
    say_lines,
)
from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.text import visible
from explorer.text.say import number, plural

SHOWN = 20
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
    for way in result.ways[:SHOWN]:
        chance = "" if way.probability is None else f"{100 * way.probability:.2f} %"
        usual = "usual" if way.ids == result.usual else ""
        rows.append((chance, number(way.times), " ".join(map(visible, way.pieces)), usual))
    say_columns(rows)
    if len(result.ways) > SHOWN:
        say(f"and {number(len(result.ways) - SHOWN)} more")


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
