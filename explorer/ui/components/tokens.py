"""Texts in their tokens, of one tokenizer or several beside each other, and the stepper that plays a script of steps.

`overview` is the top of Explore. The browser draws text and stages from one message and reports the stage that was
chosen and what is asked of a token; what is selected is marked in every other component of the page. A `border` is a
mark in the text that can be dragged, with the tokens of the whole text and of both parts: the browser has the borders
around the mark and shows them at once; for one further away it reports the offset, and where the mark rests for the
downloads. `ways` are rows of tokens with how often each way was drawn, or the bar above the steps of one draw.

Several tokenizers: aligned rows, rows while typing, where two part, dots for languages (`aligned/`, `parting/`,
`premiums/`, `tokenizer_chips/`). Their browser parts get everything at once, so most clicks ask nobody; each writes its
choice to the URL.

A script comes from `explorer/views` as packed bytes and depends on text and model only. Everything from a key press to
the drawn change happens in the browser (`stepper/`), and so does writing the step to the URL. Leaves out making
scripts, deciding what to show, and every number (`explorer/views`).
"""

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

import streamlit as st

from explorer.analysis.export import short_hash
from explorer.answers.explore import MANY, ONE, WaysRequest
from explorer.languages import ENGLISH, phrases
from explorer.tables import Json
from explorer.text.say import Say
from explorer.ui.components.every_page import as_bytes, register, reported, text_in, whole
from explorer.ui.language import language, language_name
from explorer.views.compare.aligned import Aligned, Parting
from explorer.views.overview import Overview

_draw_overview = register("overview")
_draw_border = register("border")
_draw_ways = register("ways")


class Hint(NamedTuple):
    """Words beside the text. level: of detail that they speak of. warning: instead of them."""

    words: str = ""
    level: str = ""
    warning: str = ""


class Around(NamedTuple):
    """What a page draws around the tokens, by the names that the browser has.

    hint: what to look for in this text. explains: whether tokens and cuts can be asked about. opens: a question that is
    asked by itself, such as "token 3", after a number that differs each time. leaves: where the text can't be changed,
    the parameters that open it on Explore; a changed spelling leads there. name: of the tokenizer, on a page that does
    not say it elsewhere. border: whether the page draws a border, and other ways, in the place of a stage. saves:
    whether it offers to save a page.
    """

    hint: Hint = Hint()
    explains: bool = True
    opens: str = ""
    leaves: Mapping[str, str] | None = None
    name: str = ""
    border: bool = False
    saves: bool = False


ALONE = Around()


def overview(
    top: Overview,
    around: Around = ALONE,
    *,
    focus: str,
    key: str,
    answer: Json | None = None,
    page: Mapping[str, str] | None = None,
) -> None:
    """Draw the tokens and the stages. What is chosen in the browser is read by `chosen_stage` and `question`.

    focus: the key of the stage shown. answer: to the `question`, from `views.why_card`, with the question as `of`.
    page: the file that was asked for (`saving.page_for`).
    """
    own = {"focus": focus, "answers": reported_stage(key), "answer": answer, "page": page}
    data = named(top).data | around._asdict() | own | {"hint": around.hint._asdict()}
    _draw_overview(key=key, data=as_bytes(data))


def named(top: Overview) -> Overview:
    """The same with its stages in the visitor's language."""
    to = phrases(language())
    if to.language == ENGLISH:
        return top
    stages = [each._replace(name=to.caption(each.name), result=to.text(to.caption(each.result))) for each in top.stages]
    return top._replace(stages=stages)


class Question(NamedTuple):
    """What was asked of a token: how it came about, or why there is a cut after it. others: also elsewhere."""

    cut: bool
    number: int
    others: bool = False

    @property
    def kind(self) -> str:
        """As the browser reports it."""
        return "others" if self.others else "cut" if self.cut else "token"


class StageChoice(NamedTuple):
    """A stage that was chosen. clock: when, by the browser's clock, so that the same choice can be made again."""

    key: str
    clock: str


def chosen_stage(key: str) -> StageChoice | None:
    """The stage chosen last in the browser, None before a choice."""
    stage, _, clock = reported_stage(key).partition(" ")
    return StageChoice(stage[:40], clock) if stage else None


def reported_stage(key: str) -> str:
    """What the browser reported last of the stage in focus, which may be anything; "" before a choice."""
    return text_in(reported(key, "stage"), 80)


def question(key: str, content_id: str) -> Question | None:
    """What is asked about this content; a question about another content is none."""
    return read_question(reported(key, "question"), content_id)


def read_question(asked: object, content_id: str) -> Question | None:
    """The question in what the browser reports, which may be anything.

    >>> read_question("cut 3 ab", "ab"), read_question("cut 3 ab", "cd"), read_question("token x ab", "ab")
    (Question(cut=True, number=3, others=False), None, None)
    """
    found = re.fullmatch(r"(token|cut|others) ([0-9]{1,9}) (\w{1,64})", asked) if isinstance(asked, str) else None
    if found is None or found[3] != content_id:
        return None
    return Question(found[1] != "token", int(found[2]), found[1] == "others")


def border(picture: Json, *, content_id: str, key: str, on_closed: Callable[[], None] = lambda: None) -> None:
    """Draws a border. picture: of `views.border`, of one tokenizer or several. content_id: names the text and those.

    on_closed: called when the border of several tokenizers was closed.

    >>> border(picture, content_id="ab", key="border")  # doctest: +SKIP
    """
    _draw_border(key=key, data={"picture": dict(picture), "content_id": content_id}, on_closed_change=on_closed)


def border_offset(key: str, content_id: str) -> int | None:
    """The offset to draw a border at: the one that the browser asked for last, at first the one in the URL.

    None: where the border shows most, as in another content.
    """
    state = st.session_state
    at, of = f"{key} at", f"{key} of"
    asked = reported_offset(key, "at", content_id)
    if asked is not None:
        state[at] = asked
    elif at not in state:
        state[at] = whole(st.query_params.get("border", ""))
    elif state.get(of) != content_id:
        state[at] = None
    state[of] = content_id
    found: int | None = state[at]
    return found


def border_mark(key: str, content_id: str, picture: Json) -> int:
    """The offset at which the mark rests in a picture."""
    at = reported_offset(key, "mark", content_id)
    return int(picture["at"]) if at is None else min(max(1, at), picture["length"] - 1)


def reported_offset(key: str, name: str, content_id: str) -> int | None:
    """An offset that the browser reports of this content; None if it reports none.

    What it reports may be anything.
    """
    of, _, at = text_in(reported(key, name), 90).partition(" ")
    return whole(at) if of == content_id else None


PARAMETERS = "sample alpha seed draws rule draw".split()
"""In the URL, in the order of `WaysRequest`."""


def ways(picture: Json, *, asked: WaysRequest, content_id: str, key: str) -> None:
    """Draws the ways. picture: of `views.ways`. content_id: names the text, the tokenizer and what was asked.

    >>> ways(picture, asked=WaysRequest(), content_id="ab", key="ways")  # doctest: +SKIP
    """
    _draw_ways(key=key, data={"picture": dict(picture), "asked": list(asked), "content_id": content_id})


def asked_ways(key: str) -> WaysRequest | None:
    """What the browser asks for, None if it has asked for nothing. What it reports may be anything."""
    parts = text_in(reported(key, "asked"), 200).split(" ")
    return ways_of(parts) if len(parts) == len(PARAMETERS) else None


def linked_ways() -> WaysRequest:
    """What the URL asks for."""
    return ways_of([st.query_params.get(name, "") for name in PARAMETERS])


def ways_of(parts: list[str]) -> WaysRequest:
    """What stands in these places; what is empty is as at first."""
    view, *rest = [part[:40] or first for part, first in zip(parts, WaysRequest(), strict=True)]
    return WaysRequest(ONE if view == ONE else MANY, *rest)


LAST_STEP = 10**9
"""As `start` of a stepper: its last step, whatever number that has."""

_draw_stepper = register("stepper")


class Play(NamedTuple):
    """How a script is played.

    script_id: identifies the script, so it can be a digest of text, model and implementation. The first script opens at
    the step in the URL. With a new id, the player stays at the end if it was at the end, and otherwise opens where the
    stage shows something: at its result, its first decision or its first symbols (`opensAt` in `stepper.js`).
    parameter: of the step in the URL; each player on a page has its own. start: the step that every script starts at,
    unless the URL has another; one beyond the last means the last. arrival: another number each time a link within the
    page was followed, so that the browser hears of it even if the script stays. together: for one of two players side
    by side, whether a step of one is a step of both. spot: a span of the text that is offered as the selection. level:
    of detail, unless the URL has another; empty leaves the one chosen last. covered: hides what follows the step it
    starts at, as while predicting. beside: it has two thirds of the page, and still one height. asks: a question is
    open about the step it starts at, so a step in the URL, which may show the answer, is left out. board: a `Say` of
    what came of a training, beside its player, which is the board of its page. The page chooses the level then, with a
    control of its own. side, name: of one on a card of Compare, "left", "right" or "alone": it is slim, and says whose
    it is.
    """

    script_id: str
    parameter: str = "step"
    start: int | None = None
    arrival: int = 0
    together: bool | None = None
    spot: tuple[int, int] | None = None
    level: str = ""
    covered: bool = False
    beside: bool = False
    asks: bool = False
    board: Json | None = None
    side: str = ""
    name: str = ""


def stepper(script: bytes, play: Play, *, key: str) -> None:
    """Draws the player for a script (`script.script.pack`).

    >>> stepper(script, Play("llama-2/What is LoRA?"), key="merges")      # doctest: +SKIP
    """
    spot = play.spot if play.spot is not None and play.spot[0] < play.spot[1] else None
    # Streamlit takes bytes only as the whole of `data`: a line of JSON, then the script (`stepper.js`)
    _draw_stepper(key=key, data=json.dumps(play._replace(spot=spot)._asdict()).encode() + b"\n" + script)


_draw_aligned = register("aligned")
_draw_typed = register("stairs")
_draw_parting = register("parting")
_draw_chips = register("tokenizer_chips")
_draw_premiums = register("premiums")


def aligned_rows(
    drawn: Aligned,
    say: Say | None = None,
    parting: Json | None = None,
    *,
    key: str,
    names: Sequence[str] = (),
    on_go: Callable[[], None] = lambda: None,
    on_border: Callable[[], None] | None = None,
) -> None:
    """Draws the sentence, the grid, and where the rows part most. The browser redraws a grid only if its id differs.

    names: of the rows' tokenizers in URLs (`TokenizerSpec.name`), for links to the dossiers of their tokens and to the
    step where two of them part. on_go: called after a click on that; `go` then has the parameters it changes, as JSON.
    on_border: called after a click on "Cut it in two"; None: the rows have none.

    >>> aligned_rows(grid, say, parting_of(alignment), key="rows")      # doctest: +SKIP
    """
    said = None if say is None else say._asdict()
    _draw_aligned(
        key=key,
        data={"rows": drawn.json, "rows_id": drawn.id, "say": said, "parting": parting, "specs": list(names),
              "border": on_border is not None},
        on_go_change=on_go,
        on_border_change=on_border or (lambda: None),
    )  # fmt: skip


def framed_rows(
    frame: Json,
    drawn: Aligned | None = None,
    *,
    key: str,
    names: Sequence[str] = (),
    on_go: Callable[[], None] = lambda: None,
) -> None:
    """Draws rows in the order given, and around them what `frame` holds: sentences, notes, links, lists.

    frame: `said` and `note`, the lines above the card (`views.compare.line.Line.data`); `head`, what the first row is;
    `link`, a button that leads to another tab; more in `aligned/frame.js`. What is clicked in a list of ids is reported
    as `use`: its number, and a number that changes with each click. names: of the page's tokenizers, which a link to
    one more needs. on_go: as in `aligned_rows`.
    """
    rows = {"rows": None, "rows_id": ""} if drawn is None else {"rows": drawn.json, "rows_id": drawn.id}
    data = {**rows, "frame": dict(frame), "specs": [], "names": list(names)}
    _draw_aligned(key=key, data=data, on_go_change=on_go)


def typed_rows(picture: Json) -> None:
    """Draws the rows of `views.compare.typing.typing_picture`.

    >>> typed_rows(typing_picture(stability, speller, "GPT-2"))     # doctest: +SKIP
    """
    _draw_typed(key="typing-rows", data=dict(picture))


def parting(drawn: Parting, *, key: str) -> None:
    """Draws where two tokenizers part: their stages, the text with a mark at each place, and one place."""
    _draw_parting(key=key, data=drawn._asdict())


def place_tokens(tokens: Sequence[Sequence[Any]], *, key: str) -> None:
    """Draws the tokens that a side makes of the place. tokens: of `views.compare.parting.tokens_of`."""
    _draw_parting(key=key, data={"tokens": list(tokens), "content_id": repr(tokens)})


def chosen_place(key: str, content_id: str) -> int | None:
    """The place that was clicked in this content, None if none was. Call it before drawing.

    The browser reports `CONTENT_ID PLACE`, or anything.
    """
    of, _, number = text_in(reported(key, "place"), 90).partition(" ")
    return whole(number) if of == content_id else None


def tokenizer_chips(
    titles: Mapping[str, str],
    chosen: Collection[str] | None,
    *,
    key: str,
    on_choose: Callable[[str], None],
    on_remove: Callable[[str], None],
) -> None:
    """Draws a chip for each name. titles: by name. chosen: the names that the question is about; None if about all.

    on_choose, on_remove: called with a name, before the page runs again.

    >>> tokenizer_chips({"gpt-2": "GPT-2"}, None, key="chips", on_choose=print, on_remove=print)   # doctest: +SKIP
    """
    state = st.session_state

    def acting(part: str, act: Callable[[str], None]) -> Callable[[], None]:
        def run() -> None:
            name = (state.get(key) or {}).get(part)
            if isinstance(name, str) and name in titles:
                act(name)

        return run

    data = {"chips": list(titles.items()), "chosen": None if chosen is None else list(chosen)}
    _draw_chips(
        key=key, data=data, width="content", on_choose_change=acting("choose", on_choose),
        on_remove_change=acting("remove", on_remove),
    )  # fmt: skip


def premiums(picture: Json, *, key: str) -> None:
    """Draws the sentence, the dots, and the chosen language in tokens. picture: of `views.premiums.picture`.

    >>> premiums(picture(found, sample), key="premiums")  # doctest: +SKIP
    """
    names = picture["languages"]
    said = {**picture, "keys": names, "languages": [*map(language_name, names)]}
    _draw_premiums(key=key, data={"picture": said, "content_id": short_hash(repr(said))})
