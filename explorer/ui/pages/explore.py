"""Explore: what happens to my text, stage by stage, and why?"""

import streamlit as st

from explorer.errors import InputError
from explorer.ui import explore_stages
from explorer.ui.explore_input import choose
from explorer.ui.prepared import prepared
from explorer.ui.problem import problem
from explorer.ui.state import forget_place

st.html('<h1 style="font-size:clamp(1.6rem,5vw,2.4rem);padding:0">Tokenizer explorer</h1>')
st.caption("What becomes of your text before a language model sees it: stage by stage, step by step, in exact ids.")
choice = choose()
if choice is not None:
    try:
        ready = prepared(*choice)
    except InputError as error:
        problem(error)
    else:
        forget_place(ready.id)
        for part in explore_stages.IN_ORDER:
            part(ready)
