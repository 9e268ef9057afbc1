"""The browser components: which files of `ui/components` each is made of, those files as one text, and their keys.

Streamlit's pages and saved pages (`explorer.saved`) run the same JavaScript, so both take it from here. A component is
a folder of small `.js` and `.css` files, joined in the given order: without a bundler or imports, and with one `export
default` in the last file. A file may use names of the files before it, and of those in `base/`; components.toml lists
them. `KEYS` has the keys of every page, which the list behind "?" shows; each says which file listens to it.
"""

import json
from collections.abc import Mapping
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
    starts from: never user text, and hidden if it must not be visible before it is styled. reports: what the browser
    may report. constants: plain data that never changes, by the name the code knows it by.
    """

    folder: str
    js: str
    css: str = ""
    html: str = '<div class="tx"></div>'
    reports: str = ""
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

LESSON_DRAWINGS: Record = json.loads(Path(__file__).with_name("lesson_drawings.json").read_text("utf-8"))
"""The small drawings of the lessons by key, by `python -m tests.drawings`."""

SHARED: Json = {
    "EMBLEM": EMBLEM, "GALLERY": GALLERY, "LESSON": GALLERY["lesson"], "LESSON_DRAWINGS": LESSON_DRAWINGS,
}  # fmt: skip
"""Constants of several components, by the name that their code knows them by."""
DECLARED: Mapping[str, Record] = read_toml(__file__, "components.toml")


def component(name: str, **constants: object) -> Component:
    """A component of components.toml. constants: those that only Python knows.

    >>> component("parting").js, component("page_button").folder
    ('marks.js parting.js', 'picture')
    """
    of = DECLARED[name]
    shared = {each: SHARED[each] for each in of.get("constants", "").split()}
    return Component(**{"folder": name, **of, "constants": shared | constants})


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
