"""The one error of the project, for input that cannot be used.

Everything a person can give (a text, a file, a name, an option) is checked where it enters, and refused with an
`InputError` if it cannot be used. Its message is one line: what is wrong, where, and what to do about it. The command
line prints it and exits with 1; the pages show it; no other exception is caught.
"""

import reprlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from functools import partial
from typing import Any

from explorer.tables import read_toml


class InputError(ValueError):
    """Bad input. `str(error)` is one line that says where, what is wrong and what to do.

    words: a template of `explorer.text.say` if there are values, so that a page says it in its language.

    >>> raise InputError("position 3: half of a surrogate pair (U+D83D); paste the whole character")
    Traceback (most recent call last):
    explorer.errors.InputError: position 3: half of a surrogate pair (U+D83D); paste the whole character
    >>> str(InputError("{0:t}: {1:t} is empty", "x", "y"))
    'x: y is empty'
    """

    def __init__(self, words: str, *values: int | str) -> None:
        # texts are checked by a module that raises this
        from explorer.text.say import Text, worded

        # what was typed may have a brace, and is no template
        super().__init__(Text(words, *values) if values else words if "{" in words else worded(words))

    def __str__(self) -> str:
        text: str = self.args[0]
        return text


class ChoiceNeeded(InputError):
    """A file lacks a setting that its tokenizer needs, so the person has to choose it.

    key: the keyword of `explorer.load` for the answer. options: the known answers, the likeliest first. free: what any
    other text would be, such as "a pattern"; empty if other answers are not allowed.

    >>> ChoiceNeeded("x.gguf: tokenizer.ggml.pre is 'new'; choose one", "pre", ("default", "gpt-2")).key
    'pre'
    """

    def __init__(self, message: str, key: str, options: tuple[str, ...], *, free: str = "") -> None:
        super().__init__(message)
        self.key, self.options, self.free = key, options, free

    def __reduce__(self) -> tuple[object, ...]:
        return partial(ChoiceNeeded, free=self.free), (str(self), self.key, self.options)


Choices = Mapping[str, str]
"""The user's answers to `ChoiceNeeded`, by key. A format ignores keys it does not need."""

NO_CHOICES: Choices = {}

ChoicePairs = tuple[tuple[str, str], ...]
"""The same as pairs, which can be part of a key."""


class TryAgain(InputError):
    """A refusal that has nothing to do with the input: asked once more, the same may be answered."""


class Unfinished(InputError):
    """The stages end before there are tokens: what follows is not in the tokenizer's files, so there are no ids.

    stages: those before the end, if a trace was asked for (`engine.results.Stage`). They are not pickled.
    """

    stages: tuple[Any, ...] = ()

    def __reduce__(self) -> tuple[object, ...]:
        return Unfinished, (str(self),)


@contextmanager
def errors_of(name: str) -> Iterator[None]:
    """Puts a name, such as that of a file, in front of each InputError.

    >>> with errors_of("x.json"):
    ...     raise InputError("it is empty")
    Traceback (most recent call last):
    explorer.errors.InputError: x.json: it is empty
    """
    try:
        yield
    except InputError as error:
        from explorer.text.say import Text

        # of the same kind, which callers tell from others; a copy, because a budget raises its error again
        named = copy(error)
        vars(named).update(vars(error))
        named.args = Text("{0:t}: {1:t}", name, str(error)), *error.args[1:]
        raise named from None


class _Shorten(reprlib.Repr):
    def repr_int(self, x: int, level: int) -> str:
        """A number; Python writes none of more than 4,300 digits."""
        return super().repr_int(x, level) if x.bit_length() < 10_000 else "a number of thousands of digits"


_shorten = _Shorten()
_shorten.maxlevel, _shorten.maxstring, _shorten.maxother = 3, 80, 80


def shown(value: object) -> str:
    """Any value as errors show it: on one line and shortened.

    >>> shown([[[[[[]]]]]]), shown("a" * 1000)[:5], len(shown("a" * 1000))
    ('[[[[...]]]]', "'aaaa", 80)
    """
    return _shorten.repr(value)


def verbatim(pattern: str) -> str:
    r"""A pattern as errors show it: verbatim and shortened, or escaped if it has invisible characters.

    >>> verbatim(r"\s+"), verbatim("a\n")
    ('“\\s+”', "'a\\n'")
    """
    short = pattern if len(pattern) <= LONGEST else pattern[:LONGEST] + "…"
    return f"“{short}”" if short.isprintable() else repr(short)


LONGEST = 200
"""The most characters of a pattern that errors show."""


# --- names in older links, lessons and commands of what is no longer offered; each opens the nearest ------------------

FORMER: Mapping[str, Mapping[str, str]] = read_toml(__file__, "former.toml")
"""What a name stands for → a former name → the nearest one that there is."""

MORE = {"all": " A saved page shows and prints all stages."}


def nearest(kind: str, name: str) -> str:
    """The name of what there is, for a former one; any other name unchanged.

    >>> nearest("implementation", "transformers-5.0.0"), nearest("implementation", "huggingface")
    ('transformers-5', 'huggingface')
    """
    return FORMER[kind].get(name, name)


def no_longer_offered(kind: str, name: str) -> str:
    """What to say of a former name; empty for any other.

    >>> no_longer_offered("trainer", "sentencepiece-0.2.1")
    'The trainer “sentencepiece-0.2.1” is no longer offered. This is “sentencepiece”, the nearest. 2.0.0 refuses it.'
    """
    found = FORMER[kind].get(name)
    if found is None:
        return ""
    more = MORE.get(name, " 2.0.0 refuses it.")
    return f"The {kind} “{name}” is no longer offered. This is “{found}”, the nearest.{more}"
