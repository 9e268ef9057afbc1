"""Explore as a saved page, for whoever asks on the page."""

from __future__ import annotations

from explorer.answers.explore import Request, tokenizer, trace_of
from explorer.answers.questions import question
from explorer.saved.explore import LONGEST_LINK, explore_page
from explorer.saved.page import html


@question
def explore_file(request: Request, stored: bool, app: str) -> tuple[str, str]:
    """A text under one tokenizer: the name of the file, and the file. app: the URL that its links lead to."""
    spec = request.spec
    page = explore_page(tokenizer(spec), trace_of(request), title=spec.title, stored=stored, back=link_of(request))
    return page.file_name, html(page, app)


def link_of(request: Request) -> dict[str, str]:
    """The parameters that open a text on Explore."""
    spec, text, options = request
    query = {"text": text} if len(text) <= LONGEST_LINK else {}
    query |= {"m": spec.offer.label, "as": spec.implementation}
    query |= {f"choose_{key}": value for key, value in spec.choices}
    switches = {"special": options.add_special, "parse": options.parse_special}
    return query | {name: "false" for name, on in switches.items() if not on}
