"""Ids that somebody expected for a text, and why this tokenizer gives others.

The first explanation that gives exactly the expected ids is told, the nearest to hand first: special tokens missing or
too many, other options, an escape that was read or not, white space at the ends, the prefix space, another
implementation of the same model, another tokenizer. Where none does, the expected ids are decoded, and either they
spell another text, or the same text is cut otherwise. Nothing is guessed: what is said was tried.

Other tokenizers are opened one after the other and only when nothing nearer explains the ids; whoever calls says how,
so that a page can take them from its memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from functools import cached_property
from typing import Final, NamedTuple

from explorer.analysis.changes import points, shortened
from explorer.analysis.divergence import compare
from explorer.analysis.other_text import common_ends, named, other_text
from explorer.analysis.run import TITLES, run
from explorer.analysis.spelling import Spelling, spelling_of
from explorer.analysis.what_if import Loader, Switch, flipped, has_escapes, is_on
from explorer.catalog import catalog, load
from explorer.engine.items import ADDED, Token
from explorer.engine.options import Options
from explorer.engine.tokenizer import Encoding, Tokenizer
from explorer.errors import InputError
from explorer.text import clean, escapes, unescape
from explorer.vocabulary import PieceKind, Vocabulary

MIDDLE: Final = 2_000
"""Up to so many ids between the first and the last difference are compared one by one."""


class Reason(StrEnum):
    """Why the expected ids are not those of the tokenizer."""

    SAME = "same ids"
    MISSING_SPECIAL = "missing special token"
    EXTRA_SPECIAL = "extra special token"
    OTHER_SPECIAL = "other special token"
    OPTIONS = "other options"
    ESCAPES = "escapes"
    LEADING_SPACE = "leading space"
    WHITE_SPACE = "white space at an end"
    IMPLEMENTATION = "another implementation"
    OTHER_TOKENIZER = "another tokenizer"
    OUT_OF_RANGE = "no id of this vocabulary"
    TEXT = "another text"
    CUTS = "other cuts"


class Stretch(NamedTuple):
    """Expected ids [expected) beside given ids [given): the same, or not."""

    same: bool
    expected: range
    given: range


@dataclass(frozen=True, slots=True)
class Explanation:
    """What became of the expected ids.

    given: what the tokenizer gives for `text`. decoded: what the expected ids spell, None where one of them is no id of
    this vocabulary. encoding: the expected ids as tokens on `text`, None where they do not spell exactly this text.
    stretches: both lists of ids side by side. specs: the tokenizers that give exactly the expected ids, the nearest
    first, and with which options and for which text the first of them does.
    """

    text: str
    expected: tuple[int, ...]
    given: Encoding
    decoded: str | None
    encoding: Encoding | None
    stretches: tuple[Stretch, ...]
    reason: Reason
    sentence: str
    specs: tuple[str, ...] = ()
    options: Options | None = None
    read: str | None = None

    @property
    def at(self) -> int | None:
        """The number of the first id that differs, from 0; None where they are the same."""
        return next((stretch.expected.start for stretch in self.stretches if not stretch.same), None)


class Found(NamedTuple):
    """An explanation that gives exactly the expected ids."""

    reason: Reason
    sentence: str
    spec: str
    options: Options
    read: str
    specs: tuple[str, ...] = ()


def explain(
    tokenizer: Tokenizer,
    text: str,
    expected: Sequence[int],
    *,
    add_special: bool = True,
    parse_special: bool = True,
    open_other: Loader = load,
) -> Explanation:
    """Why `tokenizer` does not give the expected ids for `text`.

    >>> import explorer
    >>> explain(explorer.load("llama-2"), "What is", [1724, 338]).sentence
    'The expected ids lack “<s>” (1) in front; without the option “add special” they are what llama-2 gives.'
    >>> explain(explorer.load("gpt-2"), "What is", [2061, 318]).reason.value
    'same ids'
    """
    options = Options(add_special, parse_special)
    return Explainer(tokenizer, clean(text), tuple(expected), options, open_other).explanation()


class Explainer:
    """One question and what is asked more than once."""

    def __init__(
        self, tokenizer: Tokenizer, text: str, expected: tuple[int, ...], options: Options, open_other: Loader
    ) -> None:
        self.tokenizer, self.text, self.expected = tokenizer, text, expected
        self.options, self.open_other = options, open_other
        self.vocabulary = tokenizer.vocabulary
        self.given = tokenizer.encode(text, **options._asdict())
        self.strange = next((place for place, id in enumerate(expected) if not is_id(self.vocabulary, id)), None)
        self.decoded = None if self.strange is not None else tokenizer.decode(expected)

    def explanation(self) -> Explanation:
        found = self.exact() or Found(*self.otherwise(), "", self.options, "")
        return Explanation(
            text=self.text,
            expected=self.expected,
            given=self.given,
            decoded=self.decoded,
            encoding=None if self.decoded is None else placed(self.tokenizer, self.expected, self.text),
            stretches=tuple(stretches(self.expected, self.given.ids)),
            reason=found.reason,
            sentence=found.sentence,
            specs=found.specs or ((found.spec,) if found.spec else ()),
            options=found.options if found.spec else None,
            read=found.read if found.spec else None,
        )

    def exact(self) -> Found | None:
        """The first explanation that gives exactly the expected ids."""
        if self.given.ids == list(self.expected):
            count = len(self.expected)
            says = f"No difference: the expected ids are the {count} that {self.tokenizer.name} gives."
            return Found(Reason.SAME, says, self.spec(self.tokenizer), self.options, self.text)
        near = next(self.near(), None)
        if near is not None or self.is_near:
            return near
        return next(self.far(), None)

    # --- this tokenizer on this text, or almost ----------------------------------------------------------------------

    def near(self) -> Iterator[Found]:
        """What can be tried with this tokenizer and other implementations of its model."""
        spec = self.spec(self.tokenizer)
        special = self.special_only()
        for options in self.other_options(self.options):
            if self.gives(self.tokenizer, self.text, options):
                how = f"{without(options, self.options)} they are what {self.tokenizer.name} gives"
                reason, says = special or (Reason.OPTIONS, "The expected ids are for other options")
                yield Found(reason, f"{says}; {how}.", spec, options, self.text)
        for reason, says, read in self.texts():
            for options in (self.options, *self.other_options(self.options)):
                if self.gives(self.tokenizer, read, options):
                    also = f", and {without(options, self.options)}" if options != self.options else ""
                    yield Found(reason, f"The expected ids are for {says}{also}.", spec, options, read)
        other = flipped(self.tokenizer, Switch.PREFIX_SPACE)
        if other is not None:
            for options in (self.options, *self.other_options(self.options)):
                if self.gives(other, self.text, options):
                    how = "without" if is_on(self.tokenizer, Switch.PREFIX_SPACE) else "with"
                    says = f"The expected ids are those {how} a space put in front of the text."
                    yield Found(Reason.LEADING_SPACE, says, "", options, "")
        if special is not None:
            yield Found(special[0], f"{special[1]}.", "", self.options, "")
        model = catalog().get(self.tokenizer.name)
        for implementation in model.implementations if model else ():
            if implementation != self.tokenizer.implementation:
                other_one = self.other(f"{self.tokenizer.name}@{implementation}", Reason.IMPLEMENTATION)
                if other_one is not None:
                    yield other_one

    def texts(self) -> Iterator[tuple[Reason, str, str]]:
        """Texts that are easily taken for this one, and what they are."""
        text = self.text
        if has_escapes(text):
            start, stop, ch = next(escapes(text))
            shown = points(ch) if ch.isprintable() else named(ch)
            yield Reason.ESCAPES, f"the text with its escapes read ({text[start:stop]} as {shown})", unescape(text)
        written = text.translate({ord(ch): name for ch, name in WRITTEN.items()})
        if written != text:
            ch = next(ch for ch in text if ch in WRITTEN)
            yield Reason.ESCAPES, f"the text with escapes written out ({named(ch)} as {WRITTEN[ch]})", written
        if not self.is_near:
            return
        yield Reason.LEADING_SPACE, "the text with a space in front", " " + text
        if text.startswith(" "):
            yield Reason.LEADING_SPACE, "the text without a space in front", text[1:]
            yield Reason.LEADING_SPACE, "the text without the spaces in front", text.lstrip(" ")
        for end, what in (("\n", "a line feed"), (" ", "a space"), ("\r\n", "a carriage return and a line feed")):
            yield Reason.WHITE_SPACE, f"the text with {what} behind", text + end
            if text.endswith(end):
                yield Reason.WHITE_SPACE, f"the text without {what} behind", text.removesuffix(end)
        for read, what in ((text.strip(), "white space at its ends"), (text.replace("\r\n", "\n"), "carriage returns")):
            if read != text:
                yield Reason.WHITE_SPACE, f"the text without {what}", read

    def special_only(self) -> tuple[Reason, str] | None:
        """Where the lists are the same but for special tokens: which one is missing or too many, and where."""
        if self.strange is not None:
            return None
        given = self.given.ids
        plain = [[id for id in ids if not self.is_special(id)] for ids in (self.expected, given)]
        if plain[0] != plain[1]:
            return None
        at = common_ends(self.expected, given)[0]
        one, other = (ids[at] if at < len(ids) and self.is_special(ids[at]) else None for ids in (self.expected, given))
        rest = [*self.expected[at:], *given[at:]]
        where = "in front" if at == 0 else "behind" if all(map(self.is_special, rest)) else f"at id number {at + 1}"
        name = self.tokenizer.name
        if one is None and other is not None:
            return Reason.MISSING_SPECIAL, f"The expected ids lack {self.listed([other])} {where}"
        if other is None and one is not None:
            return (
                Reason.EXTRA_SPECIAL,
                f"The expected ids have {self.listed([one])} {where}, which {name} does not give",
            )
        if one is None or other is None:
            return None
        return Reason.OTHER_SPECIAL, (
            f"The expected ids have {self.listed([one])} {where}, where {name} gives {self.listed([other])}"
        )

    # --- other tokenizers ---------------------------------------------------------------------------------------------

    def far(self) -> Iterator[Found]:
        """The other bundled models: one explanation that names all that give the ids, for many share a vocabulary."""
        found: dict[str, Found] = {}
        for model in catalog().values():
            for implementation in model.implementations if model.name != self.tokenizer.name else ():
                each = self.other(f"{model.name}@{implementation}", Reason.OTHER_TOKENIZER)
                if model.name not in found and each is not None:
                    found[model.name] = each
        if found:
            first, *more = found.values()
            also = f", and {', '.join(each.spec for each in more)} as well" if more else ""
            yield first._replace(
                sentence=f"{first.sentence.rstrip('.')}{also}.", specs=tuple(e.spec for e in found.values())
            )

    def other(self, spec: str, reason: Reason) -> Found | None:
        """One of them with each choice of options."""
        tokenizer = self.open_other(spec)
        for options in (self.options, *self.other_options(self.options)):
            if self.gives(tokenizer, self.text, options):
                also = f" {without(options, self.options)}" if options != self.options else ""
                says = f"The expected ids are what {spec} gives{also}"
                if reason == Reason.IMPLEMENTATION and options == self.options:
                    runs = [run(each, self.text, TITLES.get(each.implementation, each.implementation),
                                **options._asdict()) for each in (self.tokenizer, tokenizer)]  # fmt: skip
                    says += f": {compare(*runs).sentence.rstrip('.')}"
                return Found(reason, f"{says}.", spec, options, self.text)
        return None

    # --- where nothing gives them -------------------------------------------------------------------------------------

    def otherwise(self) -> tuple[Reason, str]:
        """What can be said of ids that nothing gave."""
        if self.strange is not None or self.decoded is None:
            place = self.strange or 0
            id, size = self.expected[place], len(self.vocabulary)
            what = f"is not in the vocabulary of {self.tokenizer.name}, whose ids are 0 to {size - 1}"
            return Reason.OUT_OF_RANGE, (
                f"Id number {place + 1}, {id}, {what}, and no bundled tokenizer gives these ids for this text."
            )
        if not self.expected:
            says = (
                f"The list of expected ids is empty; {self.tokenizer.name} gives {len(self.given.ids)} for this text."
            )
            return Reason.TEXT, says
        ours, theirs = (self.tokenizer.trace_decode(ids).parts for ids in (self.given.ids, self.expected))
        if b"".join(ours) != b"".join(theirs):
            differs = other_text(self.text, self.given.tokens, ours, b"".join(theirs), self.tokenizer.name)
            spell = f"The expected ids spell another text, “{shortened(self.decoded)}”"
            return Reason.TEXT, f"{spell}: {differs}."
        expected, given = next(
            (each.expected, each.given) for each in stretches(self.expected, self.given.ids) if not each.same
        )
        return Reason.CUTS, (
            f"The expected ids spell the same text but part at id number {expected.start + 1}: "
            f"expected {self.listed([self.expected[place] for place in expected])}, "
            f"{self.tokenizer.name} gives {self.listed([self.given.ids[place] for place in given])}."
        )

    def listed(self, ids: Sequence[int]) -> str:
        """Ids with their spellings for a sentence."""
        shown = ", ".join(f"{self.spelling.quoted(id)} ({id})" for id in ids[:6])
        return (shown or "nothing") + (f" and {len(ids) - 6} more" if len(ids) > 6 else "")

    # --- small questions ----------------------------------------------------------------------------------------------

    def gives(self, tokenizer: Tokenizer, text: str, options: Options) -> bool:
        """Whether a tokenizer gives exactly the expected ids for a text."""
        if any(id >= len(tokenizer.vocabulary) for id in self.expected):
            return False
        try:
            return tokenizer.encode(text, **options._asdict()).ids == list(self.expected)
        except InputError:
            return False  # a vocabulary that cannot encode this text gives no ids

    def is_special(self, id: int) -> bool:
        return self.vocabulary.kinds[id] == PieceKind.CONTROL

    @cached_property
    def spelling(self) -> Spelling:
        return spelling_of(self.tokenizer)

    @cached_property
    def is_near(self) -> bool:
        """Whether what the ids spell is mostly the text: then they are of this tokenizer, and of no other."""
        if self.decoded is None:
            return False
        ours = self.tokenizer.decode(self.given.ids)
        front, behind = common_ends(self.decoded, ours)
        return 2 * (front + behind) >= max(len(self.decoded), len(ours), 1)

    @staticmethod
    def other_options(options: Options) -> Iterator[Options]:
        """The other choices of options, those nearest first."""
        add, parse = options
        yield Options(not add, parse)
        yield Options(add, not parse)
        yield Options(not add, not parse)

    @staticmethod
    def spec(tokenizer: Tokenizer) -> str:
        return f"{tokenizer.name}@{tokenizer.implementation}"


WRITTEN: Final = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}
"""Characters that are often written as escapes."""


def without(options: Options, asked: Options) -> str:
    """The options that differ from those that were asked for, in words.

    >>> without(Options(False, True), Options())
    'without the option “add special”'
    """
    changed = [
        f"{'with' if after else 'without'} the option “{each}”"
        for before, after, each in zip(asked, options, ("add special", "parse special"), strict=True)
        if before != after
    ]
    return " and ".join(changed)


def stretches(expected: Sequence[int], given: Sequence[int]) -> Iterator[Stretch]:
    """Two lists of ids side by side, as stretches that are the same and stretches that are not.

    >>> [(each.same, list(each.expected), list(each.given)) for each in stretches([1, 2, 3], [1, 3])]
    [(True, [0], [0]), (False, [1], []), (True, [2], [1])]
    """
    front, behind = common_ends(expected, given)
    if front:
        yield Stretch(True, range(front), range(front))
    ends = len(expected) - behind, len(given) - behind
    one, other = expected[front : ends[0]], given[front : ends[1]]
    if max(len(one), len(other)) > MIDDLE:
        yield Stretch(False, range(front, ends[0]), range(front, ends[1]))
    else:
        for what, a, b, c, d in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
            yield Stretch(what == "equal", range(front + a, front + b), range(front + c, front + d))
    if behind:
        yield Stretch(True, range(ends[0], len(expected)), range(ends[1], len(given)))


def placed(tokenizer: Tokenizer, ids: Sequence[int], text: str) -> Encoding | None:
    """Ids as tokens on the text they spell, None where they spell another one.

    >>> import explorer
    >>> placed(explorer.load("gpt-2"), [2061, 318], "What is").spans
    [(0, 4), (4, 7)]
    """
    parts = tokenizer.trace_decode(ids).parts
    data = text.encode()
    if b"".join(parts) != data:
        return None
    # per byte the character it belongs to
    of = [place for place, ch in enumerate(text) for _ in range(len(ch.encode()))]
    tokens, at = [], 0
    for id, part in zip(ids, parts, strict=True):
        after = at + len(part)
        if part:
            tokens.append(Token(id, of[at], of[after - 1] + 1))
        elif tokenizer.vocabulary.kinds[id] == PieceKind.CONTROL:
            tokens.append(Token(id, ADDED, ADDED))
        else:
            place = of[at] if at < len(of) else len(text)
            tokens.append(Token(id, place, place))
        at = after
    return Encoding.of(tuple(tokens), tokenizer.vocabulary, tokenizer.decoder.alone)


def is_id(vocabulary: Vocabulary, id: int) -> bool:
    """Whether a vocabulary has a piece under this id."""
    return 0 <= id < len(vocabulary) and bool(vocabulary.pieces[id])
