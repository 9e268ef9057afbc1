"""Counts the files that one question runs: `python -m benchmarks.files_run`.

Runs the app in Python, without a browser: a key press on Explore, which runs the fragment that follows the text; a
changed text on Compare, tab "Where they part"; and the comparison alone, as the library gives it. Printed are the
distinct files of `explorer/` of which a function was entered, by folder; `--list` names them. Importing a module enters
no function of it, and a page's script counts as one. Answers that this process keeps from a first run, such as the
opened tokenizers, are not computed again.
"""

from __future__ import annotations

import argparse
import inspect
import sys
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any, Final
from unittest.mock import patch

from streamlit.runtime.scriptrunner_utils.script_requests import RerunData, ScriptRequests
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.local_script_runner import LocalScriptRunner

import explorer
from tests.ui.app import APP, context_of, page

HOUSE: Final = Path(explorer.__file__).parent
TEXT: Final = "The quick brown fox jumps over the lazy dog, unbelievable café 🤗 12345"
PAIR: Final = ["llama-2", "gpt-2@huggingface"]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.files_run", description=__doc__)
    parser.add_argument("--list", action="store_true", help="name the files, and how many of their functions ran")
    given = parser.parse_args()
    for name, question in {
        "a key press on Explore": key_press,
        "a changed text on Compare": page_of_comparison,
        "a comparison": comparison,
    }.items():
        functions = question()
        files = Counter(file for file, _ in functions)
        folders = Counter("/".join(file.split("/")[:-1][:2]) or "explorer" for file in files)
        print(f"{name}: {len(files)} files, {len(functions)} functions")
        for folder, count in sorted(folders.items()):
            print(f"  {folder:<28}{count:>4}")
        if given.list:
            for file, count in sorted(files.items()):
                print(f"    {file:<60}{count:>4}")


def key_press() -> list[tuple[str, str]]:
    """What runs when a letter is typed into the text of Explore's first page."""
    at = page(text=TEXT)
    assert not at.exception, at.exception
    fragment = fragment_of(at, "follow_text")

    def press() -> None:
        context_of(at).text = TEXT + "s"

        def request(runner: LocalScriptRunner, data: RerunData) -> bool:
            runner._requests = ScriptRequests()  # without the run of the whole page that a new runner begins with
            return runner._requests.request_rerun(replace(data, fragment_id_queue=[fragment]))

        with patch.object(LocalScriptRunner, "request_rerun", request):
            at.run()
        assert not at.exception, at.exception

    return functions_of(press)


def fragment_of(at: AppTest, name: str) -> str:
    """The id of the fragment of a page whose function has this name."""
    for identity, wrapped in at._fragment_storage._fragments.items():
        for function in inspect.getclosurevars(wrapped).nonlocals.values():
            if inspect.isfunction(function) and function.__name__ == name:
                return identity
    raise LookupError(f"Explore has no fragment {name}: name here the one that a key press runs.")


def page_of_comparison() -> list[tuple[str, str]]:
    """What runs when the text of Compare changes while it shows where two tokenizers part."""
    at = AppTest.from_file(APP, default_timeout=60)
    for parameter, value in {"text": TEXT, "view": "Where they part", "with": PAIR}.items():
        at.query_params[parameter] = value
    at.run().switch_page("../pages/compare.py").run()
    assert not at.exception, at.exception

    def change() -> None:
        context_of(at).text = TEXT + "s"
        at.run()
        assert not at.exception, at.exception

    return functions_of(change)


def comparison() -> list[tuple[str, str]]:
    """What runs when the library compares two tokenizers that are open."""
    left, right = (explorer.load(name) for name in PAIR)
    left.compare(right, TEXT)
    return functions_of(lambda: left.compare(right, TEXT + "s"))


def functions_of(run: Callable[[], object]) -> list[tuple[str, str]]:
    """The functions that a call enters on any thread it starts, each once, with its file's path in `explorer/`.

    In the order in which each is first entered, which the drawing of a key press follows (`deploy/docs_drawings.py`).
    """
    entered: dict[tuple[str, str], None] = {}
    root = f"{HOUSE}/"

    def profile(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(root):
            of_page = frame.f_globals.get("__name__") == "__main__"
            if of_page or code.co_flags & inspect.CO_OPTIMIZED:
                entered[code.co_filename.removeprefix(root), code.co_qualname] = None

    threading.setprofile(profile)
    sys.setprofile(profile)
    try:
        run()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return list(entered)


if __name__ == "__main__":
    main()
