"""Reads the result of a job from a file of any origin, and checks everything in it.

`record` writes it. The whole corpus, each file and each label have the same measures; the whole also has `Details`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, cast

from explorer.analysis.provenance import PatternInForce, Provenance, TokenizerProvenance
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
    """

    buckets: tuple[tuple[int, int, int], ...]
    longest: int
    lengths: Mapping[int, int]
    frequent: tuple[tuple[int, str, int], ...]


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


MOST_TOKENIZERS: Final = 16
MOST_BUCKETS: Final = 1000
LARGEST: Final = 1 << 62
LONGEST_NAME: Final = 5000
LONGEST_TEXT: Final = 1_000_000
"""The most characters of a pattern, and of a choice, which may be a pattern."""


def read(data: bytes, name: str) -> Result:
    """The result in a file. Raises InputError, naming the key, for anything `record.as_json` doesn't write."""
    found = strict_json.read(data, name, "the result of a corpus job")
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise InputError(f"{name}: this is not the result of a corpus job; give the JSON that `corpus --output` wrote")
    strict_json.check_depth(found, name, "the result of a corpus job")
    return ResultReader(name).result(found)


class ResultReader:
    """Checks a record and builds the result. name: the file, for errors."""

    def __init__(self, name: str) -> None:
        self.name = name

    def wrong(self, where: str, value: object, wanted: str) -> InputError:
        """The error for a value that is not what was written."""
        return InputError(f"{self.name}: {where} is {shown(value)} and should be {wanted}; write the result again")

    def take(self, value: Any, key: str, where: str, kind: type, wanted: str) -> Any:
        """A value of an object, checked to be of one type."""
        if key not in value:
            raise InputError(f"{self.name}: {where} has no {key!r}; write the result again")
        if not isinstance(value[key], kind) or (kind is not bool and isinstance(value[key], bool)):
            raise self.wrong(f"{key} of {where}", value[key], wanted)
        return value[key]

    def object(self, value: Any, where: str) -> dict[str, Any]:
        """A value, checked to be an object."""
        if not isinstance(value, dict):
            raise self.wrong(where, value, "an object")
        return value

    def objects(self, value: Any, key: str, where: str) -> list[dict[str, Any]]:
        """A value of an object, checked to be a list of objects."""
        given = self.take(value, key, where, list, "a list")
        return [self.object(each, f"{key} {number} of {where}") for number, each in enumerate(given, 1)]

    def text(self, value: Any, key: str, where: str, most: int = LONGEST_NAME) -> str:
        """A value of an object, checked to be a string of bounded length."""
        given = cast(str, self.take(value, key, where, str, "a text"))
        if len(given) > most:
            raise self.wrong(f"{key} of {where}", given, f"no longer than {most} characters")
        return given

    def whole(self, value: Any, key: str, where: str) -> int:
        """A value of an object, checked to be a whole number from 0."""
        given = cast(int, self.take(value, key, where, int, "a whole number"))
        if not 0 <= given <= LARGEST:
            raise self.wrong(f"{key} of {where}", given, "a whole number from 0")
        return given

    def measure(self, value: Any, key: str, where: str) -> float | None:
        """A value of an object, checked to be a number from 0, and up to 1 for shares; None if it is missing."""
        given = value.get(key)
        if given is None:
            return None
        if isinstance(given, bool) or not isinstance(given, (int, float)) or not 0 <= given <= LARGEST:
            raise self.wrong(f"{key} of {where}", given, "a number from 0")
        if key in SHARES and given > 1 + 1e-9:
            raise self.wrong(f"{key} of {where}", given, "a share, from 0 to 1")
        return float(given)

    def result(self, found: dict[str, Any]) -> Result:
        """The whole result."""
        given = self.objects(found, "tokenizers", "the file")
        labels = tuple(self.text(each, "label", f"tokenizer {number}") for number, each in enumerate(given, 1))
        if not 1 <= len(labels) <= MOST_TOKENIZERS or len(set(labels)) != len(labels):
            raise self.wrong("tokenizers", labels, f"1 to {MOST_TOKENIZERS}, each with a label of its own")
        options = self.object(found.get("options"), "options")
        named = {
            key: "" if options.get(key) is None else self.text(options, key, "options") for key in ("label", "baseline")
        }
        total = self.object(found.get("total"), "total")
        return Result(
            labels,
            named["label"],
            named["baseline"],
            self.row(total, "total", "the whole corpus", labels, (*RATES, *SHARES, *WHOLE[2:])),
            self.rows(found, "files", labels),
            self.rows(found, "labels", labels),
            tuple(
                self.details(each, f"total of tokenizer {number}")
                for number, each in enumerate(self.objects(total, "tokenizers", "total"), 1)
            ),
            self.provenance(found),
        )

    def provenance(self, found: Mapping[str, Any]) -> Provenance:
        """The provenance of a result."""
        if "provenance" not in found:
            older = self.objects(found, "tokenizers", "the file")
            made = tuple(TokenizerProvenance(self.text(each, "label", "a tokenizer"), str(each.get("name", "")),
                              str(each.get("implementation", "")), str(each.get("family", "")), (), (), ())
                         for each in older)  # fmt: skip
            return Provenance(made, None, {}, "")
        given = self.object(found["provenance"], "provenance")
        options = self.object(given.get("options"), "options of provenance")
        for name, value in options.items():
            if value is not None and not isinstance(value, bool):
                self.text(options, name, "options of provenance")
        made = tuple(
            self.made(each, f"tokenizer {number} of provenance")
            for number, each in enumerate(self.objects(given, "tokenizers", "provenance"), 1)
        )
        labels = [each["label"] for each in found["tokenizers"]]
        if [each.label for each in made] != labels:
            raise self.wrong("tokenizers of provenance", [each.label for each in made], "those of the result")
        return Provenance(made, None, options, self.text(given, "explorer", "provenance"))

    def made(self, found: dict[str, Any], where: str) -> TokenizerProvenance:
        """The provenance of one tokenizer."""
        choices = self.object(found.get("choices"), f"choices of {where}")
        return TokenizerProvenance(
            self.text(found, "label", where), self.text(found, "model", where),
            self.text(found, "implementation", where), self.text(found, "family", where),
            tuple(
                File(self.text(each, "name", where), self.whole(each, "bytes", where),
                     self.text(each, "sha256", where), self.whole(each, "hashed_bytes", where))
                for each in self.objects(found, "files", where)
            ),
            tuple((key, self.text(choices, key, where, LONGEST_TEXT)) for key in choices),
            tuple(
                PatternInForce(self.whole(each, "number", where), self.text(each, "regex", where, LONGEST_TEXT),
                               self.take(each, "typed", where, bool, "true or false"))
                for each in self.objects(found, "patterns", where)
            ),
        )  # fmt: skip

    def rows(self, found: dict[str, Any], key: str, labels: tuple[str, ...]) -> tuple[ResultRow, ...]:
        """The rows of all files, or of all labels."""
        made = tuple(
            self.row(each, f"{key} {number}", self.text(each, "name", f"{key} {number}"), labels, (*RATES, *SHARES))
            for number, each in enumerate(self.objects(found, key, "the file"), 1)
        )
        if len({row.name for row in made}) != len(made):
            raise InputError(f"{self.name}: two {key} have the same name; write the result again")
        return made

    def row(
        self, found: dict[str, Any], where: str, name: str, labels: tuple[str, ...], keys: tuple[str, ...]
    ) -> ResultRow:
        """The row of a file, a label or the whole."""
        of_tokens = self.objects(found, "tokenizers", where)
        if len(of_tokens) != len(labels):
            raise self.wrong(f"tokenizers of {where}", len(of_tokens), f"as many as there are ({len(labels)})")
        return ResultRow(
            name,
            {key: self.whole(found, key, where) for key in OF_TEXT},
            tuple(
                {key: self.measure(each, key, where) for key in ("added", *keys)}
                | {"tokens": self.whole(each, "tokens", where)}
                for each in of_tokens
            ),
        )

    def shown(self, found: dict[str, Any], where: str) -> str:
        """A token as pages show it; as stored in a result that was written before it had both."""
        piece = self.text(found, "piece", where)
        return visible_words(self.text(found, "text", where)) if "text" in found else visible(piece)

    def details(self, found: dict[str, Any], where: str) -> Details:
        """What only the whole corpus has, under one tokenizer."""
        lengths = self.object(found.get("document_tokens"), f"document_tokens of {where}")
        buckets = self.take(lengths, "buckets", where, list, "a list")
        spread = self.object(found.get("token_bytes"), f"token_bytes of {where}")
        if len(buckets) > MOST_BUCKETS or len(spread) > LONGEST_NAME:
            raise self.wrong(f"lengths of {where}", len(buckets), "fewer")
        wrong: Callable[[object], bool] = lambda each: (  # noqa: E731
            not isinstance(each, list)
            or len(each) != 3
            or any(isinstance(one, bool) or not isinstance(one, int) or not 0 <= one <= LARGEST for one in each)
        )
        bad = next((each for each in buckets if wrong(each)), None)
        if bad is not None:
            raise self.wrong(f"a bucket of {where}", bad, "three whole numbers")
        odd = next((key for key in spread if not (key.isascii() and key.isdigit() and len(key) < 10)), None)
        if odd is not None:
            raise self.wrong(f"a length in token_bytes of {where}", odd, "a whole number")
        frequent = self.objects(found, "most_frequent", where)
        return Details(
            tuple(tuple(each) for each in buckets),
            self.whole(lengths, "longest", where),
            {int(key): self.whole(spread, key, f"token_bytes of {where}") for key in spread},
            tuple(
                (self.whole(each, "id", where), self.shown(each, where), self.whole(each, "count", where))
                for each in frequent
            ),
        )
