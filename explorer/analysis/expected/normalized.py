"""The setting `normalized` of added tokens: which text a token is searched in, and by which spelling.

A tokenizer.json says for each added token whether it is searched in the original or in the normalized text. In the
normalized text its own spelling is normalized, too: with a normalizer that prepends ▁, `</s>` is searched as `▁</s>`.
Other programs search the original text. This module flips the setting and tries the result.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from explorer.engine.items import Segment
from explorer.engine.part import Options, Part
from explorer.engine.partition.added_tokens import AddedToken, AddedTokenPartition
from explorer.engine.trace import silent
from explorer.implementations.huggingface.added_tokens import NORMALIZED
from explorer.implementations.opened import Opened
from explorer.text import visible
from explorer.text.say import Say

MOST: Final = 12
"""The most tokens that are tried one by one."""


class Flip(NamedTuple):
    """A tokenizer with the setting of some tokens flipped. ids: of these tokens. says: a clause that follows "they"."""

    tokenizer: Opened
    ids: tuple[int, ...]
    says: Say


def flips(tokenizer: Opened, concerned: Collection[int]) -> Iterator[Flip]:
    """The tokenizers that differ in this setting alone. concerned: the ids that may be affected."""
    added = [token for part in partitions(tokenizer) for token in part.tokens]
    for was in (True, False):
        tokens = [token for token in added if token.normalized is was]
        likely = [token for token in tokens if token.id in concerned]
        for some in (*([token] for token in likely[:MOST]), *[each for each in (likely, tokens) if len(each) > 1]):
            other = flipped(tokenizer, some)
            if other is not None:
                yield Flip(other, tuple(token.id for token in some), words(tokenizer, other, some, was))


def partitions(tokenizer: Opened) -> list[AddedTokenPartition]:
    """The stages that search for added tokens as Hugging Face does."""
    return [part for part in tokenizer.parts if isinstance(part, AddedTokenPartition)]


def flipped(tokenizer: Opened, tokens: Sequence[AddedToken]) -> Opened | None:
    """The tokenizer with the setting of these tokens flipped; None if it has no normalizer."""
    normalizer = next((index for index, part in enumerate(tokenizer.parts) if part.name == "normalize"), None)
    if normalizer is None or not isinstance(tokenizer.parts[0], AddedTokenPartition):
        return None
    gone = {token.id for token in tokens}
    stays = [[token for token in part.tokens if token.id not in gone] for part in partitions(tokenizer)]
    written, normal = stays if len(stays) == 2 else (stays[0], [])
    for token in tokens:
        spelled = tokenizer.vocabulary.pieces[token.id].decode()
        if token.normalized:
            written.append(token._replace(content=spelled, normalized=False))
        else:
            content = normalized(tokenizer.parts[normalizer], spelled)
            if content:
                normal.append(token._replace(content=content, normalized=True))
    rest = [part for part in tokenizer.parts[normalizer + 1 :] if not isinstance(part, AddedTokenPartition)]
    parts: list[Part] = [AddedTokenPartition(written), *tokenizer.parts[1 : normalizer + 1]]
    parts += [AddedTokenPartition(normal, NORMALIZED)] if normal else []
    return replace(tokenizer, parts=(*parts, *rest))


def normalized(part: Part, text: str) -> str:
    """The output of a normalizer for a text."""
    return "".join(item.text for item in part.run([Segment.of(text)], Options(), silent) if isinstance(item, Segment))


def searched(tokenizer: Opened, ids: Collection[int]) -> list[AddedToken]:
    """The tokens with these ids that are searched in the normalized text."""
    return [token for part in partitions(tokenizer) for token in part.tokens if token.normalized and token.id in ids]


def words(tokenizer: Opened, other: Opened, tokens: Sequence[AddedToken], was: bool) -> Say:
    """The clause about the expected ids."""
    first, more = tokens[0], len(tokens) - 1
    also = f" and {more} more added token{'s' * (more > 1)}" if more else ""
    there = next((token.content for token in searched(tokenizer if was else other, {first.id})), "")
    if was:
        template = (
            "are those of searching the added token {0:t}{1:t} in the original text; its “normalized” is true, so "
            "{2:t} searches the normalized text for {3:t}"
        )
    else:
        template = (
            "are those of searching the added token {0:t}{1:t} as {3:t} in the normalized text, as if its “normalized” "
            "were true; {2:t} searches the original text"
        )
    return Say.of(template, named(tokenizer, first.id), also, tokenizer.name, quoted(there))


def note(tokenizer: Opened, ids: Collection[int]) -> Say | None:
    """A note about these tokens for ids without an explanation.

    >>> import explorer
    >>> note(explorer.load("gpt-2"), {50256}) is None
    True
    """
    found = [token for token in searched(tokenizer, ids) if token.content != spelling(tokenizer, token.id)]
    if not found:
        return None
    return Say.of(
        "The added token {0:t} is searched as {1:t} in the normalized text, because its “normalized” is true.",
        named(tokenizer, found[0].id),
        quoted(found[0].content),
    )


def named(tokenizer: Opened, id: int) -> str:
    """A token's spelling and id, for a sentence."""
    return f"{quoted(spelling(tokenizer, id))} ({id})"


def spelling(tokenizer: Opened, id: int) -> str:
    """A token's spelling in the vocabulary."""
    return tokenizer.vocabulary.pieces[id].decode()


def quoted(text: str) -> str:
    """A text in quotes."""
    return f"“{visible(text)}”"
