"""A tokenizer's card for a page: HTML with all text escaped, and tables of its special and user-defined tokens."""

from collections.abc import Iterable
from html import escape

import pandas as pd

from explorer.analysis.card import Card, ListedToken, code_lines, shown
from explorer.facts import Fact
from explorer.text import visible
from explorer.text.say import Text, Words, in_a_row, worded

FEW = 24
"""Up to this many tokens are listed; more get a searchable table."""


def card_html(card: Card, words: Words = str) -> str:
    """The card without the lists of tokens. The classes are those of `ui/styles/card.css`.

    words: says a text in the visitor's language.

    >>> from explorer.analysis.card import Card
    >>> card_html(Card("x", "BPE", "toy", (("file", "<b>.json"),), (), ("model",), (), (), (), ()))[:83]
    '<div class="tk-card"><dl><dt><bdi>file</bdi></dt><dd><bdi>&lt;b&gt;.json</bdi></dd>'
    """
    rows = (*card.about, *card.numbers, ("stages", in_a_row(*map(worded, card.stages), between="{0:t} → {1:t}")))
    said = ((words(word), words(what) if isinstance(what, Text) else what) for word, what in rows)
    definitions = "".join(f"<dt>{isolated(word)}</dt><dd>{isolated(what)}</dd>" for word, what in said)
    return (
        '<div class="tk-card">'
        + section("Warnings", card.warnings, words, "tk-warnings")
        + f"<dl>{definitions}</dl>"
        + "".join(section(topic[:1].upper() + topic[1:], facts, words) for topic, facts in card.topics)
        + section("In the file, but not used", card.unused, words, "tk-unused")
        + "</div>"
    )


def facts_html(title: str, facts: Iterable[Fact], words: Words) -> str:
    """More facts, as a card of their own."""
    return f'<div class="tk-card">{section(title, facts, words)}</div>'


def section(title: str, facts: Iterable[Fact], words: Words, name: str = "tk-topic") -> str:
    """A list of facts under a title; empty without facts."""
    listed = "".join(fact_html(fact, words) for fact in facts)
    return f'<section class="{name}"><h4>{isolated(words(title))}</h4><ul>{listed}</ul></section>' if listed else ""


def fact_html(fact: Fact, words: Words) -> str:
    """One fact: its sentence, its key in the file, and what it quotes."""
    place = f" <small>{isolated(fact.place)}</small>" if fact.place else ""
    lines = escape("\n".join(code_lines(fact)))
    code = f'<pre dir="ltr" tabindex="0">{lines}</pre>' if lines else ""
    return f"<li>{isolated(words(fact.says))}{place}{code}</li>"


def isolated(text: str) -> str:
    """Escaped text that cannot reverse the text around it."""
    return f"<bdi>{escape(shown(text))}</bdi>"


def tokens_html(tokens: Iterable[ListedToken], words: Words = str) -> str:
    """A few tokens: spelling, id, kind."""
    return '<ul class="tk-special">' + "".join(
        f"<li><code>{isolated(visible(token.piece))}</code> <b>{token.id}</b> <small>{words(token.kind)}</small></li>"
        for token in tokens
    ) + "</ul>"  # fmt: skip


def table_of_listed(tokens: Iterable[ListedToken], wanted: str = "", words: Words = str) -> pd.DataFrame:
    """The tokens whose spelling, id or kind contains `wanted`, ignoring case.

    >>> tokens = [ListedToken(1, "<s>", "control"), ListedToken(32, "<pad>", "control")]
    >>> table_of_listed(tokens, "PA")["id"].tolist(), len(table_of_listed(tokens, "control"))
    ([32], 2)
    """
    wanted = wanted.strip().casefold()
    said = (token._replace(kind=words(token.kind)) for token in tokens)
    found = [token for token in said if any(wanted in str(value).casefold() for value in token)]
    return pd.DataFrame(
        {
            "id": [token.id for token in found],
            "piece": [visible(token.piece) for token in found],
            "kind": [token.kind for token in found],
        }
    )
