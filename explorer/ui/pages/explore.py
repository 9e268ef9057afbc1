"""Explore: what happens to my text, stage by stage, and why?"""

import streamlit as st

from explorer.ui.explore import draw_bar, follow_text, table_place
from explorer.ui.frame import begin_page
from explorer.ui.tokenizers import chooser

begin_page("Tokenizer explorer", "explore")
bar = draw_bar()
usable = chooser.is_usable(bar.chosen)
above = st.container()
table = table_place() if usable else None
with above:
    follow_text(bar, usable, table)
