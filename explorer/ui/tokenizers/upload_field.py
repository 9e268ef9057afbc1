"""The field for uploads, and the messages below it: problems with files, and tokenizers that a link names in vain."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.answers.offers import short_name
from explorer.facts import listed
from explorer.text.say import size
from explorer.ui.frame import show_error, show_notice
from explorer.ui.tokenizers import hub
from explorer.ui.tokenizers.uploads import MOST_BYTES, MOST_FILES, uploads

UPLOAD_LABEL = re.compile(r"(.{1,80}) \(([0-9a-f]{8})\)(?:@[\w.-]{1,40})?")
"""The label of an upload: a name and the first digits of a sha256, optionally with an implementation."""


def upload_field() -> None:
    """Draws the field. The next run opens new uploads (`uploads.open_new_uploads`)."""
    with st.container(key="drop", width="content"):
        st.file_uploader(
            "Your own file", accept_multiple_files=True, key=uploads().widget, width=170,
            help="A single file or all files of a model's folder: GGUF, tokenizer.json, tekken.json, SentencePiece "
            ".model, tiktoken ranks, vocab.txt, RWKV .txt or .json; up to "
            f"{st.get_option('server.maxUploadSize')} MB each, {MOST_FILES} tokenizers and {size(MOST_BYTES)} "
            "together. Nobody else sees them. Open a larger file by its path: `streamlit run app.py -- --tokenizer "
            "PATH`.",
        )  # fmt: skip
    hub.field()


def stable_row() -> DeltaGenerator:
    """A row that is on the page even while it is empty, so that what follows keeps its position."""
    return st.container(horizontal=True, vertical_alignment="center")


def dismissible(lines: Sequence[str], state_key: str, key: str) -> None:
    """Draws notices with a button that dismisses them. state_key: where the session stores them; key: the button's."""

    def dismiss() -> None:
        st.session_state[state_key] = []

    with stable_row():
        if lines:
            with st.container():
                for line in lines:
                    show_notice(line)
            st.button("Dismiss", on_click=dismiss, key=key)


def upload_messages() -> None:
    """Draws what was wrong with the last uploads, and which settings wait for a tokenizer."""
    state = uploads()
    hub.show_fetch()

    def dismiss() -> None:
        for each in (state.problems, state.notes, state.unclaimed):
            each.clear()

    with stable_row():
        if not (state.problems or state.notes or state.unclaimed):
            return
        with st.container():
            for line in state.problems:
                show_error(line, "Not opened.")
            for line in state.notes:
                show_notice(line)
            if state.unclaimed:
                names = listed([short_name(file.name) for file in state.unclaimed])
                show_notice(
                    f"{names}: settings without their tokenizer. Also drop its tokenizer.json, tokenizer.model, "
                    "vocab.json with merges.txt, or vocab.txt."
                )
        st.button("Dismiss", on_click=dismiss, key="dismiss problems")


def note_missing(linked: Iterable[str], known: Iterable[str]) -> None:
    """Remembers which tokenizers of the URL are missing, until they are uploaded or the message is dismissed."""
    here = set(known)
    missing = [label for label in dict.fromkeys(linked) if label not in here]
    st.session_state.absent = missing or [label for label in st.session_state.get("absent", []) if label not in here]


def show_missing(instead: str) -> None:
    """Says which tokenizers of a link are missing, and what is shown instead."""
    labels: list[str] = st.session_state.get("absent", [])
    files = [match for match in map(UPLOAD_LABEL.fullmatch, labels) if match]
    names = [label for label in labels if not UPLOAD_LABEL.fullmatch(label)]
    names = hub.show_linked(names, instead)
    lines = [
        f"This link uses a file that somebody else uploaded: {match[1]}, sha256 {match[2]}… Uploads are never shared, "
        f"so drop it here again to see what the link shows. Until then {instead}."
        for match in files[:MAX_NAMES]
    ]
    if names:
        are = "which is not available here" if len(names) == 1 else "which are not available here"
        lines.append(f"This link names {quoted_names(names)}, {are}: {instead}.")
    dismissible(lines, "absent", "dismiss absent")


MAX_NAMES = 6
"""Names of a URL that a message lists; of more it gives the number."""


def quoted_names(names: Sequence[str]) -> str:
    """Names from a URL, as part of a sentence.

    >>> quoted_names(["a", "b", "c"])
    "'a', 'b' and 'c'"
    """
    shown = [repr(name[:80]) for name in names[:MAX_NAMES]]
    if len(names) > MAX_NAMES:
        shown.append(f"{len(names) - MAX_NAMES} more")
    return " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))
