"""The tokenizer explorer in the browser: `streamlit run app.py`."""

from importlib import import_module

import streamlit as st
from starlette.middleware import Middleware

from explorer.answers.processes import allow_many_files
from explorer.answers.sessions import start_workers
from explorer.ui import SCRIPT
from explorer.ui.serving.classes import Classes
from explorer.ui.serving.faults import redact_logs, show_fault
from explorer.ui.serving.first_paint import FirstPaint
from explorer.ui.serving.limits import CheckedValues, Hosts, UploadLimit, check_widget_values
from explorer.ui.serving.reruns import lighten_reruns
from explorer.ui.serving.responses import Headers, KeptFiles, NoDelay
from explorer.ui.tokenizers.server import open_first

redact_logs()
check_widget_values()
lighten_reruns()
allow_many_files()
start_workers()
for name in ("explore", "palette"):
    import_module(f"explorer.ui.{name}")  # for the first page, before there is a visitor who waits
open_first()
app = st.App(
    SCRIPT,
    middleware=[
        Middleware(each)
        for each in (NoDelay, Headers, Hosts, Classes, CheckedValues, UploadLimit, FirstPaint, KeptFiles)
    ],
    on_script_error=show_fault,
)
