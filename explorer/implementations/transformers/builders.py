"""What classes build of a vocabulary: model, normalizer, pre-tokenizer and decoder, by the rows of builders.toml.

The rows are parts of a tokenizer.json as the classes write them; what depends on settings or on the vocabulary is a
value here. Those of version 4 share many parts, and bring the model that they converted.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from explorer.errors import shown
from explorer.implementations.transformers import parts
from explorer.implementations.transformers.arguments import Arguments, Backend, call, languages, texts_of
from explorer.tables import Json, read_toml

BPE, WORD_PIECE, UNIGRAM = "BPE", "WordPiece", "Unigram"


class Vocabulary(NamedTuple):
    """What a class gets of a tokenizer.json. charsmap: of its normalizer, as base64, None if there is none."""

    vocab: Any
    merges: Any = ()
    charsmap: str | None = None


_TABLE: Json = read_toml(__file__, "builders.toml")
ROWS: Mapping[str, Json] = _TABLE["build"]
PARTS: Mapping[str, Sequence[parts.Part]] = _TABLE["parts"]


def built(row: str, args: Arguments, of: Vocabulary) -> Backend:
    """The tokenizer of a vocabulary. Raises InputError where the original raises an error."""
    model = {"vocab": of.vocab} | {key: _put(args, of, value) for key, value in ROWS[row]["model"].items()}
    if model["type"] == BPE:
        model = {**parts.bpe(of.vocab, of.merges), **model}
    backend = around(row, args, of, model)
    call(__name__, ROWS[row].get("then", ()), args, backend)
    return backend


def around(row: str, args: Arguments, of: Vocabulary, model: parts.Part) -> Backend:
    """A tokenizer with a model and the other parts of a row."""

    def section(key: str, inside: str) -> parts.Part | None:
        names = ROWS[row].get(key, [])
        filled = list(_parts(args, of, [names] if isinstance(names, str) else names))
        if isinstance(names, str):
            return next(iter(filled), None)
        return parts.sequence(inside, *filled) if filled else None

    return Backend(
        model,
        texts_of(model),
        section("normalizer", "normalizers"),
        section("pre_tokenizer", "pretokenizers"),
        section("post_processor", "processors"),
        section("decoder", "decoders"),
    )


def _parts(args: Arguments, of: Vocabulary, names: Sequence[str]) -> Iterator[parts.Part]:
    """The named parts with their values, without those that a setting switches off."""

    def on(key: str) -> object:
        return VALUES[key](args, of) if key in VALUES else args.flag(key)

    for part in (part for name in names for part in PARTS[name]):
        if ("when" not in part or on(part["when"])) and not ("unless" in part and on(part["unless"])):
            yield {key: _put(args, of, value) for key, value in part.items() if key not in ("when", "unless")}


def _put(args: Arguments, of: Vocabulary, value: Any) -> Any:
    if not isinstance(value, str) or not value.startswith("$"):
        return value
    key = value[1:]
    if key in VALUES:
        return VALUES[key](args, of)
    return args.spelling(key) if key.endswith("_token") else args.sure(key)


# --- values ----------------------------------------------------------------------------------------------------------

Value = Callable[[Arguments, Vocabulary], Any]


def scheme(prefixed: str, without: str = "never") -> Value:
    """When ▁ is put in front, with add_prefix_space and without."""
    return lambda args, of: prefixed if args.flag("add_prefix_space", True) else without


def by_legacy(args: Arguments, of: Vocabulary) -> str:
    return "always" if args.flag("legacy") else "first"


def has_prefix(args: Arguments, of: Vocabulary) -> bool:
    """Whether a Llama has a space in front: unless that is switched off."""
    return args.flag("add_prefix_space", None) is not False


def is_old(args: Arguments, of: Vocabulary) -> bool:
    """Whether a Llama of version 4 is built as before `legacy=False`."""
    return args.flag("legacy", None) is not False


def scored(args: Arguments, vocab: Any, otherwise: int = -1) -> int:
    """The index of the unknown token, if it has the score 0."""
    unknown = args.spelling("unk_token")
    return next((id for id, entry in enumerate(vocab) if entry[0] == unknown and entry[1] == 0), otherwise)


def named_id(args: Arguments, default: int) -> int:
    """The setting unk_id. Raises InputError if it is not an id."""
    id = args.values.get("unk_id", default)
    if not isinstance(id, int) or id < 0:
        raise args.refusal(f"unk_id is {shown(id)}, not an id")
    return id


def of_score_0(args: Arguments, of: Vocabulary) -> int:
    unknown = scored(args, of.vocab)
    return named_id(args, 1) if unknown < 0 else unknown


def after_the_first(args: Arguments, of: Vocabulary) -> int:
    unknown = scored(args, of.vocab[1:])
    if unknown < 0:
        raise args.refusal("the unknown token is not a piece with the score 0 after the first one")
    return unknown + 1


def of_spelling(args: Arguments, of: Vocabulary) -> int:
    unknown = args.spelling("unk_token")
    return next((id for id, entry in enumerate(of.vocab) if entry[0] == unknown), 0)


def with_languages(args: Arguments, of: Vocabulary) -> Any:
    """A vocabulary without any of MBart50's languages is put into fairseq's order."""
    codes = languages("mbart50")
    if {entry[0] for entry in of.vocab} & set(codes):
        return of.vocab
    first = [[args.spelling(f"{key}_token"), 0.0] for key in ("cls", "pad", "eos", "unk")]
    return [*first, *of.vocab[3:], *([name, 0.0] for name in (*codes, args.spelling("mask_token")))]


def wordpieces_prefix(args: Arguments, of: Vocabulary) -> str:
    prefix = args.values.get("wordpieces_prefix")
    if not isinstance(prefix, str):
        raise args.refusal(f"wordpieces_prefix is {shown(prefix)}, not a text")
    return prefix


VALUES: Mapping[str, Value] = {
    "charsmap": lambda args, of: of.charsmap,
    "strip_accents": lambda args, of: args.flag("strip_accents", None),
    "wordpieces_prefix": wordpieces_prefix,
    "prefix, or none": lambda args, of: bool(args.flag("add_prefix_space")),
    "always or never": scheme("always"),
    "always or first": scheme("always", "first"),
    "first or never": scheme("first"),
    "by legacy": lambda args, of: scheme(by_legacy(args, of))(args, of),
    "scheme of Llama": lambda args, of: by_legacy(args, of) if has_prefix(args, of) else "never",
    "prefix of Llama": has_prefix,
    "old Llama": is_old,
    "prefix of old Llama": lambda args, of: is_old(args, of) and args.flag("add_prefix_space", True),
    "unk_id": lambda args, of: named_id(args, 0),
    "unk_id of score 0": of_score_0,
    "unk_id of score 0, or 100": lambda args, of: scored(args, of.vocab, 100),
    "unk_id after the first": after_the_first,
    "unk_id of the spelling": of_spelling,
    "vocab with languages": with_languages,
}
"""What a row names after a $ or as a condition, other than settings."""


def albert(args: Arguments, backend: Backend) -> None:
    """ALBERT's template, if the file has none."""
    named = []
    for name, key in (("[CLS]", "cls_token"), ("[SEP]", "sep_token")):
        id = backend.texts.get(args.spelling(key))
        if id is None:
            raise args.refusal(f"{shown(args.spelling(key))} is not a piece of the model, but the template needs it")
        named.append((name, id))
    backend.post_processor = parts.template(named[:1], named[1:])
