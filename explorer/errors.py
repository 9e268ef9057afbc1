"""The one error of the project: input that cannot be used.

Everything a person can hand in (a text, a file, a name, an option) is checked where it enters, and what cannot be
used is refused with an `InputError`. Its message is one line: what is wrong, where, and what to do about it.
The command line prints it and exits with 1; the pages show it; nothing else is caught.
"""


class InputError(ValueError):
    """Bad input. `str(error)` is one line that names the place and what to do.

    >>> raise InputError("position 3: half of a surrogate pair (U+D83D); paste the whole character")
    Traceback (most recent call last):
    explorer.errors.InputError: position 3: half of a surrogate pair (U+D83D); paste the whole character
    """
