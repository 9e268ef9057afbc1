"""What normalization made of a few characters, told from the texts alone: composed, decomposed, dropped, lower-cased …

No event is read for this, so it holds for every normalizer, and for one that is added tomorrow: what was there and what
is there now say it. Where two descriptions fit, the one that comes first in `FORMS` is told.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from explorer.analysis.divergence.kinds import Kind
from explorer.text import WHITE_SPACE, label, visible, visible_char

MOST = 8
"""Code points that are written out one by one; of more only the text is shown."""


class Change(NamedTuple):
    """What one side did: which kind of change, and the words for it, which follow the side's name in a sentence."""

    kind: Kind
    does: str


def nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def nfd(text: str) -> str:
    return unicodedata.normalize("NFD", text)


def first_of_each(text: str) -> str:
    """Of every character the first code point of its decomposition, as llama.cpp keeps it."""
    return "".join(nfd(ch)[0] for ch in text)


def without(*categories: str) -> Callable[[str], str]:
    """The decomposition without characters of some categories."""
    return lambda text: "".join(ch for ch in nfd(text) if not unicodedata.category(ch).startswith(categories))


FORMS: Final[Sequence[tuple[Kind, str, Callable[[str], str]]]] = (
    (Kind.COMPOSITION, "NFC", nfc),
    (Kind.DECOMPOSITION, "NFD", nfd),
    (Kind.MARKS, "its marks dropped", without("Mn")),
    (Kind.MARKS, "its marks dropped", without("M")),
    (Kind.FIRST_CODE_POINT, "only the first code point of its decomposition", first_of_each),
    (Kind.COMPATIBILITY, "NFKC", lambda text: unicodedata.normalize("NFKC", text)),
    (Kind.COMPATIBILITY, "NFKD", lambda text: unicodedata.normalize("NFKD", text)),
)
"""What else a text may be written as: the kind of change, its words, and how it is done."""


WRITTEN: Final = (
    Kind.COMPOSITION,
    Kind.DECOMPOSITION,
    Kind.MARKS,
    Kind.FIRST_CODE_POINT,
    Kind.COMPATIBILITY,
    Kind.CASE,
)
"""Changes that can be told apart from what is inserted in front."""


def change(was: str, now: str) -> Change | None:
    """What was done to `was`; None where nothing was.

    >>> change("A\\u030a", "Å")
    Change(kind=<Kind.COMPOSITION: 'composition'>, does='composes A + U+030A to Å (NFC)')
    >>> change("각", "ᄀ").does
    'keeps of 각 only the first code point of its decomposition, ᄀ'
    >>> change("H", " h").does
    'inserts a space and lower-cases H to h'
    """
    if was == now:
        return None
    if not was:
        return Change(Kind.INSERTED, f"inserts {points(now)}")
    if not now:
        if is_space(was):
            return Change(Kind.WHITE_SPACE, f"drops {points(was)}")
        marks = all(unicodedata.category(ch).startswith("M") for ch in was)
        return Change(Kind.MARKS if marks else Kind.REMOVED, f"removes {points(was)}")
    if is_space(was) and is_space(now) and nfc(was) != now:
        return Change(Kind.WHITE_SPACE, f"writes {points(was)} as {points(now)}")
    for lowered in (False, True):
        for kind, how, form in FORMS:
            written = form(was)
            if (written.lower() if lowered else written) == now and (lowered or written != was):
                if lowered and written == was:
                    return Change(Kind.CASE, f"lower-cases {points(was)} to {points(now)}")
                return formed(kind, how, was, now, " and lower-cases it" if lowered else "")
    for count in range(1, min(len(now), MOST)):
        rest = change(was, now[count:]) if now[0] != was[0] and not is_part_of(was, now) else None
        if rest is not None and rest.kind in WRITTEN:
            return Change(rest.kind, f"inserts {points(now[:count])} and {rest.does}")
    if is_part_of(now, was):
        gone = left_over(was, now)
        marks = all(unicodedata.category(ch).startswith("M") for ch in gone)
        return Change(Kind.MARKS if marks else Kind.REMOVED, f"removes {points(gone)}")
    if is_part_of(was, now):
        return Change(Kind.INSERTED, f"inserts {points(left_over(now, was))}")
    if was.casefold() == now.casefold():
        return Change(Kind.CASE, f"writes {points(was)} as {points(now)}")
    return Change(Kind.REPLACED, f"writes {points(was)} as {points(now)}")


def formed(kind: Kind, how: str, was: str, now: str, also: str) -> Change:
    """The words for a text that is written in another form."""
    if kind == Kind.FIRST_CODE_POINT:
        return Change(kind, f"keeps of {points(was)} {how}, {points(now)}{also}")
    if kind == Kind.MARKS:
        return Change(kind, f"writes {points(was)} with {how}, {points(now)}{also}")
    if kind in (Kind.COMPOSITION, Kind.DECOMPOSITION) and nfd(was) == nfd(now):
        if sorted(was) == sorted(now):
            return Change(Kind.ORDER_OF_MARKS, f"puts the marks of {points(was)} in their order, {points(now)} ({how})")
        if len(was) == len(now):
            # the two look alike, so both need their numbers
            return Change(Kind.EQUIVALENT, f"writes {numbered(was)} as {numbered(now)} ({how})")
    verb = {Kind.COMPOSITION: "composes", Kind.DECOMPOSITION: "decomposes"}.get(kind)
    if verb:
        return Change(kind, f"{verb} {points(was)} to {points(now)} ({how}){also}")
    return Change(kind, f"writes {points(was)} as {points(now)} ({how}){also}")


CHANGED_MOST: Final = (
    Kind.FIRST_CODE_POINT, Kind.COMPATIBILITY, Kind.DECOMPOSITION, Kind.COMPOSITION, Kind.ORDER_OF_MARKS,
    Kind.EQUIVALENT, Kind.MARKS, Kind.WHITE_SPACE, Kind.REMOVED, Kind.INSERTED, Kind.CASE, Kind.REPLACED,
)  # fmt: skip
"""Where both sides changed a text, the difference is called by the change that comes first here."""


def difference(was: str, left: str, right: str) -> tuple[Kind, str, str]:
    """The kind of a difference between what two sides made of the same characters, and what each of them does.

    >>> difference("A\\u030a", "Å", "A\\u030a")[1:]
    ('composes A + U+030A to Å (NFC)', 'leaves two code points')
    """
    one, other = change(was, left), change(was, right)
    found = [each.kind for each in (one, other) if each is not None]
    kind = min(found, key=CHANGED_MOST.index)
    return kind, one.does if one else leaves(was), other.does if other else leaves(was)


def leaves(was: str) -> str:
    """The words for a side that changed nothing.

    >>> leaves("Å"), leaves("A\\u030a")
    ('leaves Å as it is', 'leaves two code points')
    """
    if not was:
        return "inserts nothing"
    if len(was) == 1:
        return f"leaves {points(was)} as it is"
    return f"leaves {NUMBERS.get(len(was), str(len(was)))} code points"


NUMBERS: Final = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}


def points(text: str) -> str:
    """A few code points as a sentence has them: those that can be seen as they are, others by label.

    >>> points("A\\u030a"), points("\\u2000"), points("the end of it all")
    ('A + U+030A', 'U+2000', '“the␣end␣of␣it␣all”')
    """
    if len(text) > MOST:
        return f"“{shortened(text)}”"
    if text.isascii() and text.isprintable() and len(text) > 1:
        return f"“{visible(text)}”"
    return " + ".join(point(ch) for ch in text)


def numbered(text: str) -> str:
    """A few code points, each with its label.

    >>> numbered("Å"), numbered("\\u2000")
    ('U+00C5 Å', 'U+2000')
    """
    return " + ".join(point(ch) if point(ch) == label(ch) else f"{label(ch)} {ch}" for ch in text)


def point(ch: str) -> str:
    """One code point: itself, or its label where it is a mark or shows nothing."""
    if ch == " ":
        return "a space"
    shown, is_label = visible_char(ch)
    return label(ch) if is_label or unicodedata.category(ch).startswith("M") else shown


def shortened(text: str, most: int = 40) -> str:
    """A text made visible, its middle left out where it is long."""
    if len(text) <= most:
        return visible(text)
    return f"{visible(text[: most // 2])} … {visible(text[-(most // 2) :])}"


def quoted(data: bytes, most: int = 40) -> str:
    """Bytes as a sentence has them: text in quotes, and what is no UTF-8 named as bytes.

    >>> quoted(" é".encode()), quoted(b"\\xc3"), quoted(b" \\xe6\\xbc")
    ('“␣é”', 'byte C3', '“␣” + bytes E6 BC')
    """
    made = []
    for run in RUNS.findall(data.decode("utf-8", "surrogateescape")) or [""]:
        if run and "\udc80" <= run[0] <= "\udcff":
            raw = run.encode("utf-8", "surrogateescape")
            shown = raw.hex(" ").upper() if len(raw) <= most else f"{raw[:most].hex(' ').upper()} …"
            made.append(f"byte{'s' * (len(raw) > 1)} {shown}")
        else:
            made.append(f"“{shortened(run, most)}”")
    if len(made) > MOST:
        made[MOST // 2 : -MOST // 2] = ["…"]
    return " + ".join(made)


RUNS: Final = re.compile("[\udc80-\udcff]+|[^\udc80-\udcff]+")
"""Bytes that are no UTF-8, as Python decodes them, and what is."""


def is_space(text: str) -> bool:
    return all(ord(ch) in WHITE_SPACE for ch in text)


def is_part_of(part: str, whole: str) -> bool:
    """Whether the characters of `part` stand in `whole` in this order, with others between."""
    rest = iter(whole)
    return all(ch in rest for ch in part)


def left_over(whole: str, part: str) -> str:
    """What is left of `whole` when the characters of `part`, which is part of it, are taken out from the left."""
    kept = []
    at = 0
    for ch in whole:
        if at < len(part) and ch == part[at]:
            at += 1
        else:
            kept.append(ch)
    return "".join(kept)
