"""A TOML table whose keys are taken one by one, so that an error names the file, the card and the key.

Nothing in a lesson is evaluated: a value has the type that is asked for, or the file is refused.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from difflib import get_close_matches
from typing import Any

from explorer.errors import InputError


class Table:
    """A table of a file. place: where it is, for messages, such as "bpe.toml, card 3".

    >>> table = Table({"step": 3, "stepp": 4}, "bpe.toml, card 3")
    >>> table.whole("step", most=9)
    3
    >>> table.end()
    Traceback (most recent call last):
    explorer.errors.InputError: bpe.toml, card 3, stepp: unknown key; did you mean step?
    """

    def __init__(self, values: Mapping[str, Any], place: str) -> None:
        self.values, self.place = dict(values), place
        self.asked: list[str] = []

    def error(self, key: str, problem: str) -> InputError:
        """An error about one key."""
        return InputError(f"{self.place}, {key}: {problem}")

    def take(self, key: str) -> Any:
        """A value of any type, or None."""
        self.asked.append(key)
        return self.values.pop(key, None)

    def text(self, key: str, *, most: int, default: str | None = None) -> str:
        """A text of at most so many characters. Without a default, it must be given and not be empty."""
        value = self.take(key)
        if value is None:
            if default is None:
                raise self.error(key, "missing; add it")
            return default
        if not isinstance(value, str):
            raise self.error(key, "not a text; put it in quotes")
        if default is None and not value.strip():
            raise self.error(key, "empty; write something")
        if len(value) > most:
            raise self.error(key, f"{len(value):,} characters; at most {most:,} are allowed")
        return value

    def one_of(self, key: str, known: Collection[str], *, default: str | None = None) -> str:
        """One of these names."""
        value = self.text(key, most=200, default=default)
        if value in known or (value == default and default == ""):
            return value
        near = get_close_matches(value, known, 1)
        hint = f"did you mean {near[0]}?" if near else f"use one of {', '.join(known)}"
        raise self.error(key, f"unknown: {value[:40]!r}; {hint}")

    def whole(self, key: str, *, most: int, least: int = 0, default: int | None = None) -> int:
        """A whole number within limits."""
        value = self.take(key)
        if value is None and default is not None:
            return default
        if not isinstance(value, int) or isinstance(value, bool):
            raise self.error(key, "not a whole number; write digits without quotes")
        if not least <= value <= most:
            raise self.error(key, f"{value:,} is not between {least:,} and {most:,}")
        return value

    def switch(self, key: str, default: bool) -> bool:
        """True or false."""
        value = self.take(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise self.error(key, "neither true nor false")
        return value

    def names(self, key: str, known: Collection[str], *, most: int) -> tuple[str, ...]:
        """A list of one or more of these names."""
        value = self.take(key)
        if not isinstance(value, list) or not value or len(value) > most:
            raise self.error(key, f"not a list of 1 to {most} names")
        for each in value:
            if each not in known:
                Table({key: each}, self.place).one_of(key, known)
        return tuple(dict.fromkeys(value))

    def texts(self, key: str, *, count: int, most: int) -> tuple[str, ...]:
        """A list of texts, each of at most so many characters; none by default."""
        value = self.take(key)
        if value is None:
            return ()
        if not isinstance(value, list) or len(value) > count:
            raise self.error(key, f"not a list of at most {count} texts")
        return tuple(Table({key: each}, self.place).text(key, most=most) for each in value)

    def table(self, key: str) -> Table | None:
        """A table within this one, or None."""
        value = self.take(key)
        if value is None:
            return None
        if not isinstance(value, dict):
            raise self.error(key, f"not a table; write [card.{key}]")
        return Table(value, f"{self.place}, {key}")

    def end(self) -> None:
        """Refuses unknown keys."""
        for key in self.values:
            near = get_close_matches(key, self.asked, 1)
            raise self.error(key, f"unknown key; {f'did you mean {near[0]}?' if near else 'remove it'}")
