"""Special and added tokens as `transformers` holds them: plain strings, or tokens with their flags.

`AddedToken` of its library leaves `normalized` open until it is asked, and answers then with the opposite of `special`.
Two tokens are the same where all flags are; a token is never the same as a string.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from explorer.formats.model_files import TOKENIZER_CONFIG
from explorer.formats.model_folder import check_token
from explorer.formats.tokenizer_json import AddedEntry, Json


@dataclass(frozen=True, slots=True)
class Token:
    """A token with its flags. open: `normalized` was not said.

    >>> Token.of({"content": "<s>", "special": True}).normalized, Token.of({"content": "a"}).normalized
    (False, True)
    """

    content: str
    single_word: bool = False
    lstrip: bool = False
    rstrip: bool = False
    said: bool | None = None
    special: bool = False

    @property
    def normalized(self) -> bool:
        return not self.special if self.said is None else self.said

    @classmethod
    def of(cls, entry: Json, special: bool | None = None) -> Token:
        """A token of a JSON file. special: what it is, whatever the file says."""
        return cls(
            entry["content"],
            entry.get("single_word", False),
            entry.get("lstrip", False),
            entry.get("rstrip", False),
            entry.get("normalized"),
            entry.get("special", False) if special is None else special,
        )

    def as_special(self, special: bool = True) -> Token:
        return replace(self, special=special)

    @property
    def flags(self) -> tuple[object, ...]:
        """All that two tokens are compared by."""
        return self.content, self.single_word, self.lstrip, self.rstrip, self.normalized, self.special

    def entry(self, id: int) -> AddedEntry:
        """The token as a tokenizer.json lists it."""
        return AddedEntry(id, self.content, self.special, self.single_word, self.lstrip, self.rstrip, self.normalized)


Some: TypeAlias = str | Token
"""A token, with flags or without."""


def text(token: Some) -> str:
    """How a token is spelled."""
    return token.content if isinstance(token, Token) else token


def among(token: Some, tokens: Iterable[Some]) -> bool:
    """Whether a token is one of these; a string is none of the tokens with flags, however they are spelled.

    >>> among("a", [Token("a")]), among(Token("a"), [Token("a", said=True)]), among("a", ["a"])
    (False, True, True)
    """
    if isinstance(token, Token):
        return any(isinstance(each, Token) and each.flags == token.flags for each in tokens)
    return any(not isinstance(each, Token) and each == token for each in tokens)


def converted(value: Any) -> Any:
    """A value of tokenizer_config.json with the tokens in it: an object that says it is an AddedToken becomes one.

    Raises InputError for one that has no content, or flags that are none.
    """
    if isinstance(value, dict):
        if value.get("__type") == "AddedToken":
            check_token(value, TOKENIZER_CONFIG, "an AddedToken")
            return Token.of(value)
        return {key: converted(each) for key, each in value.items()}
    return [converted(each) for each in value] if isinstance(value, list) else value
