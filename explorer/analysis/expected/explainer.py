"""Asks why expected ids are not those of a tokenizer, the nearest explanation first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from explorer.analysis.divergence.comparer import compare
from explorer.analysis.expected import normalized
from explorer.analysis.expected.answers import (
    Encoded,
    Explanation,
    Found,
    Place,
    Reason,
    Recipe,
)
from explorer.analysis.expected.parts import in_parts
from explorer.analysis.expected.placed import placed
from explorer.analysis.expected.question import LISTED, Question
from explorer.analysis.expected.texts import escaped, spaced
from explorer.analysis.expected.tries import Tries
from explorer.analysis.plausible import is_bundled, is_plausible, rules_out
from explorer.analysis.run import TITLES, run
from explorer.analysis.what_if import Loader, Switch, flipped, is_on
from explorer.engine.limits.budget import many_runs
from explorer.engine.options import Options
from explorer.engine.tokenizer import Tokenizer, Trace
from explorer.opening.catalog import catalog, load
from explorer.text import clean
from explorer.text.visible import shortened


def explain(
    tokenizer: Tokenizer,
    text: str,
    expected: Sequence[int],
    *,
    add_special: bool = True,
    parse_special: bool = True,
    open_other: Loader = load,
    given: Trace | None = None,
) -> Explanation:
    """Why `tokenizer` does not give the expected ids for `text`. given: its trace of that, where there is one.

    >>> import explorer
    >>> explain(explorer.load("llama-2"), "What is", [1724, 338]).sentence
    'The expected ids lack “<s>” (1) in front; without the option “add special” they are what llama-2 gives.'
    >>> explain(explorer.load("gpt-2"), "What is", [2061, 318]).reason.value
    'same ids'
    """
    options = Options(add_special, parse_special)
    text = clean(text)
    with many_runs("an explanation", len(text)):
        if given is None:
            given = tokenizer.trace_lazily(text, **options._asdict())
        return Explainer(tuple(expected), options, open_other, Tries(tokenizer, given)).explanation()


class Explainer(Question):
    """What is tried. open_other: opens another tokenizer by its name. tries: of this question."""

    def __init__(self, expected: tuple[int, ...], options: Options, open_other: Loader, tries: Tries) -> None:
        super().__init__(tries.tokenizer, tries.given.text, expected, options, tries.given.encoding)
        self.open_other, self.tries = open_other, tries

    def explanation(self) -> Explanation:
        found = self.exact()
        reason, sentence = self.otherwise() if found is None else (found.reason, f"The expected ids {found.says}.")
        if reason == Reason.SAME:
            count = len(self.expected)
            sentence = f"No difference: the expected ids are the {count} that {self.name} gives."
        first = found.recipe.encoded[0] if found and found.recipe and found.specs else None
        return Explanation(
            text=self.text,
            expected=self.expected,
            given=self.given,
            decoded=self.decoded,
            encoding=None
            if self.decoded is None
            else placed(self.tokenizer, self.expected, self.text, self.parts_decoded),
            stretches=tuple(self.stretches),
            regions=tuple(self.regions()),
            reason=reason,
            sentence=sentence,
            recipe=found.recipe if found else None,
            specs=found.specs if found else (),
            options=first.options if first else None,
            read=first.text if first else None,
            cuts=found.cuts if found else (),
        )

    def exact(self) -> Found | None:
        """The first explanation that gives exactly the expected ids."""
        if self.given.ids == list(self.expected):
            return Found(Reason.SAME, "", self.recipe(self.options), (spec_of(self.tokenizer),))
        return (
            next(self.near(), None)
            or self.twice()
            or self.apart(lambda inner: next(inner.near(), None))
            or next(self.implementations(), None)
            or self.parts()
            or self.apart(Explainer.parts)
            or self.special_only()
            or self.apart(Explainer.special_only)
            or (None if self.is_near else next(self.far(), None))
        )

    # --- this tokenizer on this text, or almost ----------------------------------------------------------------------

    def near(self) -> Iterator[Found]:
        """What can be tried with this tokenizer alone."""
        special = self.special_words()
        for options in other_options(self.options):
            if self.gives(self.tokenizer, self.text, options):
                reason, says = special or (Reason.OPTIONS, "are for other options")
                how = f"{without(options, self.options)} they are what {self.name} gives"
                yield Found(reason, f"{says}; {how}", self.recipe(options), (spec_of(self.tokenizer),))
        for flip in normalized.flips(self.tokenizer, {*self.expected, *self.given.ids}):
            yield from self.tried(flip.tokenizer, self.text, Reason.NORMALIZED, flip.says, "")
        for reason, what, read in (*escaped(self.text), *(spaced(self.text) if self.is_near else ())):
            yield from self.tried(self.tokenizer, read, reason, f"are for the text {what}", spec_of(self.tokenizer))
        other = flipped(self.tokenizer, Switch.PREFIX_SPACE)
        if other is not None:
            how = "without" if is_on(self.tokenizer, Switch.PREFIX_SPACE) else "with"
            says = f"are those {how} a space put in front of the text"
            yield from self.tried(other, self.text, Reason.LEADING_SPACE, says, "")

    def tried(self, tokenizer: Tokenizer, text: str, reason: Reason, says: str, spec: str) -> Iterator[Found]:
        """A tokenizer and a text. What adding special tokens does is looked at apart from them (`apart`)."""
        add, parse = self.options
        for options in (self.options, Options(add, not parse)):
            if self.gives(tokenizer, text, options):
                also = f", and {without(options, self.options)}" if options != self.options else ""
                recipe = Recipe((Encoded(tokenizer, text, options),))
                yield Found(reason, f"{says}{also}", recipe, (spec,) if spec else ())

    def parts(self) -> Found | None:
        """The text cut, and each part encoded by itself."""
        cut = in_parts(self.tries, self.text, self.expected, self.options)
        if cut is None:
            return None
        says = f"were encoded in parts, the text cut {self.cut_words(cut.offsets)}{cut.how}"
        return Found(Reason.PARTS, says, Recipe(cut.parts), cuts=cut.offsets)

    def cut_words(self, offsets: Sequence[int]) -> str:
        """Where a text was cut: behind so many characters."""
        if len(offsets) == 1:
            at = offsets[0]
            sides = shortened(self.text[max(at - 12, 0) : at]), shortened(self.text[at : at + 12])
            return f"at character {at} (“{sides[0]}” | “{sides[1]}”)"
        *some, last = [str(offset) for offset in offsets[: LISTED + 1]]
        last = last if len(offsets) <= LISTED + 1 else f"{len(offsets) - LISTED} more"
        return f"at characters {', '.join(some)} and {last}"

    # --- special tokens -----------------------------------------------------------------------------------------------

    def twice(self) -> Found | None:
        """A token that is there twice in front: it was added to a text or to ids that begin with it."""
        if len(self.expected) < 2 or not self.is_special(self.expected[0]) or self.expected[0] != self.expected[1]:
            return None
        doubled = self.expected[0]
        spelled = self.vocabulary.pieces[doubled].decode("utf-8", "replace")
        says = f"have {self.listed([doubled])} twice in front"
        for options in (self.options, *other_options(self.options)):
            if self.gives(self.tokenizer, spelled + self.text, options):
                also = f", {without(options, self.options)}" if options != self.options else ""
                how = f"they are what {self.name} gives for the text with “{spelled}” written in front{also}"
                recipe = Recipe((Encoded(self.tokenizer, spelled + self.text, options),))
                return Found(Reason.DOUBLED, f"{says}; {how}", recipe, (spec_of(self.tokenizer),))
        return None

    def apart(self, explained: Callable[[Explainer], Found | None]) -> Found | None:
        """An explanation of what is between the ends, where the special tokens there differ as well."""
        if not self.ends:
            return None
        reason, says = self.stretch_words(self.ends)
        (front, behind), between = self.around(), [each for each in self.stretches if each.place == Place.TEXT]
        ids = self.given.ids
        middle = self.expected[between[0].expected.start : between[-1].expected.stop] if between else ()
        drop = len(front[1]), len(behind[1])
        as_here = (*front[1], *middle, *behind[1])
        if list(as_here) == ids:
            found = Found(reason, says, self.recipe(self.options))
        else:
            inner = Explainer(as_here, self.options, self.open_other, self.tries)
            known = explained(inner)
            if known is None:
                return None
            found = known._replace(says=f"{says}; apart from that they {known.says}")
        recipe = found.recipe and found.recipe._replace(drop=drop, front=front[0], behind=behind[0])
        return found._replace(recipe=recipe, specs=())

    def around(self) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], tuple[tuple[int, ...], tuple[int, ...]]]:
        """The special tokens in front and behind: those expected, those given."""
        made = []
        for place in (Place.FRONT, Place.BEHIND):
            sides = [self.sides(each) for each in self.stretches if each.place == place]
            made.append((tuple(id for one, _ in sides for id in one), tuple(id for _, other in sides for id in other)))
        return made[0], made[1]

    def special_only(self) -> Found | None:
        """Special tokens that differ, and nothing else."""
        words = self.special_words()
        return None if words is None else Found(*words)

    # --- other tokenizers ---------------------------------------------------------------------------------------------

    def implementations(self) -> Iterator[Found]:
        """Other implementations of the same model."""
        model = catalog().get(self.name)
        if model is None or (is_bundled(self.tokenizer) and not is_plausible(self.tokenizer, self.expected, self.text)):
            return  # they are ids of the same vocabulary
        for implementation in model.implementations:
            if implementation != self.tokenizer.implementation:
                found = self.other(self.open_other(f"{self.name}@{implementation}"), Reason.IMPLEMENTATION)
                if found is not None:
                    yield found

    def far(self) -> Iterator[Found]:
        """The other bundled models: one explanation that names all that give the ids, for many share a vocabulary.

        Opening a vocabulary takes up to half a second. So the catalogue is asked first; and what the ids of a file
        cannot say, they cannot say for another program that reads it.
        """
        found: dict[str, Found] = {}
        for model in catalog().values():
            if model.name == self.name or rules_out(model, self.expected, self.text):
                continue
            for implementation in model.implementations:
                tokenizer = self.open_other(f"{model.name}@{implementation}")
                if not is_plausible(tokenizer, self.expected, self.text):
                    break
                each = self.other(tokenizer, Reason.OTHER_TOKENIZER)
                if each is not None:
                    found[model.name] = each
                    break
        if found:
            first, *more = found.values()
            specs = tuple(spec for each in found.values() for spec in each.specs)
            also = f", and {', '.join(specs[1:])} as well" if more else ""
            yield first._replace(says=f"{first.says}{also}", specs=specs)

    def other(self, tokenizer: Tokenizer, reason: Reason) -> Found | None:
        """One of them with each choice of options."""
        spec = spec_of(tokenizer)
        for options in (self.options, *other_options(self.options)):
            if self.gives(tokenizer, self.text, options):
                also = f" {without(options, self.options)}" if options != self.options else ""
                says = f"are what {spec} gives{also}"
                if reason == Reason.IMPLEMENTATION and options == self.options:
                    runs = [run(each, self.text, TITLES.get(each.implementation, each.implementation),
                                **options._asdict()) for each in (self.tokenizer, tokenizer)]  # fmt: skip
                    says += f": {compare(*runs).sentence.rstrip('.')}"
                return Found(reason, says, Recipe((Encoded(tokenizer, self.text, options),)), (spec,))
        return None

    # --- small questions ----------------------------------------------------------------------------------------------

    def recipe(self, options: Options) -> Recipe:
        return Recipe((Encoded(self.tokenizer, self.text, options),))

    def gives(self, tokenizer: Tokenizer, text: str, options: Options) -> bool:
        """Whether a tokenizer gives exactly the expected ids for a text."""
        return self.tries.gives(tokenizer, self.expected, text, options)


def spec_of(tokenizer: Tokenizer) -> str:
    """How a tokenizer is asked for."""
    return f"{tokenizer.name}@{tokenizer.implementation}"


def other_options(options: Options) -> Iterator[Options]:
    """The other choices of options, those nearest first."""
    add, parse = options
    yield Options(not add, parse)
    yield Options(add, not parse)
    yield Options(not add, not parse)


def without(options: Options, asked: Options) -> str:
    """The options that differ from those that were asked for, in words.

    >>> without(Options(False, True), Options())
    'without the option “add special”'
    """
    changed = [
        f"{'with' if after else 'without'} the option “{each}”"
        for before, after, each in zip(asked, options, ("add special", "parse special"), strict=True)
        if before != after
    ]
    return " and ".join(changed)
