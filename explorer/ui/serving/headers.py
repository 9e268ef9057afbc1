"""The headers every answer of the server carries, so that what a stranger wrote stays text even if a page had a fault.

The content security policy names where scripts come from: the server itself, the blobs that Streamlit loads components
from, and Streamlit's own inline scripts by their hashes. Styles are inline everywhere in Streamlit. Nothing is fetched
from elsewhere, and no other site may frame the pages unless `EXPLORER_FRAMED_BY` names it. An address holds the text,
so other sites are not told it (`Referrer-Policy`).

Left out: TLS, and `Strict-Transport-Security` with it, which are a proxy's.
"""

from __future__ import annotations

import os
import re
from base64 import b64encode
from collections.abc import MutableMapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import streamlit

FRAMED_BY: Final = "EXPLORER_FRAMED_BY"
"""An environment variable: the origins that may show the pages in a frame, apart by spaces."""

INLINE: Final = re.compile(rb"<script>(.*?)</script>", re.DOTALL)
ORIGIN: Final = re.compile(r"https?://[\w*.:-]+")


class Headers:
    """Adds them to every answer of an ASGI application."""

    def __init__(self, app: Any) -> None:
        self.app = app
        framed_by = [each for each in os.environ.get(FRAMED_BY, "").split() if ORIGIN.fullmatch(each)]
        self.added = [(name.encode(), value.encode()) for name, value in headers(tuple(framed_by)).items()]

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def answered(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                mine = {name for name, _ in self.added}
                message["headers"] = [each for each in message.get("headers", ()) if each[0].lower() not in mine]
                message["headers"] += self.added
            await send(message)

        await self.app(scope, receive, answered)


def headers(framed_by: tuple[str, ...] = ()) -> dict[str, str]:
    """Names, in small letters, and values.

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
    # it knows only "nobody" and "itself"; newer browsers go by the policy
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
    """The scripts within the page that Streamlit sends."""
    page = Path(streamlit.__file__).with_name("static") / "index.html"
    return tuple(INLINE.findall(page.read_bytes())) if page.is_file() else ()
