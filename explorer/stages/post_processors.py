"""The stages after the model (template, truncation, padding): their scripts, results, and accounts for Why.

A script draws a column for every place of the list of ids, empty until its step comes, and the list itself. What a slot
is comes from the events and from the tokens after the stage: an added token has no span.
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import cast

from explorer.engine.part import ADDED, Token
from explorer.engine.post_processors import (
    LengthEvent,
    LengthRow,
    Padding,
    PostProcessEvent,
    PostProcessRow,
    Truncation,
)
from explorer.engine.tokenizer import Stage, Trace
from explorer.script.model_script import GONE, GOOD, PLAIN, columns
from explorer.script.script import WINDOW, Script, ScriptBuilder, Window, kinds, roles
from explorer.stages.spelling import Speller, shown_text
from explorer.stages.stage import StageKind, WhyStep
from explorer.text import visible
from explorer.text.say import Say, Text, paragraph, plural
from explorer.vocabulary import Vocabulary

TEMPLATE_CODE = """\
ids = []
for each slot of the template:
    a special token, if asked for:
        append its id
    the text: append its ids in their order
spans: trim white space, if the file says so
""".splitlines()
TRUNCATION_CODE = """\
room = the most tokens allowed
    − those that will be added
if the text has more tokens than that:
    cut off the others, at the side the file names
""".splitlines()
PADDING_CODE = """\
length = the length the file names,
    rounded up to a multiple if it says so
while there are fewer tokens:
    add the padding token, at the side it names
""".splitlines()


KINDS = kinds(
    PostProcessEvent,
    """
FIRST: added
    look: token dot 100 landmark
    lines: 1 2 3
    say: ids[{at}] = {id}: {token}, before the text.
    why: It has no span because it is not part of the text.
    log: ids[{at}] = {id}: {token}, before the text.
    story: {token} is put in front: id {id}.
    story_why: The tokenizer's file asks for it before every text.

LAST like FIRST
    say: ids[{at}] = {id}: {token}, after the text.
    log: ids[{at}] = {id}: {token}, after the text.
    story: {token} is put at the end: id {id}.
    story_why: The tokenizer's file asks for it after every text.

text: text
    look: merge dot 80 landmark
    lines: 1 4
    say: From ids[{at}] on: the text's {count}.
    log: From ids[{at}] on: the text's {count}.
    story: Next, in their order: the text's {count}.
    story_why: They no longer change.

AGAIN: again
    look: merge dot 80 landmark
    lines: 1 4
    say: From ids[{at}] on: the text's {count} once more.
    why: The template contains the text more than once.
    log: From ids[{at}] on: the text's {count} once more.
    story: Once more: the text's {count}.

TWICE: twice
    look: stale dot 60
    lines: 3
    say: ids[{at}] = {id}: the text itself begins with {token}, so it is there twice.
    why: The tokenizer doesn't check for an existing one.
    log: ids[{at}] = {id}: the text itself begins with {token}, so it is there twice.
    story: The text itself begins with {token}, so it is there twice now.

TRIMMED: trimmed
    look: push dot 40
    lines: 5
    say: ids[{at}] = {id}: the span of {token} leaves out white space at its ends.
    why: The file asks for Hugging Face's trim_offsets; the id stays.
    log: ids[{at}] = {id}: the span of {token} leaves out white space at its ends.
    story: {token} keeps its id; its span no longer includes the white space.
    story_why: The file asks for that; it changes what is highlighted, not what the model reads.

LEFT_OUT: left out
    look: stale dot 80 landmark
    lines: 4
    say: The template does not contain the text: {count} left out.
    log: The template does not contain the text: {count} left out.
    story: The template does not contain the text: {count} left out.

NOT_ASKED: not asked
    look: miss dot 40
    lines: 2
    say: {token} ({id}) is not added: “Add BOS/EOS” is off.
    log: {token} ({id}) is not added: “Add BOS/EOS” is off.
    story: {token} is not added.
    story_why: Adding special tokens is off.

SPARE like NOT_ASKED
    say: {token} ({id}) is not added: the original has another option for it.
    log: {token} ({id}) is not added: the original has another option for it.
    story_why: The original adds it only with an option of its own.

PRESENT like NOT_ASKED: present
    say: {token} ({id}) is not added: the text itself ends with it.
    log: {token} ({id}) is not added: the text itself ends with it.
    story_why: The text itself ends with it.

done: ids
    look: info dot 60
    say: The list has {count}.
    log: The list has {count}.
    story: This is what the model reads: {count}.
    story_why: It sees the ids alone, never the letters.

room: room
    look: info dot 50
    lines: 0 1
    say: {why}
    log: {why}

cut: cut off
    look: stale dot 100 landmark
    lines: 2 3
    say: {count} cut off, from ids[{at}] on.
    why: {why}
    log: {count} cut off, from ids[{at}] on.
    story: {count} cut off.

fits: fits
    look: miss dot 60
    lines: 2
    say: The text has {count}: nothing is cut off.
    log: The text has {count}: nothing is cut off.
    story: The text has {count}: it fits.

length like room: length

filled: padded
    look: token dot 100 landmark
    lines: 2 3
    say: {count} of {token} ({id}), from ids[{at}] on.
    why: All texts of a batch then have the same length.
    log: {count} of {token} ({id}), from ids[{at}] on.
    story: Padding: {count} of {token}.

long enough: long enough
    look: miss dot 60
    lines: 2
    say: The text has {count}: nothing is added.
    log: The text has {count}: nothing is added.
    story: The text has {count}: nothing is added.
""",
    fields="token:q id:i count:t at:i why:t",
)
"""at: the index in the list."""

ROLES = roles("done, gone")
AT_WORK, CUT_OFF = range(len(ROLES))
MARKED = 24
"""Columns marked one by one; of a longer run only the first and the last."""


def post_process_script(stage: Stage, vocabulary: Vocabulary, window: Window, trace: Trace) -> Script:
    """The script for post-processing, within a window.

    >>> import explorer
    >>> tok = explorer.load("llama-2")
    >>> trace = tok.trace("is")
    >>> post_process_script(trace.stage("post-process"), tok.vocabulary, Window(0, 2, 0, 2), trace).sentence(1)
    'ids[0] = 1: “<s>”, before the text. It has no span because it is not part of the text.'
    """
    tokens = cast(Sequence[Token], stage.after)
    events = list(stage.events)
    how = {row.position: row.kind for row in events if row.kind in PLACED}
    writer = _Writer("Ids", stage, vocabulary, window, TEMPLATE_CODE, "slot", whose=bool(how))
    say = "The model made {tokens}. Now the list of ids is put together."
    writer.begin([None] * len(tokens), say, len(stage.before))
    for writer.builder.event, row in enumerate(events):
        if row.kind in (PostProcessEvent.NOT_ASKED, PostProcessEvent.LEFT_OUT, PostProcessEvent.PRESENT):
            writer.remark(row)
    for kind, run in groupby(range(len(tokens)), lambda index: how.get(index, "text")):
        writer.fill(kind, list(run), tokens, events)
    for event, row in enumerate(events):
        if row.kind == PostProcessEvent.SPARE:
            writer.builder.event = max(event, writer.builder.event)
            writer.remark(row)
    writer.builder.phase("Ids")
    writer.step("done", count=plural(len(tokens), "id"))
    return writer.builder.script()


ADDED_ALONE = (PostProcessEvent.FIRST, PostProcessEvent.LAST)
PLACED = (*ADDED_ALONE, PostProcessEvent.AGAIN)


def truncation_script(stage: Stage, vocabulary: Vocabulary, window: Window, trace: Trace) -> Script:
    """The script for truncation, within a window."""
    part = cast(Truncation, stage.part)
    writer = _Writer("Truncation", stage, vocabulary, window, TRUNCATION_CODE, "")
    tokens = cast(Sequence[Token], stage.before)
    writer.begin(tokens, "The text has {tokens}.", len(tokens))
    room = part.room(trace.options)
    allowed = plural(part.longest, "token is", "tokens are")
    if room is None:
        said = Text(
            "The limit of {0} is below the {1} tokens that are added: nothing is cut off.", part.longest, part.added
        )
    elif room == part.longest:
        said = Text("At most {0:t} allowed.", allowed)
    else:
        said = Text("At most {0:t} allowed, {1} of them added: {2} are left for the text.", allowed, part.added, room)
    writer.step("room", why=said)
    for writer.builder.event, row in enumerate(stage.events):
        writer.cut(range(row.start, row.end), tokens, part.left)
    if not stage.events:
        writer.step("fits", count=plural(len(tokens), "token"))
    return writer.builder.script()


def padding_script(stage: Stage, vocabulary: Vocabulary, window: Window, trace: Trace) -> Script:
    """The script for padding, within a window."""
    part = cast(Padding, stage.part)
    writer = _Writer("Padding", stage, vocabulary, window, PADDING_CODE, "")
    tokens = cast(Sequence[Token], stage.after)
    filled = {at for row in stage.events if row.kind == LengthEvent.FILLED for at in range(row.start, row.end)}
    shown = [None if at in filled else token for at, token in enumerate(tokens)]
    writer.begin(shown, "The list has {tokens}.", len(stage.before))
    said = Say("The length is {0}", part.length or 0)
    said = said if part.length else Say("A single text is as long as the longest of its batch")
    up = "{0}, rounded up to a multiple of {1}." if part.multiple else "{0}."
    writer.step("length", why=Text(up, said, part.multiple))
    for writer.builder.event, row in enumerate(stage.events):
        writer.pad(range(row.start, row.end), row.token)
    if not stage.events:
        writer.step("long enough", count=plural(len(tokens), "token"))
    return writer.builder.script()


class _Writer:
    """Columns, the list of ids, and the steps that fill them. slot: what a step fills, empty for a list that is there.

    whose: whether a third line says what each token comes from; it would say the same everywhere if nothing is added.
    """

    def __init__(
        self,
        title: str,
        stage: Stage,
        vocabulary: Vocabulary,
        window: Window,
        code: Sequence[str],
        slot: str,
        whose: bool = False,
    ) -> None:
        self.stage, self.vocabulary, self.window = stage, vocabulary, window
        self.lines = ("Id", "Slot") if whose else ("Id",)
        self.builder = ScriptBuilder.laid_out(
            "post_processing",
            title=title,
            landmark="slot" if slot else "change",
            kinds=KINDS,
            tracks=(
                columns("Tokens", "a column for each place of the list", ("Token", *self.lines)),
                "final_ids",
            ),
            roles=ROLES,
            code=code,
        )
        # the window counts places of the final list
        self.stop = window.last if slot else window.first + WINDOW

    def begin(self, tokens: Sequence[Token | None], say: str, count: int) -> None:
        """The columns: empty where `tokens` has None."""
        builder = self.builder
        for place, token in enumerate(tokens):
            if token is not None:
                self._show(place, token, "")
            elif self._holds(place):
                builder.put("columns", place, -1, -1, -1, -1, *[-1, PLAIN] * len(self.lines))
        builder.phase("Fill")
        builder.begin(say, lines=(0,), tokens=plural(count, "token"))

    def _holds(self, place: int) -> bool:
        """Whether a place of the list is drawn."""
        return self.window.first <= place < self.stop

    def _show(self, place: int, token: Token, slot: str, state: int = PLAIN) -> None:
        if not self._holds(place):
            return
        more = (slot, state) if len(self.lines) > 1 else ()
        text, id = self._text(token.id), str(token.id)
        self.builder.write("columns", place, text, token.id, token.start, token.end, id, state, *more)
        if state == GONE:
            self.builder.delete("output", place)
        else:
            self.builder.write("output", place, id, token.id, token.start, token.end, text)

    def _text(self, token: int) -> str:
        """A token as it is drawn; nothing for -1."""
        return shown_text(self.vocabulary, token) if token >= 0 else ""

    def _mark(self, places: Sequence[int], role: int) -> None:
        drawn = [place for place in places if self._holds(place)]
        for place in drawn if len(drawn) <= MARKED else [drawn[0], drawn[-1]]:
            self.builder.mark("columns", place, role)

    def step(self, kind: Hashable, token: int = -1, count: str = "", at: int = 0, why: str = "") -> None:
        """Closes a step."""
        text = self.builder.plain(self._text(token))
        self.builder.step(kind, token=text, id=token, count=count, at=at, why=why)

    def remark(self, row: PostProcessRow) -> None:
        """An event that fills no place."""
        self.step(row.kind, row.token, plural(row.unused, "token is", "tokens are"))

    def fill(self, kind: Hashable, run: list[int], tokens: Sequence[Token], events: list[PostProcessRow]) -> None:
        """A run of places with the same kind of tokens: added ones one by one, the text's at once."""
        drawn = [place for place in run if self._holds(place)]
        if not drawn:
            return
        added = kind in ADDED_ALONE
        slot = "added to it" if added else "the text"
        for places in [[place] for place in drawn] if added else [drawn]:
            first, token = places[0], tokens[places[0]].id if added else -1
            for place in places:
                self._show(place, tokens[place], slot, GOOD)
            self._mark(places, AT_WORK)
            for event, row in enumerate(events):
                if row.position == first and row.kind in PLACED:
                    self.builder.event = max(event, self.builder.event)
            self.step(kind, token, plural(1 if added else len(run), "token"), first)
        for event, row in enumerate(events):
            if row.kind in (PostProcessEvent.TWICE, PostProcessEvent.TRIMMED) and row.position in drawn:
                self.builder.event = max(event, self.builder.event)
                self._mark([row.position], AT_WORK)
                self.step(row.kind, row.token, at=row.position)

    def cut(self, places: range, tokens: Sequence[Token], left: bool) -> None:
        """Tokens are cut off."""
        for place in places:
            self._show(place, tokens[place], "", GONE)
        self._mark(places, CUT_OFF)
        count = plural(len(places), "token is", "tokens are")
        why = "They are at the beginning." if left else "They are at the end."
        self.step("cut", -1, count, places.start, why)

    def pad(self, places: range, token: int) -> None:
        """Padding fills places."""
        for place in places:
            self._show(place, Token(token, ADDED, ADDED), "", GOOD)
        self._mark(places, AT_WORK)
        self.step("filled", token, plural(len(places), "token"), places.start)


def positions_after(stage: Stage) -> set[int]:
    """The positions of the tokens that post-processing put after the text; of another stage none."""
    rows = stage.events if stage.part.row is PostProcessRow else ()
    return {row.position for row in rows if row.kind == PostProcessEvent.LAST}


@dataclass(eq=False)
class AfterModel:
    """The account of the stages after the model, each answer as steps. model: the index of the model's stage.

    number: of a token among the ids.
    """

    trace: Trace
    model: int
    speller: Speller

    def about(self, kind: str, number: int) -> tuple[WhyStep, ...]:
        """The event of a kind, by its name, that put a token among the ids: FIRST, LAST, AGAIN or FILLED."""
        for stage_number in range(len(self.trace.stages) - 1, self.model, -1):
            stage = self.trace.stages[stage_number]
            for event, row in enumerate(stage.events):
                places = range(row.start, row.end) if isinstance(row, LengthRow) else (row.position,)
                if stage.part.kinds(row.kind).name == kind and number in places:
                    text = self.speller.token(row.token)
                    return (WhyStep(stage_number, event, kind, (text,), text, Say("added")),)
                if isinstance(row, LengthRow) and row.kind == LengthEvent.FILLED and row.start == 0:
                    # padding on the left moves what earlier stages count
                    number -= row.end
        return ()

    def truncated(self, left: int | None, right: int | None) -> tuple[WhyStep, ...]:
        """The event of a truncation between two tokens, by their indices in the model's output; None is no such."""
        for stage_number, stage in enumerate(self.trace.stages[self.model + 1 :], self.model + 1):
            for event, row in enumerate(stage.events if stage.part.row is LengthRow else ()):
                if row.kind == LengthEvent.CUT and (row.start - 1 == left is not None or row.end == right is not None):
                    note = Say("cut off: {0} tokens", row.end - row.start)
                    return (WhyStep(stage_number, event, LengthEvent.CUT.name, (), "", note, good=False),)
        return ()


def truncation_result(trace: Trace, stage: Stage, vocabulary: Vocabulary) -> Say:
    """How many tokens were cut off, where, and how many parts the original makes of them."""
    part, size = cast(Truncation, stage.part), len(stage.before)
    room = part.room(trace.options)
    if room is None:
        return Say(
            "Changed nothing: {0:t} allowed and {1:t} added, so the original's limit is below zero and nothing is cut.",
            plural(part.longest, "token is", "tokens are"),
            plural(part.added, "is", "are"),
        )
    besides = Text(" besides the {0} added", part.added) if room != part.longest else ""
    if size <= room:
        return Say(
            "Changed nothing: the text has {0:t}, and {1:t} room{2:t}.",
            plural(size, "token"),
            plural(room, "has", "have"),
            besides,
        )
    others = len(list(part.parts(size, room))) - 1
    overlap = Text(" that overlap by {0:t}", plural(part.stride, "token")) if part.stride else ""
    side = "beginning" if part.left else "end"
    return Say(
        f"{{0:t}} cut off at the {side}: the text has {{1}}, and {{2:t}} room{{3:t}}. tokenizers returns the rest as "
        "{4:t}{5:t}; they are not among these ids.",
        plural(size - room, "token is", "tokens are"),
        size,
        plural(room, "has", "have"),
        besides,
        plural(others, "further part"),
        overlap,
    )


def padding_result(trace: Trace, stage: Stage, vocabulary: Vocabulary) -> Say:
    """How much padding was added, or why none was."""
    part = cast(Padding, stage.part)
    filled = sum(event.end - event.start for event in stage.events if event.kind == LengthEvent.FILLED)
    if filled:
        return Say(
            f"With {{0:t}} {{1:q}} ({{2:i}}) at the {'beginning' if part.left else 'end'}, the text has {{3:t}}.",
            plural(filled, "token"),
            visible(vocabulary.spelling(part.token)),
            part.token,
            plural(len(stage.after), "token"),
        )
    if part.length is not None:
        return Say("Changed nothing: the text has {0} tokens already.", len(stage.before))
    if part.multiple:
        longest = "Changed nothing: a single text is the longest of its batch, and its length is a multiple of {0}."
        return Say(longest, part.multiple)
    return Say("Changed nothing: a single text is the longest of its batch.")


ALSO = {
    PostProcessEvent.TRIMMED: "The offsets of {0:t} are trimmed: they leave out white space at the ends.",
    PostProcessEvent.AGAIN: "The template contains the text more than once, which adds {0:t}.",
    PostProcessEvent.LEFT_OUT: "The template doesn't contain the text, so none of its tokens is left.",
}
"""What else the stage may have done → the sentence about it."""
ADDS = {
    PostProcessEvent.FIRST: "{0:q} ({1:i}) is added before the text.",
    PostProcessEvent.LAST: "{0:q} ({1:i}) is added after the text.",
}
SPARE_BOS = "sentencepiece's option add_bos would add {0:q} ({1:i}) before the text."
SPARE_EOS = "sentencepiece's option add_eos would add {0:q} ({1:i}) after the text."


def post_process_result(trace: Trace, stage: Stage, vocabulary: Vocabulary) -> Say:
    """Which tokens were added, where, and whether the text had them already."""
    events = list(stage.events)
    counts = Counter(event.kind for event in events)

    def about(says: str, event: PostProcessRow) -> Say:
        """A sentence about an event's token and its id."""
        return Say(says, visible(vocabulary.spelling(event.token)), event.token)

    said = [about(ADDS[event.kind], event) for event in events if event.kind in ADDS] or [Say("No tokens are added.")]
    if counts[PostProcessEvent.TWICE]:
        said.append(Say("The text already began with it, so it occurs twice, as in the original."))
    said += [Say(says, plural(counts[kind], "token")) for kind, says in ALSO.items() if counts[kind]]
    for event in events:
        if event.kind == PostProcessEvent.SPARE:
            said.append(about(SPARE_EOS if event.unused else SPARE_BOS, event))
        if event.kind == PostProcessEvent.PRESENT:
            said.append(about("The text itself ends with {0:q} ({1:i}), so it is not added.", event))
    if len(said) > 1 or counts.keys() & ADDS.keys():
        return paragraph(said)
    return Say(
        "Changed nothing: adding special tokens is off."
        if events
        else "Changed nothing: this vocabulary adds no tokens."
    )


TRUNCATE = StageKind(
    title="Truncation",
    purpose="A text with more tokens than the model accepts is cut off.",
    name="Truncate",
    script=truncation_script,
    result=truncation_result,
)
PAD = StageKind(
    title="Padding",
    purpose="A text with fewer tokens is padded, so that all texts have the same length.",
    name="Pad",
    script=padding_script,
    result=padding_result,
)
POST_PROCESS = StageKind(
    title="Post-processing",
    purpose="The tokens the model expects around a text are added.",
    name="Ids",
    script=post_process_script,
    result=post_process_result,
)
