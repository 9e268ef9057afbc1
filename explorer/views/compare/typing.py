"""A text while it is typed: the tokens after each key, and what the key did to those before."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from explorer.analysis.boundary.followers import Prefix, Stability, identity
from explorer.engine.part import TextTokens, Token
from explorer.stages.spelling import Speller
from explorer.text.say import Say, Text, number, plural
from explorer.views.compare.aligned import BOLD, ELSEWHERE, FEWER, MORE, StyledLine

MOST_ROWS = 17
"""Rows that are drawn at once; of a longer text those at which an earlier token changes."""
MOST_PAIRS = 6
"""Of those the first."""
LONGEST_TOKEN = 40

KEPT, ADDED, EARLIER, LAST = 0, 1, 2, 3
"""Kinds of tokens, as `aligned.css` has their colors: re-tokenized is LAST if only the last token was."""


class Key(NamedTuple):
    """What one key did. gone, new: tokens of the rows before and after it that the other lacks.

    earlier: whether others than the last token changed.
    """

    prefix: Prefix
    tokens: TextTokens
    gone: TextTokens
    new: TextTokens
    earlier: bool


def keys_of(stability: Stability) -> Iterator[Key]:
    """What each key did."""
    before: TextTokens = ()
    for prefix, tokens in zip(stability.prefixes, stability.tokens(), strict=True):
        gone = lacking(before[prefix.kept :], tokens[prefix.kept :])
        new = lacking(tokens[prefix.kept :], before[prefix.kept :])
        last = before[-1:]
        yield Key(prefix, tokens, gone, new, any(token not in last for token in gone))
        before = tokens


def lacking(tokens: TextTokens, other: TextTokens) -> TextTokens:
    """The tokens that another list lacks; one that only covers more characters now is not among them."""
    there = Counter(map(identity, other))
    found = []
    for token in tokens:
        if there[identity(token)]:
            there[identity(token)] -= 1
        else:
            found.append(token)
    return tuple(found)


def typing_say(stability: Stability, title: str) -> StyledLine:
    """How far back tokens still change."""
    if not stability.prefixes:
        return StyledLine("The text is empty. Type something.")
    if not stability.furthest:
        return StyledLine(Say("While you type, none of {0:t}'s tokens changes.", title))
    if not any(key.earlier for key in keys_of(stability)):
        return StyledLine("While you type, ", ("only the last token", BOLD), Say(" of {0:t} changes.", title))
    back = (Say("{0:t} back", plural(stability.furthest, "character")), BOLD)
    return StyledLine(Say("While you type, {0:t}'s tokens still change up to ", title), back, ".")


def typing_note(stability: Stability) -> StyledLine:
    """What the rows show, and what their colors mean."""
    keys = list(keys_of(stability))
    step = Text("one key") if stability.step == 1 else plural(stability.step, "character")
    earlier = sum(key.earlier for key in keys)
    if len(keys) <= MOST_ROWS or not earlier:
        return StyledLine(
            Say("Each row is {0:t} later. Gray: kept. ", step), ("Green: added. ", FEWER),
            ("Violet: only the last token is re-tokenized. ", ELSEWHERE), ("Orange: earlier tokens, too.", MORE),
        )  # fmt: skip
    of = plural(len(keys), "key")
    if stability.step != 1:
        of = Text("{0:t}, {1:t} apart", plural(len(keys), "row"), step)
    shown = Text("only these are shown" if earlier <= MOST_PAIRS else "the first {0} are shown", MOST_PAIRS)
    return StyledLine(
        Say("Earlier tokens change at {0} of {1:t}; {2:t}, before and after the key. ", earlier, of, shown),
        ("Orange: re-tokenized.", MORE),
    )


def typing_picture(stability: Stability, speller: Speller, title: str) -> dict[str, Any]:
    """What the browser draws. title: of the tokenizer.

    A row is [characters typed, tokens kept from the row before, tokens after them, kind of these, those gone, those
    new, how far back]; a token is [start, end, index of its text].
    """
    texts: dict[str, int] = {}

    def data(token: Token) -> list[int]:
        text = speller.token(token.id)
        text = text if len(text) <= LONGEST_TOKEN else f"{text[:LONGEST_TOKEN]}…"
        return [token.start, token.end, texts.setdefault(text, len(texts))]

    keys = list(keys_of(stability))
    rows = [
        [
            key.prefix.length, key.prefix.kept, [data(token) for token in key.tokens[key.prefix.kept :]],
            kinds_of(key), [data(token)[2] for token in key.gone], [data(token)[2] for token in key.new],
            key.prefix.reach if key.earlier else 0,
        ]
        for key in keys
    ]  # fmt: skip
    earlier = [index for index, key in enumerate(keys) if key.earlier]
    every = list(range(len(keys)))
    if len(keys) <= MOST_ROWS:
        shown = every
    elif earlier:
        shown = sorted({index for at in earlier[:MOST_PAIRS] for index in (at - 1, at) if index >= 0})
    else:
        shown = every[:MOST_ROWS]
    paired = bool(earlier) and len(keys) > MOST_ROWS
    typed = {
        "rows": rows, "texts": list(texts), "text": stability.text, "step": stability.step, "shown": shown,
        "paired": paired,
    }  # fmt: skip
    others = len(keys) - len({*shown} & {*earlier}) if paired else len(keys) - len(shown)
    if len(shown) == len(keys):
        folded = None
    elif paired:
        folded = [
            Text("At the other {0:t}", plural(others, "key")),
            Text("a token is added, or only the last one is re-tokenized"),
        ]
        if len(earlier) > MOST_PAIRS:
            folded[1] = Text("earlier tokens change, too, or only the last one does")
    else:
        folded = [
            Text("{0:t} more", plural(others, "key")),
            Text("at each only the last token changes, or one is added"),
        ]
    return {
        "said": typing_say(stability, title).data,
        "note": typing_note(stability).data if stability.prefixes else [],
        "typed": json.dumps(typed, ensure_ascii=False, separators=(",", ":")),
        "size": len(stability.text),
        "folded": folded,
    }


def kinds_of(key: Key) -> list[int]:
    """The kind of each token after those that are kept from the left."""
    new = Counter(map(identity, key.new))
    kinds = []
    # a token that covers characters of the row before replaces others
    starts = min((token.start for token in key.gone), default=None)
    ends = max((token.end for token in key.gone), default=0)
    for token in key.tokens[key.prefix.kept :]:
        if not new[identity(token)]:
            kinds.append(KEPT)
        elif starts is not None and token.start < ends:
            kinds.append(EARLIER if key.earlier else LAST)
        else:
            kinds.append(ADDED)
    return kinds


def summary(stability: Stability) -> Say:
    """What the table of the downloads shows, in a sentence."""
    if not stability.prefixes:
        return Say("The text is empty. Type something.")
    steps = "" if stability.step == 1 else f" (checked every {number(stability.step)} characters)"
    taken_back = sum(prefix.changed for prefix in stability.prefixes)
    if not taken_back:
        return Say("No token changes while you type this text{0:t}.", steps)
    most = max(prefix.changed for prefix in stability.prefixes)
    return Say(
        "While you type this text{0:t}, {1:t} replaced in all, at most {2:t} at once. A token that changes begins at "
        "most {3:t} before the end.",
        steps,
        f"{plural(taken_back, 'token')} {'is' if taken_back == 1 else 'are'}",
        number(most),
        plural(stability.furthest, "character"),
    )
