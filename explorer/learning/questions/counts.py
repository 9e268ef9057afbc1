"""Questions about how many tokens a text costs.

Wrong counts are those of something else in the same trace: characters, bytes, words, pieces before the model, tokens
without those added. Without other texts, a text is compared with its own spellings: in capitals, without spaces.
"""

from __future__ import annotations

from collections.abc import Iterator

from explorer.engine.items import ADDED, Segment
from explorer.stages.question import LONGEST_SHOWN, NO_REASON, Choice, Draft, Scene, ended, quoted_row, readable
from explorer.text.say import Say, number, plural

LONGEST = 80
"""Code points of a text that a choice shows whole."""
COMPARED = 4
"""Texts of a comparison."""
COUNTED = 7
"""Texts that are counted for it: some may cost as much as the one that costs most."""


def how_many(scene: Scene) -> Draft | None:
    """How many tokens?"""
    ids, text = scene.trace.ids, scene.trace.text
    if not text or len(text) > LONGEST:
        return None
    others = sorted(
        ((count, says) for count, says in other_counts(scene) if count != len(ids) and count > 0),
        key=lambda other: abs(other[0] - len(ids)),
    )
    added = sum(token.start == ADDED for token in scene.trace.encoding.tokens)
    prompt = Say.of("How many tokens does {0:t} make of {1:q}?", scene.name, readable(text))
    if added:
        prompt = prompt.then(Say.of("Count the special tokens that it adds."))
    wrong = [Choice(Say.of("{0}", count), "", Say.of(says, count)) for count, says in others]
    said = Say.of("{0} of them added.", added) if added else Say("None is added.")
    if len(ids) <= LONGEST_SHOWN:
        tokens = quoted_row([scene.token(id) for id in ids])
        said = ended(tokens).then(said)
    return Draft(prompt, Choice(Say.of("{0}", len(ids))), wrong, said, scene.trace.stages[-1].name)


def other_counts(scene: Scene) -> Iterator[tuple[int, str]]:
    """What else one may count, each with a sentence about it."""
    text, tokens = scene.trace.text, scene.trace.encoding.tokens
    yield sum(token.start != ADDED for token in tokens), "{0} is the number without those added."
    yield len(text.split()), "{0} is the number of words."
    yield (
        sum(isinstance(item, Segment) for item in scene.stage.before),
        "{0} is the number of parts that the model gets.",
    )
    yield len(text), "{0} is the number of code points."
    yield len(text.encode()), "{0} is the number of bytes."
    yield len({token.id for token in tokens}), "{0} is the number of different tokens."
    yield 4 * len(text.split()) // 3, "{0} is four thirds of the number of words, a rule of thumb."


def costs_more(scene: Scene) -> Draft | None:
    """Which of these texts costs more tokens?"""
    text = scene.trace.text
    known = [each for each in dict.fromkeys(scene.texts) if each.strip() and len(each) <= LONGEST and each != text]
    if not text.strip() or len(text) > LONGEST:
        return None
    scene.random.shuffle(known)
    # of similar length, so that counting letters does not answer it
    known.sort(key=lambda each: abs(len(each) - len(text)) // 8)
    compared = {readable(each): each for each in (text, *known[: COUNTED - 3], *spellings(text))}
    counts = {each: len(scene.tokenizer.encode(each)) for each in list(compared.values())[:COUNTED]}
    most = max(counts.values())
    winner = next(each for each, count in counts.items() if count == most)
    # one text costs most: others with as many tokens are left out
    others = [each for each, count in counts.items() if count < most][: COMPARED - 1]
    if not others:
        return None
    wrong = [
        Choice(quoted_row([readable(each)]), "", Say.of("{0:t}.", plural(counts[each], "token"))) for each in others
    ]
    count, second = max((counts[each], each) for each in others)
    said = Say.of(
        "{0:q} costs {1:t}, the next one, {2:q}, {3:t}.",
        readable(winner), plural(most, "token"), readable(second), number(count),
    )  # fmt: skip
    question = "Which of these texts costs more tokens under {0:t}?"
    if len(others) > 1:
        question = "Which of these texts costs the most tokens under {0:t}?"
    right = Choice(quoted_row([readable(winner)]), "", NO_REASON)
    return Draft(Say.of(question, scene.name), right, wrong, said, scene.trace.stages[-1].name, text=winner)


def spellings(text: str) -> Iterator[str]:
    """Other spellings of a text."""
    yield text.upper()
    yield text.replace(" ", "")
    yield text.lower()
    yield text.replace(" ", "  ")
