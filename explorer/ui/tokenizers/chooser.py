"""The tokenizers that a session can choose, a visitor's uploads among them, the card of one, and the choices it leaves
open.

A required choice, which a file leaves open, is drawn as a question with known answers or a text field. Optional choices
other than the default are in the URL, as `choose_KEY`.

The URL names the chosen one by its label, which is never read as a path. If a label names nothing here, as in a link
to somebody else's upload, the page says so and uses the default. A select box shows the name people know, then the
kind; typing the short name finds it, too.

Uploads live in the session, nobody else sees them, and they are removed when it ends. Streamlit keeps uploads until
then. They are taken from Streamlit at once, so that only one copy exists and removing a file frees its memory. The last
removal can be undone until the next upload.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile

from explorer.analysis.card import ListedToken
from explorer.answers.explore import card_of, facts_of, known_pre_tokenizers
from explorer.answers.offers import (
    Offer,
    Origin,
    TokenizerSpec,
    Upload,
    UploadGroup,
    add_settings,
    bundled,
    group_uploads,
    hub_offer_of,
    short_name,
    upload_offer,
)
from explorer.errors import FORMER, ChoiceNeeded, InputError, nearest, no_longer_offered
from explorer.facts import Choosable, listed
from explorer.stages.spelling import implementation_title
from explorer.tables import Record
from explorer.text.say import Say, Text, plural, size, worded
from explorer.text.say import listed as list_of
from explorer.ui import STYLES
from explorer.ui.frame import (
    at_session_end,
    fragment,
    kept,
    release_private,
    settings_button,
    show_error,
    show_notice,
    side_by_side,
)
from explorer.ui.language import words
from explorer.ui.parameters import (
    CHOOSE,
    TOKENIZER,
    URL,
    Overrides,
    apply_overrides,
    context,
    keep,
    linked_select,
    new_url,
    overrides,
    url_values,
)
from explorer.ui.tokenizers import server
from explorer.ui.tokenizers.server import server_files
from explorer.views.card import FEW, card_html, facts_html, table_of_listed, tokens_html

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
    """Draws the field. The next run opens new uploads (`open_new_uploads`)."""
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


@dataclass
class ChoiceState:
    """The choices made for one tokenizer under one implementation.

    required: answers by key, in the order they were asked. optional: values by key that differ from the default
    (`Choosable`). question: the last required choice asked.
    """

    required: dict[str, str] = field(default_factory=dict)
    optional: dict[str, str] = field(default_factory=dict)
    question: ChoiceNeeded | None = None


def choice_state(spec: TokenizerSpec) -> ChoiceState:
    """This session's choices for a tokenizer and implementation."""
    known: dict[tuple[str, str], ChoiceState] = st.session_state.setdefault("answers", {})
    return known.setdefault((spec.offer.key, spec.implementation), ChoiceState())


def with_choices(spec: TokenizerSpec) -> TokenizerSpec:
    """The spec with the choices made for it."""
    state = choice_state(spec)
    return spec._replace(choices=(*state.required.items(), *state.optional.items()))


def take_linked(spec: TokenizerSpec) -> None:
    """Takes the optional choices in the URL, once a session; refused ones are remembered."""
    state = st.session_state
    if "refused_choices" in state or st.query_params.get("m") not in (None, spec.offer.label):
        return
    linked = {name.removeprefix(CHOOSE): st.query_params[name] for name in st.query_params if name.startswith(CHOOSE)}
    refused = choose_linked(spec, linked)
    if refused is not None:
        state.refused_choices = refused


def choose_linked(spec: TokenizerSpec, linked: Mapping[str, str]) -> list[str] | None:
    """Makes optional choices; returns a line for each that is refused, None while a required choice is open."""
    if not linked:
        return []
    state = choice_state(spec)
    try:
        facts = facts_of(spec._replace(choices=tuple(state.required.items())))
    except InputError:
        return None
    offered = {each.key: each for each in facts.choosable}
    lines = []
    for key, value in linked.items():
        each = offered.get(key)
        if each is None or value not in each.options:
            reason = Say("{0:t} has no such choice", spec.offer.label)
            if each is not None:
                reason = Say("known are {0:t}", ", ".join(each.options))
            lines.append(words("This link chooses {0:t} = {1:t}, but {2}.", key[:40], repr(value[:40]), reason))
        elif value != each.chosen:
            state.optional[key] = value
    return lines


def show_refused_choices() -> None:
    """Says which choices of a link were refused."""
    dismissible(st.session_state.get("refused_choices", [])[:MAX_NAMES], "dismiss choices", "refused_choices")


def show_unopened(spec: TokenizerSpec, error: InputError) -> None:
    """Draws why a tokenizer didn't open: a question, a wrong answer to one, or an error."""
    state = choice_state(spec)
    if isinstance(error, ChoiceNeeded):
        state.question = error
    elif state.question is None or state.question.key not in state.required:
        show_error(error)
        return
    # the last question is answered, but the answer fails, or leads to the next question
    ask(state, state.question, str(error) if state.question.key in state.required else "")


def open_each(specs: Iterable[TokenizerSpec]) -> bool:
    """Opens tokenizers, and draws why the first doesn't that does not open; whether all did."""
    with st.spinner(words("Reading the tokenizers"), show_time=True):
        for spec in specs:
            try:
                facts_of(spec.without_pattern)
            except InputError as error:
                show_unopened(spec, error)
                return False
    return True


def ask(state: ChoiceState, question: ChoiceNeeded, wrong: str) -> None:
    """Draws a question with its fields. wrong: why the last answer failed. Another tokenizer can be chosen instead."""
    key = question.key
    answer = state.required.get(key, "")

    def take() -> None:
        typed = str(st.session_state.get(f"typed {key}") or "").strip()
        given = typed or st.session_state.get(f"chosen {key}")
        if given:
            state.required[key] = str(given)

    with st.container(border=True, key="question"):
        show_notice(str(question))
        with side_by_side("bottom"):
            if question.options:
                # when any text is allowed, no known answer is likely enough to be the default
                default = None if question.free else 0
                index = question.options.index(answer) if answer in question.options else default
                st.selectbox(
                    words("Known answers"),
                    question.options,
                    index,
                    key=f"chosen {key}",
                    placeholder=words("Choose one"),
                    width=320,
                )
            if question.free:
                own = "" if answer in question.options else answer
                label = "Or {0:t} of your own" if question.options else "Your own: {0:t}"
                st.text_input(words(label, worded(question.free)), own, key=f"typed {key}", width=420)
            st.button(words("Use this answer"), type="primary", on_click=take)
        if wrong:
            show_error(wrong, "That answer doesn't work.")


def show_answers(spec: TokenizerSpec) -> None:
    """Says which required choices were made, and offers to change them."""
    state = choice_state(spec)

    def clear() -> None:
        state.required.clear()

    with side_by_side():
        if state.required:
            chosen = ", ".join(f"{key} = {value}" for key, value in state.required.items())
            show_notice("This file doesn't specify everything. You chose {0:t}.", chosen)
            st.button(words("Choose again"), on_click=clear)


def choose_optional(spec: TokenizerSpec, defaults: tuple[Choosable, ...], offered: tuple[Choosable, ...]) -> None:
    """Draws the optional choices of a tokenizer. defaults: the same choices with nothing chosen."""
    choices, state = choice_state(spec), st.session_state
    default_of = {each.key: each.chosen for each in defaults}

    def take(key: str) -> None:
        value = str(state[CHOOSE + key])
        choices.optional.pop(key, None)
        if value != default_of[key]:
            choices.optional[key] = value

    # always present, if empty, so that what follows keeps its position and isn't rebuilt
    with side_by_side("top", key="choosable"):
        for each in offered:
            # the URL omits the first option; tokenizers with other defaults share the parameter
            default = default_of[each.key]
            options = sorted(each.options, key=lambda option, default=default: option != default)  # type: ignore[misc]
            state[CHOOSE + each.key] = each.chosen
            st.selectbox(
                each.label, options, key=CHOOSE + each.key, bind="query-params", width=260, on_change=take,
                args=(each.key,), help=words("The same as --choose {0:t}=… on the command line", each.key),
            )  # fmt: skip


@fragment
def about(spec: TokenizerSpec) -> None:
    """Draws the expander, and the card while it is open."""
    card = card_of(spec.without_pattern)
    warnings = f" · {words(plural(len(card.warnings), 'warning'))}" if card.warnings else ""
    with st.expander(
        f"{words('About this tokenizer')}{warnings}", icon=":material/warning:" if warnings else ":material/info:",
        on_change="rerun", key="about",
    ) as expander:  # fmt: skip
        if not expander.open:
            return
        st.html(STYLES / "card.css")
        st.html(card_html(card, words))
        known = known_pre_tokenizers(spec.without_pattern)
        if known:
            st.html(facts_html("Which pre-tokenizer is this", known, words))
        for name, tokens in (("special token", card.special), ("user-defined token", card.user_defined)):
            token_list(name, tokens)


def token_list(name: str, tokens: Sequence[ListedToken]) -> None:
    """Draws the tokens of one kind; many are drawn as a table with a search field."""
    if not tokens:
        return
    st.html(f'<div class="tk-card"><h4>{words(plural(len(tokens), name))}</h4></div>')
    if len(tokens) <= FEW:
        st.html(tokens_html(tokens, words))
        return
    wanted = st.text_input(words("Find"), type="search", live=True, key=f"find {name}", width=320,
                           placeholder=words("spelling, id or kind"))  # fmt: skip
    found = table_of_listed(tokens, wanted or "", words).rename(columns=words)
    st.dataframe(found, hide_index=True, height=min(320, 38 + 35 * max(1, len(found))), width=520)


FAR = "\u2003" * 40
"""Puts what follows beyond the edge of a select box."""


def offer_option(offer: Offer) -> str:
    """An offer in a list.

    >>> from explorer.answers.offers import bundled
    >>> offer_option(bundled()["gpt-2"])
    'GPT-2 · byte-level BPE'
    """
    return found_by(offer.label, with_kind(offer.name, offer.kind), FAR)


def spec_option(spec: TokenizerSpec) -> str:
    """An offer under one implementation in a list.

    >>> from explorer.answers.offers import bundled
    >>> spec_option(TokenizerSpec(bundled()["llama-3"], "huggingface"))
    'Llama 3 · Hugging Face · byte-level BPE · llama-3@huggingface'
    """
    return found_by(spec.name, with_kind(spec.title, spec.offer.kind), " · ")


def with_kind(title: str, kind: str) -> str:
    """A title, followed by the kind of tokenizer if it is known."""
    return f"{title} · {kind}" if kind else title


def found_by(name: str, option: str, gap: str) -> str:
    """An option that typing its name finds: Streamlit keeps the options that have the typed letters, in their order.

    >>> found_by("gpt-2", "GPT-2 · BPE", " "), found_by("llama-2", "Llama 2 · BPE", " ")
    ('GPT-2 · BPE', 'Llama 2 · BPE llama-2')
    """
    letters = iter(option.lower())
    return option if all(letter in letters for letter in name.lower()) else f"{option}{gap}{name}"


def offers() -> Mapping[str, Offer]:
    """All offers by label, the default first."""
    return {**bundled(), **server_files().offers, **uploads().offers}


def all_specs() -> dict[str, TokenizerSpec]:
    """Every tokenizer under every implementation, by name, with the choices made for it."""
    every = (
        with_choices(TokenizerSpec(offer, implementation))
        for offer in offers().values()
        for implementation in offer.implementations
    )
    return {spec.name: spec for spec in every}


def own_spec() -> TokenizerSpec | None:
    """The tokenizer that goes with the visitor; None until one is chosen."""
    kept, known = context().kept, offers()
    offer = known.get(kept.get("m", ""))
    if offer is None:
        return None
    spec = with_choices(offer.spec(kept.get("as", "")))
    return None if offer is next(iter(known.values())) and spec == offer.spec() else spec


def carried() -> Record:
    """The visitor's own text and tokenizer, by "text", "m" and "as", each None for what a page begins with."""
    own = own_spec()
    label, implementation = (None, None) if own is None else (own.offer.label, own.implementation)
    return {"text": context().own_text, "m": label, "as": implementation}


def linked_parts() -> Record:
    """What a link has brought of the text and the tokenizer, while all of it is still there."""
    link, here = context().link, carried() | {"text": context().text}
    return link if all(here[key] == value for key, value in link.items()) else {}


def own_parts() -> Record:
    """The visitor's own text and tokenizer, those that a link shows others in place of, too."""
    return carried() | {key: context().own[key] for key in linked_parts()}


@contextmanager
def arrival() -> Iterator[None]:
    """Notes what the address brings in place of the visitor's own, if it leads from another page."""
    now, own, link, before, left = context(), own_parts(), linked_parts(), carried(), context().page
    yield
    if left != now.page:
        after, text = carried(), st.query_params.get("text")
        now.own, now.link = own, link | {key: after[key] for key in TOKENIZER if after != before}
        if text not in (None, now.text):
            now.link["text"] = text


def bring(text: str) -> None:
    """Fills in a text of another's, as a link does."""
    now = context()
    now.own, now.link = own_parts(), linked_parts() | {"text": text}
    now.fill(text)


def own_first(key: str, names: Sequence[str], most: int, *, linked: bool) -> list[str]:
    """The names in a list of tokenizers, first the visitor's own if it is new. linked: they come from a link."""
    own = own_spec()
    uploads = {offer.spec().name for offer in offers().values() if offer.origin == Origin.UPLOAD}
    return context().lead(key, "" if own is None else own.name, names, most, linked=linked, uploads=uploads)


def other_specs(spec: TokenizerSpec) -> list[TokenizerSpec]:
    """All but one, each as its default implementation runs it."""
    return [spec_of(label) for label, offer in offers().items() if offer != spec.offer]


def spec_of(label: str, implementation: str = "") -> TokenizerSpec:
    """A tokenizer by the label of its offer, with the choices made for it. implementation: the default one if empty."""
    offer = offers()[label]
    return with_choices(offer.spec(implementation))


def spec_name(linked: str, known: Mapping[str, TokenizerSpec]) -> str:
    """The name in `known` that a URL means, as the command line reads it: without an implementation, the default one.

    A name that means none is left as it is. An implementation that is no longer offered means the nearest.

    >>> known = {"gpt-2@huggingface": TokenizerSpec(bundled()["gpt-2"], "huggingface")}
    >>> spec_name("gpt-2", known), spec_name("gpt-2@huggingface", known), spec_name("nope", known)
    ('gpt-2@huggingface', 'gpt-2@huggingface', 'nope')
    """
    if linked in known:
        return linked
    label, at, implementation = linked.rpartition("@")
    linked = f"{label}{at}{nearest('implementation', implementation)}"
    for name, spec in known.items():  # a tokenizer's default implementation comes first
        if linked in (spec.offer.label, f"{spec.offer.label}@{spec.implementation}"):
            return name
    return linked


class Chosen(NamedTuple):
    """The tokenizer chosen, and the container of its settings."""

    spec: TokenizerSpec
    settings: DeltaGenerator


@contextmanager
def row(page: str = "explore", first: str = "") -> Iterator[Chosen]:
    """Draws a row to choose or upload a tokenizer; the page adds its own switches to the settings.

    first: the label of the one that the page begins with; without it, the first of all.
    """
    state = st.session_state
    with st.container():
        new = open_new_uploads()
    if new is not None:
        kept = context().kept
        state.before = (kept.get("m"), kept.get("as"))
        select(overrides(), new)
    known = offers()
    first = first if first in known else next(iter(known))
    with arrival():
        take_linked_tokenizer(known, page, first)
    if context().changed:
        context().changed = False
        label = context().kept.get("m", first)
        select(overrides(), known.get(label, known[first]), context().kept.get("as"))
    apply_overrides("m", "as")
    with side_by_side("top", key="choices", width="content"):
        # the URL names both as the command line and the library do
        label = linked_select(
            words("Tokenizer"), list(known), key="m", title=lambda name: offer_option(known[name]),
            on_change=follow_default, default=first, width=260, label_visibility="collapsed",
        )  # fmt: skip
        offer = state.offer = known[label]
        implementation = linked_select(
            words("Implementation"), offer.implementations, key="as", width=200, default=offer.implementations[0],
            title=lambda name: found_by(name, implementation_title(name), FAR), label_visibility="collapsed",
        )  # fmt: skip
        if len(offer.implementations) == 1:
            st.html("<style>.st-key-as { display: none; }</style>")
        if "as" in context().kept:  # of this tokenizer
            context().kept["m"] = label
        # a choice is named, even that of the default: on another page a URL without one leaves the choice as it was
        usual = {"as": offer.implementations[0], **({} if "m" in context().kept else {"m": first})}
        url_values({"m": label, "as": implementation}, usual, key=URL, echo=overrides().number)
        with settings_button():
            upload_field()
            spec = TokenizerSpec(offer, implementation)
            take_linked(spec)
            yield Chosen(with_choices(spec), st.container())


def take_linked_tokenizer(known: Mapping[str, Offer], page: str, first: str) -> None:
    """Takes the tokenizer in a URL that has come from outside, and remembers a label that names none.

    first: the label that a URL means that names none.
    """
    linked = new_url(page, ("m", "as"), URL)
    if linked is not None:
        note_former("implementation", (*linked["m"], *linked["as"]))
        linked = separated(linked, known)
    note_missing(linked["m"] if linked else (), known)
    if linked is None:
        return
    label = next((each for each in linked["m"] if each in known), first)
    implementations = known[label].implementations
    named = (nearest("implementation", each) for each in linked["as"])
    keep({"m": label, "as": next((each for each in named if each in implementations), implementations[0])})
    if not (linked["m"] or linked["as"]):  # Back to where none was chosen
        for key in TOKENIZER:
            context().kept.pop(key)


def separated(linked: Mapping[str, list[str]], known: Mapping[str, Offer]) -> dict[str, list[str]]:
    """The values of `m` and `as`, where one of `m` may name both, as other pages and the command line do.

    >>> separated({"m": ["gpt-2@llama.cpp"], "as": []}, bundled())
    {'m': ['gpt-2'], 'as': ['llama.cpp']}
    """
    both = {
        f"{offer.label}@{each}": (offer.label, each)
        for offer in known.values()
        for each in (*offer.implementations, *FORMER["implementation"])
    }
    named = [(each, "") if each in known else both.get(each, (each, "")) for each in linked["m"]]
    return {"m": [label for label, _ in named], "as": [*linked["as"], *filter(None, (each for _, each in named))]}


def select(widgets: Overrides, offer: Offer, implementation: str | None = None) -> None:
    """Selects a tokenizer in the visitor's widgets."""
    known = offer.implementations
    widgets.set(m=offer.label, **{"as": implementation if implementation in known else known[0]})


def follow_default() -> None:
    """After another tokenizer is chosen, switches from the old one's default implementation to the new one's."""
    state = st.session_state
    offer = offers().get(state.m)
    if offer is not None and state.get("as") == state.offer.implementations[0]:
        state["as"] = offer.implementations[0]


def is_usable(chosen: Chosen) -> bool:
    """Opens the tokenizer and draws the messages about it; False if it can't be used yet."""
    spec = chosen.spec
    # a single container, however many messages: what follows keeps its position and isn't rebuilt
    with st.container(key="tokenizer"):
        show_missing(Say("you see {0:t}", spec.offer.name))
        upload_messages()
        undo_row()
        show_refused_choices()
        upload_row(spec)
        try:
            open_with_spinner(spec)
        except InputError as error:
            show_unopened(spec, error)
            return False
        show_answers(spec)
        show_server_problems()
    default = spec._replace(choices=tuple(choice_state(spec).required.items())).without_pattern
    with chosen.settings:
        choose_optional(spec, facts_of(default).choosable, facts_of(spec.without_pattern).choosable)
        about(spec)
    return True


# --- messages below the row, each in a container that is there even while it is empty --------------------------------


def undo_row() -> None:
    """Says which upload was removed last, and offers to undo that."""
    state, widgets = uploads(), overrides()

    def undo() -> None:
        offer = state.undo()
        if offer is not None:
            select(widgets, offer)

    with side_by_side():
        if state.removed is not None:
            show_notice("{0:t} was removed.", state.removed.label)
            st.button(words("Undo"), on_click=undo, key="undo removal", icon=":material/undo:")


def upload_row(spec: TokenizerSpec) -> None:
    """For an upload, says that it is private and offers to remove it; for a model on the Hub, says its commit."""
    with side_by_side():
        if spec.offer.origin not in (Origin.UPLOAD, Origin.HUB):
            return
        state, widgets, removed = uploads(), overrides(), spec.offer.label
        others = {label: offer for label, offer in offers().items() if label != removed}
        before, implementation = st.session_state.get("before", (None, None))

        def remove() -> None:
            state.remove(removed)
            select(widgets, others.get(before) or next(iter(others.values())), implementation)

        about = words("This file lives in this session: nobody else sees it, and it is removed when the session ends.")
        if spec.offer.origin is Origin.HUB:
            about = server.caption(spec.offer.label)
        st.caption(about, width="content")
        if spec.offer.origin is Origin.HUB:
            server.check_button(spec.offer.label)
        st.button(words("Remove"), on_click=remove, key="remove", icon=":material/delete:", type="tertiary")


def show_server_problems() -> None:
    """Lists what the operator gave that can't be used: files, a folder, arguments."""
    problems = server_files().problems
    if not problems:
        return
    with st.expander(
        words("{0:t} with this server's files", plural(len(problems), "problem")), icon=":material/error:"
    ):
        for line in problems:
            show_error(line, "")
