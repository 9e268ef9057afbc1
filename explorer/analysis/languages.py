"""One text in many languages: what each costs in tokens, and how much of that is the tokenizer's doing.

The *premium* of a language is its number of tokens over that of a baseline language for the same text. A script may
cost more by itself, because UTF-8 spends up to four bytes on a character; so the bytes a character takes stand beside
it. A character is *unknown* where it became the unknown token, and *broken* where the vocabulary has no piece for it
and it is spelled in bytes.

The bundled text is four plain sentences about a morning at a market, written for this project in every language of
`languages.tsv`. Another text may be given: one language a line, or a table.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

from explorer.analysis.alignment import cells_of
from explorer.analysis.divergence.spelling import Spelling, is_broken, spelling_of
from explorer.analysis.run import labels
from explorer.engine.limits.budget import many_runs
from explorer.engine.tokenizer import Tokenizer
from explorer.errors import InputError
from explorer.text import from_bytes, visible
from explorer.vocabulary import PieceKind

BUNDLED: Final = Path(__file__).with_name("languages.tsv")

WITHOUT_SPACES: Final = frozenset(("Hans", "Hant", "Jpan"))
"""Scripts whose sentences follow each other without a space."""

MOST_LANGUAGES: Final = 500
LONGEST: Final = 1_000_000
"""Languages and characters that are taken from a person's own text."""

UNKNOWN_MOST: Final = 0.05
"""The share of unknown characters above which a number of tokens says nothing: one token may stand for a whole word."""


class Language(NamedTuple):
    """A text in one language.

    code: ISO 639 (with the script where one language is written in two). name: in English; native: in itself.
    script: ISO 15924, empty where it is not known.
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
    found = {}
    for row in csv.DictReader(BUNDLED.read_text("utf-8").splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE):
        code, name, native, script, *sentences = row.values()
        found[code] = Language(code, name, native, script, ("" if script in WITHOUT_SPACES else " ").join(sentences))
    return MappingProxyType(found)


# --- a person's own text ----------------------------------------------------------------------------------------------


def read_parallel(data: bytes, name: str) -> tuple[Language, ...]:
    """The languages of a file: lines of `code<TAB>text`, or a CSV table with the columns language and text.

    Raises InputError where it is neither, is no UTF-8, names a language twice, or has a language without a text.

    >>> [(each.code, each.text) for each in read_parallel("en\\tHello.\\nde\\tHallo.\\n".encode(), "greetings.tsv")]
    [('en', 'Hello.'), ('de', 'Hallo.')]
    """
    text = from_bytes(data, name).removeprefix("\ufeff")
    if len(text) > LONGEST:
        raise InputError(f"{name}: {len(text)} characters are too many for a table of languages; give up to {LONGEST}")
    first = next((line for line in text.splitlines() if line.strip()), "")
    if not first:
        raise InputError(f"{name}: the file is empty; give one language a line, as code, a tab and the text")
    rows = tabbed(text, name) if "\t" in first else table(text, name)
    found: dict[str, Language] = {}
    for line, code, written in rows:
        if not code:
            raise InputError(f"{name}: line {line} names no language; begin it with a code such as en")
        if not written.strip():
            raise InputError(f"{name}: line {line}: there is no text in {shown(code)}; write one or leave the line out")
        if code in found:
            raise InputError(f"{name}: line {line}: {shown(code)} is there a second time; give each language one text")
        known = languages().get(code)
        found[code] = Language(code, known.name if known else code, known.native if known else code,
                               known.script if known else "", written)  # fmt: skip
        if len(found) > MOST_LANGUAGES:
            raise InputError(f"{name}: more than {MOST_LANGUAGES} languages; give fewer")
    if len(found) < 2:
        raise InputError(f"{name}: only {len(found)} language; give two or more, so that they can be compared")
    return tuple(found.values())


def tabbed(text: str, name: str) -> Iterator[tuple[int, str, str]]:
    """Line number, code and text of each line; a heading `language<TAB>text` is passed over."""
    for number, line in enumerate(text.split("\n"), 1):
        code, tab, written = line.rstrip("\r").partition("\t")
        if not line.strip() or (number == 1 and (code.strip().lower(), written.strip().lower()) == COLUMNS):
            continue
        if not tab:
            raise InputError(f"{name}: line {number} has no tab; write the code of a language, a tab and the text")
        yield number, code.strip(), written


COLUMNS: Final = ("language", "text")


def table(text: str, name: str) -> Iterator[tuple[int, str, str]]:
    """Line number, code and text of each row of a CSV table; semicolons part its columns where commas do not."""
    heading_line = text.lstrip().partition("\n")[0]
    delimiter = ";" if heading_line.count(";") > heading_line.count(",") else ","
    reader = csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=delimiter)
    places: list[int] = []
    try:
        for row in reader:
            if not any(field.strip() for field in row):
                continue
            if not places:
                heading = [field.strip().lower() for field in row]
                missing = [column for column in COLUMNS if column not in heading]
                if missing:
                    raise InputError(
                        f"{name}: the table has no column {missing[0]!r} (it has {shown(', '.join(heading))}); "
                        "name two columns language and text, or give lines of code, tab and text"
                    )
                places = [heading.index(column) for column in COLUMNS]
                continue
            if len(row) <= max(places):
                raise InputError(
                    f"{name}: line {reader.line_num} has {len(row)} columns of {max(places) + 1}; repair it"
                )
            yield reader.line_num, row[places[0]].strip(), row[places[1]]
    except csv.Error as error:
        raise InputError(f"{name}: line {reader.line_num} is no CSV ({error}); repair the quotes") from None


def shown(text: str) -> str:
    """What a person wrote, short and visible."""
    return f"“{visible(text[:40])}”"


# --- what each language costs -----------------------------------------------------------------------------------------


class Cost(NamedTuple):
    """What a text costs with one tokenizer.

    tokens: those made of the text. premium: as a multiple of the baseline language's; None where that has none.
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
        """Whether the text was read at all, so that its number of tokens can be held against others."""
        return self.unknown <= UNKNOWN_MOST


@dataclass(frozen=True, slots=True)
class LanguageRow:
    """One language: how long its text is, and what it costs with each tokenizer, in the order of `Languages.labels`."""

    language: Language
    characters: int
    bytes: int
    costs: tuple[Cost, ...]

    @property
    def bytes_per_character(self) -> float:
        return self.bytes / self.characters if self.characters else 0.0


@dataclass(frozen=True, slots=True)
class Languages:
    """Languages by tokenizers. baseline: the code of the language that premiums are relative to."""

    labels: tuple[str, ...]
    baseline: str
    rows: tuple[LanguageRow, ...]

    def row(self, code: str) -> LanguageRow:
        """The row of a language; KeyError where it is none of them."""
        for row in self.rows:
            if row.language.code == code:
                return row
        raise KeyError(code)

    def mean_premium(self, tokenizer: int) -> float | None:
        """The mean premium of all languages but the baseline, with one tokenizer, of those that it can read."""
        found = [row.costs[tokenizer] for row in self.rows if row.language.code != self.baseline]
        known = [cost.premium for cost in found if cost.premium is not None and cost.is_read]
        return sum(known) / len(known) if known else None


def measure(texts: Sequence[Language], tokenizers: Sequence[Tokenizer], baseline: str = "en") -> Languages:
    """What each language costs with each tokenizer.

    Raises InputError where there is no tokenizer, or the baseline is none of the languages.

    >>> import explorer
    >>> both = [languages()[code] for code in ("en", "my")]
    >>> table = measure(both, [explorer.load("gpt-2"), explorer.load("o200k_base")])
    >>> [round(cost.premium, 1) for cost in table.row("my").costs]
    [15.2, 3.0]
    """
    if not tokenizers:
        raise InputError("there is no tokenizer to measure languages with; choose one or more")
    place = next((place for place, language in enumerate(texts) if language.code == baseline), None)
    if place is None:
        known = ", ".join(language.code for language in texts[:10])
        raise InputError(f"the baseline {shown(baseline)} is none of the languages ({known} …); choose one of them")
    with many_runs("the cost", sum(len(language.text) for language in texts) * len(tokenizers)):
        spelled = [(tokenizer, spelling_of(tokenizer)) for tokenizer in tokenizers]
        costs = [[cost(language.text, *each) for each in spelled] for language in texts]
    rows = []
    for language, own in zip(texts, costs, strict=True):
        relative = tuple(
            each._replace(premium=each.tokens / base.tokens if base.tokens else None)
            for each, base in zip(own, costs[place], strict=True)
        )
        rows.append(LanguageRow(language, len(language.text), len(language.text.encode()), relative))
    return Languages(labels(tokenizers), baseline, tuple(rows))


def cost(text: str, tokenizer: Tokenizer, spelling: Spelling) -> Cost:
    """What one text costs; the premium is still open."""
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
    return Cost(len(tokens), None, len(text) / len(tokens) if tokens else 0.0, unknown / size, broken / size)
