"""The view Template: the stepper that plays the template.

It opens at the step in the address, else at the one that wrote the chosen token (`opensAt` in `stepper.js`), and
where the template failed at its last step.
"""

from __future__ import annotations

import streamlit as st

from explorer.answers.prompt import Request, prompt_view, template_play
from explorer.ui.components.stepper import LAST_STEP, stepper


def draw(request: Request) -> None:
    """Draws the stepper, or why there is nothing to play."""
    play = template_play(request)
    if play is None:
        fault = prompt_view(request, "template").fault
        st.info(fault.say if fault else "There is no template.", icon=":material/info:")
        return
    stepper(play.script, script_id=play.id, key="template_stepper", start=LAST_STEP if play.fails else None)
