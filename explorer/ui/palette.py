"""What the palette answers (Ctrl K): each way in which a short text can be read, with where it leads.

Read in this order: an id or a list of ids, with the visitor's tokenizer and others; the name of a model on the Hub; a
code point; bytes; words of the index (`views/palette.toml`), of lessons, examples and pages; any text. Nothing is asked
of the Hub: its row leads to a page that offers to fetch it. Leaves out files and settings.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import quote, urlencode

from explorer.analysis.inputs import read_ids
from explorer.answers.explore import Request, first_tokens
from explorer.answers.ids import IdsRequest, decoded_text
from explorer.answers.offers import TokenizerSpec, bundled
from explorer.errors import InputError
from explorer.languages import phrases
from explorer.learning.lessons.reading import lessons_in
from explorer.text import visible
from explorer.text.input import bytes_of_hex, whole_characters
from explorer.text.say import Say, plural
from explorer.ui import PAGES
from explorer.ui.explore.controls import query_of
from explorer.ui.language import language, words
from explorer.ui.parameters import context
from explorer.ui.tokenizers.chooser import all_specs, own_spec
from explorer.ui.tokenizers.server import on_hub
from explorer.ui.tokenizers.uploads import uploads
from explorer.views import components
from explorer.views.examples import EXAMPLES

LONGEST: Final = 2_000
"""Code points of what is typed."""
MOST: Final = 8
"""Rows that words find, and tokenizers besides the visitor's that answer about ids."""
HUB_NAME: Final = re.compile(r"[\w.-]{1,96}/[\w.-]{1,96}(?:@[\w./-]{1,96})?(?::[\w./-]{1,96})?")
"""org/name, with a revision and a file or without."""
SHOWN: Final = 60
"""Code points of a text in a row."""


class Row(NamedTuple):
    """An answer: its title, a note, and where it leads, relative to the app."""

    title: str
    note: str
    href: str


@cache
def entries() -> tuple[Mapping[str, str], ...]:
    """The index, written by hand."""
    text = Path(components.__file__).with_name("palette.toml").read_text("utf-8")
    return tuple(tomllib.loads(text)["entry"])


@cache
def index(name: str) -> tuple[tuple[Row, str], ...]:
    """What words find in a language, each row with the words that find it: answers, lessons, examples, pages."""
    keys, to = ("en", "de", "ja", "words"), phrases(name)
    found = [(Row(each[name], "", each["href"]), " ".join(each[key] for key in keys)) for each in entries()]
    for id, lesson in lessons_in(name).items():
        found.append((Row(lesson.title, "", f"learn?lesson={quote(id)}"), lesson.title))
    for example in EXAMPLES:
        found.append((Row(to.words(example.label), to.words(example.shows), f"./?{query_of(example)}"), example.label))
    for path in sorted(PAGES.glob("*.py")):
        title = path.stem.capitalize()
        href = "./" if path.stem == "explore" else path.stem
        found.append((Row(to.words(title), to.words("Page"), href), f"{title} {to.words(title)}"))
    return tuple((row, text.lower()) for row, text in found)


def found_by_words(typed: str) -> list[Row]:
    """The rows in which each typed word begins one of theirs; a Japanese one may be anywhere."""
    wanted = typed.lower().split()
    return [
        row
        for row, text in index(language())
        if all(re.search((r"\b" if each.isascii() else "") + re.escape(each), text) for each in wanted)
    ][:MOST]


def specs() -> list[TokenizerSpec]:
    """The visitor's tokenizer, else the first; then those that the visitor uploaded or compares."""
    own, known = own_spec() or next(iter(bundled().values())).spec(), all_specs()
    names = [*(offer.spec().name for offer in uploads().offers.values()), *context().kept.get("with", ())]
    others = [known[name] for name in dict.fromkeys(names) if name in known and name != own.name]
    return [own, *others[:MOST]]


def link(page: str, spec: TokenizerSpec, **query: str) -> str:
    """The address of a page with a tokenizer."""
    return f"{page}?{urlencode({'m': spec.offer.label, 'as': spec.implementation, **query})}"


def rows_of_ids(typed: str) -> Iterator[Row]:
    """What an id or a list of ids is in each tokenizer."""
    ids = read_ids(typed)
    for spec in specs():
        href = link("vocabulary", spec, token=str(ids[0])) if len(ids) == 1 else link("./", spec, ids=str(ids))
        try:
            text = decoded_text(IdsRequest(spec, typed, False))
        except InputError as error:
            yield Row(spec.title, str(error), link("vocabulary" if len(ids) == 1 else "./", spec))
        else:
            yield Row(visible(text[:SHOWN]), spec.title, href)


def row_of_text(text: str, note: str = "") -> Row:
    """What a text is in the visitor's tokenizer."""
    spec = specs()[0]
    try:
        count = plural(len(first_tokens(Request(spec, text), None)), "token")
        said = words(Say.of("{0:t}: {1:t}", spec.title, count))
    except InputError as error:
        said = str(error)
    return Row(note or visible(text[:SHOWN]), said, link("./", spec, text=text))


def rows(typed: str) -> list[Row]:
    """All answers to what is typed, the likeliest first. Any text may come."""
    text = whole_characters(typed[:LONGEST]).strip()
    if not text:
        return found_by_words("")
    found: list[Row] = []
    if re.fullmatch(r"[\d\s,;\[\](){}|]+", text):
        try:
            found += rows_of_ids(text)
        except InputError as error:
            found.append(Row(str(error), "", "./"))
    if HUB_NAME.fullmatch(text):
        said = words("A model on the Hub, which is asked only once you fetch it")
        if on_hub(text) is None:
            said = words("This server does not fetch this model. Drop its tokenizer.json.")
        found.append(Row(text, said, f"./?{urlencode({'m': text})}"))
    point = re.fullmatch(r"[Uu]\+([0-9A-Fa-f]{1,6})", text)
    code = int(point[1], 16) if point else 0
    if 0 < code < 0xD800 or 0xE000 <= code < 0x110000:
        found.append(row_of_text(chr(code), f"U+{code:04X} {visible(chr(code))}"))
    if re.fullmatch(r"(?:0x|\\x)?[0-9A-Fa-f]{2}(?:[\s,]*(?:0x|\\x)?[0-9A-Fa-f]{2})+", text):
        with suppress(InputError):
            data = bytes_of_hex(text, LONGEST)
            query = urlencode({"bytes": data.hex(" ").upper(), "stage": "utf8"})
            found.append(Row(visible(data.decode("utf-8", "replace")[:SHOWN]), words("Bytes"), f"./?{query}"))
    return [*found, *found_by_words(text), row_of_text(text)]
