"""The tokenizer explorer in the browser: `streamlit run app.py`."""

import streamlit as st
from starlette.middleware import Middleware

from explorer.answers.sessions import keep_spare
from explorer.ui import SCRIPT
from explorer.ui.serving.headers import Headers
from explorer.ui.serving.unclaimed import Unclaimed
from explorer.ui.serving.unexpected import failed, quiet

quiet()
keep_spare()
app = st.App(SCRIPT, middleware=[Middleware(Headers), Middleware(Unclaimed)], on_script_error=failed)
