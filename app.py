"""The tokenizer explorer in the browser: `streamlit run app.py`."""

import streamlit as st

st.set_page_config(page_title="Tokenizer explorer", page_icon="✂️", layout="wide")
st.navigation([st.Page("explorer/ui/pages/explore.py", title="Explore", icon=":material/search:", default=True)]).run()
