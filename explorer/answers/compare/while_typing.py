"""While typing: which earlier tokens change as the text grows by one character at a time."""

from __future__ import annotations

from typing import NamedTuple

import altair as alt

from explorer.analysis.exports.comparisons import stability_export
from explorer.analysis.exports.export import Export
from explorer.analysis.prefix_stability import Stability, stability
from explorer.answers.compare.request import FileNames, file_text, provenance_of
from explorer.answers.explore import tokenizer
from explorer.answers.offers import TokenizerSpec
from explorer.answers.questions import question
from explorer.text.say import Say, plain
from explorer.views.compare.typing_chart import chart_of_typing, typing_say
from explorer.views.spelled import speller_of


@question(lambda stability: 1_000_000)
def stability_of(spec: TokenizerSpec, text: str, parse_special: bool) -> Stability:
    """The tokens of every prefix of the text."""
    return stability(tokenizer(spec), text, parse_special=parse_special)


class TypingView(NamedTuple):
    """A text as it is typed. chart: None for an empty text."""

    say: Say
    chart: alt.Chart | None
    names: FileNames


@question(lambda view: 1_000_000)
def typing_view(name: str, spec: TokenizerSpec, text: str, parse_special: bool) -> TypingView:
    """Which earlier tokens change while the text is typed, as a chart."""
    found = stability_of(spec, text, parse_special)
    chart = chart_of_typing(found, speller_of(tokenizer(spec).trace(""), stored=False)) if found.prefixes else None
    return TypingView(typing_say(found), chart, FileNames.of(typing_export(name, spec, text, parse_special)))


def typing_export(name: str, spec: TokenizerSpec, text: str, parse_special: bool) -> Export:
    """The same as an export."""
    found = stability_of(spec, text, parse_special)
    return stability_export(provenance_of(name, spec, text, False, parse_special), found, plain(typing_say(found)))


@question(len)
def typing_download(name: str, spec: TokenizerSpec, text: str, parse_special: bool, ending: str) -> str:
    """The same as a file."""
    return file_text(typing_export(name, spec, text, parse_special), ending)
