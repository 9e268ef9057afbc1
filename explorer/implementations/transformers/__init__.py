"""Tokenizers as AutoTokenizer of `transformers` 4 and 5 makes them from a model's folder.

arguments            the class a folder asks for, over tables, and its arguments; the supported versions; the
                     resulting tokenizer.json, changed step by step, and its tokens
rows                 the tables of classes: v4.toml, v5.toml
v4_classes           what the classes of version 4 do, frozen
v4_build             what a class of version 4 makes of its arguments and the files
v5_classes           the same for version 5
slow                 what the two versions share of that
templates            tokens around a text: BOS and EOS, languages
two_files            classes in Python with two files: Marian's and M2M100's, PhoBERT's and BERTweet's
decoding             what follows the decoder
builders             what classes build of a vocabulary, by builders.toml
parts                the JSON of its parts
mistral_regex        the setting fix_mistral_regex
python_classes       other classes in Python, and the added tokens of all of them
facts                the card, and settings of a folder as switches

The result is a tokenizer.json again, which is run as Hugging Face's tokenizers runs it. Where the original raises an
error, there is an InputError that says so.

`add_special` is its argument add_special_tokens, `parse_special=False` its setting split_special_tokens, and
`unparse_special=False` its argument skip_special_tokens. It has nothing like `remove_special`.

Left out: classes without a row in the tables, and the model's own code (`auto_map`).
"""

from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial

from explorer.engine.decoders.huggingface import ChainDecoder
from explorer.engine.part import Part
from explorer.engine.partition.special_tokens import AddedTokenPartition
from explorer.errors import InputError, errors_of
from explorer.facts import listed
from explorer.formats.files import CLASSES as WITHOUT_VOCABULARY
from explorer.formats.model_folder import Settings
from explorer.formats.tokenizer_json import TokenizerJson
from explorer.implementations import huggingface
from explorer.implementations.opened import Opened, Variant, Variants
from explorer.implementations.transformers import decoding, mistral_regex, two_files, v5_classes
from explorer.implementations.transformers import v4_build as v4_build
from explorer.implementations.transformers import v4_classes as v4_classes
from explorer.implementations.transformers.arguments import VERSIONS, Arguments, Backend, arguments, class_for, texts_of
from explorer.implementations.transformers.facts import Built, facts_of, own_parts, variants
from explorer.implementations.transformers.slow import Slow
from explorer.implementations.transformers.v4_build import FindSlow

NEEDLESS = ": it has no vocabulary file, and this folder has one; remove that file, or the class"
FORCED = "clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output"


def from_tokenizer_json(
    version: int,
    read: Callable[..., TokenizerJson],
    settings: Settings,
    name: str,
    *,
    byte_level: bool = False,
    slow: FindSlow = lambda name: None,
) -> Opened:
    """The tokenizer of a folder with a tokenizer.json.

    read: reads it; `floats` as in `formats.tokenizer_json.read`. byte_level: whether the file contains the string
    "ByteLevel", with its quotes. slow: reads the SentencePiece model of a name next to it. Raises InputError where the
    original raises an error, and for an unknown class.
    """
    return _from_folder(version, read, slow, settings, name, byte_level)


def from_slow(version: int, files: Slow, settings: Settings, name: str) -> Opened:
    """The tokenizer of a folder without a tokenizer.json: a SentencePiece model, vocab.json or vocab.txt.

    Raises InputError as `from_tokenizer_json` does.
    """
    return _from_folder(version, None, lambda name: files, settings, name, False)


def _from_folder(
    version: int,
    read: Callable[..., TokenizerJson] | None,
    slow: FindSlow,
    settings: Settings,
    name: str,
    byte_level: bool,
) -> Opened:
    def class_of_folder(asked: Settings) -> str:
        class_name = class_for(version, asked, byte_level)
        _check_known(version, class_name, has_file=read is not None)
        if class_name in two_files.PHOBERT_NAMES and read is not None:
            raise InputError(f"{class_name} reads vocab.txt and bpe.codes, not tokenizer.json; remove that file")
        return class_name

    with errors_of(name):
        class_name = class_of_folder(settings)
    # a class of version 5 that builds its model gives it the scores as Python reads them
    builds = version != 4 and bool(v5_classes.CLASSES[class_name].build)
    file = None if read is None else read(floats=None) if builds else read()

    def rebuild(other: Settings) -> Built:
        return _build(version, class_of_folder(other), file, slow, other)

    with errors_of(name):
        first = rebuild(settings)

    def finish(built: Built) -> Opened:
        return _tokenizer(built, settings, name, file)

    def with_sections(keys: Collection[str]) -> Opened:
        assert read is not None
        whole = read()
        backend = replace(first.backend, **{key: getattr(whole, key) for key in keys})
        backend.texts = texts_of(backend.model)
        return finish(first._replace(backend=backend))

    own = [
        Variant(class_name, True, False, says, partial(with_sections, keys))
        for keys, says in (own_parts(first, class_name, file) if builds and file is not None else ())
    ]
    switches = Variants(lambda: variants(first, settings, rebuild, finish), own)
    return replace(finish(first), variants=switches)


def _build(version: int, class_name: str, file: TokenizerJson | None, slow: FindSlow, settings: Settings) -> Built:
    """What a class makes of a folder's settings. Raises InputError where the original raises an error."""
    added = file.added_tokens if file is not None and file.lists_added else None
    args = arguments(version, settings, added, has_file=file is not None)
    if version == 4:
        spec = v4_classes.CLASSES[class_name]
        backend = v4_build.build(args, spec, file, slow)
    else:
        backend = v5_classes.build(args, class_name, file, None if file is not None else slow(""))
    mistral_regex.fix(args, backend, settings)
    return Built(args, backend, _cleans_up(args, backend), bool(args.flag("split_special_tokens")), class_name)


def _check_known(version: int, class_name: str, *, has_file: bool) -> None:
    """Raises InputError for a class without a row in the tables."""
    run: Collection[str] = v4_classes.CLASSES if version == 4 else v5_classes.CLASSES
    if class_name not in run:
        needless = class_name.removesuffix("Fast") in WITHOUT_VOCABULARY
        said = NEEDLESS if needless else f"; supported are {listed(list(run), len(run))}"
        raise InputError(
            f"transformers {VERSIONS[version]} runs this folder as {class_name}, which is not supported here"
            f"{said}{'. @huggingface runs tokenizer.json alone' if has_file else ''}"
        )


def _tokenizer(built: Built, settings: Settings, name: str, file: TokenizerJson | None) -> Opened:
    """The tokenizer of a built class, with cleaned-up decoding and without special tokens in the text, if asked for."""
    args, backend, cleans, splits, class_name = built
    old = args.version == 4
    tokenizer = huggingface.from_tokenizer_json(backend.whole(first_special=old), name)
    if backend.merges is not None:
        tokenizer = two_files.with_codes(tokenizer, backend)
    decoder = tokenizer.decoder
    assert isinstance(decoder, ChainDecoder)
    # tokenizers 0.22 decodes an added token to its spelling in the file, 0.23 to its normalized one
    strings = {} if old else decoder.strings
    decoder = replace(decoder, steps=[*decoder.steps, *decoding.steps(class_name, backend, cleans)], strings=strings)
    return replace(
        tokenizer,
        implementation=f"transformers-{args.version}",
        parts=tuple(map(_without_special, tokenizer.parts)) if splits else tokenizer.parts,
        decoder=decoder,
        facts=tuple(facts_of(built, class_name, settings, tokenizer.facts, file)),
    )


def _cleans_up(args: Arguments, backend: Backend) -> bool:
    """Whether decoding ends with the clean-up. Version 5 skips it for BPE, unless forced."""
    if not args.flag("clean_up_tokenization_spaces"):
        return False
    if backend.merges is not None:
        return True
    return args.version == 4 or backend.model["type"] != "BPE" or bool(args.flag(FORCED))


def _without_special(part: Part) -> Part:
    """A stage without the special tokens it looks for."""
    if not isinstance(part, AddedTokenPartition):
        return part
    return AddedTokenPartition([token for token in part.tokens if not token.special], part.name)


__all__ = ["Slow", "from_slow", "from_tokenizer_json"]
