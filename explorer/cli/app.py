"""The commands about the program itself: `app`, which starts the web app, `docs` and `completion`.

`app` runs Streamlit in this process as `streamlit run` does, on the script in the clone or in the installed package.
The settings in .streamlit/config.toml next to it apply in any current directory. Options this command does not know,
such as `--server.port 8600`, are passed on to Streamlit. `completion` prints what a shell needs to complete commands,
options, models and files.
"""

import argparse
import re
import runpy
import sys
from pathlib import Path
from typing import Any

from explorer.cli.shared import Parsed, say, write_exact
from explorer.errors import InputError
from explorer.formats.files import on_one_line, regular_size
from explorer.opening.catalog import catalog, exists, parse_spec
from explorer.opening.hub import names
from explorer.opening.sources import APP, DOCUMENTS, LOCAL

STREAMLIT_FLAG = re.compile(r"--[a-z]+\.\w+(=.*)?", re.DOTALL)


def app(parsed: Parsed) -> int:
    """Starts the web app and serves it until it is interrupted."""
    flags: list[str] = parsed.rest
    if flags and not STREAMLIT_FLAG.fullmatch(flags[0]):
        parsed.usage_error(f"unrecognized arguments: {' '.join(flags)}")
    # a model on the Hub is fetched before the app starts
    paths = [path if exists(Path(path)) or not names.is_repository(path) else parse_spec(path)[0]
             for path in parsed.tokenizer]  # fmt: skip
    if parsed.lesson:
        check_lesson(parsed.lesson, flags)
        say("The lesson is at /learn?lesson=file below the address that follows.")
    given = {"tokenizer": paths, "corpus": parsed.corpus, "host": parsed.host, "hub-allow": parsed.hub_allow}
    given |= {"lesson": [parsed.lesson], "hub-token-of-operator": [parsed.hub_token_of_operator]}
    own = [f"--{flag}={value}" for flag, values in given.items() for value in values if value]
    own += [
        f"--hub={parsed.hub or 'here'}",
        *["--open-first"] * parsed.open_first,
        *["--hub-search"] * parsed.hub_search,
    ]
    if parsed.processes != "1":
        from explorer.cli.processes import serve

        return serve(parsed.processes, flags, own)
    sys.argv = ["streamlit", "run", str(APP), *flags, "--", *own]
    runpy.run_module("streamlit", run_name="__main__")
    return 0


def check_lesson(path: str, flags: list[str]) -> None:
    """Raises InputError for what is no file, and on a server that others reach: they would read the file, too."""
    regular_size(Path(path), on_one_line(path), "the lesson's TOML file")
    for flag, after in zip(flags, [*flags, ""][1:], strict=True):
        name, equals, value = flag.partition("=")
        if name == "--server.address" and (value if equals else after) not in LOCAL:
            raise InputError("--lesson follows a file for this machine alone; leave out --server.address")


def docs(parsed: Parsed) -> int:
    """Serves the site of the documents to this machine's browser until it is interrupted.

    From a folder its search would not work. Raises InputError where the site was not built.
    """
    import webbrowser
    from functools import partial
    from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

    if not (DOCUMENTS / "index.html").is_file():
        raise InputError(
            f"the documents are not built here ({DOCUMENTS}); in a clone they are the files of docs/, and a site by "
            "pip install -r requirements-docs.txt && mkdocs build"
        )
    # of Windows's registry, which may call scripts text, the search would not work
    SimpleHTTPRequestHandler.extensions_map[".js"] = "text/javascript"
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=str(DOCUMENTS))) as server:
        address = f"http://127.0.0.1:{server.server_port}"
        say(f"The documents are at {address}. Ctrl-C ends it.")
        webbrowser.open(address)
        server.serve_forever()
    return 0


FILES = ("files", "paths", "output", "tokenizer", "corpus")
MODELS = ("model", "models")
"""The `dest` of arguments that take files or models."""


def completion(parsed: Parsed) -> int:
    import shtab

    from explorer.cli.parser import parser

    everything = parser(prog="explorer")
    models = model_or_file(" ".join(catalog()))
    (commands,) = (action for action in everything._actions if isinstance(action, argparse._SubParsersAction))
    for command in commands.choices.values():
        for action in command._actions:
            if action.dest in MODELS:
                action.complete = models
            elif action.dest in FILES:
                action.complete = shtab.FILE
            elif action.dest in ("write", "below"):
                action.complete = shtab.DIRECTORY
    write_exact(f"{shtab.complete(everything, shell=parsed.shell)}\n".encode())
    return 0


def model_or_file(models: str) -> dict[str, Any]:
    """How each shell completes a bundled model or the path of a file, as shtab takes it."""
    return {
        "bash": "_explorer_models",
        "zsh": f'_alternative "models:bundled model:({models})" "files:file:_files"',
        "fish": f"({{ string split ' ' '{models}'; __fish_complete_path (commandline -ct) }})",
        "tcsh": f"({models})",
        "preamble": {"bash": f'_explorer_models() {{\n  compgen -W "{models}" -- "$1"\n  compgen -f -- "$1"\n}}\n'},
    }
