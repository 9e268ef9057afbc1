"""The stepper script for one draw of a text: by dropped merges (`dropout_script`), or through a Unigram lattice, here.

Forward filtering, backward sampling: forward, each offset gets the weight of all paths to it, as a logarithm. Backward,
from the end, the pieces that end at an offset share the numbers from 0 to 1 by weight, and a random number falls into
one share. Follows `engine.sampling.lattice`. The tracks are those of the best path's stepper, so that both pictures are
one.
"""

from collections.abc import Callable
from math import isnan

from explorer.analysis.sampling import UNIGRAM_RULES, Drawn, Sample, sample
from explorer.engine.models.unigram import Unigram
from explorer.engine.part import Segment
from explorer.engine.sampling.lattice import Choice, Edge, Lattice
from explorer.engine.tokenizer import Stage
from explorer.implementations.opened import Opened
from explorer.script.model_script import FOLLOW, Fragment, ModelScript
from explorer.script.script import Script, ScriptBuilder, Values, Window, kinds, window_of
from explorer.stages.lattice.story import BEST, CANDIDATE, HIT, PIECE, PLACE, ROLES, SEGMENT
from explorer.stages.spelling import shown_vocabulary, speller_of
from explorer.text.say import Figure, Text, fixed, plural, two_digits
from explorer.views.steppers.dropout_script import DropoutScript
from explorer.vocabulary import Vocabulary

LOST = 2
"""The state of an arc that was not drawn."""

CODE = """\
sum[0] = 0
for each offset, from the left:
    sum[offset] = log of all weights to it:
        of each piece that ends there, exp(α · score + sum)
offset = the end
while offset > 0:
    share of a piece = its weight of all that end here
    draw a number; take the piece whose share it hits
    offset = its start
output the pieces taken, from the left
""".splitlines()
CODE_AGAIN = tuple(line.replace("α · score + sum", "α · (score + sum)") for line in CODE)
"""As Hugging Face adds up."""

_KINDS = """
weigh: sum
    look: push dot 40
    lines: 1 2 3
    fields: end count:t sum:t
    say: To offset {end}: {count}. All paths to it together weigh {sum}, as a logarithm.
    why: {again}
    log: offset {end}: {sum}
    story: {count}. All paths to this position together weigh {sum}, as a logarithm.
    story_why: {again}

draw: draw
    look: merge dot 100 landmark
    lines: 5 6 7 8
    fields: end start count:t number:t low:t high:t piece:q chance:t
    say: At offset {end}: {number} lies between {low} and {high}, so {piece} is drawn, to offset {start}.
    why: {count} share the numbers from 0 to 1 by weight; this share is {chance}.
    log: {number}: {piece}, {chance}
    story: {number} lies between {low} and {high}: {piece} is drawn.
    story_why: {count} share the numbers from 0 to 1 by weight; {piece} has {chance}.

alone: alone
    look: merge ring 45
    lines: 5 8
    fields: end start piece:q
    say: At offset {end}: {piece} alone ends here, so it is taken without a number.
    log: {piece} alone
    story: {piece} alone ends here: it is taken without a random number.

done: done
    look: token dot 70
    lines: 9
    fields: tokens:t chance:t
    say: The path is complete: {tokens}. {chance}
    log: {tokens}
    story: The path is complete: {tokens}.
    story_why: {chance}
"""
_SUM = "Weights of paths are multiplied along a path and added up where paths meet."
_SUM_AGAIN = "Hugging Face scales the sum so far by α again, at every piece."
KINDS = {
    "sentencepiece": kinds((), SEGMENT, _KINDS.replace("{again}", _SUM), FOLLOW),
    "huggingface": kinds((), SEGMENT, _KINDS.replace("{again}", _SUM_AGAIN), FOLLOW),
}
"""By rule."""


class PathScript(ModelScript[Fragment]):
    """The script of a draw. stage: the model's stage of the same text. spelling: of its tokens in the last sentence.

    >>> import explorer
    >>> tok = explorer.load("xlm-r")
    >>> trace = tok.trace("able")
    >>> from explorer.script.script import window_of
    >>> found = tok.sample("able", 0.2, 7)
    >>> known = tok.vocabulary
    >>> PathScript(found, trace.stage("model"), known, window_of(trace), known.spelling).write().sentence(6)[:57]
    'At offset 5: 0.2273 lies between 0.00 and 0.30, so “▁able'
    """

    def __init__(
        self, found: Sample, stage: Stage, vocabulary: Vocabulary, window: Window, spelling: Callable[[int], str]
    ) -> None:
        super().__init__(stage, vocabulary, window)
        self.shown = spelling
        model = stage.part
        assert isinstance(model, Unigram), "only it has a lattice of these"
        self.model, self.found = model, found
        self.rule = UNIGRAM_RULES[found.rule]
        self.power = self.rule.cast(found.alpha)
        self.builder = ScriptBuilder.laid_out(
            "draw",
            kinds=KINDS[found.rule],
            tracks=(
                self.strip("Characters", ""),
                "drawn_lattice",
                "weights",
                "shares",
                "draws_of_pieces",
                self.output("No tokens yet. They appear when the path is complete."),
            ),
            roles=ROLES,
            code=CODE_AGAIN if self.rule.again else CODE,
        )  # fmt: skip
        self.draw_segments(Fragment)
        self.number_groups()
        self.next_arc = self.numbers = 0
        self.shares = range(0)

    def write(self) -> Script:
        """The finished script."""
        builder = self.builder
        drawn = iter(self.found.drawn)
        begun = 0
        for index, item in enumerate(self.items):
            if not isinstance(item, Segment) or not item.text:
                continue
            self.fragment = fragment = self.fragments[index]
            self.pass_tokens(index)
            builder.put("cells", -1, begun)
            if len(self.found.drawn) > 1:
                self.phase_of(begun, len(self.found.drawn), Text("Fragment {0}", begun + 1))
            if begun:
                builder.step("segment", size=plural(len(item.text), "character"))
            else:
                self.put_single_cells()
                what = "The text" if len(self.found.drawn) == 1 else "The first fragment"
                builder.begin(
                    f"{what} has {{positions}} where a piece may begin. First each gets the weight of all paths to it.",
                    lines=(0,), positions=plural(len(item.text), "position"),
                )  # fmt: skip
            self._fragment(item, fragment, next(drawn), alone=len(self.found.drawn) == 1)
            begun += 1
        if not begun:
            self.pass_all()
            builder.begin("There is no text to cut.")
        self.follow()
        return builder.script()

    def _fragment(self, segment: Segment, fragment: Fragment, drawn: Drawn, alone: bool) -> None:
        builder, base = self.builder, fragment.base
        lattice = Lattice(self.model, segment)
        sums = lattice.sums(self.power, self.rule)
        if alone:
            builder.phase("Forward: add up")
        arcs: dict[Edge, int] = {}
        for end in range(1, lattice.size + 1):
            for edge in lattice.ending[end]:
                arcs[edge] = self.next_arc
                self._arc(arcs[edge], edge, fragment, CANDIDATE, sums)
                builder.mark("arcs", arcs[edge], PIECE)
                self.next_arc += 1
            count = len(lattice.ending[end])
            weight = two_digits(sums[end])
            builder.write("best", base + end, end, count, weight, -1, -1, weight)
            builder.mark("best", base + end, PLACE)
            ends = plural(count, "piece ends here", "pieces end here")
            builder.step("weigh", end=end, count=ends, sum=weight)
        if alone:
            builder.phase("Backward: draw")
        for choice in drawn.choices:
            self._choice(choice, fragment, arcs, sums)
        builder.delete("shares", *self.shares)
        self.shares = range(0)
        for token in drawn.tokens:
            self.put_out(*token)
        for choice in drawn.choices:
            edge, _ = choice.options[choice.chosen]
            self.put_box(range(edge.start, edge.end), edge.token)
        chance = lattice.chance(
            [choice.options[choice.chosen][0] for choice in drawn.choices],
            self.power, self.rule, lattice.exact_sums(self.power, self.rule),
        )  # fmt: skip
        builder.step(
            "done",
            tokens=" ".join(self.shown(token.id) for token in drawn.tokens),
            chance=Text("The shares multiplied: this way is drawn {0:t} times in 100.", two_digits(100 * chance)),
        )
        builder.delete("arcs", *arcs.values())
        builder.delete("best", *range(base + 1, base + lattice.size + 1))

    def _choice(self, choice: Choice, fragment: Fragment, arcs: dict[Edge, int], sums: list[float]) -> None:
        """One piece of the path, drawn by a number."""
        builder = self.builder
        builder.delete("shares", *self.shares)
        edge, chance = choice.options[choice.chosen]
        low = total = 0.0
        self.shares = range(len(choice.options))
        for at, (each, share) in enumerate(choice.options):
            builder.write(
                "shares", at, self._text(fragment, each), _percent(share),
                two_digits(total), two_digits(total + share),
            )  # fmt: skip
            if at == choice.chosen:
                low = total
                builder.mark("shares", at, HIT)
            total += share
            self._arc(arcs[each], each, fragment, BEST if at == choice.chosen else LOST, sums, share)
        builder.mark("arcs", arcs[edge], HIT)
        builder.mark("best", fragment.base + edge.end, HIT)
        self.mark(range(edge.start, edge.end), HIT)
        told: Values = {"end": edge.end, "start": edge.start, "piece": self._text(fragment, edge)}
        if isnan(choice.number):
            builder.step("alone", **told)
            return
        shown = fixed(choice.number, 4)
        builder.write(
            "draws", self.numbers, edge.end, shown, self._text(fragment, edge),
            _percent(chance),
        )  # fmt: skip
        builder.mark("draws", self.numbers, HIT)
        self.numbers += 1
        builder.step(
            "draw", **told, count=plural(len(choice.options), "piece"), number=shown, low=two_digits(low),
            high=two_digits(low + chance), chance=_percent(chance),
        )  # fmt: skip

    def _arc(
        self, key: int, edge: Edge, fragment: Fragment, state: int, sums: list[float], share: float | None = None
    ) -> None:
        """Draws a piece, with the logarithm of what it weighs, or its share when one is drawn."""
        builder, base = self.builder, fragment.base
        score, before = edge.score, sums[edge.start]
        weight = self.power * (score + before) if self.rule.again else self.power * score + before
        builder.write(
            "arcs", key, base + edge.start, base + edge.end, self._text(fragment, edge),
            two_digits(score), state, edge.token, two_digits(self.power * score),
            two_digits(before), two_digits(weight) if share is None else _percent(share),
        )  # fmt: skip

    def _text(self, fragment: Fragment, edge: Edge) -> int:
        """A piece as the vocabulary spells it; for the unknown token the text it replaces."""
        if edge.token == self.model.unknown:
            return self.builder.text(fragment.segment.text[edge.start : edge.end])
        return self.builder.text(self.vocabulary.spelling(edge.token))


def _percent(share: float) -> str:
    return Figure(f"{100 * share:.1f} %")


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
    writer = PathScript if isinstance(tokenizer.model, Unigram) else DropoutScript
    spelling = shown_vocabulary(trace, stored).spelling
    script = writer(found, trace.stage("model"), tokenizer.vocabulary, window_of(trace), spelling).write()
    return script if stored else script.respelled(speller_of(trace, stored).stored)
