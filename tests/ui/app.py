"""The app run in Python, and what stands on its page."""

from __future__ import annotations

import json
from typing import Any

from streamlit.testing.v1 import AppTest

from explorer.ui import SCRIPT

APP = SCRIPT


def page(**query: str) -> AppTest:
    """The app as a link with these parameters opens it."""
    at = AppTest.from_file(APP, default_timeout=60)
    for name, value in query.items():
        at.query_params[name] = value
    return at.run()


def data_of(at: AppTest, needle: str) -> dict[str, Any]:
    """The data of the first browser component that has the key `needle`."""
    for element in at.get("bidi_component"):
        data = json.loads(element.proto.json or "{}")
        if needle in data:
            return dict(data)
    raise AssertionError(f"no component has {needle}")


def tokens_of(at: AppTest) -> list[int]:
    """The ids on the chips."""
    return [cell["id"] for cell in data_of(at, "rows")["rows"][0]["cells"]]


def html_of(at: AppTest) -> str:
    """All that is written as HTML."""
    return "\n".join(element.proto.body for element in at.get("html"))


def drop(at: AppTest, *files: tuple[str, bytes]) -> AppTest:
    """Drops files on the page, all at once."""
    at.file_uploader[0].set_value([(name, data, "application/octet-stream") for name, data in files])
    return drawn(at.run())


def drawn(at: AppTest) -> AppTest:
    """What Python chose has reached the page, as a browser's echo would say."""
    if "override" in at.session_state:
        at.session_state["override"] = at.session_state["override"]._replace(number=0)
    return at
