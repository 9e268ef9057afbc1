"""The view Template: the stepper that plays the template."""

from __future__ import annotations

import streamlit as st

from explorer.answers.prompt import Request, prompt_view


def draw(request: Request) -> None:
    """Draws the stepper."""
    fault = prompt_view(request, "template").fault
    st.caption(fault.say if fault else "The stepper of the template.")
