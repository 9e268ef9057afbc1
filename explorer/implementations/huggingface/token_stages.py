"""The stages of a tokenizer.json after its model, each part built from its settings: post-processors, and decoders.

Follows `decoders/` and `processors/` of Hugging Face's tokenizers. The latter recognizes a RobertaProcessing by its
settings, not by its name: a part with `trim_offsets` and `add_prefix_space` is one, any other is a BertProcessing.

Also the file's `truncation` and `padding`: read as the original reads them, reported, and applied on request.
tokenizers applies both to every text, transformers only when its caller asks for it. Here ids are complete unless the
user chooses otherwise (`pad_and_truncate`), and the card warns of what the file asks for.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from explorer.engine.decoders import huggingface as chained
from explorer.engine.decoders.huggingface import ByteFallbackDecoder, ByteLevelDecoder, DecoderStep, PaddedDecoder
from explorer.engine.part import Decoder, Part, Token, silent
from explorer.engine.post_processors import (
    MOST,
    BertProcessing,
    Entry,
    Padding,
    PostProcessing,
    Processor,
    RobertaProcessing,
    Slot,
    Template,
    TrimOffsets,
    Truncation,
)
from explorer.errors import Choices, InputError, shown, verbatim
from explorer.facts import UNUSED, USED, WARNING, Choosable, Fact
from explorer.formats.tokenizer_json import TokenizerJson
from explorer.implementations.huggingface.reading import LocatedPart, flat, of_type, unknown_settings
from explorer.tables import Json
from explorer.text import visible
from explorer.vocabulary import Vocabulary

DECODER_TOPIC = "decoder"

StepAndWords = tuple[DecoderStep, str]
"""A decoder, and a sentence that describes it."""


class DecoderType(NamedTuple):
    """A `type` of a decoder. settings: those it has. unused: those that only its pre-tokenizer uses."""

    read: Callable[[LocatedPart], StepAndWords]
    settings: str = ""
    unused: str = ""


def decoding(part: Json | None) -> tuple[list[DecoderStep], list[Fact]]:
    """The decoders of the section `decoder`, and the facts about them. Raises InputError naming an unknown type."""
    parts = flat(part, "decoder", "decoders")
    if part is None:
        fact = Fact(DECODER_TOPIC, "There is no decoder: the pieces are joined with spaces.", kind=WARNING)
        return [chained.SpaceJoiner()], [fact]
    steps: list[DecoderStep] = []
    facts: list[Fact] = []
    for each in parts:
        type_of = of_type(each, DECODERS, "decoder")
        step, says = type_of.read(each)
        steps.append(step)
        facts.append(Fact(DECODER_TOPIC, says, each.path))
        unused = [key for key in each.part if key in type_of.unused.split()]
        if unused:
            says = f"{', '.join(unused)}: decoding does not use this."
            facts.append(Fact(DECODER_TOPIC, says, each.path, kind=UNUSED))
        facts += unknown_settings(each, type_of.settings, DECODER_TOPIC)
    for step in steps[:-1]:
        if isinstance(step, ByteLevelDecoder):
            step.last = False
    return steps, facts


def _count(part: LocatedPart, key: str) -> int:
    value = part.get(key, int)
    if value < 0:
        raise part.error(f"{key} is {value}, which is below 0")
    return value


def _byte_level(part: LocatedPart) -> StepAndWords:
    return ByteLevelDecoder(), "Printable characters become the bytes they spell."


def _replace(part: LocatedPart) -> StepAndWords:
    kind, pattern = part.pattern()
    content = part.get("content", str)
    to = f"replaced by “{visible(content)}”" if content else "left out"
    if kind is None:
        return chained.ReplaceDecoder(pattern, content), f"“{visible(pattern)}” is {to}."
    from explorer.engine.regexes.oniguruma import OnigurumaSpans

    try:
        spans = OnigurumaSpans(pattern)
    except InputError as error:
        raise part.error(f"pattern {verbatim(pattern)} cannot be run: {error}", "") from None
    return chained.ReplaceDecoder(spans, content), f"What {visible(pattern)} matches is {to}."


def _strip(part: LocatedPart) -> StepAndWords:
    content, start, stop = part.character("content"), _count(part, "start"), _count(part, "stop")
    says = f"Up to {start} “{visible(content)}” at the beginning of a string and {stop} at its end are removed."
    return chained.StripDecoder(content, start, stop), says


def _metaspace(part: LocatedPart) -> StepAndWords:
    replacement = part.character("replacement")
    scheme = part.get("prepend_scheme", str, default="always")
    if scheme not in ("always", "first", "never"):
        raise part.error(f"prepend_scheme is {shown(scheme)}, not always, first or never")
    if part.part.get("add_prefix_space") is False:  # files older than prepend_scheme
        if scheme != "never" and "prepend_scheme" in part.part:
            raise part.error(f"add_prefix_space is false, but prepend_scheme is {scheme!r}")
        scheme = "never"
    first = "" if scheme == "never" else "; the one at the start of the first string is dropped"
    return (
        chained.MetaspaceDecoder(replacement, scheme != "never"),
        f"“{visible(replacement)}” becomes a space{first}.",
    )


def _word_piece(part: LocatedPart) -> StepAndWords:
    prefix, cleanup = part.get("prefix", str, default="##"), part.get("cleanup", bool, default=True)
    says = f"Strings are joined with spaces, except those that begin with “{visible(prefix)}”, which is dropped"
    also = "; spaces before punctuation and contractions are removed" if cleanup else ""
    return chained.WordPieceDecoder(prefix, cleanup), f"{says}{also}."


def _bpe_suffix(part: LocatedPart) -> StepAndWords:
    suffix = part.get("suffix", str, default="</w>")
    says = f"“{visible(suffix)}” becomes a space; in the last string it is dropped."
    return chained.BpeSuffixDecoder(suffix), says


def _ctc(part: LocatedPart) -> StepAndWords:
    pad = part.get("pad_token", str, default="<pad>")
    delimiter = part.get("word_delimiter_token", str, default="|")
    cleanup = part.get("cleanup", bool, default=True)
    says = f"Repeated strings and “{visible(pad)}” are dropped"
    also = f", “{visible(delimiter)}” becomes a space, and spaces before punctuation are removed" if cleanup else ""
    return chained.CtcDecoder(pad, delimiter, cleanup), f"{says}{also}."


OF_BYTE_LEVEL = "add_prefix_space trim_offsets use_regex"

DECODERS: Mapping[str, DecoderType] = {
    "ByteLevel": DecoderType(_byte_level, OF_BYTE_LEVEL, OF_BYTE_LEVEL),
    "Replace": DecoderType(_replace, "pattern content"),
    "ByteFallback": DecoderType(
        lambda part: (
            ByteFallbackDecoder(),
            "Pieces spelled <0xXX> become bytes; a run of them that isn't UTF-8 gives one � for each byte.",
        )
    ),
    "Fuse": DecoderType(lambda part: (chained.FuseDecoder(), "All strings become one.")),
    "Strip": DecoderType(_strip, "content start stop"),
    "Metaspace": DecoderType(
        _metaspace,
        "replacement prepend_scheme split add_prefix_space str_rep",
        "split str_rep",
    ),
    "WordPiece": DecoderType(_word_piece, "prefix cleanup"),
    "BPEDecoder": DecoderType(_bpe_suffix, "suffix"),
    "CTC": DecoderType(_ctc, "pad_token word_delimiter_token cleanup"),
}
"""`type` of a decoder → how it is built and described."""


KEY = "pad_and_truncate"
"""The key of the choice."""
ANSWERS = ("no", "yes")

STRATEGIES = ("LongestFirst", "OnlyFirst", "OnlySecond")
LEFT, RIGHT = "Left", "Right"
BATCH = "BatchLongest"
WHOLE = 1 << 64
ID = 1 << 32


class Lengths(NamedTuple):
    """The truncation and padding of a file, each None if it has none. pad_token: its spelling of the padding token."""

    truncation: Truncation | None
    padding: Padding | None
    pad_token: str

    def choosable(self, chosen: bool) -> tuple[Choosable, ...]:
        """The choice, if the file has either."""
        if self.truncation is None and self.padding is None:
            return ()
        return (Choosable(KEY, "Pad and truncate as the file asks", ANSWERS, ANSWERS[chosen]),)

    def stages(self, parts: Sequence[Part]) -> tuple[Part, ...]:
        """The stages with truncation after the model and padding at the end."""
        model = next(index for index, part in enumerate(parts) if part.name == "model") + 1
        cut = () if self.truncation is None else (self.truncation,)
        fill = () if self.padding is None else (self.padding,)
        return (*parts[:model], *cut, *parts[model:], *fill)

    def decoder(self, decoder: Decoder) -> Decoder:
        """The decoder for padded ids."""
        return decoder if self.padding is None else PaddedDecoder(decoder, self.padding.token, self.padding.left)


def are_applied(choices: Choices) -> bool:
    """Whether the user chose padding and truncation. Raises InputError for an unknown answer."""
    answer = choices.get(KEY, ANSWERS[False])
    if answer not in ANSWERS:
        raise InputError(f"{KEY} is {shown(answer)}; known answers are {', '.join(ANSWERS)}")
    return answer == ANSWERS[True]


def read_lengths(file: TokenizerJson, post: PostProcessing) -> Lengths:
    """The truncation and padding of a file. Raises InputError for settings that the original refuses."""
    cut = fill = None
    pad_token = ""
    if file.truncation is not None:
        of = Settings(file.truncation, "truncation")
        strategy = of.one_of("strategy", STRATEGIES)
        cut = Truncation(
            of.number("max_length", WHOLE),
            added=post.added,
            left=of.one_of("direction", (LEFT, RIGHT), RIGHT) == LEFT,
            stride=of.number("stride", WHOLE),
            second_only=strategy == STRATEGIES[-1],
        )
    if file.padding is not None:
        of = Settings(file.padding, "padding")
        of.number("pad_type_id", ID)
        pad_token = of.text("pad_token")
        fill = Padding(
            of.number("pad_id", ID),
            of.fixed("strategy"),
            multiple=0 if of.values.get("pad_to_multiple_of") is None else of.number("pad_to_multiple_of", WHOLE),
            left=of.one_of("direction", (LEFT, RIGHT)) == LEFT,
        )
    return Lengths(cut, fill, pad_token)


def check_applicable(found: Lengths, vocabulary: Vocabulary) -> None:
    """Raises InputError if the padding token does not exist, or padding would fill without bound."""
    if found.padding is not None:
        id, length = found.padding.token, found.padding.length or 0
        if id >= len(vocabulary):
            raise InputError(f"padding.pad_id is {id}, but the last id is {len(vocabulary) - 1}; repair the file")
        if max(length, found.padding.multiple) > MOST:
            raise InputError(f"padding fills every text to more than {MOST} tokens; repair the file")


class Settings:
    """The settings of a section, checked one by one; errors name their path."""

    def __init__(self, values: object, path: str) -> None:
        if not isinstance(values, Mapping):
            raise InputError(f"{path} is {shown(values)}, not an object; repair the file")
        self.values: Json = values
        self.path = path

    def error(self, key: str, wanted: str) -> InputError:
        """An InputError for a setting of the wrong type or value."""
        what = shown(self.values[key]) if key in self.values else "missing"
        return InputError(f"{self.path}.{key} is {what} but should be {wanted}; repair the file")

    def number(self, key: str, below: int) -> int:
        value = self.values.get(key)
        if type(value) is not int or not 0 <= value < below:
            raise self.error(key, "a whole number from 0")
        return value

    def text(self, key: str) -> str:
        value = self.values.get(key)
        if not isinstance(value, str):
            raise self.error(key, "a text")
        return value

    def one_of(self, key: str, known: Sequence[str], default: str = "") -> str:
        """A name; the original also accepts an object with the name as its only key and null as its value."""
        value = self.values.get(key, default)
        if isinstance(value, Mapping) and len(value) == 1 and next(iter(value.values())) is None:
            value = next(iter(value))
        if value not in known or not isinstance(value, str):
            raise self.error(key, f"one of {', '.join(known)}")
        return value

    def fixed(self, key: str) -> int | None:
        """A padding strategy: {"Fixed": length}, or BatchLongest, which is None."""
        value = self.values.get(key)
        if isinstance(value, Mapping) and list(value) == ["Fixed"]:
            return Settings(value, f"{self.path}.{key}").number("Fixed", WHOLE)
        self.one_of(key, (BATCH,))
        return None


# --- facts ------------------------------------------------------------------------------------------------------------


def length_facts(found: Lengths, vocabulary: Vocabulary, chosen: bool) -> Iterator[Fact]:
    """The facts about truncation and padding, and whether they are applied."""
    kind = USED if chosen else WARNING
    whose = (
        "You chose to apply this."
        if chosen
        else f"tokenizers always does this; here, as in transformers, only if you choose {KEY}=yes."
    )
    if found.truncation is not None:
        yield Fact("truncation", f"{truncation_says(found.truncation)} {whose}", "truncation", kind=kind)
    if found.padding is not None:
        yield Fact("padding", f"{padding_says(found.padding, found.pad_token)} {whose}", "padding", kind=kind)
        id = found.padding.token
        spelled = vocabulary.spelling(id) if id < len(vocabulary) else ""
        if spelled != found.pad_token:
            says = (
                f"The padding token is called {visible(found.pad_token)}, but its id {id} is "
                f"{visible(spelled) if spelled else 'no token'}."
            )
            yield Fact("padding", says, "padding.pad_id", kind=WARNING)


def truncation_says(cut: Truncation) -> str:
    """A truncation in a sentence.

    >>> truncation_says(Truncation(128, added=2))
    'The file cuts a text to 128 tokens, including 2 added ones, at its end.'
    """
    added = f", including {cut.added} added {'one' if cut.added == 1 else 'ones'}" if cut.added else ""
    stride = f" The parts that are cut off overlap by {cut.stride}." if cut.stride else ""
    if cut.second_only:
        return f"The file allows {cut.longest} tokens{added}, and cuts only the second text of a pair.{stride}"
    return f"The file cuts a text to {cut.longest} tokens{added}, at its {'beginning' if cut.left else 'end'}.{stride}"


def padding_says(fill: Padding, token: str) -> str:
    """A padding in a sentence.

    >>> padding_says(Padding(0, 128), "[PAD]")
    'The file fills a text up to 128 tokens with [PAD] (0), after it.'
    >>> padding_says(Padding(0, None, multiple=8, left=True), "x")
    'The file fills the texts of a batch up to the longest with x (0), in front, to a multiple of 8.'
    """
    where = "in front" if fill.left else "after it"
    up_to = "the texts of a batch up to the longest" if fill.length is None else f"a text up to {fill.length} tokens"
    multiple = f", to a multiple of {fill.multiple}" if fill.multiple else ""
    return f"The file fills {up_to} with {visible(token)} ({fill.token}), {where}{multiple}."


POST_PROCESSOR_TOPIC = "post-processor"


class TokenLookup(NamedTuple):
    """The tokens a post-processor sees. covered: the model's pieces of ids that an added token has taken over."""

    vocabulary: Vocabulary
    covered: Mapping[int, bytes]


ProcessorsAndFacts = tuple[list[Processor], list[Fact]]


def post_processing(part: Json | None, pieces: TokenLookup) -> tuple[PostProcessing, list[Fact]]:
    """The stage of the section `post_processor`, and the facts about it.

    Raises InputError naming an unknown type, or a template the original could not run.
    """
    processors: list[Processor] = []
    facts: list[Fact] = []
    for placed in flat(part, "post_processor", "processors"):
        made, more = of_type(placed, POST_PROCESSORS, "post_processor")(placed, pieces)
        processors += made
        facts += [*more, *unknown_settings(placed, settings(placed), POST_PROCESSOR_TOPIC)]
        try:  # run once on one token: errors of the original depend on the number of parts only
            for add_special in (True, False):
                PostProcessing(processors).parts([Entry(Token(0, 0, 0))], add_special, silent)
        except InputError as error:
            raise placed.error(f"single cannot be run: {error}") from None
    return PostProcessing(processors), facts


# --- the types -----------------------------------------------------------------------------------------------------


def _token(placed: LocatedPart, key: str, value: object, pieces: TokenLookup) -> tuple[str, int]:
    """A token as `[spelling, id]`."""
    if not isinstance(value, list) or len(value) != 2 or not isinstance(value[0], str):
        raise placed.error(f"{key} is {shown(value)}, not a spelling and an id")
    return value[0], _checked_id(placed, key, value[1], pieces)


def _checked_id(placed: LocatedPart, key: str, id: object, pieces: TokenLookup) -> int:
    if type(id) is not int or not 0 <= id < len(pieces.vocabulary):
        raise placed.error(f"{key} names the id {shown(id)}, but the ids are 0 to {len(pieces.vocabulary) - 1}")
    return id


def _added_facts(
    placed: LocatedPart, key: str, where: str, tokens: Sequence[tuple[str, int]], pieces: TokenLookup
) -> list[Fact]:
    """Which tokens are added where, with a warning for an id whose token has another spelling."""
    place = f"{placed.path}.{key}"
    names = ", ".join(f"{visible(spelling)} ({id})" for spelling, id in tokens)
    facts = (
        [Fact(POST_PROCESSOR_TOPIC, f"{names} {'is' if len(tokens) == 1 else 'are'} put {where}.", place)]
        if tokens
        else []
    )
    for spelling, id in tokens:
        if pieces.vocabulary.pieces[id] != spelling.encode():
            facts.append(
                Fact(
                    POST_PROCESSOR_TOPIC,
                    f"The id {id} is added as {visible(spelling)}, but it is the token "
                    f"{visible(pieces.vocabulary.spelling(id))}.",
                    place,
                    kind=WARNING,
                )
            )
    return facts


def _trim(placed: LocatedPart, pieces: TokenLookup) -> ProcessorsAndFacts:
    """`trim_offsets` of ByteLevel and RobertaProcessing."""
    prefix_space = placed.get("add_prefix_space", bool, default=True)
    if not placed.get("trim_offsets", bool, default=True):
        unused = Fact(
            POST_PROCESSOR_TOPIC, "Offsets are not trimmed, so this part changes nothing.", placed.path, kind=UNUSED
        )
        return [], [unused] if placed.kind == "ByteLevel" else []
    except_one = ", except one space at the start of the text" if prefix_space else ""
    says = f"A token's span does not include white space at its ends{except_one}."
    fact = Fact(POST_PROCESSOR_TOPIC, says, f"{placed.path}.trim_offsets")
    return [TrimOffsets(pieces.vocabulary.pieces, prefix_space, pieces.covered)], [fact]


def _enclose(placed: LocatedPart, pieces: TokenLookup) -> ProcessorsAndFacts:
    first = _token(placed, "cls", placed.part.get("cls"), pieces)
    last = _token(placed, "sep", placed.part.get("sep"), pieces)
    facts = [
        *_added_facts(placed, "cls", "in front of the text", [first], pieces),
        *_added_facts(placed, "sep", "after it", [last], pieces),
    ]
    made: list[Processor] = []
    roberta = _is_roberta(placed)
    if roberta:
        made, more = _trim(placed, pieces)
        facts += more
    processing = RobertaProcessing if roberta else BertProcessing
    return [*made, processing(first[1], last[1])], facts


def _is_roberta(placed: LocatedPart) -> bool:
    """Whether the original reads this part as a RobertaProcessing rather than a BertProcessing."""
    return placed.part.keys() >= set(OF_ROBERTA.split())


def _template(placed: LocatedPart, pieces: TokenLookup) -> ProcessorsAndFacts:
    single, spellings = _slots(placed, "single", pieces)
    pair, _ = _slots(placed, "pair", pieces) if placed.part.get("pair") else ((0, 1), [])
    facts: list[Fact] = []
    before = True
    for slot, tokens in zip(single, spellings, strict=True):
        if isinstance(slot, tuple):
            where = "in front of the text" if before else "after it"
            facts += _added_facts(placed, "single", where, tokens, pieces)
        before = before and isinstance(slot, tuple)
    if before:
        says = "The template does not contain the text, so the result has none of its tokens."
        facts.append(Fact(POST_PROCESSOR_TOPIC, says, f"{placed.path}.single", kind=WARNING))
    if placed.part.get("pair"):
        facts.append(
            Fact(
                POST_PROCESSOR_TOPIC,
                "The template for pairs is for two texts at once.",
                f"{placed.path}.pair",
                kind=UNUSED,
            )
        )
    return [Template(single, pair)], facts


def _slots(placed: LocatedPart, key: str, pieces: TokenLookup) -> tuple[list[Slot], list[list[tuple[str, int]]]]:
    """The slots of a template, and for each one the tokens it adds, as spelling and id."""
    special = placed.get("special_tokens", dict, default={})
    found: list[Slot] = []
    tokens_of: list[list[tuple[str, int]]] = []
    for index, piece in enumerate(placed.get(key, list)):
        kind, inner = next(iter(piece.items())) if isinstance(piece, dict) and len(piece) == 1 else (None, None)
        id = inner.get("id") if isinstance(inner, dict) else None
        if kind == "Sequence" and id in ("A", "B"):
            found.append(0 if id == "A" else 1)
            tokens_of.append([])
            continue
        entry = special.get(id) if kind == "SpecialToken" and isinstance(id, str) else None
        if entry is None:
            raise placed.error(f"{key}[{index}] is {shown(piece)}, neither a text nor one of special_tokens")
        ids = entry.get("ids") if isinstance(entry, dict) else None
        if not isinstance(ids, list):
            raise placed.error(f"special_tokens[{shown(id)}] has no list of ids")
        tokens = entry.get("tokens")
        spellings = tokens if isinstance(tokens, list) and len(tokens) == len(ids) else [id] * len(ids)
        checked = [_checked_id(placed, f"special_tokens[{shown(id)}]", each, pieces) for each in ids]
        found.append(tuple(checked))
        tokens_of.append([(str(spelling), each) for spelling, each in zip(spellings, checked, strict=True)])
    return found, tokens_of


OF_ROBERTA = "trim_offsets add_prefix_space"
ENCLOSING = ("BertProcessing", "RobertaProcessing")

POST_PROCESSORS = {
    "TemplateProcessing": _template,
    "ByteLevel": _trim,
    "BertProcessing": _enclose,
    "RobertaProcessing": _enclose,
}
"""`type` of a post-processor → the function that builds it."""


def settings(placed: LocatedPart) -> str:
    """The settings a post-processor has."""
    if placed.kind in ENCLOSING:
        return f"cls sep {OF_ROBERTA if _is_roberta(placed) else ''}"
    return "single pair special_tokens" if placed.kind == "TemplateProcessing" else f"{OF_ROBERTA} use_regex"
