"""The kinds of step of the pre-tokenizer's stepper, with their sentences.

A regex and a scanner decide the same way, by trying alternatives in order, but a scanner also tells what it reads: a
character ahead, the end of a run. The sentences of the level Implementation use llama.cpp's own names for that.
"""

from __future__ import annotations

from typing import Final

from explorer.engine.pre_tokenizers.stage import PreTokenizeEvent
from explorer.views.steppers.script import StepKind
from explorer.views.steppers.stories import Story, with_stories

CODE: Final = (
    "at the beginning of the text:",
    "while there is text left:",
    "    for each alternative, in order:",
    "        if it does not match here: try the next",
    "        else: what it matches is a pre-token;",
    "            go on after it",
)

SCANNED: Final = "scanned "
"""In front of the name of an event: the same, of a scanner."""

_FAILED = "Alternative {0}, {2:q}, does not match at character {1}."
_NEXT = "The next one is tried here."

_KINDS: Final[dict[PreTokenizeEvent | str, StepKind]] = {
    PreTokenizeEvent.FAILED: StepKind(
        "no", "miss", _FAILED, "{0}: {2:t}", f"It takes this: {{3:t}} {_NEXT}", (2, 3), "ring", 25),
    "rewritten": StepKind(
        "no", "miss", _FAILED, "{0}: {2:t}", "The model's own pattern has {6:q} here and would take {7:q}. "
        f"llama.cpp has rewritten it: {{3:t}} {_NEXT}", (2, 3), "diamond", 45),
    PreTokenizeEvent.PIECE: StepKind(
        "pre-token", "merge", "Alternative {0} matches: {1:q} is a pre-token.", "{0} → {1:q}",
        "It takes this: {2:t} The first "
        "alternative that matches wins, even if a later one would take more.", (2, 4, 5), "dot", 100, True),
    SCANNED + "FAILED": StepKind(
        "no", "miss", "pos {1}: rule {0}, {2:q}, does not apply.", "{0}: {2:t}",
        "llama.cpp's _get_cpt({1:i}) is {6:t}.",
        (), "ring", 25),
    SCANNED + "rewritten": StepKind(
        "no", "miss", "pos {1}: rule {0}, {2:q}, does not apply.", "{0}: {2:t}", "The model's own pattern has {6:q} "
        "and would take {7:q}. llama.cpp has rewritten it: {3:t}", (), "diamond", 45),
    PreTokenizeEvent.LOOK: StepKind(
        "look-ahead", "token", "pos {1}: llama.cpp's _get_cpt({5:i}) is {4:t}.", "{0:q}: {2:t}", "{3:t}", (), "ring",
        45),
    "look at the end": StepKind(
        "look-ahead", "token", "pos {1}: llama.cpp's _get_cpt({5:i}) is {4:t}.", "the end", "{3:t}", (), "ring", 45),
    PreTokenizeEvent.RUN: StepKind(
        "run", "info", "pos goes from {1} to {2}: a run of {5}.", "run {0:q}",
        "Then llama.cpp's _get_cpt({2:i}) is {4:t}.", (), "dot", 60),
    "run to the end": StepKind(
        "run", "info", "pos goes from {1} to {2}: a run of {5}.", "run {0:q}",
        "Then llama.cpp's _get_cpt({2:i}) is {4:t}.", (), "dot", 60),
    "full run": StepKind(
        "run", "info", "pos goes from {1} to {2}: a run of {5}.", "run {0:q}",
        "The rule takes no more.", (), "dot", 60),
    SCANNED + "PIECE": StepKind(
        "pre-token", "merge", "llama.cpp calls _add_token({6:i}): rule {0} takes {1:q}.", "{0} → {1:q}", "{5:t}",
        (), "dot", 100, True),
    PreTokenizeEvent.GAP: StepKind(
        "rest", "info", "No alternative matches within {1:q}: it stays a pre-token.", "rest {1:q}",
        "Text between two matches is a pre-token of its own.", (2, 3), "dot", 70),
    PreTokenizeEvent.REMOVED: StepKind(
        "removed", "stale", "Alternative {0} matches {1:q}, a separator: it is removed.", "{1:q} removed", "",
        (2, 4, 5), "diamond", 70),
    PreTokenizeEvent.PREFIX: StepKind(
        "prefix", "info", "{2:t} is put before the pre-token at character {1}.", "{2:t} added",
        "A word then gets the same tokens at the beginning as after a space.", (), "dot", 40),
    PreTokenizeEvent.CUT: StepKind(
        "cut", "info", "{0:t} at character {1} without taking anything: the text is cut there.", "cut", "", (2, 4),
        "diamond", 50),
    PreTokenizeEvent.MERGED_PREVIOUS: StepKind(
        "joins the one before", "merge", "{0:t} {2:q}: it joins the pre-token before it, now {1:q}.", "{2:q} to {1:q}",
        "", (2, 4, 5), "dot", 100, True),
    PreTokenizeEvent.MERGED_NEXT: StepKind(
        "begins a pre-token", "merge", "{0:t} {1:q}: it begins a pre-token, and the text after it joins it.",
        "{1:q} …", "",
        (2, 4, 5), "dot", 100, True),
    PreTokenizeEvent.JOINED: StepKind(
        "joined", "merge", "{0:t} {2:q}: it joins the text before it, now {1:q}.", "{2:q} to {1:q}", "", (2, 4, 5),
        "dot", 80),
    PreTokenizeEvent.REST_REMOVED: StepKind(
        "removed", "stale", "{1:q} is removed.", "{1:q} removed", "Only what a pattern or a script takes is kept.",
        (2, 3), "diamond", 70),
    PreTokenizeEvent.SPELLED: StepKind(
        "spelled", "info", "The space at character {1} is written {0:t}.", "{0:t} for a space",
        "Tokens can then contain what were spaces.", (), "dot", 30),
    PreTokenizeEvent.NO_PREFIX: StepKind(
        "no prefix", "miss", "Nothing is put before character {1}: {0:t}.", "no prefix", "", (), "ring", 30),
    PreTokenizeEvent.SCRIPT: StepKind(
        "script", "merge", "{1:q} is a pre-token: its script is {0:t}.", "{1:q}",
        "Spaces, and characters without a script, go to the pre-token before them.", (), "dot", 100, True),
    PreTokenizeEvent.BYTE: StepKind(
        "byte", "push", "Byte {0:t} of {1:q} is written {2:q}.", "{0:t} → {2:q}",
        "The vocabulary spells every byte as one visible character.", (), "dot", 60),
}  # fmt: skip

_STORIES: Final[dict[PreTokenizeEvent | str, Story]] = {
    PreTokenizeEvent.FAILED: Story("No at {4:q}: part {0} of the pattern takes {5:t}.", "The next part is tried."),
    "rewritten": Story("No at {4:q}: part {0} of the pattern takes {5:t}.",
                       "The model's own pattern has {6:q} and would take {7:q}."),
    PreTokenizeEvent.PIECE: Story("{1:q} is a pre-token: {3:t}.", "Merges never cross from one pre-token to the next."),
    SCANNED + "FAILED": Story("No at {4:q}: rule {0} takes {5:t}.", "The next rule is tried."),
    SCANNED + "rewritten": Story("No at {4:q}: rule {0} takes {5:t}.",
                                 "The model's own pattern has {6:q} and would take {7:q}."),
    PreTokenizeEvent.LOOK: Story("It looks ahead: {0:q} is {2:t}.", "{3:t}"),
    "look at the end": Story("It looks ahead: the text ends here.", "{3:t}"),
    PreTokenizeEvent.RUN: Story("The run {0:q} ends before {6:q}, {3:t}.", "{7:t}"),
    "run to the end": Story("The run {0:q} ends with the text.", "{7:t}"),
    "full run": Story("The run {0:q} ends: a pre-token takes no more.", "{7:t}"),
    SCANNED + "PIECE": Story("{1:q} is a pre-token: {3:t}.", "{4:t}"),
    PreTokenizeEvent.REMOVED: Story("{1:q} is a separator: it is removed."),
    PreTokenizeEvent.PREFIX: Story("{2:t} is put before the pre-token.",
                                   "A word then gets the same tokens at the beginning as after a space."),
    PreTokenizeEvent.CUT: Story("{0:t} without taking anything: the text is cut here."),
    PreTokenizeEvent.SPELLED: Story("The space is written {0:t}.", "Tokens can then contain what were spaces."),
    PreTokenizeEvent.NO_PREFIX: Story("Nothing is put before the pre-token: {0:t}."),
}  # fmt: skip

KINDS: Final = with_stories(_KINDS, _STORIES)
"""By event; by name where one event has several kinds of step."""

KIND_INDEX: Final = {kind: index for index, kind in enumerate(KINDS)}
