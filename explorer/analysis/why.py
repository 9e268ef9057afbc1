"""Why a token came about, and why there is a cut between two tokens, from the events of a trace.

`why`, `why_token` and `why_cut` are answered by the stage that knows. The ids of a trace are those of the model's
stage, cut to a length, with tokens added. To find which is which, the stages after the model run on tokens that have
numbers as spans. The accounts of models are in `stages/`; what happens before the model, special tokens found in the
text and cuts that no token crosses, is here.

Nothing is guessed: every step is an event, and what the events do not tell is not said.

Also what becomes of a cut elsewhere: under other tokenizers, and in spellings nearby. Both encode the whole text,
because what is around a word may decide how it is cut.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple, cast

from explorer.analysis.export import Export, Provenance, plain_values
from explorer.engine import budget
from explorer.engine.part import ADDED, Items, Model, Segment, Token, silent
from explorer.engine.partition.special_tokens import SpecialTokenPartition
from explorer.engine.pre_tokenizers.by_regex import PreTokenization
from explorer.engine.pre_tokenizers.wpm import WpmWords
from explorer.engine.tokenizer import Encoding, Trace
from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.stages.partition.stage import DNA
from explorer.stages.post_processors import AfterModel
from explorer.stages.spelling import Form, Speller
from explorer.stages.stage import Cut, CutCause, Made, OriginKind, Seam, TokenOrigin, TokenText, WhyStep
from explorer.stages.table import kind_of, model_kind
from explorer.text import visible
from explorer.text.say import Say, Text
from explorer.vocabulary import PieceKind


class Why(NamedTuple):
    """What is known about an offset of the text.

    at: in code points. origins: of the tokens that contain the character there, several if it is split. cuts: those at
    the offset, and those within the character. Both are empty where no token comes from the text there.
    """

    at: int
    origins: tuple[TokenOrigin, ...]
    cuts: tuple[Cut, ...]


def why_export(tokenizer: Opened, trace: Trace, found: Why) -> Export:
    """What is known about an offset: the tokens there and the cuts."""
    provenance = Provenance.of([tokenizer], trace.text, trace.options)
    return Export("why", provenance, lambda: {"at": found.at, "stages": [stage.name for stage in trace.stages]} | {
        name: plain_values(getattr(found, name)) for name in ("origins", "cuts")
    })  # fmt: skip


def together(items: Items, one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether some segment contains code points from both spans of the original text."""
    spans = (list(zip(item.starts, item.ends, strict=True)) for item in items if isinstance(item, Segment))
    return any(one in each and other in each[each.index(one) :] for each in spans)


SPACING = 1 << 32
"""Distance of the spans that number tokens: no stage moves a span that far."""

THIS = "this vocabulary"


def why(trace: Trace, at: int, *, tokenizer_label: str = THIS) -> Why:
    """How the tokens at an offset of the text came about, and why there is a cut.

    at: in code points of the text. tokenizer_label: how sentences name the tokenizer. Raises InputError for an offset
    outside the text.

    >>> import explorer
    >>> from explorer.text.say import plain
    >>> trace = explorer.load("llama-2").trace("What is LoRA?")
    >>> found = why(trace, 10, tokenizer_label="Llama 2")
    >>> plain(found.cuts[0].sentence)
    'To be one token, “▁LoRA” would have to be a piece of Llama 2. It is not among the 32,000.'
    >>> [(step.event, step.makes, step.value) for step in found.cuts[0].steps if step.kind == "MERGE"]
    [(36, '▁Lo', -4050.0), (39, 'RA', -4458.0)]
    >>> plain(found.origins[0].sentence)
    'One merge makes “RA”.'
    """
    account = TraceAccount(trace, tokenizer_label)
    if not isinstance(at, int) or isinstance(at, bool) or not 0 <= at <= account.length:
        raise InputError(f"the offset {at!r} is not in the text, whose offsets are 0 to {account.length}")
    with budget.run(budget.of_text(len(trace.text))):
        spans = [(token.start, token.end) for token in trace.encoding.tokens]
        origins = [number for number, (start, end) in enumerate(spans) if start <= at < end or start == end == at]
        cuts = [number for number, pair in enumerate(pairwise(spans)) if is_cut(*pair, at)]
        return Why(at, tuple(map(account.origin, origins)), tuple(map(account.cut, cuts)))


def is_cut(left: tuple[int, int], right: tuple[int, int], at: int) -> bool:
    """Whether a cut between two tokens is at an offset, or within the character there."""
    if ADDED in (left[0], right[0]):
        return False
    return left[1] <= at <= right[0] or (left[0] <= at < left[1] and right[0] <= at < right[1])


def why_token(trace: Trace, number: int, *, tokenizer_label: str = THIS, form: Form = Form.NOTATION) -> TokenOrigin:
    """How token `number` of a trace came about. Raises InputError if there is none.

    >>> import explorer
    >>> trace = explorer.load("llama-2").trace("What is LoRA?")
    >>> [(node.text, node.event, node.value) for node in why_token(trace, 1).tree if node.children]
    [('at', 14, -12.0), ('▁W', 26, -140.0), ('▁Wh', 29, -547.0), ('▁What', 31, -1465.0)]
    """
    check(trace, number, len(trace.ids))
    with budget.run(budget.of_text(len(trace.text))):
        return TraceAccount(trace, tokenizer_label, form).origin(number)


def why_cut(trace: Trace, number: int, *, tokenizer_label: str = THIS, form: Form = Form.NOTATION) -> Cut:
    """Why there is a cut between tokens `number` and `number + 1` of a trace. Raises InputError if there is none.

    >>> import explorer
    >>> cut = why_cut(explorer.load("gpt-2").trace("Hello world"), 0)
    >>> cut.cause.name, cut.steps[-1].parts
    ('PRE_TOKENIZER', ('␣world',))
    """
    check(trace, number, len(trace.ids) - 1)
    with budget.run(budget.of_text(len(trace.text))):
        return TraceAccount(trace, tokenizer_label, form).cut(number)


def check(trace: Trace, number: int, count: int) -> None:
    """Raises InputError for a number outside [0, count)."""
    if not 0 <= number < count:
        what = "token" if count == len(trace.ids) else "cut after token"
        raise InputError(f"there is no {what} {number}: the text has {len(trace.ids)} tokens, counted from 0")


class TraceAccount:
    """One trace, and what its stages say."""

    def __init__(self, trace: Trace, tokenizer_label: str, form: Form = Form.NOTATION) -> None:
        self.trace = trace
        self.speller = Speller(trace, form)
        self.model = [stage.name for stage in trace.stages].index("model")
        self.before_model, stage = trace.stages[: self.model], trace.stages[self.model]
        self.items = stage.before
        self.family = model_kind(cast(Model, stage.part)).account(trace, self.model, self.speller, tokenizer_label)
        self.after = AfterModel(trace, self.model, self.speller)
        first = trace.stages[0].before
        self.whole = first[0] if first and isinstance(first[0], Segment) else Segment("", (), ())
        """The text that was read, with its positions in the original text."""

    @property
    def length(self) -> int:
        """The length of the original text, in code points."""
        return self.whole.ends[-1] if self.whole.ends else 0

    def in_read(self, position: int) -> int:
        """A position of the original text in the text that was read, in which events count."""
        return bisect_left(self.whole.starts, position)

    def text(self, start: int, end: int) -> str:
        """The text that was read, by positions of the original."""
        return self.trace.text[self.in_read(start) : self.in_read(end)]

    def token(self, number: int) -> TokenText:
        """A token with its texts."""
        id, start, end = self.trace.encoding.tokens[number]
        span = (None, None) if start == ADDED else (start, end)
        return TokenText(number, id, self.speller.token(id), self.speller.vocabulary.spelling(id), *span)

    @cached_property
    def sources(self) -> tuple[int | None, ...]:
        """By number of a token, its index in the model's output; None if it was added."""
        items: Items = [
            Token(item.id, index * SPACING, index * SPACING + SPACING // 2)
            for index, item in enumerate(self.trace.stages[self.model].after)
            if isinstance(item, Token)
        ]
        for stage in self.trace.stages[self.model + 1 :]:
            items = stage.part.run(items, self.trace.options, silent)
        sources = tuple(
            None if item.start == ADDED else item.start // SPACING for item in items if isinstance(item, Token)
        )
        assert len(sources) == len(self.trace.ids), "the stages after the model do the same again"
        return sources

    # --- a token ------------------------------------------------------------------------------------------------------

    def origin(self, number: int) -> TokenOrigin:
        """How a token came about."""
        token, source = self.token(number), self.sources[number]
        if source is None:
            return self.added(number, token)
        if source in self.sources[:number]:
            copied = self.after.about("AGAIN", number)
            said = Say("{0:q} is a copy: the template of the file contains the text twice.", token.text)
            return TokenOrigin(token, OriginKind.COPY, said, *self.place(copied), steps=copied)
        made = self.family.made[source]
        item = self.items[made.item]
        return self.in_text(item, token) if isinstance(item, Token) else self.family.origin(made, token)

    def added(self, number: int, token: TokenText) -> TokenOrigin:
        """A token that is not from the text."""
        for kind, says in (
            ("FIRST", "{0:q} ({1:t}) is put in front of the text. It is not from the text."),
            ("LAST", "{0:q} ({1:t}) is put after the text. It is not from the text."),
        ):
            if steps := self.after.about(kind, number):
                said = Say(says, token.text, str(token.id))
                return TokenOrigin(token, OriginKind.ADDED, said, *self.place(steps), steps=steps)
        steps = self.after.about("FILLED", number)
        said = Say("{0:q} ({1:t}) fills the length that padding asks for.", token.text, str(token.id))
        return TokenOrigin(token, OriginKind.PADDING, said, *self.place(steps), steps=steps)

    def place(self, steps: tuple[WhyStep, ...]) -> tuple[int, int | None]:
        """The stage and the event of the first step; the last stage without one."""
        return (steps[0].stage, steps[0].event) if steps else (len(self.trace.stages) - 1, None)

    def finding(self, item: Token) -> tuple[int, int | None, tuple[WhyStep, ...]]:
        """The stage that found a token in the text, and the event with its step, where one tells."""
        number, stage = next((number, stage) for number, stage in enumerate(self.before_model) if item in stage.after)
        kinds, start = kind_of(stage).found, self.in_read(item.start)
        near = [
            (abs(row.start - start), event)
            for event, row in enumerate(stage.events)
            if row.kind in kinds and row.token == item.id
        ]
        if not near:
            return number, None, ()
        event = min(near)[1]
        row = stage.events[event]
        spelled, note = self.trace.text[row.start : row.end], Say("token {0:t}", str(row.token))
        kind = stage.part.kinds(row.kind).name
        return number, event, (WhyStep(number, event, kind, (spelled,), self.speller.token(row.token), note),)

    def in_text(self, item: Token, token: TokenText) -> TokenOrigin:
        """A token found in the text."""
        number, event, steps = self.finding(item)
        spelled = self.text(item.start, item.end)
        if kind_of(self.before_model[number]) is DNA:
            said = Say("{0:q} is DNA: between <dna> and </dna> every six letters are a token.", spelled)
        elif self.speller.vocabulary.kind(item.id) in (PieceKind.CONTROL, PieceKind.UNKNOWN):
            said = Say("{0:q} is in the text. It is a special token, and these are taken out before all else.", spelled)
        else:
            said = Say(
                "{0:q} is in the text. It is an added token, and these are taken out before the model runs.", spelled
            ).then(*self.anyway(number, item))
        return TokenOrigin(token, OriginKind.SPECIAL, said, number, event, steps=steps)

    def anyway(self, stage: int, item: Token) -> Iterator[Say]:
        """Why a token is found though special tokens are read as text."""
        if self.trace.options.parse_special or self.speller.vocabulary.is_special(item.id):
            return
        if isinstance(self.before_model[stage].part, SpecialTokenPartition):
            yield Say("Special tokens are read as text here, but llama.cpp always finds user-defined tokens.")
        else:
            yield Say("Special tokens are read as text here, but added tokens that are not special are always found.")

    # --- a cut --------------------------------------------------------------------------------------------------------

    def cut(self, number: int) -> Cut:
        """Why there is a cut after a token."""
        left, right = self.token(number), self.token(number + 1)
        one, other = self.sources[number : number + 2]
        if one is None or other is None:
            return self.cut_at_added(number, left, right)
        if other != one + 1:
            said = Say("The template of the file puts these two side by side. In the text they are not neighbors.")
            return Cut(left, right, CutCause.TEMPLATE, said, len(self.trace.stages) - 1, None)
        pair = self.family.made[one], self.family.made[other]
        items = self.items[pair[0].item], self.items[pair[1].item]
        if isinstance(items[0], Token) or isinstance(items[1], Token):
            return self.cut_at_special(items, left, right)
        if pair[0].item == pair[1].item:
            return self.family.cut(pair, left, right)
        return self.cut_between((items[0], items[1]), pair, left, right)

    def cut_at_added(self, number: int, left: TokenText, right: TokenText) -> Cut:
        """Next to a token that is not from the text."""
        added = [self.origin(each) for each in (number, number + 1) if self.sources[each] is None]
        text = added[0].token.text
        if added[0].how == OriginKind.PADDING:
            said = Say("{0:q} is not from the text: padding added it.", text)
        else:
            said = Say("{0:q} is not from the text: post-processing added it.", text)
        steps = tuple(step for each in added for step in each.steps)
        truncated = self.after.truncated(self.sources[number], self.sources[number + 1])
        if truncated:
            row = self.trace.stages[truncated[0].stage].events[truncated[0].event]
            said = said.then(Say("{0} tokens of the text were cut off here.", row.end - row.start))
        return Cut(left, right, CutCause.ADDED_TOKEN, said, *self.place(steps), None, (*truncated, *steps))

    def cut_at_special(self, items: tuple[Token | Segment, Token | Segment], left: TokenText, right: TokenText) -> Cut:
        """Next to a token found in the text."""
        tokens = [item for item in items if isinstance(item, Token)]
        findings = [self.finding(token) for token in tokens]
        notes = [note for found, token in zip(findings, tokens, strict=True) for note in self.anyway(found[0], token)]
        special = self.speller.vocabulary.is_special(tokens[0].id)
        if tokens[0] is items[0]:
            said = Say(
                "The special token {0:q} ends here." if special else "The added token {0:q} ends here.", left.text
            )
        else:
            said = Say(
                "The special token {0:q} begins here." if special else "The added token {0:q} begins here.", right.text
            )
        said = said.then(Say("Text and such tokens are separated before the model runs."), *notes[:1])
        number, event, _ = findings[0]
        steps = tuple(step for _, _, steps in findings for step in steps)
        return Cut(left, right, CutCause.SPECIAL_TOKEN, said, number, event, None, steps)

    def cut_between(
        self, items: tuple[Segment, Segment], pair: tuple[Made, Made], left: TokenText, right: TokenText
    ) -> Cut:
        """Between two items that the model gets apart."""
        one, other = items
        ends = (one.starts[-1], one.ends[-1]), (other.starts[0], other.ends[0])
        # the first stage after which the two are in different items
        apart = (number for number, stage in enumerate(self.before_model) if not together(stage.after, *ends))
        number = next(apart, self.model - 1)
        stage = self.trace.stages[number]
        steps = tuple(kind_of(stage).seam(Seam(number, stage, items, self.whole.starts, self.trace.text)))
        if isinstance(stage.part, PreTokenization) and stage.part.alternatives:
            said = Say(
                "The pattern cuts here before any merge."
                if cast(Model, self.trace.stages[self.model].part).priority is not None
                else "The pattern cuts here before the model runs."
            )
        elif isinstance(stage.part, PreTokenization | WpmWords):
            said = Say("The pre-tokenizer cuts here before the model runs.")
        else:
            said = Say("The stage {0:q} cuts here before the model runs.", stage.name)
        between = self.text(max(one.ends), min(other.starts))
        units = self.family.units(pair[0]), self.family.units(pair[1])
        joined = others = None
        if units[0] is not None and units[1] is not None and not between:
            both = [*units[0], *units[1]]
            joined = self.family.joined(self.family.stored(both))
            others = joined and self.family.others(both, joined.text)
        if between:
            said = said.then(Say("{0:q} between the two belongs to neither.", visible(between)))
        elif joined is not None and joined.id is not None:
            said = said.then(Say("{0:q} is a piece, but no token crosses such a cut.", joined.text))
        else:
            said = said.then(Say("No token crosses such a cut."))
        event = steps[-1].event if steps else None
        return Cut(left, right, CutCause.PRE_TOKENIZER, said, number, event, joined, steps, others)


LONGEST = 4_000
"""Code points of a text that is encoded again, several times."""
MOST_CHARACTERS = 60
"""Characters around a cut that are spelled otherwise."""


class OtherSpelling(NamedTuple):
    """Another spelling of the characters [start, end), which were `was`, and the tokens there: their texts and ids."""

    label: str
    start: int
    end: int
    was: str
    text: str
    tokens: tuple[tuple[str, int], ...]


class OtherCut(NamedTuple):
    """The parts into which some tokenizers cut the characters; one part is the whole. names: of the tokenizers."""

    parts: tuple[str, ...]
    names: tuple[str, ...]


class OtherTokenizers(NamedTuple):
    """How other tokenizers cut the same characters, those with the fewest parts first."""

    say: Say
    cuts: tuple[OtherCut, ...]


def characters_of(cut: Cut, text: str) -> tuple[int, int] | None:
    """The characters [start, end) of both tokens, without white space around; None where they share or lack any."""
    left, right = cut.left, cut.right
    if left.start is None or right.start is None or left.end is None or right.end is None or len(text) > LONGEST:
        return None
    start, end = left.start, right.end
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return (start, end) if 0 < end - start <= MOST_CHARACTERS else None


def tokens_in(tokens: Iterable[Token], start: int, end: int) -> list[Token]:
    """The tokens that come from characters in [start, end)."""
    return [token for token in tokens if 0 <= token.start < end and token.end > start]


def other_spellings(tokenizer: Opened, trace: Trace, cut: Cut, form: Form = Form.NOTATION) -> Iterator[OtherSpelling]:
    """The characters at a cut in other spellings: with or without the space in front, in other case.

    >>> import explorer
    >>> from explorer.analysis.why import why_cut
    >>> tok = explorer.load("llama-2")
    >>> trace = tok.trace("What is LoRA?")
    >>> for each in other_spellings(tok, trace, why_cut(trace, 3)):
    ...     print(each.label, [text for text, _ in each.tokens])
    lora ['▁l', 'ora']
    Lora ['▁L', 'ora']
    LORA ['▁L', 'OR', 'A']
    LoRA without its space ['Lo', 'RA']
    """
    text = trace.text
    span = characters_of(cut, text)
    if span is None:
        return
    start, end = span
    core, speller = text[start:end], Speller(trace, form)
    seen = {core}
    for other in (core.lower(), core.capitalize(), core.upper()):
        if other not in seen:
            seen.add(other)
            yield spelled(tokenizer, trace, speller, (start, end), other, other)
    before = text[start - 1 : start]
    if before and not before.isspace():
        yield spelled(tokenizer, trace, speller, (start, end), f" {core}", f"·{core}")
    elif before == " " and start > 1:
        yield spelled(tokenizer, trace, speller, (start - 1, end), core, Text("{0:t} without its space", core))


def spelled(
    tokenizer: Opened, trace: Trace, speller: Speller, span: tuple[int, int], other: str, label: str
) -> OtherSpelling:
    """One spelling, in its place in the text."""
    start, end = span
    tokens = tokenizer.encode(trace.text[:start] + other + trace.text[end:], **trace.options._asdict()).tokens
    found = tokens_in(tokens, start + len(other) - len(other.lstrip()), start + len(other))
    return OtherSpelling(
        label, start, end, trace.text[start:end], other, tuple((speller.token(token.id), token.id) for token in found)
    )


def other_tokenizers(characters: str, others: Iterable[tuple[str, tuple[str, ...]]]) -> OtherTokenizers:
    """How other tokenizers cut the characters at a cut. others: by name, the parts that each cuts them into.

    >>> import explorer
    >>> from explorer.analysis.why import why_cut
    >>> from explorer.text.say import plain
    >>> trace = explorer.load("llama-2").trace("What is LoRA?")
    >>> start, end = characters_of(why_cut(trace, 3), trace.text)
    >>> others = [explorer.load(name).encode(trace.text) for name in ("gpt-2", "bert-uncased")]
    >>> parts = [parts_in(trace.text, each, start, end) for each in others]
    >>> found = other_tokenizers("LoRA", zip(("gpt-2", "bert-uncased"), parts))
    >>> plain(found.say), found.cuts
    ('None of the 2 other tokenizers here keeps “LoRA” as one token.', \
(OtherCut(parts=('Lo', 'RA'), names=('gpt-2', 'bert-uncased')),))
    """
    by_parts: dict[tuple[str, ...], list[str]] = {}
    for name, parts in others:
        by_parts.setdefault(parts, []).append(name)
    count, whole = sum(map(len, by_parts.values())), by_parts.get((characters,), [])
    if whole:
        keeps = "keeps" if len(whole) == 1 else "keep"
        said = Say(
            f"{{0}} of the {{1}} other tokenizers here {keeps} {{2:q}} as one token.", len(whole), count, characters
        )
    else:
        said = Say("None of the {0} other tokenizers here keeps {1:q} as one token.", count, characters)
    cuts = [OtherCut(parts, tuple(names)) for parts, names in by_parts.items()]
    return OtherTokenizers(said, tuple(sorted(cuts, key=lambda each: len(each.parts))))


def parts_in(text: str, encoding: Encoding, start: int, end: int) -> tuple[str, ...]:
    """The parts of the characters [start, end), one if they are a token. Those in several tokens have their number."""
    parts: list[str] = []
    before: tuple[int, int] | None = None
    for token in tokens_in(encoding.tokens, start, end):
        part = text[token.start : token.end].lstrip()
        span, part = (token.end - len(part), token.end), part.rstrip()
        if encoding.vocabulary.kinds[token.id] == PieceKind.UNKNOWN:
            parts.append(f"{part} unknown")
        elif span == before:
            name, _, times = parts[-1].partition(" × ")
            parts[-1] = f"{name} × {int(times or 1) + 1}"
        elif part:
            parts.append(part)
        before = span
    return tuple(parts)
