"""Variables are named for what they are: bare participles are counted, and may only become fewer (docs/STYLE.md)."""

import ast
from collections import Counter
from pathlib import Path

import explorer

MOST = {
    "asked": 96,
    "came": 1,
    "found": 550,
    "gone": 26,
    "held": 12,
    "made": 314,
    "taken": 28,
    "told": 54,
    "wanted": 89,
}
"""Name → how often `explorer/` binds it."""


def bindings() -> Counter[str]:
    """How often each of these names is bound as a variable or parameter."""
    counts: Counter[str] = Counter(dict.fromkeys(MOST, 0))
    for path in Path(explorer.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            match node:
                case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name) if name in MOST:
                    counts[name] += 1
    return counts


def test_no_new_variable_is_named_by_a_bare_participle() -> None:
    counts = bindings()
    more = {name: count for name, count in counts.items() if count > MOST[name]}
    assert not more, f"name these for what they are: {more}"
    fewer = {name: count for name, count in counts.items() if count < MOST[name]}
    assert not fewer, f"lower the numbers in MOST to what is left: {fewer}"
