"""The script that Streamlit runs for every session: navigation between the pages."""

import streamlit as st

from explorer.ui import PAGES
from explorer.ui.serving.page_places import page_place
from explorer.ui.session import release_uploads_at_end

release_uploads_at_end()
st.set_page_config(page_title="Tokenizer explorer", page_icon="✂️", layout="wide")
pages = [
    st.Page(PAGES / "explore.py", title="Explore", icon=":material/search:", default=True),
    st.Page(PAGES / "compare.py", title="Compare", icon=":material/compare_arrows:"),
    st.Page(PAGES / "train.py", title="Train", icon=":material/model_training:"),
    st.Page(PAGES / "vocabulary.py", title="Vocabulary", icon=":material/dictionary:"),
    st.Page(PAGES / "learn.py", title="Learn", icon=":material/school:"),
    st.Page(PAGES / "corpus.py", title="Corpus", icon=":material/library_books:"),
]
chosen = st.navigation(pages, position="top")
with page_place():
    chosen.run()
