"""A border between two texts: what it does to the ids, which token stands across it and why; every border of a text.

Both parts are tokenized as texts of their own, as a program does that encodes a prompt and a completion separately: a
SentencePiece model puts a space in front of the right part, too. To say what joined both sides of a border, only the
part of the text is traced that the model got in one piece, so a border in a long text costs no more than in a short
one where the text is cut before the model.

Also whether some ids occur within others, and in which sequences of tokens a stop string can occur. Programs look for
ids in ids: a response template in a training text, a stop sequence in an answer. The text is there and the ids are
not where a token reaches over its end: in many vocabularies a colon and a line break are one token. A program that
compares only the ids of a stop string misses all others. Every way is found by the vocabulary alone: the token in
which the string begins ends with some of its bytes, tokens within it spell the next ones, and the one in which it
ends begins with the rest. Whether text ever gives such a sequence is not asked: a model may output any. Compares
bytes that tokens decode to alone, so spaces that a decoder puts between words (WordPiece) are left out.

What a border means, as sentences and as an export: a headline, what is across it, why, the last cut that holds, and
what sending both parts as they are costs. The export has the same, with all ids.

Nothing claims that only some token can follow: smaller tokens nearly always spell the same text, too.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import accumulate, islice
from typing import NamedTuple, cast

from explorer.analysis.boundary.followers import (
    Boundary,
    BoundaryCause,
    Crossing,
    Followers,
    LoneSpace,
    OpenEnd,
    StableCut,
    TokensByText,
    check_length,
    composed,
    composes,
    followers,
    text_tokens,
    tokens_by_text,
)
from explorer.analysis.divergence.changes import points
from explorer.analysis.expected.expected_ids import characters_of, laid_out
from explorer.analysis.export import COLUMNS, Export, Provenance, Table, escaped, picked, plain_values, table
from explorer.analysis.ownership import common
from explorer.analysis.why import THIS
from explorer.engine import budget
from explorer.engine.budget import asking, many_runs
from explorer.engine.part import AnyEvents, Events, Model, Options, Segment, TextTokens, Token, silent
from explorer.engine.tokenizer import Stage, Trace, rerun_stage
from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.stages.spelling import Form, Speller, plain_bytes
from explorer.stages.stage import CrossingAccount, OriginKind, TokenText
from explorer.stages.table import model_kind
from explorer.tables import Record, read_toml
from explorer.text import clean
from explorer.text.say import Say, listed, number, plain, plural
from explorer.vocabulary import SPACE_MARK, PieceKind, printable

TOGETHER = 2_000_000
"""About the most characters that are tokenized for all borders together: a second or two."""


class Borders(NamedTuple):
    """The borders at the offsets [first, first + len(keeps)). keeps: 1 for each that keeps the ids."""

    first: int
    keeps: bytes

    @property
    def kept(self) -> int:
        """How many keep the ids."""
        return self.keeps.count(1)

    @property
    def offsets(self) -> Iterator[int]:
        """The offsets of those that keep the ids."""
        return (self.first + index for index, keeps in enumerate(self.keeps) if keeps)


def borders(
    tokenizer: Opened, text: str, *, around: int = 0, parse_special: bool = True, together: int = TOGETHER
) -> Borders:
    """Which borders of a text keep the ids. Of a long text, those nearest to `around`.

    together: about the most characters that are tokenized for all of them.

    >>> import explorer
    >>> found = borders(explorer.load("gpt-2"), "https://example.org")
    >>> len(found.keeps), list(found.offsets)
    (18, [5, 8, 15, 16])
    """
    text = clean(text)
    check_length(text)
    count = len(text) - 1
    if count < 1:
        return Borders(1, b"")
    most = min(count, max(1, together // len(text)))
    first = min(max(1, around - most // 2), count + 1 - most)
    with many_runs("the borders", len(text)):
        whole = ids_of(tokenizer, text, parse_special)
        keeps = bytearray()
        for at in range(first, first + most):
            budget.ask("the borders")
            left = ids_of(tokenizer, text[:at], parse_special)
            same = whole[: len(left)] == left and whole[len(left) :] == ids_of(tokenizer, text[at:], parse_special)
            keeps.append(same)
        return Borders(first, bytes(keeps))


def ids_of(tokenizer: Opened, text: str, parse_special: bool) -> list[int]:
    """The ids of a text, without those added around it."""
    return tokenizer.encode(text, add_special=False, parse_special=parse_special).ids


def why_crossing(trace: Trace, number: int, at: int, *, tokenizer_label: str, form: Form) -> CrossingAccount | None:
    """What joined the two sides of a border into token `number` of a trace; None where no stage before the output did.

    at: an offset within the token. The trace may be lazy.

    >>> import explorer
    >>> from explorer.text.say import plain
    >>> trace = explorer.load("gpt-2").trace_lazily("https://example.org")
    >>> plain(why_crossing(trace, 1, 6, tokenizer_label="GPT-2", form=Form.NOTATION).sentence)
    '“:” + “//” is merge 1,123 of GPT-2.'
    """
    speller = Speller(trace, form)
    model = [stage.name for stage in trace.stages].index("model")
    token, stage = trace.encoding.tokens[number], trace.stages[model]
    shown = speller.token(token.id)
    for item in stage.before:
        if isinstance(item, Token):
            if item == token:
                says = Say("{0:q} is found in the text as a whole, before the model runs.", shown)
                return CrossingAccount(OriginKind.SPECIAL, says)
            continue
        if not (item.text and item.starts[0] < at < item.ends[-1]):
            continue
        alone = alone_stage(stage, item, trace)
        family = model_kind(cast(Model, stage.part)).account(
            Trace(trace.text, trace.options, (*trace.stages[:model], alone), trace.encoding),
            model,
            speller,
            tokenizer_label,
        )
        after = [each for each in alone.after if isinstance(each, Token)]
        if token not in after:
            continue
        made = family.made[after.index(token)]
        text = TokenText(number, token.id, shown, speller.vocabulary.spelling(token.id), token.start, token.end)
        border = next(index for index, end in enumerate(item.ends) if end > at)
        if item.starts[border] < at:
            span = item.starts[border], item.ends[border]
            # one character may be spelled as several, one for each of its bytes
            made_of = zip(item.text, item.starts, item.ends, strict=True)
            spelled = "".join(ch for ch, start, end in made_of if (start, end) == span)
            becomes = speller.spelling.plain(spelled.encode()).decode("utf-8", "replace")
            says = Say("{0:t} becomes {1:t} before the model runs.", points(trace.text[slice(*span)]), points(becomes))
            return CrossingAccount(None, says)
        return family.crossing(made, text, border)
    return None


def alone_stage(stage: Stage, item: Segment, trace: Trace) -> Stage:
    """The model's stage with one of its segments; its events are computed when they are asked for."""
    after = tuple(stage.part.run((item,), trace.options, silent))
    later: AnyEvents = Events.later(
        stage.part.row, partial(rerun_stage, stage.part, (item,), trace.options, len(item.text))
    )
    return Stage(stage.name, stage.part, (item,), after, later)


CAUSES: Mapping[str, str] = read_toml(__file__, "causes.toml")
"""By how a token across the border came about, why the border changes ids."""


def boundary(
    tokenizer: Opened, left: str, right: str = "", *, parse_special: bool = True, label: str = THIS
) -> Boundary:
    """What a border between two texts does to the ids.

    label: how sentences name the tokenizer. Raises InputError for texts that are too long or unusable.

    >>> import explorer
    >>> from explorer.text.say import plain
    >>> found = boundary(explorer.load("gpt-2"), "https:", "//example.org", label="GPT-2")
    >>> found.left_ids, found.right_ids, found.ids
    ([5450, 25], [1003, 20688, 13, 2398], [5450, 1378, 20688, 13, 2398])
    >>> found.keeps, found.stable.kept, found.stable.drop, found.stable.followers.total
    (False, 1, (25,), 16)
    >>> plain(found.say)
    '“:” + “//” is merge 1,123 of GPT-2. With the cut between them, the two never meet.'
    """
    left, right = clean(left), clean(right)
    return boundary_at(tokenizer, left + right, len(left), parse_special=parse_special, label=label)


def boundary_at(
    tokenizer: Opened, text: str, at: int, *, parse_special: bool = True, label: str = THIS, form: Form = Form.NOTATION
) -> Boundary:
    """The same for an offset of a text. form: how sentences write tokens."""
    text = clean(text)
    check_length(text)
    if not isinstance(at, int) or isinstance(at, bool) or not 0 <= at <= len(text):
        raise InputError(f"the offset {at!r} is not in the text, whose offsets are 0 to {len(text)}")
    with many_runs("a border", len(text)):
        return _Border(tokenizer, text, at, parse_special, label, form).answer()


class _Border:
    """One border, and the tokens on both sides."""

    def __init__(self, tokenizer: Opened, text: str, at: int, parse_special: bool, label: str, form: Form) -> None:
        self.tokenizer, self.text, self.at, self.label, self.form = tokenizer, text, at, label, form
        self.trace: Trace = tokenizer.trace_lazily(text, add_special=False, parse_special=parse_special)
        self.whole: TextTokens = self.trace.encoding.tokens
        self.left = text_tokens(tokenizer, text[:at], parse_special)
        self.right_trace = tokenizer.trace_lazily(text[at:], add_special=False, parse_special=parse_special)
        self.right: TextTokens = tuple(
            token if token.start < 0 else Token(token.id, token.start + at, token.end + at)
            for token in self.right_trace.encoding.tokens
        )

    def answer(self) -> Boundary:
        """The answer."""
        ids = [token.id for token in self.whole]
        keeps = [token.id for token in (*self.left, *self.right)] == ids
        if keeps:
            kept = len(self.left), len(self.right)
        else:
            front = common(self.left, self.whole)
            kept = front, common(self.right[::-1], self.whole[front:][::-1])
        crossings = tuple(self.crossings())
        cause, say = (BoundaryCause.NONE, NOTHING) if keeps else self.cause(crossings, *kept)
        return Boundary(
            self.text, self.at, self.whole, self.left, self.right, *kept, crossings, cause, say,
            self.stable(kept[0]), self.lone_space(),
        )  # fmt: skip

    def crossings(self) -> Iterator[Crossing]:
        """The tokens of the whole text that have characters on both sides."""
        for index, token in enumerate(self.whole):
            if token.start < self.at < token.end:
                why = why_crossing(self.trace, index, self.at, tokenizer_label=self.label, form=self.form)
                if why is None:
                    yield Crossing(index, token, BoundaryCause.NORMALIZER, MADE_OF_BOTH)
                else:
                    cause = BoundaryCause(CAUSES[why.how or "normalized"])
                    yield Crossing(index, token, cause, why.sentence, tuple(why.steps), why.parts)

    # --- why --------------------------------------------------------------------------------------------------------

    def cause(self, crossings: Sequence[Crossing], front: int, back: int) -> tuple[BoundaryCause, Say]:
        """Why the border changes ids."""
        if crossings:
            cause, say = crossings[0].cause, crossings[0].say
            if cause is BoundaryCause.MERGE and crossings[0].parts != ("", ""):
                say = say.then(Say("With the cut between them, the two never meet."))
            return cause, say
        # nothing is across the border: a part alone is read differently
        if front == len(self.left) and self.gets_space():
            return BoundaryCause.PREFIX, Say("The right part, as a text of its own, gets a space in front.")
        parse = self.trace.options.parse_special
        left = self.tokenizer.trace_lazily(self.text[: self.at], add_special=False, parse_special=parse)
        parts, whole = (
            [
                item.text if isinstance(item, Segment) else item.id
                for each in traces
                for item in each.stage("model").before
            ]
            for traces in ((left, self.right_trace), (self.trace,))
        )
        if [*chars(parts)] != [*chars(whole)]:
            return BoundaryCause.NORMALIZER, Say("Before the model runs, both sides together become other characters.")
        if parts != whole:
            return BoundaryCause.PRE_TOKENIZER, Say(
                "Without the other side, the text is cut elsewhere before the model."
            )
        return BoundaryCause.CONTEXT, Say("The model makes other tokens of a part than of the whole text.")

    def gets_space(self) -> bool:
        """Whether the right part gets a space in front that it does not have."""
        before = self.right_trace.stage("model").before
        first = before[0] if before else None
        return isinstance(first, Segment) and leading(first.text) > leading(self.right_trace.text)

    # --- healing ----------------------------------------------------------------------------------------------------

    def stable(self, kept: int) -> StableCut:
        """The last cut that holds."""
        dropped = self.left[kept:]
        drop = tuple(token.id for token in dropped)
        ends = [token.end for token in self.left[:kept] if token.start >= 0]
        at = ends[-1] if ends else 0
        kinds = self.tokenizer.vocabulary.kinds
        if any(kinds[id] == PieceKind.UNKNOWN for id in drop):
            # the text is lost: nothing that the model outputs brings it back
            return StableCut(kept, drop, self.text[at : self.at].encode(), at, None)
        data = b"".join(map(self.tokenizer.token_bytes, drop))
        return StableCut(kept, drop, data, at, followers(self.tokenizer, drop) if drop else None)

    def lone_space(self) -> LoneSpace | None:
        """A space at the end of the left part that is a token of its own, while other tokens begin with one."""
        left = self.text[: self.at]
        if not left.endswith(" ") or not self.left:
            return None
        id = self.left[-1].id
        if self.tokenizer.token_bytes(id) != b" ":
            return None
        spaced = tokens_by_text(self.tokenizer).spaced
        return LoneSpace(id, spaced) if spaced else None


SPACES = f" {SPACE_MARK}{printable(b' ')}"
"""A space, and what vocabularies write for one."""

NOTHING = Say("Both parts are tokenized as they are in the whole text.")
MADE_OF_BOTH = Say("A stage before the model makes one text of both sides.")


def leading(text: str) -> int:
    """How many spaces a text begins with, however they are spelled."""
    return len(text) - len(text.lstrip(SPACES))


Piece = str | int
"""What the model gets of an item: a text, or the id of a token that is found already."""


def chars(pieces: Sequence[Piece]) -> Iterator[Piece]:
    """The characters and tokens, without the cuts between them."""
    for each in pieces:
        yield from (each,) if isinstance(each, int) else each


MOST = 100
"""The most places that are listed."""

MOST_IDS = 1_000_000
"""The most ids that are searched."""


class Occurrence(NamedTuple):
    """A place where the text of the wanted ids is, and their ids are not.

    first, last: the ids [first, last) that spell it. before, after: the bytes of the first id before the text, and of
    the last id after it; both empty if the text is cut otherwise.
    """

    first: int
    last: int
    before: bytes
    after: bytes


class Within(NamedTuple):
    """Whether ids occur within others.

    found: the indices at which they do. near: where only their text occurs, at most `MOST` places. text: theirs.
    without_space: the text occurs without the space it begins with, which the tokenizer put in front of it.
    """

    wanted: tuple[int, ...]
    ids: tuple[int, ...]
    text: bytes
    found: tuple[int, ...]
    near: tuple[Occurrence, ...]
    without_space: bool


def within(tokenizer: Opened, wanted: Sequence[int], ids: Sequence[int]) -> Within:
    """Whether `wanted` occurs in `ids`, and if not, why.

    Raises InputError for an empty list, for too many ids, and for one outside the vocabulary.

    >>> import explorer
    >>> tok = explorer.load("cl100k_base")
    >>> found = within(tok, tok.encode("Assistant:").ids, tok.encode("Assistant:\\n\\nHi").ids)
    >>> found.found, [(each.first, each.last, each.after) for each in found.near]
    ((), [(0, 2, b'\\n\\n')])
    """
    if not wanted:
        raise InputError("the list of ids to look for is empty; give at least one")
    for given in (wanted, ids):
        if len(given) > MOST_IDS:
            raise InputError(f"{number(len(given))} ids are too many; give up to {number(MOST_IDS)}")
    with many_runs("a search", len(ids)):
        found = tuple(islice(places(wanted, ids), MOST))
        text, parts = b"".join(map(tokenizer.token_bytes, wanted)), list(map(tokenizer.token_bytes, ids))
        near = () if found else tuple(islice(spelled(text, parts), MOST))
        shorter = not found and not near and text[:1] == b" "
        if shorter:
            near = tuple(islice(spelled(text[1:], parts), MOST))
        return Within(tuple(wanted), tuple(ids), text, found, near, bool(shorter and near))


class OnText(NamedTuple):
    """Wanted ids where they or their text occur first, on the text that all ids decode to.

    tokens: of all ids. wanted: those of the wanted ids; none if not even their text occurs.
    """

    text: str
    tokens: TextTokens
    wanted: TextTokens


def on_text(tokenizer: Opened, found: Within) -> OnText:
    """Where the wanted ids, or their text, would be among the ids.

    >>> import explorer
    >>> tok = explorer.load("cl100k_base")
    >>> on_text(tok, within(tok, tok.encode("a:").ids, tok.encode("a:\\n").ids)).wanted
    (Token(id=64, start=0, end=1), Token(id=25, start=1, end=2))
    """
    parts, own = list(map(tokenizer.token_bytes, found.ids)), list(map(tokenizer.token_bytes, found.wanted))
    data = b"".join(parts)
    of = characters_of(data)
    tokens = laid_out(tokenizer, found.ids, parts, of)
    text = data.decode("utf-8", "replace")
    if not found.found and not found.near:
        return OnText(text, tokens, ())
    first = found.found[0] if found.found else found.near[0].first
    offset = sum(map(len, parts[:first])) + (0 if found.found else len(found.near[0].before))
    ids = found.wanted
    if found.without_space:
        own[0] = own[0].removeprefix(b" ")
        if not own[0]:
            ids, own = ids[1:], own[1:]
    return OnText(text, tokens, laid_out(tokenizer, ids, own, of[offset : offset + sum(map(len, own))]))


def places(wanted: Sequence[int], ids: Sequence[int]) -> Iterator[int]:
    """The indices at which a list occurs in another. Each id becomes a character: `str.find` never takes a square.

    >>> list(places([1, 1], [1, 1, 1, 2]))
    [0, 1]
    """
    letters = {id: chr(index) for index, id in enumerate(dict.fromkeys(wanted), 1)}
    data, text = "".join(letters[id] for id in wanted), "".join(letters.get(id, "\0") for id in ids)
    at = text.find(data)
    while at >= 0:
        yield at
        at = text.find(data, at + 1)


def spelled(text: bytes, parts: Sequence[bytes]) -> Iterator[Occurrence]:
    """Where a text occurs in the joined bytes of tokens."""
    if not text:
        return
    data, ends = b"".join(parts), list(accumulate(map(len, parts)))
    at = data.find(text)
    while at >= 0:
        end = at + len(text)
        first, last = bisect_right(ends, at), bisect_right(ends, end - 1) + 1
        start = ends[first] - len(parts[first])
        yield Occurrence(first, last, data[start:at], data[end : ends[last - 1]])
        at = data.find(text, at + 1)


LONGEST = 1_000
"""The most bytes of a stop string."""


class Beginning(NamedTuple):
    """The tokens that end with the first bytes of a stop string.

    taken: how many bytes. exact: ids of tokens that are these bytes. inside: ids of longer tokens, in which the string
    begins inside.
    """

    taken: int
    exact: tuple[int, ...]
    inside: tuple[int, ...]


class StopString(NamedTuple):
    """A stop string.

    ids: what the tokenizer gives for it alone. contain: ids of tokens that have all of it within. beginnings: by how
    many bytes of it a token ends with. sequences: how many sequences of tokens contain it, from the token in which it
    begins to the one in which it ends. fewest: one of the shortest of several tokens; empty if there are none.
    """

    text: str
    ids: tuple[int, ...]
    contain: tuple[int, ...]
    beginnings: tuple[Beginning, ...]
    sequences: int
    fewest: tuple[int, ...]

    @property
    def inside(self) -> int:
        """How many tokens it can begin inside of, those that have all of it after their first byte included."""
        return len({id for each in self.beginnings for id in each.inside} | set(self.contain))


def stop_string(tokenizer: Opened, text: str, *, parse_special: bool = True) -> StopString:
    """Raises InputError for a string that is empty, too long or unusable.

    >>> import explorer
    >>> found = stop_string(explorer.load("gpt-2"), "\\n\\n")
    >>> found.ids, len(found.contain), found.fewest
    ((628,), 1, (198, 198))
    """
    text = clean(text)
    data = text.encode()
    if not 0 < len(data) <= LONGEST:
        raise InputError(f"a stop string has 1 to {number(LONGEST)} bytes, and this one has {number(len(data))}")
    with many_runs("a stop string", len(text)):
        tokens = tokens_by_text(tokenizer)
        pairs = zip(asking(tokens.data, "the vocabulary"), tokens.ids, strict=True)
        contain = tuple(sorted(id for each, id in pairs if data in each))
        beginnings = []
        for taken in range(1, min(len(data), tokens.longest + 1)):
            exact = set(tokens.spelled(data[:taken]))
            found = tokens.end(data[:taken])
            if found:
                inside = tuple(id for id in found if id not in exact)
                beginnings.append(Beginning(taken, tuple(sorted(exact)), inside))
        counts, steps = completions(data, tokens)
        sequences = len(contain)
        fewest: tuple[int, ...] = ()
        for each in beginnings:
            sequences += (len(each.exact) + len(each.inside)) * counts[each.taken]
            rest = steps[each.taken]
            if rest and (not fewest or len(rest) + 1 < len(fewest)):
                fewest = ((each.exact or each.inside)[0], *rest)
        return StopString(
            text, tuple(ids_of(tokenizer, text, parse_special)), contain, tuple(beginnings), sequences, fewest
        )


def completions(data: bytes, tokens: TokensByText) -> tuple[list[int], list[tuple[int, ...]]]:
    """By offset of a text, in how many ways tokens spell the rest, and a shortest one. The last token may go on."""
    counts = [0] * len(data)
    shortest: list[tuple[int, ...]] = [()] * len(data)
    for at in range(len(data) - 1, 0, -1):
        last = tokens.begin(data[at:])
        counts[at] = len(last)
        if last:
            shortest[at] = ((tokens.spelled(data[at:]) or last)[0],)
        for end in range(at + 1, min(len(data), at + tokens.longest + 1)):
            same = tokens.spelled(data[at:end]) if counts[end] else []
            if same:
                counts[at] += len(same) * counts[end]
                if not shortest[at] or len(shortest[end]) + 1 < len(shortest[at]):
                    shortest[at] = (same[0], *shortest[end])
    return counts, shortest


# --- what is said of it -----------------------------------------------------------------------------------------------


SHOWN = 3
"""Tokens that a sentence names."""


class Sentences:
    """The sentences about one border. label: how they name the tokenizer. speller: of the tokenizer in this form."""

    def __init__(
        self, tokenizer: Opened, found: Boundary, label: str, form: Form = Form.NOTATION, speller: Speller | None = None
    ) -> None:
        self.tokenizer, self.found, self.label, self.form = tokenizer, found, label, form
        self.speller = speller or Speller(tokenizer.trace(""), form)

    def token(self, id: int) -> str:
        """A token for people."""
        return self.speller.token(id)

    def spelled(self, data: bytes) -> str:
        """Bytes for people."""
        return plain_bytes(data, self.form.value or " ")

    @property
    def takes_space(self) -> bool:
        """Whether a token of the whole text has the lone space at the end of the left part."""
        return self.found.lone_space is not None and bool(self.found.crossings)

    @property
    def headline(self) -> Say:
        """What the border does."""
        found = self.found
        if found.keeps:
            if len(found.whole) < 2:
                return Say("Cut here, the one id stays." if found.whole else "There are no ids that could change.")
            return Say("Cut here, all {0} ids stay.", len(found.whole))
        if self.takes_space:
            return Say("The left part ends in a lone space.")
        gone, instead = len(found.gone), len(found.instead)
        if not gone:
            return Say("Cut here, there is {0} token more.", instead, many="Cut here, there are {0} tokens more.")
        if not instead:
            return Say("Cut here, {0} token is lost.", gone, many="Cut here, {0} tokens are lost.")
        others = plural(instead, "other")
        return Say("Cut here, {0} token becomes {1:t}.", gone, others, many="Cut here, {0} tokens become {1:t}.")

    @property
    def across(self) -> Say:
        """Which tokens of the whole text have text on both sides."""
        found = self.found
        if not found.crossings:
            char = composed(found.text, found.at) if found.cause is BoundaryCause.NORMALIZER else ""
            if char and composes(self.tokenizer):
                return Say("A stage before the model makes one character, {0:q}, of both sides.", char)
            return Say("Nothing stands across the cut.")
        texts = [self.token(each.token.id) for each in found.crossings]
        if self.takes_space:
            return Say("With the right part after it, the space belongs to {0:q}.", texts[0])
        stands = "stands" if len(texts) == 1 else "stand"
        return Say(f"{{0}} {stands} across the cut.", listed(texts, SHOWN))

    @property
    def why(self) -> Say:
        """Why the ids change."""
        found = self.found
        if found.lone_space is None or not self.takes_space:
            return found.say
        return found.say.then(Say("Alone, the space is token {0:i}.", found.lone_space.id))

    @property
    def healing(self) -> Say:
        """The last cut that holds."""
        stable = self.found.stable
        if not stable.drop:
            return Say("This one, for the left part: all its ids stay." if not self.found.keeps
                       else "This one. Nothing has to be dropped.")  # fmt: skip
        where = Say("At the start.")
        if stable.kept:
            where = Say("After {0:q}.", self.token(self.found.left[stable.kept - 1].id))
        says = where.then(self.drop(stable.drop, stable.text, stable.followers))
        if self.missing is None:
            return says
        return says.then(Say("{0:q}, which the whole text has there, is not among them.", self.token(self.missing)))

    @property
    def missing(self) -> int | None:
        """The id that the whole text has after the last cut that holds, if none of the tokens that may follow is it.

        It is made before the model runs: a special token, or a character composed of both sides.
        """
        found, followers = self.found, self.found.stable.followers
        following = [token.id for token in found.whole[found.stable.kept :][:1]]
        if followers is None or not followers.total or not following or not found.right:
            return None
        return None if following[0] in (*followers.begin, *followers.shorter) else following[0]

    def drop(self, ids: Sequence[int], text: bytes, followers: Followers | None) -> Say:
        """What to drop, and among how many tokens the model may choose then."""
        if len(ids) == 1:
            drop = Say("Drop token {0:i} {1:q}", ids[0], self.token(ids[0]))
        else:
            drop = Say("Drop {0} tokens, which spell {1:q}", len(ids), self.spelled(text))
        if followers is None or not followers.total:
            return Say("{0}.", drop)
        if not followers.begin:
            spell = plural(len(followers.shorter), "token spells", "tokens spell")
            return Say("{0}. No token begins with it; {1:t} its beginning.", drop, spell)
        what = "a space" if text == b" " else "it"
        that_begin = plural(len(followers.begin), "token that begins", "tokens that begin")
        choose = Say(f"{{0}}, then let the model choose among the {{1:t}} with {what}", drop, that_begin)
        if followers.shorter:
            spell = plural(len(followers.shorter), "more that spells", "more that spell")
            return Say("{0}, and {1:t} its beginning.", choose, spell)
        return Say("{0}.", choose)

    @property
    def examples(self) -> list[str]:
        """A few of the tokens that may follow, for people: those that go on, common ones first."""
        followers = self.found.stable.followers
        if followers is None or self.missing is not None:
            return []
        dropped = self.found.stable.drop
        return [self.token(id) for id in islice((each for each in followers.begin if (each,) != dropped), SHOWN)]

    @property
    def sent(self) -> Say:
        """What sending both parts as they are costs."""
        found = self.found
        if found.keeps:
            return Say("The model reads what it reads of the whole text.")
        last = ", ".join(str(id) for id in found.left_ids[-SHOWN:])
        more = "… " if len(found.left) > SHOWN else ""
        says = Say("The model gets {0:t}.", more + last) if last else Say("The model gets no token before the cut.")
        if found.cause is BoundaryCause.PREFIX:
            return says.then(Say("Then comes a space that the text does not have. Encode both parts as one text."))
        if found.crossings:
            says = says.then(Say("{0:q} can no longer come.", self.token(found.crossings[0].token.id)))
        if not found.instead or self.spelled_in_whole():
            return says
        texts = [self.token(token.id) for token in found.instead]
        spelling = listed(texts, SHOWN)
        if len(texts) == 2:
            spelling = Say("{0:q} and then {1:q}", *texts)
        return says.then(Say("{0} is a spelling that {1:t} never gives this text.", spelling, self.label))

    def spelled_in_whole(self) -> bool:
        """Whether the ids at the border are no spelling that the text never has: they occur in it, or spell nothing."""
        kinds, ids = self.tokenizer.vocabulary.kinds, [token.id for token in self.found.instead]
        if any(kinds[id] == PieceKind.UNKNOWN for id in ids):
            return True
        whole = [token.id for token in self.found.whole]
        starts = (at for at, id in enumerate(whole) if id == ids[0])
        return any(whole[at : at + len(ids)] == ids for at in starts)


def several_say(keeps: Sequence[bool]) -> Say:
    """How many of several tokenizers keep their ids at a border. keeps: whether each does."""
    keep, count = sum(keeps), len(keeps)
    if count == 1:
        return Say("Cut here, the ids stay." if keep else "Cut here, the ids change.")
    if not keep:
        return Say("Cut here, the ids of all {0} tokenizers change.", count)
    if keep == count:
        return Say("Cut here, all {0} tokenizers keep their ids.", count)
    return Say("Cut here, {0} of {1} tokenizers keeps its ids.", keep, count,
               many="Cut here, {0} of {1} tokenizers keep their ids.")  # fmt: skip


def lone_space_say(id: int, tokens: int) -> Say:
    """What a text that ends in a lone space costs."""
    first = Say("This text ends in a lone space, token {0:i}.", id)
    return first.then(
        Say("{0:t} begin with a space and no longer fit after it: leave it out.", plural(tokens, "token"))
    )


def open_say(tokenizer: Opened, found: OpenEnd) -> Say:
    """Which ids of a text hold, whatever follows."""
    count, rest = len(found.tokens), found.tokens[found.fixed :]
    if not found.tokens:
        return Say("There are no ids that could change.")
    if not rest:
        return (
            Say("All {0} ids stay, whatever follows.", count)
            if count > 1
            else Say("The one id stays, whatever follows.")
        )
    speller = Speller(tokenizer.trace(""))
    texts = [speller.token(token.id) for token in rest]
    first = Say("Of {0:t}, {1:t} whatever follows.", plural(count, "id"), plural(found.fixed, "stays", "stay"))
    return first.then(Say("{0} may change.", listed(texts, SHOWN)))


def within_say(tokenizer: Opened, found: Within) -> Say:
    """Whether ids occur within others, and why not."""
    if found.found:
        first = Say("These ids occur, first at id number {0:i}.", found.found[0] + 1)
        return first if len(found.found) == 1 else first.then(Say("They occur {0} times.", len(found.found)))
    speller = Speller(tokenizer.trace(""))
    shown = plain_bytes(found.text)
    if not found.near:
        return Say("These ids do not occur, and neither does their text {0:q}.", shown)
    says = Say("These ids do not occur.")
    if found.without_space:
        says = says.then(Say("Their text {0:q} begins with a space that the tokenizer put in front.", shown))
    place = found.near[0]
    ids = found.ids[place.first : place.last]
    there = Say("Their text does, first at id number {0:i}, as {1}", place.first + 1,
                listed([speller.token(id) for id in ids], SHOWN))  # fmt: skip
    if place.after:
        return says.then(Say("{0}: {1:q} is one token and reaches past its end.", there, speller.token(ids[-1])))
    if place.before:
        return says.then(Say("{0}: {1:q} is one token and begins before it.", there, speller.token(ids[0])))
    return says.then(Say("{0} ({1:t}).", there, ", ".join(map(str, ids[:8]))))


def stop_say(found: StopString) -> Say:
    """In how many ways tokens can spell a stop string."""
    if found.sequences == 1:
        return Say("Only one sequence of tokens can contain this string.")
    return Say("{0} sequences of tokens can contain this string.", found.sequences)


def own_ids_say(found: StopString) -> Say:
    """What a program misses that looks for the stop string's own ids."""
    ids = Say(f"Alone it is {'token' if len(found.ids) == 1 else 'tokens'} {{0:t}}.", ", ".join(map(str, found.ids)))
    if not found.inside:
        return ids
    return ids.then(Say("It can begin inside {0:t}: then the first of these does not come.",
                        plural(found.inside, "token")))  # fmt: skip


def count_of(keeps: int, borders: int) -> str:
    """How many borders keep the ids, as words."""
    return f"{number(keeps)} of {number(borders)} keep the ids"


def boundary_export(
    tokenizers: Sequence[Opened], labels: Sequence[str], text: str | None, parse_special: bool,
    body: Callable[[], Record],
) -> Export:  # fmt: skip
    """An answer of one tokenizer or several. body: gives its own keys."""
    options = Options(add_special=False, parse_special=parse_special)
    return Export("boundary", Provenance.of(tokenizers, text, options, labels), body)


def border_export(tokenizers: Mapping[str, Opened], text: str, at: int, parse_special: bool) -> Export:
    """One border under each tokenizer, by the names that people call them: the command's answer, and a row for each.

    >>> import explorer
    >>> made = border_export({"GPT-2": explorer.load("gpt-2")}, "https://x", 6, True)
    >>> [row.split(",")[:4] for row in made.csv().splitlines()]
    [['tokenizer', 'at', 'keeps', 'cause'], ['GPT-2', '6', 'False', 'merge']]
    """

    @cache
    def found() -> list[Sentences]:
        return [
            Sentences(tok, boundary_at(tok, text, at, parse_special=parse_special, label=name), name)
            for name, tok in tokenizers.items()
        ]

    def rows() -> Table:
        table: Table = [COLUMNS["border"]]
        for each in found():
            border, stable = each.found, each.found.stable
            across = [crossing.token.id for crossing in border.crossings]
            ids = (" ".join(map(str, some)) for some in (border.ids, border.left_ids, border.right_ids, across))
            total = stable.followers and stable.followers.total
            drop = " ".join(map(str, stable.drop))
            table.append([each.label, border.at, border.keeps, border.cause.value, *ids, stable.kept, drop, total])
        return table

    def says() -> list[str]:
        if len(found()) == 1:
            return [line for name in SAYS for line in (escaped(plain(getattr(found()[0], name))), "")]
        cells = [[each.label, *(plain(getattr(each, name)) for name in ("headline", "across", "healing"))]
                 for each in found()]  # fmt: skip
        return table(["Tokenizer", "Cut here", "Across the border", "The last cut that holds"], cells)

    export = boundary_export(
        list(tokenizers.values()), list(tokenizers), text, parse_special,
        lambda: {"borders": [boundary_record(each) for each in found()]},
    )  # fmt: skip
    return replace(export, rows=rows, says=says, sides={"": "tokenizer"})


SAYS = "headline across why healing sent".split()
"""The sentences about a border."""


def boundary_record(sentences: Sentences) -> Record:
    """One border under one tokenizer."""
    found, stable = sentences.found, sentences.found.stable
    record: Record = plain_values({
        "tokenizer": sentences.label,
        **picked(found, "at", "keeps", "cause", "whole", "left", "right", "kept_left", "kept_right"),
        "crossings": [
            picked(each, "number", "cause", "parts") | {"id": each.token.id, "sentence": each.say, "steps": each.steps}
            for each in found.crossings
        ],
        "stable": picked(stable, "at", "kept", "drop") | {"bytes": stable.text, "followers": stable.followers},
        "lone_space": found.lone_space,
        "sentences": picked(sentences, *SAYS),
        "every": None,
    })  # fmt: skip
    return record


def borders_record(every: Borders) -> Record:
    """Every border."""
    return {"first": every.first, "count": len(every.keeps), "keep": list(every.offsets)}


def open_record(tokenizer: Opened, found: OpenEnd) -> Record:
    """Which ids of a text hold, whatever follows."""
    own = {"bytes": found.text, "followers": found.followers, "sentence": open_say(tokenizer, found)}
    record: Record = plain_values(picked(found, "tokens", "fixed") | own)
    return record


def within_record(tokenizer: Opened, found: Within) -> Record:
    """Whether ids occur within others."""
    own = {"bytes": found.text, "near": found.near, "sentence": within_say(tokenizer, found)}
    record: Record = plain_values(picked(found, "wanted", "ids", "found", "without_space") | own)
    return record
