"""The keys of every page: what the list behind "?" shows. Each says which file of the components listens to it."""

from __future__ import annotations

from typing import Final, NamedTuple


class Key(NamedTuple):
    """keys: as they are printed, alternatives apart. does: what happens. names: as the code has them (`keyName`)."""

    keys: tuple[str, ...]
    does: str
    names: tuple[str, ...]


class Keys(NamedTuple):
    """Keys that one thing on a page listens to. pages: those that have it, all if none. file: in `ui/components/`."""

    title: str
    pages: frozenset[str]
    file: str
    keys: tuple[Key, ...]


STEPS: Final = frozenset({"explore", "compare", "train", "learn"})
LECTURES: Final = frozenset({"explore", "learn", "prompt"})
TOKENS: Final = LECTURES - {"prompt"}

KEYS: Final = (
    Keys("Steps", STEPS | {"prompt"}, "stepper/stepper.js", (
        Key(("←", "→"), "one step back, one on", ("ArrowLeft", "ArrowRight")),
        Key(("Shift ←", "Shift →"), "to the merge before or after, or what counts as one here",
            ("Shift+ArrowLeft", "Shift+ArrowRight")),
        Key(("Space",), "play, pause", ("Space",)),
        Key(("Home", "End"), "to the first step, the last", ("Home", "End")),
    )),
    Keys("Steps in the panel of a stage", STEPS, "stepper/keys.js", (
        Key(("1 to 9",), "to a phase", ("String(index + 1)",)),
        Key(("P",), "ask what happens next before it is shown", ("p:",)),
    )),
    Keys("A presenter's remote", STEPS - {"learn"}, "stepper/keys.js", (
        Key(("Page Up", "Page Down"), "one step back, one on", ("PageUp", "PageDown")),
    )),
    Keys("A presenter's remote in a lecture", frozenset({"explore"}), "overview/overview.js", (
        Key(("Page Up", "Page Down"), "before the first step, to the stage before; past the last, to the next",
            ("explorer-past",)),
    )),
    Keys("Lecture", LECTURES, "overview/lecture.js", (
        Key(("F",), "fill the screen, or leave it", ("f:",)),
        Key(("B",), "make the screen black, and back, in a lecture", ("b:",)),
        Key(("Esc",), "leave the lecture", ("Escape",)),
    )),
    Keys("Tokens above the stages", TOKENS, "overview/tokens.js", (
        Key(("←", "→"), "another token", ("ArrowLeft", "ArrowRight")),
        Key(("W",), "why is there a cut after this one", ('"w"',)),
    )),
    Keys("A border in the text", frozenset({"explore", "compare"}), "border/border.js", (
        Key(("←", "→"), "the border before, after", ("ArrowLeft", "ArrowRight")),
        Key(("Shift ←", "Shift →"), "the next that keeps the ids", ("Shift+ArrowLeft", "Shift+ArrowRight")),
        Key(("Esc",), "back to the stage, or the rows", ("Escape:",)),
    )),
    Keys("In the place of a stage", frozenset({"explore"}), "overview/overview.js", (
        Key(("B",), "what a cut in the text does to the ids, and back", ('"b"',)),
        Key(("O",), "other ways to cut the text, and back", ('"o"',)),
    )),
    Keys("Other ways to cut the text", frozenset({"explore"}), "ways/ways.js", (
        Key(("R",), "draw again, or the next draw", ("actions.r",)),
        Key(("Esc",), "back to the stage", ("Escape:",)),
    )),
    Keys("Rows of cells", frozenset({"explore", "compare"}), "aligned/aligned.js", (
        Key(("←", "→"), "another cell", ("ArrowLeft", "ArrowRight")),
        Key(("↑", "↓"), "the row above, below", ("ArrowUp", "ArrowDown")),
        Key(("Enter",), "a cell's details; then Tab goes to their links, Esc back", ("Enter",)),
    )),
    Keys("Expected ids", frozenset({"compare"}), "aligned/aligned.js", (
        Key(("N", "Shift N"), "the next place that differs, the one before", ("n:", "N:")),
    )),
    Keys("While typing", frozenset({"compare"}), "aligned/stairs.js", (
        Key(("↑", "↓"), "the key before, after", ("ArrowUp", "ArrowDown")),
        Key(("Home", "End"), "the first key, the last", ('"Home"', '"End"')),
    )),
    Keys("Where they part", frozenset({"compare"}), "parting/parting.js", (
        Key(("N", "Shift N"), "the next place, the one before", ("n:", "N:")),
    )),
    Keys("Marks on the text", frozenset({"compare"}), "parting/marks.js", (
        Key(("←", "→"), "another mark; Enter chooses it", ("ArrowLeft", "ArrowRight")),
        Key(("Home", "End"), "the first mark, the last", ("Home", "End")),
    )),
    Keys("Tokenizers compared", frozenset({"compare"}), "tokenizer_chips/tokenizer_chips.js", (
        Key(("Delete",), "remove it from the comparison", ('"Delete"',)),
    )),
    Keys("Lessons", frozenset({"learn"}), "lesson/card.js", (
        Key(("Page Down", "N"), "the next card", ("PageDown", "n:")),
        Key(("Page Up", "Shift N"), "the card before", ("PageUp", "N:")),
    )),
    Keys("Questions of a lesson", frozenset({"learn"}), "lesson/asking.js", (
        Key(("1 to 9",), "an answer", ("/^[1-9]$/",)),
        Key(("Enter",), "check it", ('"Enter"',)),
        Key(("S", "Page Down"), "show the answer", ('"s"',)),
        Key(("A",), "another question", ('"a"',)),
    )),
    Keys("The rows of a prompt", frozenset({"prompt"}), "prompt/rows.js", (
        Key(("[", "]"), "the warning before, the next one", ('"[":', '"]":')),
        Key(("←", "→"), "another token", ("ArrowLeft", "ArrowRight")),
        Key(("↑", "↓"), "the message above, below", ("ArrowUp", "ArrowDown")),
        Key(("Enter",), "the template", ('"Enter"',)),
        Key(("E",), "edit its message", ('"e"',)),
    )),
    Keys("A message", frozenset({"prompt"}), "prompt/editor.js", (
        Key(("Alt ↑", "Alt ↓"), "move it up, down", ("ArrowUp", "ArrowDown")),
    )),
    Keys("The list of tokens", frozenset({"vocabulary"}), "vocabulary/list.js", (
        Key(("↑", "↓"), "another token", ("ArrowUp", "ArrowDown")),
        Key(("Page Up", "Page Down"), "ten tokens up, down", ("PageUp", "PageDown")),
        Key(("Home", "End"), "the first token, the last", ("Home", "End")),
    )),
    Keys("Languages", frozenset({"corpus", "compare"}), "premiums/dots.js", (
        Key(("←", "→"), "the language that pays less, more", ("ArrowLeft", "ArrowRight")),
        Key(("Home", "End"), "the one that pays least, most", ('"Home"', '"End"')),
    )),
    Keys("Everywhere", frozenset(), "key_list/key_list.js", (
        Key(("?",), "this list", ('"?"',)),
        Key(("Esc",), "close what is open, else leave the field", ('"Escape"', "leaveField")),
    )),
)  # fmt: skip
"""In the order of the list."""


def keys_of(page: str) -> list[list[object]]:
    """The keys of a page, by its name, as its list shows them: titles with rows of keys and what they do.

    >>> keys_of("corpus")[-1]
    ['Everywhere', [[['?'], 'this list'], [['Esc'], 'close what is open, else leave the field']]]
    """
    return [
        [each.title, [[list(key.keys), key.does] for key in each.keys]]
        for each in KEYS
        if not each.pages or page in each.pages
    ]
