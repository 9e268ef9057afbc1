"""Safe HTML for notebooks: the tokens of an encoding, a trace, a comparison or a prompt, as on the pages.

Colors are those of the pages, by token id (`hueOf` in base/dom.js), transparent over any background of the notebook.
White space and characters that act on the display are made visible; everything is escaped. Styles are inline, because a
notebook does not load our stylesheet. Left out: spans on hover, steppers, and the rest of a text that is too long.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence, Sized
from html import escape
from typing import NamedTuple, Protocol

from explorer.engine.part import Items, Segment
from explorer.text import visible
from explorer.text.say import plural
from explorer.vocabulary import PieceKind, Vocabulary

MOST_TOKENS = 500
"""The most tokens of an encoding that are drawn."""

MOST_PIECES = 200
"""The most items of one stage that are drawn."""

MOST_CHARACTERS = 200
"""The most characters of one token or segment."""

GOLDEN_ANGLE = 137.508
"""In degrees. It makes the hues of neighboring ids differ a lot."""

FONT = "font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:13px;line-height:1.35"
ROW = "display:flex;flex-wrap:wrap;gap:3px;align-items:flex-start"
CHIP = (
    "display:inline-flex;flex-direction:column;align-items:center;padding:1px 6px;border-radius:6px;"
    "color:inherit;white-space:pre-wrap;overflow-wrap:anywhere;max-width:100%"
)
DIM = "opacity:.75;font-size:11px"
SPECIAL = frozenset({PieceKind.CONTROL, PieceKind.UNKNOWN, PieceKind.USER_DEFINED})


class Encoding(Sized, Protocol):
    """What is drawn of an encoding."""

    bytes_of: Callable[[int], bytes]
    vocabulary: Vocabulary

    @property
    def ids(self) -> list[int]:
        """The ids of the tokens."""


class Stage(Protocol):
    """What is drawn of a stage."""

    @property
    def name(self) -> str:
        """The stage's name."""

    @property
    def after(self) -> Items:
        """Its output."""

    @property
    def events(self) -> Sized:
        """Its decisions."""


class Trace(Protocol):
    """What is drawn of a trace."""

    @property
    def text(self) -> str:
        """The text."""

    @property
    def stages(self) -> Sequence[Stage]:
        """The stages, in order."""

    @property
    def encoding(self) -> Encoding:
        """The result."""


def hue(id: int) -> float:
    """The hue of a token id in degrees, as on the pages.

    >>> [round(hue(id), 1) for id in (0, 1, 338)]
    [0.0, 137.5, 37.7]
    """
    return id * GOLDEN_ANGLE % 360


def encoding_html(encoding: Encoding) -> str:
    """The tokens of an encoding as HTML.

    >>> import explorer
    >>> html = encoding_html(explorer.load("gpt-2").encode(" <b>"))
    >>> "<bdi>␣&lt;</bdi>" in html, "<b>" in html
    (True, False)
    """
    return _box([_caption(plural(len(encoding), "token")), _chips(encoding)])


def trace_html(trace: Trace) -> str:
    """The text and the items after each stage, as HTML."""
    rows = [_stage_row("text", f'<span style="{CHIP}">{_shown(trace.text)}</span>', "")]
    for stage in trace.stages:
        events = plural(len(stage.events), "event")
        rows.append(_stage_row(stage.name, _items(stage.after, trace.encoding), events))
    return _box([_table(rows)])


def comparison_html(
    sentence: str, sides: Iterable[tuple[str, Encoding, Collection[int]]], sentences: Sequence[str]
) -> str:
    """A comparison as HTML: its sentence, the tokens of both sides, and the other differences.

    sides: a label, an encoding, and the indices of its differing tokens. sentences: the other differences.
    """
    rows = (
        _stage_row(label, _chips(encoding, differing), f"{len(encoding):,}") for label, encoding, differing in sides
    )
    answer = f'<div style="font-weight:600;margin-bottom:4px">{_shown_words(sentence)}</div>'
    more = "".join(f"<li>{_shown_words(each)}</li>" for each in sentences)
    return _box([answer, _table(rows), f'<ul style="margin:4px 0">{more}</ul>' if more else ""])


HUES = {"system": 305, "developer": 305, "user": 255, "assistant": 190, "tool": 110, "tools": 110}
"""The hues of who wrote a prompt, as on the page; who isn't named here is the user's."""
TEMPLATE = "template"


class Written(NamedTuple):
    """A token of a prompt. writers: roles or `TEMPLATE`, several where it straddles. special: a control token."""

    id: int
    text: str
    writers: Sequence[str]
    special: bool


def prompt_html(sentence: str, rows: Iterable[tuple[str, str, Sequence[Written]]], sentences: Sequence[str]) -> str:
    """A prompt as HTML: a row for each message, its tokens in the color of who wrote them, then what was found.

    rows: a label, a small text below it, and the tokens.
    """
    left = MOST_TOKENS
    drawn = []
    for label, small, tokens in rows:
        chips = "".join(map(_written_chip, tokens[: max(left, 0)]))
        more = _and_more(len(tokens) - max(left, 0), "token")
        drawn.append(_stage_row(visible(label[:MOST_CHARACTERS]), f'<div style="{ROW}">{chips}{more}</div>', small))
        left -= len(tokens)
    found = "".join(f"<li>{_shown_words(each)}</li>" for each in sentences)
    return _box([_caption(sentence), _table(drawn), f'<ul style="margin:4px 0">{found}</ul>' if found else ""])


def _written_chip(token: Written) -> str:
    """One token of a prompt: its text, its id below; who wrote it on hover, and in its color."""
    hues = [None if each == TEMPLATE else HUES.get(each, HUES["user"]) for each in token.writers]
    colors = ["transparent" if each is None else f"oklch(0.65 0.15 {each} / 0.25)" for each in hues]
    ground = colors[0] if len(colors) == 1 else f"linear-gradient(90deg,{','.join(_halves(colors))})"
    own = next((each for each in hues if each is not None), None)
    edge = "rgba(128,128,128,.6)" if own is None else f"oklch(0.65 0.15 {own} / 0.7)"
    style = f"{CHIP};background:{ground};border:1px {'dashed' if token.special else 'solid'} {edge}"
    return (
        f'<span style="{style}" title="{escape(_shown(" + ".join(token.writers)))}"><bdi>{_shown(token.text)}</bdi>'
        f'<span style="{DIM}">{token.id}</span></span>'
    )


def _halves(colors: Sequence[str]) -> Iterator[str]:
    """The stops of a gradient with a hard edge between colors."""
    for index, color in enumerate(colors):
        yield f"{color} {100 * index / len(colors):.0f}% {100 * (index + 1) / len(colors):.0f}%"


# --- pieces -----------------------------------------------------------------------------------------------------------


def _box(parts: Iterable[str]) -> str:
    return f'<div style="{FONT};color:inherit">{"".join(parts)}</div>'


def _caption(text: str) -> str:
    return f'<div style="{DIM};margin-bottom:3px">{escape(text)}</div>'


def _table(rows: Iterable[str]) -> str:
    return f'<table style="border-collapse:collapse;font:inherit;color:inherit;background:none">{"".join(rows)}</table>'


def _stage_row(name: str, content: str, small: str) -> str:
    cell = "text-align:left;vertical-align:top;padding:3px 8px 3px 0;border:0;background:none"
    return (
        f'<tr style="background:none"><th style="{cell};font-weight:600;white-space:nowrap">{escape(name)}'
        f'<div style="{DIM};font-weight:400">{escape(small)}</div></th>'
        f'<td style="{cell}"><div style="{ROW}">{content}</div></td></tr>'
    )


def _chips(encoding: Encoding, differing: Collection[int] = ()) -> str:
    """The first tokens of an encoding. differing: the indices of those with a thick edge."""
    count = min(len(encoding), MOST_TOKENS)
    ids = encoding.ids[:count]
    drawn = "".join(_chip(encoding, id, at in differing) for at, id in enumerate(ids))
    return f'<div style="{ROW}">{drawn}{_and_more(len(encoding) - count, "token")}</div>'


def _chip(encoding: Encoding, id: int, differs: bool = False) -> str:
    """One token: its text, its id below, its bytes on hover."""
    vocabulary = encoding.vocabulary
    kind = PieceKind(vocabulary.kinds[id])
    data = encoding.bytes_of(id)
    spelled = vocabulary.spelling(id) if kind in SPECIAL or not data else data.decode("utf-8", "backslashreplace")
    about = f"id {id}, {kind.name.lower().replace('_', '-')}, bytes {data[:MOST_CHARACTERS].hex(' ').upper() or 'none'}"
    color = f"oklch(0.65 0.15 {hue(id):.1f} / {{}})"
    style = f"{CHIP};background:{color.format(0.25)};border:1px solid {color.format(0.7)}"
    if kind in SPECIAL:
        style += ";border-style:double;border-width:3px"
    if differs:
        style += ";border-bottom:4px solid currentColor"
    return (
        f'<span style="{style}" title="{escape(about)}"><bdi>{_shown(spelled)}</bdi>'
        f'<span style="{DIM}">{id}</span></span>'
    )


def _items(after: Items, encoding: Encoding) -> str:
    """The items after a stage: text in frames, tokens as chips."""
    frame = f"{CHIP};border:1px solid rgba(128,128,128,.6)"
    drawn: Iterator[str] = (
        f'<span style="{frame}"><bdi>{_shown(item.text)}</bdi></span>'
        if isinstance(item, Segment)
        else _chip(encoding, item.id)
        for item in after[:MOST_PIECES]
    )
    return "".join(drawn) + _and_more(len(after) - MOST_PIECES, "item") or "nothing"


def _and_more(count: int, what: str) -> str:
    return f'<span style="{DIM}">and {count:,} more {what}{"s" * (count != 1)}</span>' if count > 0 else ""


def _shown(text: str) -> str:
    """Text made visible, escaped and shortened."""
    return escape(visible(text[:MOST_CHARACTERS]) + ("…" if len(text) > MOST_CHARACTERS else ""))


def _shown_words(sentence: str) -> str:
    """A sentence, escaped. Its quotations are visible already, except for characters that act on the display."""
    return escape("".join(ch if ch.isprintable() else visible(ch) for ch in sentence))
