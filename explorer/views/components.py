"""The browser components: which files of `ui/components` each is made of, those files as one text, and their keys.

Streamlit's pages and saved pages (`explorer.saved`) run the same JavaScript, so both take it from here. A component is
a folder of small `.js` and `.css` files, joined in the given order: without a bundler or imports, and with one `export
default` in the last file. A file may use names of the files before it, and of those in `base/`. `KEYS` has the keys of
every page, which the list behind "?" shows; each says which file listens to it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from explorer.learning.languages import ENGLISH, Phrases
from explorer.views.glossary import WORDS, Word
from explorer.views.glossary import for_browsers as glossary_for_browsers

UI: Final = Path(__file__).parent.parent / "ui"
FOLDER: Final = UI / "components"
"""Where the components' folders are."""
EMBLEM: Final = (UI / "emblem.svg").read_text("utf-8")
"""🤗 under a bracket over its four bytes."""

SHARED_JS: Final = ("dom.js", "glossary.js", "sentences.js", "events.js", "address.js", "selection.js")
"""Files of `base/` that know no component."""
BASE_JS: Final = (*SHARED_JS, "mounts.js")
"""The files of `base/` that every component begins with, in order."""


class Component(NamedTuple):
    """What a component is made of.

    folder: below `FOLDER`. js, css: its own files, in order. html: the fixed markup that it starts from: never user
    text, and hidden if it must not be visible before it is styled. constants: plain data that never changes, by the
    name the code knows it by.
    """

    folder: str
    js: Sequence[str]
    css: Sequence[str] = ()
    html: str = '<div class="tx"></div>'
    constants: Mapping[str, Any] = MappingProxyType({})

    @property
    def code(self) -> str:
        """Its own JavaScript, after its constants."""
        known = "".join(f"const {name} = {json.dumps(value)};\n" for name, value in self.constants.items())
        return known + join(self.folder, self.js)

    @property
    def styles(self) -> str:
        """Its own styles."""
        return join(self.folder, self.css)


def join(folder: str, files: Sequence[str]) -> str:
    """The files of a folder as one text, each after a comment with its name. Raises FileNotFoundError.

    >>> join("stepper", ["log.js"]).startswith("/* stepper/log.js */")
    True
    """
    paths = [(f"{folder}/{name}", FOLDER / folder / name) for name in files]
    return "\n".join(f"/* {name} */\n{path.read_text(encoding='utf-8')}" for name, path in paths) + "\n"


def base_styles() -> str:
    """The styles that all components begin with."""
    return join("base", ["base.css"])


def glossary() -> str:
    """The words that components explain, as JSON."""
    return json.dumps(glossary_for_browsers(), ensure_ascii=False)


def words_in(to: Phrases) -> dict[str, Any]:
    """What components say and explain in another language (`base/sentences.js`); nothing for English.

    >>> from explorer.learning.languages import phrases
    >>> words_in(phrases("de"))["words"]["Play"], words_in(phrases("en"))
    ('Abspielen', {})
    """
    if to.language == ENGLISH:
        return {}
    known = [Word(*to.glossary[each.word]) for each in WORDS if each.word in to.glossary]
    return {"words": dict(to.components), "glossary": glossary_for_browsers(known)}


PICTURE: Final = ("../picture/actions.js", "../picture/picture.js")
"""The files that draw a picture of an answer, before a component's own; they need `EMBLEM`."""

STEPPER: Final = Component(
    "stepper",
    (
        "unpack.js", "player.js", "panel.js", "strip.js", "queue.js", "heap.js", "table.js", "output.js", "lattice.js",
        "bits.js", "layers.js", "log.js", "code.js", "transport.js", "stage.js", "keys.js", "prediction.js",
        "merges.js", "pairs.js", "merge_tree.js", "columns.js",
        "byte_line.js", "tree.js", "arcs.js", "windows.js", "reading.js", "rules.js", "reads.js",
        "together.js", "symbols.js", "words.js", "board.js", "../prompt/tokens.js", "template.js", "grown.js",
        "stepper.js",
    ),
    (
        "stepper.css", "stage.css", "bits.css", "columns.css", "scenes.css", "reading.css", "layers.css", "side.css",
        "words.css", "board.css", "../prompt/tokens.css", "template.css", "forced.css",
    ),
)  # fmt: skip
OVERVIEW: Final = Component(
    "overview",
    (*PICTURE, "tokens.js", "ribbon.js", "share.js", "lecture.js", "why_tree.js", "why.js", "overview.js"),
    ("overview.css", "ribbon.css", "why.css"),
    constants={"EMBLEM": EMBLEM},
)
ALIGNED: Final = Component(
    "aligned",
    (*PICTURE, "lines.js", "frame.js", "aligned.js"),
    ("../picture/button.css", "aligned.css"),
    constants={"EMBLEM": EMBLEM},
)
PARTING: Final = Component("parting", ("marks.js", "parting.js"), ("parting.css",))
SENTENCE: Final = Component("sentence", ("sentence.js",), ("sentence.css",))
LESSON: Final = Component(
    "lesson",
    (
        "progress.js", "drawing.js", "list.js", "asking.js", "trying.js", "../overview/lecture.js", "card.js",
        "paper.js", "next.js", "../prompt/tokens.js", "prompt_rows.js", "lesson.js",
    ),
    ("lesson.css", "list.css", "card.css", "../prompt/tokens.css"),
    '<div class="tx le" hidden></div>',
)  # fmt: skip


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
