"""Searches for the explanation of expected ids, the simplest first; and examples of what other programs often give.

A long text takes up to a second to tokenize, and most attempts can't give the expected ids: another token would be at
the start, or the ids have a special token that nothing added. Both show without tokenizing. Each pair of tokenizer and
text runs at most once; for other options on the same text, only the stages that depend on them run again.

Whether ids can belong to a text at all shows in the letters (`is_plausible`). Every bundled tokenizer keeps the letters
a to z and the digits of a text, in order, possibly lowercased; only a mark may be composed with one. So they are in the
decoded ids, too, unless an id is the unknown token, which may cover anything. And no bundled tokenizer adds letters to
an ASCII text: apart from special tokens, the letters of the decoded ids are in the text. The ids of another text or
vocabulary almost never pass, and the check takes milliseconds. Mostly the catalog alone suffices (`rules_out`), without
opening the file. Other files can't be checked this way: a tokenizer.json may have a normalizer that removes letters.

A text may have been split, and each part encoded separately (`Parts`). The search goes on near the first id that
differs: up to there both lists are of the same text, and a cut has an effect at once. Each part must give exactly its
share of the expected ids. One cut is tried before several. Leaves out texts split into so many parts that these have
fewer than two ids each, because then cuts explain nothing, and whatever exceeds `BUDGET`.

An example is an `Encoded` text or several of them: the recipe that an explanation would find, computed for the text and
the tokenizer at hand. Leaves out whatever gives the tokenizer's own ids for this text, and whatever another example
gives already.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice, pairwise
from typing import NamedTuple
from unicodedata import normalize

from explorer.analysis import what_if
from explorer.analysis.divergence.changes import points
from explorer.analysis.divergence.comparer import compare
from explorer.analysis.divergence.result import run
from explorer.analysis.expected.expected_ids import (
    LISTED,
    Answer,
    Encoded,
    ExpectedIds,
    Explanation,
    Position,
    Reason,
    Recipe,
    Tried,
    named,
    tokens_on,
)
from explorer.analysis.ownership import common, is_within
from explorer.analysis.what_if import Loader, Switch, adds_tokens, flipped, has_escapes, is_on, other_pattern
from explorer.engine.budget import many_runs
from explorer.engine.part import Options
from explorer.engine.post_processors import Padding, Truncation
from explorer.engine.tokenizer import Encoding, Trace
from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.opening.catalog import Model, catalog, load
from explorer.stages.spelling import implementation_title
from explorer.text import clean, escapes, unescape
from explorer.text.say import Say, Text, in_a_row, shortened, without_stop, worded
from explorer.vocabulary import PieceKind

LETTERS = re.compile(r"[0-9A-Za-z](?![^\x00-\x7F])")
"""What a tokenizer neither changes nor drops: a letter or digit without a mark after it."""

NO_LETTERS = bytes(byte for byte in range(256) if not chr(byte).isalnum() or byte > 0x7F)

SAYS_ITSELF = (PieceKind.NORMAL, PieceKind.BYTE)
"""The kinds of pieces that decode to what they match. Others may be spelled differently in the text."""


def is_plausible(tokenizer: Opened, ids: Sequence[int], text: str) -> bool:
    """False if a tokenizer can't give these ids for this text under any options.

    >>> import explorer
    >>> tok = explorer.load("gpt-2")
    >>> is_plausible(tok, tok.encode("Hello world").ids, "Hello world"), is_plausible(tok, [15496], "Hello world")
    (True, False)
    """
    if not is_bundled(tokenizer):
        return True
    vocabulary, alone = tokenizer.vocabulary, tokenizer.decoder.alone
    said, least = dict[int, bytes](), dict[int, bytes]()
    for id in dict.fromkeys(ids):
        if not 0 <= id < len(vocabulary):
            return False
        kind = vocabulary.kind(id)
        if kind == PieceKind.UNKNOWN or id == tokenizer.model.unknown:
            return True
        itself = kind in SAYS_ITSELF
        said[id] = alone(id) if itself else alone(id) + vocabulary.pieces[id]
        least[id] = said[id] if itself else b""
    few = letters(text)
    if not is_within(few, only_letters(b"".join(map(said.__getitem__, ids)))):
        return False
    return not text.isascii() or is_within(only_letters(b"".join(map(least.__getitem__, ids))), few)


def rules_out(model: Model, ids: Sequence[int], text: str) -> bool:
    """Whether the catalog's figures alone prove that a model can't give these ids for this text.

    >>> from explorer.opening.catalog import Model, catalog
    >>> rules_out(catalog()["gpt-2"], [50257], ""), rules_out(catalog()["gpt-2"], [1, 2], "a" * 100)
    (True, True)
    """
    if ids and not 0 <= max(ids) < model.tokens:
        return True
    return len(ids) * model.letters < len(letters(text)) and not set(model.unknown).intersection(ids)


def is_bundled(tokenizer: Opened) -> bool:
    """Whether a tokenizer is an unchanged file of the catalog: no choices, no custom pattern."""
    files, choices, patterns = tokenizer.origin.files, tokenizer.origin.choices, tokenizer.origin.patterns
    return not choices and not patterns and len(files) == 1 and files[0].sha256 in digests()


def note_on(tokenizer: Opened) -> str:
    """What distinguishes a bundled file, as its default implementation runs it, from its maker's; empty if nothing.

    >>> import explorer
    >>> "post_processor=updated" in note_on(explorer.load("llama-3")), note_on(explorer.load("llama-3@llama.cpp"))
    (True, '')
    """
    model = catalog().get(tokenizer.name)
    of_file = model is not None and tokenizer.implementation == model.implementations[0] and is_bundled(tokenizer)
    return model.note if model is not None and of_file else ""


@cache
def digests() -> frozenset[str]:
    """The sha256 of every bundled file."""
    return frozenset(model.sha256 for model in catalog().values())


def only_letters(data: bytes) -> bytes:
    """The ASCII letters and digits of bytes, lowercased."""
    return data.lower().translate(None, NO_LETTERS)


def letters(text: str) -> bytes:
    """The letters and digits of a text that every tokenizer keeps, lowercased.

    >>> letters("Is A\\u030a 1?")
    b'is1'
    """
    if text.isascii():
        return only_letters(text.encode())
    return "".join(LETTERS.findall(text)).lower().encode()


PRINTED = frozenset(map(chr, range(0x21, 0x7F)))


class AddedIds(NamedTuple):
    """The ids that `add_special` adds before and after every text."""

    front: tuple[int, ...] = ()
    back: tuple[int, ...] = ()


class Attempts:
    """The attempts for one question. given: the tokenizer's own trace of the text."""

    def __init__(self, tokenizer: Opened, given: Trace) -> None:
        self.tokenizer, self.given = tokenizer, given
        self.encodings: dict[tuple[Opened, str, Options], Encoding | None] = {}
        self.added_ids = cache(added_ids)
        self.printed = cache(printed)
        self.tried: set[tuple[Opened, str, Options]] = set()
        self.ruled_out: set[str] = set()
        """names of tokenizers that figures alone rule out"""

    def gives(self, tokenizer: Opened, expected: Sequence[int], text: str, options: Options) -> bool:
        """Whether a tokenizer gives exactly these ids for a text."""
        self.tried.add((tokenizer, text, options))
        if not self.may(tokenizer, expected, text, options) or not is_plausible(tokenizer, expected, text):
            return False
        encoding = self.encoding(tokenizer, text, options)
        return encoding is not None and encoding.ids == list(expected)

    def counts(self) -> Tried:
        """How many tokenizers were tried, and how many ways to run the one in question."""
        own = self.tokenizer.name, self.tokenizer.implementation
        names = [(tokenizer.name, tokenizer.implementation) for tokenizer, *_ in self.tried]
        known = {own, *names}
        return Tried(len(known) + len(self.ruled_out - {name for name, _ in known}), names.count(own))

    def encoding(self, tokenizer: Opened, text: str, options: Options) -> Encoding | None:
        """The tokens of a text; None if the vocabulary can't encode it."""
        key = tokenizer, text, options
        if key not in self.encodings:
            try:
                if tokenizer is self.tokenizer and text == self.given.text:
                    self.encodings[key] = tokenizer.trace_lazily(text, **options._asdict(), like=self.given).encoding
                else:
                    self.encodings[key] = tokenizer.encode(text, **options._asdict())
            except InputError:
                self.encodings[key] = None
        return self.encodings[key]

    def may(self, tokenizer: Opened, expected: Sequence[int], text: str, options: Options) -> bool:
        """False if the special tokens among the ids alone prove that they don't belong to this text."""
        around = self.added_ids(tokenizer)
        if around is None:
            return True
        inner = expected
        if options.add_special:
            front, back = around
            stop = len(expected) - len(back)
            if stop < len(front) or tuple(expected[: len(front)]) != front or tuple(expected[stop:]) != back:
                return False
            inner = expected[len(front) : stop]
        return not self.unwritten(tokenizer, inner, text)

    def unwritten(self, tokenizer: Opened, ids: Sequence[int], text: str) -> Counter[int]:
        """The counts of special tokens that the text does not contain, so that something must have added them.

        Empty for a file that is not bundled, because its normalizer may insert anything.
        """
        if not is_bundled(tokenizer):
            return Counter()
        vocabulary = tokenizer.vocabulary
        # some models say "unknown" with a special token
        special = {
            id: times
            for id, times in Counter(ids).items()
            if 0 <= id < len(vocabulary) and vocabulary.kind(id) == PieceKind.CONTROL and id != tokenizer.model.unknown
        }
        spelled = {id: printed(vocabulary.pieces[id].decode("utf-8", "replace")) for id in special}
        return Counter({id: times for id, times in special.items() if spelled[id] not in self.printed(text)})


def added_ids(tokenizer: Opened) -> AddedIds | None:
    """The ids added around every text; None if they depend on the text's length."""
    depends = any(isinstance(part, Padding | Truncation) for part in tokenizer.parts)
    return None if depends else added_around(tokenizer)


def added_around(tokenizer: Opened) -> AddedIds:
    """The ids that `add_special` adds around a text.

    >>> import explorer
    >>> added_around(explorer.load("bert-uncased"))
    AddedIds(front=(101,), back=(102,))
    """
    try:
        tokens = tokenizer.encode("a").tokens
    except InputError:
        return AddedIds()
    of_text = [index for index, token in enumerate(tokens) if token.start >= 0]
    if not of_text:
        return AddedIds()
    ids = [token.id for token in tokens]
    return AddedIds(tuple(ids[: of_text[0]]), tuple(ids[of_text[-1] + 1 :]))


def printed(text: str) -> str:
    """The printable ASCII characters of a text, lowercased, compatibility-decomposed and without marks.

    >>> printed("＜S\\u200b\\u0301＞ ▁x")
    '<s>x'
    """
    return "".join(filter(PRINTED.__contains__, normalize("NFKD", text).lower()))


BUDGET = 400_000
"""The most characters that are encoded for one search; the encoding of the whole text is known."""

TRACED = 4
"""The relative cost of encoding with spans."""

MOST_CUTS = 64
TRIES = 160
"""The most positions that are tried for one cut, the nearest first."""


class SplitText(NamedTuple):
    """A text in parts. offsets: of the cuts. how: which parts have special tokens, in words, if it matters."""

    offsets: tuple[int, ...]
    parts: tuple[Encoded, ...]
    how: str


def in_parts(
    attempts: Attempts, text: str, expected: Sequence[int], options: Options, most: int = MOST_CUTS
) -> SplitText | None:
    """The parts whose ids are exactly the expected ones; None if there are none. most: the number of cuts.

    >>> import explorer
    >>> tok = explorer.load("llama-2")
    >>> found = in_parts(Attempts(tok, tok.trace("What is")), "What is", [1, 1724, 474, 1, 269], Options())
    >>> found and found.offsets
    (6,)
    """
    tokenizer = attempts.tokenizer
    if not is_plausible(tokenizer, expected, text):
        return None
    expected = list(expected)
    off, on = Options(False, options.parse_special), Options(True, options.parse_special)
    settings = [
        ((on, on), ", each part with its special tokens"),
        ((on, off), ", only the first part with special tokens"),
        ((off, off), ", all without special tokens"),
    ]
    if not adds_tokens(tokenizer):
        settings = [((options, options), "")]
    elif not options.add_special:
        settings.reverse()
    left = BUDGET
    for (first, rest), how in settings:
        if not possible(attempts, text, expected, first, rest):
            continue
        search = Search(attempts, text, expected, first, rest, left)
        try:
            # one cut is tried before several
            offsets = search.cuts(0, 0, 1) or (search.cuts(0, 0, most) if most > 1 else None)
        except InputError:
            return None  # the vocabulary can't encode a part
        left = search.left
        if offsets and (len(offsets) == 1 or 2 * (len(offsets) + 1) <= len(expected)):
            edges = (0, *offsets, len(text))
            parts = tuple(Encoded(tokenizer, text[a:b], first if a == 0 else rest) for a, b in pairwise(edges))
            return SplitText(tuple(offsets), parts, how)
    return None


def possible(attempts: Attempts, text: str, expected: list[int], first: Options, rest: Options) -> bool:
    """Whether the ids have exactly the special tokens that these options give the parts."""
    around = attempts.added_ids(attempts.tokenizer)
    if around is None:
        return True
    front, back = map(list, around)
    if first.add_special and expected[: len(front)] != front:
        return False
    if rest.add_special and (back or front):
        # the tokens added to every part occur between two parts
        seam, last = [*back, *front], len(expected) - len(back)
        starts = range(len(front) or 1, len(expected))
        return expected[last:] == back and any(expected[at : at + len(seam)] == seam for at in starts)
    unwritten = attempts.unwritten(attempts.tokenizer, expected, text)
    return unwritten <= (Counter([*front, *back]) if first.add_special else Counter())


@dataclass
class Search:
    """A search with options for the first part and for the rest. left: characters that may still be encoded."""

    attempts: Attempts
    text: str
    expected: list[int]
    first: Options
    rest: Options
    left: int

    def cuts(self, at: int, index: int, most: int) -> list[int] | None:
        """The cuts of the text from `at` on that give the expected ids from `index` on; None if there are none.

        most: the number of cuts that may still be made.
        """
        text, wanted, options = self.text[at:], self.expected[index:], self.rest if at else self.first
        tokenizer, known = self.attempts.tokenizer, text == self.attempts.given.text
        if not known and not self.spend(len(text)):
            return None
        asked = options._asdict()
        encoding = self.attempts.encoding(tokenizer, text, options) if known else tokenizer.encode(text, **asked)
        if encoding is None:
            return None
        ids = encoding.ids
        if ids == wanted:
            return [] if at else None
        if not most or (not known and not self.spend(TRACED * len(text))):
            return None
        of_text = [token for token in encoding.tokens[common(ids, wanted) :] if token.start >= 0]
        start, end = (of_text[0].start, of_text[0].end) if of_text else (len(text), len(text))
        for length in nearest(start, end, len(text)):
            if not self.spend(length):
                return None
            front = tokenizer.encode(text[:length], **asked).ids
            if wanted[: len(front)] == front:
                rest = self.cuts(at + length, index + len(front), most - 1)
                if rest is not None:
                    return [at + length, *rest]
        return None

    def spend(self, characters: int) -> bool:
        """Uses some of the budget; returns whether it sufficed."""
        self.left -= characters
        return self.left >= 0


def nearest(start: int, end: int, size: int) -> Iterator[int]:
    """The lengths that a part may have: those in [start, end] from the longest down, then outwards.

    >>> list(nearest(2, 3, 6))
    [3, 2, 1, 4, 5]
    """
    lengths = list(range(min(end, start + TRIES), start - 1, -1))
    for step in range(1, TRIES):
        lengths += [start - step, end + step]
    return islice((length for length in lengths if 0 < length < size), TRIES)


MOST = 4
"""Examples at most."""
MOST_PLACES = 8
"""Places where the text is cut in two, the nearest to its middle first."""


class Example(NamedTuple):
    """Ids that another program may give.

    with_it: whether something is there that the tokenizer's own ids lack (a space, a special token) or lacking. cut:
    the offset of the cut. name: of the other tokenizer, as it is called.
    """

    reason: Reason
    ids: tuple[int, ...]
    with_it: bool = False
    cut: int = 0
    name: str = ""


def examples(
    tokenizer: Opened, text: str, options: Options, others: Sequence[tuple[str, Opened]] = ()
) -> list[Example]:
    """At most `MOST` examples. others: tokenizers by what people call them, whose ids are an example.

    >>> import explorer
    >>> [(each.reason.value, each.ids) for each in examples(explorer.load("llama-2"), "What is", Options())]
    [('leading space', (1, 5618, 338)), ('missing special token', (1724, 338)), ('special token twice', (1, 1, 1724, \
338)), ('encoded in parts', (1, 1724, 29871, 338))]
    """
    seen = {tuple(Encoded(tokenizer, text, options).ids())}
    made: list[Example] = []
    for example in candidates(tokenizer, text, options, others):
        if example.ids not in seen:
            seen.add(example.ids)
            made.append(example)
        if len(made) == MOST:
            break
    return made


def candidates(
    tokenizer: Opened, text: str, options: Options, others: Sequence[tuple[str, Opened]]
) -> Iterator[Example]:
    """The examples in order, the commonest first."""
    if not text:
        return
    other = flipped(tokenizer, Switch.PREFIX_SPACE)
    if other is not None and is_on(tokenizer, Switch.PREFIX_SPACE):
        yield from tried(Reason.LEADING_SPACE, Encoded(other, text, options))
    else:
        yield from tried(Reason.LEADING_SPACE, Encoded(tokenizer, f" {text}", options), with_it=True)
    if adds_tokens(tokenizer):
        reason = Reason.MISSING_SPECIAL if options.add_special else Reason.EXTRA_SPECIAL
        with_other = options._replace(add_special=not options.add_special)
        yield from tried(reason, Encoded(tokenizer, text, with_other), with_it=not options.add_special)
        first = tokenizer.encode("a").tokens[0]
        if options.add_special and options.parse_special and first.start < 0:
            spelled = tokenizer.vocabulary.pieces[first.id].decode("utf-8", "replace")
            yield from tried(Reason.DOUBLED, Encoded(tokenizer, spelled + text, options), with_it=True)
    own = tuple(Encoded(tokenizer, text, options).ids())
    rest = options._replace(add_special=False)
    in_two = (
        example._replace(cut=cut)
        for cut in cuts(text)
        for example in tried(
            Reason.PARTS, Encoded(tokenizer, text[:cut], options), Encoded(tokenizer, text[cut:], rest)
        )
        if example.ids != own
    )
    yield from islice(in_two, 1)
    yield from tried(Reason.WHITE_SPACE, Encoded(tokenizer, f"{text}\n", options), with_it=True)
    for name, opened in others:
        for example in tried(Reason.OTHER_TOKENIZER, Encoded(opened, text, options)):
            yield example._replace(name=name)


def tried(reason: Reason, *encoded: Encoded, with_it: bool = False) -> Iterator[Example]:
    """An example, if the vocabulary can encode the text."""
    try:
        yield Example(reason, tuple(Recipe(encoded).ids()), with_it)
    except InputError:
        return


def cuts(text: str) -> list[int]:
    """Where a text may be cut in two: after a space first, then anywhere, each the nearest to its middle first.

    >>> cuts("one two six")
    [4, 8, 5, 6, 7, 3, 2, 9]
    """
    middle = len(text) / 2
    around = range(max(1, len(text) // 2 - 200), min(len(text), len(text) // 2 + 200))
    nearest = sorted(around, key=lambda at: abs(at - middle))
    return sorted(nearest, key=lambda at: text[at - 1] != " ")[:MOST_PLACES]


def explain(
    tokenizer: Opened,
    text: str,
    expected: Sequence[int],
    *,
    add_special: bool = True,
    parse_special: bool = True,
    open_other: Loader = load,
    given: Trace | None = None,
) -> Explanation:
    """Why `tokenizer` does not give the expected ids for `text`. given: its trace of the text, if known.

    >>> import explorer
    >>> explain(explorer.load("llama-2"), "What is", [1724, 338]).sentence
    'The expected ids lack “<s>” (1) at the start; without the option “Add BOS/EOS” they are what llama-2 gives.'
    >>> explain(explorer.load("gpt-2"), "What is", [2061, 318]).reason.value
    'same ids'
    """
    options = Options(add_special, parse_special)
    text = clean(text)
    with many_runs("an explanation", len(text)):
        if given is None:
            given = tokenizer.trace_lazily(text, **options._asdict())
        return Explainer(tuple(expected), options, open_other, Attempts(tokenizer, given)).explanation()


class Explainer(ExpectedIds):
    """Tries the explanations. open_other: opens another tokenizer by name."""

    def __init__(self, expected: tuple[int, ...], options: Options, open_other: Loader, attempts: Attempts) -> None:
        super().__init__(attempts.tokenizer, attempts.given.text, expected, options, attempts.given.encoding)
        self.open_other, self.attempts = open_other, attempts

    def explanation(self) -> Explanation:
        """The explanation, or what can be said without one."""
        exact = self.exact()
        answer = exact or Answer(*self.unexplained())
        say = Say("The expected ids {0}.", answer.says) if exact else answer.says
        if answer.reason == Reason.SAME:
            count = len(self.expected)
            say = Say("No difference: the expected ids are the {0} that {1:t} gives.", count, self.name)
        if any(each.position == Position.FRONT for each in self.ends) and (note := note_on(self.tokenizer)):
            say = say.then(Say("{0:t}", note))
        first = answer.recipe.encoded[0] if answer.recipe and answer.specs else None
        found = answer._asdict()
        del found["says"]
        return Explanation(
            text=self.text,
            expected=self.expected,
            given=self.given,
            decoded=self.decoded,
            encoding=None
            if self.decoded is None
            else tokens_on(self.tokenizer, self.expected, self.text, self.parts_decoded),
            stretches=tuple(self.stretches),
            regions=tuple(self.regions()),
            say=say,
            options=first.options if first else None,
            read=first.text if first else None,
            tried=self.attempts.counts(),
            **found,
        )

    def exact(self) -> Answer | None:
        """The first explanation that gives exactly the expected ids."""
        if self.given.ids == list(self.expected):
            return Answer(Reason.SAME, Say(""), self.recipe(self.options), (spec_of(self.tokenizer),))
        return (
            next(self.near(), None)
            or self.twice()
            or self.apart(lambda inner: next(inner.near(), None))
            or next(self.implementations(), None)
            or self.patterns()
            or self.apart(Explainer.patterns)
            or self.parts()
            or self.apart(Explainer.parts)
            or self.special_only()
            or self.apart(Explainer.special_only)
            or (None if self.is_near else next(self.far(), None))
        )

    # --- this tokenizer on this text, or nearly ----------------------------------------------------------------------

    def near(self) -> Iterator[Answer]:
        """Explanations with this tokenizer alone."""
        special = self.special_words()
        for options in other_options(self.options):
            if self.attempts.gives(self.tokenizer, self.expected, self.text, options):
                reason, says = special or (Reason.OPTIONS, Say("are for other options"))
                says = Say("{0}; {1:t} they are what {2:t} gives", says, without(options, self.options), self.name)
                yield Answer(reason, says, self.recipe(options), (spec_of(self.tokenizer),))
        for flip in what_if.flips(self.tokenizer, {*self.expected, *self.given.ids}):
            yield from self.near_text(flip.tokenizer, self.text, Reason.NORMALIZED, flip.says)
        for reason, what, read in (*escaped(self.text), *(spaced(self.text) if self.is_near else ())):
            yield from self.near_text(self.tokenizer, read, reason, Say("are for the text {0:t}", worded(what)))
        if other := flipped(self.tokenizer, Switch.PREFIX_SPACE):
            how = "without" if is_on(self.tokenizer, Switch.PREFIX_SPACE) else "with"
            says = Say(f"are those {how} a prefix space")
            yield from self.near_text(other, self.text, Reason.LEADING_SPACE, says)

    def near_text(self, tokenizer: Opened, text: str, reason: Reason, says: Say) -> Iterator[Answer]:
        """A tokenizer on a text, with and without parsing special tokens. `apart` covers added special tokens."""
        add, parse = self.options
        return self.tried(tokenizer, text, reason, says, "{0}, and {1:t}", (self.options, Options(add, not parse)))

    def tried(
        self, tokenizer: Opened, text: str, reason: Reason, says: Say, joint: str, choices: Iterable[Options]
    ) -> Iterator[Answer]:
        """A tokenizer on a text under those of the choices that give the ids. joint: joins what differs in options.

        Only a tokenizer that can be loaded by name is named: this one, and another that was opened.
        """
        for options in choices:
            if self.attempts.gives(tokenizer, self.expected, text, options):
                spec = spec_of(tokenizer)
                # one with its parts changed is opened by no name
                specs = () if tokenizer is not self.tokenizer and spec == spec_of(self.tokenizer) else (spec,)
                recipe = Recipe((Encoded(tokenizer, text, options),))
                also = says if options == self.options else Say(joint, says, without(options, self.options))
                yield Answer(reason, also, recipe, specs)

    def patterns(self) -> Answer | None:
        """The same vocabulary with another pattern; also said is whether one cut of the text explains the same."""
        first = next((each for each in self.stretches if not each.same), None)
        if (
            first is None
            or not self.spells_the_same
            or not self.attempts.may(self.tokenizer, self.expected, self.text, self.options)
        ):
            return None
        other = other_pattern(self.tokenizer, self.attempts.given, self.expected, self.options, self.span(first).end)
        if other is None:
            return None
        says = Say("are what {0:t} gives with {1:t}", self.name, other.words)
        cut = in_parts(self.attempts, self.text, self.expected, self.options, most=1)
        if cut is not None:
            says = Say("{0}; the text encoded in parts, cut {1}, gives them, too", says, self.cut_words(cut))
        recipe = Recipe((Encoded(other.tokenizer, self.text, self.options),))
        return Answer(Reason.PATTERN, says, recipe, pattern=other.regex or None, words=other.words)

    def parts(self) -> Answer | None:
        """The text split, and each part encoded separately."""
        cut = in_parts(self.attempts, self.text, self.expected, self.options)
        if cut is None:
            return None
        says = Say("are those of the text encoded in parts, cut {0}", self.cut_words(cut))
        return Answer(Reason.PARTS, says, Recipe(cut.parts), cuts=cut.offsets)

    def cut_words(self, cut: SplitText) -> Say:
        """Where a text was split, after how many characters, and how the parts were encoded."""
        offsets = cut.offsets
        if len(offsets) == 1:
            at = offsets[0]
            sides = shortened(self.text[max(at - 12, 0) : at]), shortened(self.text[at : at + 12])
            return Say("at character {0:i} ({1:q} | {2:q}){3:t}", at, *sides, worded(cut.how))
        *some, last = [str(offset) for offset in offsets[: LISTED + 1]]
        last = last if len(offsets) <= LISTED + 1 else Text("{0} more", len(offsets) - LISTED)
        return Say("at characters {0:t} and {1:t}{2:t}", ", ".join(some), last, worded(cut.how))

    # --- special tokens -----------------------------------------------------------------------------------------------

    def twice(self) -> Answer | None:
        """A special token twice at the start: it was added to a text that already begins with it."""
        if len(self.expected) < 2 or not self.is_special(self.expected[0]) or self.expected[0] != self.expected[1]:
            return None
        doubled = self.expected[0]
        spelled = self.vocabulary.pieces[doubled].decode("utf-8", "replace")
        says = Say(
            "have {0:t} twice at the start; they are what {1:t} gives for the text with {2:q} before it",
            self.listed([doubled]),
            self.name,
            spelled,
        )
        return next(self.tried(self.tokenizer, spelled + self.text, Reason.DOUBLED, says, ", ", self.choices), None)

    @property
    def choices(self) -> tuple[Options, ...]:
        """All choices of options, the requested ones first."""
        return self.options, *other_options(self.options)

    def apart(self, explained: Callable[[Explainer], Answer | None]) -> Answer | None:
        """An explanation of the ids between the special tokens, if those at the ends differ, too."""
        if not self.ends:
            return None
        reason, says = self.stretch_words(self.ends)
        front, back, between = self.end_tokens(Position.FRONT), self.end_tokens(Position.BEHIND), self.between
        ids = self.given.ids
        middle = self.expected[between[0].expected.start : between[-1].expected.stop] if between else ()
        drop = len(front[1]), len(back[1])
        with_given_ends = (*front[1], *middle, *back[1])
        if list(with_given_ends) == ids:
            answer = Answer(reason, says, self.recipe(self.options))
        else:
            known = explained(Explainer(with_given_ends, self.options, self.open_other, self.attempts))
            if known is None:
                return None
            answer = known._replace(says=Say("{0}; otherwise they {1}", says, known.says))
        recipe = answer.recipe and answer.recipe._replace(drop=drop, front=front[0], back=back[0])
        return answer._replace(recipe=recipe, specs=())

    def end_tokens(self, position: Position) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The special tokens at the start or at the end: the expected ones, the given ones."""
        sides = [self.sides(each) for each in self.stretches if each.position == position]
        return tuple(id for one, _ in sides for id in one), tuple(id for _, other in sides for id in other)

    def special_only(self) -> Answer | None:
        """Only special tokens differ."""
        words = self.special_words()
        return None if words is None else Answer(*words)

    # --- other tokenizers ---------------------------------------------------------------------------------------------

    def implementations(self) -> Iterator[Answer]:
        """Other implementations of the same model."""
        model = catalog().get(self.name)
        if model is None or (is_bundled(self.tokenizer) and not is_plausible(self.tokenizer, self.expected, self.text)):
            return  # all implementations share the vocabulary
        for implementation in model.implementations:
            if implementation != self.tokenizer.implementation:
                found = self.other(self.open_other(f"{self.name}@{implementation}"), Reason.IMPLEMENTATION)
                if found is not None:
                    yield found

    def far(self) -> Iterator[Answer]:
        """The other bundled models: one explanation that lists all that give the ids, since many share a vocabulary.

        Opening a vocabulary takes up to half a second. So the catalog's figures are checked first, and a file whose
        vocabulary rules the ids out is skipped for all its implementations.
        """
        answers: dict[str, Answer] = {}
        for model in catalog().values():
            if model.name == self.name:
                continue
            if rules_out(model, self.expected, self.text):
                self.attempts.ruled_out.add(model.name)
                continue
            for implementation in model.implementations:
                tokenizer = self.open_other(f"{model.name}@{implementation}")
                if not is_plausible(tokenizer, self.expected, self.text):
                    self.attempts.ruled_out.add(model.name)
                    break
                each = self.other(tokenizer, Reason.OTHER_TOKENIZER)
                if each is not None:
                    answers[model.name] = each
                    break
        if answers:
            first, *more = answers.values()
            specs = tuple(spec for each in answers.values() for spec in each.specs)
            also = Say("{0}, and {1:t} as well", first.says, ", ".join(specs[1:])) if more else first.says
            yield first._replace(says=also, specs=specs)

    def other(self, tokenizer: Opened, reason: Reason) -> Answer | None:
        """Another tokenizer with each choice of options."""
        says = Say("are what {0:t} gives", spec_of(tokenizer))
        answer = next(self.tried(tokenizer, self.text, reason, says, "{0} {1:t}", self.choices), None)
        if answer is None or answer.recipe is None or reason != Reason.IMPLEMENTATION:
            return answer
        if answer.recipe.encoded[0].options != self.options:
            return answer
        runs = [
            run(each, self.text, implementation_title(each.implementation), **self.options._asdict())
            for each in (self.tokenizer, tokenizer)
        ]
        why = compare(*runs).say
        return answer._replace(says=Say("{0}: {1}", says, without_stop(why)))

    # --- helpers ------------------------------------------------------------------------------------------------------

    def recipe(self, options: Options) -> Recipe:
        """The recipe that encodes the text with some options."""
        return Recipe((Encoded(self.tokenizer, self.text, options),))


def spec_of(tokenizer: Opened) -> str:
    """The name of a tokenizer for `explorer.load`."""
    return f"{tokenizer.name}@{tokenizer.implementation}"


def other_options(options: Options) -> tuple[Options, ...]:
    """The other choices of options, those with one change first."""
    add, parse = options
    return Options(not add, parse), Options(add, not parse), Options(not add, not parse)


def without(options: Options, asked: Options) -> str:
    """The options that differ from the requested ones, in words.

    >>> without(Options(False, True), Options())
    'without the option “Add BOS/EOS”'
    """
    names = map(Text, ("Add BOS/EOS", "Recognize control tokens"))
    changed = [
        Text("with the option {0:q}" if after else "without the option {0:q}", each)
        for before, after, each in zip(asked, options, names, strict=True)
        if before != after
    ]
    return in_a_row(*changed, between="{0:t} and {1:t}")


WRITTEN = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}
"""Characters that are often written as escapes, with their escapes."""


Other = tuple[Reason, str, str]
"""Why another text is tried, a phrase that follows "they are for the text", and the text."""


def escaped(text: str) -> Iterator[Other]:
    """The text with its escapes replaced, or with characters written as escapes."""
    if has_escapes(text):
        start, stop, ch = next(escapes(text))
        shown = points(ch) if ch.isprintable() else named(ch)
        yield (
            Reason.ESCAPES,
            Text("with its escapes replaced ({0:t} by {1:t})", text[start:stop], shown),
            unescape(text),
        )
    written = text.translate({ord(ch): name for ch, name in WRITTEN.items()})
    if written != text:
        ch = next(ch for ch in text if ch in WRITTEN)
        yield (
            Reason.ESCAPES,
            Text("with characters written as escapes ({0:t} as {1:t})", named(ch), WRITTEN[ch]),
            written,
        )


def spaced(text: str) -> Iterator[Other]:
    """The text with more or less white space at an end."""
    yield Reason.LEADING_SPACE, "with a leading space", " " + text
    if text.startswith(" "):
        yield Reason.LEADING_SPACE, "without its leading space", text[1:]
        yield Reason.LEADING_SPACE, "without its leading spaces", text.lstrip(" ")
    for end, what in (("\n", "a line feed"), (" ", "a space"), ("\r\n", "a carriage return and a line feed")):
        yield Reason.WHITE_SPACE, Text("with {0:t} at the end", Text(what)), text + end
        if text.endswith(end):
            yield Reason.WHITE_SPACE, Text("without {0:t} at the end", Text(what)), text.removesuffix(end)
    for read, what in ((text.strip(), "white space at its ends"), (text.replace("\r\n", "\n"), "carriage returns")):
        if read != text:
            yield Reason.WHITE_SPACE, Text("without {0:t}", Text(what)), read
