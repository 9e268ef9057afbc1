"""Draws the field for a corpus of the visitor's own: what to count, and the job that counts it, while it runs.

The job runs in a process of its own (`explorer.answers.corpus`), so the page and other sessions stay quick. Its result
joins the results of the page; the session keeps the last ones.
"""

from __future__ import annotations

from typing import Final

import streamlit as st

from explorer.answers.corpus.jobs import CorpusJob, JobRequest
from explorer.answers.corpus.limits import BYTES
from explorer.answers.upload_offer import short_name
from explorer.errors import InputError
from explorer.text.quantities import clock_time, plural
from explorer.text.quantities import size as shown_size
from explorer.ui.corpus.controls import OWN, SAMPLE, own_results, server_results
from explorer.ui.corpus.result import command
from explorer.ui.corpus.tokenizers import DEFAULTS, choose_tokenizers, names_kept
from explorer.ui.notices import show_error
from explorer.ui.session import at_session_end

KEPT: Final = 4
"""Results of own jobs that a session keeps."""
EVERY: Final = 0.5
"""Seconds between two looks at a job."""
SURE: Final = 1.0
"""Seconds after which the time that is left is said."""
OPEN: Final = "corpus-own"
"""The key of the field, and whether it is open."""
TYPED: Final = "typed text.txt"


def own_job(opened: bool) -> None:
    """Draws the field, or the job that runs. opened: whether a tokenizer to count with has just come."""
    job: CorpusJob | None = st.session_state.get("corpus_job")
    if opened or job is not None:
        st.session_state[OPEN] = True
    elif st.session_state.pop("corpus_done", False):
        st.session_state[OPEN] = False
    asked = names_kept() != list(DEFAULTS)
    with st.expander("Count a text of your own", icon=":material/upload_file:", expanded=asked, key=OPEN,
                     on_change="rerun"):  # fmt: skip
        if job is None:
            ask()
        else:
            follow()


def ask() -> None:
    """Draws what is to be counted, and the button that starts it."""
    specs = choose_tokenizers()
    with st.form("corpus_form", border=False):
        texts = st.file_uploader(
            f"Files to {shown_size(BYTES)}: .txt (a line is a document), .jsonl, .csv, also as .gz or .zst, .parquet",
            accept_multiple_files=True, key="corpus_texts",
        )  # fmt: skip
        typed = st.text_area("Or a text", key="corpus_typed", height=90)
        with st.container(horizontal=True):
            field = st.text_input("Field with the text", "text", key="corpus_field", width=180,
                                  help="Of the records of .jsonl, .csv and .parquet files")  # fmt: skip
            label = st.text_input("Field to group by", key="corpus_label", width=180,
                                  help="Such as a language; empty for none")  # fmt: skip
            baseline = st.text_input("Compared with the group", key="corpus_baseline", width=180,
                                     help="Parity is relative to it, such as en; empty for none")  # fmt: skip
        if st.form_submit_button("Count", type="primary", disabled=specs is None):
            given = {each.name: each.getvalue() for each in texts or ()}
            if typed:
                given[TYPED] = typed.encode("utf-8", "replace")
            begin(given, JobRequest(specs or (), field or "text", label, baseline))
    st.caption("For a corpus of any size, and for ids on disk, the command line does the same:")
    command()


def begin(texts: dict[str, bytes], request: JobRequest) -> None:
    """Starts a job and shows it."""
    try:
        job = CorpusJob(texts, request)
        st.session_state.corpus_name = next(iter(texts)) if len(texts) == 1 else plural(len(texts), "file")
        st.session_state.corpus_job = job
        at_session_end("corpus job", job.release)
        job.start()
    except InputError as error:
        if (made := st.session_state.pop("corpus_job", None)) is not None:
            made.release()
        show_error(error, "This can't be counted.")
        return
    st.rerun()


@st.fragment(run_every=EVERY)
def follow() -> None:
    """Draws how far the job is, a few times a second, until it is done."""
    job: CorpusJob = st.session_state.corpus_job
    state, pace = job.state, job.state.pace
    if job.result is not None and not state.running:
        finish(job)
    said = [f"{pace.share:.0%} of {shown_size(pace.of)}"] if pace.done else ["Opening the tokenizers"]
    if pace.rate:
        said.append(f"{shown_size(int(pace.rate))} of text a second")
    if state.running and pace.seconds >= SURE and pace.left is not None:
        said.append(f"{clock_time(pace.left)} left")
    if not state.running:
        said.append("stopped" if not state.error else "ended")
    st.progress(pace.share, ", ".join(said))
    if state.error:
        show_error(InputError(state.error), "This can't be counted.")
    with st.container(horizontal=True):
        if state.running:
            st.button("Stop", on_click=job.stop, key="corpus_stop")
        else:
            if not state.error:
                st.button("Go on", on_click=go_on, args=(job,), type="primary", key="corpus_go_on")
            if st.button("Count something else", key="corpus_discard"):
                job.release()
                del st.session_state.corpus_job
                st.rerun()


def go_on(job: CorpusJob) -> None:
    """Continues a job that was stopped."""
    try:
        job.start()
    except InputError as error:
        show_error(error)


def finish(job: CorpusJob) -> None:
    """Keeps the result of a job that is done, and shows it."""
    data, results = job.result, own_results()
    assert data is not None
    name, number = short_name(st.session_state.corpus_name), 2
    while name in {*results, *server_results(), SAMPLE, OWN}:
        name, number = f"{short_name(st.session_state.corpus_name)} ({number})", number + 1
    kept = {name: data} | results
    st.session_state.corpus_results = dict(list(kept.items())[:KEPT])
    st.session_state.corpus_show = name
    st.session_state.corpus_done = True
    if job.state.pace.rate:
        st.session_state.corpus_rate = job.state.pace.rate / 1e6
    job.release()
    del st.session_state.corpus_job
    st.rerun()
