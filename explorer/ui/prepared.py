"""What a page needs of one text, computed once and shared.

Tokenizers and traces never change once made, so they are kept as resources: no copy, no pickling on a hit. The keys
are names, texts and numbers, never objects.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

import streamlit as st

import explorer
from explorer.engine.tokenizer import DecodeTrace, Tokenizer, Trace
from explorer.views.boards.board import Board
from explorer.views.boards.decode import decode_board
from explorer.views.boards.normalize import normalize_board
from explorer.views.boards.partition import partition_board
from explorer.views.boards.post_process import post_process_board
from explorer.views.boards.tokens import tokens_board
from explorer.views.boards.utf8 import utf8_board
from explorer.views.merge_script import merge_script
from explorer.views.script import Script
from explorer.views.window import Window, window_of


@dataclass(frozen=True, slots=True)
class Prepared:
    """One text under one tokenizer, ready to be drawn. `id` names exactly this content."""

    tokenizer: Tokenizer
    trace: Trace
    decoded: DecodeTrace
    window: Window
    tokens: Board
    utf8: Board
    partition: Board
    normalize: Board
    post_process: Board
    decode: Board
    script: Script
    json: str
    id: str


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
    script = merge_script(trace.stage("model"), tok.vocabulary, window)
    key = repr((spec, text, add_special, parse_special, window))
    return Prepared(
        tokenizer=tok,
        trace=trace,
        decoded=decoded,
        window=window,
        tokens=tokens_board(trace, tok.vocabulary, window),
        utf8=utf8_board(trace, window),
        partition=partition_board(trace, tok.vocabulary),
        normalize=normalize_board(trace, window),
        post_process=post_process_board(trace, tok.vocabulary, window),
        decode=decode_board(trace, decoded, tok.vocabulary, window),
        script=script,
        json=script.json(),
        id=sha256(key.encode()).hexdigest()[:16],
    )
