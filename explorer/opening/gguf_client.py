"""The process that reads a GGUF of the Hub for a visitor of a page: `remote_gguf` within limits of memory and time.

It speaks as `hub.client` does: a request as a line of JSON on standard input, and a line with the path or the refusal.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from explorer.errors import InputError
from explorer.opening.hub import client, fetching
from explorer.opening.hub.fetching import HubError
from explorer.opening.hub.names import HubName
from explorer.opening.kept_heads import Heads
from explorer.opening.remote_gguf import address_of, located


def fetched(name: HubName, *, token: bool, heads: Heads, seconds: float, check_wanted: Callable[[], None]) -> Path:
    """The path of the beginning of a GGUF, fetched by a process that ends with this call.

    Arguments as for `remote_gguf.located`. Raises HubError.
    """
    request = {"address": address_of(name), "heads": str(heads.folder), "token": None if token else False}
    with closing(fetching.run(request, seconds, check_wanted, __name__)) as lines:
        answer = next(lines)
    if "path" in answer:
        return Path(answer["path"])
    if "failed" in answer:
        raise HubError(answer["failed"], answer["kind"])
    raise fetching.refused(name, answer["refused"], token=token, seconds=seconds)


def main() -> None:
    """Answers the request of standard input."""
    request = client.received()
    try:
        path = located(request["address"], token=request["token"] is None, heads=Heads(Path(request["heads"])))
        client.say(path=str(path))
    except InputError as error:
        client.say(failed=str(error), kind=getattr(error, "kind", ""))
    except MemoryError:
        client.say(refused="memory")


if __name__ == "__main__":
    main()
