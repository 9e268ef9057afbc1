"""Ids above those that a tokenizer gives, aligned on the text: expected ids, ids encoded again, examples of ids; what
expected ids are, in one sentence, whether that is proved, and what to change where they come from.

A `Cause` is one thing that whoever made the ids did otherwise. It is read from what reproduces them (`Recipe`), so the
sentence says nothing about the program that made them: it gives these ids, whatever it did. A remedy has a box for
each program, from the cause alone. Names of settings are those of the programs' own documentation; a program that can't
be set has no box.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import takewhile
from typing import Any, NamedTuple

from explorer.analysis.expected.expected_ids import Explanation, Position, Reason, placed
from explorer.analysis.expected.explainer import Example, note_on
from explorer.analysis.ownership import Alignment, Span, align
from explorer.analysis.round_trip import IdsAgain, added, changed_say, stages_say, tokens_on_bytes
from explorer.analysis.what_if import Switch, adds_tokens, has_escapes, is_on, partitions
from explorer.engine.part import ADDED, Options, Token
from explorer.engine.tokenizer import Encoding
from explorer.facts import listed
from explorer.implementations.opened import Opened
from explorer.opening.catalog import catalog
from explorer.stages.spelling import implementation_title, speller_of
from explorer.tables import Json, Record, read_toml
from explorer.text import escapes, unescape, visible
from explorer.text.say import Say, Text, plural, visible_words
from explorer.views.compare.aligned import BOLD, FEWER, FOCUS, MORE, Picture, StyledLine, aligned, part_at, part_words
from explorer.views.overview import as_text

LONGEST = 80
"""Characters shown of the text that the ids spell."""
BEFORE = 12
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
        yield Cause(Kind.TOKENIZER, Say("as {0:t} gives them", listed([title_of(each) for each in found.specs])))
    elif first.tokenizer.implementation != tokenizer.implementation:
        title = implementation_title(first.tokenizer.implementation)
        yield Cause(Kind.IMPLEMENTATION, Say("as {0:t} gives them", title))
    elif found.words:
        yield Cause(Kind.PATTERN, Say("with {0:t}", found.words))
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
        says = Say("of the text cut in two, after {0:q}", after)
    else:
        says = Say("of the text cut in {0} parts, first after {1:q}", len(encoded), after)
    if encoded[1].options.add_special and adds_tokens(tokenizer):
        return Say("{0}, each part with its special tokens", says)
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
        yield Cause(Kind.TWICE, Say("with {0:t} twice at the start", visible(before)), visible(before), Position.FRONT)
    elif has_escapes(text) and unescape(text) == read:
        start, stop, ch = next(escapes(text))
        yield Cause(Kind.ESCAPES_READ, Say("for the text with {0:q} read as {1:t}", text[start:stop], called(ch)))
    elif has_escapes(read) and unescape(read) == text:
        start, stop, ch = next(escapes(read))
        says = Say("for the text with {0:t} written as {1:q}", called(ch), read[start:stop])
        yield Cause(Kind.ESCAPES_WRITTEN, says)
    else:
        yield Cause(Kind.TEXT, Say("for the text {0:t}", white_space_words(text, read)))


CALLED = {"\n": "a line break", "\t": "a tab", "\r": "a carriage return", " ": "a space",
                 "\r\n": "a Windows line break"}  # fmt: skip


def called(text: str) -> str:
    """What white space is called."""
    return Text(CALLED[text]) if text in CALLED else visible(text)


def white_space_words(text: str, read: str) -> str:
    """How white space differs, a phrase that follows "the text".

    >>> white_space_words("a", " a"), white_space_words("a\\n", "a"), white_space_words(" a ", "a")
    ('with a space in front', 'without a line break at its end', 'without the white space at its ends')
    """
    if read.endswith(text):
        return Text("with {0:t} in front", called(read.removesuffix(text)))
    if read.startswith(text):
        return Text("with {0:t} at its end", called(read.removeprefix(text)))
    if text.endswith(read):
        gone = text.removesuffix(read)
        return Text("without its first space" if gone == " " else "without the white space in front")
    if text.startswith(read):
        return Text("without {0:t} at its end", called(text.removeprefix(read)))
    same = text.replace("\r\n", "\n") == read
    return Text("without carriage returns" if same else "without the white space at its ends")


def normalized_cause(tokenizer: Opened, other: Opened) -> Cause | None:
    """The added tokens that are searched in another text, if that is the difference."""
    before, after = ({token.id: token.normalized for part in partitions(each) for token in part.tokens}
                     for each in (tokenizer, other))  # fmt: skip
    changed = [id for id in before if after.get(id) not in (None, before[id])]
    if not changed:
        return None
    where = "normalized" if after[changed[0]] else "original"
    tokens = listed([visible(tokenizer.vocabulary.spelling(id)) for id in changed], 3)
    return Cause(Kind.NORMALIZED, Say(f"with {{0:t}} searched in the {where} text", tokens), where)


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
        with_them, without = "with the tokens added around it", "without the tokens added around it"
        yield Cause(kind, Say(with_them if options.add_special else without))


ENDS = {Position.FRONT: "at the start", Position.BEHIND: "at the end"}


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
            yield Cause(Kind.TWICE, Say("with {0:t} {1:t} {2:t}", token, often, at), token, position)
        elif not theirs:
            yield Cause(Kind.MISSING, Say("without {0:t} {1:t}", other, at), other, position)
        elif not ours:
            yield Cause(Kind.EXTRA, Say("with {0:t} {1:t}", one, at), one, position)
        else:
            yield Cause(Kind.OTHER, Say("with {0:t} {2:t} instead of {1:t}", one, other, at), other, position)


def clauses(found: Sequence[Cause]) -> Say:
    """Causes as one clause."""
    says = found[0].says
    for each in found[1:]:
        says = Say("{0}, {1}", says, each.says)
    return says


def verdict(found: Explanation, tokenizer: Opened, title: str, known: Sequence[Cause]) -> StyledLine:
    """What the ids are, in one sentence. title: what people call the tokenizer. known: the causes."""
    if found.reason == Reason.SAME:
        return StyledLine(Say("These are exactly {0:t}'s {1:t}.", title, plural(len(found.expected), "id")))
    if not found.expected:
        return StyledLine(Say("The list is empty: {0:t} gives {1:t} for this text.", title, ids_of(found.given.ids)))
    if known and known[0].kind == Kind.TOKENIZER:
        of = (Say("{0:t}", listed([title_of(each) for each in found.specs])), BOLD)
        rest = [Say(", {0}", clauses(known[1:]))] if len(known) > 1 else []
        return StyledLine("These are the ids of ", of, *rest, ".")
    if known:
        prefix = len(known) == 1 and known[0].kind in (Kind.PREFIX_OFF, Kind.PREFIX_ON)
        end = " of the text." if prefix else "."
        return StyledLine(Say("These are {0:t}'s ids ", title), (clauses(known), BOLD), end)
    if found.reason == Reason.OUT_OF_RANGE:
        vocabulary = found.given.vocabulary
        id = next(id for id in found.expected if not vocabulary.has(id))
        last = len(vocabulary) - 1
        if id > last:
            lacks = Say(" is not in {0:t}'s vocabulary, which ends at {1:i}.", title, last)
        else:
            lacks = Say(" has no token in {0:t}'s vocabulary.", title)
        return StyledLine((Say("Id {0:i}", id), BOLD), lacks)
    ends = list(end_causes(found, tokenizer))
    also = [Say(", {0}", clauses(ends))] if ends else []
    if found.reason == Reason.CUTS:
        count = sum(each.stretch.position == Position.TEXT for each in found.regions)
        places = Say("cut differently in {0:t}", plural(count, "place"))
        return StyledLine("These ids spell your text, ", (places, BOLD), *also, ".")
    if found.reason == Reason.TEXT:
        spelled = as_text(found.decoded or "", LONGEST)
        return StyledLine("These ids spell ", ("another text", BOLD), *also, Say(": {0:q}.", spelled))
    return StyledLine(Say("These are {0:t}'s ids ", title), ("except for special tokens", BOLD), ".")


def ids_of(ids: Sequence[int]) -> str:
    """`1 id`, `16 ids`."""
    return plural(len(ids), "id")


def evidence(found: Explanation, title: str, tokenizer: Opened, known: Sequence[Cause]) -> StyledLine:
    """What proves the sentence, or what was tried without success."""
    if found.reason == Reason.SAME:
        return StyledLine("Both lists have the same ids in the same order.")
    note = note_on(tokenizer) if any(each.stretch.position == Position.FRONT for each in found.regions) else ""
    notes = [Say(" {0:t}", note)] if note else []
    if known:
        by = title
        if known[0].kind == Kind.TOKENIZER:
            by = title_of(found.specs[0])
        elif known[0].kind == Kind.IMPLEMENTATION and found.recipe is not None:
            by = implementation_title(found.recipe.encoded[0].tokenizer.implementation)
        proved = Say(" encoded this way, {0:t} gives all {1:t}. {2}", by, ids_of(found.expected), extent(found))
        return StyledLine(("Proved:", f"{BOLD} {FEWER}"), proved, *notes)
    tokenizers, ways = found.tried
    if tokenizers == 1:
        tried = Say("{0:t} of {1:t} were tried; none gives these ids.", plural(ways, "option"), title)
    else:
        tried = Say(
            "{0:t} and {1:t} were tried; none gives these ids.",
            plural(tokenizers, "tokenizer"), plural(ways, "option"),
        )  # fmt: skip
    if found.reason == Reason.OUT_OF_RANGE or not found.expected:
        return StyledLine(tried, *notes)
    return StyledLine(("Possible: ", f"{BOLD} {MORE}"), tried, *notes)


def extent(found: Explanation) -> Say:
    """How much of the ids differs."""
    if len(found.regions) == 1:
        region = found.regions[0]
        one = len(region.stretch.expected) == len(region.stretch.given) == 1
        if one and region.span is not None and region.span.start == 0:
            return Say("Only the first token of the text differs.")
    theirs, _ = counts(found)
    if not theirs:
        return Say("All of them are among the {0:t} given here.", ids_of(found.given.ids))
    return Say("{0} of them differs.", theirs, many="{0} of them differ.")


def counts(found: Explanation) -> tuple[int, int]:
    """How many expected ids differ, and how many are the same."""
    same = sum(len(each.expected) for each in found.stretches if each.same)
    return len(found.expected) - same, same


def differs_words(found: Explanation) -> list[str]:
    """How many tokens differ and how many are the same, in two lines."""
    theirs, same = counts(found)
    ours = len(found.given.ids) - same
    if not theirs and not ours:
        return [Text("all {0} are the same", same)]
    if not theirs:
        first = Text("{0} token is missing,", ours, many="{0} tokens are missing,")
    elif not ours:
        first = Text("{0} token more,", theirs, many="{0} tokens more,")
    else:
        first = Text("{0} token differs,", theirs, many="{0} tokens differ,")
    return [first, Text("{0} is the same", same, many="{0} are the same") if same else Text("none is the same")]


WORDS: Json = read_toml(__file__, "words.toml")
PROGRAMS: Mapping[str, Sequence[str]] = WORDS["programs"]
"""Programs that can run a kind of tokenizer, by its `family`."""
REMEDIES: Json = WORDS["remedies"]
"""By kind of cause, what to do: templates, each with its values."""

SWITCHED = (Kind.PREFIX_OFF, Kind.PREFIX_ON, Kind.MISSING, Kind.EXTRA, Kind.PARSED, Kind.NOT_PARSED)
"""Causes that are a switch of What if."""


def remedy(cause: Cause, family: str, title: str) -> Record | None:
    """What to do, and how in each program; None if nothing is known. family, title: of the tokenizer in question."""
    known = {
        "tokens": cause.tokens or "them", "end": "eos" if cause.at == Position.BEHIND else "bos", "title": title,
        "state": "false" if cause.tokens == "normalized" else "true",
    }  # fmt: skip

    def filled(words: str, *values: str) -> Record:
        return Say(words, *(each.format_map(known) for each in values))._asdict()

    row = REMEDIES[cause.kind]
    how = row["boxes"] | row.get(family, {})
    programs = PROGRAMS.get(family, [Text("any program")])
    boxes = [[program, filled(*how[program])] for program in programs if program in how]
    to_get = Say("To get {0:t}'s own ids there", title)
    return {"title": to_get._asdict(), "about": filled(*row["about"]), "boxes": boxes} if boxes else None


SAME, DIFFERS = 0, 4
"""Kinds of cells, as `aligned.css` has their colors."""
SHOWN = 40
"""Ids shown of an example."""


MOST_EMPTY = 60
"""Tokens without characters drawn in a row; any list may be pasted."""


def expected_picture(found: Explanation, tokenizer: Opened, title: str, name: str, asked: Options) -> Picture:
    """The pasted ids, those given, and what gives the pasted ones. title, name: of the tokenizer, for people and URLs.

    asked: the options on the page.
    """
    known = causes(found, tokenizer, asked)
    whose, every = placed(found, tokenizer)
    kept = thinned(every)
    tokens = [every[index] for index in kept]
    pasted = Encoding.of(tokens, whose.vocabulary, whose.decoder.alone)
    rows: list[tuple[str, Encoding]] = [(Text("Pasted"), pasted), (Text("{0:t} gives", title), found.given)]
    if known:
        rows.append((title, pasted))
    alignment = align(found.text, rows, 1)
    theirs = {index for each in found.stretches if not each.same for index in each.expected}
    ours = {index for each in found.stretches if not each.same for index in each.given}
    drawn_of_theirs = {number for number, index in enumerate(kept) if index in theirs}
    kinds = [kinds_of(alignment, 0, drawn_of_theirs, DIFFERS), kinds_of(alignment, 1, ours, DIFFERS)]
    words = differs_words(found)
    beside: list[Record] = [
        {"family": ids_of(found.expected), "note": [[line, "" if found.same else FOCUS] for line in words]},
        {"family": ids_of(found.given.ids), "note": []},
    ]
    if known:
        kinds.append([SAME] * len(alignment.rows[2].cells))
        count = len(found.expected)
        says = [[Text("{0} of {1} ✓", count, count), f"{BOLD} {FEWER}"]]
        beside.append({"family": Text(clauses(known)), "note": says, "rule": True})
    starts = [region.span.start for region in found.regions if region.span is not None]
    part = part_at(found.text, min(starts, default=0))
    drawn = aligned(alignment, [whose, tokenizer, whose][: len(rows)], part, kinds=kinds, beside=beside)
    change = remedy(known[0], tokenizer.family, title) if known else None
    said, note = verdict(found, tokenizer, title, known), evidence(found, title, tokenizer, known)
    frame = frame_of(said, note.data, not found.same, part, found.text)
    frame["link"] = link_of(found, known[0].kind, name) if known else None
    return Picture(frame if change is None else frame | {"remedy": change}, drawn)


def frame_of(said: StyledLine, note: list[Any], differs: bool, part: Span | None, text: str) -> Record:
    """What stands around two rows of ids. differs: whether they have a place to go to."""
    return {
        "said": said.data,
        "note": note,
        "head": Text("the text"),
        "hint": Text("N goes to the next place that differs.") if differs else "",
        "fold": True,
        "part": part_words(part, text),
    }


def thinned(tokens: Sequence[Token]) -> list[int]:
    """The indices of the tokens that are drawn: of many in a row without characters, the first ones.

    >>> len(thinned([Token(1, 0, 1), *[Token(2, -1, -1)] * 1000, Token(1, 1, 2)]))
    62
    """
    kept: list[int] = []
    run = 0
    for index, (_, start, end) in enumerate(tokens):
        run = run + 1 if start == end else 0
        if run <= MOST_EMPTY:
            kept.append(index)
    return kept


def kinds_of(alignment: Alignment, row: int, differ: set[int], kind: int) -> list[int]:
    """The kind of each cell of a row. differ: its tokens that the other row lacks, and their kind."""
    cells = alignment.rows[row].cells
    return [SAME if differ.isdisjoint(range(cell.first, cell.last)) else kind for cell in cells]


def link_of(found: Explanation, kind: Kind, name: str) -> Record | None:
    """A button that shows more on another tab: its text, and the parameters that it changes."""
    if kind in SWITCHED:
        return {"text": Text("See it in What if"), "query": {"view": "What if", "of": name}}
    if kind == Kind.IMPLEMENTATION and found.specs:
        sides = {"left": name, "right": found.specs[0]}
        return {
            "text": Text("See the first difference"),
            "query": {"view": "Where they part", **sides},
            "add": found.specs[0],
        }
    return None


# --- nothing pasted ---------------------------------------------------------------------------------------------------


def examples_picture(
    made: Sequence[Example], text: str, given: Encoding, tokenizer: Opened, title: str, problem: str = ""
) -> Picture:
    """What to do, the tokenizer's own ids, and the examples. problem: what is wrong with what was pasted."""
    if problem:
        said = StyledLine(Say("{0:t}", problem))
        note = StyledLine("For example: ", Say("{0:q}.", "1, 1724, 338"))
    elif not text:
        said, note = StyledLine("The text is empty. Type the one whose ids you have."), StyledLine("")
    else:
        said = StyledLine("Paste the ids that another program gives for this text.")
        note = StyledLine(
            "Any list of numbers will do: JSON, Python, a printed tensor, the output of a tool. "
            "You will see where they differ from ",
            Say("{0:t}'s, and why.", title),
        )
    speller = speller_of(tokenizer.trace(""), stored=False)
    own = given.ids
    rows = [listed_ids(Text("{0:t} gives", title), Text("{0:t} for this text", ids_of(own)), own, range(0))]
    for example in made:
        name, about = example_words(example, text, own, speller.token)
        marked = marked_of(example.ids, own)
        row = listed_ids(name, about, example.ids, marked)
        if not marked and len(example.ids) < len(own):
            row["gone"] = [
                marked.start,
                " ".join(map(speller.token, own[marked.start :][: len(own) - len(example.ids)])),
            ]
        rows.append(row)
    heading = [Text("Or click an example"), Text("ids that other programs often give for this text")]
    return Picture({"said": said.data, "note": note.data, "list": {"rows": rows, "heading": heading if made else []}})


def listed_ids(name: str, about: str, ids: Sequence[int], marked: range) -> Record:
    """A row of ids. marked: the indices of those that differ."""
    kinds = [DIFFERS if index in marked else SAME for index in range(min(SHOWN, len(ids)))]
    return {"name": name, "about": about, "ids": list(ids[:SHOWN]), "kinds": kinds, "more": len(ids) > SHOWN}


def marked_of(ids: Sequence[int], own: Sequence[int]) -> range:
    """The ids of an example between what it begins and ends with in common with the tokenizer's own."""
    front = shared(ids, own)
    back = min(shared(ids[::-1], own[::-1]), min(len(ids), len(own)) - front)
    return range(front, len(ids) - back)


def shared(one: Iterable[int], other: Iterable[int]) -> int:
    """How many ids two lists begin with in common."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def example_words(example: Example, text: str, own: Sequence[int], token: Any) -> tuple[str, str]:
    """The name of an example, and a few words about it. token: spells an id."""
    differ = len(marked_of(example.ids, own))
    changed = Text("the first token differs" if differ == 1 else "{0:t} differ", plural(differ, "token"))
    match example.reason:
        case Reason.LEADING_SPACE:
            return Text("With a space in front" if example.with_it else "Without the space in front"), changed
        case Reason.MISSING_SPECIAL | Reason.EXTRA_SPECIAL:
            if example.with_it:
                return Text("With {0:t} at the start", token(example.ids[0])), Text("Add BOS/EOS was on")
            return Text("Without {0:t} at the start", token(own[0])), Text("Add BOS/EOS was off")
        case Reason.DOUBLED:
            return Text("With {0:t} twice", token(example.ids[0])), Text("the text had one already")
        case Reason.PARTS:
            return Text("Encoded in two parts"), Text("cut after {0:q}", word_before(text, example.cut))
        case Reason.WHITE_SPACE:
            return Text("With a line break at the end"), changed
    return Text("The ids of {0:t}", example.name), Text("another vocabulary")


CANONICAL, APART = 1, 2
"""Kinds of cells, as `aligned.css` has their colors."""
LABELS = (Text("These ids"), Text("Canonical"))


def again_picture(found: IdsAgain, tokenizer: Opened, stored: bool = False, part: Span | None = None) -> Picture:
    """Both rows. part: of the text that is drawn; by default all of a short text, else what is around the first drift.

    >>> import explorer
    >>> from explorer.analysis.round_trip import ids_again
    >>> gpt2 = explorer.load("gpt-2")
    >>> again_picture(ids_again(gpt2, [5450, 25, 1003]), gpt2).frame["part"]
    ''
    """
    front, back = added(tokenizer, found.ids)
    inner = found.ids[len(front) : len(found.ids) - len(back)]
    parts = tokenizer.trace_decode(inner, remove_special=False).parts
    rows = tokens_on_bytes(tokenizer, inner, parts), tokenizer.encode(found.text, add_special=False).tokens
    encodings = [
        Encoding.of([*_around(front), *tokens, *_around(back)], tokenizer.vocabulary, tokenizer.decoder.alone)
        for tokens in rows
    ]
    alignment = align(found.text, list(zip(LABELS, encodings, strict=True)))
    given, canonical = set[int](), set[int]()
    shift = 0
    for each in found.drifts:
        given |= set(range(each.start, each.end))
        canonical |= set(range(each.start + shift, each.start + shift + len(each.canonical)))
        shift += len(each.canonical) - (each.end - each.start)
    kinds = [kinds_of(alignment, 0, given, APART), kinds_of(alignment, 1, canonical, CANONICAL)]
    first = encodings[0].tokens[min(given)].start if given else 0
    part = part or part_at(found.text, max(0, first))
    counts = [len(encoding.ids) for encoding in encodings]
    notes = [[[plural(len(found.drifts), "stretch differs", "stretches differ"), f"k{APART}"]], []]
    beside = [
        {"family": plural(count, "id"), "note": note if found.drifts else []}
        for count, note in zip(counts, notes, strict=True)
    ]
    drawn = aligned(alignment, [tokenizer] * 2, part, stored, kinds=kinds, beside=beside)
    said = StyledLine(
        stages_say(found), " ", ("Orange: these ids.", MORE), " ", ("Green: what encoding gives instead.", FEWER)
    )
    note = said.data if found.drifts else []
    return Picture(frame_of(StyledLine(changed_say(found)), note, bool(found.drifts), part, found.text), drawn)


def _around(ids: Sequence[int]) -> list[Token]:
    """Tokens that are not from the text."""
    return [Token(id, ADDED, ADDED) for id in ids]
