"""What a SentencePiece model says about itself, in sentences: settings in force, what has no part, what looks wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from explorer.facts import Fact, FactKind
from explorer.formats.sentencepiece_model import ModelType, NormalizerSpec, SentencePieceModel
from explorer.implementations.sentencepiece.add_special import Around
from explorer.vocabulary import PieceKind, Vocabulary, spelled

MODELS = {
    ModelType.BPE: "A BPE model: neighbours are merged if they make a piece, the best score first.",
    ModelType.UNIGRAM: "A Unigram model: of all ways to cut the text, the one with the best sum of scores.",
    ModelType.CHAR: "A character model: every character is looked up by itself.",
    ModelType.WORD: "A word model: the text is cut before every ▁, and each part is looked up whole.",
}
FLAGS = {
    "add_dummy_prefix": ("A space is put in front of the text.", "No space is put in front of the text."),
    "remove_extra_whitespaces": (
        "Spaces at both ends are dropped, and of a run of spaces one is kept.",
        "Spaces stay as many as they are.",
    ),
    "escape_whitespaces": ("A space is written ▁ (U+2581).", "A space stays a space: no piece with ▁ is found for it."),
}
"""Flag of a NormalizerSpec → what it says when it is on, and off."""

ENDS = (("in front of", "bos_piece", "add_bos"), ("behind", "eos_piece", "add_eos"))
"""Where BOS and EOS go, the field that spells each, and sentencepiece's option for it."""

SHOWN = 200
"""So many entries of a list stand on the card."""


def facts_of(
    model: SentencePieceModel, vocabulary: Vocabulary, unknown: int | None, ends: Sequence[int | None], put: Around
) -> tuple[Fact, ...]:
    """The card of a model. unknown: id of the unknown token. ends: of BOS and EOS, None where there is none. put: which
    of them go around a text."""
    return (
        *model_facts(model, vocabulary),
        *normalizer_facts(model.normalizer, model.trainer.treat_whitespace_as_suffix),
        *special_facts(model, vocabulary, unknown, ends, put),
        *decoder_facts(model, vocabulary),
        *unused_facts(model, vocabulary),
    )


def model_facts(model: SentencePieceModel, vocabulary: Vocabulary) -> Iterator[Fact]:
    trainer = model.trainer
    yield Fact("model", MODELS[trainer.model_type], "trainer_spec.model_type")
    counts = ", ".join(
        f"{count} {kind.name.lower().replace('_', '-')}" for kind, count in vocabulary.count_by_kind.items()
    )
    yield Fact("model", f"{len(vocabulary)} pieces: {counts}.", "pieces")
    yield Fact(
        "model",
        "A character that is no piece becomes its bytes."
        if trainer.byte_fallback
        else "A run of characters that are no pieces becomes one unknown token.",
        "trainer_spec.byte_fallback",
    )
    if trainer.model_type == ModelType.WORD and trainer.treat_whitespace_as_suffix:
        says = "Words were trained with the ▁ behind them, but sentencepiece cuts a word model before every ▁."
        yield Fact("model", says, "trainer_spec.treat_whitespace_as_suffix", kind=FactKind.WARNING)


def normalizer_facts(spec: NormalizerSpec, suffix: bool) -> Iterator[Fact]:
    name, size = spelled(spec.name), len(spec.precompiled_charsmap)
    if size:
        called = f"“{name}”" if name else "without a name"
        says = f"Characters are rewritten by the model's own map {called}, a table of {size} bytes."
    else:
        says = "No character is rewritten: the model carries no map."
    yield Fact("normalizer", says, "normalizer_spec.precompiled_charsmap")
    if not size and name not in ("", "identity"):
        says = f"The normalizer is called “{name}”, but the map that would do it is missing."
        yield Fact("normalizer", says, "normalizer_spec.name", kind=FactKind.WARNING)
    for flag, says_when in FLAGS.items():
        on = getattr(spec, flag)
        says = says_when[not on]
        if flag == "add_dummy_prefix" and on and suffix:
            says = "A space is put behind the text."
        yield Fact("normalizer", says, f"normalizer_spec.{flag}")
    if suffix:
        says = "Pieces carry the space behind them and not in front."
        yield Fact("normalizer", says, "trainer_spec.treat_whitespace_as_suffix")


def special_facts(
    model: SentencePieceModel, vocabulary: Vocabulary, unknown: int | None, ends: Sequence[int | None], put: Around
) -> Iterator[Fact]:
    trainer = model.trainer
    if unknown is None:
        yield Fact("special tokens", "There is no unknown token; every character falls back to its bytes.", "pieces")
    else:
        says = f"The unknown token is {unknown}, {vocabulary.spelling(unknown)}."
        yield Fact("special tokens", says, f"pieces[{unknown}]")
    yield Fact("special tokens", put.says, put.place)
    for id, on, (what, where, switch), piece in zip(
        ends, put.switches, ENDS, (trainer.bos_piece, trainer.eos_piece), strict=True
    ):
        if id is None:
            says = f"Nothing can be added {what} a text: no control piece is spelled {spelled(piece)}."
        elif on:
            says = f"{spelled(piece)}, {id}, is added {what} a text when special tokens are asked for."
        else:
            says = f"{spelled(piece)}, {id}, is not added {what} a text; sentencepiece's option {switch} would add it."
        yield Fact("special tokens", says, f"trainer_spec.{where}")
    for kind, says in (
        (PieceKind.CONTROL, "Control pieces are never found in a text, however it is spelled, and are not written."),
        (PieceKind.USER_DEFINED, "User-defined pieces are found first, stay whole, and no map changes them."),
    ):
        found = [id for id, each in enumerate(vocabulary.kinds) if each == kind]
        if found:
            yield Fact("special tokens", says, "pieces", listed(f"{id} {vocabulary.spelling(id)}" for id in found))
    blank = [
        id
        for id, kind in enumerate(vocabulary.kinds)
        if kind == PieceKind.USER_DEFINED and b" " in vocabulary.pieces[id]
    ]
    if blank and model.normalizer.escape_whitespaces:
        says = "User-defined pieces with a space in them are never found: the space is written ▁ before."
        code = listed(f"{id} {vocabulary.spelling(id)}" for id in blank)
        yield Fact("special tokens", says, "pieces", code, FactKind.WARNING)


def decoder_facts(model: SentencePieceModel, vocabulary: Vocabulary) -> Iterator[Fact]:
    yield Fact(
        "decoder", "The unknown token is written so:", "trainer_spec.unk_surface", spelled(model.trainer.unk_surface)
    )
    spec = model.denormalizer
    if spec.precompiled_charsmap:
        says = (
            f"A decoded text is rewritten by the denormalizer's map, a table of {len(spec.precompiled_charsmap)} bytes."
        )
        yield Fact("decoder", says, "denormalizer_spec.precompiled_charsmap")
    elif spec != NormalizerSpec():
        says = "The denormalizer has settings and no map, and then it is not run."
        yield Fact("decoder", says, "denormalizer_spec", kind=FactKind.UNUSED)


def unused_facts(model: SentencePieceModel, vocabulary: Vocabulary) -> Iterator[Fact]:
    unused = vocabulary.count_by_kind.get(PieceKind.UNUSED, 0)
    if unused:
        says = f"{unused} pieces are marked UNUSED: a text never becomes one of them."
        if model.trainer.model_type == ModelType.BPE:
            says = f"{unused} pieces are marked UNUSED: they are merged like others, and taken apart again at the end."
        yield Fact("model", says, "pieces", kind=FactKind.UNUSED)
    settings: dict[str, list[str]] = {}
    for setting in model.unused:
        place, _, field = setting.path.partition(".")
        if setting.value:
            settings.setdefault(place, []).append(f"{field or place}: {setting.value}")
    for place, lines in settings.items():
        says = "Left over from the training, without a part in tokenizing."
        yield Fact("training", says, place, listed(lines), FactKind.UNUSED)


def listed(entries: Iterable[str]) -> str:
    """The entries, one a line; of very many the first ones."""
    lines = list(entries)
    more = [f"… and {len(lines) - SHOWN} more"] if len(lines) > SHOWN else []
    return "\n".join(lines[:SHOWN] + more)
