"""What a border means, as sentences and as an export: a headline, what is across it, why, the last cut that holds, and
what sending both parts as they are costs. The export has the same, with all ids.

Nothing claims that only some token can follow: smaller tokens nearly always spell the same text, too.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice

from explorer.analysis.boundary.boundary import Borders, StopString, Within, boundary_at
from explorer.analysis.boundary.followers import Boundary, BoundaryCause, Followers, OpenEnd, composed, composes
from explorer.analysis.export import Export, Provenance, Table, escaped, picked, plain_values, table
from explorer.engine.part import Options
from explorer.implementations.opened import Opened
from explorer.stages.spelling import Form, Speller, plain_bytes
from explorer.tables import Record
from explorer.text.say import Say, listed, number, plain, plural
from explorer.vocabulary import PieceKind

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
        heading = "tokenizer at keeps cause whole left right across kept drop followers"
        table: Table = [[*heading.split()]]
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
