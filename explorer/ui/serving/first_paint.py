"""The pages' styles in the HTML that a browser gets first, so that nothing jumps when the page's own elements arrive.

Streamlit draws its frame before the first element of a page, in a narrow column and with margins of its own. Styles
that come as an element (`st.html`) come after that. At the end of the body they win over Streamlit's as that element
does.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any, Final

from explorer.ui import STYLES
from explorer.ui.serving import early

HEAD: Final = b"</head>"
END: Final = b"</body>"
NOT_ASKED: Final = frozenset({b"accept-encoding", b"if-none-match", b"if-modified-since", b"range"})
"""Request headers without which a file arrives whole and as it is."""
NOT_TRUE: Final = frozenset({b"content-length", b"etag", b"last-modified"})
"""Response headers about the file as it was."""


class FirstPaint:
    """ASGI middleware that adds to every HTML page the styles, an early connection and links to its first files."""

    def __init__(self, app: Any) -> None:
        self.app = app
        self.script = b"<script>" + early.script() + b"</script>"
        self.style = b"<style>" + (STYLES / "pages.css").read_bytes() + b"</style>"

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        """Handles a request."""
        if scope["type"] != "http" or scope["method"] != "GET" or not is_page(scope["path"]):
            await self.app(scope, receive, send)
            return
        start: MutableMapping[str, Any] | None = None
        body = b""

        async def send_with_style(message: MutableMapping[str, Any]) -> None:
            nonlocal start, body
            if message["type"] == "http.response.start" and is_html(message):
                start = message
            elif start is None:
                await send(message)
            else:
                body += message.get("body", b"")
                if not message.get("more_body"):
                    whole = body.replace(HEAD, self.script + early.links(scope["path"]) + HEAD, 1)
                    whole = whole.replace(END, self.style + END, 1)
                    kept = [each for each in start["headers"] if each[0].lower() not in NOT_TRUE]
                    await send({**start, "headers": [*kept, (b"content-length", str(len(whole)).encode())]})
                    await send({"type": "http.response.body", "body": whole})

        asked = [each for each in scope["headers"] if each[0].lower() not in NOT_ASKED]
        await self.app({**scope, "headers": asked}, receive, send_with_style)


def is_page(path: str) -> bool:
    """Whether a path may be a page's: neither a file nor one of Streamlit's own.

    >>> is_page("/"), is_page("/compare"), is_page("/_stcore/health"), is_page("/static/js/index.js")
    (True, True, False, False)
    """
    return "/_stcore/" not in path and "." not in path.rpartition("/")[2]


def is_html(start: MutableMapping[str, Any]) -> bool:
    """Whether a response is an HTML page."""
    return any(name.lower() == b"content-type" and value.startswith(b"text/html") for name, value in start["headers"])
