"""Expected ids: ids from another program, compared with a tokenizer's own and explained."""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd

from explorer.analysis.expected import Explanation, explain
from explorer.analysis.exports.comparisons import explanation_export
from explorer.analysis.id_lists import read_ids
from explorer.answers.compare.request import FileNames, file_text, provenance_of
from explorer.answers.compare.trace import OtherTokenizers, lazy_trace
from explorer.answers.explore import tokenizer
from explorer.answers.offers import TokenizerSpec
from explorer.answers.questions import question
from explorer.text.say import Say
from explorer.views.compare.expected_table import spelled_say, table_of_expected, table_of_regions
from explorer.views.spelled import speller_of


@question(lambda explanation: 1_000_000 + 200 * len(explanation.expected))
def explanation_of(spec: TokenizerSpec, text: str, add_special: bool, parse_special: bool, pasted: str) -> Explanation:
    """Why the pasted ids differ. Raises InputError."""
    return explain(
        tokenizer(spec), text, read_ids(pasted), add_special=add_special, parse_special=parse_special,
        open_other=OtherTokenizers(spec), given=lazy_trace(spec, text, add_special, parse_special),
    )  # fmt: skip


class ExpectedView(NamedTuple):
    """Ids from another program.

    pattern: the one that gives them in place of the tokenizer's own, None if none does. regions: where they differ,
    None if they don't.
    """

    say: Say
    spelled: Say | None
    pattern: str | None
    regions: pd.DataFrame | None
    ids: pd.DataFrame
    names: FileNames


@question(lambda view: 1_000_000)
def expected_view(
    name: str, spec: TokenizerSpec, text: str, add_special: bool, parse_special: bool, pasted: str
) -> ExpectedView:
    """The pasted ids beside a tokenizer's own. name: of the spec on the page. Raises InputError."""
    request = spec, text, add_special, parse_special
    found = explanation_of(*request, pasted)
    return ExpectedView(
        Say.of("{0:t}", found.sentence),
        spelled_say(found),
        found.pattern,
        table_of_regions(found) if found.regions else None,
        table_of_expected(found, speller_of(lazy_trace(spec, text, add_special, parse_special), stored=False)),
        FileNames.of(explanation_export(provenance_of(name, *request), found)),
    )


@question(len)
def expected_download(
    name: str, spec: TokenizerSpec, text: str, add_special: bool, parse_special: bool, pasted: str, ending: str
) -> str:
    """The explanation as a file."""
    request = spec, text, add_special, parse_special
    return file_text(explanation_export(provenance_of(name, *request), explanation_of(*request, pasted)), ending)
