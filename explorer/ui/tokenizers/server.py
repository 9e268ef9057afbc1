"""What the server offers: the files of its operator, and models of the Hub by their names.

The operator gives arguments after `streamlit run app.py --`: `--tokenizer PATH`, once for each file, and
`EXPLORER_TOKENIZERS=DIR` for a folder and its subfolders, which are searched again every minute. Visitors choose by
label; a URL is never read as a path. `--open-first` opens the bundled tokenizers before the server answers, for a
server that many visitors open at once; otherwise the first visitor who chooses one opens it, and whoever comes
meanwhile waits for it.

The app offers the Hub's models on this machine, as long as nobody else reaches it. `--hub on` offers it to the visitors
of a server, `--hub-allow 'meta-llama/*'` limits the names. `--hub-token-of-operator yes` sends the operator's token,
and uses the operator's cache; `--hub-search` searches the Hub while a name is typed.

A link with a name and a commit opens what is in the cache. Otherwise a button fetches it, so that no link from
elsewhere makes this server ask for anything by itself.
"""

import argparse
import os
import sys
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from dataclasses import field as field_of
from functools import cache, lru_cache, partial
from ipaddress import ip_address
from itertools import chain, count, islice
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

import streamlit as st

from explorer.answers.explore import Request, explore_view, section_view
from explorer.answers.hub_models import Fetch, HubFiles, Rules, host, read, without_implementation
from explorer.answers.offers import Offer, bundled, path_hidden, server_offer, short_name
from explorer.errors import InputError
from explorer.formats.files import COMPANIONS, TOKENIZER_CONFIG
from explorer.opening.formats import files_at, format_at, repository_of
from explorer.opening.hub.names import COMMIT, HubName
from explorer.opening.sources import SUFFIXES, is_model
from explorer.text.say import Say, in_a_row, size
from explorer.ui.frame import at_session_end, current_session, fragment, kept, show_notice, side_by_side
from explorer.ui.language import words
from explorer.views.examples import PRESETS


class ServerArguments(NamedTuple):
    """tokenizers, results: paths. problem: what could not be parsed, or "". open_first: see `open_first`.

    hosts: names of this server. lesson: the path of one to follow, see `ui/learn/visit.py`. hub, hub_allow,
    hub_token, hub_search: see `rules`.
    """

    tokenizers: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    problem: str = ""
    open_first: bool = False
    hosts: tuple[str, ...] = ()
    lesson: str = ""
    hub: str = "off"
    hub_allow: tuple[str, ...] = ()
    hub_token: str = ""
    hub_search: bool = False


def app_arguments() -> ServerArguments:
    """The app's own arguments; none if another program, such as a test runner, imports it."""
    return parse_arguments(tuple(sys.argv[1:]) if Path(sys.argv[0]).name == "app.py" else ())


@cache
def parse_arguments(arguments: tuple[str, ...]) -> ServerArguments:
    """Parses the arguments.

    >>> found = parse_arguments(("--tokenizer", "a.gguf", "--corpus", "b.json"))
    >>> found.tokenizers, found.results, found.problem, found.hub
    (('a.gguf',), ('b.json',), '', 'off')
    """
    parser = argparse.ArgumentParser(prog="app.py", exit_on_error=False, add_help=False, allow_abbrev=False)
    for flag, name in (("tokenizer", "tokenizers"), ("corpus", "results"), ("host", "hosts"), ("hub-allow", None)):
        parser.add_argument(f"--{flag}", action="append", default=[], dest=name)
    parser.add_argument("--open-first", action="store_true")
    parser.add_argument("--lesson", default="")
    parser.add_argument("--hub", choices=("on", "off", "here"), default="off")
    parser.add_argument("--hub-token-of-operator", choices=("yes", "no"), default="", dest="hub_token")
    parser.add_argument("--hub-search", action="store_true")
    try:
        found, unknown = parser.parse_known_args(arguments)
    except argparse.ArgumentError as error:
        return ServerArguments(problem=f"the command line: {error}; write: streamlit run app.py -- --tokenizer PATH")
    problem = f"the command line: {unknown[0]!r} is not known; write --tokenizer PATH" if unknown else ""
    given: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in vars(found).items()
    }
    return ServerArguments(problem=problem, **given)


FOLDER = "EXPLORER_TOKENIZERS"
MAX_OFFERED = 200
"""Files of the folder that are offered."""
MAX_SEARCHED = 50_000
"""Names of the folder that are searched."""


class ServerFiles(NamedTuple):
    """offers: by label. problems: a line for each file that can't be offered."""

    offers: dict[str, Offer]
    problems: tuple[str, ...]


def server_files() -> ServerFiles:
    """What the server offers now."""
    return find_server_files(app_arguments(), os.environ.get(FOLDER, ""), monotonic() // 60)


@lru_cache(maxsize=4)
def find_server_files(arguments: ServerArguments, folder: str, minute: float) -> ServerFiles:
    """What these arguments and this folder offer in a minute."""
    paths = [(path, name_of(path)) for path in map(Path, arguments.tokenizers)]
    in_folder, problems = paths_in(folder) if folder else ([], [])
    made = make_offers([*paths, *in_folder])
    return ServerFiles(made.offers, tuple(filter(None, (arguments.problem, *problems, *made.problems))))


def name_of(path: Path) -> str:
    """The name of a path; of a model in the cache of the Hub its own, with the beginning of its commit.

    >>> name_of(Path("a/b.json")), name_of(Path(f"/c/models--org--name/snapshots/{40 * 'a'}/sub/q4.gguf"))
    ('b.json', 'org/name@aaaaaaa:sub/q4.gguf')
    """
    repository, at, commit = repository_of(path).partition("@")
    if not at:
        return path.name
    # the beginning of a GGUF is not in a snapshot, but has the file's name
    parts = path.absolute().parts
    file = "/".join(parts[parts.index(commit) + 1 :]) if commit in parts else path.name
    return HubName(repository, commit[:7], file).text


def paths_in(folder: str) -> tuple[list[tuple[Path, str]], list[str]]:
    """The paths that a folder offers, with their names, and problems with the folder."""
    try:
        found = list(islice(vocabularies_in(Path(folder)), MAX_OFFERED + 1))
    except OSError as error:
        return [], [f"{FOLDER}: the folder cannot be read ({error.strerror}); give another one"]
    paths = [(path, path.relative_to(folder).as_posix()) for path in found[:MAX_OFFERED]]
    if len(found) > MAX_OFFERED:
        return paths, [f"{FOLDER}: the folder holds more than {MAX_OFFERED} files; the others are ignored"]
    return paths, []


def make_offers(paths: Sequence[tuple[Path, str]]) -> ServerFiles:
    """Offers of these paths. A file that fails is a problem, unless it is the partner of another."""
    offers: dict[str, Offer] = {}
    refused: dict[Path, str] = {}
    partners: set[Path] = set()
    for path, name in paths:
        label = unique_label(name, offers)
        try:
            with path_hidden(path, label):
                files = files_at(path)
                offers[label] = server_offer(path, label, files)
        except InputError as error:
            refused[path] = str(error)
        except OSError as error:
            refused[path] = f"{label}: cannot be read ({error.strerror}); check its permissions"
        else:
            partners |= {files[0].with_name(name) for name in format_at(files[0]).beside(files[0].name)}
    return ServerFiles(offers, tuple(line for path, line in refused.items() if path not in partners))


def vocabularies_in(folder: Path) -> Iterator[Path]:
    """Files of a folder with names of vocabularies, in order, and subfolders that hold a model.

    Links that lead out of the folder are skipped.
    """
    root = folder.resolve(strict=True)
    seen = 0
    for at, folders, names in os.walk(folder, onerror=raise_error):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        if TOKENIZER_CONFIG in names and Path(at) != folder and is_model(Path(at), names):
            if stays_within(Path(at), root):
                yield Path(at)
            names = [name for name in names if Path(name).suffix.lower() == ".gguf"]
        for name in sorted(names):
            path = Path(at, name)
            if name.startswith(".") or name in COMPANIONS or path.suffix.lower() not in SUFFIXES:
                continue
            if path.resolve().is_relative_to(root):
                yield path
        seen += len(names)
        if seen > MAX_SEARCHED:
            return


def stays_within(folder: Path, root: Path) -> bool:
    """Whether no file of a model's folder is a link that leads out of `root`."""
    try:
        return all(path.resolve().is_relative_to(root) for path in files_at(folder))
    except InputError:  # reported when the folder is opened
        return True


def raise_error(error: OSError) -> None:
    """Makes `os.walk` report errors."""
    raise error


def unique_label(name: str, taken: dict[str, Offer]) -> str:
    """A label that no other offer has.

    >>> unique_label("a/tokenizer.json", {}), unique_label("gpt-2", {})
    ('a/tokenizer.json', 'gpt-2 #2')
    """
    wanted = "/".join(short_name(part) for part in name.split("/"))
    return unused(wanted, {*taken, *bundled()}, "{} #{}")


def unused(name: str, taken: Collection[str], numbered: str = "{} ({})", after: str = "") -> str:
    """A name with what comes after it, numbered if others have it.

    >>> unused("a", {"a.txt", "a (2).txt"}, after=".txt")
    'a (3).txt'
    """
    names = chain([name], (numbered.format(name, number) for number in count(2)))
    return next(each + after for each in names if each + after not in taken)


def open_first() -> None:
    """Opens them if the operator asks for it, and draws a text with each, which fills what is filled on first use."""
    if not app_arguments().open_first:
        return
    for offer in bundled().values():
        spec = offer.spec()
        view = explore_view(Request(spec, PRESETS[0].text), 0, "model")
        section_view(view.request, view.window.start, view.focus, view.stored)


HOSTS = "EXPLORER_HOSTS"
FORWARDED = ("x-forwarded-for", "x-real-ip", "forwarded", "via")
"""Headers of a proxy, behind which others may be."""
LONGEST = 300
"""Characters of a name."""
SHORTEST = 3
"""Characters that are searched for."""
MOST_FOUND = 50
"""Searches whose names a session keeps."""
LOOK_SECONDS = 0.5
"""Seconds between two looks at a fetch."""
LINKS = ("m", "with", "models")
"""Parameters of URLs that name tokenizers."""


class Fetched(NamedTuple):
    """What has come since the last run. note: the answer of the Hub to the question for a newer commit."""

    models: tuple[HubFiles, ...] = ()
    problem: str = ""
    note: str = ""


@dataclass
class HubState:
    """A session's models of the Hub. fetch: the one that runs. found: names that searches found, by their text.

    problem: with what was typed. linked: names of links that were taken from the cache. branches: by the label of a
    model, the name without a commit that opened it. count: of fields; each name gets a new, empty one.
    """

    fetch: Fetch | None = None
    found: dict[str, list[str]] = field_of(default_factory=dict)
    problem: str = ""
    linked: set[str] = field_of(default_factory=set)
    branches: dict[str, HubName] = field_of(default_factory=dict)
    count: int = 0

    @property
    def widget(self) -> str:
        """The key of the field."""
        return f"hub {self.count}"

    def ask(self, typed: str) -> None:
        """Begins to fetch the model that a text names."""
        self.cancel()
        self.problem = ""
        allowed = rules()
        try:
            if len(typed) > LONGEST:
                raise InputError(too_long(typed))
            self.fetch = Fetch(allowed, allowed.name(typed))
        except InputError as error:
            self.problem = str(error)
        else:
            self.count += 1
            self.fetch.start()

    def check(self, name: HubName) -> None:
        """Begins to ask the Hub for a newer commit."""
        self.cancel()
        self.fetch = Fetch(rules(), name, refresh=True)
        self.fetch.start()

    def search(self, text: str) -> tuple[list[str], str]:
        """The names that a text finds, or why there are none. Ends once the visitor goes on typing."""
        if text not in self.found:
            search = Fetch(rules(), text)
            search.start()
            current = current_session()
            try:
                while not search.ended.wait(0.05):
                    if current is not None:
                        current.check_wanted()
            finally:
                search.cancel()
            names = search.result if isinstance(search.result, list) else []
            if search.error:
                return [], search.error
            while len(self.found) >= MOST_FOUND:
                del self.found[next(iter(self.found))]
            self.found[text] = names
        return self.found[text], ""

    def cancel(self) -> None:
        """Ends the fetch that runs."""
        if self.fetch is not None:
            self.fetch.cancel()
            self.fetch = None


def hub_state() -> HubState:
    """This session's models of the Hub."""
    state = kept(HubState)
    at_session_end("models of the Hub", state.cancel)
    return state


def rules() -> Rules:
    """What the operator allows this session."""
    given = app_arguments()
    alone = given.hub == "here" and only_this_machine(given.hosts)
    on = alone or given.hub == "on"
    token = (given.hub_token or ("yes" if alone else "no")) == "yes"
    return Rules(on, given.hub_allow, on and token, given.hub_search)


def only_this_machine(hosts: Sequence[str]) -> bool:
    """Whether nobody else reaches it, as far as it can know: by its address, its names, and what a proxy adds."""
    address = st.get_option("server.address")
    try:
        own = address == "localhost" or ip_address(address or "").is_loopback
    except ValueError:
        own = False
    headers = {name.lower() for name in st.context.headers}
    return own and not hosts and not os.environ.get(HOSTS) and headers.isdisjoint(FORWARDED)


def take_fetched(here: Collection[str]) -> Fetched:
    """What was fetched since the last run, and what links name and the cache has. here: the labels of the session."""
    state = hub_state()
    linked = tuple(filter(None, map(from_cache, linked_names(here))))
    fetch = state.fetch
    if fetch is None or not fetch.ended.is_set():
        problem, state.problem = state.problem, ""
        return Fetched(linked, problem)
    state.fetch = None
    if not isinstance(fetch.result, HubFiles):
        return Fetched(linked, "" if fetch.refresh else fetch.error, fetch.error if fetch.refresh else "")
    label, note = fetch.result.name, ""
    if isinstance(fetch.asked, HubName) and not COMMIT.fullmatch(fetch.asked.revision):
        if fetch.refresh and label in here:
            note = f"{fetch.text}: {host()} has no newer commit."
        elif fetch.refresh:
            note = f"{fetch.text}: this is a newer commit. The earlier one stays in the list of tokenizers."
        state.branches[label] = fetch.asked
    return Fetched((*linked, fetch.result), note=note)


def linked_names(here: Collection[str]) -> list[str]:
    """The models of the Hub that the URL names and that were not looked at before."""
    state = hub_state()
    given = [without_implementation(each) for key in LINKS for each in st.query_params.get_all(key) if "/" in each]
    new = [each for each in dict.fromkeys(given) if each not in here and each not in state.linked]
    state.linked |= set(new[:LONGEST])
    return new[:LONGEST]


def from_cache(label: str) -> HubFiles | None:
    """The files of a model and commit that a link names, if the cache has them."""
    allowed = rules()
    try:
        name = allowed.name(label)
        path = allowed.kept(name) if COMMIT.fullmatch(name.revision) else None
        return None if path is None else read(path, name, allowed.heads)
    except InputError:
        return None


def on_hub(label: str) -> HubName | None:
    """The model on the Hub that a label of a link names, None for another label, and for what isn't allowed here."""
    try:
        return rules().name(label) if len(label) <= LONGEST else None
    except InputError:
        return None


# --- drawing ----------------------------------------------------------------------------------------------------------


def field() -> None:
    """Draws the field, where models of the Hub can be opened."""
    allowed = rules()
    if not allowed.on:
        return
    with st.container(key="hub", width="content"):
        if allowed.search:
            search_field()
        else:
            name_field()
        fetch = hub_state().fetch
        if fetch is not None:
            st.caption(words("Fetching {0:t} …", fetch.text))


WIDTH = 250


def name_field() -> None:
    """The field for a whole name, which Enter fetches."""
    state = hub_state()
    key = state.widget

    def take() -> None:
        typed = str(st.session_state.get(key) or "").strip()
        if typed:
            state.ask(typed)

    # no max_chars: Streamlit drops what is longer, and says nothing
    st.text_input(words("Model on the Hub"), key=key, placeholder="org/name", on_change=take, width=WIDTH,
                  autocomplete="off", help=about_field())  # fmt: skip


@fragment
def search_field() -> None:
    """The field that searches while a name is typed. A button fetches what is found, or what is typed."""
    state = hub_state()
    typed = st.text_input(
        words("Model on the Hub"), key=state.widget, placeholder=words("org/name, or a part of it"), live=True,
        width=WIDTH, autocomplete="off",
        help=f"{about_field()} {words('What you type is sent to {0:t} as you type.', host())}",
    )  # fmt: skip
    typed = (typed or "").strip()
    if len(typed) > LONGEST:
        st.caption(too_long(typed))
        return
    names = [typed] if on_hub(typed) is not None else []
    if len(typed) >= SHORTEST:
        found, problem = state.search(typed)
        names += [each for each in found if each not in names and on_hub(each) is not None]
        if problem:
            st.caption(problem)
        elif not names:
            st.caption(words("{0:t} has no model with this in its name.", host()))
    with st.container(gap=None):
        for name in names:
            if st.button(name, key=f"found {name}", icon=":material/download:", type="tertiary"):
                state.ask(name)
                st.rerun()


def too_long(typed: str) -> str:
    """Why a text is not a name."""
    about = "A model's name has at most {0} characters, and this text has {1}; write it as org/name"
    return words(about, LONGEST, len(typed))


def about_field() -> str:
    """What the field is for."""
    about = "Fetches its tokenizer from {0:t}, never weights or code: org/name, org/name@REVISION or org/name:FILE."
    return words(about, host())


def show_fetch() -> None:
    """Draws the fetch that runs, with a button that ends it; the page looks at it again by itself."""
    with st.container(key="fetch"):
        if hub_state().fetch is not None:
            follow_fetch()


@partial(fragment, seconds=LOOK_SECONDS)
def follow_fetch() -> None:
    """The fetch that runs. At its end the whole page is drawn again."""
    state = hub_state()
    fetch = state.fetch
    if fetch is None or fetch.ended.is_set():
        st.rerun()
    assert fetch is not None
    done, whole, file = fetch.step
    about = "Asking for a newer commit of {0:t} …" if fetch.refresh else "Fetching {0:t} …"
    sizes = in_a_row(words("{0:t} of {1:t}" if whole else "{0:t} of its beginning", size(done), size(whole or 0)), file)
    with side_by_side():
        with st.container():
            show_notice(Say(about, fetch.text).then(*[Say("{0:t}", sizes)] * bool(done or whole)))
            if whole:
                st.progress(min(1.0, done / whole))
        st.button(words("Cancel"), on_click=state.cancel, key="cancel fetch")


def show_linked(labels: Sequence[str], instead: Say) -> list[str]:
    """Draws a row for each model on the Hub that a link names and that isn't here; returns the other labels."""
    rest = []
    for label in labels:
        name = on_hub(label)
        if name is None:
            rest.append(label)
            continue
        commit = f", commit {name.revision[:7]}" if COMMIT.fullmatch(name.revision) else ""
        with side_by_side():
            with st.container():
                show_notice(
                    "This link uses {0:t} of {1:t}{2:t}. Until it is fetched, {3}.",
                    name.repository,
                    host(),
                    commit,
                    instead,
                )
            st.button(words("Fetch it"), on_click=fetch_linked, args=(label, name), key=f"fetch {label}")
    return rest


def fetch_linked(label: str, name: HubName) -> None:
    """Fetches what a link names."""
    state = st.session_state
    state.absent = [each for each in state.get("absent", []) if each != label]
    hub_state().ask(name.text)


def check_button(label: str) -> None:
    """Draws the button that asks for a newer commit, for a model that was opened by its branch."""
    state = hub_state()
    name = state.branches.get(label)
    if name is not None and rules().on:
        st.button(
            words("Check for a newer commit"), on_click=state.check, args=(name,), key="check commit",
            icon=":material/update:", type="tertiary", disabled=state.fetch is not None,
        )  # fmt: skip


def caption(label: str) -> str:
    """What a page says below a model on the Hub."""
    commit = label.partition("@")[2][:12]
    return words("From {0:t}, commit {1:t}. The link opens it for others.", host(), commit)
