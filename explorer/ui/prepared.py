"""What a page needs of one text, computed once.

Tokenizers and traces never change once made, so they are kept as resources: no copy, no pickling on a hit. The keys
are names, texts and numbers, never objects. What is made of bundled files and of the server's is shared by all
sessions; what is made of a file that somebody dropped is kept in that person's session only and goes with it.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, wraps
from hashlib import sha256
from itertools import count
from time import monotonic
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

import streamlit as st

from explorer.card import Card, card
from explorer.engine.tokenizer import DecodeTrace, Encoding, Tokenizer, Trace
from explorer.errors import InputError
from explorer.ui.offers import Offer, Run
from explorer.views.boards.board import Board
from explorer.views.boards.tokens import tokens_board
from explorer.views.sections import Section, sections
from explorer.views.window import Window, window_of

P = ParamSpec("P")
T = TypeVar("T")
Kept = Callable[Concatenate[Run, P], T]
PRIVATE: list[Callable[[], None]] = []
"""What empties the caches of the session that asks."""


@dataclass(frozen=True)
class Failed:
    """What came of it was an error, which may have taken long. until: when it is tried again, by `monotonic`."""

    error: InputError
    until: float


TRIED_AGAIN = 60.0
"""Seconds: a file may be repaired meanwhile, a machine less busy."""


def kept(shared: int, private: int) -> Callable[[Kept[P, T]], Kept[P, T]]:
    """Keeps so many results for all sessions together, and so many in each session for what is its own.

    An InputError is kept as well: a page asks several times for what it draws.
    """

    def decorate(function: Kept[P, T]) -> Kept[P, T]:
        @wraps(function)
        def tried(run: Run, *args: P.args, **kwargs: P.kwargs) -> T | Failed:
            try:
                return function(run, *args, **kwargs)
            except InputError as error:
                return Failed(error, monotonic() + TRIED_AGAIN)

        keys: dict[str | type, Callable[[Any], Any]] = {Offer: lambda offer: offer.key}
        for_all = st.cache_resource(max_entries=shared, show_spinner=False, hash_funcs=keys)(tried)
        for_one = st.cache_resource(max_entries=private, show_spinner=False, hash_funcs=keys, scope="session")(tried)
        PRIVATE.append(for_one.clear)

        @wraps(function)
        def found(run: Run, *args: P.args, **kwargs: P.kwargs) -> T:
            cached = for_one if run.private else for_all
            result = cached(run, *args, **kwargs)
            if isinstance(result, Failed) and monotonic() > result.until:
                cached.clear(run, *args, **kwargs)
                result = cached(run, *args, **kwargs)
            if isinstance(result, Failed):
                # what was raised last time is no part of it
                raise result.error.with_traceback(None)
            return result

        return cast(Kept[P, T], found)

    return decorate


def forget_private() -> None:
    """Gives back what this session's own files take."""
    for clear in PRIVATE:
        clear()


@dataclass(frozen=True)
class Prepared:
    """One text under one tokenizer, ready to be drawn. `id` names exactly this content."""

    run: Run
    tokenizer: Tokenizer
    trace: Trace
    window: Window
    tokens: Board
    sections: list[Section]
    id: str

    @cached_property
    def scripts(self) -> dict[str, str]:
        """The scripts as JSON, by the key of their section."""
        return {section.key: section.script.json() for section in self.sections if section.script is not None}


@kept(16, 2)  # all bundled ones: a search for whose ids these are opens each
def opened(run: Run) -> Tokenizer:
    """The tokenizer as its file has it; `run` has no pattern of the person's own."""
    tokenizer = run.open()
    set_apart()
    return tokenizer


def set_apart() -> None:
    """Keeps the garbage collector from looking through what is there now: millions of objects that stay.

    Those that were given up since they were set apart are found each time a few more tokenizers have been opened.
    """
    if next(OPENED) % LOOKED_THROUGH == 0:
        gc.unfreeze()
    gc.collect()
    gc.freeze()


OPENED = count(1)
LOOKED_THROUGH = 8
"""Tokenizers: looking through everything takes up to a second."""


@kept(8, 2)
def card_of(run: Run) -> Card:
    """The card of an opened tokenizer."""
    return card(opened(run), run.offer.about)


def tokenizer(run: Run) -> Tokenizer:
    """The tokenizer, under the person's pattern where there is one: that shares all but the pattern."""
    return run.patterned(opened(run.original))


@kept(16, 4)
def encoded(run: Run, text: str, add_special: bool, parse_special: bool) -> Encoding:
    """The ids of a text, for whoever needs no more than these."""
    return tokenizer(run).encode(text, add_special=add_special, parse_special=parse_special)


@kept(16, 6)
def staged(run: Run, text: str, add_special: bool, parse_special: bool) -> Trace:
    """A text's way for whoever compares: a stage's decisions are found once they are asked for."""
    return tokenizer(run).trace_lazily(text, add_special=add_special, parse_special=parse_special)


@kept(16, 4)
def traced(run: Run, text: str, add_special: bool, parse_special: bool) -> Trace:
    """A text's whole way. Shared by all windows on it."""
    return tokenizer(run).trace(text, add_special=add_special, parse_special=parse_special)


@kept(16, 4)
def decoded(run: Run, text: str, add_special: bool, parse_special: bool) -> DecodeTrace:
    """And its way back."""
    ids = traced(run, text, add_special, parse_special).ids
    return tokenizer(run).trace_decode(ids, remove_special=add_special)


@kept(32, 8)
def prepared(run: Run, text: str, add_special: bool, parse_special: bool, at: int) -> Prepared:
    """Everything the Explore page draws of a text, within the window that begins at code point `at`."""
    tok = tokenizer(run)
    trace = traced(run, text, add_special, parse_special)
    window = window_of(trace, at)
    return Prepared(
        run=run,
        tokenizer=tok,
        trace=trace,
        window=window,
        tokens=tokens_board(trace, tok.vocabulary, window),
        sections=sections(tok, trace, decoded(run, text, add_special, parse_special), window),
        id=named(run, text, add_special, parse_special, window),
    )


def named(run: Run, *content: object) -> str:
    """A short name for exactly this content of a run."""
    return sha256(repr((run.offer.key, *run[1:], *content)).encode()).hexdigest()[:16]
