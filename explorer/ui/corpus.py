"""The parts of the Corpus page: choosing a result, drawing it, and counting a corpus of the visitor's own.

The operator starts the app with `streamlit run app.py -- --corpus RESULT.json`, once for each result. URLs name
results by file name, never by path. A visitor's own live in the session only; a link to somebody else's says so. A
job counts with bundled tokenizers, the server's, and those that the session made or opened; their names are in the
URL, too.

A result has a tab for each question, measures as bars, map or table, and a calculator: what a corpus of another size
would take, from the rates of the result on the page.

The job runs in a process of its own (`explorer.answers.corpus_process`), so the page and other sessions stay quick. Its
result joins the results of the page; the session keeps the last ones.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from html import escape
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple
from urllib.parse import urlencode

import pandas as pd
import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from explorer.analysis.export import short_hash
from explorer.answers.corpus_jobs import LEFT_ACCOUNTS, CorpusJob, JobRequest, corpus_result, result_spec
from explorer.answers.corpus_process import BASELINE, BYTES, FIELD, LABEL
from explorer.answers.offers import Origin, TokenizerSpec, short_name
from explorer.answers.turns import Account
from explorer.corpus.counter import MOST
from explorer.corpus.measures import CAUTION, FORMS, KNOWN, chosen_keys, figure
from explorer.corpus.record import needs, result_csv
from explorer.corpus.result import Result, ResultRow, only, read
from explorer.corpus.sample import sample_article, sample_result
from explorer.errors import InputError
from explorer.facts import listed
from explorer.formats.strict_json import MAX_FILE
from explorer.opening.catalog import title_of
from explorer.text.say import Say, Text, clock_time, fixed, plural, three_digits
from explorer.text.say import size as shown_size
from explorer.ui import STYLES
from explorer.ui.components.every_page import explained, headline
from explorer.ui.components.tokens import premiums as draw_premiums
from explorer.ui.frame import (
    at_session_end,
    bar,
    choose_tab,
    color_theme,
    fragment,
    settings_button,
    show_error,
    show_notice,
    side_by_side,
)
from explorer.ui.language import language_name, localized, words
from explorer.ui.parameters import (
    URL,
    apply_overrides,
    context,
    keep,
    linked_multiselect,
    linked_select,
    links,
    new_url,
    overrides,
    url_values,
    with_links,
)
from explorer.ui.tokenizers.chooser import (
    MAX_NAMES,
    UPLOAD_LABEL,
    all_specs,
    choice_state,
    delete_from_streamlit,
    dismissible,
    note_former,
    note_missing,
    offers,
    open_each,
    open_new_uploads,
    own_first,
    quoted_names,
    show_missing,
    spec_name,
    spec_option,
    upload_field,
    upload_messages,
)
from explorer.ui.tokenizers.server import app_arguments, unused
from explorer.views.corpus import (
    FIGURES,
    MOST_ROWS,
    article_sample,
    bars,
    bases,
    chart_of_lengths,
    compared_labels,
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
from explorer.views.paper import definitions_html, table_html
from explorer.views.premiums import LOST_FROM, Premiums, picture

MODELS = "models"
"""Of the list, and of its parameter in the URL."""
DEFAULTS = ("gpt-2@huggingface", "o200k_base", "llama-2")


def select_new_upload() -> bool:
    """Opens what was dropped here or made on another page, and adds it to the list. Returns whether there was one."""
    new = open_new_uploads()
    if new is None:
        return False
    name = new.spec().name
    before = [each for each in names_kept() if each != name]
    overrides().set(**{MODELS: [*before[: MOST - 1], name]})
    return True


def names_kept() -> list[str]:
    """The names chosen last."""
    return list(context().kept.get(MODELS, DEFAULTS))


def choose_tokenizers() -> tuple[TokenizerSpec, ...] | None:
    """Draws the list and the messages about it; None if one of the tokenizers can't be opened yet."""
    known = all_specs()
    apply_overrides(MODELS)
    state = st.session_state
    if MODELS in state:  # one of them may have been removed, or have got another name with its settings
        state[MODELS] = [each for each in state[MODELS] if each in known]
    names = linked_multiselect(
        words("Tokenizers"), list(known), key=MODELS, title=lambda name: spec_option(known[name]), default=DEFAULTS,
        max_selections=MOST, select_all=False,
        placeholder=words("One or more, a model also under several implementations"),
        help=words("Your own, too: those you opened, edited or trained in this session. Drop a file under Settings"),
    )  # fmt: skip
    specs = {name: known[name] for name in names}
    with st.container(key="tokenizer"):
        titles = listed([spec.title for spec in specs.values()])
        show_missing(Say("you count with {0:t}", titles) if titles else Say("nothing is counted"))
        upload_messages()
        if not open_each(spec for spec in specs.values() if spec.choices or spec.offer.origin is not Origin.BUNDLED):
            return None
        show_choices(specs)
        return tuple(specs.values())


def show_choices(specs: Mapping[str, TokenizerSpec]) -> None:
    """Says which optional settings are in force, which are made on Explore."""
    settings = [
        f"{spec.title}: {key} = {value}"
        for spec in specs.values()
        for key, value in choice_state(spec).optional.items()
    ]  # fmt: skip
    if settings:
        show_notice("Counted with what you set on Explore: {0:t}.", listed(settings))


def with_titles(result: Result) -> Result:
    """The result with its tokenizers by the names people know."""
    both = zip(result.tokenizers, result.made.tokenizers, strict=True)
    named = (label.replace(each.model, title_of(each.model)) if each.model else label for label, each in both)
    return result._replace(tokenizers=tuple(named))


def name_in_urls(result: Result, index: int) -> str:
    """The name in URLs of the tokenizer at an index; "" if it isn't here.

    A visitor's own has its name also where it is missing: the page that it leads to says so.
    """
    tokenizer = result.made.tokenizers[index]
    offer = offers().get(tokenizer.model)
    if offer is None and not UPLOAD_LABEL.fullmatch(tokenizer.model):
        return ""
    runs = offer is None or tokenizer.implementation in offer.implementations
    return f"{tokenizer.model}@{tokenizer.implementation}" if runs else tokenizer.model


OWN = "a result from a file"
SAMPLE = "The Declaration of Human Rights in 46 languages"
NONE = "nothing beside it"
PART = "part"
"""The key of the tabs, and their parameter in the URL."""
BASE = "than"
"""The key of the language that others are compared with, and its parameter in the URL."""
BESIDE = "corpus_beside"
"""The key of the second result. Its parameter is `beside`, the key of another page's choice."""
ONLY = "only"
"""The key of the tokenizers that are shown, none for all, and their parameter in the URL."""
OWN_OPEN = "corpus_own_open"
"""Whether the field for an own text is open."""


def server_results() -> dict[str, Path]:
    """The operator's results by name; repeated names are numbered."""
    results: dict[str, Path] = {}
    for path in map(Path, app_arguments().results):
        results[unused(short_name(path.name), results)] = path
    return results


def first_result() -> str:
    """The name of the result that the page begins with."""
    return next(iter(server_results()), SAMPLE)


def known_results() -> list[str]:
    """The names of all results, the first one first."""
    return [*server_results(), *own_results(), SAMPLE]


def choose() -> Result | None:
    """Draws the bar: a result, the language that others are compared with, the button for an own text.

    Returns the result; None for one that is not chosen yet or can't be read.
    """
    known = known_results()
    take_linked([*known, OWN])
    shown = st.session_state.pop("corpus_show", None)
    if shown in known:
        keep({"result": shown})
    row = bar()
    with row:
        chosen = linked_select(words("Result"), [*known, OWN], key="result", title=result_title, width="stretch",
                               label_visibility="collapsed")  # fmt: skip
    file = None if chosen in known else st.file_uploader(
        words("A result: the JSON file of a corpus job"), type=["json"], key="corpus_file", label_visibility="collapsed"
    )  # fmt: skip
    show_missing_results(chosen)
    result = result_of(chosen, file)
    with row:
        names = bases(result) if result is not None else []
        if len(names) > 1:
            st.selectbox(words("Compared with"), names, key=BASE, bind="query-params", width=230,
                         label_visibility="collapsed", format_func=language_name)  # fmt: skip
        if result is not None and len(result.tokenizers) > 1:
            choose_shown(with_titles(result).tokenizers)
        st.button(words("Count my own text"), type="primary", icon=":material/upload_file:", key="corpus_count",
                  on_click=toggle_own, width="content")  # fmt: skip
        with settings_button():
            upload_field()
    return result


def result_title(name: str) -> str:
    """A result's name in the bar; the sample's with what it is made of."""
    compared = compared_labels(sample_result()) if name == SAMPLE else []
    if not compared:
        return words(name)
    documents = sum(row.text["documents"] for row in compared)
    return words("Declaration of Human Rights · {0} languages · {1} documents · the same content", len(compared),
                 documents)  # fmt: skip


def choose_shown(names: Sequence[str]) -> None:
    """Draws the choice of the tokenizers that are shown, by the names people know."""
    state = st.session_state
    linked = state[ONLY] if ONLY in state else st.query_params.get_all(ONLY)
    chosen = [name for name in linked if name in names]
    if state.get(ONLY) != chosen:  # those of another result
        state[ONLY] = chosen
    shown = words("{0} of {1} tokenizers ▾" if chosen else "{1} tokenizers ▾", len(chosen), len(names))
    with st.popover(shown, key="corpus_only", width="content"):
        st.pills(words("Tokenizers that are shown; without a choice, all"), names, selection_mode="multi", key=ONLY)


def toggle_own() -> None:
    """Opens the field for an own text, or closes it."""
    st.session_state[OWN_OPEN] = not st.session_state.get(OWN_OPEN, False)


def choose_beside() -> Result | None:
    """Draws the choice of a second result, and returns it."""
    chosen = context().kept["result"]
    names = [NONE, *(name for name in known_results() if name != chosen)]
    return result_of(linked_select(words("Beside it"), names, key=BESIDE, title=words, width=320,
                                   label_visibility="collapsed"), None)  # fmt: skip


def result_of(name: str, file: UploadedFile | None) -> Result | None:
    """The result of a name, or in a file; draws why it can't be read."""
    server, own = server_results(), own_results()
    try:
        if name in server:
            return server_result(name, server[name])
        if name in own:
            return uploaded_result(name, own[name])
        if name == SAMPLE:
            return sample_result()
        return uploaded_result(file.name, file.getvalue()) if name == OWN and file is not None else None
    except InputError as error:
        show_error(error)
        return None


def take_linked(known: list[str]) -> None:
    """Takes what a URL from outside names: two results, tokenizers for a count. Remembers what of it is missing."""
    linked = new_url("corpus", ("result", "beside", MODELS), URL, {"beside": BESIDE})
    specs = all_specs()
    note_former("implementation", linked[MODELS] if linked else ())
    linked_models = [spec_name(each, specs) for each in linked[MODELS]] if linked else []
    note_missing(linked_models, specs)
    before = names_kept()
    led = own_first(MODELS, before, MOST, linked=bool(linked_models))
    if led != before:
        keep({MODELS: led})
    if linked is None:
        return
    results = {key: "".join(linked[key][:1]) for key in ("result", "beside")}
    absent = [name for name in dict.fromkeys(results.values()) if name and name not in (*known, NONE)]
    st.session_state.absent_results = absent
    models = [name for name in dict.fromkeys(linked_models) if name in specs][:MOST]
    if results["beside"] in known:
        st.session_state[PART] = "Whole text"
    keep({"result": results["result"] if results["result"] in known else first_result(),
          BESIDE: results["beside"] if results["beside"] in known else NONE}
         | ({MODELS: models} if linked[MODELS] else {}))  # fmt: skip


def write_url() -> None:
    """Writes what is chosen to the URL."""
    kept = context().kept
    url_values(
        {"result": kept["result"], "beside": kept.get(BESIDE), MODELS: names_kept(), ONLY: st.session_state.get(ONLY)},
        {"result": first_result(), "beside": NONE, MODELS: list(DEFAULTS), ONLY: []},
        key=URL, echo=overrides().number,
    )  # fmt: skip


def show_missing_results(instead: str) -> None:
    """Says which results of a link are missing, and what is shown instead."""
    names: list[str] = st.session_state.get("absent_results", [])[:MAX_NAMES]
    lines = [
        words("This link shows {0:t}, which is not here: a count lives in the session that made it, and nobody else "
              "sees it. Count the text again, or open its result from a file. Until then you see {1:t}.",
              quoted_names(names), result_title(instead))
    ] if names else []  # fmt: skip
    dismissible(lines, "dismiss absent results", "absent_results")


def own_results() -> dict[str, bytes]:
    """The results of this session's own jobs by name, the latest first."""
    results: dict[str, bytes] = st.session_state.setdefault("corpus_results", {})
    return results


def own_file() -> tuple[str, bytes] | None:
    """The file of the result that is shown, with its name, if it is of this session's own job."""
    name = str(context().kept.get("result", ""))
    data = own_results().get(name)
    return None if data is None else (f"{Path(name).stem or 'result'}.json", data)


def server_result(name: str, path: Path) -> Result:
    """The result at a path of the server."""
    try:
        facts = path.stat()
        if facts.st_size > MAX_FILE:
            raise InputError(f"{name}: {facts.st_size} bytes are too many for a page; give up to {MAX_FILE}")
        return _read_shared(str(path), facts.st_mtime_ns, facts.st_size, name)
    except OSError as error:
        raise InputError(f"{name}: cannot be read ({error.strerror}); ask the operator of this server") from None


@st.cache_resource(max_entries=4, show_spinner=False)
def _read_shared(path: str, modified: int, size: int, name: str) -> Result:
    """Reads a result once for all sessions, and again when the file changes."""
    return read(Path(path).read_bytes(), name)


def uploaded_result(name: str, data: bytes) -> Result:
    """The result in an upload."""
    return corpus_result(result_spec(short_name(name), data))


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
        "For a paper": lambda: paper_part(result),
    }
    empty = not any(measures["tokens"] for measures in result.total.measures)
    missing = {
        "Languages": premiums is None,
        "Whole text": empty,
        "Lengths": not any(details.buckets for details in result.details),
        "Frequent tokens": not any(details.frequent for details in result.details),
        "For a paper": not result.paper,
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


FORM_NAMES = {"LaTeX": ".tex", "Markdown": ".md", "CSV": ".csv"}


def paper_part(result: Result) -> None:
    """Draws the measures that papers cite, with intervals, and what a paper takes of them."""
    paper = {**(result.paper or {}), "tokenizers": list(result.tokenizers)}
    keys = chosen_keys(paper)
    headline(Say("{0} measures of {1:t}, with their definitions and intervals.", len(keys),
                 plural(len(result.tokenizers), "tokenizer")), key="corpus_paper_say")  # fmt: skip
    chosen = chosen_keys(paper, st.multiselect(
        words("Measures"), keys, [key for key in keys if "first" in KNOWN[key]], key="corpus_paper_keys",
        format_func=lambda key: words(KNOWN[key]["heading"])))  # fmt: skip
    st.html(STYLES / "paper.css")
    st.html(table_html(paper, chosen, words))
    left, right = st.columns(2)
    with left:
        st.html(definitions_html(paper, chosen, words))
        st.caption(words("Bold: the interval of the paired difference from every other tokenizer excludes 0."))
        st.warning(words(CAUTION))
    with right:
        if paper["premiums"]:
            st.vega_lite_chart(localized(figure(paper, words)), theme=None, width="content")
            st.caption(
                words("84 mm wide. Its menu saves it as SVG; a PDF comes from {0:t}.", "explorer corpus --paper")
            )
        form = st.segmented_control(words("Form"), list(FORM_NAMES), default="LaTeX", key="corpus_paper_form",
                                    required=True, label_visibility="collapsed") or "LaTeX"  # fmt: skip
        # closed, because the answer is the table
        st.expander(form).code(FORMS[FORM_NAMES[form]](paper, chosen), language=None, wrap_lines=True)
        st.expander(words("Methods")).code(paper["methods"], language=None, wrap_lines=True)


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
