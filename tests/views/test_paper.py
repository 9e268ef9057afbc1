"""The measures for a paper as the Corpus page draws them: the sample's result, with its intervals and its figure."""

from __future__ import annotations

import re
from html import unescape

import pytest

from explorer.corpus.measures import KNOWN, figure, printed
from explorer.corpus.result import Result, only
from explorer.corpus.sample import sample_result
from explorer.errors import InputError
from explorer.tables import Json
from explorer.text.say import Words
from explorer.ui.corpus import with_titles
from explorer.views.paper import definitions_html, table_html


@pytest.fixture(scope="module")
def result() -> Result:
    return with_titles(sample_result())


def paper_of(result: Result) -> Json:
    assert result.paper is not None
    return {**result.paper, "tokenizers": result.tokenizers, "settings": dict(result.paper["settings"])}


def cells(html: str) -> list[list[list[str]]]:
    """The texts of a table, row by row."""
    rows = re.findall(r"<tr>(.*?)</tr>", html)
    return [
        [unescape(re.sub("<[^>]*>", " ", each)).split() for each in re.findall("<t[hd].*?</t[hd]>", row)]
        for row in rows
    ]


def test_the_table_has_each_value_with_its_interval(result: Result) -> None:
    assert result.paper is not None
    heading, *rows = cells(table_html(paper_of(result), ["premium", "renyi"], str))
    assert [each[:1] for each in heading] == [[], ["Premium"], ["Rényi"]]
    for at, (row, name) in enumerate(zip(rows, result.tokenizers, strict=True)):
        value, low, high = result.paper["values"]["premium"][at]
        assert " ".join(row[0]) == name
        assert row[1] == [f"{value:.2f}", f"{low:.2f}–{high:.2f}"]
        assert row[2] == [f"{result.paper['values']['renyi'][at][0]:.2f}"]


def test_a_tokenizer_is_best_only_where_no_interval_holds_0(result: Result) -> None:
    paper = paper_of(result)
    assert 0 < len(paper["best"]) < len(KNOWN)
    for key in paper["values"]:
        assert table_html(paper, [key], str).count("class=best") == (key in paper["best"])
    costs = [value for value, *_ in paper["values"]["premium"]]
    best = result.tokenizers[costs.index(min(costs))]
    assert re.findall(r'scope="row">([^<]*)</th><td class=best', table_html(paper, ["premium"], str)) == [best]
    others = only(result, {name for name in result.tokenizers if name != best})
    assert "class=best" not in table_html(paper_of(others), ["premium"], str)
    fewer = only(result, {best, result.tokenizers[-1]})
    assert re.findall(r'scope="row">([^<]*)</th><td class=best', table_html(paper_of(fewer), ["premium"], str)) == [
        best
    ]


def test_names_of_strangers_are_text(result: Result) -> None:
    paper = paper_of(result._replace(tokenizers=("<b>x</b>", *result.tokenizers[1:])))
    paper["settings"]["reference"] = "<b>x</b>"
    for html in (table_html(paper, ["nsl"], str), definitions_html(paper, ["nsl"], str)):
        assert "<b>" not in html
        assert "&lt;b&gt;x" in html


def test_the_figure_shows_premiums_of_the_first_tokenizers(result: Result) -> None:
    paper = paper_of(result)
    points = figure(paper)["layer"][1]["data"]["values"]
    assert {each["tokenizer"] for each in points} == set(result.tokenizers[:3])
    names = list(dict.fromkeys(each["language"] for each in points))
    assert len(names) == 8
    of_first = [each["premium"] for each in points if each["tokenizer"] == result.tokenizers[0]]
    assert of_first == sorted(of_first)
    assert max(of_first) == max(each[0][0] for each in paper["premiums"].values())
    assert all(each["low"] <= each["premium"] <= each["high"] for each in points)
    drawn = printed(".svg", paper)
    assert all(name in drawn.decode() for name in names)
    # one legend, of the colors and the shapes, within the figure's width
    (legend,) = re.findall(r'"Symbol legend for shape and stroke color with 3 values: (.*?)"', drawn.decode())
    assert legend == ", ".join(result.tokenizers[:3])
    assert drawn.count(b"role-legend-symbol") == 3
    assert printed(".pdf", paper).startswith(b"%PDF")
    with pytest.raises(InputError, match="baseline"):
        figure(paper | {"premiums": {}})


def test_the_figure_is_said_in_a_language(result: Result) -> None:
    upper: Words = str.upper
    assert "TOKENS PER LINE" in str(figure(paper_of(result), upper))
