"""The steps of the partition: their sentences, and the code they run.

Arguments of a step: 0 the token or the text, 1 its id, 2 a number of tokens or characters in words, 3 the index of a
code point (llama.cpp's offset counts bytes), 4 why.
"""

from __future__ import annotations

from enum import Enum, auto

from explorer.views.steppers.script import StepKind
from explorer.views.steppers.stories import Story, with_stories

CODE = (
    "fragments = [the text]",
    "for each special token, the longest first:",
    "    if it may not be parsed: go on",
    "    for each fragment that is still text:",
    "        while the token is in it:",
    "            what is left of it stays text",
    "            the token is a fragment of its own",
    "            drop white space beside it, if asked",
    "            go on with what is right of it",
)
CODE_AT_ONCE = (
    "at = the beginning",
    "while a token begins at or after that:",
    "    take the first, of several there the longest",
    "    special, and not to be parsed: skip it",
    "    single_word: no letter may touch it",
    "    lstrip, rstrip: it takes the white space",
    "    what is left of it stays text",
    "    the token is a fragment of its own",
    "    at = after it",
    "what is left stays text",
)
SOURCE = (
    "tokenizer_st_partition(buffer, parse_special):",
    "  for special_id in cache_special_tokens:",
    "    if !parse_special && attr & (CONTROL | UNKNOWN): continue",
    "    for fragment in buffer, if RAW_TEXT:",
    "      match = raw_text.find(special_token, offset)",
    "      if match == npos: break",
    "      left: RAW_TEXT, without its spaces if LSTRIP",
    "      special token: TOKEN",
    "      right: RAW_TEXT, without its spaces if RSTRIP",
    "tokenize, for SPM: is_prev_special = true",
    "  for fragment in buffer:",
    "    RAW_TEXT: if add_space_prefix && is_prev_special: text = ' ' + text",
    "              tokenize it; is_prev_special = false",
    "    TOKEN: output it; is_prev_special = true",
)


class Cut(Enum):
    """What a step does."""

    NOT_PARSED = auto()
    PASSED_OVER = auto()
    NOT_THERE = auto()
    NONE_THERE = auto()
    TOKEN = auto()
    STRIPPED = auto()
    NOT_A_WORD = auto()
    TAKEN_TWICE = auto()
    TEXT = auto()
    PREFIXED = auto()
    AFTER_TOKEN = auto()


def kinds(at_once: bool) -> dict[Cut, StepKind]:
    """The kinds of steps. at_once: all tokens are searched together, as in Hugging Face's library."""

    def lines(one_by_one: tuple[int, ...], together: tuple[int, ...]) -> tuple[int, ...]:
        return together if at_once else one_by_one

    return with_stories({
        Cut.NOT_PARSED: StepKind(
            "not parsed", "miss", "{2:t}: “parse special” is off, so none of them is searched.", "{2:t} not parsed", "",
            lines((1, 2), (3,)), "ring", 30, source=(1, 2)),
        Cut.PASSED_OVER: StepKind(
            "not parsed", "miss", "{0:q} ({1:i}) is at index {3}, but “parse special” is off: it stays text.",
            "{0:q} not parsed", "", lines((1, 2), (3,)), "ring", 60, True, source=(1, 2)),
        Cut.NOT_THERE: StepKind(
            "not there", "miss", "{2:t} searched in every fragment: not there. The last one was {0:q} ({1:i}).",
            "{2:t} not there", "A longer token is searched before a shorter one, so that it is not cut apart.",
            (1, 3, 4), "ring", 30, source=(1, 3, 4, 5)),
        Cut.NONE_THERE: StepKind(
            "not there", "miss", "{2:t} searched from the left, all at once: none is in the text.", "{2:t} not there",
            "", (0, 1, 9), "ring", 30),
        Cut.TOKEN: StepKind(
            "cut out", "token", "{0:q} is at index {3}: a fragment of its own, token {1:i}.", "{0:q} → {1:i}", "{4:t}",
            lines((3, 4, 5, 6, 8), (2, 6, 7, 8)), "dot", 100, True, source=(3, 4, 6, 7, 8)),
        Cut.STRIPPED: StepKind(
            "stripped", "stale", "{0:q} ({1:i}) strips {2:t} at index {3}.", "{0:q} strips {2:t}", "{4:t}",
            lines((7,), (5,)), "diamond", 50, source=(6, 8)),
        Cut.NOT_A_WORD: StepKind(
            "stays text", "miss", "{0:q} ({1:i}) is at index {3}, but Hugging Face's single_word fails: {4:t}.",
            "{0:q}: no word",
            "It counts only as a word of its own.", lines((), (4,)), "diamond", 70, True),
        Cut.TAKEN_TWICE: StepKind(
            "taken twice", "token", "{0:q} ({1:i}) at index {3} is white space that the token before has stripped.",
            "{0:q} twice", "The original uses it twice and continues after this token.", lines((), (6, 7)), "dot", 80,
            True),
        Cut.TEXT: StepKind(
            "text", "info", "{0:q} stays text, at index {3}.", "{0:q} is text", "The next stages tokenize it.",
            lines((8,), (9,)), "dot", 45, source=(8,)),
        Cut.PREFIXED: StepKind(
            "text", "info", "RAW_TEXT {0:q}: llama.cpp's is_prev_special is true: ' ' is put in front, then it is "
            "false.",
            "{0:q} is text", "{4:t}", (8,), "dot", 45, source=(10, 11, 12)),
        Cut.AFTER_TOKEN: StepKind(
            "token", "token", "TOKEN {0:q} ({1:i}): it is output, and llama.cpp's is_prev_special is true.",
            "{0:q} is a token", "",
            (6,), "dot", 45, source=(10, 13)),
    }, {
        Cut.NOT_PARSED: Story("{2:t}: none of them is searched.", "“Parse special” is off: they are ordinary text."),
        Cut.PASSED_OVER: Story("{0:q} is in the text, but it is not searched: it stays text.",
                               "“Parse special” is off, so that a reader's text cannot command the model."),
        Cut.NOT_THERE: Story("{2:t} searched: not in the text.",
                             "Longer tokens come first, so that none is cut apart by a shorter one."),
        Cut.NONE_THERE: Story("{2:t} searched, all at once: none is in the text."),
        Cut.TOKEN: Story("{0:q} is found and cut out: token {1:i}.",
                         "It is a token already. The text left and right of it goes on by itself."),
        Cut.STRIPPED: Story("{0:q} takes {2:t} with it.", "{4:t}"),
        Cut.NOT_A_WORD: Story("{0:q} is in the text, but it stays text: {4:t}.",
                              "This token counts only as a word of its own."),
        Cut.TAKEN_TWICE: Story("{0:q} is white space that the token before it has taken already: both have it."),
        Cut.TEXT: Story("{0:q} stays text.", "The next stages make tokens of it."),
        Cut.PREFIXED: Story("{0:q} stays text, and a space will be put in front of it.", "{4:t}"),
        Cut.AFTER_TOKEN: Story("{0:q} is a token: it is done.", "Text after it will get a space in front."),
    })  # fmt: skip
