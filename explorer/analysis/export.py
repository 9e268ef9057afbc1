"""An export: one answer in up to three forms, which pages offer as files and `--json`, `--csv` and `--markdown` print,
with its provenance: the text, the tokenizers with their files, the options, the explorer's version.

The numbers of an `Export` come from whoever computed them. Every form states the provenance in the same words, so that
its numbers can be reproduced and exports can be distinguished. A `Provenance` writes it as an object for JSON
(`record`), as columns for CSV (`columns`), as a section for Markdown (`lines`), and as a file name (`file_name`).
docs/exports.md describes keys and columns.

A CSV stays a plain table. Short values repeat in every row. The text, the patterns and the choices may be long, so
each appears once, in the first row it applies to; the sha256 of text and patterns repeats in every row.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from typing import Any, NamedTuple

from explorer.csv_text import write_csv
from explorer.engine.part import Options
from explorer.errors import ChoicePairs
from explorer.implementations.opened import Opened
from explorer.origin import File
from explorer.tables import Json, Record, read_toml
from explorer.text.say import Say, plain
from explorer.version import __version__

Rows = Sequence[Sequence[object]]
"""A table with its heading first."""

Table = list[list[object]]
"""The same, which grows."""

SCHEMAS: Mapping[str, int] = dict.fromkeys(
    (
        "encoding decoding trace card comparison alignment parting expected what-if typing languages diff "
        "roundtrip models folder why boundary vocabulary token vocabulary-checks vocabulary-difference quiz prompt "
        "prompt-engines prompt-servers prompt-turns prompt-training stream sampling nbest"
    ).split(),
    1,
)
"""The kinds of JSON exports and their versions. A version increases when a key is removed or changes its meaning."""


def picked(value: object, *names: str) -> Record:
    """Some fields of a result, under their own names."""
    return {name: getattr(value, name) for name in names}


def plain_values(value: Any) -> Any:
    """A result as plain values for JSON, whatever it is made of. Bytes are hexadecimal, of a sentence text and parts.

    >>> plain_values(PatternInForce(1, "a", False)), plain_values([b"a"])
    ({'number': 1, 'regex': 'a', 'typed': False}, ['61'])
    """
    if isinstance(value, Say):
        return {"text": plain(value), **plain_values(picked(value, "template", "args", "texts"))}
    if isinstance(value, bytes):
        return value.hex()
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        return {key: plain_values(each) for key, each in value.items()}
    return list(map(plain_values, value)) if isinstance(value, list | tuple) else value


class PatternInForce(NamedTuple):
    """A regular expression that splits the text. number: its position in the order, from 1. typed: not the model's."""

    number: int
    regex: str
    typed: bool


class TokenizerProvenance(NamedTuple):
    """One tokenizer of an export.

    label: its name in the export. patterns: those in effect, in the order they apply. warnings: about its file.
    repository: the model on the Hugging Face Hub and its commit; exports leave out an empty one.
    """

    label: str
    model: str
    implementation: str
    family: str
    files: tuple[File, ...]
    choices: ChoicePairs
    patterns: tuple[PatternInForce, ...]
    warnings: tuple[str, ...] = ()
    repository: str = ""

    @classmethod
    def of(cls, label: str, tokenizer: Opened) -> TokenizerProvenance:
        """A tokenizer under a label."""
        origin, typed = tokenizer.origin, dict(tokenizer.origin.patterns)
        patterns = (
            PatternInForce(number, typed.get(number, slot.regex), number in typed)
            for number, slot in enumerate(tokenizer.pattern_slots, 1)
        )
        return cls(
            label, tokenizer.name, tokenizer.implementation, tokenizer.family, origin.files, origin.choices,
            tuple(patterns), tokenizer.warnings, origin.repository,
        )  # fmt: skip

    @property
    def typed(self) -> bool:
        """Whether a pattern is not the model's own."""
        return any(each.typed for each in self.patterns)

    def record(self) -> Record:
        """The tokenizer as plain values for JSON."""
        files = [
            {"name": file.name, "bytes": file.size, "sha256": file.sha256, "hashed_bytes": file.hashed}
            for file in self.files
        ]
        record: Record = plain_values(self._replace(files=(), choices=()))
        if not self.repository:
            del record["repository"]
        return record | {"files": files, "choices": dict(self.choices)}

    def cells(self) -> dict[str, object]:
        """The cells of every CSV row. Several values are separated by spaces."""
        return {
            "model": self.model,
            "implementation": self.implementation,
            "file": " ".join(file.name for file in self.files),
            "file_sha256": " ".join(file.digest for file in self.files),
            **({"repository": self.repository} if self.repository else {}),
            "pattern_typed": self.typed,
            "pattern_sha256": " ".join(digest(each.regex) for each in self.patterns),
        }

    def long_cells(self) -> dict[str, object]:
        """The cells of its first CSV row: the patterns, one per line, and the choices as JSON."""
        return {
            "pattern": "\n".join(each.regex for each in self.patterns) or None,
            "choices": json.dumps(dict(self.choices), ensure_ascii=False) if self.choices else None,
        }


@dataclass(frozen=True, slots=True)
class Provenance:
    """The provenance of an export.

    tokenizers: each with a unique label. text: exactly as the tokenizers got it; None if the export isn't about a
    single text. options: by name; empty if nothing was encoded. version: of the explorer.

    >>> import explorer
    >>> found = Provenance.of([explorer.load("gpt-2")], "hi", Options())
    >>> found.file_name("tokens", "csv")
    'gpt-2@huggingface-tokens-8f434346.csv'
    >>> found.record()["tokenizers"][0]["files"][0]["name"]
    'gpt2.tokenizer.json'
    """

    tokenizers: tuple[TokenizerProvenance, ...]
    text: str | None
    options: Mapping[str, object]
    version: str = __version__

    @classmethod
    def of(
        cls,
        tokenizers: Sequence[Opened],
        text: str | None = None,
        options: Options | None = None,
        labels: Sequence[str] = (),
    ) -> Provenance:
        """The provenance of some tokenizers. labels: by default their names, which must differ then."""
        made = tuple(map(TokenizerProvenance.of, labels or [tok.name for tok in tokenizers], tokenizers))
        return cls(made, text, {} if options is None else options._asdict())

    # --- JSON ---------------------------------------------------------------------------------------------------------

    def record(self) -> Record:
        """The provenance as plain values for JSON."""
        return {
            "explorer": self.version,
            "text": self.text,
            "text_sha256": None if self.text is None else digest(self.text),
            "options": dict(self.options),
            "tokenizers": [each.record() for each in self.tokenizers],
        }

    def document(self, kind: str, body: Json) -> Record:
        """A whole JSON export of one of the `SCHEMAS`: its format, its provenance, and its own keys."""
        return {"format": f"tokenizer-explorer {kind} {SCHEMAS[kind]}", "provenance": self.record(), **body}

    # --- CSV ----------------------------------------------------------------------------------------------------------

    def columns(
        self, rows: Rows, sides: Mapping[str, str] | None = None, verdicts: Mapping[str, str] | None = None
    ) -> Table:
        """The table with columns for its provenance.

        sides: the column of `rows` with a tokenizer's label, by prefix for that tokenizer's columns; by default the
        only tokenizer made all rows. verdicts: a sentence for each label, in its first row. Every tokenizer and the
        text get a row, even one without other content.
        """
        sides = {"": ""} if sides is None else sides
        heading, body = list(rows[0]), [list(row) for row in rows[1:]]
        label_at = {prefix: heading.index(column) for prefix, column in sides.items() if column}
        by_label = {each.label: each for each in self.tokenizers}
        for column in label_at.values() if len(label_at) == 1 else ():
            present = {row[column] for row in body}
            body += [
                [label if at == column else None for at in range(len(heading))]
                for label in by_label
                if label not in present
            ]
        body = body or [[None] * len(heading)]
        named: dict[str, None] = {}
        seen: set[tuple[str, str]] = set()
        made: Table = []
        for row in body:
            cells: dict[str, object] = {}
            for prefix in sides:
                of = by_label[str(row[label_at[prefix]])] if prefix in label_at else self.tokenizers[0]
                first = (prefix, of.label) not in seen
                seen.add((prefix, of.label))
                if verdicts is not None:
                    cells[f"{prefix}verdict"] = verdicts.get(of.label) if first else None
                cells |= {f"{prefix}{name}": value for name, value in of.cells().items()}
                cells |= {f"{prefix}{name}": value if first else None for name, value in of.long_cells().items()}
            cells |= self.options
            if self.text is not None:
                cells |= {"text_sha256": digest(self.text), "whole_text": None if made else self.text}
            cells["explorer"] = self.version
            named |= dict.fromkeys(cells)
            made.append([*row, *cells.values()])
        return [[*heading, *named], *made]

    # --- Markdown -----------------------------------------------------------------------------------------------------

    def lines(self) -> list[str]:
        """A section of Markdown. The text and the patterns are JSON strings, which keep every character visible."""
        section = ["", "### Made by", "", f"- Tokenizer explorer {self.version}"]
        if self.options:
            section += [f"- Options: {shown_options(self.options)}"]
        section += [f"- {in_words(each)}" for each in self.tokenizers]
        for each in self.tokenizers:
            section += [f"- Warning of {inline(each.label)}: {inline(says)}" for says in each.warnings]
        if self.text is not None:
            size = f"{len(self.text)} characters, {len(self.text.encode())} bytes"
            section += [f"- Text: {size}, sha256 `{digest(self.text)}`"]
            section += fenced("The text, as a JSON string", self.text)
        for each in self.tokenizers:
            for number, regex, typed in each.patterns:
                own = "typed, not the model's own" if typed else "the model's own"
                section += fenced(f"Pattern {number} of {inline(each.label)} ({own}), as a JSON string", regex)
            if each.choices:
                section += fenced(f"Chosen for {inline(each.label)}", dict(each.choices))
        return section

    # --- file name ----------------------------------------------------------------------------------------------------

    def file_name(self, what: str, ending: str) -> str:
        """A file name: tokenizers, content, options that differ from the defaults, a short hash of the text."""
        names = list(dict.fromkeys(f"{each.model}@{each.implementation}" for each in self.tokenizers))
        shown = "+".join(safe(name) for name in names[:NAMED])
        parts = [f"{shown}+{len(names) - NAMED}-more" if len(names) > NAMED else shown, what]
        if self.text is not None:  # exports about many texts don't state the options in their names
            parts += [f"no-{name.replace('_', '-')}" for name, on in self.options.items() if on is False]
        if any(each.typed for each in self.tokenizers):
            parts += [f"pattern-{short_hash(repr([each.patterns for each in self.tokenizers]))}"]
        parts += [] if self.text is None else [short_hash(self.text)]
        return f"{'-'.join(parts)}.{ending}"

    def file_names(self, what: str) -> dict[str, str]:
        """By ending, the name of a file with an export. what: its kind."""
        return {ending: self.file_name(what, ending) for ending in ENDINGS}


ENDINGS = ("json", "csv", "md")
"""Of the files that an export is written to."""

LONGEST_LINK = 2_000
"""Characters of a text that fits into a URL."""


def link_of(
    label: str, implementation: str, text: str, options: Options, choices: Iterable[tuple[str, str]] = ()
) -> dict[str, str]:
    """The parameters that open a text in the app, where its tokenizer has this label."""
    query = {} if len(text) > LONGEST_LINK else {"text": text}
    query |= {"m": label, "as": implementation, **{f"choose_{key}": value for key, value in choices}}
    switches = {"special": options.add_special, "parse": options.parse_special}
    return query | {name: "false" for name, on in switches.items() if not on}


COLUMNS: Mapping[str, list[Any]] = read_toml(__file__, "columns.toml")
"""The headings of tables."""

NAMED = 2
"""The most tokenizers in a file name."""

LONGEST_NAME = 40
"""The most characters of one tokenizer in a file name."""

RESERVED = re.compile(r"(?i:con|prn|aux|nul|com\d|lpt\d)(?=\.|@|$)")
"""Names that Windows reserves for devices, with any suffix."""


def safe(name: str) -> str:
    """A name that every file system accepts: letters, digits and a few signs, no leading dot or dash.

    >>> safe("../a b/tokenizer.json@llama.cpp"), safe("nul.json"), safe("…")
    ('a-b-tokenizer.json@llama.cpp', '_nul.json', 'tokenizer')
    """
    kept = "".join(ch if ch.isalnum() or ch in "._@" else "-" for ch in unicodedata.normalize("NFC", name))
    short = re.sub(r"-+", "-", re.sub(r"\.\.+", ".", kept)).lstrip(".-")
    name, at, implementation = short.rpartition("@")
    short = f"{name[:LONGEST_NAME]}{at}{implementation}" if at else short[:LONGEST_NAME]
    short = short.strip("-") or "tokenizer"
    return f"_{short}" if RESERVED.match(short) else short


def digest(text: str) -> str:
    """The sha256 of a text's UTF-8."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def short_hash(text: str) -> str:
    """The first characters of the sha256, for a name."""
    return digest(text)[:8]


def shown_options(options: Mapping[str, object]) -> str:
    """Options in words.

    >>> shown_options({"add_special": False, "parse_special": True, "field": "text"})
    'without “Add BOS/EOS”, with “Recognize control tokens”, field `text`'
    """
    words = {True: "with", False: "without"}
    switches = switch_names()
    return ", ".join(
        f"{words[value]} “{switches.get(name) or name}”" if isinstance(value, bool) else f"{name} {inline(str(value))}"
        for name, value in options.items()
    )


@cache
def switch_names() -> dict[str, str | None]:
    """What pages call an option, by its name in a call; None where that isn't another."""
    return {name.replace(" ", "_"): known.get("shown") for name, known in read_toml(__file__, "words.toml").items()}


def in_words(made: TokenizerProvenance) -> str:
    """A tokenizer as one line of Markdown."""
    files = ", ".join(f"{inline(file.name)} (sha256 `{file.digest}`)" for file in made.files)
    runs = f"model {inline(made.model)} as {inline(made.implementation)} runs it"
    on_hub = f", of {inline(made.repository)} on the Hugging Face Hub" if made.repository else ""
    return f"{inline(made.label)}: {runs}, file {files or 'none'}{on_hub}"


def inline(text: str) -> str:
    """A short text as inline code, whatever it contains.

    >>> inline("a|b"), inline("x`y")
    ('`a|b`', '`` x`y ``')
    """
    shown = " ".join("".join(ch if ch.isprintable() else " " for ch in text).split())
    ticks = max(re.findall("`+", shown), default="") + "`"
    return f"{ticks} {shown} {ticks}" if len(ticks) > 1 or not shown else f"`{shown}`"


def fenced(what: str, value: object) -> list[str]:
    """A value as JSON in a code block, with a fence longer than any in it."""
    written = json.dumps(value, ensure_ascii=False)
    fence = max("``", *re.findall("`+", written)) + "`"
    return ["", f"{what}:", "", f"{fence}json", written, fence]


@dataclass(frozen=True, slots=True)
class Export:
    """One answer as JSON, CSV or Markdown.

    kind: a key of `SCHEMAS`. body, rows, says: functions that give the content of the JSON, the CSV and the Markdown,
    called only if that form is wanted. sides, verdicts: as for `Provenance.columns`.

    >>> import explorer
    >>> from explorer.engine.part import Options
    >>> tok = explorer.load("gpt-2")
    >>> by = Provenance.of([tok], "hi", Options())
    >>> made = Export("encoding", by, lambda: {"ids": [5303]}, lambda: [["id"], [5303]])
    >>> made.json()[:46]
    '{"format": "tokenizer-explorer encoding 1", "p'
    >>> made.csv().splitlines()[0]
    'id,model,implementation,file,file_sha256,pattern_typed,pattern_sha256,pattern,choices,add_special,parse_special,\
text_sha256,whole_text,explorer'
    """

    kind: str
    provenance: Provenance
    body: Callable[[], Json]
    rows: Callable[[], Rows] = list
    says: Callable[[], Iterable[str]] = list
    sides: Mapping[str, str] = field(default_factory=lambda: {"": ""})
    verdicts: Mapping[str, str] | None = None

    def json(self) -> str:
        """A JSON object on one line."""
        return json.dumps(self.provenance.document(self.kind, self.body()), ensure_ascii=False)

    def csv(self) -> str:
        """A table, the heading first."""
        return write_csv(self.provenance.columns(self.rows(), self.sides, self.verdicts))

    def markdown(self) -> str:
        """Sentences and tables, then their provenance."""
        return "\n".join([*self.says(), *self.provenance.lines()]) + "\n"

    @property
    def texts(self) -> dict[str, Callable[[], str]]:
        """By the ending of a file, what writes it."""
        return dict(zip(ENDINGS, (self.json, self.csv, self.markdown), strict=True))

    @property
    def file_names(self) -> dict[str, str]:
        """By ending, the name of a file with this export."""
        return self.provenance.file_names(self.kind)


# --- sentences and tables as lines of Markdown ------------------------------------------------------------------------

MOST = 100
"""The most rows of a table."""


def table_lines(says: Iterable[str], rows: Sequence[Sequence[object]]) -> list[str]:
    """Sentences and a table whose first row is its heading.

    >>> for line in table_lines(["It is so."], [["a", "b"], [1, None]]): print(line)
    It is so.
    <BLANKLINE>
    | a | b |
    | --- | --- |
    | 1 |  |
    """
    lines = [line for each in says for line in (escaped(each), "")]
    heading, *body = rows
    lines += table(heading, (["" if value is None else value for value in row] for row in body[:MOST]))
    if len(body) > MOST:
        lines += ["", f"And {len(body) - MOST} more."]
    return lines


def table(heading: Sequence[object], rows: Iterable[Sequence[object]]) -> list[str]:
    """A table in Markdown."""
    lines = [heading, ["---"] * len(heading), *rows]
    return [f"| {' | '.join(escaped(str(value)) for value in line)} |" for line in lines]


def escaped(text: str) -> str:
    """A text escaped for Markdown, on one line.

    >>> escaped("<b> | *a*")
    '\\\\<b\\\\> \\\\| \\\\*a\\\\*'
    """
    return "".join(f"\\{ch}" if ch in "\\`*_{}[]<>|#~" else ch for ch in " ".join(text.split()))
