"""Warns of patterns that never match, because an earlier part leaves no text that they could match.

A Split at a space after a ByteLevel, which writes spaces as Ġ, cuts nothing. Neither does a Replace of a capital after
Lowercase, or of e and an accent after NFC. Only what can be proved is reported. `GONE` says what cannot occur after a
part, and the search goes back from the pattern to the part that last could have written the text again.
"""

from collections.abc import Callable, Sequence
from typing import cast

from explorer.engine.normalizers.huggingface import NMT_CONTROLS, NMT_SPACES
from explorer.engine.normalizers.unicode_forms import Form, UnicodeForm
from explorer.engine.part import Segment, silent
from explorer.engine.unicode.versions import is_any_mark, lower
from explorer.implementations.huggingface.reading import LocatedPart
from explorer.text.code_points import is_white_space
from explorer.vocabulary import BYTE_OF

MOST = 16
"""Parts that a search goes back, so that its work is linear in the number of parts."""


def is_capital(ch: str) -> bool:
    """Whether lowercasing changes a character."""
    return lower(ch) != ch


def _changed(part: LocatedPart, text: str) -> bool:
    """Whether a Unicode form changes a text: no part of a text in that form does."""
    return UnicodeForm(cast(Form, part.kind)).apply(Segment.of(text), 0, False, silent).text != text


def _in_bert(part: LocatedPart, text: str) -> bool:
    lowercase, clean = part.part.get("lowercase"), part.part.get("clean_text")
    return any((lowercase and is_capital(ch)) or (clean and ch != " " and is_white_space(ch)) for ch in text)


def _removed(part: LocatedPart, text: str) -> bool:
    """What a Replace or Split of one character leaves out, and text that a Split at everything cuts."""
    kind, pattern = part.pattern()
    if part.kind == "Split" and not pattern:
        return len(text) > 1
    leaves_out = part.kind == "Replace" or (part.get("behavior", str) == "Removed" and not part.get("invert", bool))
    return kind is None and len(pattern) == 1 and leaves_out and pattern in text and pattern not in written_by(part)


GONE: dict[str, Callable[[LocatedPart, str], object]] = {
    **dict.fromkeys(("NFC", "NFD", "NFKC", "NFKD"), _changed),
    "Lowercase": lambda part, text: any(map(is_capital, text)),
    "StripAccents": lambda part, text: any(map(is_any_mark, text)),
    "Nmt": lambda part, text: any(ch in NMT_CONTROLS or ch in NMT_SPACES for ch in text),
    "BertNormalizer": _in_bert,
    "ByteLevel": lambda part, text: not set(text) <= BYTE_OF.keys(),
    "Replace": _removed,
    "Split": _removed,
    "CharDelimiterSplit": lambda part, text: part.get("delimiter", str) in text,
    **dict.fromkeys(
        ("Whitespace", "WhitespaceSplit", "BertPreTokenizer"), lambda part, text: any(map(is_white_space, text))
    ),
    "Metaspace": lambda part, text: " " in text and part.get("replacement", str) != " ",
    "FixedLength": lambda part, text: len(text) > part.get("length", int, 5),
}
"""`type` of a part → whether a text cannot occur after it."""

KEYS = {"Replace": "content", "Prepend": "prepend", "Metaspace": "replacement"}
REWRITES = frozenset({"NFC", "NFD", "NFKC", "NFKD", "Lowercase", "BertNormalizer", "ByteLevel", "Precompiled"})
"""Types that may write any character."""


def written_by(part: LocatedPart) -> str:
    """The characters that a part other than these may write."""
    return " " if part.kind == "Nmt" else part.get(KEYS[part.kind], str) if part.kind in KEYS else ""


def never(text: str, before: Sequence[LocatedPart]) -> str:
    """Why a text cannot occur after these parts; empty if it can."""
    return _why(before, {text, *text}, lambda part, written: False)


def why_not(pattern: str, before: Sequence[LocatedPart]) -> list[str]:
    """For each alternative of an Oniguruma pattern, why it cannot match after these parts; empty if it can."""
    from explorer.engine.regexes import oniguruma

    def lacks(need: str) -> str:
        """Why an expression for one character cannot match: a class can be ruled out by ByteLevel alone."""
        if len(need) == 1 or (len(need) == 2 and need[0] == "\\" and not need[1].isalnum()):
            return never(need[-1], before)
        return _why(
            before,
            set(),
            lambda part, written: part.kind == "ByteLevel" and not oniguruma.found_in(need, "".join(BYTE_OF) + written),
        )

    return [next(filter(None, map(lacks, needs)), "") for needs in oniguruma.needs(pattern)]


def _why(before: Sequence[LocatedPart], texts: set[str], rules_out: Callable[[LocatedPart, str], bool]) -> str:
    """The last part after which one of the texts is gone, or that rules out what is sought, in words.

    rules_out: asked with a part and the characters that later parts may have written.
    """
    written = ""
    for part in reversed(before[-MOST:]):
        gone = GONE.get(part.kind)
        if rules_out(part, written) or (gone is not None and any(gone(part, text) for text in texts)):
            return f"after {part.kind} ({part.path})"
        if part.kind in REWRITES:
            break
        written += written_by(part)
        if part.kind in (*KEYS, "Nmt", "StripAccents"):  # it makes new neighbors
            texts = {text for text in texts if len(text) == 1} - set(written)
    return ""
