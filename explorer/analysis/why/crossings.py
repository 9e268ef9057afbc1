"""Why a token has text on both sides of a border: the merge, the path, the match or the stage that joined them.

Only the part of the text that the model got in one piece is traced, so a border in a long text costs no more than in a
short one where the text is cut before the model.
"""

from __future__ import annotations

from functools import partial
from typing import cast

from explorer.analysis.divergence.changes import points
from explorer.engine.items import Segment, Token
from explorer.engine.part import Model
from explorer.engine.results import Stage, Trace
from explorer.engine.tokenizer import rerun_stage
from explorer.engine.trace import AnyEvents, Events, silent
from explorer.stages.answers import OriginKind, TokenText
from explorer.stages.family import CrossingAccount
from explorer.stages.speller import Form, Speller
from explorer.stages.table import model_kind
from explorer.text.say import Say


def why_crossing(trace: Trace, number: int, at: int, *, tokenizer_label: str, form: Form) -> CrossingAccount | None:
    """What joined the two sides of a border into token `number` of a trace; None where no stage before the output did.

    at: an offset within the token. The trace may be lazy.

    >>> import explorer
    >>> from explorer.text.say import plain
    >>> trace = explorer.load("gpt-2").trace_lazily("https://example.org")
    >>> plain(why_crossing(trace, 1, 6, tokenizer_label="GPT-2", form=Form.NOTATION).sentence)
    '“:” + “//” is merge 1,123 of GPT-2.'
    """
    speller = Speller(trace, form)
    model = next(index for index, stage in enumerate(trace.stages) if isinstance(stage.part, Model))
    token, stage = trace.encoding.tokens[number], trace.stages[model]
    shown = speller.token(token.id)
    for item in stage.before:
        if isinstance(item, Token):
            if item == token:
                says = Say.of("{0:q} is found in the text as a whole, before the model runs.", shown)
                return CrossingAccount(OriginKind.SPECIAL, says)
            continue
        if not (item.text and item.starts[0] < at < item.ends[-1]):
            continue
        alone = alone_stage(stage, item, trace)
        family = model_kind(cast(Model, stage.part)).account(
            Trace(trace.text, trace.options, (*trace.stages[:model], alone), trace.encoding),
            model,
            speller,
            tokenizer_label,
        )
        after = [each for each in alone.after if isinstance(each, Token)]
        if token not in after:
            continue
        made = family.made[after.index(token)]
        text = TokenText(number, token.id, shown, speller.vocabulary.spelling(token.id), token.start, token.end)
        border = next(index for index, end in enumerate(item.ends) if end > at)
        if item.starts[border] < at:
            span = item.starts[border], item.ends[border]
            # one character may be spelled as several, one for each of its bytes
            made_of = zip(item.text, item.starts, item.ends, strict=True)
            spelled = "".join(ch for ch, start, end in made_of if (start, end) == span)
            becomes = speller.spelling.plain(spelled.encode()).decode("utf-8", "replace")
            says = Say.of(
                "{0:t} becomes {1:t} before the model runs.", points(trace.text[slice(*span)]), points(becomes)
            )
            return CrossingAccount(None, says)
        return family.crossing(made, text, border)
    return None


def alone_stage(stage: Stage, item: Segment, trace: Trace) -> Stage:
    """The model's stage with one of its segments; its events are computed when they are asked for."""
    after = tuple(stage.part.run((item,), trace.options, silent))
    later: AnyEvents = Events.later(
        stage.part.row, partial(rerun_stage, stage.part, (item,), trace.options, len(item.text))
    )
    return Stage(stage.name, stage.part, (item,), after, later)
