"""Corpus: what do these tokenizers cost on a whole corpus?"""

from pathlib import Path

import streamlit as st

from explorer.ui.corpus.controls import choose
from explorer.ui.corpus.result import explain, show

st.html(Path(__file__).with_name("pages.css"))
st.html(
    '<h1 style="font-size: clamp(1.6rem, 5vw, 2.4rem); margin: 0; padding: 0">Corpus</h1>'
    '<p style="margin: 0">Tokenizers measured on a whole collection of texts: how many tokens it takes, how evenly '
    "they are used, and which languages pay more.</p>"
)
result = choose()
if result is None:
    explain()
else:
    show(result)
