"""A script in another language: its sentences, the texts put into them, and its captions, from a language's table.

A script is made in English, with its fields by position. Tables know the sentences of a kind as its text has them, with
named fields; those of the initial state by position. Code stays as it is, and so do texts from input and vocabulary.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from explorer.learning.languages import ENGLISH, Phrases
from explorer.script.script import Script, by_position, declared
from explorer.text.say import FIELD

SAYS: Final = ("say", "why", "story", "story_why")
CAPTIONS: Final = frozenset(
    {"title", "tab", "note", "taken", "empty", "idle", "heads", "counts", "layers", "columns", "lines"}
)
"""What a track shows beside its rows."""
WITHIN: Final = frozenset({"title", "note", "name"})
"""What it shows of each of its layers and columns."""


def in_language(script: Script, phrases: Phrases) -> Script:
    """The same script, said in another language; the script itself in English."""
    if phrases.language == ENGLISH:
        return script
    data = script.data
    changed: dict[str, Any] = {
        "title": phrases.caption(data["title"]),
        "landmark": phrases.caption(data["landmark"]),
        "texts": [text if index in script.spelled else phrases.value(text) for index, text in enumerate(data["texts"])],
        "start": {
            **data["start"],
            **{part: phrases.words(data["start"][part]) for part in SAYS if part in data["start"]},
        },
        "kinds": [kind_in(kind, fields, phrases) for kind, fields in zip(data["kinds"], script.fields, strict=True)],
        "phases": [{**phase, "name": phrases.value(phrases.caption(phase["name"]))} for phase in data["phases"]],
        "code": {**data["code"], "title": phrases.caption(data["code"]["title"])},
        "roles": [{**role, "label": phrases.caption(role["label"])} for role in data["roles"]],
        "tracks": [
            {key: captions(value, phrases) if key in CAPTIONS else value for key, value in track.items()}
            for track in data["tracks"]
        ],
    }
    return replace(script, data={**data, **changed})


def kind_in(kind: Mapping[str, Any], fields: str, phrases: Phrases) -> dict[str, Any]:
    """A kind of step, its fields by position before and after."""
    said = {part: by_position(phrases.words(by_name(kind[part], fields)), fields) for part in SAYS if kind[part]}
    values = [(line, by_position(phrases.caption(by_name(value, fields)), fields)) for line, value in kind["values"]]
    return {**kind, **said, "values": values, "label": phrases.caption(kind["label"])}


@lru_cache(2_000)
def by_name(template: str, fields: str) -> str:
    """A template with its fields by name, shown as declared unless it says otherwise.

    >>> by_name("{1:q} is token {2:i}, {1:t}", "cell joined:q id:i")
    '{joined} is token {id}, {joined:t}'
    """
    known = list(declared(fields).items())

    def named(field: re.Match[str]) -> str:
        if field[1] is None:
            return field[0]
        name, usual = known[int(field[1])]
        how = field[2] or ""
        return f"{{{name}}}" if how == usual else f"{{{name}:{how}}}"

    return FIELD.sub(named, template)


def captions(value: Any, phrases: Phrases) -> Any:
    """A caption, or those within a list."""
    if isinstance(value, str):
        return phrases.caption(value)
    if isinstance(value, list | tuple):
        return [captions(each, phrases) for each in value]
    if isinstance(value, dict):
        return {key: captions(each, phrases) if key in WITHIN else each for key, each in value.items()}
    return value
