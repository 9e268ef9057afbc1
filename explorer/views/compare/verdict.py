"""What expected ids are, in one sentence, whether that is proved, and what to change where they come from.

A `Cause` is one thing that whoever made the ids did otherwise. It is read from what reproduces them (`Recipe`), so the
sentence says nothing about the program that made them: it gives these ids, whatever it did. A remedy has a box for
each program, from the cause alone. Names of settings are those of the programs' own documentation; a program that can't
be set has no box.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, Final, NamedTuple

from explorer.analysis.expected.answers import Explanation, Position, Reason
from explorer.analysis.expected.attempts import note_on
from explorer.analysis.what_if import Switch, adds_tokens, has_escapes, is_on, partitions
from explorer.engine.part import Options
from explorer.facts import listed
from explorer.implementations.opened import Opened
from explorer.opening.catalog import catalog
from explorer.stages.spelling import implementation_title, speller_of
from explorer.tables import read_toml
from explorer.text import escapes, unescape, visible
from explorer.text.say import Say, number, plural, visible_words
from explorer.views.compare.aligned import BOLD, FEWER, MORE, Line
from explorer.views.overview import as_text

LONGEST: Final = 80
"""Characters shown of the text that the ids spell."""
BEFORE: Final = 12
"""Characters shown before a cut."""


class Kind(StrEnum):
    """What is different where the ids come from."""

    PREFIX_OFF = "no space in front"
    PREFIX_ON = "a space in front"
    MISSING = "a special token is missing"
    EXTRA = "a special token more"
    OTHER = "another special token"
    TWICE = "a special token twice"
    PARSED = "special tokens recognized"
    NOT_PARSED = "special tokens read as text"
    ESCAPES_READ = "escapes read"
    ESCAPES_WRITTEN = "written as escapes"
    TEXT = "another text"
    NORMALIZED = "another setting of added tokens"
    PATTERN = "another pattern"
    PARTS = "encoded in parts"
    IMPLEMENTATION = "another implementation"
    TOKENIZER = "another tokenizer"


class Cause(NamedTuple):
    """One difference. says: a clause that follows "These are Llama 2's ids". tokens: the special tokens it is about.

    at: whether these are at the start or the end.
    """

    kind: Kind
    says: Say
    tokens: str = ""
    at: Position = Position.TEXT


def causes(found: Explanation, tokenizer: Opened, asked: Options) -> list[Cause]:
    """The differences that give the ids, the main one first; none without a recipe. asked: the options on the page."""
    if found.recipe is None or found.reason == Reason.SAME:
        return []
    return [*main_cause(found, tokenizer), *option_causes(found, asked), *end_causes(found, tokenizer)]


def main_cause(found: Explanation, tokenizer: Opened) -> Iterator[Cause]:
    """The difference in the text, the settings or the program, if there is one."""
    assert found.recipe is not None
    encoded = found.recipe.encoded
    first, text = encoded[0], found.text
    if found.reason == Reason.OTHER_TOKENIZER:
        yield Cause(Kind.TOKENIZER, Say.of("as {0:t} gives them", listed([title_of(each) for each in found.specs])))
    elif first.tokenizer.implementation != tokenizer.implementation:
        title = implementation_title(first.tokenizer.implementation)
        yield Cause(Kind.IMPLEMENTATION, Say.of("as {0:t} gives them", title))
    elif found.words:
        yield Cause(Kind.PATTERN, Say.of("with {0:t}", found.words))
    elif len(encoded) > 1:
        yield Cause(Kind.PARTS, parts_say(found, tokenizer))
    elif first.text != text:
        yield from text_cause(text, first.text, tokenizer)
    elif first.tokenizer is not tokenizer:
        flipped = normalized_cause(tokenizer, first.tokenizer)
        if flipped is not None:
            yield flipped
        elif is_on(first.tokenizer, Switch.PREFIX_SPACE):
            yield Cause(Kind.PREFIX_ON, Say("with a space in front"))
        else:
            yield Cause(Kind.PREFIX_OFF, Say("without the space in front"))


def title_of(spec: str) -> str:
    """What people call a bundled tokenizer. spec: NAME@IMPLEMENTATION."""
    model = catalog().get(spec.partition("@")[0])
    return spec if model is None else model.title


def parts_say(found: Explanation, tokenizer: Opened) -> Say:
    """The clause about a text encoded in parts."""
    assert found.recipe is not None
    encoded, after = found.recipe.encoded, word_before(found.text, found.cuts[0])
    if len(encoded) == 2:
        says = Say.of("of the text cut in two, after {0:q}", after)
    else:
        says = Say.of("of the text cut in {0} parts, first after {1:q}", len(encoded), after)
    if encoded[1].options.add_special and adds_tokens(tokenizer):
        return Say.of("{0}, each part with its special tokens", says)
    return says


def word_before(text: str, cut: int) -> str:
    """The word or the end of it before a cut, with the white space between.

    >>> word_before("it is", 3), word_before("unaffable", 4)
    ('it ', 'unaf')
    """
    before = text[max(0, cut - BEFORE) : cut]
    word = before.rstrip(" ").rsplit(" ", 1)[-1]
    return visible_words(word + before[len(before.rstrip(" ")) :])


def text_cause(text: str, read: str, tokenizer: Opened) -> Iterator[Cause]:
    """The difference of two texts."""
    vocabulary = tokenizer.vocabulary
    before = read.removesuffix(text)
    if before != read and before.encode() in vocabulary.ids and vocabulary.is_special(vocabulary.ids[before.encode()]):
        yield Cause(
            Kind.TWICE, Say.of("with {0:t} twice at the start", visible(before)), visible(before), Position.FRONT
        )
    elif has_escapes(text) and unescape(text) == read:
        start, stop, ch = next(escapes(text))
        yield Cause(Kind.ESCAPES_READ, Say.of("for the text with {0:q} read as {1:t}", text[start:stop], called(ch)))
    elif has_escapes(read) and unescape(read) == text:
        start, stop, ch = next(escapes(read))
        says = Say.of("for the text with {0:t} written as {1:q}", called(ch), read[start:stop])
        yield Cause(Kind.ESCAPES_WRITTEN, says)
    else:
        yield Cause(Kind.TEXT, Say.of("for the text {0:t}", white_space_words(text, read)))


CALLED: Final = {"\n": "a line break", "\t": "a tab", "\r": "a carriage return", " ": "a space"}


def called(text: str) -> str:
    """What white space is called."""
    return CALLED.get(text) or ("a Windows line break" if text == "\r\n" else visible(text))


def white_space_words(text: str, read: str) -> str:
    """How white space differs, a phrase that follows "the text".

    >>> white_space_words("a", " a"), white_space_words("a\\n", "a"), white_space_words(" a ", "a")
    ('with a space in front', 'without a line break at its end', 'without the white space at its ends')
    """
    if read.endswith(text):
        return f"with {called(read.removesuffix(text))} in front"
    if read.startswith(text):
        return f"with {called(read.removeprefix(text))} at its end"
    if text.endswith(read):
        gone = text.removesuffix(read)
        return "without its first space" if gone == " " else "without the white space in front"
    if text.startswith(read):
        return f"without {called(text.removeprefix(read))} at its end"
    return "without carriage returns" if text.replace("\r\n", "\n") == read else "without the white space at its ends"


def normalized_cause(tokenizer: Opened, other: Opened) -> Cause | None:
    """The added tokens that are searched in another text, if that is the difference."""
    before, after = ({token.id: token.normalized for part in partitions(each) for token in part.tokens}
                     for each in (tokenizer, other))  # fmt: skip
    changed = [id for id in before if after.get(id) not in (None, before[id])]
    if not changed:
        return None
    where = "normalized" if after[changed[0]] else "original"
    tokens = listed([visible(tokenizer.vocabulary.spelling(id)) for id in changed], 3)
    return Cause(Kind.NORMALIZED, Say.of("with {0:t} searched in the {1:t} text", tokens, where), where)


def option_causes(found: Explanation, asked: Options) -> Iterator[Cause]:
    """The options that differ from those on the page; whether tokens are added shows at the ends."""
    assert found.recipe is not None
    options = found.recipe.encoded[0].options
    if options.parse_special != asked.parse_special:
        if options.parse_special:
            yield Cause(Kind.PARSED, Say("with special tokens in the text recognized"))
        else:
            yield Cause(Kind.NOT_PARSED, Say("with special tokens read as text"))
    ends = any(not each.same and each.position != Position.TEXT for each in found.stretches)
    if options.add_special != asked.add_special and not ends and len(found.recipe.encoded) == 1:
        kind = Kind.EXTRA if options.add_special else Kind.MISSING
        how = "with" if options.add_special else "without"
        yield Cause(kind, Say.of("{0:t} the tokens added around it", how))


ENDS: Final = {Position.FRONT: "at the start", Position.BEHIND: "at the end"}


def end_causes(found: Explanation, tokenizer: Opened) -> Iterator[Cause]:
    """The special tokens before and after the text that differ."""
    recipe = found.recipe
    spelled = found.reason == Reason.DOUBLED and recipe is not None and recipe.encoded[0].text != found.text
    if found.reason == Reason.OTHER_TOKENIZER or spelled:
        return
    speller = speller_of(tokenizer.trace(""), stored=False)
    given = found.given.ids
    for position, at in ENDS.items():
        here = [each for each in found.stretches if each.position == position]
        theirs = [found.expected[index] for each in here for index in each.expected]
        ours = [given[index] for each in here for index in each.given]
        if theirs == ours:
            continue
        one, other = (listed([speller.token(id) for id in ids[:4]], 3) for ids in (theirs, ours))
        if theirs and len(set(theirs)) == 1 and len(theirs) > 1 and set(ours) <= set(theirs):
            often = "twice" if len(theirs) == 2 else f"{len(theirs)} times"
            token = speller.token(theirs[0])
            yield Cause(Kind.TWICE, Say.of("with {0:t} {1:t} {2:t}", token, often, at), token, position)
        elif not theirs:
            yield Cause(Kind.MISSING, Say.of("without {0:t} {1:t}", other, at), other, position)
        elif not ours:
            yield Cause(Kind.EXTRA, Say.of("with {0:t} {1:t}", one, at), one, position)
        else:
            yield Cause(Kind.OTHER, Say.of("with {0:t} {2:t} instead of {1:t}", one, other, at), other, position)


def clauses(found: Sequence[Cause]) -> Say:
    """Causes as one clause."""
    says = found[0].says
    for each in found[1:]:
        says = Say.of("{0}, {1}", says, each.says)
    return says


def verdict(found: Explanation, tokenizer: Opened, title: str, known: Sequence[Cause]) -> Line:
    """What the ids are, in one sentence. title: what people call the tokenizer. known: the causes."""
    if found.reason == Reason.SAME:
        return Line.of(Say.of("These are exactly {0:t}'s {1:t}.", title, plural(len(found.expected), "id")))
    if not found.expected:
        return Line.of(Say.of("The list is empty: {0:t} gives {1:t} for this text.", title, ids_of(found.given.ids)))
    if known and known[0].kind == Kind.TOKENIZER:
        of = (Say.of("{0:t}", listed([title_of(each) for each in found.specs])), BOLD)
        rest = [Say.of(", {0}", clauses(known[1:]))] if len(known) > 1 else []
        return Line.of("These are the ids of ", of, *rest, ".")
    if known:
        prefix = len(known) == 1 and known[0].kind in (Kind.PREFIX_OFF, Kind.PREFIX_ON)
        end = " of the text." if prefix else "."
        return Line.of(Say.of("These are {0:t}'s ids ", title), (clauses(known), BOLD), end)
    if found.reason == Reason.OUT_OF_RANGE:
        vocabulary = found.given.vocabulary
        id = next(id for id in found.expected if not vocabulary.has(id))
        last = len(vocabulary) - 1
        if id > last:
            lacks = Say.of(" is not in {0:t}'s vocabulary, which ends at {1:i}.", title, last)
        else:
            lacks = Say.of(" has no token in {0:t}'s vocabulary.", title)
        return Line.of((Say.of("Id {0:i}", id), BOLD), lacks)
    ends = list(end_causes(found, tokenizer))
    also = [Say.of(", {0}", clauses(ends))] if ends else []
    if found.reason == Reason.CUTS:
        count = sum(each.stretch.position == Position.TEXT for each in found.regions)
        places = Say.of("cut differently in {0:t}", plural(count, "place"))
        return Line.of("These ids spell your text, ", (places, BOLD), *also, ".")
    if found.reason == Reason.TEXT:
        spelled = as_text(found.decoded or "", LONGEST)
        return Line.of("These ids spell ", ("another text", BOLD), *also, Say.of(": {0:q}.", spelled))
    return Line.of(Say.of("These are {0:t}'s ids ", title), ("except for special tokens", BOLD), ".")


def ids_of(ids: Sequence[int]) -> str:
    """`1 id`, `16 ids`."""
    return plural(len(ids), "id")


def evidence(found: Explanation, title: str, tokenizer: Opened, known: Sequence[Cause]) -> Line:
    """What proves the sentence, or what was tried without success."""
    if found.reason == Reason.SAME:
        return Line.of("Both lists have the same ids in the same order.")
    note = note_on(tokenizer) if any(each.stretch.position == Position.FRONT for each in found.regions) else ""
    notes = [Say.of(" {0:t}", note)] if note else []
    if known:
        by = title
        if known[0].kind == Kind.TOKENIZER:
            by = title_of(found.specs[0])
        elif known[0].kind == Kind.IMPLEMENTATION and found.recipe is not None:
            by = implementation_title(found.recipe.encoded[0].tokenizer.implementation)
        proved = Say.of(" encoded this way, {0:t} gives all {1:t}. {2}", by, ids_of(found.expected), extent(found))
        return Line.of(("Proved:", f"{BOLD} {FEWER}"), proved, *notes)
    tokenizers, ways = found.tried
    if tokenizers == 1:
        tried = Say.of("{0:t} of {1:t} were tried; none gives these ids.", plural(ways, "option"), title)
    else:
        tried = Say.of(
            "{0:t} and {1:t} were tried; none gives these ids.",
            plural(tokenizers, "tokenizer"), plural(ways, "option"),
        )  # fmt: skip
    if found.reason == Reason.OUT_OF_RANGE or not found.expected:
        return Line.of(tried, *notes)
    return Line.of(("Possible: ", f"{BOLD} {MORE}"), tried, *notes)


def extent(found: Explanation) -> Say:
    """How much of the ids differs."""
    if len(found.regions) == 1:
        region = found.regions[0]
        one = len(region.stretch.expected) == len(region.stretch.given) == 1
        if one and region.span is not None and region.span.start == 0:
            return Say.of("Only the first token of the text differs.")
    theirs, _ = counts(found)
    if not theirs:
        return Say.of("All of them are among {0:t}.", f"the {ids_of(found.given.ids)} given here")
    return Say.of("{0} of them {1:t}.", theirs, "differs" if theirs == 1 else "differ")


def counts(found: Explanation) -> tuple[int, int]:
    """How many expected ids differ, and how many are the same."""
    same = sum(len(each.expected) for each in found.stretches if each.same)
    return len(found.expected) - same, same


def differs_words(found: Explanation) -> list[str]:
    """How many tokens differ and how many are the same, in two lines."""
    theirs, same = counts(found)
    ours = len(found.given.ids) - same
    if not theirs and not ours:
        return [f"all {number(same)} are the same"]
    if not theirs:
        first = f"{plural(ours, 'token')} {'is' if ours == 1 else 'are'} missing"
    elif not ours:
        first = f"{plural(theirs, 'token')} more"
    else:
        first = f"{plural(theirs, 'token')} {'differs' if theirs == 1 else 'differ'}"
    return [f"{first},", f"{number(same) if same else 'none'} {'are' if same > 1 else 'is'} the same"]


WORDS: Final[Mapping[str, Any]] = read_toml(__file__, "words.toml")
PROGRAMS: Final[Mapping[str, Sequence[str]]] = WORDS["programs"]
"""Programs that can run a kind of tokenizer, by its `family`."""
REMEDIES: Final[Mapping[str, Any]] = WORDS["remedies"]
"""By kind of cause, what to do: templates, each with its values."""

SWITCHED: Final = (Kind.PREFIX_OFF, Kind.PREFIX_ON, Kind.MISSING, Kind.EXTRA, Kind.PARSED, Kind.NOT_PARSED)
"""Causes that are a switch of What if."""


def remedy(cause: Cause, family: str, title: str) -> dict[str, Any] | None:
    """What to do, and how in each program; None if nothing is known. family, title: of the tokenizer in question."""
    known = {
        "tokens": cause.tokens or "them", "end": "eos" if cause.at == Position.BEHIND else "bos", "title": title,
        "state": "false" if cause.tokens == "normalized" else "true",
    }  # fmt: skip

    def filled(words: str, *values: str) -> dict[str, Any]:
        return Say.of(words, *(each.format_map(known) for each in values))._asdict()

    row = REMEDIES[cause.kind]
    how = row["boxes"] | row.get(family, {})
    programs = PROGRAMS.get(family, ["any program"])
    boxes = [[program, filled(*how[program])] for program in programs if program in how]
    to_get = Say.of("To get {0:t}'s own ids there", title)
    return {"title": to_get._asdict(), "about": filled(*row["about"]), "boxes": boxes} if boxes else None
