"""Draws the result of a corpus job, and the field for a corpus of the visitor's own, with the job that counts it.

A result has a tab for each question, measures as bars, map or table, and a calculator: what a corpus of another size
would take, from the rates of the result on the page.

The job runs in a process of its own (`explorer.answers.corpus_process`), so the page and other sessions stay quick. Its
result joins the results of the page; the session keeps the last ones.
"""

from collections.abc import Callable, Sequence
from functools import partial
from html import escape
from time import monotonic
from typing import Any, NamedTuple
from urllib.parse import urlencode

import pandas as pd
import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from explorer.analysis.export import short_hash
from explorer.answers.corpus_jobs import LEFT_ACCOUNTS, CorpusJob, JobRequest
from explorer.answers.corpus_process import BASELINE, BYTES, FIELD, LABEL
from explorer.answers.offers import short_name
from explorer.answers.turns import Account
from explorer.corpus.record import needs, result_csv
from explorer.corpus.result import Result, ResultRow, only
from explorer.corpus.sample import sample_article, sample_result
from explorer.errors import InputError
from explorer.text.say import Text, clock_time, fixed, plural, three_digits
from explorer.text.say import size as shown_size
from explorer.ui.components.every_page import explained, headline
from explorer.ui.components.tokens import premiums as draw_premiums
from explorer.ui.corpus.controls import (
    BASE,
    BESIDE,
    DEFAULTS,
    ONLY,
    OWN,
    OWN_OPEN,
    PART,
    choose_beside,
    choose_tokenizers,
    known_results,
    name_in_urls,
    names_kept,
    own_file,
    own_results,
    with_titles,
)
from explorer.ui.frame import at_session_end, choose_tab, color_theme, fragment, show_error, side_by_side
from explorer.ui.language import language_name, localized, words
from explorer.ui.parameters import context, links, with_links
from explorer.ui.tokenizers.server import unused
from explorer.ui.tokenizers.uploads import delete_from_streamlit
from explorer.views.corpus import (
    FIGURES,
    MOST_ROWS,
    article_sample,
    bars,
    chart_of_lengths,
    corpus_said,
    figures_of,
    frequent_said,
    heat_map,
    larger_said,
    left_out_words,
    lengths_said,
    long_table,
    mean_sample,
    premiums_of,
    table_of_frequent,
    wide_table,
)
from explorer.views.premiums import LOST_FROM, Premiums, picture

DIGITS = 3
"""Digits of a measure; more say nothing about another corpus."""
COUNTS = ("documents", "bytes", "words", "tokens", "added")


def draw_table(table: pd.DataFrame) -> None:
    """Draws a table of measures."""
    columns: dict[str, Any] = {str(name): words(str(name)) for name in table.columns}
    columns |= {name: st.column_config.NumberColumn(words(name), format="localized") for name in COUNTS}
    columns |= {
        name: st.column_config.NumberColumn(
            words(name), format=f"%.{DIGITS}g" + " %%" * figure.layout.endswith("%"), help=f"{words(figure.says)}."
        )
        for name, figure in FIGURES.items()
    }
    st.dataframe(table, hide_index=True, column_config=columns)


ALL = "all of them"
MAX_CELLS = 10_000
"""Rows times tokenizers of a table on the page."""


def whole_part(result: Result) -> None:
    """Draws one measure of the whole corpus as bars, or that of two results side by side."""
    other = choose_beside()
    if other is not None:
        show_beside(result, with_titles(other))
        return
    headline(*corpus_said(result), key="corpus_say")
    measure = choose_measure(figures_of([result.total]), "corpus_bars")
    st.vega_lite_chart(localized(bars(result, measure, color_theme(), words=words)), width="stretch")


def choose_measure(names: Sequence[str], key: str) -> str:
    """Draws the choice of a measure, explains it, and returns its name."""
    chosen = st.selectbox(words("Measure"), names, key=key, width=240, format_func=words) or names[0]
    explain_measure(chosen, key)
    return chosen


def explain_measure(name: str, key: str) -> None:
    """Says what a measure is."""
    explained(words("{0:t}: {1:t}.", Text(name), Text(FIGURES[name].says)), key=key)


def show_beside(left: Result, right: Result) -> None:
    """Draws both results, whose tokenizers have the names people know."""
    both = left, right
    shared = [name for name in figures_of([both[0].total]) if name in figures_of([both[1].total])]
    if not shared:
        st.info(words("These two results share no measure: one of them has no tokens."), icon=":material/inbox:")
        return
    measure = choose_measure(shared, "corpus_beside_measure")
    names = [str(context().kept[key]) for key in ("result", BESIDE)]
    for column, result, name, side in zip(st.columns(2), both, names, ("left", "right"), strict=True):
        with column:
            st.html(f'<p style="font-size:1.2rem;font-weight:600;margin:0;overflow-wrap:anywhere">{escape(name)}</p>')
            headline(*corpus_said(result), key=f"corpus_say_{side}")
            st.vega_lite_chart(localized(bars(result, measure, color_theme(), both, words)), width="stretch")
    tables = [wide_table(each, [each.total]).assign(name=name) for each, name in zip(both, names, strict=True)]
    draw_table(pd.concat(tables))


def numbers_part(result: Result, made: Result) -> None:
    """Draws all measures as a table, or one of them as a map. made: the result with the names of its file."""
    labels = tuple(row._replace(name=language_name(row.name)) for row in result.labels)
    tables = {"Whole": (result.total,), "Labels": labels, "Files": result.files}
    names = [name for name, rows in tables.items() if rows]
    with side_by_side("bottom"):
        rows_name = st.segmented_control(words("Rows"), names, default=names[0], key="corpus_rows", required=True,
                                         format_func=words)  # fmt: skip
        rows = tables[rows_name or names[0]]
        figures = figures_of(rows) if len(rows) > 1 else []
        measure = st.selectbox(words("Measure"), [ALL, *figures], key="corpus_map", width=240,
                               format_func=words) if figures else ALL  # fmt: skip
    if measure != ALL:
        explain_measure(measure, "corpus_map")
        if len(rows) > MOST_ROWS:
            st.caption(words("The {0} largest of {1}; the table has all of them.", MOST_ROWS, len(rows)))
        with st.container(key="corpus-heat-map"):
            st.vega_lite_chart(localized(heat_map(result, rows, measure, words)), width="content")
            if long_table(result, rows, measure)["lost"].any():
                st.caption(words("White: more than {0} % of the tokens are unknown, so the text is lost.",
                                 round(100 * LOST_FROM)))  # fmt: skip
    else:
        table_of(result, rows, {"Labels": "label", "Files": "file"}.get(rows_name or names[0], ""))
    exports(result, made)


def table_of(result: Result, rows: Sequence[ResultRow], head: str) -> None:
    """Draws a table of all measures. head: of the rows' names; without one, a sentence says what they are about."""
    if len(rows) * len(result.tokenizers) > MAX_CELLS:
        shown = rows[: MAX_CELLS // len(result.tokenizers)]
        st.caption(words("The first {0} of {1}; `--output` as CSV has all of them.", len(shown), len(rows)))
        rows = shown
    table = wide_table(result, rows)
    if not head:
        headline(*corpus_said(result), key="corpus_numbers_say")
        table = table.drop(columns=["name", "documents", "bytes", "words"])
    draw_table(table.rename(columns={"name": head}))


def exports(result: Result, made: Result) -> None:
    """Draws the downloads. made: the result with the names of its file."""
    name = result.made.file_name(f"corpus-{short_hash(repr(result.total))}", "csv")
    with side_by_side("top"):
        # a function, so that the file is written when it is requested
        st.download_button(words("All rows as CSV"), lambda: result_csv(made), name, "text/csv", on_click="ignore",
                           icon=":material/download:")  # fmt: skip
        if (kept := own_file()) is not None:
            file, data = kept
            st.download_button(words("Result as JSON"), data, file, "application/json", on_click="ignore",
                               key="corpus_keep", icon=":material/download:",
                               help=words("Opens here again, and beside others"))  # fmt: skip


UNITS = {"MB": 10**6, "GB": 10**9, "TB": 10**12}


SLOWEST, FASTEST = 0.1, 10_000.0
"""MB a second that can be given."""
README_RATE = 53.0
"""MB a second of the README's terabyte, with which the field begins."""


@fragment
def calculator(result: Result) -> None:
    """Draws the calculator, for every tokenizer of the result."""
    with st.container(key="corpus-calculator"):
        said = st.container(key="calculator-said")
        with side_by_side("bottom"):
            amount = st.number_input(words("Corpus"), 0.001, 1e6, 1.0, key="calculator_amount", width=140, format="%g")
            unit = st.selectbox(words("Unit"), UNITS, index=2, key="calculator_unit", width=100)
            # a new measurement is a new field, which begins with it
            known = st.session_state.get("corpus_rate", README_RATE)
            rate = st.number_input(words("MB a second, one core"), SLOWEST, FASTEST, known, step=1.0, format="%g",
                                   key=f"calculator_rate {known}", width=190)  # fmt: skip
            cores = st.number_input(words("Cores"), 1, 100_000, 32, key="calculator_cores", width=120)
        total = int(amount * UNITS[unit or "TB"])
        rows, tokens, titled = [], {}, with_titles(result)
        for index, (label, measures) in enumerate(zip(titled.tokenizers, titled.total.measures, strict=True)):
            per_token, vocabulary = measures.get("bytes_per_token"), measures.get("vocabulary")
            if per_token is None or vocabulary is None:
                continue
            found = needs(total, per_token, int(vocabulary), rate * 1e6, int(cores))
            tokens[index] = found.tokens
            sizes = {
                "ids, 32 bits": found.ids_32,
                "suffixes of bytes": found.suffixes_of_bytes,
                "suffixes of ids": found.suffixes_of_ids,
                "of bytes, 4 or 8 each": found.words_of_bytes,
                "of ids, 4 or 8 each": found.words_of_ids,
            }
            rows.append({
                "tokenizer": label,
                "tokens": words(three_digits(found.tokens)),
                "ids, 16 bits": words("too many ids" if found.ids_16 is None else shown_size(found.ids_16)),
                **{name: words(shown_size(bytes)) for name, bytes in sizes.items()},
                "hours": words("" if found.hours is None else fixed(found.hours, 1)),
            })  # fmt: skip
        if tokens:
            with said:
                headline(*larger_said(titled, f"{amount:g} {unit or 'TB'}", tokens), key="calculator")
        st.dataframe(pd.DataFrame(rows).rename(columns=words), hide_index=True)


def in_range(rate: float) -> float:
    """MB a second as the field takes it.

    >>> in_range(0.01), in_range(12.34)
    (0.1, 12.3)
    """
    return min(max(SLOWEST, round(rate, 1)), FASTEST)


def explain() -> None:
    """Draws what the page is for."""
    explained(
        words(
            "Tokenizers measured on a whole collection of texts: how many tokens it takes, how evenly they are used, "
            "and which languages pay more. Drop the JSON of a job above, or count a text of your own."
        ),
        key="corpus_about",
    )


def show(made: Result) -> None:
    """Draws the tabs, and the one that is chosen. made: the tokenizers have the names of its file."""
    every = with_titles(made)
    result = only(every, st.session_state.get(ONLY) or ())
    premiums = premiums_of(result, str(st.session_state.get(BASE, "")))
    parts: dict[str, Callable[[], None]] = {
        "Languages": lambda: languages_part(result, premiums, every if made is sample_result() else None),
        "Whole text": lambda: whole_part(result),
        "Lengths": lambda: lengths_part(result),
        "Frequent tokens": lambda: frequent_part(result),
        "All numbers": lambda: numbers_part(result, made),
        "A larger corpus": lambda: calculator(made),
    }
    empty = not any(measures["tokens"] for measures in result.total.measures)
    missing = {
        "Languages": premiums is None,
        "Whole text": empty,
        "Lengths": not any(details.buckets for details in result.details),
        "Frequent tokens": not any(details.frequent for details in result.details),
    }
    names = [name for name in parts if not missing.get(name)]
    if empty:
        st.info(words("This result has no tokens: its files were empty."), icon=":material/inbox:")
    state = st.session_state
    if state.get(PART) not in names:  # the part of another result
        state.pop(PART, None)
    chosen = choose_tab("Part", names, key=PART)
    with st.container(key=f"corpus-{chosen.lower().replace(' ', '-')}"):
        parts[chosen]()


def languages_part(result: Result, premiums: Premiums | None, sampled: Result | None) -> None:
    """Draws who pays more for the same text. sampled: the sample's whole result, if this is from it."""
    assert premiums is not None
    sample = mean_sample(premiums) if sampled is None else article_sample(sampled, sample_article())
    names = [name for index in range(len(result.tokenizers)) if (name := name_in_urls(result, index))]
    link = f"./compare?{urlencode({'with': names[:4]}, doseq=True)}" if sampled else ""
    left_out = left_out_words([*map(language_name, premiums.left_out)])
    drawn = picture(premiums, sample, left_out=left_out, link=link)
    draw_premiums(drawn, key="premiums")


def lengths_part(result: Result) -> None:
    """Draws the distribution of document lengths."""
    headline(*lengths_said(result), key="lengths")
    st.vega_lite_chart(localized(chart_of_lengths(result, words)), width="stretch")


def frequent_part(result: Result) -> None:
    """Draws a tokenizer's most frequent tokens."""
    index = 0
    if len(result.tokenizers) > 1:
        name = st.selectbox(words("Tokenizer"), result.tokenizers, key="corpus_frequent", width=260)
        index = result.tokenizers.index(name) if name in result.tokenizers else 0
    if result.details[index].frequent:
        headline(*frequent_said(result, index), key="frequent")
    table, name = table_of_frequent(result, index, words), name_in_urls(result, index)
    table = with_links(table, name) if name else table
    count = st.column_config.NumberColumn(words("count"), format="localized")
    share = st.column_config.NumberColumn(words("share"), format="percent")
    titles = {name: words(name) for name in map(str, table)}
    st.dataframe(table, hide_index=True, column_config={**titles, "count": count, "share": share, **links()})


KEPT = 4
"""Results of own jobs that a session keeps."""
EVERY = 0.5
"""Seconds between two looks at a job."""
SURE = 1.0
"""Seconds after which the time that is left is said."""
NOT_COUNTED = "This can't be counted."
LEAST = 1_000_000
"""Bytes of text from which on a rate is that of counting, not of opening."""
COMMAND = """python -m explorer corpus -m gpt-2 -m llama-2 texts/*.jsonl --field text --label language \\
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


TYPED = "typed text.txt"


class TypedText(NamedTuple):
    """A typed text, as a file."""

    text: str
    name: str = TYPED

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
