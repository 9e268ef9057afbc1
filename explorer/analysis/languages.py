"""The cost of one text in many languages, in tokens.

The *premium* of a language is its number of tokens divided by that of a baseline language for the same text. A script
may cost more by itself, because UTF-8 uses up to four bytes per character; so results include bytes per character. A
character is *unknown* if it became the unknown token, and *broken* if the vocabulary has no piece for it, so that it is
spelled in bytes.

The bundled text is four plain sentences about a morning at a market, written for this project in every language of
`languages.tsv`. Another text may be given: one language per line, or a table.
"""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from explorer.analysis.divergence.result import labels
from explorer.analysis.ownership import cells_of
from explorer.engine.budget import many_runs
from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.stages.spelling import Spelling, is_broken, spelling_of
from explorer.text import from_bytes, visible
from explorer.vocabulary import PieceKind

BUNDLED = Path(__file__).with_name("languages.tsv")

WITHOUT_SPACES = frozenset(("Hans", "Hant", "Jpan"))
"""Scripts that write no space between sentences."""

MOST_LANGUAGES = 500
LONGEST = 1_000_000
"""The most languages and characters of a user's own text."""

UNKNOWN_MOST = 0.05
"""The share of unknown characters above which token counts are meaningless: one token may cover a whole word."""


class Language(NamedTuple):
    """A text in one language.

    code: ISO 639, with the script if a language uses two. name: in English. native: in the language itself. script: ISO
    15924, empty if unknown.
    """

    code: str
    name: str
    native: str
    script: str
    text: str


@cache
def languages() -> Mapping[str, Language]:
    """The bundled text by language code, in the order of the file.

    >>> languages()["en"].text[:50]
    'Early in the morning the market is still quiet. A '
    >>> len({language.script for language in languages().values()}) >= 18
    True
    """
    by_code = {}
    for row in csv.DictReader(BUNDLED.read_text("utf-8").splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE):
        code, name, native, script, *sentences = row.values()
        by_code[code] = Language(code, name, native, script, ("" if script in WITHOUT_SPACES else " ").join(sentences))
    return by_code


# --- a user's own text ------------------------------------------------------------------------------------------------


def read_parallel(data: bytes, name: str) -> tuple[Language, ...]:
    """The languages of a file: lines of `code<TAB>text`, or a CSV table with the columns language and text.

    Raises InputError if it is neither, is invalid UTF-8, lists a language twice, or has a language without text.

    >>> [(each.code, each.text) for each in read_parallel("en\\tHello.\\nde\\tHallo.\\n".encode(), "greetings.tsv")]
    [('en', 'Hello.'), ('de', 'Hallo.')]
    """
    text = from_bytes(data, name).removeprefix("\ufeff")
    if len(text) > LONGEST:
        raise InputError(f"{name}: {len(text)} characters are too many for a table of languages; give up to {LONGEST}")
    first = next((line for line in text.splitlines() if line.strip()), "")
    if not first:
        raise InputError(f"{name}: the file is empty; give one language per line, as code, a tab and the text")
    rows = tabbed(text, name) if "\t" in first else table(text, name)
    by_code: dict[str, Language] = {}
    for line, code, written in rows:
        if not code:
            raise InputError(f"{name}: line {line} has no language; begin it with a code such as en")
        if not written.strip():
            raise InputError(f"{name}: line {line}: {shown(code)} has no text; add it or remove the line")
        if code in by_code:
            raise InputError(f"{name}: line {line}: {shown(code)} is given twice; give each language one text")
        known = languages().get(code) or Language(code, code, code, "", "")
        by_code[code] = known._replace(text=written)
        if len(by_code) > MOST_LANGUAGES:
            raise InputError(f"{name}: more than {MOST_LANGUAGES} languages; give fewer")
    if len(by_code) < 2:
        raise InputError(f"{name}: only {len(by_code)} language; give two or more")
    return tuple(by_code.values())


def tabbed(text: str, name: str) -> Iterator[tuple[int, str, str]]:
    """Line number, code and text of each line; a heading `language<TAB>text` is skipped."""
    for number, line in enumerate(text.split("\n"), 1):
        code, tab, written = line.rstrip("\r").partition("\t")
        if not line.strip() or (number == 1 and (code.strip().lower(), written.strip().lower()) == COLUMNS):
            continue
        if not tab:
            raise InputError(f"{name}: line {number} has no tab; write a language code, a tab and the text")
        yield number, code.strip(), written


COLUMNS = ("language", "text")


def table(text: str, name: str) -> Iterator[tuple[int, str, str]]:
    """Line number, code and text of each row of a CSV table with commas or semicolons."""
    heading_line = text.lstrip().partition("\n")[0]
    delimiter = ";" if heading_line.count(";") > heading_line.count(",") else ","
    reader = csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=delimiter)
    columns: list[int] = []
    try:
        for row in reader:
            if not any(field.strip() for field in row):
                continue
            if not columns:
                heading = [field.strip().lower() for field in row]
                missing = [column for column in COLUMNS if column not in heading]
                if missing:
                    raise InputError(
                        f"{name}: the table has no column {missing[0]!r} (it has {shown(', '.join(heading))}); "
                        "give the columns language and text, or lines of code, tab and text"
                    )
                columns = [heading.index(column) for column in COLUMNS]
                continue
            if len(row) <= max(columns):
                raise InputError(f"{name}: line {reader.line_num} has {len(row)} of {max(columns) + 1} columns; fix it")
            yield reader.line_num, row[columns[0]].strip(), row[columns[1]]
    except csv.Error as error:
        raise InputError(f"{name}: line {reader.line_num} is not CSV ({error}); fix its quotes") from None


def shown(text: str) -> str:
    """User input, shortened and made visible."""
    return f"“{visible(text[:40])}”"


# --- the cost of each language ----------------------------------------------------------------------------------------


class LanguageCost(NamedTuple):
    """The cost of a text with one tokenizer.

    tokens: those of the text. premium: as a multiple of the baseline language's; None if that has none.
    characters_per_token: 0 without tokens. unknown, broken: the share of characters that became the unknown token, and
    that are spelled in bytes.
    """

    tokens: int
    premium: float | None
    characters_per_token: float
    unknown: float
    broken: float

    @property
    def is_read(self) -> bool:
        """Whether few enough characters are unknown that token counts can be compared."""
        return self.unknown <= UNKNOWN_MOST


class LanguageRow(NamedTuple):
    """One language: the size of its text, and its cost with each tokenizer, in the order of `Languages.labels`."""

    language: Language
    characters: int
    bytes: int
    costs: tuple[LanguageCost, ...]

    @property
    def bytes_per_character(self) -> float:
        """The bytes per character in UTF-8; 0 without text."""
        return self.bytes / self.characters if self.characters else 0.0


class Languages(NamedTuple):
    """Languages by tokenizers. baseline: the code of the language that premiums refer to."""

    labels: tuple[str, ...]
    baseline: str
    rows: tuple[LanguageRow, ...]

    def row(self, code: str) -> LanguageRow:
        """The row of a language. Raises KeyError for an unknown one."""
        return {row.language.code: row for row in self.rows}[code]


def measure(texts: Sequence[Language], tokenizers: Sequence[Opened], baseline: str = "en") -> Languages:
    """The cost of each language with each tokenizer.

    Raises InputError without tokenizers, or if the baseline is not one of the languages.

    >>> import explorer
    >>> both = [languages()[code] for code in ("en", "my")]
    >>> table = measure(both, [explorer.load("gpt-2"), explorer.load("o200k_base")])
    >>> [round(cost.premium, 1) for cost in table.row("my").costs]
    [15.2, 3.0]
    """
    if not tokenizers:
        raise InputError("there is no tokenizer to measure languages with; choose one or more")
    base = next((index for index, language in enumerate(texts) if language.code == baseline), None)
    if base is None:
        known = ", ".join(language.code for language in texts[:10])
        raise InputError(f"the baseline {shown(baseline)} is not one of the languages ({known} …); choose one of them")
    with many_runs("the cost", sum(len(language.text) for language in texts) * len(tokenizers)):
        spelled = [(tokenizer, spelling_of(tokenizer)) for tokenizer in tokenizers]
        costs = [[cost(language.text, *each) for each in spelled] for language in texts]
    rows = []
    for language, own in zip(texts, costs, strict=True):
        relative = tuple(
            each._replace(premium=each.tokens / other.tokens if other.tokens else None)
            for each, other in zip(own, costs[base], strict=True)
        )
        rows.append(LanguageRow(language, len(language.text), len(language.text.encode()), relative))
    return Languages(labels(tokenizers), baseline, tuple(rows))


def cost(text: str, tokenizer: Opened, spelling: Spelling) -> LanguageCost:
    """The cost of one text, without the premium."""
    tokens = tokenizer.encode(text, add_special=False).tokens
    unknown_id = tokenizer.model.unknown
    unknown = broken = 0
    for cell in cells_of(tokens, len(text)):
        ids = [token.id for token in tokens[cell.first : cell.last]]
        if any(id == unknown_id or spelling.vocabulary.kinds[id] == PieceKind.UNKNOWN for id in ids):
            unknown += cell.end - cell.start
        elif any(is_broken(spelling, id) for id in ids):
            broken += cell.end - cell.start
    size = max(len(text), 1)
    return LanguageCost(len(tokens), None, len(text) / len(tokens) if tokens else 0.0, unknown / size, broken / size)
