"""Reads the result of a job from a file of any origin, and checks everything in it.

`record` writes it. The whole corpus, each file and each label have the same measures; the whole also has `Details`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple

from explorer.analysis.export import PatternInForce, Provenance, TokenizerProvenance
from explorer.corpus.tally import OF_TEXT
from explorer.errors import InputError, shown
from explorer.formats import strict_json
from explorer.origin import File
from explorer.text import visible, visible_words

FORMAT: Final = "tokenizer-explorer corpus 1"

WHOLE: Final = ("tokens", "added", "vocabulary", "vocabulary_used")
SHARES: Final = ("unknown_share", "byte_fallback_share", "single_byte_share", "vocabulary_use", "renyi_efficiency")
RATES: Final = ("bytes_per_token", "characters_per_token", "fertility", "parity")
OF_ALL: Final = ("vocabulary", "vocabulary_used", "vocabulary_use", "renyi_efficiency")
"""Measures that only the whole corpus has."""

Measures = Mapping[str, float | None]


class ResultRow(NamedTuple):
    """A file, a label, or the whole corpus: the counts of its text, and its measures under each tokenizer."""

    name: str
    text: Mapping[str, int]
    measures: tuple[Measures, ...]


class Details(NamedTuple):
    """What only the whole corpus has, under one tokenizer.

    buckets: smallest length, largest length, documents. lengths: tokens by their bytes. frequent: id, text, count.
    in_bytes: the ids of those whose text is their bytes in hexadecimal, which a text of digits looks like.
    """

    buckets: tuple[tuple[int, int, int], ...]
    longest: int
    lengths: Mapping[int, int]
    frequent: tuple[tuple[int, str, int], ...]
    in_bytes: frozenset[int] = frozenset()


class Result(NamedTuple):
    """A checked result. tokenizers: their labels. made: its provenance; results of older versions have less of it."""

    tokenizers: tuple[str, ...]
    label: str
    baseline: str
    total: ResultRow
    files: tuple[ResultRow, ...]
    labels: tuple[ResultRow, ...]
    details: tuple[Details, ...]
    made: Provenance


def only(result: Result, names: Collection[str]) -> Result:
    """The result with these of its tokenizers; with all of them if it has none of these."""
    kept = [index for index, name in enumerate(result.tokenizers) if name in names]
    if not kept:
        return result

    def row(each: ResultRow) -> ResultRow:
        return each._replace(measures=tuple(each.measures[index] for index in kept))

    return result._replace(
        tokenizers=tuple(result.tokenizers[index] for index in kept), total=row(result.total),
        files=tuple(map(row, result.files)), labels=tuple(map(row, result.labels)),
        details=tuple(result.details[index] for index in kept),
        made=replace(result.made, tokenizers=tuple(result.made.tokenizers[index] for index in kept)),
    )  # fmt: skip


MOST_TOKENIZERS: Final = 16
MOST_BUCKETS: Final = 1000
LARGEST: Final = 1 << 62
LONGEST_NAME: Final = 5000
LONGEST_TEXT: Final = 1_000_000
"""The most characters of a pattern, and of a choice, which may be a pattern."""


def read(data: bytes, name: str) -> Result:
    """The result in a file. Raises InputError, naming the key, for anything `record.as_json` doesn't write."""
    record = strict_json.read(data, name, "the result of a corpus job")
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise InputError(f"{name}: this is not the result of a corpus job; give the JSON that `corpus --output` wrote")
    strict_json.check_depth(record, name, "the result of a corpus job")
    return result(Checked(record, "the file", name))


class Checked(NamedTuple):
    """An object of a record, whose values are checked as they are taken. where: in the file called `name`."""

    value: Mapping[str, Any]
    where: str
    name: str

    def wrong(self, what: str, value: object, wanted: str) -> InputError:
        """The error for a value that is not what was written."""
        return InputError(f"{self.name}: {what} is {shown(value)} and should be {wanted}; write the result again")

    def take(self, key: str, kind: type, wanted: str) -> Any:
        """A value of one type."""
        if key not in self.value:
            raise InputError(f"{self.name}: {self.where} has no {key!r}; write the result again")
        value = self.value[key]
        if not isinstance(value, kind) or (kind is not bool and isinstance(value, bool)):
            raise self.wrong(f"{key} of {self.where}", value, wanted)
        return value

    def object(self, key: str, where: str = "") -> Checked:
        """An object in it."""
        where, value = where or f"{key} of {self.where}", self.value.get(key)
        if not isinstance(value, dict):
            raise self.wrong(where, value, "an object")
        return Checked(value, where, self.name)

    def objects(self, key: str, where: str = "") -> list[Checked]:
        """A list of objects in it. where: of each, before its number."""
        made = []
        for number, value in enumerate(self.take(key, list, "a list"), 1):
            if not isinstance(value, dict):
                raise self.wrong(f"{key} {number} of {self.where}", value, "an object")
            made.append(Checked(value, f"{where or key} {number}", self.name))
        return made

    def text(self, key: str, most: int = LONGEST_NAME) -> str:
        """A string of bounded length."""
        given: str = self.take(key, str, "a text")
        if len(given) > most:
            raise self.wrong(f"{key} of {self.where}", given, f"no longer than {most} characters")
        return given

    def whole(self, key: str) -> int:
        """A whole number from 0."""
        given: int = self.take(key, int, "a whole number")
        if not 0 <= given <= LARGEST:
            raise self.wrong(f"{key} of {self.where}", given, "a whole number from 0")
        return given

    def measure(self, key: str) -> float | None:
        """A number from 0, and up to 1 for shares; None if it is missing."""
        given = self.value.get(key)
        if given is None:
            return None
        if isinstance(given, bool) or not isinstance(given, (int, float)) or not 0 <= given <= LARGEST:
            raise self.wrong(f"{key} of {self.where}", given, "a number from 0")
        if key in SHARES and given > 1 + 1e-9:
            raise self.wrong(f"{key} of {self.where}", given, "a share, from 0 to 1")
        return float(given)


def result(file: Checked) -> Result:
    """The whole result."""
    labels = tuple(each.text("label") for each in file.objects("tokenizers", "tokenizer"))
    if not 1 <= len(labels) <= MOST_TOKENIZERS or len(set(labels)) != len(labels):
        raise file.wrong("tokenizers", labels, f"1 to {MOST_TOKENIZERS}, each with a label of its own")
    options, total = file.object("options", "options"), file.object("total", "total")
    label, baseline = ("" if options.value.get(key) is None else options.text(key) for key in ("label", "baseline"))
    return Result(
        labels,
        label,
        baseline,
        row(total, "the whole corpus", labels, (*RATES, *SHARES, *WHOLE[2:])),
        rows(file, "files", labels),
        rows(file, "labels", labels),
        tuple(map(details, total.objects("tokenizers", "total of tokenizer"))),
        provenance(file),
    )


def provenance(file: Checked) -> Provenance:
    """The provenance of a result."""
    if "provenance" not in file.value:
        older = []
        for each in file.objects("tokenizers", "a tokenizer"):
            name, implementation, family = (
                str(each.value.get(key, "")) for key in ("name", "implementation", "family")
            )
            older.append(TokenizerProvenance(each.text("label"), name, implementation, family, (), (), ()))
        return Provenance(tuple(older), None, {}, "")
    given = file.object("provenance", "provenance")
    options = given.object("options")
    for name, value in options.value.items():
        if value is not None and not isinstance(value, bool):
            options.text(name)
    made = tuple(map(tokenizer_provenance, given.objects("tokenizers", "provenance of tokenizer")))
    labels = [each.label for each in made]
    if labels != [each["label"] for each in file.value["tokenizers"]]:
        raise file.wrong("tokenizers of provenance", labels, "those of the result")
    return Provenance(made, None, options.value, given.text("explorer"))


def tokenizer_provenance(found: Checked) -> TokenizerProvenance:
    """The provenance of one tokenizer."""
    choices = found.object("choices")
    files = (
        File(each.text("name"), each.whole("bytes"), each.text("sha256"), each.whole("hashed_bytes"))
        for each in found.objects("files")
    )
    patterns = (
        PatternInForce(
            each.whole("number"), each.text("regex", LONGEST_TEXT), each.take("typed", bool, "true or false")
        )
        for each in found.objects("patterns")
    )
    label, model, implementation, family = map(found.text, ("label", "model", "implementation", "family"))
    chosen = tuple((key, choices.text(key, LONGEST_TEXT)) for key in choices.value)
    repository = found.text("repository") if "repository" in found.value else ""
    return TokenizerProvenance(
        label, model, implementation, family, tuple(files), chosen, tuple(patterns), repository=repository
    )


def rows(file: Checked, key: str, labels: tuple[str, ...]) -> tuple[ResultRow, ...]:
    """The rows of all files, or of all labels."""
    all_rows = tuple(row(each, each.text("name"), labels, (*RATES, *SHARES)) for each in file.objects(key))
    if len({row.name for row in all_rows}) != len(all_rows):
        raise InputError(f"{file.name}: two {key} have the same name; write the result again")
    return all_rows


def row(found: Checked, name: str, labels: tuple[str, ...], keys: tuple[str, ...]) -> ResultRow:
    """The row of a file, a label or the whole."""
    of_tokens = found.objects("tokenizers", f"tokenizers of {found.where}")
    if len(of_tokens) != len(labels):
        wanted = f"as many as there are ({len(labels)})"
        raise found.wrong(f"tokenizers of {found.where}", len(of_tokens), wanted)
    measures = (
        {key: each.measure(key) for key in ("added", *keys)} | {"tokens": each.whole("tokens")} for each in of_tokens
    )
    return ResultRow(name, {key: found.whole(key) for key in OF_TEXT}, tuple(measures))


def details(whole: Checked) -> Details:
    """What only the whole corpus has, under one tokenizer."""
    lengths, spread = whole.object("document_tokens"), whole.object("token_bytes")
    buckets = lengths.take("buckets", list, "a list")
    if len(buckets) > MOST_BUCKETS or len(spread.value) > LONGEST_NAME:
        raise whole.wrong(f"lengths of {whole.where}", len(buckets), "fewer")
    bad = next((each for each in buckets if not is_bucket(each)), None)
    if bad is not None:
        raise whole.wrong(f"a bucket of {whole.where}", bad, "three whole numbers")
    odd = next((key for key in spread.value if not (key.isascii() and key.isdigit() and len(key) < 10)), None)
    if odd is not None:
        raise whole.wrong(f"a length in {spread.where}", odd, "a whole number")
    tokens = list(whole.objects("most_frequent"))
    frequent = ((each.whole("id"), token_text(each), each.whole("count")) for each in tokens)
    return Details(
        tuple(map(tuple, buckets)),
        lengths.whole("longest"),
        {int(key): spread.whole(key) for key in spread.value},
        tuple(frequent),
        frozenset(each.whole("id") for each in tokens if is_in_bytes(token_text(each), each.text("piece"))),
    )


def is_bucket(value: object) -> bool:
    """Whether a value is three whole numbers from 0."""
    return (
        isinstance(value, list)
        and len(value) == 3
        and all(isinstance(each, int) and not isinstance(each, bool) and 0 <= each <= LARGEST for each in value)
    )


def token_text(found: Checked) -> str:
    """A token as pages show it; as stored in a result that was written before it had both."""
    piece = found.text("piece")
    return visible_words(found.text("text")) if "text" in found.value else visible(piece)


def is_in_bytes(text: str, piece: str) -> bool:
    """Whether a token is shown by its bytes alone, which a text of two digits looks like.

    >>> is_in_bytes("E0", "à"), is_in_bytes("E0", "<0xE0>"), is_in_bytes("80", "\\x80"), is_in_bytes("E0 A4", "à¤")
    (True, True, True, True)
    >>> is_in_bytes("80", "80"), is_in_bytes("80", "##80")
    (False, False)
    """
    if not re.fullmatch(r"[0-9A-F]{2}(?: [0-9A-F]{2})*", text):
        return False
    return text not in piece or piece in (f"<0x{text}>", f"\\x{text.lower()}")
