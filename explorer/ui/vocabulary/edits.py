"""The Vocabulary page's edits: a text before and after, the list, the form, what became of tokens, the files.

Before there is an edit, the text shows what an example would do to it.

The list belongs to the session and to a tokenizer. What it gives takes the way of an upload. The form of an edit has
its kind, and a field for each of its keys.
"""

import re
from collections.abc import Callable, Mapping
from html import escape
from typing import Any, get_type_hints

import msgspec
import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.uploaded_file_manager import UploadedFile

from explorer.answers.compare import CompareRequest, rows_view
from explorer.answers.offers import TokenizerSpec
from explorer.answers.vocabulary import (
    Changes,
    EditedFile,
    changes_of,
    edited_file,
    edited_spec,
    first_edit,
    kinds_of,
)
from explorer.editing.edits import KINDS, AddToken, Edit, EditOf, Remove, edit_of, kind_of, read, title
from explorer.engine.part import Options
from explorer.errors import InputError
from explorer.tables import read_toml
from explorer.text import visible
from explorer.text.say import Say, Text, paragraph, plural
from explorer.ui.components.tokens import aligned_rows
from explorer.ui.explore import show_text
from explorer.ui.frame import show_error, side_by_side
from explorer.ui.language import language, words
from explorer.ui.tokenizers.chooser import choice_state, fresh_uploader, offer_made

WORDS: Mapping[str, Mapping[str, str]] = read_toml(__file__, "words.toml")
"""What the form says: of a kind, and what a field takes."""


SWITCH = "<class 'bool'>"
"""The type of a key that is on or off."""


def draw_form(kinds: tuple[type[EditOf], ...], key: str) -> Callable[[], Edit]:
    """Draws the form; returns a function that reads the edit.

    The function reads the fields when it is called, since a click may arrive with what was typed just before. It raises
    InputError for what is typed wrong.
    """
    names = [kind_of(each) for each in kinds]
    kind = st.selectbox(words("Edit"), names, format_func=lambda name: words(WORDS["kinds"][name]), key=f"{key} kind",
                        label_visibility="collapsed")  # fmt: skip
    struct: Any = KINDS[kind]
    hints = {name: str(hint) for name, hint in get_type_hints(struct).items()}
    keys: dict[str, str] = {}
    texts, switches = st.container(gap="small"), side_by_side("top", gap="medium")
    for field in sorted(msgspec.structs.fields(struct), key=lambda each: hints[each.name] == SWITCH):
        keys[field.name] = f"{key} {kind} {field.name}"
        if hints[field.name] == SWITCH:
            switches.toggle(title_of(field.name), key=keys[field.name])
            continue
        with texts:
            draw_field(field.name, hints[field.name], "emoji" if kind == "preset" else "", keys[field.name])

    def edit() -> Edit:
        table: dict[str, object] = {"kind": kind}
        for field in msgspec.structs.fields(struct):
            value = read_field(st.session_state[keys[field.name]], hints[field.name], field.name)
            if value not in (None, "", []) or field.required:
                table[field.name] = value
        return edit_of(table, "This edit")

    return edit


def title_of(name: str) -> str:
    """A key as the form calls it.

    >>> title_of("single_word")
    'Single word'
    """
    return words(name.replace("_", " ").capitalize())


def draw_field(name: str, hint: str, fill: str, key: str) -> None:
    """Draws the field of a key."""
    label, help = title_of(name), words(WORDS["fields"].get(name, ""))
    if hint.startswith("tuple") and "int" not in hint:
        st.text_area(label, fill, key=key, placeholder=help, height=80)
    else:
        st.text_input(label, fill or ("1" if name == "number" else ""), key=key, placeholder=help)


def read_field(typed: str | bool, hint: str, name: str) -> object:
    """What is typed, as a file of edits has it. Raises InputError.

    >>> read_field("5, 17", "tuple[int, ...]", "ids"), read_field(" a\\nb\\n", "tuple[str, ...]", "words")
    ([5, 17], [' a', 'b'])
    """
    if isinstance(typed, bool):
        return typed
    for begins, reader in READERS.items():
        if hint.startswith(begins):
            try:
                return reader(typed)
            except ValueError:
                hint = Text(WORDS["fields"].get(name, "give a number"))
                raise InputError("{0:t}: “{1:t}” can't be read; {2:t}", name, typed[:40], hint) from None
    return typed


def lines(typed: str) -> list[str]:
    """The lines that are not empty."""
    return [line for line in typed.split("\n") if line]


def pairs(typed: str) -> list[list[str]]:
    """Two sides a line, with a space between. Raises ValueError."""
    found = [line.split(" ") for line in lines(typed)]
    if any(len(pair) != 2 for pair in found):
        raise ValueError
    return found


READERS: dict[str, Callable[[str], object]] = {
    "tuple[tuple": pairs,
    "tuple[str": lines,
    "tuple[int": lambda typed: [int(each) for each in re.split(r"[,\s]+", typed.strip()) if each],
    "float": lambda typed: float(typed) if typed.strip() else None,
    "<class 'int'>": int,
}
"""How a field is read, by how its type begins."""


TEXT = "Hello world, kaomoji (^_^) and 😀 東京"
"""The text that is compared at first."""

LONGEST = 2_000
"""Characters of a text."""


def edits_of(spec: TokenizerSpec) -> tuple[Edit, ...]:
    """The edits of a tokenizer in this session."""
    known: dict[str, tuple[Edit, ...]] = st.session_state.setdefault("edits", {})
    return known.get(spec.offer.key, ())


def draw_edits(spec: TokenizerSpec, selected: int | None) -> None:
    """Draws the section. selected: the token whose dossier is open."""
    spec = spec.without_pattern
    try:
        kinds = kinds_of(spec)
    except InputError as error:
        show_error(error, "No edits.")
        return
    added = st.query_params.get_all("add")[:20]
    if added and spec.offer.key not in st.session_state.get("edits", {}):
        want(spec, lambda: tuple(AddToken(each[:LONGEST], special=True) for each in added))
    problem = take_wanted(spec)
    room = st.container()
    left, right = st.columns(2, gap="medium")
    with left:
        draw_list(spec)
        with st.container():
            if problem is not None:
                show_error(problem, "Not done.")
        draw_adding(spec, kinds, selected)
    with right:
        draw_result(spec, room)


def want(spec: TokenizerSpec, make: Callable[[], tuple[Edit, ...]]) -> None:
    """Has the next run take another list of edits, if it can be made. Called when something is clicked."""
    try:
        st.session_state["edits wanted"] = spec.offer.key, make()
    except InputError as error:
        st.session_state["edits wanted"] = spec.offer.key, error


def take_wanted(spec: TokenizerSpec) -> str | None:
    """Takes the list that is wanted if it can be replayed and opened; else the list stays, and why is returned."""
    key, edits = st.session_state.pop("edits wanted", ("", ()))
    if key != spec.offer.key:
        return None
    try:
        if isinstance(edits, InputError):
            raise edits
        if edits:
            changes_of(spec, edited_spec(spec, edited_file(spec, edits))[1])
    except InputError as error:
        return f"{error}."
    edits_of(spec)
    st.session_state["edits"][key] = edits
    return None


def draw_list(spec: TokenizerSpec) -> None:
    """Draws the edits, each with a button that removes it, and undo for the last."""
    edits = edits_of(spec)
    if not edits:
        plain(words("No edits yet: the vocabulary is that of the file."))
        return
    for at, (edit, said) in enumerate(zip(edits, edited_file(spec, edits).notes, strict=True)):
        with side_by_side():
            plain(f"{at + 1}. {words(title(edit))}", *map(words, said))
            rest = (*edits[:at], *edits[at + 1 :])
            st.button(words("Remove"), key=f"remove edit {at}", icon=":material/close:", type="tertiary",
                      on_click=want, args=(spec, lambda rest=rest: rest))  # fmt: skip
    st.button(words("Undo"), key="undo edit", icon=":material/undo:", help=words("Drops the last edit"), on_click=want,
              args=(spec, lambda: edits[:-1]))  # fmt: skip


def draw_adding(spec: TokenizerSpec, kinds: tuple[type, ...], selected: int | None) -> None:
    """Draws the form, and the field for a file of edits."""
    edits = edits_of(spec)
    with st.container(border=True, gap="small"):
        # the key has the number of edits, so the form is empty after each
        typed = draw_form(kinds, f"edit {len(edits)}")
        with side_by_side("top"):
            st.button(words("Add edit"), key="add edit", icon=":material/add:", on_click=want,
                      args=(spec, lambda: (*edits, typed())))  # fmt: skip
            if selected is not None:
                st.button(words("Remove token {0:i}", selected), key="remove selected", icon=":material/delete:",
                          on_click=want, args=(spec, lambda: (*edits, Remove(ids=(selected,)))))  # fmt: skip
    with st.popover(words("Open a list of edits"), icon=":material/upload_file:"):
        help = words("Downloaded here, or written by explorer edit --save-script. It takes the place of the list.")
        fresh_uploader(words("A file of edits"), "edits file", lambda files: want(spec, lambda: read_file(files[0])),
                       type=["toml"], help=help)  # fmt: skip


def read_file(file: UploadedFile) -> tuple[Edit, ...]:
    """The edits in an upload. Raises InputError."""
    return read(file.getvalue(), visible(file.name[:80]))


def draw_result(spec: TokenizerSpec, room: DeltaGenerator) -> None:
    """Draws what the edits give: a text before and after, counts, the ways on, the files. room: for that text."""
    edits = edits_of(spec)
    text = st.text_input(words("Text before and after"), TEXT, key="edits text", max_chars=LONGEST)
    try:
        shown = edits or first_edit(spec, text)
        if not shown:
            return
        edited = edited_file(spec, shown)
        files, after = edited_spec(spec, edited)
        both = CompareRequest({"before": spec, "after": after}, text, Options(False), text, False, "before")
        view = rows_view(both, 0, False, language())
        with room:
            example = () if edits else (Say("For example: {0:t}.", title(shown[0])),)
            aligned_rows(view.drawn, paragraph((*example, view.say)), key="edit-rows")
        if edits:
            draw_changes(changes_of(spec, after))
    except InputError as error:
        show_error(error, "The edited file can't be used.")
    if not edits:
        return
    with side_by_side("top"):
        explores = st.button(words("Open in Explore"), type="primary", key="edited to explore")
        if explores or st.button(words("Compare"), key="edited to compare", icon=":material/compare_arrows:"):
            offer_made("edited", files)
            choice_state(after).required.update(after.choices)
            show_text("explore" if explores else "compare", text)
        draw_files(edited)


def draw_files(edited: EditedFile) -> None:
    """Draws the downloads: the vocabulary in the format of its original, and the list of edits."""
    st.download_button(words("Vocabulary"), edited.data, edited.name, "application/octet-stream", on_click="ignore",
                       icon=":material/download:", key="edited file")  # fmt: skip
    st.download_button(words("Edits"), edited.edits, edited.edits_name, "application/toml", on_click="ignore",
                       icon=":material/edit_note:", key="edits list",
                       help=words("Repeats these edits here, or with explorer edit --script"))  # fmt: skip


def draw_changes(found: Changes) -> None:
    """Draws what became of the tokens."""
    some = {
        "Added": found.added,
        "Removed": found.removed,
        "New, but no text was found that gives them": found.unreached,
    }
    plain(words("{0:t} added, {1} removed, {2:t} moved, {3} as before.", plural(found.added[0], "token"),
                found.removed[0], plural(found.moved, "id"), found.same),
          *(words("{0:t}: {1:t}", Text(what), first_of(*tokens))
            for what, tokens in some.items() if tokens[0]))  # fmt: skip


def first_of(count: int, tokens: list[str]) -> str:
    """The first of some tokens."""
    shown = ", ".join(tokens)
    return words("{0:t} and {1} more", shown, count - len(tokens)) if count > len(tokens) else shown


def plain(*lines: str) -> None:
    """Draws lines of text, which are never read as markup."""
    st.html("".join(f'<div class="edit-line">{escape(line)}</div>' for line in lines))
