"""The style sheets of a component are one sheet in the browser: a class has one meaning."""

from __future__ import annotations

import re
from collections import defaultdict

from explorer.views.components import FOLDER, component

BARE = re.compile(r"(?:\.stepper )?\.([\w-]+)")
"""A class that is styled wherever it occurs."""


def test_no_two_files_of_the_stepper_style_the_same_class_everywhere() -> None:
    files = defaultdict(set)
    for path in [
        FOLDER / "base" / "base.css",
        *(FOLDER / "stepper" / name for name in component("stepper").css.split()),
    ]:
        if path.name == "forced.css":  # what forced colors change of the others
            continue
        name, css = path.name, re.sub(r"/\*.*?\*/", "", path.read_text("utf-8"), flags=re.DOTALL)
        while css != (css := re.sub(r"\([^()]*\)", "", css)):  # within :is() and its like a comma separates no rules
            pass
        for selectors in re.findall(r"([^{}]+)\{", css):
            for selector in selectors.split(","):
                if found := BARE.fullmatch(selector.strip()):
                    files[found[1]].add(name)
    assert len(files) > 50
    assert {each: names for each, names in files.items() if len(names) > 1} == {}
