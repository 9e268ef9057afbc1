"""SentencePiece models as sentencepiece runs them: BPE, Unigram, character and word models.

Follows version 0.2.3: the checks of `ModelInterface::InitializePieces`, the stages of `SentencePieceProcessor::Encode`,
and `PopulateSentencePieceText` for unknown characters: bytes if the model has byte fallback, otherwise one unknown
token for a run of them. sentencepiece never reads the spelling of a control piece in the text as that piece, so there
is no partition and `parse_special` has no effect. `add_special` sets `add_bos` and `add_eos` as programs that use such
a model do.

Two differences are deliberate. The span of a token is the text it was made of; `explorer.offsets` gives the original's
own convention (`implementations/offsets.py`). And all rules of a character map are tried, while sentencepiece stops
after 32 with the same prefix; its trainer makes no such map.

Left out: sampling and n-best.

`add_special`: the file has BOS and EOS, but not when to add them. sentencepiece adds neither unless its options
`add_bos` and `add_eos` are set. Programs that use a model set them: Llama, Mistral and Gemma begin a prompt with BOS
and never end it with EOS; T5 ends a text with EOS and has no BOS; ALBERT, XLM-RoBERTa and CamemBERT do both. A
tokenizer_config.json next to the model decides if there is one; otherwise the kind of model is the best guess. The
user's choice (`add_special`) overrides both.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import copysign
from typing import NamedTuple

from explorer.engine.decoders.pieces import DenormalizingDecoder, PieceReader, SentencePieceDecoder
from explorer.engine.models.lookup import CharWord, characters, words
from explorer.engine.models.spm import Spm
from explorer.engine.models.unigram import PIECES, Unigram, sentencepiece_rules
from explorer.engine.normalizers.charsmap import CharsmapNormalization, PrecompiledCharsmap, Whitespace
from explorer.engine.part import Decoder, Part
from explorer.engine.partition.user_defined import SymbolTree, UserDefinedSplit
from explorer.engine.post_processors import AddSpecial
from explorer.errors import InputError, errors_of, shown
from explorer.facts import Choosable, Fact, FactKind
from explorer.formats.sentencepiece_model import ModelType, NormalizerSpec, SentencePieceModel
from explorer.implementations.opened import Opened
from explorer.tables import Json, read_toml
from explorer.vocabulary import BYTE_PIECE, PieceKind, Vocabulary, spelled

KEY = "add_special"
"""The key of the choice."""

SWITCHES = {"bos": (True, False), "eos": (False, True), "both": (True, True), "none": (False, False)}
"""Answer → sentencepiece's `add_bos` and `add_eos`."""

WORDS = read_toml(__file__, "sentencepiece.toml")
"""What the card says of these answers, and of the flags of a NormalizerSpec when on and off."""


class Usual(NamedTuple):
    """The usual answer for a kind of model. holds: whether a model is of that kind, given whether it has BOS."""

    answer: str
    holds: Callable[[SentencePieceModel, bool], bool]
    like: str


USUAL = (
    Usual("eos", lambda model, has_bos: not has_bos, "as for T5, whose models have no BOS either"),
    Usual(
        "bos",
        lambda model, has_bos: model.trainer.model_type == ModelType.BPE and model.trainer.byte_fallback,
        "as in prompts of Llama, Mistral and Gemma, which are such models: BPE with byte fallback",
    ),
    Usual("both", lambda model, has_bos: True, "as for ALBERT, XLM-RoBERTa and CamemBERT"),
)
"""The first one that holds counts."""


class AddedEnds(NamedTuple):
    """Which of sentencepiece's options `add_special` sets, and why."""

    answer: str
    why: str
    place: str = ""

    @property
    def switches(self) -> tuple[bool, bool]:
        return SWITCHES[self.answer]


def added_ends(model: SentencePieceModel, has_bos: bool, chosen: str | None, config: Json | None) -> AddedEnds:
    """What is added around a text. chosen: the user's answer. config: tokenizer_config.json, if there is one.

    Raises InputError for an unknown answer.
    """
    if chosen is not None:
        if chosen not in SWITCHES:
            raise InputError(f"{KEY} is {shown(chosen)}; known answers are {', '.join(SWITCHES)}")
        return AddedEnds(chosen, "as was chosen")
    config = config or {}
    said = tuple(config.get(f"add_{which}_token") for which in ("bos", "eos"))
    usual = next(each for each in USUAL if each.holds(model, has_bos))
    if any(flag is not None for flag in said):
        switches = tuple(
            own if flag is None else bool(flag) for flag, own in zip(said, SWITCHES[usual.answer], strict=True)
        )
        answer = next(each for each, both in SWITCHES.items() if both == switches)
        return AddedEnds(answer, "as tokenizer_config.json says", "tokenizer_config.json: add_bos_token, add_eos_token")
    return AddedEnds(usual.answer, usual.like)


MODELS = {
    ModelType.BPE: "A BPE model: two neighbors merge if they make a piece, the best score first.",
    ModelType.UNIGRAM: "A Unigram model: of all ways to split the text, the one with the best sum of scores.",
    ModelType.CHAR: "A character model: every character is looked up by itself.",
    ModelType.WORD: "A word model: the text is cut before every ▁, and each part is looked up whole.",
}
ENDS = (("in front of", "bos_piece", "add_bos"), ("after", "eos_piece", "add_eos"))
"""Position of BOS and EOS, the field with its spelling, and sentencepiece's option for it."""

SHOWN = 200
"""Entries of a list that the card shows."""


def facts_of(
    model: SentencePieceModel, vocabulary: Vocabulary, unknown: int | None, ends: Sequence[int | None], added: AddedEnds
) -> tuple[Fact, ...]:
    """The facts about a model. unknown: id of the unknown token. ends: ids of BOS and EOS. added: which are added."""
    return (
        *_model_facts(model, vocabulary),
        *_normalizer_facts(model.normalizer, model.trainer.treat_whitespace_as_suffix),
        *_special_facts(model, vocabulary, unknown, ends, added),
        *_decoder_facts(model, vocabulary),
        *_unused_facts(model, vocabulary),
    )


def _model_facts(model: SentencePieceModel, vocabulary: Vocabulary) -> Iterator[Fact]:
    trainer = model.trainer
    yield Fact("model", MODELS[trainer.model_type], "trainer_spec.model_type")
    counts = ", ".join(
        f"{count} {kind.name.lower().replace('_', '-')}" for kind, count in vocabulary.count_by_kind.items()
    )
    yield Fact("model", f"{len(vocabulary)} pieces: {counts}.", "pieces")
    yield Fact(
        "model",
        "An unknown character becomes its bytes."
        if trainer.byte_fallback
        else "A run of unknown characters becomes one unknown token.",
        "trainer_spec.byte_fallback",
    )
    if trainer.model_type == ModelType.WORD and trainer.treat_whitespace_as_suffix:
        says = "Words were trained with a ▁ after them, but sentencepiece cuts the text of a word model before every ▁."
        yield Fact("model", says, "trainer_spec.treat_whitespace_as_suffix", kind=FactKind.WARNING)


def _normalizer_facts(spec: NormalizerSpec, suffix: bool) -> Iterator[Fact]:
    name, size = spelled(spec.name), len(spec.precompiled_charsmap)
    says = "No character is rewritten: the model has no map."
    if size:
        called = f"“{name}”" if name else "without a name"
        says = f"Characters are rewritten by the model's own map {called}, a table of {size} bytes."
    yield Fact("normalizer", says, "normalizer_spec.precompiled_charsmap")
    if not size and name not in ("", "identity"):
        says = f"The normalizer is called “{name}”, but its map is missing."
        yield Fact("normalizer", says, "normalizer_spec.name", kind=FactKind.WARNING)
    for flag, says_when in WORDS["flags"].items():
        on = getattr(spec, flag)
        says = says_when[not on]
        if flag == "add_dummy_prefix" and on and suffix:
            says = "A space is put after the text."
        yield Fact("normalizer", says, f"normalizer_spec.{flag}")
    if suffix:
        says = "Pieces include the space after them, not the one in front."
        yield Fact("normalizer", says, "trainer_spec.treat_whitespace_as_suffix")


def _special_facts(
    model: SentencePieceModel, vocabulary: Vocabulary, unknown: int | None, ends: Sequence[int | None], added: AddedEnds
) -> Iterator[Fact]:
    trainer = model.trainer
    if unknown is None:
        yield Fact("special tokens", "There is no unknown token; every character falls back to its bytes.", "pieces")
    else:
        says = f"The unknown token is {unknown}, {vocabulary.spelling(unknown)}."
        yield Fact("special tokens", says, f"pieces[{unknown}]")
    yield Fact("special tokens", f"“Add BOS/EOS” {WORDS['switches'][added.answer]}, {added.why}.", added.place)
    for id, on, (what, where, switch), piece in zip(
        ends, added.switches, ENDS, (trainer.bos_piece, trainer.eos_piece), strict=True
    ):
        if id is None:
            says = f"Nothing can be added {what} a text: no control piece is spelled {spelled(piece)}."
        elif on:
            says = f"{spelled(piece)}, {id}, is added {what} a text if special tokens are requested."
        else:
            says = f"{spelled(piece)}, {id}, is not added {what} a text; sentencepiece's option {switch} would add it."
        yield Fact("special tokens", says, f"trainer_spec.{where}")
    for kind, says in (
        (PieceKind.CONTROL, "Control pieces are never found in a text, and decoding leaves them out."),
        (PieceKind.USER_DEFINED, "User-defined pieces are found first, stay whole, and are not normalized."),
    ):
        if lines := one_per_line(f"{id} {vocabulary.spelling(id)}" for id in vocabulary.of_kind(kind)):
            yield Fact("special tokens", says, "pieces", lines)
    blank = (id for id in vocabulary.of_kind(PieceKind.USER_DEFINED) if b" " in vocabulary.pieces[id])
    lines = one_per_line(f"{id} {vocabulary.spelling(id)}" for id in blank)
    if lines and model.normalizer.escape_whitespaces:
        says = "User-defined pieces with a space in them are never found: spaces are written ▁ first."
        yield Fact("special tokens", says, "pieces", lines, FactKind.WARNING)


def _decoder_facts(model: SentencePieceModel, vocabulary: Vocabulary) -> Iterator[Fact]:
    yield Fact(
        "decoder", "The unknown token decodes to:", "trainer_spec.unk_surface", spelled(model.trainer.unk_surface)
    )
    spec = model.denormalizer
    if spec.precompiled_charsmap:
        says = (
            f"A decoded text is rewritten by the denormalizer's map, a table of {len(spec.precompiled_charsmap)} bytes."
        )
        yield Fact("decoder", says, "denormalizer_spec.precompiled_charsmap")
    elif spec != NormalizerSpec():
        says = "The denormalizer has settings but no map, so it is not run."
        yield Fact("decoder", says, "denormalizer_spec", kind=FactKind.UNUSED)


def _unused_facts(model: SentencePieceModel, vocabulary: Vocabulary) -> Iterator[Fact]:
    unused = vocabulary.count_by_kind.get(PieceKind.UNUSED, 0)
    if unused:
        says = f"{unused} pieces are marked UNUSED: no text becomes one of them."
        if model.trainer.model_type == ModelType.BPE:
            says = f"{unused} pieces are marked UNUSED: they merge like others, and are split again at the end."
        yield Fact("model", says, "pieces", kind=FactKind.UNUSED)
    settings: dict[str, list[str]] = {}
    for setting in model.unused:
        place, _, field = setting.path.partition(".")
        if setting.value:
            settings.setdefault(place, []).append(f"{field or place}: {setting.value}")
    for place, lines in settings.items():
        says = "Settings of the training, which do not affect tokenizing."
        yield Fact("training", says, place, one_per_line(lines), FactKind.UNUSED)


def one_per_line(entries: Iterable[str]) -> str:
    """The entries, one per line, up to a limit."""
    lines = list(entries)
    more = [f"… and {len(lines) - SHOWN} more"] if len(lines) > SHOWN else []
    return "\n".join(lines[:SHOWN] + more)


IMPLEMENTATION = "sentencepiece"

MAX_PIECE = 8_000
"""The bytes of a piece that sentencepiece refuses for its length."""

FAMILIES = {ModelType.BPE: "SPM", ModelType.UNIGRAM: "Unigram", ModelType.CHAR: "Characters", ModelType.WORD: "Words"}

NUL = b"\0"
BELOW_ZERO = -1e-45
"""The largest 32-bit float below 0."""


def from_model(
    model: SentencePieceModel, name: str, add_special: str | None = None, config: Json | None = None
) -> Opened:
    """The tokenizer of a model file. Raises InputError where sentencepiece would refuse the model.

    name: what errors and the pages call the tokenizer. add_special: the user's answer to the choice of that name.
    config: tokenizer_config.json, if it is next to the model.
    """
    with errors_of(name):
        trainer, spec = model.trainer, model.normalizer
        vocabulary, unknown = checked(model)
        symbols = {
            vocabulary.pieces[id].decode("utf-8", "surrogateescape"): id
            for id in vocabulary.of_kind(PieceKind.USER_DEFINED)
        }
        search = SymbolTree(symbols)
        ends = tuple(control(vocabulary, piece) for piece in (trainer.bos_piece, trainer.eos_piece))
        added = added_ends(model, ends[0] is not None, add_special, config)
        first, last = (id if on else None for id, on in zip(ends, added.switches, strict=True))
        spare = tuple((id, behind) for behind, id in enumerate(ends) if id is not None and id not in (first, last))
        decoder: Decoder = SentencePieceDecoder(vocabulary, piece_reader(model), first, last)
        if model.denormalizer.precompiled_charsmap:
            decoder = DenormalizingDecoder(decoder, normalization(model.denormalizer, "denormalizer_spec"))
        return Opened(
            name=name,
            family=FAMILIES[trainer.model_type],
            implementation=IMPLEMENTATION,
            vocabulary=vocabulary,
            parts=(
                normalization(spec, "normalizer_spec", trainer.treat_whitespace_as_suffix, search),
                *model_parts(model, vocabulary, unknown, symbols),
                AddSpecial(first, last, spare),
            ),
            decoder=decoder,
            facts=facts_of(model, vocabulary, unknown, ends, added),
            choosable=(Choosable(KEY, "“Add BOS/EOS” adds", tuple(SWITCHES), added.answer),),
        )


def piece_reader(model: SentencePieceModel) -> PieceReader:
    """How the model decodes pieces."""
    spec = model.normalizer
    strip = spec.add_dummy_prefix or spec.remove_extra_whitespaces
    return PieceReader(model.trainer.unk_surface, strip, spec.remove_extra_whitespaces)


def normalization(
    spec: NormalizerSpec, name: str, suffix: bool = False, symbols: SymbolTree | None = None
) -> CharsmapNormalization:
    """The stage of a normalizer or denormalizer."""
    return CharsmapNormalization(
        PrecompiledCharsmap(spec.precompiled_charsmap, name) if spec.precompiled_charsmap else None,
        Whitespace(spec.add_dummy_prefix, spec.remove_extra_whitespaces, spec.escape_whitespaces, suffix),
        symbols,
    )


def model_parts(
    model: SentencePieceModel, vocabulary: Vocabulary, unknown: int | None, symbols: dict[str, int]
) -> list[Part]:
    """The model's stage, preceded by the split at user-defined symbols if it needs one."""
    kind, byte_fallback = model.trainer.model_type, model.trainer.byte_fallback
    if kind == ModelType.BPE:
        spm = Spm(vocabulary, unknown, resegment_unused=True, pieces=PIECES, byte_fallback=byte_fallback)
        return [UserDefinedSplit(symbols), spm] if symbols else [spm]
    if kind == ModelType.UNIGRAM:
        if not any(each in PIECES for each in vocabulary.kinds):
            raise InputError(
                "no text can become any of the pieces, and a Unigram model needs one it can; repair the file"
            )
        return [Unigram(vocabulary, unknown, sentencepiece_rules(vocabulary, byte_fallback=byte_fallback))]
    bytes_of = {vocabulary.byte_of(id): id for id in vocabulary.of_kind(PieceKind.BYTE)}
    byte_tokens = [bytes_of[byte] for byte in range(256)] if byte_fallback else []
    cut = words if kind == ModelType.WORD else characters(symbols)
    return [CharWord(vocabulary, unknown, cut, byte_tokens)]


# --- the vocabulary ------------------------------------------------------------------------------------------------


def checked(model: SentencePieceModel) -> tuple[Vocabulary, int | None]:
    """The vocabulary and the id of its unknown piece; with byte fallback it may have none."""
    trainer = model.trainer
    if model.vocabulary is not None:
        return model.vocabulary, next(model.vocabulary.of_kind(PieceKind.UNKNOWN), None)
    longest = max(model.pieces, key=len)
    if len(longest) >= MAX_PIECE:
        id = model.pieces.index(longest)
        raise InputError(f"token {id} has {len(longest)} bytes, but 1 to {MAX_PIECE - 1} are allowed; repair the file")
    nul = [id for id, piece in enumerate(model.pieces) if NUL in piece]
    kinds = bytearray(model.kinds)
    for id in nul:
        if model.pieces[id] == NUL and trainer.byte_fallback:
            kinds[id] = PieceKind.UNUSED
        if model.pieces[id] != NUL or kinds[id] != PieceKind.UNUSED:
            raise InputError(f"token {id} contains a NUL, which no piece may; repair the file")
    nan = next((id for id, score in enumerate(model.scores) if score != score), None)
    if nan is not None:
        raise InputError(f"token {nan} has the score NaN, which cannot be ordered; repair the file")
    unknown = [id for id, kind in enumerate(kinds) if kind == PieceKind.UNKNOWN]
    if len(unknown) > 1 or not (unknown or trainer.byte_fallback):
        raise InputError(f"{len(unknown)} pieces are marked unknown, but there must be one; repair the file")
    byte_pieces = {model.pieces[id] for id, kind in enumerate(kinds) if kind == PieceKind.BYTE}
    if not all(map(BYTE_PIECE.fullmatch, byte_pieces)):
        raise InputError("a piece marked as a byte is not spelled <0x00> to <0xFF>; repair the file")
    wanted = 256 if trainer.byte_fallback else 0
    if len(byte_pieces) != wanted:
        fallback = "with" if wanted else "without"
        raise InputError(
            f"a model {fallback} byte fallback must have {wanted} byte pieces, but this one has "
            f"{len(byte_pieces)}; repair the file"
        )
    scores = ordered(model.scores, kinds) if trainer.model_type == ModelType.BPE else model.scores
    vocabulary = Vocabulary(tuple(model.pieces), scores, bytes(kinds), ids_of(model, kinds, nul))
    return vocabulary, unknown[0] if unknown else None


def ids_of(model: SentencePieceModel, kinds: bytes | bytearray, nul: Sequence[int]) -> dict[bytes, int]:
    """Piece → id. A text cannot contain a NUL piece, so there may be several of those.

    In all but BPE models a control or unknown piece may have the spelling of a normal piece. It never occurs in a text,
    so the id is the normal one's. (sentencepiece allows this for byte pieces, too; here it is refused.)
    """
    ids = {piece: id for id, piece in enumerate(model.pieces)}
    if nul:
        del ids[NUL]
    if len(ids) + len(nul) == len(kinds):
        return ids
    ids.clear()
    reserved: dict[bytes, int] = {}
    for id, (piece, kind) in enumerate(zip(model.pieces, kinds, strict=True)):
        is_reserved = kind in (PieceKind.CONTROL, PieceKind.UNKNOWN) and model.trainer.model_type != ModelType.BPE
        target = reserved if is_reserved else ids
        if piece != NUL and target.setdefault(piece, id) != id:
            shown = piece[:40].decode("utf-8", "backslashreplace")
            raise InputError(f"tokens {target[piece]} and {id} are both spelled {shown!r}; repair the file")
    return {**reserved, **ids}


def ordered(scores: array[float], kinds: bytes | bytearray) -> array[float]:
    """Scores as sentencepiece's merge order compares them: −0, which its trainer gives to the first piece, is less than
    0, which people give to the pieces they add."""
    merged = (PieceKind.NORMAL, PieceKind.UNUSED)
    zeros = [id for id, score in enumerate(scores) if not score and kinds[id] in merged]
    negative = [id for id in zeros if copysign(1, scores[id]) < 0]
    if len(negative) in (0, len(zeros)):
        return scores
    scores = array("f", scores)
    for id in negative:
        scores[id] = BELOW_ZERO
    return scores


def control(vocabulary: Vocabulary, piece: bytes) -> int | None:
    """The id of a control piece such as `<s>`; None if the vocabulary has none."""
    return next((id for id in vocabulary.of_kind(PieceKind.CONTROL) if vocabulary.pieces[id] == piece), None)
