"""What a stage did to a text: a few words for the row of stages, a sentence for the model.

Counts come from the items before and after a stage, or from its events; nothing is run again.
"""

from __future__ import annotations

from typing import TypeAlias

from explorer.engine.items import Items, Segment, Token
from explorer.engine.tokenizer import Stage, Trace
from explorer.text.say import Say, Text, plural
from explorer.vocabulary import SPACE_MARK, Vocabulary


def model_result(trace: Trace, stage: Stage, vocabulary: Vocabulary, by: str = "") -> Say:
    """How many tokens the model makes. by: by what, such as ", by 9 merges"."""
    stretches = sum(isinstance(item, Segment) for item in stage.before)
    tokens = len(stage.after) - (len(stage.before) - stretches)
    if not stretches:
        return Say.of("There is no text left for the model.")
    return Say.of(
        "{0:t} of text {1:t} {2:t}{3:t}.",
        plural(stretches, "stretch", "stretches"),
        "becomes" if stretches == 1 else "become",
        plural(tokens, "token"),
        by,
    )


Count: TypeAlias = tuple[str, bool]
"""What came out, and whether that is more than nothing."""


def special(stage: Stage) -> Count:
    """Special tokens found in the text."""
    found = sum(isinstance(item, Token) for item in stage.after) - sum(isinstance(item, Token) for item in stage.before)
    return (Text.of("{0} found", found), True) if found else ("none", False)


def normalized(stage: Stage) -> Count:
    """How the text changed."""
    before, after = text_of(stage.before), text_of(stage.after)
    if before == after:
        return "unchanged", False
    return described(before, after), True


def described(before: str, after: str) -> str:
    """The difference in a few words: a space in front, case alone, else how the length changed.

    >>> described("a b", "▁a▁b"), described("Å", "å"), described("é", "e\u0301"), described("ﬁ", "fi")
    ('+1 space', 'lowercase', '1 → 2 characters', '1 → 2 characters')
    """
    plain = after.replace(SPACE_MARK, " ")
    if plain == before:
        return f"spaces → {SPACE_MARK}"
    if plain == " " + before:
        return Text.of("+{0} space", 1, many="+{0} spaces")
    if after == before.lower():
        return "lowercase"
    if len(before) == len(after):
        changed = sum(one != other for one, other in zip(before, after, strict=True))
        return Text.of("{0} changed", changed)
    return Text.of("{1} → {0} character", len(after), len(before), many="{1} → {0} characters")


def pre_tokens(stage: Stage, word: str = "pre-token") -> Count:
    """Stretches of text, no longer one."""
    count = sum(isinstance(item, Segment) for item in stage.after)
    return plural(count, word), count > 1 or text_of(stage.before) != text_of(stage.after)


def fragments(stage: Stage) -> Count:
    """Text beside DNA."""
    return pre_tokens(stage, "fragment")


def tokens(stage: Stage) -> Count:
    """Tokens after the stage."""
    return plural(sum(isinstance(item, Token) for item in stage.after), "token"), True


def text_of(items: Items) -> str:
    """The text that has not become tokens yet."""
    return "".join(item.text for item in items if isinstance(item, Segment))
