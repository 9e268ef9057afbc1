"""The place where files are dropped, and what a page says beneath it: what was wrong with them, what a link lacks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.answers.dropped_files import short_name
from explorer.facts import listed
from explorer.text.quantities import size
from explorer.ui.problem import notice, problem
from explorer.ui.tokenizers.uploads import MOST_BYTES, MOST_FILES, uploads

DROPPED = re.compile(r"(.{1,80}) \(([0-9a-f]{8})\)(?:@[\w.-]{1,40})?")
"""A label of a file that was dropped: its name and the beginning of its sha256."""


def drop_field() -> None:
    """Takes files; what came is opened at the beginning of the next run (`uploads.came`)."""
    st.html(Path(__file__).with_name("drop.css"))
    with st.container(key="drop", width="content"):
        st.file_uploader(
            "Your own file", accept_multiple_files=True, key=uploads().widget, width=170,
            help="All files of a model's folder together, or one: GGUF, tokenizer.json, tekken.json, SentencePiece "
            f".model, tiktoken ranks, vocab.txt, RWKV .txt: up to {st.get_option('server.maxUploadSize')} MB each, "
            f"{MOST_FILES} tokenizers and {size(MOST_BYTES)} together. Nobody else sees them. A larger file opens by "
            "its path: `streamlit run app.py -- --tokenizer PATH`.",
        )  # fmt: skip


def beside() -> DeltaGenerator:
    """A place on the page that is there even while it is empty, so that what follows keeps its own."""
    return st.container(horizontal=True, vertical_alignment="center")


def understood(lines: Sequence[str], held: str, key: str) -> None:
    """Lines and a button that takes them away. held: what the session keeps them under. key: of the button."""

    def dismiss() -> None:
        st.session_state[held] = []

    with beside():
        if lines:
            with st.container():
                for line in lines:
                    notice(line)
            st.button("Understood", on_click=dismiss, key=key)


def what_came() -> None:
    """What was wrong with the files dropped last, and what waits for others."""
    held = uploads()

    def dismiss() -> None:
        for each in (held.problems, held.notes, held.loose):
            each.clear()

    with beside():
        if not (held.problems or held.notes or held.loose):
            return
        with st.container():
            for line in held.problems:
                problem(line, "Not opened.")
            for line in held.notes:
                notice(line)
            if held.loose:
                names = listed([short_name(file.name) for file in held.loose])
                notice(
                    f"{names}: settings without their tokenizer. Drop its tokenizer.json, tokenizer.model, vocab.json "
                    "with merges.txt, or vocab.txt as well."
                )
        st.button("Understood", on_click=dismiss, key="dismiss problems")


def look_for_absent(linked: Iterable[str], known: Iterable[str]) -> None:
    """Keeps in mind which tokenizers of the address are not here, until they come or the person has understood."""
    here = set(known)
    missing = [label for label in dict.fromkeys(linked) if label not in here]
    st.session_state.absent = missing or [label for label in st.session_state.get("absent", []) if label not in here]


def absent(instead: str) -> None:
    """Says that a link leads to something that is not here, and what is shown instead."""
    labels: list[str] = st.session_state.get("absent", [])
    files = [match for match in map(DROPPED.fullmatch, labels) if match]
    names = [label for label in labels if not DROPPED.fullmatch(label)]
    lines = [
        f"This link leads to a file that somebody dropped: {match[1]}, sha256 {match[2]}… A file is never kept for "
        f"others, so drop it here again to see what the link shows. Until then {instead}."
        for match in files[:MOST_SAID]
    ]
    if names:
        are = "which is no tokenizer here" if len(names) == 1 else "which are no tokenizers here"
        lines.append(f"This link names {said(names)}, {are}: {instead}.")
    understood(lines, "absent", "dismiss absent")


MOST_SAID = 6
"""Names of an address that are said; of more it is said how many there are."""


def said(names: Sequence[str]) -> str:
    """Names out of an address, as part of a sentence.

    >>> said(["a", "b", "c"])
    "'a', 'b' and 'c'"
    """
    shown = [repr(name[:80]) for name in names[:MOST_SAID]]
    if len(names) > MOST_SAID:
        shown.append(f"{len(names) - MOST_SAID} more")
    return " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))
