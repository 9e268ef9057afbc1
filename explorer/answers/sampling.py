"""What the Explore page draws of other ways to cut a text: many draws beside their exact odds, and the steps of one."""

from __future__ import annotations

import re
from functools import partial
from typing import Final, NamedTuple

from explorer.analysis.export import Export
from explorer.analysis.sampling import LONGEST_MANY, distribution, nbest, rules_of, sample
from explorer.analysis.tokenizer_exports import nbest_export, sampling_export
from explorer.answers.explore import Request, tokenizer
from explorer.answers.questions import question
from explorer.errors import InputError, shown
from explorer.script.packing import pack
from explorer.stages.spelling import Form
from explorer.text.say import plural
from explorer.views.steppers.draw_script import draw_script as steps_of_draw
from explorer.views.ways import Picture as WaysPicture
from explorer.views.ways import frame, too_many, ways_picture

MANY: Final = "many"
ONE: Final = "one"
BEST: Final = 100
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
def ways_view(request: Request, asked: WaysRequest, stored: bool = False) -> WaysPicture:
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
def ways_frame(request: Request, rule: str) -> WaysPicture:
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
def draw_script(request: Request, asked: WaysRequest, stored: bool = False) -> bytes:
    """The packed script of one draw. Raises InputError for a draw that can't be made."""
    tok = tokenizer(request.spec)
    alpha, seed, draw = _alpha(asked.alpha), _number(asked.seed, "the seed"), _number(asked.draw, "the draw's number")
    if len(request.text) > LONGEST_MANY:
        raise InputError(f"a text of {plural(len(request.text), 'character')} is too long to draw; the command line "
                         "draws longer ones")  # fmt: skip
    if error := too_many(request.text, draw):
        raise InputError(error)
    rule, parse = _rule(request, asked), request.options.parse_special
    return pack(steps_of_draw(tok, request.text, alpha, seed, rule, draw, parse_special=parse, stored=stored))
