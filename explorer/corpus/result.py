"""Reads the result of a job from a file of any origin, and checks everything in it.

`record` writes it. The whole corpus, each file and each label have the same measures; the whole also has `Details`.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Annotated, NamedTuple

from msgspec import Meta, Struct, to_builtins
from msgspec.structs import astuple

from explorer.analysis.export import PatternInForce, Provenance, TokenizerProvenance
from explorer.corpus.counter import OF_TEXT
from explorer.errors import InputError, errors_of
from explorer.formats import strict_json
from explorer.formats.structs import convert
from explorer.origin import File
from explorer.tables import Json
from explorer.text import visible, visible_words
from explorer.text.say import plural

FORMAT = "tokenizer-explorer corpus 1"

WHOLE = ("tokens", "added", "vocabulary", "vocabulary_used")
SHARES = ("unknown_share", "byte_fallback_share", "single_byte_share", "vocabulary_use", "renyi_efficiency")
RATES = ("bytes_per_token", "characters_per_token", "fertility", "parity")
OF_ALL = ("vocabulary", "vocabulary_used", "vocabulary_use", "renyi_efficiency")
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
    """A checked result. tokenizers: their labels. made: its provenance; results of older versions have less of it.

    paper: the measures for a paper (`measures.measures`), if there are some.
    """

    tokenizers: tuple[str, ...]
    label: str
    baseline: str
    total: ResultRow
    files: tuple[ResultRow, ...]
    labels: tuple[ResultRow, ...]
    details: tuple[Details, ...]
    made: Provenance
    paper: Json | None = None


def only(result: Result, names: Collection[str]) -> Result:
    """The result with these of its tokenizers; with all of them if it has none of these."""
    kept = [index for index, name in enumerate(result.tokenizers) if name in names]
    if not kept:
        return result

    def row(each: ResultRow) -> ResultRow:
        return each._replace(measures=tuple(each.measures[index] for index in kept))

    paper = result.paper
    if paper:
        parts = {
            part: {name: [each[index] for index in kept] for name, each in paper[part].items()}
            for part in ("values", "premiums")
        }
        best = {key: kept.index(index) for key, index in paper["best"].items() if index in kept}
        paper = {**paper, **parts, "best": best}
    return result._replace(
        tokenizers=tuple(result.tokenizers[index] for index in kept), total=row(result.total), paper=paper,
        files=tuple(map(row, result.files)), labels=tuple(map(row, result.labels)),
        details=tuple(result.details[index] for index in kept),
        made=replace(result.made, tokenizers=tuple(result.made.tokenizers[index] for index in kept)),
    )  # fmt: skip


MOST_TOKENIZERS = 16
MOST_BUCKETS = 1000
LARGEST = 1 << 62
LONGEST_NAME = 5000
LONGEST_TEXT = 1_000_000
"""The most characters of a pattern, and of a choice, which may be a pattern."""


Count = Annotated[int, Meta(ge=0, le=LARGEST)]
Rate = Annotated[float, Meta(ge=0, le=LARGEST)] | None
Share = Annotated[float, Meta(ge=0, le=1 + 1e-9)] | None
Name = Annotated[str, Meta(max_length=LONGEST_NAME)]
Long = Annotated[str, Meta(max_length=LONGEST_TEXT)]


class MeasuresInFile(Struct):
    """The measures of one tokenizer in a row."""

    tokens: Count
    added: Rate = None
    vocabulary: Rate = None
    vocabulary_used: Rate = None
    unknown_share: Share = None
    byte_fallback_share: Share = None
    single_byte_share: Share = None
    vocabulary_use: Share = None
    renyi_efficiency: Share = None
    bytes_per_token: Rate = None
    characters_per_token: Rate = None
    fertility: Rate = None
    parity: Rate = None


class FrequentInFile(Struct):
    """A token. Results of older versions have no text."""

    id: Count
    piece: Name
    count: Count
    text: Name | None = None

    @property
    def shown(self) -> str:
        """As pages show it; as stored without a text."""
        return visible(self.piece) if self.text is None else visible_words(self.text)


class LengthsInFile(Struct):
    """The lengths of documents."""

    buckets: Annotated[list[tuple[Count, Count, Count]], Meta(max_length=MOST_BUCKETS)]
    longest: Count


class WholeInFile(MeasuresInFile, kw_only=True):
    """The measures of one tokenizer for the whole corpus."""

    document_tokens: LengthsInFile
    token_bytes: Annotated[dict[Annotated[str, Meta(pattern="^[0-9]{1,9}$")], Count], Meta(max_length=LONGEST_NAME)]
    most_frequent: list[FrequentInFile]


class TextInFile(Struct):
    """The counts of a text."""

    documents: Count
    bytes: Count
    characters: Count
    words: Count
    lines: Count
    skipped: Count
    replaced: Count


class RowInFile(TextInFile, kw_only=True):
    """A file or a label."""

    name: Name
    tokenizers: list[MeasuresInFile]


class TotalInFile(TextInFile, kw_only=True):
    """The whole corpus."""

    tokenizers: list[WholeInFile]


class FileInFile(Struct):
    """A file of a tokenizer."""

    name: Name
    bytes: Count
    sha256: Name
    hashed_bytes: Count


class PatternInFile(Struct):
    """A pattern of a tokenizer."""

    number: Count
    regex: Long
    typed: bool


class TokenizerInFile(Struct):
    """The provenance of one tokenizer."""

    label: Name
    model: Name
    implementation: Name
    family: Name
    files: list[FileInFile]
    choices: dict[str, Long]
    patterns: list[PatternInFile]
    repository: Name = ""


class ProvenanceInFile(Struct):
    """The provenance of a result."""

    options: dict[str, Name | bool | None]
    tokenizers: list[TokenizerInFile]
    explorer: Name


class LabelInFile(Struct):
    """A tokenizer of a result: all that older versions say of it."""

    label: Name
    name: Name = ""
    implementation: Name = ""
    family: Name = ""


class Sources(Struct):
    """What a result says of its tokenizers."""

    tokenizers: Annotated[list[LabelInFile], Meta(min_length=1, max_length=MOST_TOKENIZERS)]
    provenance: ProvenanceInFile | None = None


class OptionsInFile(Struct):
    """The options that pages need."""

    label: Name | None = None
    baseline: Name | None = None


Intervals = dict[Name, list[tuple[float | None, float | None, float | None]]]
"""By measure or language, for each tokenizer: a number and the ends of its interval."""


class PaperInFile(Struct):
    """The measures for a paper. best: by measure, the index of a tokenizer."""

    settings: dict[Name, Name | int]
    values: Intervals
    premiums: Intervals
    best: dict[Name, Count]
    methods: Long


class ResultInFile(Sources, kw_only=True):
    """The file."""

    measures: PaperInFile | None = None
    options: OptionsInFile
    total: TotalInFile
    files: list[RowInFile]
    labels: list[RowInFile]


def read(data: bytes, name: str) -> Result:
    """The result in a file. Raises InputError, naming the key, for anything `record.as_json` doesn't write."""
    record = strict_json.read(data, name, "the result of a corpus job")
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise InputError(f"{name}: this is not the result of a corpus job; give the JSON that `corpus --output` wrote")
    with errors_of(name):
        strict_json.check_depth(record, "the result of a corpus job")
    file = convert(record, ResultInFile, name)
    labels = tuple(each.label for each in file.tokenizers)
    rows = (*file.files, *file.labels)
    sizes = {len(file.total.tokenizers), *(len(row.tokenizers) for row in rows)}
    sources = file.tokenizers if file.provenance is None else file.provenance.tokenizers
    papers = [file.measures] if file.measures else []
    problems = {
        "two tokenizers have the same label": len(set(labels)) != len(labels),
        "two files have the same name": len({row.name for row in file.files}) != len(file.files),
        "two labels have the same name": len({row.name for row in file.labels}) != len(file.labels),
        f"not every row has {plural(len(labels), 'tokenizer')}": sizes != {len(labels)},
        "the measures are those of other tokenizers": any(
            len(row) != len(labels) for each in papers for row in (*each.values.values(), *each.premiums.values())
        ),
        "the provenance names other tokenizers": tuple(each.label for each in sources) != labels,
    }
    if problem := next((each for each, holds in problems.items() if holds), None):
        raise InputError(f"{name}: {problem}; write the result again")
    return Result(
        labels,
        file.options.label or "",
        file.options.baseline or "",
        row("the whole corpus", file.total, MEASURES_OF_ALL),
        tuple(row(each.name, each, MEASURES) for each in file.files),
        tuple(row(each.name, each, MEASURES) for each in file.labels),
        tuple(map(details, file.total.tokenizers)),
        provenance(file),
        to_builtins(file.measures),
    )


MEASURES = ("tokens", "added", *RATES, *SHARES)
MEASURES_OF_ALL = (*MEASURES, *WHOLE[2:])


def row(name: str, counts: RowInFile | TotalInFile, keys: Collection[str]) -> ResultRow:
    """The row of a file, a label or the whole. keys: its measures."""
    measures = tuple({key: getattr(each, key) for key in keys} for each in counts.tokenizers)
    return ResultRow(name, {key: getattr(counts, key) for key in OF_TEXT}, measures)


def details(whole: WholeInFile) -> Details:
    """What only the whole corpus has, under one tokenizer."""
    return Details(
        tuple(whole.document_tokens.buckets),
        whole.document_tokens.longest,
        {int(size): count for size, count in whole.token_bytes.items()},
        tuple((each.id, each.shown, each.count) for each in whole.most_frequent),
        frozenset(each.id for each in whole.most_frequent if is_in_bytes(each.shown, each.piece)),
    )


def provenance(file: Sources) -> Provenance:
    """The provenance of a result."""
    if file.provenance is None:
        older = (
            TokenizerProvenance(each.label, each.name, each.implementation, each.family, (), (), ())
            for each in file.tokenizers
        )
        return Provenance(tuple(older), None, {}, "")
    tokenizers = (
        TokenizerProvenance(
            each.label, each.model, each.implementation, each.family,
            tuple(File(*astuple(file)) for file in each.files), tuple(each.choices.items()),
            tuple(PatternInForce(*astuple(pattern)) for pattern in each.patterns), repository=each.repository,
        )
        for each in file.provenance.tokenizers
    )  # fmt: skip
    return Provenance(tuple(tokenizers), None, file.provenance.options, file.provenance.explorer)


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
