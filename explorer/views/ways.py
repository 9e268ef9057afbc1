"""Other ways to cut a text, as they are drawn: a row for each way, and for each rule how often it was drawn and how
probable it is exactly.

The chosen rule orders the rows and has the sentence. Of more ways than fit, the likeliest are drawn.
"""

from collections.abc import Mapping
from typing import Any

from explorer.analysis.sampling import LONGEST_MANY, MOST_SAMPLES, Distribution, distribution, nbest, own_rule, rules_of
from explorer.engine.models.unigram import Unigram
from explorer.engine.sampling.dropout import DropoutRule
from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.stages.spelling import Form, Speller, implementation_title
from explorer.tables import read_toml
from explorer.text.say import Figure, Say, Text, number, paragraph, plural

ROWS = 60
"""Ways that are drawn."""
MOST_DRAWN = 100_000
"""Characters that are drawn for a page, in all draws together: some seconds of work."""
BEST = 100
"""Ways whose score is known."""
LEAST_SHOWN = 0.0001
"""Of a probability: a smaller one, or one that is nearer to 1, is a bound."""

LABELS: Mapping[str, str] = {
    DropoutRule.HUGGING_FACE: "Hugging Face",
    DropoutRule.SENTENCEPIECE: "sentencepiece",
    DropoutRule.SUBWORD_NMT: Text("the paper"),
}
RULES = read_toml(__file__, "ways.toml")
"""What each rule does, by the way it draws."""

Picture = dict[str, Any]


def frame(tokenizer: Opened, rule: str) -> Picture:
    """What is drawn whatever was asked: rules, their words, what alpha is. No rules for a model without sampling."""
    rules, unigram = rules_of(tokenizer), isinstance(tokenizer.model, Unigram)
    words = RULES["shared" if unigram else "dropped"]
    chosen = rule if rule in rules else (rules or ("",))[0]
    none = Say(
        "This tokenizer has no other possible cuts. Its model, {0:t}, takes one way to cut a text, and nothing in it "
        "is random.",
        tokenizer.family,
    )
    return {
        "rules": [
            {
                "key": each,
                "label": LABELS[each],
                "title": Text("{0:t}: {1:t}", LABELS[each], Text(words[each][0])),
                "why": Text(words[each][1]),
            }
            for each in rules
        ],
        "rule": chosen,
        "scored": unigram,
        "alpha": Text("α, exponent" if unigram else "α, drop a pair"),
        "error": "",
        "rows": [],
        "more": "",
        "says": {"what": (Say("Other possible cuts of this text") if rules else none)._asdict(), "sub": None},
    }


def ways_picture(
    tokenizer: Opened, text: str, alpha: float, seed: int, draws: int, rule: str, *, parse_special: bool, form: Form
) -> Picture:
    """The ways of a text as all rules draw them. What can't be asked is an `error`, with no rows."""
    made = frame(tokenizer, rule)
    if not made["rules"]:
        return made
    if not text:
        return made | {"says": {"what": Say("There is no text to cut.")._asdict(), "sub": None}}
    asked = {"add_special": False, "parse_special": parse_special}
    if error := too_many(text, draws):
        return made | {"error": error}
    try:
        found = {
            each["key"]: distribution(tokenizer, text, alpha, seed, samples=draws, rule=each["key"], **asked)
            for each in made["rules"]
        }
        scores = (
            {each.ids: f"{each.score:.3f}".replace("-", "−") for each in nbest(tokenizer, text, BEST, **asked)}
            if made["scored"]
            else {}
        )
    except InputError as error:
        return made | {"error": str(error)}
    chosen = found[made["rule"]]
    speller = Speller(tokenizer.trace(""), form)
    known = {key: {way.ids: way for way in each.ways} for key, each in found.items()}
    shown = chosen.ways[:ROWS]
    largest = max(
        (max(way.probability or 0.0, way.times / (draws or 1)) for ways in known.values() for way in ways.values()),
        default=1.0,
    )
    rows = []
    for way in shown:
        cells: list[Any] = []
        for key in found:
            other = known[key].get(way.ids)
            # a rule all of whose ways are listed cannot give another one
            chance = other.probability if other else 0.0 if found[key].complete else None
            cells.append([
                number(other.times if other else 0),
                "" if chance is None else percent(chance),
                (other.times if other else 0) / (draws or 1) / largest,
                None if chance is None else chance / largest,
            ])  # fmt: skip
        rows.append({
            "tokens": [[speller.token(id), id] for id in way.ids],
            "usual": way.ids == chosen.usual,
            "first": way.first,
            "score": scores.get(way.ids, ""),
            "cells": cells,
        })  # fmt: skip
    more = len(chosen.ways) - len(shown)
    return made | {
        "rows": rows,
        "more": Text("and {0:t}", plural(more, "other cut")) if more else "",
        "says": {"what": headline(chosen)._asdict(), "sub": under(tokenizer, chosen, found)._asdict()},
    }


def too_many(text: str, draws: int) -> str:
    """Why a page doesn't draw a text so often, one draw after another; "" if it does.

    >>> too_many("a" * 1_000, 1_000)
    '1,000 draws of 1,000 characters are too many for the page; draw 100 or fewer'
    """
    if len(text) > LONGEST_MANY or len(text) * draws <= MOST_DRAWN:
        return ""
    most = number(min(MOST_SAMPLES, MOST_DRAWN // len(text)))
    return (
        f"{plural(draws, 'draw')} of {plural(len(text), 'character')} are too many for the page; draw {most} or fewer"
    )


def percent(chance: float) -> str:
    """A probability in percent. What is only nearly impossible or certain is not rounded to that.

    >>> [percent(each) for each in (0.94028, 1e-6, 0.0, 0.999999, 1.0)]
    ['94.03 %', '<0.01 %', 'never', '>99.99 %', '100.00 %']
    """
    if chance == 0:
        return "never"
    bound = "<" if chance < LEAST_SHOWN else ">" if 1 - LEAST_SHOWN < chance < 1 else ""
    return Figure(f"{bound}{100 * min(max(chance, LEAST_SHOWN), 1 if chance >= 1 else 1 - LEAST_SHOWN):.2f} %")


def headline(found: Distribution) -> Say:
    """How often the usual tokens came."""
    times = next((way.times for way in found.ways if way.ids == found.usual), 0)
    inner = found.text.strip()
    if not found.samples:
        return Say("Nothing was drawn.")
    if len(found.usual) > 1:
        return Say("The usual tokens come in {0} of {1:t}.", times, plural(found.samples, "draw"))
    if inner.isalpha():
        return Say("The whole word stays in {0} of {1:t}.", times, plural(found.samples, "draw"))
    return Say("It stays one token in {0} of {1:t}.", times, plural(found.samples, "draw"))


def under(tokenizer: Opened, chosen: Distribution, found: dict[str, Distribution]) -> Say:
    """How probable that is exactly, by each rule, and how many ways there are."""

    def chance(each: Distribution) -> str:
        known = next((way.probability for way in each.ways if way.ids == each.usual), None)
        if known is None:
            return ""
        shown = percent(known).removesuffix(" %") if known else "0"
        return {"<": "less than ", ">": "more than "}.get(shown[0], "") + shown.lstrip("<>")

    said = []
    own = chance(chosen)
    if own:
        others = [
            Say("by {0:t} {1:t}", f"{LABELS[rule]}'s rule", chance(each))
            for rule, each in found.items()
            if rule != chosen.rule and chance(each)
        ]
        first = Say("Exactly {0:t} in 100" if own[0].isdigit() else "{0:t} in 100", own[:1].upper() + own[1:])
        for at, other in enumerate(others):
            first = Say("{0}, {1}" if at else "{0}; {1}", first, other)
        said.append(Say("{0}.", first))
    came = sum(bool(way.times) for way in chosen.ways)
    if chosen.total is not None:
        said.append(Say("{0} of {1:t} came up.", came, plural(chosen.total, "way")))
    else:
        said.append(Say("{0:t} came up, of too many to count.", plural(came, "way")))
    if own_rule(tokenizer) not in found:
        said.append(Say("{0:t} itself never samples.", implementation_title(tokenizer.implementation)))
    return paragraph(said)
