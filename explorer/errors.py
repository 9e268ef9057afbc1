"""The one error of the project: input that cannot be used.

Everything a person can hand in (a text, a file, a name, an option) is checked where it enters, and what cannot be
used is refused with an `InputError`. Its message is one line: what is wrong, where, and what to do about it.
The command line prints it and exits with 1; the pages show it; nothing else is caught.
"""

import reprlib


class InputError(ValueError):
    """Bad input. `str(error)` is one line that names the place and what to do.

    >>> raise InputError("position 3: half of a surrogate pair (U+D83D); paste the whole character")
    Traceback (most recent call last):
    explorer.errors.InputError: position 3: half of a surrogate pair (U+D83D); paste the whole character
    """


class ChoiceNeeded(InputError):
    """A file that does not say something its tokenizer cannot do without: the person has to.

    key: what `explorer.load` takes the answer under. options: answers that are known, the likeliest first; free: what
    any other text is that is an answer too, such as "a pattern"; empty where none is.

    >>> ChoiceNeeded("x.gguf: tokenizer.ggml.pre is 'new'; choose one", "pre", ("default", "gpt-2")).key
    'pre'
    """

    def __init__(self, message: str, key: str, options: tuple[str, ...], *, free: str = "") -> None:
        super().__init__(message)
        self.key, self.options, self.free = key, options, free

    def __reduce__(self) -> tuple[object, ...]:
        return _choice, (str(self), self.key, self.options, self.free)


def _choice(message: str, key: str, options: tuple[str, ...], free: str) -> ChoiceNeeded:
    """Makes one again in another process."""
    return ChoiceNeeded(message, key, options, free=free)


_shorten = reprlib.Repr()
_shorten.maxlevel, _shorten.maxstring, _shorten.maxother = 3, 80, 80


def shown(value: object) -> str:
    """A value as errors show it: on one line, shortened, whatever it is.

    >>> shown([[[[[[]]]]]]), shown("a" * 1000)[:5], len(shown("a" * 1000))
    ('[[[[...]]]]', "'aaaa", 80)
    """
    return _shorten.repr(value)


def verbatim(pattern: str) -> str:
    r"""A pattern as errors show it: to the letter, unless there is in it what nobody would see; shortened.

    >>> verbatim(r"\s+"), verbatim("a\n")
    ('“\\s+”', "'a\\n'")
    """
    short = pattern if len(pattern) <= LONGEST else pattern[:LONGEST] + "…"
    return f"“{short}”" if short.isprintable() else repr(short)


LONGEST = 200
"""Characters of a pattern that errors show."""
