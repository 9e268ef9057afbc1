"""Chooses the result of a corpus job and its tokenizers: the sample's result, the operator's, the visitor's own.

The operator starts the app with `streamlit run app.py -- --corpus RESULT.json`, once for each result. URLs name
results by file name, never by path. A visitor's own live in the session only; a link to somebody else's says so. A
job counts with bundled tokenizers, the server's, and those that the session made or opened; their names are in the
URL, too.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from explorer.answers.corpus_jobs import corpus_result, result_spec
from explorer.answers.offers import Origin, TokenizerSpec, short_name
from explorer.corpus.counter import MOST
from explorer.corpus.result import Result, read
from explorer.corpus.sample import sample_result
from explorer.errors import InputError
from explorer.facts import listed
from explorer.formats.strict_json import MAX_FILE
from explorer.opening.catalog import title_of
from explorer.text.say import Say
from explorer.ui.frame import bar, settings_button, show_error, show_notice
from explorer.ui.language import language_name, words
from explorer.ui.parameters import (
    URL,
    apply_overrides,
    context,
    keep,
    linked_multiselect,
    linked_select,
    new_url,
    overrides,
    url_values,
)
from explorer.ui.tokenizers.chooser import (
    all_specs,
    choice_state,
    offers,
    open_each,
    own_first,
    spec_name,
    spec_option,
)
from explorer.ui.tokenizers.server import app_arguments, parse_arguments, unused
from explorer.ui.tokenizers.uploads import (
    MAX_NAMES,
    UPLOAD_LABEL,
    dismissible,
    note_former,
    note_missing,
    open_new_uploads,
    quoted_names,
    show_missing,
    upload_field,
    upload_messages,
)
from explorer.views.corpus import bases, compared_labels

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
    for path in map(Path, parse_arguments(app_arguments()).results):
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
