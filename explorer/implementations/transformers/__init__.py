"""Tokenizers as AutoTokenizer of `transformers` gives them for a model's folder, in version 4 and in version 5.

Which class a folder asks for (`lookup`), what that is args (`arguments`), what it makes of a tokenizer.json (`fourth`
and `fifth`, with a table of classes each): all of it ends as a tokenizer.json once more, which is run as Hugging Face's
tokenizers runs it. What an original would stop at is an InputError that says so.

`add_special` is its argument add_special_tokens. `parse_special=False` is its setting split_special_tokens, and
`unparse_special=False` its argument skip_special_tokens; `remove_special` it does not have.

Left out: classes that are no row of the tables, and code of the model's own (`auto_map`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from explorer.engine.decoders.chain import ChainDecoder
from explorer.engine.decoders.tidy import Tidy
from explorer.engine.part import Part
from explorer.engine.partition.added_tokens import AddedTokenPartition
from explorer.engine.tokenizer import Tokenizer
from explorer.engine.variants import Variants
from explorer.errors import InputError
from explorer.facts import listed
from explorer.formats.model_folder import Settings
from explorer.formats.tokenizer_json import TokenizerJson
from explorer.implementations import huggingface
from explorer.implementations.transformers import mistral_regex, v4, v4_classes, v5, v5_classes, v5_slow
from explorer.implementations.transformers.arguments import Arguments, arguments
from explorer.implementations.transformers.backend import Backend
from explorer.implementations.transformers.class_lookup import class_for
from explorer.implementations.transformers.facts import facts_of
from explorer.implementations.transformers.slow import Slow
from explorer.implementations.transformers.variants import Made, variants
from explorer.implementations.transformers.versions import VERSIONS

FORCED = "clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output"


def from_tokenizer_json(
    version: int,
    file: TokenizerJson,
    settings: Settings,
    name: str,
    *,
    byte_level: bool = False,
    slow: Callable[[], Slow | None] = lambda: None,
) -> Tokenizer:
    """The tokenizer of a folder with a tokenizer.json. Raises InputError where the original stops, or for a class that
    is not known here.

    byte_level: the file holds the word "ByteLevel", with its quotes. slow: gives a SentencePiece model beside it.
    """
    return opened(version, file, slow, settings, name, byte_level)


def from_slow(version: int, files: Slow, settings: Settings, name: str) -> Tokenizer:
    """The tokenizer of a folder without one: a SentencePiece model, vocab.json and merges.txt, or a vocab.txt.

    Raises InputError as above.
    """
    return opened(version, None, lambda: files, settings, name, False)


def opened(
    version: int,
    file: TokenizerJson | None,
    slow: Callable[[], Slow | None],
    settings: Settings,
    name: str,
    byte_level: bool,
) -> Tokenizer:
    try:
        found = class_for(version, settings, byte_level)
        known(version, found)

        def again(other: Settings) -> Made:
            return made(version, found, file, slow, other)

        first = again(settings)
    except InputError as error:
        raise InputError(f"{name}: {error}") from None

    def finish(one: Made) -> Tokenizer:
        return finished(one, found, settings, name, file)

    switches = Variants(lambda: variants(first, settings, again, finish))
    return replace(finish(first), variants=switches)


def made(
    version: int, found: str, file: TokenizerJson | None, slow: Callable[[], Slow | None], settings: Settings
) -> Made:
    """What a class makes of a folder's settings. Raises InputError where the original stops."""
    added = file.added_tokens if file is not None and file.lists_added else None
    args = arguments(version, settings, added, has_file=file is not None)
    if version == 4:
        spec = v4_classes.CLASSES[found]
        files = slow() if file is None or spec.from_slow or args.flag("from_slow", False) else None
        backend = v4.build(args, spec, file, files)
    else:
        files = None if file is not None else slow()
        if files is not None:
            v5_slow.check(found, files)
        backend = v5.build(args, v5_classes.CLASSES[found], file, files)
    mistral_regex.fix(args, backend, settings)
    return Made(args, backend, cleans_up(args, backend), bool(args.flag("split_special_tokens", False)))


def known(version: int, found: str) -> None:
    """Raises InputError for a class that is not run here."""
    kinds = v4_classes.CLASSES if version == 4 else v5_classes.CLASSES
    if found not in kinds:
        raise InputError(
            f"transformers {VERSIONS[version].number} runs this folder as {found}, which is not known here; known are "
            f"{listed(list(kinds), len(kinds))}. @huggingface runs tokenizer.json alone"
        )


def finished(one: Made, found: str, settings: Settings, name: str, file: TokenizerJson | None) -> Tokenizer:
    """The tokenizer that has come of a class, with what it does besides: cleaning up, passing special tokens over."""
    args, backend, cleans, splits = one
    tokenizer = huggingface.from_tokenizer_json(backend.whole(), name)
    decoder = tokenizer.decoder
    assert isinstance(decoder, ChainDecoder)
    if args.version == 4:
        # tokenizers 0.22 decodes an added token to its own spelling, 0.23 to its normalized one
        decoder = decoder.spelled_plainly()
    if cleans:
        decoder = decoder.followed_by(Tidy())
    return replace(
        tokenizer,
        implementation=VERSIONS[args.version].implementation,
        parts=tuple(map(without_special, tokenizer.parts)) if splits else tokenizer.parts,
        decoder=decoder,
        facts=tuple(facts_of(one, found, settings, tokenizer.facts, file)),
    )


def cleans_up(args: Arguments, backend: Backend) -> bool:
    """Whether decoding ends with the clean-up; version 5 leaves it out for BPE, unless it is forced to."""
    if not args.flag("clean_up_tokenization_spaces", False):
        return False
    return args.version == 4 or backend.model["type"] != "BPE" or bool(args.flag(FORCED, False))


def without_special(part: Part) -> Part:
    """A stage that no longer finds special tokens in a text."""
    if not isinstance(part, AddedTokenPartition):
        return part
    return AddedTokenPartition([token for token in part.tokens if not token.special], part.name)


__all__ = ["Slow", "from_slow", "from_tokenizer_json"]
