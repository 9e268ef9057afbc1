"""Hook of mkdocs.yml: drawings made from data, in the documents that explain the design.

A fenced block "drawing KIND" of a document becomes inline SVG when the site is built. Its rows are `key: value`, so the
block reads as text where Markdown is shown plainly. `shows` is the caption; a kind in `KINDS` draws the other rows, or
what they name: a trace, the floors, the files of a key press, a comparison. `{answers.turns.SLICE}` in a row is that
constant of `explorer/`. All colors are the text's own, and the widest drawing fits a phone with text of 12 px.

Leaves out: layout of any graph. A drawing is a column of boxes, a table, or messages between a few lanes.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache, partial
from html import escape
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from textwrap import wrap
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

BLOCK: Final = re.compile(r"^```drawing (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CONSTANT: Final = re.compile(r"\{([\w.]+)\.(\w+)(?::(\w+))?\}")
WIDTH: Final = 350
"""Units of a drawing's width: pixels on a phone of 390, where the page leaves 358."""
MOST: Final = 460
"""Pixels of its width on a large screen."""
SIZE: Final = 12.5
"""Of the text, in the same units."""
LETTER: Final = 6.6
"""The width that a character of the text is given, a little more than the mean."""
FIXED: Final = 7.3
"""The width of a character of code at `CODE`."""
CODE: Final = 12.0
LINE: Final = 17

Rows = list[tuple[str, str]]


class Drawing(NamedTuple):
    """shapes: SVG elements. height: in units. says: the same in sentences, for who can't see it."""

    shapes: list[str]
    height: float
    says: list[str]


def on_page_markdown(markdown: str, **_: object) -> str:
    """Replaces the drawings of a page."""
    return BLOCK.sub(lambda block: figure(block[1], rows_of(block[2])), markdown)


def rows_of(block: str) -> Rows:
    """The rows of a block. Raises ValueError for a line that is no row, and for a constant that does not exist."""
    found = []
    for line in block.splitlines():
        key, colon, value = line.partition(": ")
        if not colon:
            raise ValueError(f"a row of a drawing is `key: value`, not “{line}”")
        found.append((key.strip(), CONSTANT.sub(constant, value.strip())))
    return found


def constant(name: re.Match[str]) -> str:
    """A constant of `explorer/` in words: as it is, or in MB (`:MB`)."""
    module = import_module(f"explorer.{name[1]}")
    if not hasattr(module, name[2]):
        raise ValueError(f"explorer.{name[1]} has no {name[2]}, which a drawing names")
    value = getattr(module, name[2])
    return f"{value // 1_000_000:,} MB" if name[3] == "MB" else f"{value:,}" if isinstance(value, int) else f"{value:g}"


def figure(kind: str, rows: Rows) -> str:
    """The HTML of a drawing, on one line so that Markdown leaves it alone."""
    if kind not in KINDS:
        raise ValueError(f"no kind of drawing is called “{kind}”: use one of {', '.join(KINDS)}")
    shows = dict(rows)["shows"]
    drawing = KINDS[kind]([row for row in rows if row[0] != "shows"])
    label = escape(" ".join([f"{shows}.", *drawing.says]))
    svg = (
        f'<svg role="img" aria-label="{label}" viewBox="0 0 {WIDTH} {drawing.height:g}" fill="none" '
        f'stroke="currentColor" font-size="{SIZE}" style="display:block;width:100%;max-width:{MOST}px;margin:auto">'
        f"{''.join(drawing.shapes)}</svg>"
    )
    return f'<figure class="drawing" style="width:100%">{svg}<figcaption>{escape(shows)}</figcaption></figure>'


# shapes


def text(x: float, y: float, words: str, *, anchor: str = "start", bold: bool = False, code: bool = False) -> str:
    """A line of text whose baseline is at y."""
    look = f'x="{x:g}" y="{y:g}" text-anchor="{anchor}" stroke="none" fill="currentColor" xml:space="preserve"'
    look += ' font-weight="700"' * bold + f' font-size="{CODE}" font-family="monospace"' * code
    return f"<text {look}>{escape(words)}</text>"


def box(x: float, y: float, width: float, height: float, shade: float = 0.06) -> str:
    """A rectangle. shade: how dark, from 0 to 1."""
    shape = f'x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="4"'
    return f'<rect {shape} stroke-opacity=".55" fill="currentColor" fill-opacity="{shade:.2f}"/>'


def line(*points: tuple[float, float], dashed: bool = False) -> str:
    """A line through points."""
    path = " ".join(f"{x:g},{y:g}" for x, y in points)
    dashes = ' stroke-dasharray="3 3"' if dashed else ""
    return f'<polyline points="{path}" stroke-opacity=".55"{dashes}/>'


def arrow(x: float, y: float, to_x: float, to_y: float) -> str:
    """A line that ends in a head: level, or down."""
    if y == to_y:
        back = to_x - 6 if to_x > x else to_x + 6
        head = [(back, y - 4), (to_x, to_y), (back, y + 4)]
    else:
        head = [(x - 4, to_y - 6), (to_x, to_y), (x + 4, to_y - 6)]
    return line((x, y), (to_x, to_y)) + line(*head)


# kinds


def flow(rows: Rows, linked: bool = True) -> Drawing:
    """A box for each row, from top to bottom. linked: by arrows."""
    shapes: list[str] = []
    y = 1.0
    for number, (key, value) in enumerate(rows):
        if number:
            shapes += [arrow(WIDTH / 2, y, WIDTH / 2, y + 15)] * linked
            y += 16 if linked else 4
        lines = wrap(value, int((WIDTH - 20) / LETTER))
        height = LINE * (1 + len(lines)) + 10
        shapes += [box(1, y, WIDTH - 2, height), text(10, y + LINE, key, bold=True)]
        shapes += [text(10, y + LINE * (2 + at), words) for at, words in enumerate(lines)]
        y += height
    return Drawing(shapes, y + 1, [f"{key}: {value}." for key, value in rows])


def messages(rows: Rows) -> Drawing:
    """Who sends what to whom (`a -> b: words`), and what somebody does between (`a: words`)."""
    pairs = [(*(side.strip() for side in key.split("->")),) for key, _ in rows]
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    gap = WIDTH / len(names)
    at = {name: gap * (number + 0.5) for number, name in enumerate(names)}
    shapes: list[str] = []
    y = 40.0
    for pair, (_, words) in zip(pairs, rows, strict=True):
        left, right = min(at[name] for name in pair), max(at[name] for name in pair)
        width = max(right - left, 190.0)
        lines = wrap(words, int((width - 14) / LETTER))
        x = min(max((left + right) / 2 - width / 2, 1), WIDTH - width - 1)
        height = LINE * len(lines) + 8
        shapes.append(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" stroke="none" {PAPER}/>')
        if len(pair) == 1:
            shapes.append(box(x, y, width, height))
        shapes += [
            text(x + width / 2, y + LINE * (number + 1) - 1, each, anchor="middle") for number, each in enumerate(lines)
        ]
        y += height + 3
        if len(pair) == 2:
            shapes.append(arrow(at[pair[0]], y + 3, at[pair[1]], y + 3))
            y += 9
        y += 9
    heads = [shape for name, x in at.items() for shape in (line((x, 26), (x, y), dashed=True),)]
    heads += [box(x - gap / 2 + 2, 1, gap - 4, 25) for x in at.values()]
    heads += [text(x, 18, name, anchor="middle", bold=True) for name, x in at.items()]
    says = [f"{' to '.join(pair)}: {words}." for pair, (_, words) in zip(pairs, rows, strict=True)]
    return Drawing([*heads, *shapes], y, says)


PAPER: Final = 'style="fill:var(--md-default-bg-color,Canvas)"'
"""The fill of what covers a line: the color of the page."""


def one_text(rows: Rows) -> Drawing:
    """A text of a tokenizer: what each stage makes of it, its events, and the steps of its script."""
    import explorer
    from explorer.script.script import pack, window_of
    from explorer.stages.table import kind_of
    from explorer.text.say import plural
    from explorer.views.overview import section_of

    given = dict(rows)
    tokenizer = explorer.load(given["tokenizer"])
    trace = tokenizer.trace(given["text"])
    window = window_of(trace)
    shapes = [box(1, 1, WIDTH - 2, 27), text(10, 19, f"“{trace.text}”", bold=True)]
    shapes.append(text(WIDTH - 10, 19, f"{len(trace.text)} characters", anchor="end"))
    shapes.append(arrow(75, 28, 75, 46))
    says = [f"The text “{trace.text}” has {len(trace.text)} characters."]
    y, size = 47.0, 0
    for stage in trace.stages:
        script = section_of(stage, trace, tokenizer.vocabulary, window).script
        assert script is not None
        size += len(pack(script))
        (result, _), events, steps = kind_of(stage).count(stage), len(stage.events), len(script)
        shapes += [box(1, y, 148, 42), text(10, y + LINE, stage.name, bold=True), text(10, y + 2 * LINE, str(result))]
        counts = ((175, events, "event"), (270, steps, "step"))
        for x, number, word in counts:
            shapes += [arrow(x - 25, y + 21, x - 2, y + 21), box(x, y + 4, 78, 34)]
            shapes.append(text(x + 39, y + 26, plural(number, word), anchor="middle"))
        says.append(f"{stage.name}: {result}; events: {events}; steps of its script: {steps}.")
        y += 42
        if stage is not trace.stages[-1]:
            shapes.append(arrow(75, y, 75, y + 15))
        y += 16
    shapes += [arrow(75, y - 16, 75, y + 1), arrow(309, y - 16, 309, y + 1), box(1, y + 2, WIDTH - 2, 44)]
    shapes += [text(10, y + 2 + LINE, "page", bold=True)]
    shapes += [text(WIDTH - 10, y + 2 + LINE, f"scripts: {size:,} bytes packed", anchor="end")]
    shapes += [text(10, y + 2 + 2 * LINE, " ".join(map(str, trace.ids)), code=True)]
    says.append(f"The page draws the ids {', '.join(map(str, trace.ids))} and plays scripts of {size:,} bytes.")
    return Drawing(shapes, y + 48, says)


def floors(rows: Rows) -> Drawing:
    """The floors: files on each, and how often a file of a row imports one of each column."""
    from tests.test_floors import floor, graph, modules_of

    files = Counter(floor(module) for module in modules_of())
    arrows = Counter((floor(module), floor(other)) for module, others in graph().items() for other in others)
    levels = sorted(files, reverse=True)
    named = dict(rows)
    if named.keys() != set(map(str, levels)):
        raise ValueError(f"a drawing of the floors names floors {', '.join(named)}, not {levels}")
    cell, left, top = 34.0, WIDTH - 34.0 * len(levels) - 1, 38.0
    shapes = [text(0, 14, "floor, its files", bold=True), text(left, 14, "imports files of floor", bold=True)]
    shapes += [text(left + cell * (at + 0.5), 32, str(to), anchor="middle") for at, to in enumerate(levels)]
    says = []
    most = max(arrows.values())
    for number, level in enumerate(levels):
        y = top + number * 42
        shapes += [text(0, y + 17, f"{level} {named[str(level)]}", bold=True)]
        shapes += [text(0, y + 33, f"{files[level]} files")]
        for at, to in enumerate(levels):
            if count := arrows[level, to]:
                shapes.append(box(left + cell * at + 1, y + 3, cell - 2, 34, 0.04 + 0.3 * (count / most) ** 0.5))
                shapes.append(text(left + cell * (at + 0.5), y + 24, str(count), anchor="middle"))
        listed = ", ".join(f"{arrows[level, to]} of floor {to}" for to in levels if arrows[level, to])
        says.append(f"Floor {level}, {named[str(level)]}: {files[level]} files; imports: {listed}.")
    return Drawing(shapes, top + 42 * len(levels), says)


@cache
def files_of_key_press() -> list[str]:
    """The files that a key press on Explore runs, in the order in which each is first entered: in a new process."""
    code = (
        "import json; from benchmarks.files_run import key_press;"
        "print(json.dumps([*dict.fromkeys(file for file, _ in key_press())]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    return list(json.loads(done.stdout.splitlines()[-1]))


def key_press(rows: Rows) -> Drawing:
    """The files of a key press from top to bottom, each on its floor."""
    from tests.test_floors import FLOORS, floor

    files = files_of_key_press()
    levels = [floor(f"explorer.{file.removesuffix('.py').replace('/', '.')}") for file in files]
    lane = 13.0
    xs = [lane * (max(FLOORS.values()) - level) + 6 for level in levels]
    ys = [46 + 19.0 * number for number in range(len(files))]
    shapes = [text(0, 12, dict(rows)["columns"])]
    shapes += [
        text(lane * at + 6, 28, str(max(FLOORS.values()) - at), anchor="middle")
        for at in range(max(FLOORS.values()) + 1)
    ]
    shapes += [line(*one) for one in pairwise(zip(xs, ys, strict=True))]
    for x, y, file in zip(xs, ys, files, strict=True):
        shapes += [f'<circle cx="{x:g}" cy="{y:g}" r="4" fill="currentColor"/>', text(98, y + 4, file, code=True)]
    says = [f"{file}, floor {level}." for file, level in zip(files, levels, strict=True)]
    return Drawing(shapes, ys[-1] + 10, says)


def comparison(rows: Rows) -> Drawing:
    """The tokens of two tokenizers above and below a text, where the ids differ, and why."""
    import explorer
    from explorer.text.say import plural

    given = dict(rows)
    string = given["text"]
    found = explorer.load(given["left"]).compare(explorer.load(given["right"]), string)
    cell = (WIDTH - 2) / len(string)
    shapes: list[str] = []
    says: list[str] = []
    for label, top, run in ((13, 20, found.left), (162, 104, found.right)):
        shapes.append(text(1, label, f"{run.label}: {plural(len(run.ids), 'token')}", bold=True))
        tokens = [token for token in run.trace.encoding.tokens if token.end > token.start >= 0]
        for token in tokens:
            x, width = 1 + cell * token.start, cell * (token.end - token.start)
            differs = any(each.region.start < token.end and token.start < each.region.end for each in found.divergences)
            shapes.append(box(x + 1, top, width - 2, 40, 0.2 if differs else 0.04))
            shapes.append(text(x + width / 2, top + 25, str(token.id), anchor="middle", code=True))
        parts = " | ".join(f"{string[token.start : token.end]} ({token.id})" for token in tokens)
        says.append(f"{run.label} gives {plural(len(run.ids), 'token')}: {parts}.")
    shown = string.replace(" ", "␣")
    shapes += [text(1 + cell * (at + 0.5), 87, each, anchor="middle", code=True) for at, each in enumerate(shown)]
    y = 190.0
    for each in wrap(found.sentence, int(WIDTH / LETTER)):
        shapes.append(text(1, y, each))
        y += LINE
    return Drawing(shapes, y - LINE + 8, [*says, found.sentence])


KINDS: Final[dict[str, Callable[[Rows], Drawing]]] = {
    "flow": flow,
    "parts": partial(flow, linked=False),
    "messages": messages,
    "one-text": one_text,
    "floors": floors,
    "key-press": key_press,
    "comparison": comparison,
}


def drawings(markdown: str) -> Sequence[tuple[str, str]]:
    """The blocks of a document: the kind of each, and its HTML."""
    return [(kind, figure(kind, rows_of(block))) for kind, block in BLOCK.findall(markdown)]
