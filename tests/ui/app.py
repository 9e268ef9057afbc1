"""The app run in Python, and what its page shows."""

from __future__ import annotations

import json
from functools import cache
from typing import Any, cast

from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

from explorer.answers.offers import bundled
from explorer.script.script import unpack
from explorer.ui import SCRIPT
from explorer.ui.frame import session_key
from explorer.ui.parameters import Context, Overrides
from explorer.ui.tokenizers.chooser import offer_option

APP = SCRIPT

# each AppTest looks through the metadata of all installed packages for components, which takes longer than most pages
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)


def page(**query: str) -> AppTest:
    """The app as a link with these parameters opens it."""
    at = AppTest.from_file(APP, default_timeout=60)
    for name, value in query.items():
        at.query_params[name] = value
    return at.run()


def data_of(at: AppTest, needle: str) -> dict[str, Any]:
    """The data of the first browser component that has the key `needle`."""
    for element in at.get("bidi_component"):
        data = sent_to(element)
        assert isinstance(data, dict), f"a value that JSON does not have is sent as text: {data[:300]}"
        if needle in data:
            return dict(data)
    raise AssertionError(f"no component has {needle}")


def sent_to(element: Any) -> Any:
    """The data of a component. Of a stepper, what comes before its packed script."""
    return json.loads(element.proto.bytes.partition(b"\n")[0] or element.proto.json or "{}")


def context_of(at: AppTest) -> Context:
    """What goes with the visitor to every page."""
    return cast(Context, at.session_state[session_key(Context)])


def script_of(at: AppTest) -> dict[str, Any]:
    """The script of the first stepper."""
    sent = next(element.proto.bytes for element in at.get("bidi_component") if b"\n" in element.proto.bytes)
    return unpack(sent.partition(b"\n")[2])


def tokens_of(at: AppTest) -> list[int]:
    """The ids under the tokens of the text."""
    return [piece["id"] for piece in data_of(at, "tokens")["tokens"]]


def labels(at: AppTest) -> list[str]:
    """The labels of all tokenizers in the list, which shows the bundled ones by the names people know."""
    known = {offer_option(offer): label for label, offer in bundled().items()}
    return [known.get(option, option) for option in at.selectbox(key="m").options]


def chosen(at: AppTest) -> str:
    """The label of the selected tokenizer."""
    return str(at.selectbox(key="m").value)


def html_of(at: AppTest) -> str:
    """All HTML on the page."""
    return "\n".join(element.proto.body for element in at.get("html"))


def drop(at: AppTest, *files: tuple[str, bytes]) -> AppTest:
    """Uploads files, all at once."""
    at.file_uploader[0].set_value([(name, data, "application/octet-stream") for name, data in files])
    return acknowledged(at.run())


def acknowledged(at: AppTest) -> AppTest:
    """The page after the browser has acknowledged what Python set."""
    if session_key(Overrides) in at.session_state:
        at.session_state[session_key(Overrides)].number = 0
    return at


def open_button(at: AppTest) -> Any:
    """The button that submits the answer to a required choice."""
    return next(button for button in at.button if button.label == "Use this answer")
