"""What a page needs of one text, computed once and shared.

Tokenizers and traces never change once made, so they are kept as resources: no copy, no pickling on a hit. The keys
are names, texts and numbers, never objects.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

import streamlit as st

import explorer
from explorer.engine.tokenizer import DecodeTrace, Tokenizer, Trace
from explorer.views.boards.board import Board
from explorer.views.boards.tokens import tokens_board
from explorer.views.sections import Section, sections
from explorer.views.window import Window, window_of


@dataclass(frozen=True)
class Prepared:
    """One text under one tokenizer, ready to be drawn. `id` names exactly this content."""

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


@st.cache_resource(max_entries=8, show_spinner="Reading the vocabulary …")
def tokenizer(spec: str) -> Tokenizer:
    """The bundled tokenizer `NAME@IMPLEMENTATION`."""
    return explorer.load(spec)


@st.cache_resource(max_entries=16, show_spinner=False)
def traced(spec: str, text: str, add_special: bool, parse_special: bool) -> tuple[Trace, DecodeTrace]:
    """A text's whole way, there and back. Shared by all windows on it."""
    tok = tokenizer(spec)
    trace = tok.trace(text, add_special=add_special, parse_special=parse_special)
    return trace, tok.trace_decode(trace.ids, remove_special=add_special)


@st.cache_resource(max_entries=32, show_spinner=False)
def prepared(spec: str, text: str, add_special: bool, parse_special: bool, at: int) -> Prepared:
    """Everything the Explore page draws of a text, within the window that begins at code point `at`."""
    tok = tokenizer(spec)
    trace, decoded = traced(spec, text, add_special, parse_special)
    window = window_of(trace, at)
    return Prepared(
        tokenizer=tok,
        trace=trace,
        window=window,
        tokens=tokens_board(trace, tok.vocabulary, window),
        sections=sections(tok, trace, decoded, window),
        id=sha256(repr((spec, text, add_special, parse_special, window)).encode()).hexdigest()[:16],
    )
