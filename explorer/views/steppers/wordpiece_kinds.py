"""The steps of WordPiece: their sentences, and the code they run. Units are characters or, in llama.cpp, bytes."""

from __future__ import annotations

from explorer.engine.models.wordpiece import WordPieceEvent
from explorer.views.steppers.model_script import FOLLOW
from explorer.views.steppers.script import StepKind
from explorer.views.steppers.stories import Story, with_stories

CODE = {
    "character": (
        "for each word:",
        "    if it has more than 100 characters:",
        "        output [UNK]; next word",
        "    start = 0",
        "    while start < the end of the word:",
        "        for end from the end of the word down to start + 1:",
        "            piece = word[start:end], after ## if start > 0",
        "            if it is in the vocabulary: leave the loop",
        "        if no piece is found: discard, output [UNK]; next word",
        "        keep the piece; start = end",
        "    output the pieces kept",
    ),
    "byte": (
        "for each word:",
        "    word = ▁ + word",
        "    start = 0",
        "    while start < the end of the word:",
        "        for end from start + longest piece + 1 down to start + 1:",
        "            piece = word[start:end], in bytes",
        "            if it is in the vocabulary: leave the loop",
        "        if no piece is found: discard, output [UNK]; next word",
        "        keep the piece; start = end",
        "    output the pieces kept",
    ),
}
LINES = {
    "character": {"word": (0,), "long": (1, 2), "miss": (5, 6, 7), "hit": (7, 9), "discard": (8,), "done": (10,)},
    "byte": {"word": (0, 1), "long": (), "miss": (4, 5, 6), "hit": (6, 8), "discard": (7,), "done": (9,)},
}

LIMITED = len(WordPieceEvent)
"""A miss whose window ends before the word ends."""
SHORTEST = LIMITED + 1
"""A miss after which nothing shorter is left to try."""


STORIES: dict[int, Story] = {
    WordPieceEvent.WORD: Story("The next word is {1:q}, {2:t}{3:t}.", "It is taken apart from the left."),
    WordPieceEvent.HIT: Story("{2:q} is the longest piece that fits: token {3:t}.", "A match is never taken back."),
    WordPieceEvent.DISCARD: Story(
        "No piece fits here: {2:t}, and the whole word becomes {3:q}.", "{5:t}"),
}  # fmt: skip


def kinds(unit: str) -> list[StepKind]:
    """The kinds of step, in the order of `WordPieceEvent`; unit: character or byte."""
    at = LINES[unit]
    shorter = (
        "The window shrinks by one character."
        if unit == "character"
        else "The window shrinks by one byte, even if that cuts a character."
    )
    begins = "A piece within a word is spelled with ## before it." if unit == "character" else (
        "The ▁ is a phantom: it isn't in the text, but tells pieces that begin a word from those that continue one."
    )  # fmt: skip
    told = [
        StepKind("word", "info", "Word {0}: {1:q}, {2:t}{3:t}.", "word {1:q}", begins, at["word"], "ring", 30),
        StepKind(
            "unknown", "byte", "The word has {0} characters, more than {1}: it is not matched and becomes {2:q}, token "
            "{3:t}.", "too long → {2:q}", "The limit bounds the time a long word may take.", at["long"], "dot", 100,
            True),
        StepKind(
            "miss", "miss", "{0}–{1}: {2:q} is not in the vocabulary.", "{2:q}: no piece", shorter, at["miss"], "ring",
            25),
        StepKind(
            "hit", "merge", "{0}–{1}: {2:q} is token {3:t}, the longest piece that fits here. Go on at {1}.",
            "{2:q} {3:t}", "A match is never taken back.", at["hit"], "dot", 80, True),
        StepKind(
            "discard", "stale", "At {0} no piece fits: {2:t}, and the whole word becomes {3:q}, token {4:t}.",
            "discard, {3:q}", "{5:t}", at["discard"], "diamond", 100, True),
        StepKind("done", "token", "The word is complete: {0:t} to the output.", "{0:t} out", "", at["done"], "dot", 60),
        StepKind(
            "miss", "miss", "{0}–{1}: {2:q} is not in the vocabulary. The word is longer, but a window has at most {3} "
            "bytes.", "{2:q}: no piece", "That is one more than max_token_len, the {4} bytes of the longest piece; "
            f"llama.cpp counts bytes, not characters. {shorter}", at["miss"], "ring", 25),
        StepKind(
            "miss", "miss", "{0}–{1}: {2:q} is not in the vocabulary.", "{2:q}: no piece",
            f"It is one {unit} long: the window can't shrink any more.", at["miss"], "ring", 25),
        FOLLOW,
    ]  # fmt: skip
    missed = f"{{2:q}} is not in the vocabulary. Try it without its last {unit}."
    stories = {
        **STORIES,
        WordPieceEvent.MISS: Story(missed, "The goal is the longest piece that fits."),
        LIMITED: Story(missed, "No piece is longer than this."),
        SHORTEST: Story("{2:q} is not in the vocabulary.", f"It is one {unit} long: no shorter start is left."),
    }
    return list(with_stories(dict(enumerate(told)), stories).values())
