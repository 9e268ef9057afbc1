"""Changes to a chat template that may repair it, each at a line that is to blame; `check` tries them.

A change is made to the source as text, never to what the template means elsewhere. Nothing here knows whether one
helps.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from explorer.analysis.ownership import common
from explorer.prompts.run import WORDS
from explorer.tables import read_toml
from explorer.text.say import Say, plain


class Repair(NamedTuple):
    """A changed template. say: what was changed. line: the first that differs. before, after: its first such tag."""

    say: Say
    source: str
    line: int
    before: str
    after: str

    @classmethod
    def of(cls, say: Say, before: str, after: str, line: int) -> Repair:
        """Of a template's source before and after it. line: where it is looked for first."""
        old, new = before.split("\n"), after.split("\n")
        is_there = 0 < line <= len(old) == len(new) and old[line - 1] != new[line - 1]
        at = sum(len(each) + 1 for each in old[: line - 1]) if is_there else 0
        moved = sum(len(each) + 1 for each in new[: line - 1]) - at if is_there else 0
        same = common(before[at:], after[at + moved :])
        number = before.count("\n", 0, at + same) + 1
        return cls(say, after, number, _tag(before, at + same), _tag(after, at + moved + same))

    def record(self) -> dict[str, Any]:
        """The repair as data of JSON."""
        return {"sentence": plain(self.say), "line": self.line, "before": self.before, "after": self.after}


def _tag(source: str, at: int) -> str:
    """The tag around a character, on one line."""
    start = max(source.rfind(each, 0, at + 1) for each in ("{{", "{%"))
    ends = [end + 2 for each in ("}}", "%}") if (end := source.find(each, at)) >= 0]
    return " ".join(source[max(start, 0) : min(ends, default=len(source))].split())


LOOP = re.compile(r"\{%[-+]?\s*for\b")
LONGEST = 100_000
"""Characters of a template that is repaired."""
MOST_LINES = 12
"""Lines that are changed alone, before all are."""


def repairs(source: str, verdict: str, line: int) -> Iterator[Repair]:
    """Changes to try for a verdict of `check.Verdict`. line: to blame, 0 if unknown."""
    if len(source) > LONGEST:
        return
    for pattern, put, said in (each[1:] for each in CHANGES if verdict in each[0]):
        lines = [n for n, text in enumerate(source.split("\n"), 1) if pattern.search(text)]
        tried = dict.fromkeys((line, *lines[:MOST_LINES], 0))
        for changed in dict.fromkeys(_changed(source, pattern, put, each) for each in tried):
            if changed != source:
                yield Repair.of(said, source, changed, line)


def _changed(source: str, pattern: re.Pattern[str], put: str, line: int) -> str:
    """A template whose tags are changed: those of a line, or all for 0. What a loop runs over stays."""
    pieces, at, number = list[str](), 0, 1
    while (start := min((n for n in (source.find("{{", at), source.find("{%", at)) if n >= 0), default=-1)) >= 0:
        end = source.find("}}" if source[start + 1] == "{" else "%}", start) + 2
        if end < 2:
            break
        number += source.count("\n", at, start)
        tag = source[start:end]
        last = number + tag.count("\n")
        is_meant = (not line or number <= line <= last) and not LOOP.match(tag)
        pieces += [source[at:start], pattern.sub(put, tag) if is_meant else tag]
        at, number = end, last
    return "".join(pieces) + source[at:]


_TABLE = read_toml(__file__, "repairs.toml")
CHANGES: tuple[tuple[Any, ...], ...] = (
    *(
        (row["verdicts"], re.compile(row["pattern"].replace("VALUE", _TABLE["value"])), row["put"], Say(row["says"]))
        for row in _TABLE["change"]
    ),
    *(
        (("escaped as HTML",), re.compile(pattern), instead, Say("Without {0:q} nothing is escaped.", name))
        for name, (pattern, instead) in WORDS["escaping"].items()
    ),
)
"""For which verdicts, what is looked for, what is put in its place, and what that does."""
