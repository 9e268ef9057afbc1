"""Values that a stranger sends, checked by the types of a `msgspec.Struct`: read in one go, or refused in one sentence.

The types say what is allowed: keys, kinds, lengths, ranges. msgspec finds the first fault; the sentence names its place
and value, and what to give. Leaves out how a text becomes values: `strict_json` and `strict_toml` do that before.
"""

import re
from typing import Any, NamedTuple, TypeVar

import msgspec

from explorer.errors import InputError, shown
from explorer.tables import read_toml

Kind = TypeVar("Kind")

WORDS = read_toml(__file__, "structs.toml")
"""The names that msgspec has for kinds of values."""

ANY_TEXT = re.compile(r"\S")
"""The pattern of a text that is not blank."""

BITS_64 = (str(-(1 << 63)), str((1 << 63) - 1))

_FAULT = re.compile(
    r"(?:Object missing required field `(?P<lacks>[^`]*)`|Object contains unknown field `(?P<unknown>[^`]*)`"
    r"|Expected `(?P<kind>[^`]*)`(?: of length)? ?(?P<bound>[<>=]*) ?(?P<most>[\w.+-]*)"
    r"|Expected `str` matching regex '(?P<pattern>.*)'|(?P<other>.*?))"
    r"(?:, got .*?)?(?: - at `\$(?P<path>.*)`)?",
    re.DOTALL,
)
"""A message of msgspec."""

_BOUNDS = {"": "", ">=": " from ", "<=": " up to ", ">": " above ", "<": " below "}


def convert(value: object, kind: type[Kind], where: str, whole: str = "it") -> Kind:
    """A value as a Struct. whole: what errors call it. Raises InputError: `where`, the key, its value, what to give.

    >>> class Point(msgspec.Struct, forbid_unknown_fields=True):
    ...     at: tuple[int, int]
    >>> convert({"at": [1, 2]}, Point, "toy")
    Point(at=(1, 2))
    >>> convert({"at": [1, "b"]}, Point, "toy")
    Traceback (most recent call last):
    explorer.errors.InputError: toy: at[1] is 'b'; give a whole number
    """
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        fault = fault_of(error, value)
    place = fault.path or whole
    if fault.lacks:
        raise InputError(f"{where}: {place} needs the key {fault.lacks}; add it")
    if fault.unknown:
        raise InputError(f"{where}: {place} has no key {shown(fault.unknown)}; remove it")
    raise InputError(f"{where}: {place} {fault.problem}")


class Fault(NamedTuple):
    """What msgspec refuses. path: of the value, such as "at[1]". lacks, unknown: a key that an object there lacks, or
    has and may not have. problem: otherwise, what the value is and what to give.
    """

    path: str
    lacks: str | None
    unknown: str | None
    problem: str

    @property
    def steps(self) -> list[str]:
        """The keys and indexes of the path."""
        return _STEP.findall(self.path)


_STEP = re.compile(r"[^.\[\]]+")


def fault_of(error: msgspec.ValidationError, value: Any) -> Fault:
    """What an error of `msgspec.convert` about a value says."""
    match = _FAULT.fullmatch(str(error))
    assert match is not None
    fault = Fault((match["path"] or "").removeprefix("."), match["lacks"], match["unknown"], "")
    if fault.lacks or fault.unknown:
        return fault
    for step in fault.steps:
        value = value[int(step)] if isinstance(value, list) else value.get(step) if isinstance(value, dict) else value
    return fault._replace(problem=_problem(match, value))


def _problem(match: re.Match[str], value: Any) -> str:
    """What a value is, and what to give."""
    if match["pattern"] == ANY_TEXT.pattern or (match["kind"] in ("str", "array") and match["bound"] and not value):
        return f"is empty; give {WORDS[match['kind'] or 'str']}"
    if match["pattern"] or match["other"]:
        problem = match["other"] or f"not of the form {match['pattern']}"
        return f"is {shown(value)}: {problem[0].lower()}{problem[1:]}; give another"
    if match["most"] in BITS_64:
        return "has more than 64 bits; give a smaller number"
    kind = " or ".join(WORDS.get(each, each) for each in match["kind"].split(" | ") if each != "null")
    unit = {"str": " characters", "array": " entries"}.get(match["kind"], "") if match["most"] else ""
    bound = f"{' of ' if unit and not match['bound'] else ''}{_BOUNDS[match['bound']]}{match['most']}"
    return f"is {shown(value)}; give {kind}{bound}{unit}"
