"""The supported classes of `transformers` 5: their defaults, the tokenizer each builds, and what it does last.

Most classes of version 5 build their parts themselves. From a tokenizer.json they use the vocabulary and merges, the
post-processor and the added tokens; they ignore its normalizer, pre-tokenizer and decoder.

`build` makes the tokenizer of a class from its arguments and a tokenizer.json.

Follows `TokenizersBackend.convert_to_native_format` and `TokenizersBackend.__init__`: the file unchanged, or the parts
that the class builds; then tokens of `added_tokens_decoder` with other flags; then the special tokens; then a template
with BOS and EOS if there is no post-processor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias

from msgspec import Struct

from explorer.errors import shown
from explorer.formats.files import TOKENIZER_CONFIG
from explorer.formats.tokenizer_json import Json, TokenizerJson
from explorer.implementations.transformers import builders as make
from explorer.implementations.transformers import parts, templates
from explorer.implementations.transformers import phobert as phobert
from explorer.implementations.transformers.arguments import (
    ADDITIONAL,
    EXTRA,
    Arguments,
    all_tokens,
    named_tokens,
    unnamed_tokens,
)
from explorer.implementations.transformers.backend import Backend, Token, text
from explorer.implementations.transformers.builders import BPE, UNIGRAM, WORD_PIECE, Vocabulary
from explorer.implementations.transformers.rows import Row, call, rows
from explorer.implementations.transformers.templates import update_template
from explorer.implementations.transformers.v4_classes import checked_offset
from explorer.implementations.transformers.v4_classes import madeup_words as madeup_words
from explorer.implementations.transformers.v4_classes import sentinels as sentinels


class Enclosed(Struct, frozen=True, kw_only=True):
    """A template with named special tokens. first: how many are before the text. without: as in `with_ids`."""

    keys: tuple[str, ...]
    first: int = 1
    listed: bool = False
    without: dict[str, int] = {}

    def set(self, args: Arguments, backend: Backend) -> None:
        for key in self.keys:
            templates.in_template(args, args.spelling(key), listed=self.listed)
        tokens = with_ids(args, backend, self.keys, **self.without)
        backend.post_processor = parts.template(tokens[: self.first], tokens[self.first :])


class ClassSpecV5(Row, frozen=True, kw_only=True):
    """A class: a row of v5.toml."""

    prepared: tuple[str, ...] = ()
    model: str = ""
    build: str = ""
    file: str = ""
    order: str = ""
    enclosed: Enclosed | None = None
    finished: tuple[str, ...] = ()
    updates: bool = True
    twice: bool = False

    def built(self, args: Arguments, of: Vocabulary) -> Backend:
        """The tokenizer of a vocabulary, of a class that builds one."""
        backend: Backend = getattr(make, self.build)(args, of)
        return backend


CLASSES: Final = rows("v5.toml", "class", ClassSpecV5)
"""Class name → its row."""


# --- last steps ----------------------------------------------------------------------------------------------------


def id_of(args: Arguments, backend: Backend, key: str, without: int | None = None) -> int:
    """The id of a named special token. without: the original's id if it is null, None if it raises an error then."""
    token = args.token(key)
    if token is not None:
        return templates.id_or_unknown(args, backend, text(token))
    if without is None:
        raise args.refusal(f"{key} is null, but the template needs it")
    return without


def with_ids(args: Arguments, backend: Backend, keys: Iterable[str], **without: int) -> list[tuple[str, int]]:
    """Named special tokens with their ids. without: the id of one that is null."""
    return [(args.spelling(key), id_of(args, backend, key, without.get(key))) for key in keys]


def ended(args: Arguments, backend: Backend) -> None:
    """Sets a template with </s> after the text, whose id is that of the EOS token whatever its spelling."""
    backend.post_processor = parts.template([], [("</s>", id_of(args, backend, "eos_token"))])


def roberta(args: Arguments, backend: Backend) -> None:
    """Sets a RobertaProcessing with the special tokens."""
    flags = [args.sure(key) for key in ("trim_offsets", "add_prefix_space")]
    backend.post_processor = parts.roberta(with_ids(args, backend, ("cls_token", "sep_token")), *flags)


def mpnet(args: Arguments, backend: Backend) -> None:
    """The same for MPNet."""
    both = with_ids(args, backend, ("cls_token", "sep_token"), cls_token=0, sep_token=2)
    backend.post_processor = parts.roberta(both, True, False)


def clip(args: Arguments, backend: Backend) -> None:
    """Sets a RobertaProcessing with BOS and EOS."""
    backend.post_processor = parts.roberta(with_ids(args, backend, ("bos_token", "eos_token")), False, False)


def all_special(args: Arguments, backend: Backend) -> None:
    """Adds all special tokens again, with their flags."""
    backend.add(
        token.as_special() if isinstance(token, Token) else Token(token, special=True) for token in all_tokens(args)
    )


def plainly_special(args: Arguments, backend: Backend) -> None:
    """Adds all special tokens again, without their flags."""
    backend.add(Token(text(token), special=True) for token in all_tokens(args))


def splinter(args: Arguments, backend: Backend) -> None:
    """The template of BERT, if both tokens exist. The question's token must, though only pairs of texts have it."""
    if args.token("question_token") is None:
        raise args.refusal(f"{TOKENIZER_CONFIG}: question_token is null; remove it")
    if args.token("cls_token") is not None and args.token("sep_token") is not None:
        Enclosed(keys=("cls_token", "sep_token")).set(args, backend)


def starts_with_end(args: Arguments, backend: Backend) -> None:
    """Sets XGLM's template: EOS before the text. It names BOS, too."""
    id_of(args, backend, "bos_token")
    Enclosed(keys=("eos_token",)).set(args, backend)


def ended_by_name(args: Arguments, backend: Backend) -> None:
    """Sets a template with the EOS token after the text."""
    name = templates.in_template(args, args.spelling("eos_token"))
    backend.post_processor = parts.template([], [(name, templates.id_or_unknown(args, backend, name))])


def pegasus(args: Arguments) -> None:
    """Pegasus's <mask_1> and <unk_2> to <unk_102>; without a list of its own, these are its special tokens."""
    offset, mask = checked_offset(args), args.values["mask_token_sent"]
    first = [mask] if mask is not None and mask not in templates.listed(args) else []
    args.values[ADDITIONAL] = [*first, *(f"<unk_{number}>" for number in range(2, offset))]


# --- the tokenizer ----------------------------------------------------------------------------------------------------


def vocabulary_for(args: Arguments, spec: ClassSpecV5, model: Mapping[str, Any], charsmap: str | None) -> Vocabulary:
    """The vocabulary of a tokenizer.json in the form of the class's model. Raises InputError if it has another form."""
    vocab = model.get("vocab")
    if spec.model in (BPE, WORD_PIECE) and isinstance(vocab, list):
        vocab = {each[0] if isinstance(each, list) else each: id for id, each in enumerate(vocab)}
    if isinstance(vocab, dict) != (spec.model != UNIGRAM):
        raise args.refusal(
            f"its class builds a {spec.model} model, but the model of tokenizer.json is {shown(model.get('type'))}"
        )
    merges = model.get("merges", []) if spec.model == BPE else []
    return Vocabulary(vocab, list(merges), charsmap)


OfFiles: TypeAlias = Callable[[Arguments], Backend]


def build(args: Arguments, spec: ClassSpecV5, file: TokenizerJson | None, of_files: OfFiles | None) -> Backend:
    """The tokenizer of a folder. of_files: what the class takes from other files, if there is no tokenizer.json.

    Raises InputError where the original raises an error.
    """
    args.values = spec.applied(args.values)
    call(__name__, spec.prepared, args)
    if file is None:
        assert of_files is not None, "a folder has a tokenizer.json or other files"
        backend = of_files(args)
    elif not spec.build:
        backend = Backend.of(file)
    else:
        backend = spec.built(args, vocabulary_for(args, spec, file.model, _charsmap(file.normalizer)))
        backend.post_processor = file.post_processor or backend.post_processor
    if file is not None and isinstance(file.padding, dict):
        args.values.setdefault("pad_token", file.padding.get("pad_token"))
    explicit = "add_bos_token" in args.values or "add_eos_token" in args.values
    _add_tokens(args, backend)
    updated = explicit or backend.post_processor is None
    if updated and spec.updates:
        update_template(args, backend)
    if spec.enclosed is not None:
        spec.enclosed.set(args, backend)
    call(__name__, spec.finished, args, backend)
    if updated and spec.twice:
        update_template(args, backend)
    return backend


def _charsmap(normalizer: Json | None) -> str | None:
    """The character map of the first Precompiled normalizer, nested Sequences excepted."""
    if not normalizer:
        return None
    parts = normalizer["normalizers"] if normalizer["type"] == "Sequence" else [normalizer]
    return next(
        (
            part["precompiled_charsmap"]
            for part in parts
            if part.get("type") == "Precompiled" and "precompiled_charsmap" in part
        ),
        None,
    )


def _add_tokens(args: Arguments, backend: Backend) -> None:
    """Adds tokens of the settings that the backend does not have, or has with other flags."""
    named, unnamed = named_tokens(args), unnamed_tokens(args)
    for token in unnamed:
        if not isinstance(token, (str, Token)):
            raise args.refusal(f"{EXTRA} contains {shown(token)}, which is not a token; give its text")
    spelled = {token.content for token in (*backend.tokens, *args.decoder.values())}
    special = [token for token in (*named.values(), *unnamed) if text(token) not in spelled]
    names = {text(token) for token in named.values() if not isinstance(token, str) or token}
    backend.add_missing(args.decoder, special, names)
