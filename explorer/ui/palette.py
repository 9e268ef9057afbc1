"""The head of every page: the visitor's own text and tokenizer as a chip, and what the palette answers (Ctrl K).

The own text and tokenizer go with the visitor to every page. Their state is `parameters.Context`, which every bar
writes. The head is drawn after the page, which may have taken another text from the address. While a text is typed, the
browser follows it by itself (`components/header/`). It keeps the context while its tab is open, so that a new session,
as after a reload, has it where the address doesn't.

The palette answers each way in which a short text can be read, with where it leads, in this order: ids,
with the visitor's tokenizer and others; the name of a model on the Hub; a code point; bytes; words of the index
(`views/palette.toml`), of lessons, examples, settings and pages; any text. Nothing is asked of the Hub before its row
is opened. Files that are dropped are opened as those of the settings are. Leaves out texts and chats as files.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from math import log
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from explorer.analysis.inputs import ANY, read_ids
from explorer.answers.explore import IdsRequest, Request, decode_view, first_tokens
from explorer.answers.hub_models import Fetch, HubFiles, host
from explorer.answers.offers import Offer, Origin, TokenizerSpec, Upload, bundled
from explorer.errors import InputError
from explorer.languages import languages, phrases
from explorer.learning.lessons.reading import lessons_in
from explorer.tables import Json, Record, read_toml
from explorer.text import visible
from explorer.text.input import bytes_of_hex, whole_characters
from explorer.text.say import Say, plural, size
from explorer.ui import PAGES
from explorer.ui.components.every_page import json_in, number_in, register, reported, text_in
from explorer.ui.explore import query_of
from explorer.ui.frame import fragment
from explorer.ui.language import language, words
from explorer.ui.parameters import LONGEST_TEXT, TOKENIZER, Context, context, overrides
from explorer.ui.prompt import prompt_state
from explorer.ui.tokenizers.chooser import (
    all_specs,
    carried,
    fresh_uploader,
    linked_parts,
    offers,
    own_spec,
    spec_option,
    uploads,
)
from explorer.ui.tokenizers.server import hub_state, on_hub
from explorer.views import components
from explorer.views.examples import EXAMPLES, PRESETS

LONGEST = 2_000
"""Code points of what is typed."""
MOST = {"Answers": 6, "Settings": 5, "Lessons": 4, "Pages": 3}
"""Rows of a kind that words find, in this order."""
BESIDE = 12
"""Tokenizers besides the visitor's that answer about ids."""
HUB_NAME = re.compile(
    r"(https?://(?:huggingface\.co|hf\.co)/)?([\w.-]{1,96}/[\w.-]{1,96}(?:@[\w./-]{1,96})?(?::[\w./-]{1,96})?)"
    r"(?(1)/?(?:(?:tree|blob|resolve)/main(?:/.*)?)?(?:[?#].*)?)"
)
"""org/name, with a revision and a file or without; or the address of its page."""
ASKED = 30
"""Words of what is typed that are looked for: a longer text is no question."""
SHOWN = 60
"""Code points of a text in a row."""
DRAWN = 8
"""Tokens in a row's picture."""
WITH_TEXT = ("explore", "compare")
WITH_TOKENIZER = ("explore", "vocabulary", "prompt")
"""Pages whose address has the text, and the tokenizer."""
SWITCHES: Mapping[str, Mapping[str, str]] = {
    "explore": {each: each for each in ("special", "parse", "escapes", "stored")},
    "compare": {
        "special": "addspecial", "parse": "parsespecial", "escapes": "readescapes", "stored": "asstored",
    },
}  # fmt: skip
"""Page → switch → its widget's key."""
TERM = re.compile(r"[^\W_぀-ヿ一-鿿]+(?:[._'-][^\W_぀-ヿ一-鿿]+)*|[一-鿿々]+|[゠-ヿ]+|[぀-ゟ]+|<[^\s<>]*>")
"""A word; in Japanese a run of one script."""


def shown(text: str) -> str:
    """The beginning of a text, what nobody sees in it made visible."""
    return visible(text[:SHOWN]).replace("␣", " ")


class Row(NamedTuple):
    """An answer. kind: its heading. href: where it leads, relative to the app. icon: where it has no picture; a number.

    tokens: its picture, each spelled, with its id. does: what the browser does instead of leading there. on: of a
    switch. slim: a box among others. tag: at its end.
    """

    kind: str
    title: str
    note: str = ""
    href: str = ""
    icon: str = ""
    tokens: Sequence[tuple[str, int]] = ()
    does: Mapping[str, Any] = {}
    on: bool | None = None
    slim: bool = False
    tag: str = ""


class Entry(NamedTuple):
    """A row, and the words that find it."""

    row: Row
    terms: frozenset[str]

    def mark(self, wanted: Sequence[str], weights: Sequence[float]) -> tuple[float, float]:
        """How much of what is asked it has, and the same of its title."""
        both = self.terms, terms(self.row.title)
        found = [
            [matches(each, known) * weight for each, weight in zip(wanted, weights, strict=True)] for known in both
        ]
        return sum(found[0]), sum(found[1])


@cache
def entries() -> Json:
    """The index, written by hand."""
    return read_toml(components.__file__, "palette.toml")


def entry(given: Json, kind: str, name: str) -> Entry:
    """An entry of the index in a language; the words of all find it."""
    title, note = given[name]
    tokens = list(zip(given.get("tokens", ()), given.get("ids", ()), strict=False))[:2]
    row = Row(kind, title, note, given.get("href", ""), given.get("icon", ""), tokens, given.get("does", {}))
    return Entry(row, terms(" ".join([*(each for to in languages() for each in given[to]), given["words"]])))


def terms(text: str) -> frozenset[str]:
    """The words of a text; those with a sign within also by their parts."""
    found = TERM.findall(text.lower())
    return frozenset([*found, *(part for each in found for part in re.split(r"[._'-]", each) if part)])


@cache
def index(name: str) -> tuple[Entry, ...]:
    """What words find in a language: answers, settings, lessons with their cards, examples, pages."""
    to = phrases(name)
    found = [entry(each, "Answers", name) for each in entries()["entry"]]
    for example in EXAMPLES:
        row = Row("Answers", to.words(example.label), to.words(example.shows), f"./?{query_of(example)}")
        found.append(Entry(row, terms(f"{example.label} {row.title} {example.text}")))
    found += [entry(each, "Settings", name) for each in entries()["setting"]]
    english = lessons_in("en")
    for at, (id, lesson) in enumerate(lessons_in(name).items(), 1):
        href = f"learn?lesson={quote(id)}"
        titles = terms(f"{lesson.title} {english[id.partition('.')[0]].title} lesson lektion レッスン {at}")
        found.append(Entry(Row("Lessons", lesson.title, "", href, str(at)), titles))
        for card, each in enumerate(lesson.cards, 1):
            row = Row("Lessons", each.title, lesson.title, f"{href}&card={card}", str(at))
            found.append(Entry(row, terms(each.title)))
    for path in sorted(PAGES.glob("*.py")):
        title = path.stem.capitalize()
        row = Row("Pages", to.words(title), "", "./" if path.stem == "explore" else path.stem)
        found.append(Entry(row, terms(f"{title} {row.title}")))
    return tuple(found)


def matches(wanted: str, known: frozenset[str]) -> float:
    """How well a typed word is among known ones: whole, as a beginning, or as one of them with an ending."""
    if wanted in known:
        return 1.0
    if any(each.startswith(wanted) for each in known) or (
        not wanted.isascii() and any(wanted in each for each in known)
    ):
        return 0.9
    return 0.7 * any(len(each) > 3 and wanted.startswith(each) and len(wanted) < len(each) + 4 for each in known)


def data_of(found: Sequence[Row]) -> list[Record]:
    """Rows for the browser."""
    return [each._asdict() | {"kind": words(each.kind), "where": where(each)} for each in found]


def where(row: Row) -> str:
    """The name of the page that a row opens."""
    page = row.href.removeprefix("./").partition("?")[0] or "explore"
    return words("Examples") if page == "start" else words(page.capitalize()) if row.href else ""


def found_by_words(typed: str) -> list[Row]:
    """The rows that have the typed words, rare ones counting more, by kinds; none that has less than half of them."""
    every = [*index(language()), *tokenizers()]
    all_terms, small = list(dict.fromkeys(TERM.findall(typed.lower())))[:ASKED], entries()["small"].split()
    wanted = [each for each in all_terms if each not in small and not re.fullmatch(r"[぀-ゟ]+", each)] or all_terms
    known = [sum(matches(each, found) > 0 for _, found in every) for each in wanted]
    weights = [log(2 + len(every) / (1 + count)) for count in known]
    marks = [found.mark(wanted, weights) for found in every]
    least = max(0.5 * sum(weights), 0.8 * max(mark for mark, _ in marks))
    ranked = sorted(((mark + title, -at) for at, (mark, title) in enumerate(marks) if mark >= least > 0), reverse=True)
    rows = [with_state(every[-at].row) for _, at in ranked]
    return [row for kind, most in MOST.items() for row in [each for each in rows if each.kind == kind][:most]]


def with_state(row: Row) -> Row:
    """A setting as it stands; a switch that this page lacks leads to Explore. Of two releases, the visitor's folder."""
    if "versions" in row.does:
        return row._replace(href=versions(own().offer) or row.href, does={})
    name = row.does.get("switch")
    if name is None:
        return row
    key = SWITCHES.get(context().page, {}).get(name)
    if key is None:
        return row._replace(does={}, href=f"./?{name}={str(name == 'stored' or name == 'escapes').lower()}")
    on = bool(st.session_state.get(key, name in ("special", "parse")))
    return row._replace(does={"switch": key}, on=on)


def tokenizers() -> list[Entry]:
    """Each tokenizer under each implementation, on this page where it has one."""
    return [
        Entry(
            Row("Settings", spec.title, words("Tokenizer"), link(page_here(), spec), "token"),
            terms(f"{spec_option(spec)} {spec.offer.label.replace('-', '')} {spec.implementation} tokenizer"),
        )
        for spec in all_specs().values()
    ]


def own() -> TokenizerSpec:
    """The visitor's tokenizer, else the first."""
    return own_spec() or next(iter(bundled().values())).spec()


def specs(wide: bool) -> list[TokenizerSpec]:
    """The visitor's tokenizer, then those that the visitor uploaded or compares. wide: then all others."""
    first, known = own(), all_specs()
    names = [offer.spec().name for offer in uploads().offers.values()] + list(context().kept.get("with", ()))
    names += [offer.spec().name for offer in offers().values()] if wide else []
    others = {known[name].offer.label: known[name] for name in names if name in known}
    return [first, *(each for each in others.values() if each.offer != first.offer)][: 1 + BESIDE]


def page_here() -> str:
    """This page if its address has a tokenizer, else Explore."""
    return context().page if context().page in WITH_TOKENIZER else "explore"


def link(page: str, spec: TokenizerSpec, **query: str) -> str:
    """The address of a page with a tokenizer; Explore keeps the visitor's text unless it gets another."""
    return address(page, {"m": spec.offer.label, "as": spec.implementation, **query})


def address(page: str, query: Mapping[str, str]) -> str:
    """The address of a page that keeps the visitor's text."""
    text = context().own_text
    if page == "explore" and text is not None and not {"text", "ids"} & set(query):
        query = {**query, "text": text[:LONGEST]}
    return f"{'./' if page == 'explore' else page}?{urlencode(query)}"


def compared(*given: TokenizerSpec, **query: str) -> str:
    """The address of Compare with tokenizers."""
    return f"compare?{urlencode({'with': [each.name for each in given], **query}, doseq=True)}"


def versions(offer: Offer) -> str:
    """Where Compare shows the first difference of transformers 5 and 4 opening a folder; "" for another file."""
    both = [offer.spec(each) for each in ("transformers-5", "transformers-4") if each in offer.implementations]
    return compared(*both, view="Where they part", text=own_text()) if len(both) > 1 else ""


def own_text() -> str:
    """The visitor's text, else the first."""
    return context().own_text or PRESETS[0].text


def rows_of_ids(ids: Sequence[int], wide: bool) -> Iterator[Row]:
    """What an id or a list of ids is in each tokenizer, and what may be asked about it."""
    one = len(ids) == 1
    for at, spec in enumerate(specs(wide)):
        kind = ("As an id" if one else "Ids back to text") if at == 0 else "The same in other tokenizers"
        href = link("vocabulary", spec, token=str(ids[0])) if one else link("explore", spec, ids=str(list(ids)))
        try:
            view = decode_view(IdsRequest(spec, str(list(ids)), True), 0, False)
        except InputError as error:
            said = str(error) if at == 0 else ""
            title = words("No token has this id") if one and at == 0 else spec.title
            yield Row(kind, title, said or words("No such id"), link("vocabulary", spec), "block", slim=at > 0)
            continue
        tokens = [(str(each["t"]), int(each["id"])) for each in view.top.tokens[:DRAWN]]
        if at > 0:
            yield Row(kind, spec.offer.name, "", href, "", tokens[:3], slim=True)
        elif one:
            yield Row(kind, words(Say("Id {0:i} in {1:t}", ids[0], spec.title)), "", href, "", tokens)
        else:
            title = words(Say("In {0:t} they spell {1:t}", spec.title, shown(view.text)))
            yield Row(kind, title, words(view.say), href, "text_fields", tokens)
    first = own()
    if not one:
        href = compared(first, view="Expected ids", text=own_text(), expect=str(list(ids)))
        say = Say("Compare them with {0:t} in {1:t}", shown(own_text()), first.title)
        yield Row("Why do my ids differ?", words(say), words("The first that differs, and why"), href)


def row_of_text(text: str, title: str = "", spec: TokenizerSpec | None = None) -> Row:
    """What a text is in a tokenizer, by default the visitor's."""
    spec, drawn, at = spec or own(), [], 0
    try:
        first = first_tokens(Request(spec, text), None)
        for id, length in first:
            drawn.append((text[at : at + length], id))
            at += length
        said = words(Say("{0:t}: {1:t}", spec.title, plural(len(first), "token")))
    except InputError as error:
        said = str(error)
    # a token may be a part of a character
    tokens = drawn[:2] if at == len(text) else []
    return Row("As text", title or shown(text), said, link("explore", spec, text=text), "notes", tokens)


def rows_of_name(name: str) -> Iterator[Row]:
    """What can be done with the name of a model on the Hub. It is asked once a row is opened."""
    kind = "On the Hub"
    if on_hub(name) is None:
        yield Row(kind, name, words("This server does not fetch this model. Drop its tokenizer.json."), "", "cloud_off")
        return
    said = words("Fetches its tokenizer from {0:t}, never weights or code", host())
    yield Row(kind, words("Open {0:t}", name), said, "", "cloud_download", does={"hub": name, "then": ""})
    for title, icon, then in (
        (words("Open it and compare with {0:t}", own().title), "compare_arrows", "compare"),
        (words("Open it and see what its chat template writes"), "forum", "prompt"),
    ):
        yield Row(kind, title, icon=icon, does={"hub": name, "then": then})
    if "@" not in name and ":" not in name:
        said = words("Add @ and a branch, tag or commit: {0:t}", f"{name}@main")
        yield Row(kind, words("Open an older revision"), said, "", "history", does={"type": f"{name}@"})


def rows(typed: str, wide: bool = False) -> tuple[str, list[Row]]:
    """How a text is read, in a word or two, and all answers, the likeliest first. Any text may come."""
    text = whole_characters(typed[:LONGEST]).strip()
    if not text:
        return "", [entry(each, "What you may want to do", language()).row for each in entries()["first"]]
    found, reading = list[Row](), ""
    with suppress(InputError):
        ids = read_ids(text, ANY) if re.search(r"\d", text) else []
        if ids:
            reading = words("a number") if len(ids) == 1 else words(plural(len(ids), "id"))
            found += rows_of_ids(ids, wide)
    if (named := HUB_NAME.fullmatch(text)) and re.search(r"[^\W\d]", text):
        reading = words("a model's name")
        found += rows_of_name(named[2])
    point = re.fullmatch(r"[Uu]\+([0-9A-Fa-f]{1,6})", text)
    code = int(point[1], 16) if point else 0
    if 0 < code < 0xD800 or 0xE000 <= code < 0x110000:
        reading = words("a code point")
        found.append(row_of_text(chr(code), f"U+{code:04X} {visible(chr(code))}"))
    if re.fullmatch(r"(?:0x|\\x)?[0-9A-Fa-f]{2}(?:[\s,]*(?:0x|\\x)?[0-9A-Fa-f]{2})+", text):
        with suppress(InputError):
            data = bytes_of_hex(text, LONGEST)
            query = urlencode({"bytes": data.hex(" ").upper(), "stage": "utf8"})
            title = shown(data.decode("utf-8", "replace"))
            found.append(Row("As bytes", title, data.hex(" ").upper()[:SHOWN], f"./?{query}", "data_array"))
            reading = reading or words("bytes")
    by_words, as_text = found_by_words(text), row_of_text(text)
    if not by_words and not found:
        as_text = as_text._replace(kind="Nothing has these words")
    found += [each for each in by_words if each.kind != "Pages"]
    return reading, [*found, as_text, *(each for each in by_words if each.kind == "Pages")]


# --- files and models of the Hub ------------------------------------------------------------------------------------


def take_files(files: Sequence[UploadedFile]) -> None:
    """Takes what was dropped on the page, or chosen."""
    uploads().receive([Upload(each.name, each.getvalue()) for each in files])
    st.session_state.palette_file = ", ".join(each.name for each in files)[:SHOWN]


def rows_of_file(name: str) -> list[Row]:
    """What was dropped last, opened, and what can be done with it, or why it can't be read."""
    kind = "Your file"
    state = uploads()
    offer = state.open_pending()
    problems = [Row(kind, each, "", "", "error") for each in (*state.problems, *state.notes)]
    if offer is None and not problems:
        names = ", ".join(each.base_name for each in state.unclaimed)
        about = words("Settings without their tokenizer: also drop its tokenizer.json or tokenizer.model")
        return [Row(kind, names or name, about, "", "settings", does={"file": True})]
    if offer is None:
        return problems
    spec, text, first = offer.spec(), own_text(), own()
    about = words("{0:t}, {1:t}, read on this server, kept for this tab only", name, size(offer.bytes))
    here = row_of_text(text, spec=spec)
    page = page_here()
    return [
        Row(kind, offer.kind or offer.format, about, link(page, spec), "data_object", tag=words("reads fine")),
        *problems,
        here._replace(kind=kind, title=words("Open it, with {0:t}", here.title), href=link(page, spec)),
        Row(
            kind, words("Compare it with {0:t}", first.title), row_of_text(text).note, compared(spec, first, text=text)
        ),
        *(
            [Row(kind, words("transformers 5 against transformers 4"), words("The first difference, and why"), both)]
            if (both := versions(offer))
            else []
        ),
        Row(kind, words("Check every token"), "", link("vocabulary", spec, checked="true")),
        Row(kind, words("Look through its tokens"), "", link("vocabulary", spec)),
    ]


def fetched(fetch: Fetch, then: str) -> Record:
    """How far the fetch is that the palette began, and at its end where its model opens."""
    if fetch.ended.is_set():
        if not isinstance(fetch.result, HubFiles):
            hub_state().cancel()
            return {"name": fetch.text, "error": fetch.error}
        go = address(then or page_here(), {"m": fetch.result.name})
        if then == "compare":
            pair = [fetch.result.name, own().name]
            go = f"compare?{urlencode({'with': pair, 'text': own_text()}, doseq=True)}"
        return {"name": fetch.text, "go": go}
    done, whole, file = fetch.step
    return {"name": fetch.text, "share": done / whole if whole else None, "file": file,
            "said": words("{0:t} of {1:t}", size(done), size(whole)) if whole else ""}  # fmt: skip


BEGINNING = 200
"""Code points of a text whose tokens are drawn in the chip."""
IN_CHIP = 40
"""Those that the chip has room for."""
HEAD = "header"
"""The key of the component."""

_draw_head = register("header")


def chip() -> Record:
    """What the chip shows. kept: what it has, nothing at first; link: what of it a link brought; own: what that was."""
    text, own = context().own_text, own_spec()
    here = offers().get(st.session_state.get("m", "")) if "m" in linked_parts() else None
    spec = (here or next(iter(offers().values()))).spec() if own is None else own
    compared = context().kept.get("with", ()) if context().page == "compare" else ()
    if compared and spec.name not in compared:  # a link's
        spec = all_specs().get(compared[0], spec)
    try:
        bars = [] if text is None else first_tokens(Request(spec, text[:BEGINNING]))
    except InputError:
        bars = []
    kept, now = {key: value for key, value in carried().items() if value is not None}, context()
    link = {key: None if value == now.first else value for key, value in now.link.items()}
    icon = ICONS.get(spec.offer.origin, "archive")
    return {
        "name": spec.offer.name, "icon": "" if icon == "archive" else icon, "bars": bars,
        "text": (text or "")[:IN_CHIP], "kept": kept, "first": PRESETS[0].text,
        "link": link if any(now.own.values()) else {}, "own": {key: now.own[key] for key in now.link},
        # own: whether it is the chosen one, or the visitor has opened it
        "tokenizers": [
            {
                "m": label, "name": each.name, "note": each.kind, "icon": (sign := ICONS.get(each.origin, "archive")),
                "chosen": (chosen := each == spec.offer), "own": chosen or sign != "archive",
            }
            for label, each in offers().items()
        ],
    }  # fmt: skip


ICONS = {Origin.UPLOAD: "draft", Origin.HUB: "cloud_done"}
"""Of those that the visitor has opened."""


def take() -> bool:
    """Takes what the browser reports, which may be anything. Returns whether the page follows; a question is none."""
    given, now = json_in(reported(HEAD, "set"), 2 * LONGEST_TEXT), context()
    match what := given.get("set"):
        case "first":
            if linked_parts() and any(now.own.values()):
                now.leave_link()
            else:
                now.set_to(None, {})
        case "before":
            now.undo()
        case "kept":
            take_kept(now, given)
        case "text":
            now.set_to(text_in(given.get("text"), LONGEST_TEXT), now.tokenizer())
            if now.page == "prompt":
                prompt_state().first = []
        case "choose" if given.get("m") in offers():
            now.set_to(now.own_text, {"m": given["m"], "as": offers()[given["m"]].implementations[0]})
        case "remove":
            uploads().remove(text_in(given.get("m"), 200))
        case "switch" if given.get("key") in SWITCHES.get(now.page, {}).values():
            overrides().set(**{given["key"]: given.get("to") is True})
        case "hub":
            hub_state().ask(text_in(given.get("name"), LONGEST_TEXT))
            then = given.get("then")
            st.session_state.palette_fetch = hub_state().fetch, then if then in ("compare", "prompt") else ""
        case "cancel":
            hub_state().cancel()
    return what not in ("ask", "hub", "cancel", "look")


def take_kept(now: Context, given: Record) -> None:
    """Takes what the browser kept for a new session: what the address of this page would say stays as it is."""
    text, chosen = text_in(given.get("text"), LONGEST_TEXT), {key: text_in(given.get(key), 200) for key in TOKENIZER}
    offer = offers().get(chosen["m"])
    if not any(now.own.values()):
        now.own |= {"text": text or None} | (chosen if offer is not None else {})
        here, own = carried() | {"text": now.text}, now.own | {"text": text or now.first}
        by_address = ["text"] * (now.page in WITH_TEXT) + [*TOKENIZER] * (now.page in WITH_TOKENIZER)
        now.link = {key: here[key] for key in by_address if here[key] != own[key]}
    if (
        offer is not None
        and chosen["as"] in offer.implementations
        and own_spec() is None
        and now.page not in WITH_TOKENIZER
    ):
        now.kept |= chosen
        now.restored = offer.spec(chosen["as"]).name
    if text and now.own_text is None and now.page not in WITH_TEXT:
        now.fill(text)
        if now.page == "prompt":
            prompt_state().first = []


@fragment
def draw_head() -> None:
    """Draws the head's part that is the visitor's."""

    def taken() -> None:
        st.session_state["head_taken"] = take()

    given, answers = json_in(reported(HEAD, "set"), 2 * LONGEST_TEXT), None
    # before another run nothing is answered, because the browser would not get it
    again = st.session_state.pop("head_taken", False)
    if not again and given.get("set") == "ask" and given.get("at") != st.session_state.get("head_asked"):
        st.session_state["head_asked"] = given.get("at")
        wide = given.get("wide") is True
        reading, found = rows(text_in(given.get("typed"), LONGEST_TEXT), wide)
        number = number_in(given.get("number"))
        answers = {"number": number, "wide": wide, "reading": reading, "rows": data_of(found)}
    with st.container(key="head-file"):
        label = words("Your own file")
        fresh_uploader(label, "palette file", take_files, max_upload_size=None, accept_multiple_files=True)
    dropped = st.session_state.pop("palette_file", None)
    file = None if dropped is None else {"name": dropped, "rows": data_of(rows_of_file(dropped))}
    began, then = st.session_state.get("palette_fetch", (None, ""))
    last = hub_state().fetch
    # the settings say how theirs end
    fetch = fetched(last, then) if last and last is began else None
    data = {"chip": chip(), "answers": answers, "file": file, "fetch": fetch and {**fetch, "at": given.get("at")}}
    _draw_head(key=HEAD, data=data, on_set_change=taken)
    if again:
        st.rerun()
