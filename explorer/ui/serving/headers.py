"""Security headers of every response: untrusted text stays text even if a page has a bug.

The content security policy allows scripts from the server itself, from the blobs that Streamlit loads components from,
and the inline scripts of the page, Streamlit's and ours, by their hashes. Styles are inline everywhere in Streamlit.
Nothing is fetched from other origins, and no other site may frame the pages unless `EXPLORER_FRAMED_BY` names it.
`Referrer-Policy` hides the URL, which holds the text, from other sites.

Leaves out TLS and `Strict-Transport-Security`, which are a proxy's task.
"""

from __future__ import annotations

import logging
import os
import re
from base64 import b64encode
from collections.abc import MutableMapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import streamlit

from explorer.ui.serving import first_paint

LOG: Final = logging.getLogger(__name__)
FRAMED_BY: Final = "EXPLORER_FRAMED_BY"
"""An environment variable: the origins that may frame the pages, separated by spaces."""

INLINE: Final = re.compile(rb"<script>(.*?)</script>", re.DOTALL)
ORIGIN: Final = re.compile(r"https?://(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*(:(\d{1,5}|\*))?", re.IGNORECASE)
"""`https://*.example.org:8443`: in ASCII, without a path, and a star for whole parts alone."""


class Headers:
    """ASGI middleware that adds the headers to every response."""

    def __init__(self, app: Any) -> None:
        self.app = app
        self.added = [(name.encode(), value.encode()) for name, value in headers(framing_origins()).items()]

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        """Handles a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                own = {name for name, _ in self.added}
                message["headers"] = [each for each in message.get("headers", ()) if each[0].lower() not in own]
                message["headers"] += self.added
            await send(message)

        await self.app(scope, receive, send_with_headers)


def framing_origins() -> tuple[str, ...]:
    """The origins that the operator lets frame the pages. One line of the log names what is no origin."""
    given = [each.removesuffix("/") for each in re.split(r"[\s,]+", os.environ.get(FRAMED_BY, "")) if each]
    wrong = [each for each in given if not ORIGIN.fullmatch(each)]
    if wrong:
        LOG.warning("%s has no origin in %a; give https://example.org, with spaces between several", FRAMED_BY, wrong)
    return tuple(each for each in given if each not in wrong)


def headers(framed_by: tuple[str, ...] = ()) -> dict[str, str]:
    """The headers by lowercase name.

    >>> headers()["x-frame-options"], "x-frame-options" in headers(("https://example.org",))
    ('SAMEORIGIN', False)
    """
    found = {
        "content-security-policy": policy(framed_by),
        "x-content-type-options": "nosniff",
        "referrer-policy": "same-origin",
        "cross-origin-opener-policy": "same-origin",
        "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    }
    # this header cannot name other origins; newer browsers use the policy
    return found if framed_by else found | {"x-frame-options": "SAMEORIGIN"}


def policy(framed_by: tuple[str, ...]) -> str:
    """The content security policy."""
    inline = " ".join(f"'sha256-{b64encode(sha256(script).digest()).decode()}'" for script in inline_scripts())
    rules = {
        "default-src": "'self'",
        "script-src": f"'self' blob: {inline}".rstrip(),
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data: blob:",
        "font-src": "'self' data:",
        "connect-src": "'self'",
        "worker-src": "'self' blob:",
        "object-src": "'none'",
        "base-uri": "'self'",
        "form-action": "'self'",
        "frame-ancestors": " ".join(("'self'", *framed_by)),
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())


@cache
def inline_scripts() -> tuple[bytes, ...]:
    """The inline scripts of the page: Streamlit's and ours."""
    page = Path(streamlit.__file__).with_name("static") / "index.html"
    return (*(INLINE.findall(page.read_bytes()) if page.is_file() else ()), first_paint.script())
