"""Examples of what other programs often give for a text, computed for the text and the tokenizer at hand.

Each is an `Encoded` text or several of them: the recipe that an explanation would find. Leaves out whatever gives the
tokenizer's own ids for this text, and whatever another example gives already.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from explorer.analysis.expected.answers import Encoded, Reason, Recipe
from explorer.analysis.what_if import Switch, adds_tokens, flipped, is_on
from explorer.engine.part import Options
from explorer.errors import InputError
from explorer.implementations.opened import Opened

MOST: Final = 4
"""Examples at most."""
TRIES: Final = 8
"""Places where the text is cut in two, the nearest to its middle first."""


class Example(NamedTuple):
    """Ids that another program may give.

    with_it: whether something is there that the tokenizer's own ids lack (a space, a special token) or lacking. cut:
    the offset of the cut. name: of the other tokenizer, as it is called.
    """

    reason: Reason
    ids: tuple[int, ...]
    with_it: bool = False
    cut: int = 0
    name: str = ""


def examples(
    tokenizer: Opened, text: str, options: Options, others: Sequence[tuple[str, Opened]] = ()
) -> list[Example]:
    """At most `MOST` examples. others: tokenizers by what people call them, whose ids are an example.

    >>> import explorer
    >>> [(each.reason.value, each.ids) for each in examples(explorer.load("llama-2"), "What is", Options())]
    [('leading space', (1, 5618, 338)), ('missing special token', (1724, 338)), ('special token twice', (1, 1, 1724, \
338)), ('encoded in parts', (1, 1724, 29871, 338))]
    """
    seen = {tuple(Encoded(tokenizer, text, options).ids())}
    made: list[Example] = []
    for example in candidates(tokenizer, text, options, others):
        if example.ids not in seen:
            seen.add(example.ids)
            made.append(example)
        if len(made) == MOST:
            break
    return made


def candidates(
    tokenizer: Opened, text: str, options: Options, others: Sequence[tuple[str, Opened]]
) -> Iterator[Example]:
    """The examples in order, the commonest first."""
    if not text:
        return
    other = flipped(tokenizer, Switch.PREFIX_SPACE)
    if other is not None and is_on(tokenizer, Switch.PREFIX_SPACE):
        yield from tried(Reason.LEADING_SPACE, Encoded(other, text, options))
    else:
        yield from tried(Reason.LEADING_SPACE, Encoded(tokenizer, f" {text}", options), with_it=True)
    if adds_tokens(tokenizer):
        reason = Reason.MISSING_SPECIAL if options.add_special else Reason.EXTRA_SPECIAL
        with_other = options._replace(add_special=not options.add_special)
        yield from tried(reason, Encoded(tokenizer, text, with_other), with_it=not options.add_special)
        first = tokenizer.encode("a").tokens[0]
        if options.add_special and options.parse_special and first.start < 0:
            spelled = tokenizer.vocabulary.pieces[first.id].decode("utf-8", "replace")
            yield from tried(Reason.DOUBLED, Encoded(tokenizer, spelled + text, options), with_it=True)
    own = tuple(Encoded(tokenizer, text, options).ids())
    rest = options._replace(add_special=False)
    for cut in cuts(text):
        for example in tried(
            Reason.PARTS, Encoded(tokenizer, text[:cut], options), Encoded(tokenizer, text[cut:], rest)
        ):
            if example.ids != own:
                yield example._replace(cut=cut)
                break
        else:
            continue
        break
    yield from tried(Reason.WHITE_SPACE, Encoded(tokenizer, f"{text}\n", options), with_it=True)
    for name, opened in others:
        for example in tried(Reason.OTHER_TOKENIZER, Encoded(opened, text, options)):
            yield example._replace(name=name)


def tried(reason: Reason, *encoded: Encoded, with_it: bool = False) -> Iterator[Example]:
    """An example, if the vocabulary can encode the text."""
    try:
        yield Example(reason, tuple(Recipe(encoded).ids()), with_it)
    except InputError:
        return


def cuts(text: str) -> list[int]:
    """Where a text may be cut in two: after a space first, then anywhere, each the nearest to its middle first.

    >>> cuts("one two six")
    [4, 8, 5, 6, 7, 3, 2, 9]
    """
    middle = len(text) / 2
    around = range(max(1, len(text) // 2 - 200), min(len(text), len(text) // 2 + 200))
    nearest = sorted(around, key=lambda at: abs(at - middle))
    return sorted(nearest, key=lambda at: text[at - 1] != " ")[:TRIES]
