"""An importer stands above what it imports: the floors of ARCHITECTURE.md, held."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import explorer
from tests.sources import GROUP, nodes, parsed

pytestmark = GROUP
ROOT = Path(explorer.__file__).parent

FLOORS = {
    "explorer.ui": 6, "app": 6, "explorer": 5, "explorer.library": 5, "explorer.answers": 5, "explorer.cli.save": 5,
    "explorer.views": 4, "explorer.saved": 4,
    "explorer.learning.checks": 4, "explorer.cli.checks": 4,
    "explorer.analysis": 3, "explorer.corpus": 3, "explorer.opening": 3, "explorer.cli": 3,
    "explorer.__main__": 3, "explorer.training": 3, "explorer.editing": 3, "explorer.learning": 3,
    "explorer.prompts": 3, "explorer.csv_text": 3, "explorer.version": 0,
    "explorer.stages": 2,
    "explorer.formats": 1, "explorer.implementations": 1, "explorer.script": 1,
    "explorer.engine": 0, "explorer.compiled": 0, "explorer.text": 0, "explorer.languages": 0, "explorer.vocabulary": 0,
    "explorer.errors": 0, "explorer.facts": 0,
    "explorer.notebook": 0, "explorer.origin": 0, "explorer.hooks": 0, "explorer.tables": 0,
}  # fmt: skip
OUTSIDE = {6: {"streamlit", "starlette", "altair", "pandas", "regex", "msgspec"},
           5: {"altair", "pandas", "cachetools", "msgspec"},
           4: {"pandas", "altair", "regex", "msgspec"},
           3: {"msgspec"}, 2: {"regex"}, 1: {"msgspec"},
           0: {"regex"}}  # fmt: skip
OF_ROOMS = {
    "explorer.corpus": {"numpy", "pandas", "vl_convert", "pyarrow", "zstandard", "dask", "distributed"},
    "explorer.cli": {"numpy", "shtab"},
    "explorer.prompts": {"jinja2", "markupsafe", "regex"},
    "explorer.opening.hub": {"huggingface_hub"},
    "explorer.analysis.vocabulary": {"numpy"},
    "explorer.editing.trimming": {"numpy"},
    "explorer.saved": {"anywidget", "traitlets"},
    "explorer.compiled": {"numpy", "numba", "llvmlite"},
    "explorer.engine.fast.compiling": {"numpy"},
}
"""What only one package of a floor, or one room of it, uses."""


def floor(module: str) -> int:
    """Of the longest name in FLOORS that the module begins with."""
    while module not in FLOORS:
        module = module.rpartition(".")[0]
    return FLOORS[module]


def imports(path: Path) -> set[str]:
    """Modules that a file imports; `from explorer import x` counts as explorer.x where that is a module."""
    found = set()
    for plain in nodes(path, ast.Import):
        found |= {alias.name for alias in plain.names}
    for node in nodes(path, ast.ImportFrom):
        assert node.level == 0, f"{path}: absolute imports only"
        found.add(node.module or "")
        found |= {f"{node.module}.{a.name}" for a in node.names if f"{node.module}.{a.name}" in FLOORS}
    return found


def test_nobody_imports_from_above() -> None:
    files = [*ROOT.rglob("*.py"), ROOT.parent / "app.py"]
    assert len(files) > 30
    for path in files:
        name = ".".join(path.relative_to(ROOT.parent).with_suffix("").parts).removesuffix(".__init__")
        for wanted in imports(path):
            package = wanted.partition(".")[0]
            if package == "explorer":
                assert floor(wanted) <= floor(name), f"{name} (floor {floor(name)}) imports {wanted}"
            elif package not in sys.stdlib_module_names:
                own = [packages for room, packages in OF_ROOMS.items() if f"{name}.".startswith(f"{room}.")]
                allowed = OUTSIDE[floor(name)].union(*own)
                assert package in allowed, f"{name} (floor {floor(name)}) imports {wanted}"


def own_imports(path: Path, files: dict[str, Path]) -> set[str]:
    """The modules of ours that a file imports: at once, in a function, or for types alone."""
    found = set()
    for plain in nodes(path, ast.Import):
        found.update(alias.name for alias in plain.names)
    for node in nodes(path, ast.ImportFrom):
        if node.module is not None:
            whole = {f"{node.module}.{alias.name}" for alias in node.names}
            found.update(whole & files.keys() or {node.module})
    return found & files.keys()


@cache
def modules_of() -> dict[str, Path]:
    """Every module, and its file."""
    return {
        ".".join(path.relative_to(ROOT.parent).with_suffix("").parts).removesuffix(".__init__"): path
        for path in ROOT.rglob("*.py")
    }


@cache
def graph() -> dict[str, set[str]]:
    """Every module, and those it imports."""
    files = modules_of()
    return {name: own_imports(path, files) - {name} for name, path in files.items()}


def test_no_files_import_each_other_in_a_circle() -> None:
    left = graph()
    while free := {name for name, wanted in left.items() if not wanted & left.keys()}:
        left = {name: wanted for name, wanted in left.items() if name not in free}
    # what is left imports, or is imported by, a circle
    while ends := left.keys() - {each for wanted in left.values() for each in wanted}:
        left = {name: wanted for name, wanted in left.items() if name not in ends}
    assert not left


def test_no_two_rooms_import_each_other() -> None:
    """Rooms beside each other; a room and the one it lies in may."""
    rooms = {
        name if path.name == "__init__.py" else name.rpartition(".")[0]
        for path in ROOT.rglob("*.py")
        for name in [".".join(path.relative_to(ROOT.parent).with_suffix("").parts).removesuffix(".__init__")]
    }

    def room(module: str) -> str:
        return module if module in rooms else module.rpartition(".")[0]

    arrows = {(room(name), room(each)) for name, wanted in graph().items() for each in wanted}
    beside = {
        (one, other)
        for one, other in arrows
        if one != other and not f"{one}.".startswith(f"{other}.") and not f"{other}.".startswith(f"{one}.")
    }
    assert not {(one, other) for one, other in beside if (other, one) in beside}


MEANING = ("explorer.engine", "explorer.compiled", "explorer.implementations", "explorer.stages")
"""Who may know what an event means; everybody else asks the kind of a stage (`stages/table.py`)."""


def test_events_are_read_in_the_rooms_of_their_stages() -> None:
    events = {
        (name, node.name)
        for name, path in modules_of().items()
        if name.startswith("explorer.engine.")
        for node in parsed(path).body
        if isinstance(node, ast.ClassDef)
        and (node.name.endswith("Row") or any("IntEnum" in ast.unparse(base) for base in node.bases))
    }
    assert len(events) > 30
    for name, path in modules_of().items():
        if not name.startswith(MEANING):
            taken = {(node.module, alias.name) for node in nodes(path, ast.ImportFrom) for alias in node.names}
            assert not taken & events, name


def test_compiled_code_knows_no_tokenizer() -> None:
    below = ("explorer.compiled", "explorer.text", "explorer.errors")
    outside = {each for name, wanted in graph().items() if name.startswith(below[0]) for each in wanted}
    assert {each for each in outside if not each.startswith(below)} == set()


def test_few_files_lie_outside_of_rooms() -> None:
    assert len(list(ROOT.glob("*.py"))) <= 12
    assert len(list((ROOT / "engine").glob("*.py"))) <= 10


def test_what_is_optional_is_not_imported_before_it_is_needed() -> None:
    """The command line starts without any of it."""
    loaded = modules("import explorer.cli.main; explorer.cli.parser.parser()")
    assert "explorer.cli.corpus" in loaded
    assert not OF_ROOMS["explorer.corpus"] & loaded
    assert not OF_ROOMS["explorer.compiled"] & loaded


def test_few_texts_are_encoded_at_once_without_numba() -> None:
    run = "import explorer; explorer.load('gpt-2').encode_batch(['hello'] * 9)"
    modules(run)  # writes a compiled form
    loaded = modules(run)
    assert not OF_ROOMS["explorer.compiled"] & loaded


def modules(code: str) -> set[str]:
    """The modules that a new process has imported after running this."""
    looked_at = f"import sys; {code}; print('modules:', *sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", looked_at], capture_output=True, text=True, check=True, cwd=ROOT.parent
    )
    return set(done.stdout.partition("modules:")[2].split())


def test_importing_the_package_imports_nothing_heavy() -> None:
    loaded = modules("import explorer")
    ours = {name for name in loaded if name.startswith("explorer")}
    assert ours <= {
        "explorer",
        "explorer.opening",
        "explorer.opening.formats",
        "explorer.opening.catalog",
        "explorer.errors",
        "explorer.hooks",
        "explorer.formats",
        "explorer.formats.files",
        "explorer.origin",
        "explorer.opening.sources",
        "explorer.version",
    }
    assert foreign(loaded) == {"explorer"}
    assert not loaded & {"subprocess", "tomllib"}


def foreign(loaded: set[str]) -> set[str]:
    """The packages among them that are not Python's own; hooks of the environment do not count."""
    return {name.partition(".")[0] for name in loaded - modules("pass")} - sys.stdlib_module_names


def test_encode_imports_only_what_its_tokenizer_needs() -> None:
    run = "from explorer.cli.main import main; main(['encode', '-m', '{}', 'hi'])"
    for name in ("llama-2", "gpt-2"):
        modules(run.format(name))  # writes compiled forms
    assert foreign(modules(run.format("llama-2"))) == {"explorer"}
    loaded = modules(run.format("gpt-2"))
    assert foreign(loaded) == {"explorer", "regex"}
    assert not loaded & {"explorer.implementations.sentencepiece", "explorer.implementations.llama_cpp", "secrets"}
    assert not {name for name in loaded if name.startswith(("explorer.analysis", "explorer.views", "explorer.ui"))}


def test_streamlit_lives_in_one_place() -> None:
    for path in ROOT.rglob("*.py"):
        if "ui" not in path.relative_to(ROOT).parts:
            assert "streamlit" not in {name.partition(".")[0] for name in imports(path)}, path
