"""What the Compare page compares, and the downloads of a view."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from explorer.analysis.exports.export import Export
from explorer.analysis.provenance import Provenance
from explorer.answers.explore import tokenizer
from explorer.answers.offers import TokenizerSpec
from explorer.engine.options import Options

FORMATS = ("json", "csv", "md")
"""File endings of the downloads."""


class CompareRequest(NamedTuple):
    """Specs by their names on the page, the baseline's name, the text and the options.

    typed: the text as it is in the field, before `escapes` are read.
    """

    specs: Mapping[str, TokenizerSpec]
    text: str
    typed: str
    escapes: bool
    add_special: bool
    parse_special: bool
    baseline: str

    @property
    def names(self) -> list[str]:
        """The names of the specs, in order."""
        return list(self.specs)

    def title(self, name: str) -> str:
        """What people call a spec."""
        return self.specs[name].title

    def of(self, spec: TokenizerSpec) -> tuple[TokenizerSpec, str, bool, bool]:
        """One spec with the text and the options, as the questions take them."""
        return spec, self.text, self.add_special, self.parse_special


class FileNames(NamedTuple):
    """The names of a view's downloads, in the order of `FORMATS`."""

    json: str
    csv: str
    md: str

    @classmethod
    def of(cls, export: Export) -> FileNames:
        """The names that an export gives its files."""
        return cls(*map(export.file_name, FORMATS))


def file_text(export: Export, ending: str) -> str:
    """The export as one of the `FORMATS`."""
    return {"json": export.json, "csv": export.csv, "md": export.markdown}[ending]()


def provenance_of_all(request: CompareRequest) -> Provenance:
    """The provenance of a view about all tokenizers of a request."""
    toks = [tokenizer(each) for each in request.specs.values()]
    return Provenance.of(toks, request.text, Options(request.add_special, request.parse_special), request.names)


def provenance_of(name: str, spec: TokenizerSpec, text: str, add_special: bool, parse_special: bool) -> Provenance:
    """The provenance of a view about one tokenizer. name: on the page."""
    return Provenance.of([tokenizer(spec)], text, Options(add_special, parse_special), [name])
