"""The measures of a corpus result for a paper, as the page draws them: a table with intervals, and definitions.

A value is marked as best only where its paired difference from every other one excludes 0.
"""

from collections.abc import Sequence
from html import escape

from explorer.corpus.measures import KNOWN, definition
from explorer.tables import Json
from explorer.text.say import Figure, Words

ARROWS = {"low": ("↓", "less is better"), "high": ("↑", "more is better"), "": ("", "")}


def table_html(paper: Json, keys: Sequence[str], words: Words) -> str:
    """The table. The classes are those of `ui/styles/paper.css`."""
    heads = "".join(head_html(words(KNOWN[key]["heading"]), *map(words, ARROWS[KNOWN[key]["better"]])) for key in keys)
    body = "".join(
        f'<tr><th scope="row">{escape(name)}</th>'
        + "".join(value_html(key, paper["values"][key][at], paper["best"].get(key) == at, words) for key in keys)
        + "</tr>"
        for at, name in enumerate(paper["tokenizers"])
    )
    return (
        f'<div class="tk-paper" role="region" tabindex="0" aria-label="{words("Measures")}"><table>'
        f"<thead><tr><td></td>{heads}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def head_html(name: str, arrow: str, says: str) -> str:
    """The heading of a column."""
    better = f' <span role="img" aria-label="{says}" title="{says}">{arrow}</span>' if arrow else ""
    return f'<th scope="col">{escape(name)}{better}</th>'


def value_html(key: str, interval: Sequence[float | None], best: bool, words: Words) -> str:
    """One value with its interval."""
    numbers = [words(Figure(format(each, KNOWN[key]["form"]))) for each in interval if each is not None]
    value, *ends = numbers or ["–"]
    return f"<td{' class=best' * best}>{value}<small>{'–'.join(ends)}</small></td>"


def definitions_html(paper: Json, keys: Sequence[str], words: Words) -> str:
    """What each measure is."""
    rows = (
        f"<div><dt>{escape(words(KNOWN[key]['heading']))}</dt>"
        f"<dd>{escape(words(definition(key, paper['settings'])))}</dd></div>"
        for key in keys
    )
    return f'<dl class="tk-paper-says">{"".join(rows)}</dl>'
