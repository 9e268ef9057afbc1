"""The browser components: which files of `ui/components` each is made of, those files as one text, and their keys.

Streamlit's pages and saved pages (`explorer.saved`) run the same JavaScript, so both take it from here. A component is
a folder of small `.js` and `.css` files, joined in the given order: without a bundler or imports, and with one `export
default` in the last file. A file may use names of the files before it, and of those in `base/`. `KEYS` has the keys of
every page, which the list behind "?" shows; each says which file listens to it.
"""

import json
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from explorer.languages import ENGLISH, Phrases
from explorer.languages import for_browsers as in_browsers
from explorer.tables import Json, Record, read_toml
from explorer.views.glossary import WORDS, Word, for_browsers

UI = Path(__file__).parent.parent / "ui"
FOLDER = UI / "components"
"""Where the components' folders are."""
EMBLEM = (UI / "emblem.svg").read_text("utf-8")
"""🤗 under a bracket over its four bytes."""

SHARED_JS = "dom.js glossary.js sentences.js events.js reveal.js address.js selection.js"
"""Files of `base/` that know no component."""
BASE_JS = f"{SHARED_JS} mounts.js"
"""The files of `base/` that every component begins with, in order."""


class Component(NamedTuple):
    """What a component is made of.

    folder: below `FOLDER`. js, css: its own files, in order, with spaces between them. html: the fixed markup that it
    starts from: never user text, and hidden if it must not be visible before it is styled. constants: plain data that
    never changes, by the name the code knows it by.
    """

    folder: str
    js: str
    css: str = ""
    html: str = '<div class="tx"></div>'
    constants: Json = MappingProxyType({})

    @property
    def code(self) -> str:
        """Its own JavaScript, after its constants."""
        known = "".join(f"const {name} = {json.dumps(value)};\n" for name, value in self.constants.items())
        return known + join(self.folder, self.js)

    @property
    def styles(self) -> str:
        """Its own styles."""
        return join(self.folder, self.css)


def join(folder: str, files: str) -> str:
    """The files of a folder as one text, each after a comment with its name. Raises FileNotFoundError.

    >>> join("stepper", "log.js").startswith("/* stepper/log.js */")
    True
    """
    paths = [(f"{folder}/{name}", FOLDER / folder / name) for name in files.split()]
    return "\n".join(f"/* {name} */\n{path.read_text(encoding='utf-8')}" for name, path in paths) + "\n"


def base_styles() -> str:
    """The styles that all components begin with."""
    return join("base", "base.css")


def glossary() -> str:
    """The words that components explain, as JSON."""
    return json.dumps(for_browsers(), ensure_ascii=False)


def words_in(to: Phrases) -> Record:
    """What components say and explain in another language (`base/sentences.js`); nothing for English.

    >>> from explorer.languages import phrases
    >>> words_in(phrases("de"))["words"]["Play"], words_in(phrases("en"))
    ('Abspielen', {})
    """
    if to.language == ENGLISH:
        return {}
    forms = dict(to.within("forms"))
    known = [
        Word(to.words(each.word, "term"), to.words(each.means), forms[each.forms][0])
        for each in WORDS
        if each.forms in forms
    ]
    return {"words": in_browsers(to), "glossary": for_browsers(known)}


GALLERY: Record = json.loads(Path(__file__).with_name("gallery.json").read_text("utf-8"))
"""What the gallery draws: ids and tokens of the bundled tokenizers, by `python -m tests.gallery`."""

PICTURE = "../picture/actions.js ../picture/picture.js"
"""The files that draw a picture of an answer, before a component's own; they need `EMBLEM`."""

STEPPER = Component(
    "stepper",
    "unpack.js player.js panel.js strip.js queue.js heap.js table.js output.js lattice.js bits.js "
    "layers.js log.js code.js transport.js stage.js keys.js prediction.js merges.js pairs.js "
    "merge_tree.js columns.js byte_line.js tree.js arcs.js windows.js tries.js whole.js reading.js rules.js reads.js "
    "together.js symbols.js words.js board.js ending.js ../prompt/tokens.js template.js grown.js stepper.js",
    "stepper.css stage.css bits.css columns.css scenes.css reading.css layers.css side.css words.css "
    "board.css ../prompt/tokens.css template.css ending.css forced.css",
    constants={"LESSON": GALLERY["lesson"]},
)  # fmt: skip
OVERVIEW = Component(
    "overview",
    f"{PICTURE} tokens.js ribbon.js share.js lecture.js why_tree.js why.js overview.js",
    "overview.css ribbon.css why.css",
    constants={"EMBLEM": EMBLEM},
)
ALIGNED = Component(
    "aligned",
    f"{PICTURE} lines.js frame.js aligned.js",
    "../picture/button.css aligned.css",
    constants={"EMBLEM": EMBLEM},
)
LIVE_TEXT = Component(
    "live_text",
    "text_facts.js kept_text.js live_text.js",
    "live_text.css",
    """
<div class="tx lt" hidden>
  <label for="text"></label>
  <textarea id="text" dir="auto" rows="2" spellcheck="false" autocapitalize="off" autocomplete="off"
    autocorrect="off" aria-describedby="problem note size"></textarea>
  <div class="foot">
    <p class="problem" id="problem" role="status"></p>
    <p class="note" id="note"></p>
    <p class="size" id="size"></p>
  </div>
</div>
""",
)
PARTING = Component("parting", "marks.js parting.js", "parting.css")
SENTENCE = Component("sentence", "sentence.js", "sentence.css")
LESSON = Component(
    "lesson",
    "progress.js drawing.js list.js asking.js trying.js ../overview/lecture.js story.js card.js paper.js "
    "next.js ../prompt/tokens.js prompt_rows.js lesson.js",
    "lesson.css list.css card.css ../prompt/tokens.css",
    '<div class="tx le" hidden></div>',
)  # fmt: skip
CLASSROOM = Component(
    "classroom", "line.js uqr.js start.js board.js classroom.js", "classroom.css", '<div class="tx cl" hidden></div>'
)
"""A class of several phones; not on saved pages, which have no server."""


KEYS: list[Record] = read_toml(__file__, "keys.toml")["group"]
"""The keys of every page, in groups of what one thing listens to, as keys.toml explains."""


def keys_of(page: str) -> list[list[object]]:
    """The keys of a page, by its name, as its list shows them: titles with rows of keys and what they do.

    >>> keys_of("corpus")[-1]
    ['Everywhere', [[['?'], 'this list'], [['Esc'], 'close what is open, else leave the field']]]
    """
    return [
        [each["title"], [[key["keys"], key["does"]] for key in each["keys"]]]
        for each in KEYS
        if not each["pages"] or page in each["pages"]
    ]
