"""What a live page asks the engine, which runs in the visitor's own browser: the questions of Explore and Compare.

`saved/live_worker.js` calls `answer`. Requests and answers are JSON. What the engine refuses is an answer, too:
`{"error": …}`.

A question is about: `name`, of a tokenizer, or its path, or `names` of several; `text`, or `ids` as they were pasted;
`special` and `parse`, as in `Options`; `stored`, tokens as the vocabulary stores them; `language`. Leaves out the
questions of other pages, patterns, other ways to cut, and downloads.
"""

import json
from types import SimpleNamespace
from typing import Any

from explorer.analysis.export import link_of
from explorer.answers.compare import CompareRequest, parting_view, rows_view
from explorer.answers.explore import (
    IdsRequest,
    Request,
    decode_section,
    decode_view,
    decoded_text,
    tokenizer,
    trace_of,
    why_of,
)
from explorer.answers.saved import place_data, spec_of
from explorer.engine.part import Options
from explorer.errors import InputError
from explorer.languages import phrases
from explorer.saved.explore import explore_data, in_words
from explorer.saved.page import in_base64

BACK = ("decode", "utf8")
"""The stages of the way from ids to text, by their keys."""


def request(of: Any, name: str) -> Request:
    """The text of a question under a tokenizer. name: a model's, or a path."""
    return Request(spec_of(name, ()), of.text, Options(of.special, of.parse))


def pasted(of: Any) -> IdsRequest:
    """The ids of a question, as they were pasted."""
    return IdsRequest(spec_of(of.name, ()), of.ids, of.special)


def explore(of: Any) -> dict[str, Any]:
    """A text under a tokenizer, as `panels.js` draws it. start: of the window."""
    about = request(of, of.name)
    spec, link = about.spec, link_of(about.spec.offer.label, about.spec.implementation, about.text, about.options)
    return explore_data(
        tokenizer(spec), trace_of(about), spec.title, link,
        start=of.start, stored=of.stored, language=of.language, explains=False,
    )  # fmt: skip


def why(of: Any) -> Any:
    """The card for a token or a cut, such as "token 3"; None where there is none."""
    kind, number = of.card.split(" ")
    card = why_of(request(of, of.name), of.start, of.stored, kind == "cut", int(number))
    return phrases(of.language).data(card)


def rows(of: Any) -> dict[str, Any]:
    """A text under several tokenizers, as `rowsPanel` draws it."""
    about = [request(of, name) for name in of.names]
    specs = {each.spec.name: each.spec for each in about}
    query = CompareRequest(specs, of.text, about[0].options, of.text, False, about[0].spec.name)
    view = rows_view(query, 0, of.stored, of.language)
    return {
        "drawn": view.drawn.json, "id": view.drawn.id, "say": phrases(of.language).data(view.say),
        "parting": view.parting, "names": query.names, "labels": query.labels(),
    }  # fmt: skip


def parting(of: Any) -> dict[str, Any]:
    """One place where two tokenizers part, as `comparison.js` draws it. place: its number, None for the first."""
    left, (right, *_) = (request(of, name) for name in of.names)
    view, scripts = parting_view(left, right, of.place), dict[str, str]()
    place = place_data(view, left, right, scripts, of.language)
    return {
        "labels": view.labels, "number": view.place, "count": len(view.picture["places"]),
        "place": place, "scripts": scripts,
    }  # fmt: skip


def backwards(of: Any) -> dict[str, Any]:
    """Ids on their way back to text, as `panels.js` draws it."""
    about = pasted(of)
    _, top, *_ = decode_view(about, 0, of.stored)
    nodes = in_words([node for node in top.stages if node.key in BACK], phrases(of.language))
    sections = {key: decode_section(about, 0, of.stored, key, of.language)._asdict() for key in BACK}
    overview = {**top._replace(stages=nodes).data, "explains": False}
    return {"overview": overview, "focus": BACK[0], "sections": sections}


def decode(of: Any) -> str:
    """The text of ids."""
    return decoded_text(pasted(of))


QUESTIONS = {each.__name__: each for each in (explore, why, rows, parting, backwards, decode)}


def answer(request: str) -> str:
    """What a request asks, as JSON. request: the name of a function above, and what it is about.

    >>> json.loads(answer('{"what": "decode", "of": {"name": "gpt-2", "ids": "15496", "special": true}}'))
    {'is': 'Hello'}
    >>> json.loads(answer('{"what": "decode", "of": {"name": "gpt-2", "ids": "99999", "special": true}}'))["error"]
    'id number 1: 99999 is not in this vocabulary, whose ids are 0 to 50256; give ids of the same model'
    """
    query = json.loads(request, object_hook=lambda each: SimpleNamespace(**each))
    try:
        return json.dumps({"is": QUESTIONS[query.what](query.of)}, default=in_base64)  # bytes of a script
    except InputError as error:
        return json.dumps({"error": str(error)})
