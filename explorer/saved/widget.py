"""A saved page as a Jupyter widget: Python reads at which step it is, and sets it. Needs anywidget.

The widget is a frame with the same file and the same `frame.js` as the usual output. It is drawn by the kernel, so a
notebook that is opened again, or turned into HTML, has it only if the notebook's program saved the state of widgets.
"""

from typing import Any

import anywidget
import traitlets

from explorer.saved.page import FIRST_HEIGHT, FOLDER, frame_code


class PageWidget(anywidget.AnyWidget):  # type: ignore[misc]
    """A page whose stage and step follow each other in the browser and in Python.

    stage, step: where the reader or Python went last; "" and None before, where the page begins.
    """

    _esm = f"const framed = {frame_code()};\n{(FOLDER / 'widget.js').read_text('utf-8')}"
    page = traitlets.Unicode().tag(sync=True)
    title = traitlets.Unicode().tag(sync=True)
    sandbox = traitlets.Unicode().tag(sync=True)
    height = traitlets.Int().tag(sync=True)
    first_height = traitlets.Int(FIRST_HEIGHT).tag(sync=True)
    stage = traitlets.Unicode().tag(sync=True)
    step = traitlets.Int(None, allow_none=True).tag(sync=True)


def widget(page: str, title: str, sandbox: str, height: int) -> Any:
    """A page as a widget. height: in pixels, 0 for that of its content."""
    return PageWidget(page=page, title=title, sandbox=sandbox, height=height)
