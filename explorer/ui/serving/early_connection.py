"""A browser connects to the server at once, without asking first where it is and what it allows.

Streamlit's page asks two questions before it opens its connection: whether the server answers, and which sites may
frame the app (`_stcore/health`, `_stcore/host-config`). A script in the HTML answers both, in the form that Streamlit
has for hosts (`window.__streamlit`): the server is where the page came from, also behind a proxy that adds a path, and
the rest is what the server would say. Streamlit compares that with the server's own answer, which comes later.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Final

from streamlit import config

TEMPLATE: Final = "window.__streamlit = {{BACKEND_BASE_URL: new URL('.', location.href).href, HOST_CONFIG: {answer}}}"


@cache
def script() -> bytes:
    """The content of the script, for the HTML and for the hash in the content security policy.

    >>> b"BACKEND_BASE_URL" in script(), b"<" in script()
    (True, False)
    """
    answer = {"allowedOrigins": list(config.get_option("client.allowedOrigins")), "useExternalAuthToken": False}
    # no origin ends the script
    return TEMPLATE.format(answer=json.dumps(answer).replace("<", r"\u003c")).encode()
