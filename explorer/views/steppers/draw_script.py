"""The stepper's script for one draw of a text, by whatever model its tokenizer has."""

from __future__ import annotations

from explorer.analysis.sampling import sample
from explorer.engine.models.unigram import Unigram
from explorer.implementations.opened import Opened
from explorer.script.packing import window_of
from explorer.script.script import Script
from explorer.stages.spelling import shown_vocabulary, speller_of
from explorer.views.steppers.dropout_script import dropout_script
from explorer.views.steppers.path_script import path_script


def draw_script(
    tokenizer: Opened,
    text: str,
    alpha: float,
    seed: int,
    rule: str = "",
    draw: int = 1,
    *,
    parse_special: bool = True,
    stored: bool = False,
) -> Script:
    """The script of a draw. stored: tokens as the vocabulary stores them. Raises InputError as `sample` does.

    >>> import explorer
    >>> draw_script(explorer.load("gpt-2"), " lower", 0.3, 1).sentence(1)
    '0.9972 is not below 0.3: “e” + “r” → “er”. '
    """
    found = sample(tokenizer, text, alpha, seed, rule=rule, draw=draw, add_special=False, parse_special=parse_special)
    trace = tokenizer.trace(text, add_special=False, parse_special=parse_special)
    write = path_script if isinstance(tokenizer.model, Unigram) else dropout_script
    spelling = shown_vocabulary(trace, stored).spelling
    script = write(found, trace.stage("model"), tokenizer.vocabulary, window_of(trace), spelling)
    return script if stored else script.respelled(speller_of(trace, stored).stored)
