"""The process that reads a GGUF of the Hub for a visitor of a page: `remote_gguf` within limits of memory and time.

It speaks as `hub.client` does: a request as a line of JSON on standard input, then lines of progress, and the path
or the refusal.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from explorer.errors import InputError
from explorer.opening.hub import client, fetching
from explorer.opening.hub.fetching import HubError, Step
from explorer.opening.hub.names import HubName
from explorer.opening.remote_gguf import Heads, address_of, located


def fetched(
    name: HubName,
    *,
    token: bool,
    heads: Heads,
    seconds: float,
    progress: Callable[[Step], None],
    check_wanted: Callable[[], None],
) -> Path:
    """The path of the beginning of a GGUF, fetched by a process that ends with this call.

    Arguments as for `remote_gguf.located` and `fetching.fetched`. Raises HubError.
    """
    request = {"address": address_of(name), "heads": str(heads.folder), "token": None if token else False}
    answer = fetching.last_line(fetching.run(request, seconds, check_wanted, __name__), progress)
    if "path" in answer:
        return Path(answer["path"])
    if "failed" in answer:
        raise HubError(answer["failed"], answer["kind"])
    raise fetching.refused(name, answer["refused"], token=token, seconds=seconds)


def main() -> None:
    request = client.received()

    def report(step: Step) -> None:
        client.say(**step._asdict())

    try:
        heads = Heads(Path(request["heads"]))
        path = located(request["address"], token=request["token"] is None, heads=heads, progress=report)
        client.say(path=str(path))
    except InputError as error:
        client.say(failed=str(error), kind=getattr(error, "kind", ""))
    except MemoryError:
        client.say(refused="memory")


if __name__ == "__main__":
    main()
