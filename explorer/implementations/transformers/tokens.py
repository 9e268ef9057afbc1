"""Special and added tokens as `transformers` stores them: plain strings, or tokens with flags.

The library's `AddedToken` leaves `normalized` unset by default and then reports the opposite of `special`. Two tokens
are equal if all flags are; a token never equals a string.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from explorer.formats.files import TOKENIZER_CONFIG
from explorer.formats.model_folder import check_token
from explorer.formats.tokenizer_json import AddedEntry, Json


@dataclass(frozen=True, slots=True)
class Token:
    """A token with its flags. said: `normalized`, None if it is unset.

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
        """The effective flag."""
        return not self.special if self.said is None else self.said

    @classmethod
    def of(cls, entry: Json, special: bool | None = None) -> Token:
        """A token of a JSON file. special: overrides the file's flag."""
        return cls(
            entry["content"],
            entry.get("single_word", False),
            entry.get("lstrip", False),
            entry.get("rstrip", False),
            entry.get("normalized"),
            entry.get("special", False) if special is None else special,
        )

    def as_special(self, special: bool = True) -> Token:
        """The token with another `special`."""
        return replace(self, special=special)

    @property
    def flags(self) -> tuple[object, ...]:
        """Everything that two tokens are compared by."""
        return self.content, self.single_word, self.lstrip, self.rstrip, self.normalized, self.special

    def entry(self, id: int) -> AddedEntry:
        """The token as a tokenizer.json lists it."""
        return AddedEntry(id, self.content, self.special, self.single_word, self.lstrip, self.rstrip, self.normalized)


Some: TypeAlias = str | Token
"""A token, with flags or without."""


def text(token: Some) -> str:
    """The spelling of a token."""
    return token.content if isinstance(token, Token) else token


def named(tokens: str, **others: Any) -> dict[str, Any]:
    """Named special tokens from words, a name and a spelling each, and other arguments of a class.

    >>> named("bos <s> unk <unk>", add_prefix_space=True)
    {'bos_token': '<s>', 'unk_token': '<unk>', 'add_prefix_space': True}
    """
    words = tokens.split()
    return {f"{key}_token": spelling for key, spelling in zip(words[::2], words[1::2], strict=True)} | others


def among(token: Some, tokens: Iterable[Some]) -> bool:
    """Whether a token is one of these; a string never equals a token with flags.

    >>> among("a", [Token("a")]), among(Token("a"), [Token("a", said=True)]), among("a", ["a"])
    (False, True, True)
    """
    if isinstance(token, Token):
        return any(isinstance(each, Token) and each.flags == token.flags for each in tokens)
    return any(not isinstance(each, Token) and each == token for each in tokens)


def converted(value: Any) -> Any:
    """A value of tokenizer_config.json with every object marked as an AddedToken turned into a token.

    Raises InputError for one without content, or with flags that aren't Booleans.
    """
    if isinstance(value, dict):
        if value.get("__type") == "AddedToken":
            check_token(value, TOKENIZER_CONFIG, "an AddedToken")
            return Token.of(value)
        return {key: converted(each) for key, each in value.items()}
    return [converted(each) for each in value] if isinstance(value, list) else value
