"""A script in another language: its sentences, the words put into them, and its captions.

Code stays as it is, and so do texts from input and vocabulary.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from explorer.languages import ENGLISH, Phrases
from explorer.script.script import Script, StepKind, by_position

SAYS: Final = ("say", "why", "story", "story_why")
CAPTIONS: Final = frozenset(
    {"title", "tab", "note", "taken", "empty", "idle", "heads", "counts", "layers", "columns", "lines"}
)
"""What a track shows beside its rows."""
WITHIN: Final = frozenset({"title", "note", "name"})
"""What it shows of each of its layers and columns."""


def in_language(script: Script, to: Phrases) -> Script:
    """The same script, said in another language; the script itself in English."""
    if to.language == ENGLISH:
        return script
    data, (said, fields) = script.data, script.start
    changed: dict[str, Any] = {
        "title": to.caption(data["title"]),
        "landmark": to.caption(data["landmark"]),
        "texts": [text if index in script.spelled else to.text(text) for index, text in enumerate(data["texts"])],
        "start": {**data["start"], **{part: by_position(to.words(each), fields) for part, each in said.items()}},
        "kinds": [kind_in(sent, kind, to) for sent, kind in zip(data["kinds"], script.kinds, strict=True)],
        "phases": [{**phase, "name": to.caption(phase["name"])} for phase in data["phases"]],
        "code": {**data["code"], "title": to.caption(data["code"]["title"])},
        "roles": [{**role, "label": to.caption(role["label"])} for role in data["roles"]],
        "tracks": [
            {key: captions(value, to) if key in CAPTIONS else value for key, value in track.items()}
            for track in data["tracks"]
        ],
    }
    return replace(script, data={**data, **changed})


def kind_in(sent: Mapping[str, Any], kind: StepKind, to: Phrases) -> dict[str, Any]:
    """A kind of step, as it is sent."""
    said = {part: by_position(to.words(getattr(kind, part)), kind.fields) for part in SAYS if sent[part]}
    values = [(line, by_position(to.caption(value), kind.fields)) for line, value in kind.values]
    return {**sent, **said, "values": values, "label": to.caption(kind.label)}


def captions(value: Any, to: Phrases) -> Any:
    """A caption, or those within a list."""
    if isinstance(value, str):
        return to.caption(value)
    if isinstance(value, list | tuple):
        return [captions(each, to) for each in value]
    if isinstance(value, dict):
        return {key: captions(each, to) if key in WITHIN else each for key, each in value.items()}
    return value
