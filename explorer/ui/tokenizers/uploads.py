"""The files a person dropped: they live in this session, are seen by nobody else, and go when it ends.

Streamlit holds what was uploaded until the session ends. It is taken from there at once, so that there is one copy,
and removing a file gives its memory back. One removal can be undone, until the next file comes.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import streamlit as st
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile

from explorer.answers.drop_groups import Dropped, Group, joined, sorted_out
from explorer.answers.dropped_files import offer_of
from explorer.answers.explore import told
from explorer.answers.offers import Offer, Run
from explorer.errors import ChoiceNeeded, InputError
from explorer.text.quantities import size
from explorer.ui.asker import at_end, forget_private

MOST_FILES = 8
MOST_BYTES = 256_000_000
"""What one session may hold."""
MOST_AT_ONCE = 24
"""Files dropped together; some belong to one tokenizer."""


class Waiting(NamedTuple):
    """The files of a tokenizer that is to be opened. instead: the label of the one whose place it takes."""

    files: Group
    instead: str = ""


@dataclass
class Uploads:
    """What one session holds.

    offers: by label, in the order they came. waiting: dropped, but not opened yet. loose: settings that came before
    their tokenizer. removed: the last one taken away, as long as that can be undone. problems: what was wrong with the
    files dropped last; notes: what else there is to say of them. drops: how many there were; each has a new, empty
    widget.
    """

    offers: dict[str, Offer] = field(default_factory=dict)
    waiting: list[Waiting] = field(default_factory=list)
    loose: list[Dropped] = field(default_factory=list)
    removed: Offer | None = None
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    drops: int = 0

    @property
    def widget(self) -> str:
        """The key of the widget that takes the next files."""
        return f"drop {self.drops}"

    def receive(self, files: Sequence[Dropped]) -> None:
        """Puts what was dropped in the line. A run of the page may end at any moment, and the next one goes on.

        Settings that come alone go to the tokenizer that is chosen, or else to the one that was dropped last.
        """
        self.drops, self.problems, self.notes, self.removed = self.drops + 1, [], [], None
        total = sum(len(file.data) for file in files)
        if len(files) > MOST_AT_ONCE or total > MOST_BYTES:
            self.problems.append(
                f"{len(files)} files of {size(total)} are too much at once; drop at most {MOST_AT_ONCE} of "
                f"{size(MOST_BYTES)} together"
            )
            return
        new = {file.last for file in files}
        try:
            found = sorted_out([*(file for file in self.loose if file.last not in new), *files])
        except InputError as error:
            self.problems.append(str(error))
            return
        self.waiting += map(Waiting, found.groups)
        self.loose = found.loose
        owner = self.offers.get(st.session_state.get("m") or "") or next(reversed(self.offers.values()), None)
        if self.loose and owner is not None:
            self.waiting.append(Waiting(joined(owner.files, self.loose), owner.label))
            self.loose = []

    def open_waiting(self) -> Offer | None:
        """Opens what waits; gives the last that could be. What is wrong with the others is in `problems`."""
        came: Offer | None = None
        while self.waiting:
            try:
                came = self.admitted(self.waiting[0])
            except InputError as error:
                self.problems.append(str(error))
            del self.waiting[0]
        return came

    def admitted(self, waiting: Waiting) -> Offer:
        """The tokenizer in these files, which is then one of this session's. Raises InputError."""
        offer = offer_of(waiting.files)
        if offer.label in self.offers:
            return self.offers[offer.label]
        others = [each for each in self.offers.values() if each.label != waiting.instead]
        held = sum(each.bytes for each in others)
        if len(others) >= MOST_FILES or held + offer.bytes > MOST_BYTES:
            raise InputError(
                f"{offer.label}: {size(offer.bytes)} more is too much: a session holds {MOST_FILES} files and "
                f"{size(MOST_BYTES)}, and this one holds {len(others)} and {size(held)}; remove one of them"
            )
        offer = self.runnable(offer)
        if self.offers.pop(waiting.instead, None) is not None:
            forget_private()
        self.offers[offer.label] = offer
        return offer

    def runnable(self, offer: Offer) -> Offer:
        """The offer, with an implementation in front that opens it. Raises InputError where none does.

        Whoever reads a folder's settings may stop at them where the vocabulary alone can be opened: that is said.
        """
        first: InputError | None = None
        for implementation in offer.implementations:
            try:
                with suppress(ChoiceNeeded):  # it is asked where the tokenizer is chosen
                    open_shown(Run(offer, implementation))
            except InputError as error:
                first = first or error
                if not implementation.startswith("transformers"):
                    break
                continue
            if first is not None:
                self.notes.append(f"{first}. It is opened as {implementation} runs it.")
            others = (each for each in offer.implementations if each != implementation)
            return replace(offer, implementations=(implementation, *others))
        assert first is not None, "every offer has an implementation"
        raise first

    def remove(self, label: str) -> None:
        """Takes one away. What it had the session keep is given back. A press may arrive twice."""
        if label in self.offers:
            self.removed = self.offers.pop(label)
            forget_private()

    def undo(self) -> Offer | None:
        """Brings back the one taken away last."""
        offer, self.removed = self.removed, None
        if offer is not None:
            self.offers[offer.label] = offer
        return offer

    def give_back(self) -> None:
        """Lets go of all files: the session is over, or its browser away for a while."""
        for files in (*(offer.files for offer in (*self.offers.values(), self.removed) if offer), self.loose):
            for file in files:
                file.give_back()
        for waiting in self.waiting:
            for file in waiting.files:
                file.give_back()


def uploads() -> Uploads:
    """This session's."""
    held: Uploads = st.session_state.setdefault("uploads", Uploads())
    at_end("dropped files", held.give_back)
    return held


def came() -> Offer | None:
    """The tokenizer that was dropped since the last run, opened; the last one where there are several."""
    held = uploads()
    # what names a file that is not there is not a file
    files = [each for each in st.session_state.get(held.widget) or [] if isinstance(each, UploadedFile)]
    if files:
        held.receive([Dropped(file.name, file.getvalue()) for file in files])
        forget(files)
    return held.open_waiting()


def forget(files: Sequence[UploadedFile]) -> None:
    """Takes files out of Streamlit's keeping."""
    context = get_script_run_ctx()
    if context is not None and isinstance(context.uploaded_file_mgr, MemoryUploadedFileManager):
        for file in files:
            context.uploaded_file_mgr.remove_file(context.session_id, file.file_id)


def open_shown(run: Run) -> None:
    """Opens a tokenizer; while that takes long, the page says what is being read. Raises InputError, ChoiceNeeded."""
    with st.spinner(
        f"Reading {run.offer.format}, {size(run.offer.bytes)}, as {run.implementation} runs it", show_time=True
    ):
        told(run.original)
