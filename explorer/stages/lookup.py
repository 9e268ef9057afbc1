"""Models that look units up whole: characters, words, the words of a WordLevel.

The stepper's script has one step per unit of `engine/models/lookup.py`, and per byte of an
unknown one, on two tracks: the characters and the output. A window limits the script to the units drawn. The accounts
for Why are `Units` and `Words`; `UNITS` and `WORDS` are what everybody else asks.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from explorer.engine.models.lookup import (
    ByteValues,
    CharWord,
    CharWordEvent,
    CharWordRow,
    CodePoints,
    LookedUp,
    WordLevel,
    WordLevelEvent,
    WordLevelRow,
    words,
)
from explorer.engine.part import Model, Part
from explorer.engine.tokenizer import Stage, Trace
from explorer.script.model_script import FOLLOW, Fragment, ModelScript
from explorer.script.script import Script, ScriptBuilder, Values, kinds, roles
from explorer.stages.stage import (
    Account,
    CutAccount,
    CutCause,
    Family,
    Made,
    MadePair,
    ModelKind,
    OriginKind,
    SegmentEvents,
    TokenText,
    kinds_of,
    of_byte,
    of_bytes,
    unknown,
)
from explorer.text.say import Say, plural
from explorer.vocabulary import PieceKind, Vocabulary

CODE = """\
for each unit of the text, from the left:
    if it is a usable piece: output its token
    else if the model has byte fallback:
        output one token per byte
    else if the previous unit was unknown too:
        it joins that unknown token
    else: output the unknown token
""".splitlines()
ROLES = roles("unit done, unused gone")
UNIT, GONE = range(len(ROLES))

KINDS = kinds(
    CharWordEvent,
    """
FOUND: token
    look: token dot 70 landmark
    lines: 1
    say: {text} is a piece, token {id}.
    log: {text} {id}
    story: {text} is a piece: token {id}.
    story_why: Each unit is looked up whole, and nothing is merged.

UNUSED: unused
    look: stale diamond 45
    lines: 1
    say: {text} is a piece, but it is marked unused, so it doesn't count.
    log: {text} is unused
    story: {text} is a piece, but it is marked unused.
    story_why: The tokenizer treats it as if it were not in the vocabulary.

UNKNOWN: unknown
    look: byte dot 70 landmark
    lines: 4 6
    say: {text} is not a piece: it becomes {piece}, token {id}.
    why: The text is lost.
    log: {text} → {piece} {id}
    story: {text} is not a piece: it becomes {piece}, token {id}.

JOINED: unknown
    look: byte ring 70
    lines: 4 5
    say: {text} is not a piece either: it joins the {piece} before it.
    why: A run of unknown text is one token.
    log: {text} joins {piece}
    story: {text} is not a piece either: it joins the {piece} before it.

BYTE: byte
    look: byte dot 70 landmark
    lines: 2 3
    fields: text:q piece:q id:t byte
    say: {text} is not a piece: its byte {byte} becomes {piece}, token {id}.
    why: Byte fallback loses nothing.
    log: byte {piece} {id}
    story: {text} is not a piece: its byte {byte} becomes {piece}, token {id}.

BYTE_VALUE: byte
    look: token dot 70 landmark
    lines: 1
    fields: text:q piece:q id:t byte
    say: Byte {byte} of {text} is {piece}: its value gives token {id}.
    log: byte {piece} {id}
    story: Byte {byte} of {text} is {piece}: token {id}.
    story_why: The id of a byte is its value plus a constant.

LOST like UNKNOWN
    lines: 2

CODE_POINT like FOUND
    say: The code point of {text} is its id: token {id}.
    story: {text} becomes token {id}.
    story_why: The id of a character is its Unicode number.
""",
    FOLLOW,
    fields="text:q piece:q id:t",
)
CODES: Mapping[type[Part], Sequence[str]] = {
    ByteValues: ("for each byte of the text's UTF-8:", "    output its value + a constant"),
    CodePoints: ("for each character of the text:", "    output its code point"),
    LookedUp: (
        "for each unit of the text, from the left:",
        "    if it is a piece: output its token",
        "    else: output the unknown token",
    ),
    WordLevel: ("for each word:", "    if it is a piece: output its token", "    else: output the unknown token"),
}
"""The code of the models that differ."""


def rows_of(event: CharWordRow | WordLevelRow) -> list[CharWordRow]:
    """The decisions of an event: a word of a WordLevel is a segment and its one unit."""
    if isinstance(event, CharWordRow):
        return [event]
    known = CharWordEvent.FOUND if event.kind == WordLevelEvent.KNOWN else CharWordEvent.UNKNOWN
    segment = CharWordRow(CharWordEvent.SEGMENT, event.place, event.size, -1)
    return [segment, CharWordRow(known, 0, event.size, event.token)]


class LookupScript(ModelScript[Fragment]):
    """One pass over the events.

    >>> from explorer.engine.part import Segment
    >>> from explorer.engine.models.lookup import CharWord, characters
    >>> from explorer.engine.part import Options
    >>> from explorer.engine.part import Events
    >>> from explorer.script.script import Window
    >>> v, events = Vocabulary.of([b"<unk>", b"a"], kinds=[2, 1]), Events(CharWordRow)
    >>> part, before = CharWord(v, 0, characters({})), [Segment.of("ab")]
    >>> stage = Stage("model", part, before, part.run(before, Options(), events.emit), events)
    >>> LookupScript.of(stage, v, Window(0, 2, 0, 2)).sentence(2)
    '“b” is not a piece: it becomes “<unk>”, token 0. The text is lost.'
    """

    def prepare(self) -> None:
        kinds = KINDS
        if isinstance(self.stage.part, LookedUp | WordLevel):
            kinds = KINDS | {CharWordEvent.UNKNOWN: replace(KINDS[CharWordEvent.UNKNOWN], lines=(2,))}
        self.builder = ScriptBuilder.laid_out(
            "lookup",
            kinds=kinds,
            tracks=(self.strip("Characters", "one cell per code point"), self.output("No tokens yet.")),
            roles=ROLES,
            code=CODES.get(type(self.stage.part), CODE),
        )
        self.draw_segments(Fragment)
        self.number_groups()

    def write(self) -> Script:
        """The finished script."""
        builder = self.builder
        self.put_single_cells()
        builder.phase("Look-up")
        if self.cells:
            builder.put("cells", -1, 0)
            builder.begin("The text is cut into units before any of them is looked up.", lines=(0,))
        else:
            builder.begin("There is no text to look up.", "It is empty, or all of it is white space.")
        group = -1
        for builder.event, event in enumerate(self.stage.events):
            for self.row in rows_of(event):
                if self.row.kind == CharWordEvent.SEGMENT:
                    self.fragment = self.fragments[self.row.start]
                    self.pass_tokens(self.row.start)
                    group += bool(self.fragment.drawn())
                    if group > 0 and self.fragment.drawn():
                        builder.put("cells", -1, group)
                elif self.fragment.holds(self.row.start) and self.fragment.holds(self.row.end - 1):
                    self._unit()
        self.follow()
        return builder.script()

    def _unit(self) -> None:
        """The step of one unit, or of its next byte."""
        fragment, row = self.fragment, self.row
        cells, text = range(row.start, row.end), fragment.segment.text[row.start : row.end]
        values: Values = {"text": text, "piece": self.spelling(row.token), "id": str(row.token)}
        self.mark(cells, GONE if row.kind == CharWordEvent.UNUSED else UNIT)
        if row.kind != CharWordEvent.UNUSED:
            self.put_box(cells, row.token)
            joins = row.kind == CharWordEvent.JOINED
            self.put_out(row.token, fragment.starts[row.start], fragment.ends[row.end - 1], joins)
        if row.kind in (CharWordEvent.BYTE, CharWordEvent.BYTE_VALUE):
            values["byte"] = self.next_byte(row.start)
        self.builder.step(row.kind, **values)


class Units(Family[CharWord]):
    """The account of character and word models. A unit is a code point."""

    puts_out = (
        *(CharWordEvent.FOUND, CharWordEvent.UNKNOWN, CharWordEvent.BYTE, CharWordEvent.BYTE_VALUE),
        *(CharWordEvent.CODE_POINT, CharWordEvent.LOST),
    )
    joins = CharWordEvent.JOINED

    def text(self, made: Made) -> str:
        """The text of a token's units."""
        return self.speller.text(self.fragment(made).segment.text[made.start : made.end])

    def size(self, made: Made) -> int:
        """The number of bytes of a token's units."""
        return len(self.fragment(made).segment.text[made.start : made.end].encode())

    def account(self, made: Made, token: TokenText) -> Account:
        """The look-up."""
        text = self.text(made)
        if made.kind == CharWordEvent.FOUND:
            return Account(OriginKind.LOOKED_UP, Say("{0:q} is a piece: token {1:i}.", text, token.id))
        if made.kind == CharWordEvent.CODE_POINT:
            says = Say("The code point of {0:q} is its id: token {1:i}.", text, token.id)
            return Account(OriginKind.LOOKED_UP, says)
        if made.kind not in (CharWordEvent.BYTE, CharWordEvent.BYTE_VALUE):
            return unknown(text, token)
        which, count = self.byte_number(made), self.size(made)
        says = of_byte(text, token.text, which, count, token.id)
        if made.kind == CharWordEvent.BYTE_VALUE:
            template = "Byte {0} of the {1} of {2:q} is {3:q}: its value gives token {4:i}."
            says = Say(template, which, count, text, token.text, token.id)
        return Account(OriginKind.BYTE, says)

    def cut_account(self, pair: MadePair, left: TokenText, right: TokenText) -> CutAccount:
        """A unit ends, or two bytes of one unit meet."""
        one, other = pair
        text = self.fragment(one).segment.text[one.start : other.end]
        shown = self.speller.text(text)
        joined = self.joined(text.encode(), shown)
        if (one.start, one.end) == (other.start, other.end):
            says = of_bytes(shown, self.size(one))
            if one.kind == CharWordEvent.BYTE_VALUE:
                template = "This model has a token for each byte: {0:q} becomes one token for each of its {1} bytes."
                says = Say(template, shown, self.size(one))
            return CutAccount(CutCause.BYTES, says, one.event, joined)
        if one.kind in (CharWordEvent.BYTE_VALUE, CharWordEvent.CODE_POINT):
            says = Say("Every character has ids of its own: nothing is looked up or merged.")
        elif self.model.unit_ends is words:
            says = Say("A word begins at each ▁, whatever the vocabulary has.")
        else:
            says = Say("Every character is looked up by itself, whatever longer pieces the vocabulary has.")
        return CutAccount(CutCause.UNITS, says, other.event, joined)

    def is_piece(self, units: Sequence[bytes]) -> bool:
        """Whether a unit with this spelling becomes its token."""
        token = self.vocabulary.ids.get(b"".join(units))
        return token is not None and self.vocabulary.kinds[token] in (PieceKind.NORMAL, PieceKind.USER_DEFINED)


class Words(Family[WordLevel]):
    """The account of WordLevel: every pre-token is one token."""

    openings = puts_out = frozenset(WordLevelEvent)

    def outputs(self, fragment: SegmentEvents) -> Iterable[Made]:
        """The one token of a word."""
        row = self.events[fragment.first]
        return [Made(row.token, fragment.item, fragment.first, row.kind, 0, row.size)]

    def account(self, made: Made, token: TokenText) -> Account:
        """The look-up."""
        text = self.speller.text(self.fragments[made.item].segment.text)
        if made.kind == WordLevelEvent.KNOWN:
            said = Say("{0:q} is a piece as a whole: token {1:i}.", text, token.id)
            return Account(OriginKind.LOOKED_UP, said)
        said = Say("{0:q} is not a piece: it becomes {1:q}. Its text is lost.", text, token.text)
        return Account(OriginKind.UNKNOWN, said, lost=text)

    def cut_account(self, pair: MadePair, left: TokenText, right: TokenText) -> CutAccount:
        """Never asked: a word is one token."""
        raise AssertionError("a word is one token")


def clause(model: Model) -> str:
    """What a model that doesn't use the vocabulary to cut does."""
    if isinstance(model, ByteValues):
        return "numbers each byte by its value"
    if isinstance(model, CodePoints):
        return "numbers each character by its code point"
    return "looks each character or word up"


def word_level_result(trace: Trace, stage: Stage, vocabulary: Vocabulary) -> Say:
    """How many words were looked up, and how many are unknown."""
    words, unknown = len(stage.events), kinds_of(stage).count(WordLevelEvent.UNKNOWN)
    if not words:
        return Say("There is no word to look up.")
    looked_up = plural(words, "word is", "words are")
    if unknown:
        return Say("{0:t} looked up, of which {1:t} unknown.", looked_up, plural(unknown, "is", "are"))
    return Say("{0:t} looked up and found.", looked_up)


UNITS = ModelKind(
    title="Look-up",
    purpose="The text is cut into characters or words without using the vocabulary, and each is looked up whole.",
    name="Look-up",
    script=LookupScript.of,
    account=Units,
    clause=clause,
)
WORDS = replace(
    UNITS,
    title="Words looked up",
    purpose="Each word is looked up whole: it is a piece, or it becomes the unknown token.",
    result=word_level_result,
    account=Words,
    clause=lambda model: "looks each word up",
    whole_words=True,
    in_file="WordLevel",
    required=("vocab", "unk_token"),
)
