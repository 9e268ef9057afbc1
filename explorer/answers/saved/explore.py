"""Explore as a saved page, for whoever asks on the page."""

from __future__ import annotations

from explorer.answers.explore import Request, tokenizer, trace_of
from explorer.answers.questions import question
from explorer.saved.explore import LONGEST_LINK, explore_page
from explorer.saved.page import html


@question
def explore_file(request: Request, start: int, stored: bool, app: str) -> tuple[str, str]:
    """A text under one tokenizer: the name of the file, and the file.

    start: of the window that is drawn. app: the URL that its links lead to.
    """
    spec = request.spec
    back = link_of(request) | ({"at": str(start)} if start else {})
    page = explore_page(tokenizer(spec), trace_of(request), title=spec.title, start=start, stored=stored, back=back)
    return page.file_name, html(page, app)


def link_of(request: Request) -> dict[str, str]:
    """The parameters that open a text on Explore."""
    spec, text, options = request
    query = {"text": text} if len(text) <= LONGEST_LINK else {}
    query |= {"m": spec.offer.label, "as": spec.implementation}
    query |= {f"choose_{key}": value for key, value in spec.choices}
    switches = {"special": options.add_special, "parse": options.parse_special}
    return query | {name: "false" for name, on in switches.items() if not on}
