"""Names what normalization did to a few characters: composed, decomposed, dropped or lowercased them …

Only the text before and after is compared. No event is read, so this works for every normalizer, future ones included.
Where two descriptions fit, the first one in `FORMS` is used, of those that the side is seen to do with probes
(`seen_forms`): a normalizer that only lowercases composes nothing.
"""

import unicodedata
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from explorer.analysis.divergence.result import DifferenceKind
from explorer.analysis.ownership import is_within
from explorer.text import WHITE_SPACE, label, visible, visible_char
from explorer.text.say import Say, Text, shortened, worded

MOST = 8
"""The most code points written out one by one; longer text is quoted."""


class Change(NamedTuple):
    """What one side did: the kind of change, and a clause that follows the side's name in a sentence."""

    kind: DifferenceKind
    says: Say


nfc, nfd, nfkc, nfkd = (partial(unicodedata.normalize, form) for form in ("NFC", "NFD", "NFKC", "NFKD"))


def without(*categories: str) -> Callable[[str], str]:
    """A function that gives the decomposition without characters of some categories."""
    return lambda text: "".join(ch for ch in nfd(text) if not unicodedata.category(ch).startswith(categories))


DROPPED = "its marks dropped"
FIRST = "the first code point of its decomposition"


class Form(NamedTuple):
    """A form a text may be converted to: the kind of change, its words, and the conversion."""

    kind: DifferenceKind
    how: str
    convert: Callable[[str], str]


FORMS = (
    Form(DifferenceKind.COMPOSITION, "NFC", nfc),
    Form(DifferenceKind.DECOMPOSITION, "NFD", nfd),
    Form(DifferenceKind.MARKS, DROPPED, without("Mn")),
    Form(DifferenceKind.MARKS, DROPPED, without("M")),
    # what llama.cpp keeps of each character
    Form(DifferenceKind.FIRST_CODE_POINT, FIRST, lambda text: "".join(nfd(ch)[0] for ch in text)),
    Form(DifferenceKind.COMPATIBILITY, "NFKC", nfkc),
    Form(DifferenceKind.COMPATIBILITY, "NFKD", nfkd),
)
"""The forms a text may be converted to, the likeliest first."""


class Forms(NamedTuple):
    """What a side may do with a text. lowers: whether it lowercases letters."""

    every: Sequence[Form] = FORMS
    lowers: bool = True


def seen_forms(convert: Callable[[str], str]) -> Forms:
    """What a normalizer is seen to do with probes: an accent alone and with its letter, a ligature, a capital.

    >>> seen_forms(str.lower)
    Forms(every=(), lowers=True)
    >>> [form.how for form in seen_forms(lambda text: unicodedata.normalize("NFKC", text)).every][-1]
    'NFKC'
    """
    composes, decomposes = "é" in convert("e\u0301").lower(), "é" not in convert("é").lower()
    widens = "ﬁ" not in convert("ﬁ")
    drops = not any(unicodedata.category(ch).startswith("M") for ch in nfd(convert("é") + convert("e\u0301")))
    does = {
        "NFC": composes, "NFD": decomposes, "NFKC": widens and composes, "NFKD": widens and decomposes,
        DROPPED: drops, FIRST: decomposes,
    }  # fmt: skip
    # the compatibility forms include the canonical ones
    names = {"NFC": "NFKC", "NFD": "NFKD"} if widens else {}
    every = tuple(each._replace(how=names.get(each.how, each.how)) for each in FORMS if does[each.how])
    return Forms(every, "a" in convert("A"))


CONVERSIONS = (
    DifferenceKind.COMPOSITION,
    DifferenceKind.DECOMPOSITION,
    DifferenceKind.MARKS,
    DifferenceKind.FIRST_CODE_POINT,
    DifferenceKind.COMPATIBILITY,
    DifferenceKind.CASE,
)
"""Changes that can be recognized after an insertion at the front."""


FORMED = (
    DifferenceKind.COMPOSITION,
    DifferenceKind.EQUIVALENT,
    DifferenceKind.ORDER_OF_MARKS,
    DifferenceKind.DECOMPOSITION,
    DifferenceKind.COMPATIBILITY,
)
"""Changes to a Unicode form, which may involve several characters."""


def change(was: str, now: str, forms: Forms = Forms()) -> Change | None:  # noqa: B008  # immutable
    """What turned `was` into `now`; None if they are equal. forms: what the side may do.

    >>> from explorer.text.say import plain
    >>> change("A\\u030a", "Å").kind, plain(change("A\\u030a", "Å").says)
    (<DifferenceKind.COMPOSITION: 'composition'>, 'composes A + U+030A to Å (NFC)')
    >>> plain(change("각", "ᄀ").says)
    'reduces 각 to the first code point of its decomposition, giving ᄀ'
    >>> plain(change("H", " h").says)
    'inserts a space and lowercases H to h'
    """
    if was == now:
        return None
    return (
        _of_everything(was, now)
        or _in_another_form(was, now, forms)
        or _after_insertion(was, now, forms)
        or _of_some_characters(was, now)
        or Change(
            DifferenceKind.CASE if was.casefold() == now.casefold() else DifferenceKind.REPLACED, replaces(was, now)
        )
    )


def _of_everything(was: str, now: str) -> Change | None:
    """All characters are inserted or removed, or white space becomes other white space."""
    if not was:
        return inserts(now)
    if not now and is_space(was):
        return Change(DifferenceKind.WHITE_SPACE, Say("drops {0:t}", points(was)))
    if not now:
        return _removal(was)
    if is_space(was) and is_space(now) and nfc(was) != now:
        return Change(DifferenceKind.WHITE_SPACE, replaces(was, now))
    return None


def _removal(removed: str) -> Change:
    marks = all(unicodedata.category(ch).startswith("M") for ch in removed)
    return Change(DifferenceKind.MARKS if marks else DifferenceKind.REMOVED, Say("removes {0:t}", points(removed)))


def inserts(text: str) -> Change:
    """A text is inserted."""
    return Change(DifferenceKind.INSERTED, Say("inserts {0:t}", points(text)))


def replaces(was: str, now: str) -> Say:
    """The clause for a text that became another."""
    return Say("replaces {0:t} by {1:t}", points(was), points(now))


def _in_another_form(was: str, now: str, forms: Forms) -> Change | None:
    """The text is converted to one of the forms, or lowercased, or both."""
    for case in (str, str.lower) if forms.lowers else (str,):
        for form in forms.every:
            written = form.convert(was)
            if case(written) == now and written != was:
                return formed(form, was, written, now)
    if forms.lowers and was.lower() == now:
        return Change(DifferenceKind.CASE, Say("lowercases {0:t} to {1:t}", points(was), points(now)))
    return None


def _after_insertion(was: str, now: str, forms: Forms) -> Change | None:
    """Characters are inserted at the front, and the rest is converted."""
    if now[0] == was[0] or is_within(was, now):
        return None
    for count in range(1, min(len(now), MOST)):
        rest = change(was, now[count:], forms)
        if rest is not None and rest.kind in CONVERSIONS:
            return Change(rest.kind, Say("inserts {0:t} and {1}", points(now[:count]), rest.says))
    return None


def _of_some_characters(was: str, now: str) -> Change | None:
    """Some characters are removed, or some are inserted."""
    if is_within(now, was):
        return _removal(left_over(was, now))
    if is_within(was, now):
        return inserts(left_over(now, was))
    return None


def formed(form: Form, was: str, written: str, now: str) -> Change:
    """The words for a text that is converted to a form, `written`, and then perhaps lowercased."""
    kind, one, other, how = form.kind, points(was), points(now), worded(form.how)
    also = "" if written == now else Text(" and lowercases it")
    if kind == DifferenceKind.FIRST_CODE_POINT:
        return Change(kind, Say("reduces {0:t} to {1:t}{2:t}, giving {3:t}", one, how, also, other))
    if kind == DifferenceKind.MARKS:
        return Change(kind, Say("drops the marks of {0:t}{1:t}, giving {2:t}", one, also, other))
    if kind == DifferenceKind.COMPATIBILITY:
        return Change(kind, Say("replaces {0:t} by {1:t} ({2:t}){3:t}", one, other, how, also))
    if sorted(was) == sorted(written):
        reorders = Say("reorders the marks of {0:t} to {1:t} ({2:t}){3:t}", one, other, how, also)
        return Change(DifferenceKind.ORDER_OF_MARKS, reorders)
    if len(was) == len(written):
        # the two look alike, so both need their numbers
        to = Text("{0:t} to {1:t}", also, other) if also else ""
        both = numbered(was), numbered(written)
        return Change(DifferenceKind.EQUIVALENT, Say("replaces {0:t} by {1:t} ({2:t}){3:t}", *both, how, to))
    # some characters are decomposed by NFC, too: it never composes them
    kind = DifferenceKind.COMPOSITION if len(written) < len(was) else DifferenceKind.DECOMPOSITION
    verb = "composes" if kind == DifferenceKind.COMPOSITION else "decomposes"
    return Change(kind, Say(f"{verb} {{0:t}} to {{1:t}} ({{2:t}}){{3:t}}", one, other, how, also))


CHANGED_MOST = (
    DifferenceKind.FIRST_CODE_POINT,
    DifferenceKind.COMPATIBILITY,
    DifferenceKind.DECOMPOSITION,
    DifferenceKind.COMPOSITION,
    DifferenceKind.ORDER_OF_MARKS,
    DifferenceKind.EQUIVALENT,
    DifferenceKind.MARKS,
    DifferenceKind.WHITE_SPACE,
    DifferenceKind.REMOVED,
    DifferenceKind.INSERTED,
    DifferenceKind.CASE,
    DifferenceKind.REPLACED,
)
"""If both sides changed a text, the kind that comes first here names the difference."""


def difference(
    was: str, left: str, right: str, forms: tuple[Forms, Forms] = (Forms(), Forms())
) -> tuple[DifferenceKind, Say, Say]:
    """The kind of difference between two sides' versions of the same characters, and what each side does.

    forms: what each side may do.

    >>> from explorer.text.say import plain
    >>> [plain(each) for each in difference("A\\u030a", "Å", "A\\u030a")[1:]]
    ['composes A + U+030A to Å (NFC)', 'leaves two code points']
    """
    one, other = change(was, left, forms[0]), change(was, right, forms[1])
    kind = min([each.kind for each in (one, other) if each is not None], key=CHANGED_MOST.index)
    return kind, one.says if one else leaves(was), other.says if other else leaves(was)


def leaves(was: str) -> Say:
    """The clause for a side that changed nothing."""
    if not was:
        return Say("inserts nothing")
    if len(was) == 1:
        return Say("leaves {0:t} unchanged", points(was))
    return Say("leaves {0:t} code points", NUMBERS.get(len(was), str(len(was))))


NUMBERS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}


def points(text: str) -> str:
    """A few code points for a sentence: visible ones as they are, others by label.

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
    """One code point: itself, or its label if it is a mark or invisible."""
    if ch == " ":
        return "a space"
    shown, is_label = visible_char(ch)
    return label(ch) if is_label or unicodedata.category(ch).startswith("M") else shown


def joins(one: str, other: str) -> bool:
    """Whether a Unicode form may treat two adjacent texts together: the second begins with a mark, or they compose.

    >>> joins("o", "\u0323"), joins("ﾊ", "ﾞ"), joins("ab", "c")
    (True, True, False)
    """
    if unicodedata.category(other[0]).startswith("M"):
        return True
    return nfkc(one + other) != nfkc(one) + nfkc(other)


def is_space(text: str) -> bool:
    """Whether all characters are white space."""
    return all(ord(ch) in WHITE_SPACE for ch in text)


def left_over(whole: str, part: str) -> str:
    """The characters of `whole` that remain after the leftmost subsequence `part` is removed."""
    at, rest = 0, ""
    for ch in part:
        index = whole.index(ch, at)
        rest, at = rest + whole[at:index], index + 1
    return rest + whole[at:]
