"""Corpus: who pays more for the same text? And what do these tokenizers cost on a whole corpus?"""

import streamlit as st

from explorer.ui.corpus import choose, explain, own_job, select_new_upload, show, write_url
from explorer.ui.frame import begin_page

begin_page("Tokenizers on a corpus", "corpus")
with st.container():
    new = select_new_upload()
result = choose()
own_job(opened=new)
if result is None:
    explain()
else:
    show(result)
write_url()
