"""The operator's arguments: what follows `streamlit run app.py --`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple


class ServerArguments(NamedTuple):
    """tokenizers, results: paths. problem: what could not be parsed, or "". open_first: see `open_first.py`.

    hosts: names of this server. lesson: the path of one to follow, see `ui/learn/preview.py`. hub, hub_allow,
    hub_token, hub_search: see `ui/tokenizers/hub.py`.
    """

    tokenizers: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    problem: str = ""
    open_first: bool = False
    hosts: tuple[str, ...] = ()
    lesson: str = ""
    hub: str = "off"
    hub_allow: tuple[str, ...] = ()
    hub_token: str = ""
    hub_search: bool = False


def app_arguments() -> tuple[str, ...]:
    """The app's own arguments; none if another program, such as a test runner, imports it."""
    return tuple(sys.argv[1:]) if Path(sys.argv[0]).name == "app.py" else ()


def parse_arguments(arguments: Sequence[str]) -> ServerArguments:
    """Parses the arguments.

    >>> found = parse_arguments(["--tokenizer", "a.gguf", "--corpus", "b.json"])
    >>> found.tokenizers, found.results, found.problem, found.hub
    (('a.gguf',), ('b.json',), '', 'off')
    """
    parser = argparse.ArgumentParser(prog="app.py", exit_on_error=False, add_help=False, allow_abbrev=False)
    parser.add_argument("--tokenizer", action="append", default=[])
    parser.add_argument("--corpus", action="append", default=[])
    parser.add_argument("--open-first", action="store_true")
    parser.add_argument("--host", action="append", default=[])
    parser.add_argument("--lesson", default="")
    parser.add_argument("--hub", choices=("on", "off", "here"), default="off")
    parser.add_argument("--hub-allow", action="append", default=[])
    parser.add_argument("--hub-token-of-operator", choices=("yes", "no"), default="")
    parser.add_argument("--hub-search", action="store_true")
    try:
        found, unknown = parser.parse_known_args(arguments)
    except argparse.ArgumentError as error:
        return ServerArguments(problem=f"the command line: {error}; write: streamlit run app.py -- --tokenizer PATH")
    problem = f"the command line: {unknown[0]!r} is not known; write --tokenizer PATH" if unknown else ""
    paths, hosts = (tuple(found.tokenizer), tuple(found.corpus)), tuple(found.host)
    made = ServerArguments(*paths, problem, found.open_first, hosts, found.lesson)
    return made._replace(
        hub=found.hub, hub_allow=tuple(found.hub_allow), hub_token=found.hub_token_of_operator,
        hub_search=found.hub_search,
    )  # fmt: skip
