"""What a live page asks this engine, which runs in the visitor's own browser: a text's stages, why, rows to compare.

`worker.js` calls `answer`. Requests and answers are JSON. What the engine refuses is an answer, too: `{"error": …}`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Any, Final

from explorer.analysis.alignment import align
from explorer.analysis.export import link_of
from explorer.analysis.round_trip import decoding
from explorer.engine.part import Options
from explorer.engine.tokenizer import Trace
from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.languages import phrases
from explorer.opening.catalog import load
from explorer.saved.explore import explore_data, section_data, title_of
from explorer.script.packing import window_of
from explorer.stages.decoders.losses import round_trip
from explorer.stages.spelling import Form
from explorer.text.say import plural
from explorer.views.compare.aligned import aligned
from explorer.views.compare.parting import rows_say
from explorer.views.overview import Node, Overview, sections
from explorer.views.why_card import cards_of


@lru_cache(6)
def opened(name: str) -> Opened:
    """A tokenizer by the name or path that `explorer.load` takes."""
    return load(name)


@lru_cache(4)
def traced(name: str, text: str, special: bool, parse: bool) -> Trace:
    """A text under a tokenizer."""
    return opened(name).trace(text, add_special=special, parse_special=parse)


def explore(
    name: str, text: str, special: bool, parse: bool, stored: bool, start: int, language: str
) -> dict[str, Any]:
    """A text under a tokenizer, as `panels.js` draws it."""
    tokenizer = opened(name)
    link = link_of(tokenizer.name, tokenizer.implementation, text, Options(special, parse))
    trace, title = traced(name, text, special, parse), title_of(tokenizer)
    return explore_data(tokenizer, trace, title, link, start=start, stored=stored, language=language, explains=False)


def why(asked: str, name: str, text: str, special: bool, parse: bool, stored: bool, start: int, language: str) -> Any:
    """The card for a token or a cut; None where there is none. asked: such as "token 3"."""
    tokenizer, trace = opened(name), traced(name, text, special, parse)
    back, window = round_trip(tokenizer, trace), window_of(trace, start)
    drawn = {each.key: each.script for each in sections(tokenizer, trace, back, window, None, stored)}
    cards = cards_of(tokenizer, trace, drawn.get, tokenizer.name, Form.AS_STORED if stored else Form.AS_TEXT)
    kind, number = asked.split(" ")
    card = cards(kind == "cut", int(number))
    return None if card is None else phrases(language).data(card)


def rows(names: Sequence[str], text: str, special: bool, parse: bool, stored: bool, language: str) -> dict[str, Any]:
    """A text under several tokenizers, as `rowsPanel` draws it."""
    toks = [opened(name) for name in names]
    alignment = align(
        text, [(title_of(each), each.encode(text, add_special=special, parse_special=parse)) for each in toks]
    )
    drawn = aligned(alignment, toks, None, stored, language=language)
    return {"drawn": drawn.json, "id": drawn.id, "say": phrases(language).say(rows_say(alignment))._asdict()}


def decode(name: str, ids: Sequence[int]) -> str:
    """The text of ids."""
    return opened(name).decode(ids)


def backwards(name: str, ids: Sequence[int], stored: bool, language: str) -> dict[str, Any]:
    """Ids on their way back to text, as `panels.js` draws it."""
    tokenizer, to = opened(name), phrases(language)
    found = decoding(tokenizer, ids)
    trace, back, window = found.trace, found.round_trip, window_of(found.trace, 0)
    drawn = {each.key: each for each in sections(tokenizer, trace, back, window, None, stored) if each.key in BACK}
    said = {"decode": plural(len(trace.text), "character"), "utf8": plural(len(back.decoded.data), "byte")}
    nodes = [Node(key, to.caption(BACK[key]), to.text(to.caption(said[key])), True) for key in BACK if key in drawn]
    number = sha256(repr((name, ids, stored, language)).encode()).hexdigest()[:16]
    top = Overview.of(number, trace, tokenizer, window, nodes, stored).data
    around = {"hint": "", "explains": False, "opens": "", "leaves": None, "name": "", "border": False, "saved": {}}
    return {
        "overview": top | around,
        "focus": next((key for key in BACK if key in drawn), ""),
        "sections": {key: section_data(drawn[key], to) for key in BACK if key in drawn},
        "whys": None,
        "part": "",
    }


BACK: Final = {"decode": "Back to text", "utf8": "Bytes read"}
"""The stages of the way back."""
ASKED: Final = {each.__name__: each for each in (explore, why, rows, backwards, decode)}


def answer(request: str) -> str:
    """What a request asks, as JSON. request: the name of a function above, and its arguments by name.

    >>> json.loads(answer('{"what": "decode", "of": {"name": "gpt-2", "ids": [15496]}}'))
    {'is': 'Hello'}
    >>> json.loads(answer('{"what": "decode", "of": {"name": "gpt-2", "ids": [99999]}}'))["error"]
    'id number 1: 99999 is not in this vocabulary, whose ids are 0 to 50256; give ids of the same model'
    """
    asked = json.loads(request)
    try:
        return json.dumps({"is": ASKED[asked["what"]](**asked["of"])})
    except InputError as error:
        return json.dumps({"error": str(error)})
