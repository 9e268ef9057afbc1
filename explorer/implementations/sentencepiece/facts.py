"""The facts about a SentencePiece model: settings in force, settings without effect, and warnings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from explorer.facts import Fact, FactKind
from explorer.formats.sentencepiece_model import ModelType, NormalizerSpec, SentencePieceModel
from explorer.implementations.sentencepiece.add_special import AddedEnds
from explorer.vocabulary import PieceKind, Vocabulary, spelled

MODELS = {
    ModelType.BPE: "A BPE model: two neighbors merge if they make a piece, the best score first.",
    ModelType.UNIGRAM: "A Unigram model: of all ways to split the text, the one with the best sum of scores.",
    ModelType.CHAR: "A character model: every character is looked up by itself.",
    ModelType.WORD: "A word model: the text is cut before every ▁, and each part is looked up whole.",
}
FLAGS = {
    "add_dummy_prefix": ("A space is put in front of the text.", "No space is put in front of the text."),
    "remove_extra_whitespaces": (
        "Spaces at both ends are dropped, and a run of spaces becomes one.",
        "All spaces are kept.",
    ),
    "escape_whitespaces": ("A space is written ▁ (U+2581).", "A space stays a space: no piece with ▁ matches it."),
}
"""Flag of a NormalizerSpec → its sentences when on and off."""

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
    if size:
        called = f"“{name}”" if name else "without a name"
        says = f"Characters are rewritten by the model's own map {called}, a table of {size} bytes."
    else:
        says = "No character is rewritten: the model has no map."
    yield Fact("normalizer", says, "normalizer_spec.precompiled_charsmap")
    if not size and name not in ("", "identity"):
        says = f"The normalizer is called “{name}”, but its map is missing."
        yield Fact("normalizer", says, "normalizer_spec.name", kind=FactKind.WARNING)
    for flag, says_when in FLAGS.items():
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
    yield Fact("special tokens", added.says, added.place)
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
        found = [id for id, each in enumerate(vocabulary.kinds) if each == kind]
        if found:
            yield Fact(
                "special tokens", says, "pieces", one_per_line(f"{id} {vocabulary.spelling(id)}" for id in found)
            )
    blank = [
        id
        for id, kind in enumerate(vocabulary.kinds)
        if kind == PieceKind.USER_DEFINED and b" " in vocabulary.pieces[id]
    ]
    if blank and model.normalizer.escape_whitespaces:
        says = "User-defined pieces with a space in them are never found: spaces are written ▁ first."
        code = one_per_line(f"{id} {vocabulary.spelling(id)}" for id in blank)
        yield Fact("special tokens", says, "pieces", code, FactKind.WARNING)


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
