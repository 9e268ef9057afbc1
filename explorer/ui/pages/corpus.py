"""Corpus: what do these tokenizers cost on a whole corpus?"""

import streamlit as st

from explorer.ui.bar import begin_page
from explorer.ui.corpus.beside import show_beside
from explorer.ui.corpus.calculator import calculator
from explorer.ui.corpus.controls import choose, write_url
from explorer.ui.corpus.job import own_job
from explorer.ui.corpus.result import explain, show
from explorer.ui.corpus.tokenizers import select_new_upload

begin_page("Tokenizers on a corpus", "corpus")
with st.container():
    new = select_new_upload()
result, other = choose()
own_job(opened=new)
write_url()
if result is None:
    explain()
elif other is not None:
    show_beside(result, other)
else:
    show(result)
if result is not None:
    calculator(result)
