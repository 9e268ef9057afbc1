"""The tokenizer explorer in the browser: `streamlit run app.py`."""

import streamlit as st

st.set_page_config(page_title="Tokenizer explorer", page_icon="✂️", layout="wide")
PAGES = [
    st.Page("explorer/ui/pages/explore.py", title="Explore", icon=":material/search:", default=True),
    st.Page("explorer/ui/pages/compare.py", title="Compare", icon=":material/compare_arrows:"),
    st.Page("explorer/ui/pages/corpus.py", title="Corpus", icon=":material/library_books:"),
]
st.navigation(PAGES, position="top").run()
