"""The script that Streamlit runs for every session: navigation between the pages."""

import streamlit as st

from explorer.ui import PAGES
from explorer.ui.frame import page_place, refusals, release_uploads_at_end
from explorer.ui.language import settle_language, words
from explorer.ui.palette import draw_head
from explorer.views.components import EMBLEM

release_uploads_at_end()
settle_language()
st.set_page_config(page_title=words("Tokenizer explorer"), page_icon=EMBLEM, layout="wide")
# the file's name, which is the page's path, and its icon
ICONS = {
    "explore": "search",
    "compare": "compare_arrows",
    "train": "model_training",
    "vocabulary": "dictionary",
    "prompt": "forum",
    "learn": "school",
    "corpus": "library_books",
}
pages = [
    st.Page(PAGES / f"{name}.py", title=words(name.capitalize()), icon=f":material/{icon}:", default=name == "explore")
    for name, icon in ICONS.items()
]
pages.append(st.Page(PAGES / "start.py", title=words("What brought you here?"), visibility="hidden"))
chosen = st.navigation(pages, position="top")
head = st.container(key="head")
with page_place(), refusals():
    chosen.run()
with head:
    draw_head()
