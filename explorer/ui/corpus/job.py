"""Draws the field for a corpus of the visitor's own: what to count, and the job that counts it, while it runs.

The job runs in a process of its own (`explorer.answers.corpus_process`), so the page and other sessions stay quick. Its
result joins the results of the page; the session keeps the last ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from time import monotonic
from typing import Final, NamedTuple

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from explorer.answers.corpus_jobs import LEFT_ACCOUNTS, CorpusJob, JobRequest
from explorer.answers.corpus_process import BASELINE, BYTES, FIELD, LABEL
from explorer.answers.offers import short_name
from explorer.answers.turns import Account
from explorer.errors import InputError
from explorer.text.say import clock_time, plural
from explorer.text.say import size as shown_size
from explorer.ui.corpus.controls import (
    DEFAULTS,
    OWN,
    OWN_OPEN,
    choose_tokenizers,
    known_results,
    names_kept,
    own_results,
)
from explorer.ui.corpus.result import in_range
from explorer.ui.frame import at_session_end, fragment, show_error, side_by_side
from explorer.ui.language import words
from explorer.ui.tokenizers.server import unused
from explorer.ui.tokenizers.uploads import delete_from_streamlit

KEPT: Final = 4
"""Results of own jobs that a session keeps."""
EVERY: Final = 0.5
"""Seconds between two looks at a job."""
SURE: Final = 1.0
"""Seconds after which the time that is left is said."""
NOT_COUNTED: Final = "This can't be counted."
LEAST: Final = 1_000_000
"""Bytes of text from which on a rate is that of counting, not of opening."""
COMMAND: Final = """python -m explorer corpus -m gpt-2 -m llama-2 texts/*.jsonl --field text --label language \\
    --baseline en --output result.json"""


def own_job(opened: bool) -> None:
    """Draws the field, or the job that runs. opened: whether a tokenizer to count with has just come."""
    job: CorpusJob | None = st.session_state.get("corpus_job")
    state = st.session_state
    if opened or job is not None:
        state[OWN_OPEN] = True
    elif state.pop("corpus_done", False):
        state[OWN_OPEN] = False
    if not state.setdefault(OWN_OPEN, names_kept() != list(DEFAULTS)):
        return
    with st.container(border=True, key="corpus-own"):
        if job is None:
            ask()
        elif job.state.running:
            follow()
        elif job.result is not None:
            finish(job)
        else:
            show_ended(job)


def ask() -> None:
    """Draws what is to be counted, and the button that starts it."""
    specs = choose_tokenizers()
    with st.form("corpus_form", border=False):
        texts = st.file_uploader(
            words("Files to {0} MB: text (a line is a document), .jsonl, .csv, also as .gz or .zst, .parquet",
                  BYTES // 10**6),
            accept_multiple_files=True, key="corpus_texts",
        )  # fmt: skip
        typed = st.text_area(words("Or a text"), key="corpus_typed", height=90)
        fields = ask_fields(JobRequest(()))
        if st.form_submit_button(words("Count"), type="primary", disabled=specs is None):
            given = by_name([*(texts or ()), *([TypedText(typed)] if typed else [])])
            if begin(given, JobRequest(specs or (), *fields)):
                delete_from_streamlit(texts or ())
                st.rerun()
    st.caption(words("For a corpus of any size, and for ids on disk, the command line does the same:"))
    st.code(COMMAND, language="sh", wrap_lines=True)


def ask_fields(request: JobRequest) -> tuple[str, str, str]:
    """Draws which fields of records are read, and returns them. request: what they are at first."""
    with side_by_side("top"):
        field = st.text_input(words(FIELD), request.field, key="corpus_field", width=190,
                              help=words("Of the records of .jsonl, .csv and .parquet files"))  # fmt: skip
        label = st.text_input(words(LABEL), request.label, key="corpus_label", width=190,
                              help=words("Such as a language; empty for none"))  # fmt: skip
        baseline = st.text_input(words(BASELINE), request.baseline, key="corpus_baseline", width=190,
                                 help=words("Parity is relative to it, such as en; empty for none"))  # fmt: skip
    return field or "text", label, baseline


class TypedText(NamedTuple):
    """A typed text, as a file."""

    text: str
    name: str = "typed text.txt"

    def getvalue(self) -> bytes:
        """Its bytes."""
        return self.text.encode("utf-8", "replace")


def by_name(files: Sequence[UploadedFile | TypedText]) -> dict[str, bytes]:
    """The files by names that are safe on a page, those that share one numbered.

    >>> list(by_name([TypedText("a"), TypedText("b", "a.jsonl.gz"), TypedText("c", "a.jsonl.gz")]))
    ['typed text.txt', 'a.jsonl.gz', 'a (2).jsonl.gz']
    """
    found: dict[str, bytes] = {}
    for file in files:
        stem, dot, suffix = short_name(file.name).partition(".")
        found[unused(stem, found, after=dot + suffix)] = file.getvalue()
    return found


def own_account() -> Account:
    """What jobs computed for this visitor; of one who just came, what one who left had on the account."""
    state = st.session_state
    if "corpus_account" not in state:
        state.corpus_account = LEFT_ACCOUNTS.take(monotonic())
    at_session_end("corpus account", partial(LEFT_ACCOUNTS.add, state.corpus_account))
    account: Account = state.corpus_account
    return account


def begin(texts: dict[str, bytes], request: JobRequest) -> bool:
    """Starts a job; draws why it can't be started otherwise. Returns whether it runs."""
    job = None
    try:
        job = CorpusJob(texts, request, own_account())
        job.start()
    except InputError as error:
        if job is not None:
            job.release()
        show_error(error, NOT_COUNTED)
        return False
    at_session_end("corpus job", job.release)
    st.session_state.corpus_name = next(iter(texts)) if len(texts) == 1 else plural(len(texts), "file")
    st.session_state.corpus_job = job
    return True


@partial(fragment, seconds=EVERY)
def follow() -> None:
    """Draws how far the job is, a few times a second, while it runs."""
    job: CorpusJob = st.session_state.corpus_job
    if not job.state.running:
        st.rerun()
    draw_progress(job)
    st.button(words("Stop"), on_click=job.stop, key="corpus_stop")
    st.caption(words("You can look at other pages meanwhile. Reloading or closing this one ends the count."))


def draw_progress(job: CorpusJob) -> None:
    """Draws how far a job is."""
    state, pace = job.state, job.state.pace
    said = [
        words("{0:t} of {1:t}", f"{pace.share:.0%}", shown_size(pace.of))
        if pace.done
        else words("Opening the tokenizers")
    ]
    if pace.text >= LEAST:
        said.append(words("{0:t} of text a second", shown_size(int(pace.rate))))
    if state.running and pace.seconds >= SURE and pace.left is not None:
        said.append(words("{0:t} left", clock_time(pace.left)))
    if state.before:
        said.append(words("waiting for its turn, {0} before it", state.before))
    if not state.running:
        said.append(words("stopped"))
    st.progress(pace.share, ", ".join(said))


def show_ended(job: CorpusJob) -> None:
    """Draws a job that was stopped, or that found something wrong, and how it can go on."""
    if job.state.error:
        show_error(job.state.error, NOT_COUNTED)
    else:
        draw_progress(job)
    if job.state.error and (job.has_fields or job.request.label):
        with st.form("corpus_again", border=False):
            fields = ask_fields(job.request)
            if st.form_submit_button(words("Count again"), type="primary"):
                go_on(job, fields)
    elif not job.state.error and st.button(words("Go on"), type="primary", key="corpus_go_on"):
        go_on(job)
    if st.button(words("Count something else"), key="corpus_discard"):
        discard(job)


def discard(job: CorpusJob) -> None:
    """Gives a job up, which has ended."""
    job.release()
    del st.session_state.corpus_job
    st.rerun()


def go_on(job: CorpusJob, fields: tuple[str, str, str] | None = None) -> None:
    """Continues a job that has ended, with other fields of its records if some are given."""
    try:
        if fields is not None:
            job.change(*fields)
        job.start()
    except InputError as error:
        show_error(error, NOT_COUNTED)
        return
    st.rerun()


def finish(job: CorpusJob) -> None:
    """Keeps the result of a job that is done, and shows it."""
    data, results = job.result, own_results()
    assert data is not None
    name = unused(short_name(st.session_state.corpus_name), {*known_results(), OWN})
    kept = {name: data} | results
    st.session_state.corpus_results = dict(list(kept.items())[:KEPT])
    st.session_state.corpus_show = name
    st.session_state.corpus_done = True
    if job.state.pace.text >= LEAST:  # the text is counted under each tokenizer
        st.session_state.corpus_rate = in_range(job.state.pace.rate / 1e6 * len(job.request.specs))
    discard(job)
