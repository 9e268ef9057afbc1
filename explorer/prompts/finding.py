"""A finding: what is worth a look in a prompt, and what kinds there are, by weight."""

from enum import StrEnum
from typing import NamedTuple

from explorer.prompts.messages import Path
from explorer.text.say import Say


class Kind(StrEnum):
    """What a finding is about, by weight."""

    CONTROL = "control"
    HIDDEN = "hidden-text"
    MARKER = "marker-as-text"
    BOS_TWICE = "bos-twice"
    BORROWED = "borrowed-template"
    NO_QUESTION = "no-generation-prompt"
    RAW = "written-as-data"
    HTML = "escaped-as-html"
    AGAIN = "encoded-again"
    SYSTEM = "system-dropped"
    DROPPED = "message-dropped"
    TOOLS = "tools-dropped"
    REASONING = "reasoning-dropped"
    PART = "part-dropped"
    STRADDLES = "straddles"
    STRIPPED = "stripped"
    MOVED = "moved"
    DATE = "date"
    GOES_ON = "continued"
    OWN_SYSTEM = "own-system"
    USER_DEFINED = "marker-user-defined"
    FIELDS = "fields-dropped"
    TOOL_TOKENS = "tool-tokens"


NOTES = frozenset({Kind.USER_DEFINED, Kind.FIELDS, Kind.TOOL_TOKENS})
"""What is worth knowing, and no fault."""


class Finding(NamedTuple):
    """Something worth a look.

    sentence: what. reason: why, or what to do. message: its index, None if it is about the whole prompt. start, end:
    the tokens that it is about. line: of the template, 0 if none is named. path: in the call, () if it is about no
    field.
    """

    kind: Kind
    sentence: Say
    reason: Say
    message: int | None = None
    start: int = 0
    end: int = 0
    line: int = 0
    path: Path = ()

    @property
    def is_note(self) -> bool:
        """Whether it is no fault."""
        return self.kind in NOTES
