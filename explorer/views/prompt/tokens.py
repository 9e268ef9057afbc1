"""The tokens of a prompt as the page draws them: who wrote each, in which message's row it stands, which line wrote it.

Also what a view of the page is given (`Scene`) and what it gives (`View`), and a prompt in a notebook.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from itertools import accumulate, groupby, islice, pairwise
from typing import Any, NamedTuple, TypeAlias

from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.notebook import TEMPLATE, Written, prompt_html
from explorer.prompts.messages import Call
from explorer.prompts.model_input import Prompt, PromptToken
from explorer.prompts.rendering import Origin
from explorer.prompts.run import Operand
from explorer.text.say import hexadecimal, plain, plural
from explorer.views.overview import as_text, leading_spaces


class Scene(NamedTuple):
    """A call, and the prompt that it makes with a template.

    call: None if what the visitor gave is no call. template: the name of the template, `ours:NAME` for one of ours, ""
    for the model's default. source: of the template; "" if the model has none, or no such one. engine: transformers or
    llama.cpp. now: for a template that writes the date. prompt: None after the error. so_far: what a template that
    failed had written. response: the text after which is trained; None for what the template asks for an answer with.
    request: the call before a server changed it.
    """

    tokenizer: Opened
    call: Call | None
    template: str
    source: str
    engine: str
    now: datetime | None
    prompt: Prompt | None
    error: InputError | None = None
    so_far: Prompt | None = None
    response: str | None = None
    request: Call | None = None

    @property
    def has_run(self) -> bool:
        """Whether there is a message, and a template that can run."""
        return bool(self.call and self.call.messages and self.source)

    def sent_as(self, message: int) -> int:
        """The message of the request that a message of the call comes from; negative rows are no message's."""
        served = self.prompt.served if self.prompt else None
        return served.sources[message][0] if served and message >= 0 else message


class Badge(NamedTuple):
    """What a card says: the answer in three words. warnings: how many. quiet: drawn gray, it has nothing to say."""

    text: str
    warnings: int = 0
    quiet: bool = False


class View(NamedTuple):
    """A view. name: in the address. badge: for its card. stage: what the page's component draws, None for nothing."""

    name: str
    title: str
    badge: Callable[[Scene], Badge]
    stage: Callable[[Scene], Mapping[str, Any] | None]


NOTHING = Badge("–", 0, True)
"""Of a view without a prompt."""


LONGEST, MOST_LINE = 400, 240
"""Characters of a statement, and of a line, that are shown."""


class Statement(NamedTuple):
    """Where a text was written: a line, its statement in one line, and the part [start, end) of it that wrote it."""

    line: int
    statement: str
    start: int
    end: int


def statement_of(prompt: Prompt, operand: int) -> int:
    """The index of the statement that an operand stands in: the `write` around it, or itself."""
    return _statements(prompt.rendering.operands)[operand]


@lru_cache(maxsize=16)
def _statements(operands: tuple[Operand, ...]) -> list[int]:
    writes = [(each.start, each.end, index) for index, each in enumerate(operands) if each.kind == "write"]

    def around(index: int, operand: Operand) -> int:
        if operand.kind != "literal":
            return index
        inside = [(end - start, write) for start, end, write in writes if start <= operand.start < end]
        return min(inside)[1] if inside else index

    return [around(*each) for each in enumerate(operands)]


class Writes:
    """The statements that wrote to a prompt, in order, with where each text stands."""

    def __init__(self, prompt: Prompt) -> None:
        """Those of a prompt."""
        self.prompt = prompt
        self.steps = [step for step in prompt.rendering.steps if step.start >= 0 and step.end > step.start]
        self.starts = [step.start for step in self.steps]
        self.known: dict[tuple[int, int, int], Statement] = {}
        """by statement and part"""

    def of_token(self, token: int) -> Statement | None:
        """What wrote a token: of several stretches the last one that was copied, or the first."""
        rendering, origins = self.prompt.rendering, self.prompt.tokens[token].origins
        if not origins:
            return None
        origin = next((each for each in reversed(origins) if each.path), origins[0])
        if origin.operand >= 0:
            operand = rendering.operands[origin.operand]
            statement = rendering.operands[statement_of(self.prompt, origin.operand)]
            return self.shown(statement, operand)
        found = self.copied_at(max(origin.start, self.prompt.tokens[token].start))
        return None if found is None else self.shown(*found)

    def shown(self, statement: Operand, part: Operand) -> Statement:
        """A part of a statement, which many tokens may share."""
        key = statement.start, part.start, part.end
        if key not in self.known:
            self.known[key] = _shown(self.prompt.rendering.source, statement, part.start, part.end)
        return self.known[key]

    def copied_at(self, position: int) -> tuple[Operand, Operand] | None:
        """The statement that copied the text at a position into the prompt, and the part of it that did."""
        operands = self.prompt.rendering.operands
        at = bisect_right(self.starts, position) - 1
        if at < 0 or position >= self.steps[at].end:
            return None
        step = self.steps[at]
        ends = accumulate((part.length for part in step.parts), initial=step.start)
        for part, (start, end) in zip(step.parts, pairwise(ends), strict=True):
            if start <= position < end:
                return operands[step.operand], operands[part.operand]
        return operands[step.operand], operands[step.operand]


def _shown(source: str, statement: Operand, start: int, end: int) -> Statement:
    """A part of a statement, with the tag around it. White space in a row becomes one space."""
    first, last = statement.start, statement.end
    if statement.kind == "write":
        first = source.rfind("{{", 0, first)
        last = source.find("}}", last) + 2
        first, last = (statement.start, statement.end) if first < 0 or last < 2 else (first, last)
    whole = source[first:last]
    before, part = squeezed(source[first:start]), squeezed(source[start:end])
    text = before + part + squeezed(source[end:last]) if len(whole) > 1 else whole
    return Statement(_line(source, start), text[:LONGEST], min(len(before), LONGEST), min(len(before + part), LONGEST))


def squeezed(text: str) -> str:
    """A text in one line.

    >>> squeezed("{{- a\\n    + b }}")
    '{{- a + b }}'
    """
    return re.sub(r"\s*\n\s*", " ", text)


def template_line(source: str, line: int) -> str:
    """A line of a template as it is drawn, "" for one that it doesn't have."""
    lines = source.split("\n")
    return squeezed(lines[line - 1].strip())[:MOST_LINE] if 0 < line <= len(lines) else ""


def _line(source: str, offset: int) -> int:
    return source.count("\n", 0, offset) + 1


def lines_of(prompt: Prompt, tokens: Iterable[int]) -> tuple[list[list[Any]], dict[int, int]]:
    """The statements that wrote some tokens, each once, and for each token its number among them, -1 for none."""
    writes = Writes(prompt)
    seen: dict[Statement | None, int] = {None: -1}
    numbers = {index: seen.setdefault(writes.of_token(index), len(seen) - 1) for index in tokens}
    return [list(each) for each in seen if each is not None], numbers


Cell: TypeAlias = dict[str, Any]
"""A token as the component takes it.

n: its number. t: the text to show. id, s, e: the token and its span in the prompt's text. who: "system", "user",
"assistant", "tool", "other", "template", or "changed" for what the template computed. m: the message that wrote it,
from 0, or -1. row: the row it stands in (`rows_of`). control: it is a special token. parts: of several authors,
[who, text]. space: how many characters of `t` are leading spaces.
"""

ROLES = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant", "tool": "tool"}
THEN = -1
"""The row of what asks for an answer."""
BEFORE = -2
"""The row of what the template writes before the first message."""
MOST_BEFORE = 3
"""Tokens that the template may write before the first message without a row of their own, such as BOS."""


def writer_of(prompt: Prompt, origin: Origin) -> str:
    """The class of who wrote a stretch."""
    if origin.message is not None:
        return ROLES.get(str(prompt.call.messages[origin.message].get("role")), "other")
    if origin.path[:1] in (("tools",), ("documents",)):
        return "tool"
    return "changed" if not origin.path and origin.offset < 0 else "template"


SIGNS = {"template": ".", "changed": "~"}
"""Authors in the strip that no message has. Others have their first letter, a capital if the template wrote a part."""
MOST_CELLS = 3_000
"""Tokens that are sent one by one; of longer prompts, each row has fewer."""


def strip_of(made: Sequence[Cell]) -> str:
    """Who wrote each token, as letters.

    >>> strip_of([{"who": "user"}, {"who": "user", "parts": [["template", "a"], ["user", "b"]]}])
    'uU'
    """
    cases = str, str.upper
    return "".join(cases["parts" in each](SIGNS.get(each["who"], each["who"][0])) for each in made)


def segments_of(made: Sequence[Cell]) -> list[tuple[int, int, int]]:
    """The stretches of tokens of one row: its number, start, end."""
    groups = [(row, len(list(group))) for row, group in groupby(each["row"] for each in made)]
    ends = accumulate((size for _, size in groups), initial=0)
    return [(row, start, start + size) for (row, size), start in zip(groups, ends, strict=False)]


class Row(NamedTuple):
    """What a row counts: all its tokens, those that a message wrote, those of the template, those of both."""

    row: int
    all: int
    own: int
    template: int
    both: int
    shown: int


def row_counts(made: Sequence[Cell]) -> list[Row]:
    """The rows that have tokens. shown: how many of them are sent."""
    rows: dict[int, list[Cell]] = {}
    for each in made:
        rows.setdefault(each["row"], []).append(each)
    most = MOST_CELLS if len(made) <= MOST_CELLS else max(20, MOST_CELLS // len(rows))

    def counted(row: int, every: list[Cell]) -> Row:
        both = sum("parts" in each for each in every)
        own = sum(each["m"] >= 0 and "parts" not in each for each in every)
        return Row(row, len(every), own, len(every) - own - both, both, min(most, len(every)))

    return [counted(*each) for each in rows.items()]


def sent(made: Sequence[Cell], rows: Sequence[Row]) -> list[Cell]:
    """The tokens that are sent: the first ones of each row."""
    left = {row.row: row.shown for row in rows}
    found = []
    for each in made:
        if left[each["row"]] > 0:
            left[each["row"]] -= 1
            found.append(each)
    return found


def text_cells(
    tokenizer: Opened, text: str, message: int, first: int = 0, ids: Sequence[int] | None = None
) -> list[Cell]:
    """The tokens of an answer, as the model wrote them. first: the number of the first one. ids: those it wrote."""
    encoding = tokenizer.encode(text, add_special=False)
    same = ids is None or list(ids) == encoding.ids
    written: list[Cell] = []
    for id, span in zip(encoding.ids, encoding.spans, strict=True) if same else ((each, None) for each in ids or ()):
        span = span or (0, 0)
        drawn = token_cell(text, tokenizer.vocabulary.spelling(id), id, *span, "assistant", message, message)
        written.append(drawn | {"n": first + len(written)})
    return written


def token_cell(text: str, piece: str, id: int, start: int, end: int, who: str, message: int, row: int) -> Cell:
    """What all tokens have: one that is text[start:end], or spelled by its piece where it is no text."""
    source = text[start:end]
    shown: Cell = {"t": as_text(source or piece), "id": id, "s": start, "e": end, "who": who, "m": message, "row": row}
    return shown | leading_spaces(source)


def cells(prompt: Prompt) -> list[Cell]:
    """All tokens.

    >>> import explorer
    >>> from explorer.prompts.model_input import prompt
    >>> made = prompt(explorer.load("qwen2.5"), [{"role": "user", "content": "Hi"}], "ours:chatml")
    >>> [(cell["t"], cell["who"], cell["row"]) for cell in cells(made)][2:6]
    [('↵', 'template', 0), ('Hi', 'user', 0), ('<|im_end|>', 'template', 0), ('↵', 'template', 0)]
    """
    rows = rows_of(prompt)
    made = [cell(prompt, token, row) | {"n": n} for n, (token, row) in enumerate(zip(prompt.tokens, rows, strict=True))]
    for index, (before, after) in enumerate(pairwise(prompt.tokens), 1):
        if after.start < before.end:  # they share a character
            made[index]["joins"] = True
            for each, token in ((index - 1, before), (index, after)):
                made[each] |= {"t": hexadecimal(prompt.encoding.bytes_of(token.id), 4), "bytes": True, "space": 0}
    return made


def cell(prompt: Prompt, token: PromptToken, row: int) -> Cell:
    """One token."""
    message = next((each for each in token.authors if each is not None), -1)
    writers = [writer_of(prompt, each) for each in token.origins] or ["template"]
    who = next((each for each in writers if each not in ("template", "changed")), writers[0])
    made = token_cell(prompt.text, token.piece, token.id, token.start, token.end, who, message, row)
    if prompt.tokenizer.vocabulary.is_special(token.id):
        made["control"] = True
    if len(token.authors) > 1:
        made["parts"] = [
            [writer_of(prompt, each), as_text(prompt.text[max(each.start, token.start) : min(each.end, token.end)])]
            for each in token.origins
        ]
    return made


def asking_start(prompt: Prompt) -> int:
    """Where in the text that begins which asks for an answer; its length where nothing does."""
    if not prompt.call.add_generation_prompt or prompt.call.continue_final:
        return len(prompt.text)
    try:
        without = prompt.changed(add_generation_prompt=False).text
    except InputError:
        return len(prompt.text)
    return len(without) if prompt.text.startswith(without) else len(prompt.text)


def rows_of(prompt: Prompt) -> list[int]:
    """The row of each token: a message's index, `THEN` or `BEFORE`.

    A message's role belongs to it, too. What the template writes between two messages belongs to the first one up to
    where the turn of a loop begins; without such a turn, where another statement begins, or the same one again.
    """
    turns = turn_tokens(prompt)
    tokens = prompt.tokens
    asks = asking_start(prompt)
    end = next((index for index, token in enumerate(tokens) if token.start >= asks and token.end > asks), len(tokens))
    rows = [row_of(token) for token in tokens[:end]]
    written = [index for index, row in enumerate(rows) if row is not None]
    if not written:
        return [BEFORE] * end + [THEN] * (len(tokens) - end)
    for before, after in pairwise(written):
        if rows[before] == rows[after]:
            fill(rows, before + 1, after, rows[before])
        else:
            middle = turns.get(rows[after], -1)
            if not before < middle <= after:
                middle = seam(prompt, before + 1, after)
            fill(rows, before + 1, middle, rows[before])
            fill(rows, middle, after, rows[after])
    first, last = written[0], written[-1]
    start = turns.get(rows[first], -1)
    if not 0 <= start <= first:
        start = seam(prompt, 0, first, last=True)
    own = start > MOST_BEFORE
    fill(rows, 0, start, BEFORE if own else rows[first])
    fill(rows, start, first, rows[first])
    fill(rows, last + 1, end, rows[last])
    return [row if row is not None else BEFORE for row in rows] + [THEN] * (len(tokens) - end)


def turn_tokens(prompt: Prompt) -> dict[int | None, int]:
    """For each message the token at which the turn of a loop over messages begins that writes it."""
    operands, starts = prompt.rendering.operands, [token.start for token in prompt.tokens]
    found: dict[int | None, int] = {}
    turn = None
    for step in prompt.rendering.steps:
        operand = operands[step.operand]
        if operand.kind == "loop":
            turn = (int(step.path[1]), operand) if len(step.path) > 1 and step.path[0] == "messages" else None
        elif turn is not None and step.start >= 0:
            message, loop = turn
            begins = data_before(prompt, step.start, loop.start)
            found[message], turn = bisect_left(starts, begins), None
    return found


def data_before(prompt: Prompt, position: int, after: int) -> int:
    """Where the texts outside tags begin that stand before a position, of those behind an offset of the source."""
    for origin in reversed(prompt.rendering.origins):
        if origin.end != position:
            continue
        operand = prompt.rendering.operands[origin.operand] if origin.operand >= 0 else None
        if operand is None or operand.kind != "data" or operand.start < after:
            break
        position = origin.start
    return position


def row_of(token: PromptToken) -> int | None:
    """The message that a token was copied from, its text or its role."""
    message = next((each for each in token.authors if each is not None), None)
    roles = (int(each.path[1]) for each in token.origins if each.path[:1] == ("messages",))
    return next(roles, None) if message is None else message


def fill(rows: list[int | None], start: int, end: int, row: int | None) -> None:
    """Gives some tokens one row."""
    rows[start:end] = [row] * (end - start)


def seam(prompt: Prompt, start: int, end: int, *, last: bool = False) -> int:
    """The token at which another turn begins, among tokens that the template wrote; `start` if none does."""
    found = [index for index in range(start + 1, end) if begins_anew(prompt, index)]
    if not found:
        # one literal between two messages: its first control token begins the next turn
        special = prompt.tokenizer.vocabulary.is_special
        return start if last else next((i for i in range(start + 1, end) if special(prompt.tokens[i].id)), end)
    return found[-1] if last else found[0]


def begins_anew(prompt: Prompt, index: int) -> bool:
    """Whether a statement of the template begins with this token: another one, or the same once more."""
    before, here = (
        [origin.operand for origin in token.origins if origin.operand >= 0]
        for token in prompt.tokens[index - 1 : index + 1]
    )
    if not before or not here:
        return False
    one, other = before[-1], here[0]
    operands = prompt.rendering.operands
    return operands[other].start < operands[one].start or statement_of(prompt, one) != statement_of(prompt, other)


MOST_FINDINGS = 5
"""The most findings that are listed."""
OTHERS = {BEFORE: "before", THEN: "then"}
"""The labels of rows that aren't a message's."""


def html(prompt: Prompt) -> str:
    """A prompt as HTML.

    >>> import explorer
    >>> hello = explorer.load("qwen2.5").prompt([{"role": "user", "content": "Hi <b>"}], "ours:chatml")
    >>> "<bdi>␣&lt;</bdi>" in html(hello)
    True
    """
    rows: dict[int, list[Written]] = {}
    for token, row in zip(prompt.tokens, rows_of(prompt), strict=True):
        rows.setdefault(row, []).append(written(prompt, token))
    messages = prompt.call.messages
    labels = {row: OTHERS.get(row) or str(messages[row].get("role")) for row in rows}
    findings = prompt.findings
    says = [plain(each.sentence) for each in islice(findings, MOST_FINDINGS)]
    if len(findings) > MOST_FINDINGS:
        says.append(f"{plural(len(findings) - MOST_FINDINGS, 'more finding')}.")
    return prompt_html(
        plural(len(prompt.tokens), "token"),
        [(labels[row], plural(len(tokens), "token"), tokens) for row, tokens in rows.items()],
        says,
    )


def written(prompt: Prompt, token: PromptToken) -> Written:
    """One token, with the roles of its authors."""
    roles = [TEMPLATE if each is None else str(prompt.call.messages[each].get("role")) for each in token.authors]
    text = prompt.text[token.start : token.end] or token.piece
    return Written(token.id, text, roles, prompt.tokenizer.vocabulary.is_special(token.id))
