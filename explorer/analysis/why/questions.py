"""The questions: `why`, `why_token` and `why_cut`, answered by the stage that knows.

The ids of a trace are those of the model's stage, cut to a length, with tokens added. To find which is which, the
stages after the model run on tokens that have numbers as spans.
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import Final, cast

from explorer.analysis.why.before_model import BeforeModel
from explorer.analysis.why.record import Why
from explorer.engine import budget
from explorer.engine.items import ADDED, Items, Segment, Token
from explorer.engine.part import Model
from explorer.engine.results import Trace
from explorer.engine.trace import silent
from explorer.errors import InputError
from explorer.stages.answers import Cut, CutCause, OriginKind, TokenOrigin, TokenText, WhyStep
from explorer.stages.family import Made
from explorer.stages.post_processors.why import AfterModel
from explorer.stages.speller import Form, Speller
from explorer.stages.table import model_kind
from explorer.text.say import Say

SPACING: Final = 1 << 32
"""Distance of the spans that number tokens: no stage moves a span that far."""

THIS: Final = "this vocabulary"


def why(trace: Trace, at: int, *, tokenizer_label: str = THIS) -> Why:
    """How the tokens at an offset of the text came about, and why there is a cut.

    at: in code points of the text. tokenizer_label: how sentences name the tokenizer. Raises InputError for an offset
    outside the text.

    >>> import explorer
    >>> from explorer.text.say import plain
    >>> trace = explorer.load("llama-2").trace("What is LoRA?")
    >>> found = why(trace, 10, tokenizer_label="Llama 2")
    >>> plain(found.cuts[0].sentence)
    'To be one token, “▁LoRA” would have to be a piece of Llama 2. It is not among the 32,000.'
    >>> [(step.event, step.makes, step.value) for step in found.cuts[0].steps if step.kind == "MERGE"]
    [(36, '▁Lo', -4050.0), (39, 'RA', -4458.0)]
    >>> plain(found.origins[0].sentence)
    'One merge makes “RA”.'
    """
    asked = Asked(trace, tokenizer_label)
    if not isinstance(at, int) or isinstance(at, bool) or not 0 <= at <= asked.length:
        raise InputError(f"the offset {at!r} is not in the text, whose offsets are 0 to {asked.length}")
    with budget.run(budget.of_text(len(trace.text))):
        spans = [(token.start, token.end) for token in trace.encoding.tokens]
        origins = [number for number, (start, end) in enumerate(spans) if start <= at < end or start == end == at]
        cuts = [number for number, pair in enumerate(pairwise(spans)) if is_cut(*pair, at)]
        return Why(at, tuple(map(asked.origin, origins)), tuple(map(asked.cut, cuts)))


def is_cut(left: tuple[int, int], right: tuple[int, int], at: int) -> bool:
    """Whether a cut between two tokens is at an offset, or within the character there."""
    if ADDED in (left[0], right[0]):
        return False
    return left[1] <= at <= right[0] or (left[0] <= at < left[1] and right[0] <= at < right[1])


def why_token(trace: Trace, number: int, *, tokenizer_label: str = THIS, form: Form = Form.NOTATION) -> TokenOrigin:
    """How token `number` of a trace came about. Raises InputError if there is none.

    >>> import explorer
    >>> trace = explorer.load("llama-2").trace("What is LoRA?")
    >>> [(node.text, node.event, node.value) for node in why_token(trace, 1).tree if node.children]
    [('at', 14, -12.0), ('▁W', 26, -140.0), ('▁Wh', 29, -547.0), ('▁What', 31, -1465.0)]
    """
    check(trace, number, len(trace.ids))
    with budget.run(budget.of_text(len(trace.text))):
        return Asked(trace, tokenizer_label, form).origin(number)


def why_cut(trace: Trace, number: int, *, tokenizer_label: str = THIS, form: Form = Form.NOTATION) -> Cut:
    """Why there is a cut between tokens `number` and `number + 1` of a trace. Raises InputError if there is none.

    >>> import explorer
    >>> cut = why_cut(explorer.load("gpt-2").trace("Hello world"), 0)
    >>> cut.cause.name, cut.steps[-1].parts
    ('PRE_TOKENIZER', ('␣world',))
    """
    check(trace, number, len(trace.ids) - 1)
    with budget.run(budget.of_text(len(trace.text))):
        return Asked(trace, tokenizer_label, form).cut(number)


def check(trace: Trace, number: int, count: int) -> None:
    """Raises InputError for a number outside [0, count)."""
    if not 0 <= number < count:
        what = "token" if count == len(trace.ids) else "cut after token"
        raise InputError(f"there is no {what} {number}: the text has {len(trace.ids)} tokens, counted from 0")


class Asked:
    """One trace, and what its stages say."""

    def __init__(self, trace: Trace, tokenizer_label: str, form: Form = Form.NOTATION) -> None:
        self.trace = trace
        self.speller = Speller(trace, form)
        self.model = next(number for number, stage in enumerate(trace.stages) if isinstance(stage.part, Model))
        stage = trace.stages[self.model]
        self.family = model_kind(cast(Model, stage.part)).account(trace, self.model, self.speller, tokenizer_label)
        self.before = BeforeModel(trace, self.model, self.speller)
        self.after = AfterModel(trace, self.model, self.speller)

    @property
    def length(self) -> int:
        """The length of the original text, in code points."""
        first = self.trace.stages[0].before
        return first[0].ends[-1] if first and isinstance(first[0], Segment) else 0

    def token(self, number: int) -> TokenText:
        """A token with its texts."""
        id, start, end = self.trace.encoding.tokens[number]
        span = (None, None) if start == ADDED else (start, end)
        return TokenText(number, id, self.speller.token(id), self.speller.vocabulary.spelling(id), *span)

    @cached_property
    def sources(self) -> tuple[int | None, ...]:
        """By number of a token, its index in the model's output; None if it was added."""
        items: Items = [
            Token(item.id, index * SPACING, index * SPACING + SPACING // 2)
            for index, item in enumerate(self.trace.stages[self.model].after)
            if isinstance(item, Token)
        ]
        for stage in self.trace.stages[self.model + 1 :]:
            items = stage.part.run(items, self.trace.options, silent)
        found = tuple(
            None if item.start == ADDED else item.start // SPACING for item in items if isinstance(item, Token)
        )
        assert len(found) == len(self.trace.ids), "the stages after the model do the same again"
        return found

    # --- a token ------------------------------------------------------------------------------------------------------

    def origin(self, number: int) -> TokenOrigin:
        """How a token came about."""
        token, source = self.token(number), self.sources[number]
        if source is None:
            return self.added(number, token)
        if source in self.sources[:number]:
            copied = self.after.copied(number)
            said = Say.of("{0:q} is a copy: the template of the file contains the text twice.", token.text)
            return TokenOrigin(token, OriginKind.COPY, said, *self.place(copied), steps=copied)
        made = self.family.made[source]
        item = self.trace.stages[self.model].before[made.item]
        if isinstance(item, Token):
            return self.before.origin(item, token)
        return self.family.origin(made, token)

    def added(self, number: int, token: TokenText) -> TokenOrigin:
        """A token that is not from the text."""
        for steps, where in (
            (self.after.added(number, front=True), "in front of the text"),
            (self.after.added(number, front=False), "after the text"),
        ):
            if steps:
                said = Say.of(f"{{0:q}} ({{1:t}}) is put {where}. It is not from the text.", token.text, str(token.id))
                return TokenOrigin(token, OriginKind.ADDED, said, *self.place(steps), steps=steps)
        steps = self.after.filled(number)
        said = Say.of("{0:q} ({1:t}) fills the length that padding asks for.", token.text, str(token.id))
        return TokenOrigin(token, OriginKind.PADDING, said, *self.place(steps), steps=steps)

    def place(self, steps: tuple[WhyStep, ...]) -> tuple[int, int | None]:
        """The stage and the event of the first step; the last stage without one."""
        return (steps[0].stage, steps[0].event) if steps else (len(self.trace.stages) - 1, None)

    # --- a cut --------------------------------------------------------------------------------------------------------

    def cut(self, number: int) -> Cut:
        """Why there is a cut after a token."""
        left, right = self.token(number), self.token(number + 1)
        one, other = self.sources[number : number + 2]
        if one is None or other is None:
            return self.cut_at_added(number, left, right)
        if other != one + 1:
            said = Say("The template of the file puts these two side by side. In the text they are not neighbors.")
            return Cut(left, right, CutCause.TEMPLATE, said, len(self.trace.stages) - 1, None)
        pair = self.family.made[one], self.family.made[other]
        items = self.trace.stages[self.model].before
        sides = items[pair[0].item], items[pair[1].item]
        if any(isinstance(side, Token) for side in sides):
            return self.before.cut_at_special(sides, left, right)
        if pair[0].item == pair[1].item:
            return self.family.cut(pair, left, right)
        return self.cut_between(pair, left, right)

    def cut_at_added(self, number: int, left: TokenText, right: TokenText) -> Cut:
        """Next to a token that is not from the text."""
        added = [self.origin(each) for each in (number, number + 1) if self.sources[each] is None]
        text = added[0].token.text
        if added[0].how == OriginKind.PADDING:
            said = Say.of("{0:q} is not from the text: padding added it.", text)
        else:
            said = Say.of("{0:q} is not from the text: post-processing added it.", text)
        steps = tuple(step for each in added for step in each.steps)
        truncated = self.after.truncated(self.sources[number], self.sources[number + 1])
        if truncated:
            row = self.trace.stages[truncated[0].stage].events[truncated[0].event]
            said = said.then(Say.of("{0} tokens of the text were cut off here.", row.end - row.start))
        return Cut(left, right, CutCause.ADDED_TOKEN, said, *self.place(steps), None, (*truncated, *steps))

    def cut_between(self, pair: tuple[Made, Made], left: TokenText, right: TokenText) -> Cut:
        """Between two items that the model gets apart."""
        items = self.trace.stages[self.model].before
        one, other = items[pair[0].item], items[pair[1].item]
        assert isinstance(one, Segment)
        assert isinstance(other, Segment)
        units = self.family.units(pair[0]), self.family.units(pair[1])
        joined = None
        if units[0] is not None and units[1] is not None:
            joined = self.family.joined(self.family.stored([*units[0], *units[1]]))
        cut = self.before.cut_between((one, other), left, right, joined)
        if cut.joined is None or units[0] is None or units[1] is None:
            return cut
        others = self.family.others([*units[0], *units[1]], cut.joined.text)
        return Cut(left, right, cut.cause, cut.sentence, cut.stage, cut.event, cut.joined, cut.steps, others)
