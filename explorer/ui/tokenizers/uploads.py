"""A visitor's uploads: they live in the session, nobody else sees them, and they are removed when it ends.

Streamlit keeps uploads until the session ends. They are taken from Streamlit at once, so that only one copy exists
and removing a file frees its memory. The last removal can be undone until the next upload. Below the field are its
messages: problems with files, and tokenizers that a link names in vain.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, NamedTuple

import streamlit as st
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile

from explorer.answers.explore import facts_of
from explorer.answers.offers import (
    Offer,
    TokenizerSpec,
    Upload,
    UploadGroup,
    add_settings,
    group_uploads,
    hub_offer_of,
    short_name,
    upload_offer,
)
from explorer.errors import ChoiceNeeded, InputError, no_longer_offered
from explorer.facts import listed
from explorer.text.say import Say, Text, size
from explorer.text.say import listed as list_of
from explorer.ui.frame import at_session_end, kept, release_private, show_error, show_notice, side_by_side
from explorer.ui.language import words
from explorer.ui.parameters import context
from explorer.ui.tokenizers import server

MOST_FILES = 8
"""Tokenizers of one session."""
MOST_BYTES = 256_000_000
"""Bytes of one session's uploads."""
MOST_AT_ONCE = 24
"""Files of one upload; some belong to one tokenizer."""


class Pending(NamedTuple):
    """The files of a tokenizer to open. replaces: the label of the one it replaces, if any.

    on_hub: the name of a model on the Hub, with its commit; "" for another file.
    """

    files: UploadGroup
    replaces: str = ""
    on_hub: str = ""


@dataclass
class Uploads:
    """The uploads of one session.

    offers: by label, in upload order. pending: not opened yet. unclaimed: settings that came before their tokenizer.
    removed: the last one removed, while that can be undone. problems, notes: errors and remarks about the last upload.
    count: of uploads; each has a new, empty widget. compared: the labels of those that Compare has had.
    """

    offers: dict[str, Offer] = field(default_factory=dict)
    pending: list[Pending] = field(default_factory=list)
    unclaimed: list[Upload] = field(default_factory=list)
    removed: Offer | None = None
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    count: int = 0
    compared: set[str] = field(default_factory=set)

    @property
    def widget(self) -> str:
        """The key of the widget that takes the next files."""
        return f"drop {self.count}"

    def receive(self, files: Sequence[Upload]) -> None:
        """Queues new files. A run of the page may end at any moment; the next one continues.

        Settings without a vocabulary join the selected upload, or else the last one.
        """
        self.count, self.problems, self.notes, self.removed = self.count + 1, [], [], None
        total = sum(len(file.data) for file in files)
        if len(files) > MOST_AT_ONCE or total > MOST_BYTES:
            self.problems.append(
                f"{len(files)} files of {size(total)} are too much at once; drop at most {MOST_AT_ONCE} files of "
                f"{size(MOST_BYTES)} together"
            )
            return
        new = {file.base_name for file in files}
        try:
            found = group_uploads([*(file for file in self.unclaimed if file.base_name not in new), *files])
        except InputError as error:
            self.problems.append(str(error))
            return
        self.pending += map(Pending, found.groups)
        self.unclaimed = found.unclaimed
        owner = self.offers.get(context().kept.get("m", "")) or next(reversed(self.offers.values()), None)
        if self.unclaimed and owner is not None:
            self.pending.append(Pending(add_settings(owner.files, self.unclaimed), owner.label))
            self.unclaimed = []

    def open_pending(self) -> Offer | None:
        """Opens the queued files and returns the last offer; errors are added to `problems`."""
        offer: Offer | None = None
        while self.pending:
            try:
                offer = self._admit(self.pending[0])
            except InputError as error:
                self.problems.append(str(error))
            del self.pending[0]
        return offer

    def _admit(self, pending: Pending) -> Offer:
        """Adds the tokenizer in these files to the session. Raises InputError."""
        offer = hub_offer_of(pending.files, pending.on_hub) if pending.on_hub else upload_offer(pending.files)
        if offer.label in self.offers:
            return self.offers[offer.label]
        others = [each for each in self.offers.values() if each.label != pending.replaces]
        used = sum(each.bytes for each in others)
        if len(others) >= MOST_FILES or used + offer.bytes > MOST_BYTES:
            raise InputError(
                f"{offer.label}: {size(offer.bytes)} more is too much: a session holds at most {MOST_FILES} files and "
                f"{size(MOST_BYTES)}, and this one already holds {len(others)} and {size(used)}; remove one of them"
            )
        offer = self._runnable(offer)
        if self.offers.pop(pending.replaces, None) is not None:
            release_private()
        self.offers[offer.label] = offer
        return offer

    def _runnable(self, offer: Offer) -> Offer:
        """The offer with the first implementation that opens it as the default. Raises InputError if none does.

        Some can't follow a folder's settings, while others open the vocabulary alone; a note says so.
        """
        first: InputError | None = None
        for implementation in offer.implementations:
            try:
                with suppress(ChoiceNeeded):  # asked when the tokenizer is selected
                    open_with_spinner(TokenizerSpec(offer, implementation))
            except InputError as error:
                first = first or error
                if not implementation.startswith("transformers"):
                    break
                continue
            if first is not None:
                self.notes.append(Text("{0:t}. The file is opened as {1:t} runs it.", str(first), implementation))
            others = (each for each in offer.implementations if each != implementation)
            return replace(offer, implementations=(implementation, *others))
        assert first is not None, "every offer has an implementation"
        raise first

    def take_uncompared(self) -> list[Offer]:
        """The offers that Compare has not had yet."""
        new = [offer for label, offer in self.offers.items() if label not in self.compared]
        self.compared |= set(self.offers)
        return new

    def remove(self, label: str) -> None:
        """Removes an upload and frees its memory. A click may arrive twice."""
        if label in self.offers:
            self.removed = self.offers.pop(label)
            release_private()

    def undo(self) -> Offer | None:
        """Restores the upload removed last."""
        offer, self.removed = self.removed, None
        if offer is not None:
            self.offers[offer.label] = offer
        return offer

    def release(self) -> None:
        """Frees all files: the session has ended, or its browser has been away for a while."""
        groups = [offer.files for offer in (*self.offers.values(), self.removed) if offer is not None]
        for file in chain(self.unclaimed, *groups, *(pending.files for pending in self.pending)):
            file.release()


def uploads() -> Uploads:
    """This session's uploads."""
    state = kept(Uploads)
    at_session_end("uploads", state.release)
    return state


def offer_made(how: str, files: UploadGroup) -> None:
    """Has the next page open a tokenizer that was made here. It replaces the one made in the same way before."""
    state = st.session_state
    uploads().pending.append(Pending(files, state.get(how, "")))
    state[how] = upload_offer(files).label


def open_new_uploads() -> Offer | None:
    """Takes and opens the files uploaded since the last run; returns the last tokenizer among them."""
    state = uploads()
    # the widget may also hold records of deleted files
    files = [each for each in st.session_state.get(state.widget) or [] if isinstance(each, UploadedFile)]
    if files:
        state.receive([Upload(file.name, file.getvalue()) for file in files])
        delete_from_streamlit(files)
    fetched = server.take_fetched(state.offers)
    state.pending += [Pending(each.files, on_hub=each.name) for each in fetched.models]
    if fetched != server.Fetched():  # what was said of the last one is over
        state.problems, state.notes = ([each] if each else [] for each in (fetched.problem, fetched.note))
    return state.open_pending()


def fresh_uploader(label: str, name: str, take: Callable[[list[UploadedFile]], None], **look: Any) -> None:
    """Draws a field for files that is empty again once they are taken. name: of the field in the session.

    take: called with the files before the page runs again; Streamlit keeps none of them.
    """
    state, counter = st.session_state, f"{name}s"
    key = f"{name} {state.setdefault(counter, 0)}"

    def taken() -> None:
        given = state.get(key)
        files = [each for each in (given if isinstance(given, list) else [given]) if isinstance(each, UploadedFile)]
        if files:
            state[counter] += 1
            try:
                take(files)
            finally:
                delete_from_streamlit(files)

    st.file_uploader(label, key=key, on_change=taken, **{"max_upload_size": 1, **look})


def delete_from_streamlit(files: Sequence[UploadedFile]) -> None:
    """Deletes files from Streamlit's own storage."""
    context = get_script_run_ctx()
    if context is not None and isinstance(context.uploaded_file_mgr, MemoryUploadedFileManager):
        for file in files:
            context.uploaded_file_mgr.remove_file(context.session_id, file.file_id)


def open_with_spinner(spec: TokenizerSpec) -> None:
    """Opens a tokenizer and shows what is being read if that takes long. Raises InputError, ChoiceNeeded."""
    with st.spinner(
        words("Reading {0:t}, {1:t}, as {2:t} runs it", spec.offer.format, size(spec.offer.bytes), spec.implementation),
        show_time=True,
    ):
        facts_of(spec.without_pattern)


UPLOAD_LABEL = re.compile(r"(.{1,80}) \(([0-9a-f]{8})\)(?:@[\w.-]{1,40})?")
"""The label of an upload: a name and the first digits of a sha256, optionally with an implementation."""


def upload_field() -> None:
    """Draws the field. The next run opens new uploads (`uploads.open_new_uploads`)."""
    with st.container(key="drop", width="content"):
        st.file_uploader(
            words("Your own file"), accept_multiple_files=True, key=uploads().widget, width=170,
            help=words(
                "A single file or all files of a model's folder: GGUF, tokenizer.json, tekken.json, SentencePiece "
                ".model, tiktoken ranks, vocab.txt, RWKV .txt or .json; up to {0} MB each, {1} tokenizers and {2:t} "
                "together. Nobody else sees them. Open a larger file by its path: `streamlit run app.py -- --tokenizer "
                "PATH`.", int(st.get_option("server.maxUploadSize")), MOST_FILES, size(MOST_BYTES),
            ),
        )  # fmt: skip
    server.field()


def dismissible(lines: Sequence[str], key: str, *state_keys: str) -> None:
    """Draws notices with a button that dismisses them. key: the button's; state_keys: where the session stores them."""

    def dismiss() -> None:
        st.session_state.update({each: [] for each in state_keys})

    with side_by_side():
        if lines:
            with st.container():
                for line in lines:
                    show_notice(line)
            st.button(words("Dismiss"), on_click=dismiss, key=key)


def upload_messages() -> None:
    """Draws what was wrong with the last uploads, and which settings wait for a tokenizer."""
    state = uploads()
    server.show_fetch()

    def dismiss() -> None:
        for each in (state.problems, state.notes, state.unclaimed):
            each.clear()

    with side_by_side():
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
                    "{0:t}: settings without their tokenizer. Also drop its tokenizer.json, tokenizer.model, "
                    "vocab.json with merges.txt, or vocab.txt.",
                    names,
                )
        st.button(words("Dismiss"), on_click=dismiss, key="dismiss problems")


def note_missing(linked: Iterable[str], known: Iterable[str]) -> None:
    """Remembers which tokenizers of the URL are missing, until they are uploaded or the message is dismissed."""
    here = set(known)
    missing = [label for label in dict.fromkeys(linked) if label not in here]
    st.session_state.absent = missing or [label for label in st.session_state.get("absent", []) if label not in here]


def note_former(kind: str, linked: Iterable[str]) -> None:
    """Remembers which names of a link are of what is no longer offered, alone or after an @."""
    said = (no_longer_offered(kind, each.rpartition("@")[2]) for each in linked)
    st.session_state.former = [*dict.fromkeys((*st.session_state.get("former", []), *filter(None, said)))]


def show_missing(instead: Say) -> None:
    """Says which tokenizers of a link are missing or no longer offered, and what is shown instead."""
    labels: list[str] = st.session_state.get("absent", [])
    files = [match for match in map(UPLOAD_LABEL.fullmatch, labels) if match]
    names = [label for label in labels if not UPLOAD_LABEL.fullmatch(label)]
    names = server.show_linked(names, instead)
    lines: list[str] = [*st.session_state.get("former", [])]
    lines += [
        words(
            "This link uses a file that somebody else uploaded: {0:t}, sha256 {1:t}… Uploads are never shared, "
            "so drop it here again to see what the link shows. Until then {2}.",
            match[1],
            match[2],
            instead,
        )
        for match in files[:MAX_NAMES]
    ]
    if names:
        about = "This link names {0:t}, which is not available here: {1}."
        if len(names) > 1:
            about = "This link names {0:t}, which are not available here: {1}."
        lines.append(words(about, quoted_names(names), instead))
    dismissible(lines, "dismiss absent", "absent", "former")


MAX_NAMES = 6
"""Names of a URL that a message lists; of more it gives the number."""


def quoted_names(names: Sequence[str]) -> Say:
    """Names from a URL, as part of a sentence.

    >>> words(quoted_names(["a", "b", "c"]))
    "'a', 'b' and 'c'"
    """
    return list_of([repr(name[:80]) for name in names], MAX_NAMES, "{0:t}")
