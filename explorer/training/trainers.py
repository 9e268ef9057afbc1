"""All trainers by algorithm and by whom they follow, the files they give, recipes; a training of a small text.

What was learned becomes a file that its original opens: tokenizer.json, a sentencepiece model, ranks. The files hold
what encoding needs and what the originals write themselves: a tokenizer.json equals, as JSON, the one that tokenizers
0.23 saves after the same training.

A recipe is a training written down, so that it can be repeated: algorithm, options and the fingerprint of the corpus,
the sha256 of what the trainer reads (the distinct words in order with their counts, or the texts that are not empty).
So it doesn't matter how the corpus is spread over files. It is JSON; the options are those that differ from the
trainer's defaults.

A page, a lesson or a notebook asks for a training on a small text: within limits, with every decision. Trainers and
the ways to cut words have the names there by which people know them.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import Field, asdict, dataclass, fields
from functools import cached_property, partial
from hashlib import sha256
from inspect import formatannotation
from typing import Annotated, Any, NamedTuple, get_type_hints

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from explorer.engine import budget
from explorer.engine.part import AnyEvents
from explorer.errors import InputError
from explorer.formats import sentencepiece_model as proto
from explorer.formats import strict_json, tiktoken_ranks
from explorer.formats import tokenizer_json as json_format
from explorer.formats.protobuf import message
from explorer.formats.sentencepiece_model import ModelType
from explorer.formats.structs import convert
from explorer.hooks import show
from explorer.tables import Record, read_toml
from explorer.text.say import plural
from explorer.training import likelihood, teaching, top_down
from explorer.training.huggingface import bpe, unigram, word_level
from explorer.training.likelihood import PREFIX
from explorer.training.sentencepiece import bpe as sentencepiece_bpe
from explorer.training.sentencepiece import sentences as sentencepiece
from explorer.training.sentencepiece import unigram as sentencepiece_unigram
from explorer.training.sentencepiece.sentences import charsmap_of
from explorer.training.training import Learned, Training
from explorer.training.words import CUTTINGS, Cutting, Words

UNKNOWN = "[UNK]"
"""The unknown token of models that have to have one, unless another is given."""

LONGEST_WORD = 100
"""Characters of a word that a WordPiece model cuts; a longer one is unknown."""


def tokenizer_json(model: Record, cutting: Cutting, special: Mapping[str, int]) -> str:
    """A tokenizer.json. model: from one of the functions below. special: the special tokens and their ids."""
    added = [
        {"id": id, "content": text, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False,
         "special": True}
        for text, id in sorted(special.items(), key=lambda each: each[1])
    ]  # fmt: skip
    whole = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added,
        "normalizer": cutting.normalizer,
        "pre_tokenizer": cutting.pre_tokenizer,
        "post_processor": None,
        "decoder": cutting.decoder,
        "model": model,
    }
    return json_format.write(whole)


def bpe_model(learned: Learned[str], options: bpe.Options, unk_token: str | None = None) -> Record:
    """A BPE model. Of a pair that was merged twice the last merge is in force.

    >>> training = bpe.train({"ab": 3}, bpe.Options(vocab_size=3))
    >>> bpe_model(training.learned, bpe.Options())["merges"]
    [['a', 'b']]
    """
    in_force = reversed(dict.fromkeys(reversed(learned.pairs)))
    return {
        "type": "BPE",
        "dropout": None,
        "unk_token": known(unk_token, learned),
        "continuing_subword_prefix": options.continuing_subword_prefix,
        "end_of_word_suffix": options.end_of_word_suffix,
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": False,
        "vocab": learned.ids,
        "merges": [list(pair) for pair in in_force],
    }


def wordpiece_model(learned: Learned[str], options: Any, unk_token: str | None = None) -> Record:
    """A WordPiece model of any trainer."""
    return {
        "type": "WordPiece",
        "unk_token": known(unk_token or UNKNOWN, learned),
        "continuing_subword_prefix": getattr(options, "continuing_subword_prefix", None) or PREFIX,
        "max_input_chars_per_word": LONGEST_WORD,
        "vocab": learned.ids,
    }


def word_level_model(learned: Learned[str], options: object, unk_token: str | None = None) -> Record:
    """A WordLevel model."""
    return {"type": "WordLevel", "vocab": learned.ids, "unk_token": known(unk_token or UNKNOWN, learned)}


def unigram_model(learned: Learned[str], options: unigram.Options, unk_token: str | None = None) -> Record:
    """A Unigram model, whose unknown token is an option of its trainer."""
    return {
        "type": "Unigram",
        "unk_id": None if options.unk_token is None else learned.tokens.index(options.unk_token),
        "vocab": [[token, score] for token, score in zip(learned.tokens, learned.scores, strict=True)],
        "byte_fallback": False,
    }


def known(unk_token: str | None, learned: Learned[str]) -> str | None:
    """The unknown token. Raises InputError if it is not a token."""
    if unk_token is not None and unk_token not in learned.ids:
        raise InputError(f"the unknown token {unk_token!r} is not in the vocabulary; add it to the special tokens")
    return unk_token


def sentencepiece_model(
    learned: Learned[str], options: sentencepiece.Options, unk_token: str | None = None, *, kind: proto.ModelType
) -> bytes:
    """A `.model` of sentencepiece."""
    fields = {field.name for field in proto.TRAINER.values()}
    trainer = {name: value for name, value in asdict(options).items() if name in fields}
    trainer |= {"model_type": kind, "vocab_size": len(learned.tokens)}
    pieces = [
        message(proto.PIECE, {"piece": token, "score": score, "type": type_of})
        for token, score, type_of in zip(learned.tokens, learned.scores, learned.kinds, strict=True)
    ]
    return message(
        proto.MODEL,
        {
            "pieces": pieces,
            "trainer_spec": message(proto.TRAINER, trainer),
            "normalizer_spec": message(
                proto.NORMALIZER,
                {
                    "name": "user_defined" if options.charsmap else options.normalization_rule_name,
                    "precompiled_charsmap": charsmap_of(options),
                    "add_dummy_prefix": options.add_dummy_prefix,
                    "remove_extra_whitespaces": options.remove_extra_whitespaces,
                    "escape_whitespaces": True,
                },
            ),
            "denormalizer_spec": b"",
        },
    )


def ranks(learned: Learned[bytes], options: object = None, unk_token: str | None = None) -> bytes:
    r"""A `.tiktoken` file: a token in base64 and its rank on each line.

    >>> from explorer.training import teaching
    >>> ranks(teaching.train({"abab": 1}, teaching.Options(vocab_size=257)).learned).splitlines()[-1]
    b'YWI= 256'
    """
    return tiktoken_ranks.write((token, rank) for rank, token in enumerate(learned.tokens))


class Trainer(NamedTuple):
    """A trainer.

    options: the class of its options. of_words: it learns from distinct words with their counts, cut by a `Cutting`;
    else from texts, which it cuts itself. train: called with either, and options. model: the model of a tokenizer.json
    or a whole file, from what was learned, the options, and the unknown token or None. suffix: of the file.
    """

    options: type[Any]
    of_words: bool
    train: Callable[[Any, Any], Training[Any]]
    model: Callable[[Any, Any, str | None], Record | bytes]
    suffix: str

    def save(self, learned: Any, options: Any, cutting: Cutting, unk: str | None) -> bytes:
        """What was learned, as a file that its original opens. cutting: how words were cut."""
        model = self.model(learned, options, unk)
        if isinstance(model, bytes):
            return model
        special = options.reserved_tokens if isinstance(options, top_down.Options) else options.special_tokens
        return tokenizer_json(model, cutting, {token: learned.ids[token] for token in special}).encode()


TRAINERS = {
    ("bpe", "huggingface"): Trainer(bpe.Options, True, bpe.train, bpe_model, ".json"),
    ("bpe", "sentencepiece"): Trainer(
        sentencepiece.Options, False, sentencepiece_bpe.train,
        partial(sentencepiece_model, kind=ModelType.BPE), ".model",
    ),
    ("bpe", "minbpe"): Trainer(teaching.Options, True, teaching.train, ranks, ".tiktoken"),
    ("wordpiece", "huggingface"): Trainer(bpe.WordPieceOptions, True, bpe.train, wordpiece_model, ".json"),
    ("wordpiece", "likelihood"): Trainer(likelihood.Options, True, likelihood.train, wordpiece_model, ".json"),
    ("wordpiece", "tensorflow-text"): Trainer(top_down.Options, True, top_down.train, wordpiece_model, ".json"),
    ("unigram", "huggingface"): Trainer(unigram.Options, True, unigram.train, unigram_model, ".json"),
    ("unigram", "sentencepiece"): Trainer(
        sentencepiece_unigram.Options, False, sentencepiece_unigram.train,
        partial(sentencepiece_model, kind=ModelType.UNIGRAM), ".model",
    ),
    ("wordlevel", "huggingface"): Trainer(
        word_level.Options, True, word_level.train, word_level_model, ".json"
    ),
}  # fmt: skip
"""By algorithm and by whom it follows."""


FORMAT = 2
"""Incremented when a recipe means something else. In the first format, sentencepiece changed no characters."""
BYTES = "charsmap"
"""The option that is no text; a recipe has it in hexadecimal digits."""


class Recipe(msgspec.Struct, frozen=True, rename={"whom": "as"}):
    """A training. words: a name in `CUTTINGS`. line_ends: whether lines were read with their ends, as from files.

    options: of the trainer, by name. unk_token: of the model that is saved. corpus: its fingerprint.
    """

    algorithm: str
    whom: str
    words: str
    line_ends: bool
    options: dict[str, Any]
    unk_token: str | None = None
    corpus: str = ""
    format: Annotated[int, Meta(ge=1, le=FORMAT)] = FORMAT

    def json(self) -> str:
        """The recipe as a file."""
        options = {name: value.hex() if name == BYTES else value for name, value in self.options.items()}
        values = {"format": FORMAT, **msgspec.to_builtins(replace(self, options=options))}
        return json.dumps(values, ensure_ascii=False, indent=2) + "\n"

    def check(self, corpus: Mapping[str, int] | Iterable[str]) -> None:
        """Raises InputError if a corpus is another than the recipe's."""
        own = fingerprint(corpus)
        if own != self.corpus:
            raise InputError(
                f"this corpus is not the recipe's: its sha256 is {own[:16]}…, the recipe has {self.corpus[:16]}…; "
                "give the same texts in the same order"
            )


def fingerprint(corpus: Mapping[str, int] | Iterable[str]) -> str:
    """The sha256 of words with their counts, or of texts.

    >>> fingerprint(["a", "", "b"]) == fingerprint(iter(["a", "b"])) != fingerprint(["ab"])
    True
    """
    hashed = sha256()
    for each in corpus.items() if isinstance(corpus, Mapping) else filter(None, corpus):
        hashed.update(json.dumps(each).encode() + b"\n")
    return hashed.hexdigest()


def changed(options: Any) -> Record:
    """The options that differ from the defaults of their class.

    >>> from explorer.training.huggingface import bpe
    >>> changed(bpe.Options(vocab_size=300))
    {'vocab_size': 300}
    """
    return {field.name: value for field in fields(options) if (value := getattr(options, field.name)) != field.default}


def read(text: str, name: str) -> Recipe:
    """The recipe in a file. Raises InputError.

    >>> recipe = Recipe("bpe", "minbpe", "none", True, {"vocab_size": 300}, None, "0" * 64)
    >>> read(recipe.json(), "recipe.json") == recipe
    True
    """
    values = strict_json.read(text.encode("utf-8", "surrogatepass"), name, "a recipe")
    recipe = convert(values, Recipe, name, "a recipe")
    trainer = TRAINERS.get((recipe.algorithm, recipe.whom))
    if trainer is None or recipe.words not in CUTTINGS:
        wanted = f"{recipe.algorithm!r} as {recipe.whom!r}, words {recipe.words!r}"
        raise InputError(f"{name}: this program has no such trainer: {wanted}")
    checked = convert(recipe.options, in_file(trainer.options), name, "options")
    options = {each: getattr(checked, each) for each in recipe.options}
    if BYTES in options:
        options[BYTES] = bytes.fromhex(options[BYTES])
    if recipe.format == 1 and "normalization_rule_name" in trainer.options.__dataclass_fields__:
        options["normalization_rule_name"] = "identity"
    return replace(recipe, options=options, format=FORMAT)


Whole = Annotated[int, Meta(ge=-(1 << 63), le=(1 << 63) - 1)]
BOUNDED = {float: Annotated[float, Meta(ge=-(2.0**63), le=2.0**63)], int: Whole, int | None: Whole | None}
"""Larger numbers, or infinite ones, are of no use to a trainer."""


def in_file(options: type[Any]) -> type[msgspec.Struct]:
    """The options of a trainer as a recipe has them."""
    kinds = get_type_hints(options) | {BYTES: Annotated[str, Meta(pattern="^([0-9a-f]{2})*$")]}
    known = [(each.name, BOUNDED.get(kinds[each.name], kinds[each.name]), each.default) for each in fields(options)]
    return msgspec.defstruct("Options", known, forbid_unknown_fields=True)


def type_of(option: Field[Any]) -> str:
    """The type of an option as it is written, whether its module defers annotations or not.

    >>> [type_of(field) for field in fields(bpe.Options)][:2], type_of(fields(sentencepiece_unigram.Options)[0])
    (['int', 'int'], 'int')
    """
    return option.type if isinstance(option.type, str) else formatannotation(option.type)


SECONDS = 10.0
"""Processor time of a training on the page."""
LONGEST = 2_000
"""Characters of a corpus on the page."""
LONGEST_OPTION = 500
"""Characters of an option, of a list all together: a prefix is written before thousands of symbols."""
LARGEST_OPTION = 1_000_000_000
"""The largest number that an option may be."""
LONGEST_PIECE = 100
"""The same for the length of a Unigram model's pieces: the lattice of a text has so many nodes for each character."""
DECISIONS = 3_000_000
"""Decisions of a training on the page, each 32 bytes."""


TrainerId = tuple[str, str]
"""The algorithm, and whom it follows."""


class TrainRequest(NamedTuple):
    """What to learn, and from what. trainer_id: the algorithm and whom it follows. cutting: a name in `CUTTINGS`.

    options: of the trainer, by name, those that differ from its defaults. Each line of the text is a text.
    """

    trainer_id: TrainerId
    cutting: str
    text: str
    vocab_size: int
    options: tuple[tuple[str, Any], ...] = ()


class Trained(NamedTuple):
    """A training that has run, with the trainer's options. words: with their counts; empty if it cuts texts itself."""

    training: Training[Any]
    words: Words
    options: Any


def trained_within_limits(request: TrainRequest) -> Trained:
    """Trains within the limits of time and decisions. Raises InputError."""
    with budget.within("this training", SECONDS), budget.run(budget.Budget("this training", SECONDS, DECISIONS)):
        return learned_from(request)


def learned_from(request: TrainRequest) -> Trained:
    """A training with its events. Raises InputError."""
    if not request.text.strip():
        raise InputError("There is no text to learn from. Type a line, or choose an example.")
    check_limits(request)
    trainer, cutting = TRAINERS[request.trainer_id], CUTTINGS[request.cutting]
    options = trainer.options(vocab_size=request.vocab_size, **dict(request.options))
    texts = request.text.split("\n")
    words = cutting.words(texts) if trainer.of_words else {}
    training = trainer.train(words if trainer.of_words else texts, options)
    _ = training.events  # within the budget, and what was learned comes with them
    return Trained(training, words, options)


def check_limits(request: TrainRequest) -> None:
    """Raises InputError for a text or an option beyond the limits of the page, whatever its fields let through."""
    if len(request.text) > 2 * LONGEST:  # and a line more, in a question
        raise InputError(f"The text has {len(request.text):,} characters; at most {LONGEST:,} are learned from here.")
    for name, value in request.options:
        size = sum(map(len, value if isinstance(value, tuple) else (value,))) if isinstance(value, str | tuple) else 0
        if size > LONGEST_OPTION:
            raise InputError(f"{name} has {size:,} characters; give at most {LONGEST_OPTION}.")
        if isinstance(value, int | float) and not -LARGEST_OPTION <= value <= largest(name):
            raise InputError(f"{name} is too large; give a number up to {largest(name):,}.")


def largest(name: str) -> int:
    """The largest number that an option may be."""
    return LONGEST_PIECE if name in ("max_piece_length", "max_sentencepiece_length") else LARGEST_OPTION


class Offered(msgspec.Struct, frozen=True):
    """A trainer on the page. title: whom it follows. cuttings: how words may be cut, the usual way first.

    smallest: the size that the slider begins with. options: other than the trainer's own defaults.
    """

    title: str
    cuttings: tuple[str, ...]
    smallest: int = 0
    options: tuple[tuple[str, bool | int | str | tuple[str, ...]], ...] = ()


_TABLE: Record = read_toml(__file__, "words.toml")
ALGORITHMS: Mapping[str, str] = _TABLE["algorithms"]
"""Titles by their names."""

CUTS: Mapping[str, str] = _TABLE["cuts"]
"""How words are cut, by the names of `CUTTINGS`."""

OFFERED: Mapping[tuple[str, str], Offered] = {
    (row.pop("algorithm"), row.pop("as")): msgspec.convert(row, Offered) for row in _TABLE["offered"]
}
"""By algorithm and whom it follows."""


def usual_request(algorithm: str, whom: str, cutting: str, size: int, text: str) -> TrainRequest:
    """What to learn with a trainer's usual options. cutting: of words, "" for the usual one. Raises InputError."""
    offered = OFFERED.get((algorithm, whom))
    if offered is None:
        known = ", ".join(name for each, name in OFFERED if each == algorithm)
        raise InputError(f"{algorithm} is not learned as {whom!r}; use one of {known or ', '.join(ALGORITHMS)}")
    usual = cutting or next(iter(offered.cuttings), "none")
    return TrainRequest((algorithm, whom), usual, text, size, offered.options)


SIZES = 500
"""The slider's length."""


def query_of(request: TrainRequest) -> dict[str, str]:
    """The parameters that open a training on the page Train, but for its options: its choices by their titles."""
    algorithm, offered = request.trainer_id[0], OFFERED[request.trainer_id]
    query = {"algorithm": ALGORITHMS[algorithm], f"{algorithm}-as": offered.title, "corpus": request.text,
             f"size{offered.smallest or ''}": str(request.vocab_size)}  # fmt: skip
    return query | ({f"{algorithm}-words": CUTS[request.cutting]} if len(offered.cuttings) > 1 else {})


@dataclass(frozen=True, repr=False)
class TextTraining:
    """A vocabulary learned from a short text. It is learned when its result is first asked for."""

    request: TrainRequest

    def __repr__(self) -> str:
        title, count = ALGORITHMS[self.request.trainer_id[0]], plural(len(self.tokens), "token")
        return f"<{title} as {OFFERED[self.request.trainer_id].title} learns it: {count}>"

    @cached_property
    def trained(self) -> Trained:
        """The training that has run, its words and its options. Raises InputError."""
        return trained_within_limits(self.request)

    @property
    def tokens(self) -> tuple[str, ...] | tuple[bytes, ...]:
        """What was learned, by id."""
        tokens: tuple[str, ...] | tuple[bytes, ...] = self.trained.training.learned.tokens
        return tokens

    @property
    def events(self) -> AnyEvents:
        """Every decision, in order."""
        return self.trained.training.events

    def show(self, **asked: Any) -> Any:
        """The decisions as a page that plays in a notebook: `explorer.saved.explore.Shown`."""
        return show("training", self, **asked)


def train(
    text: str, algorithm: str = "bpe", *, whom: str = "huggingface", words: str = "", vocab_size: int = 40
) -> TextTraining:
    """A vocabulary learned from a text of up to 2,000 characters; `explorer train` learns from large ones.

    algorithm, whom: as `explorer train` names them. words: how the text is cut into words, "" for the usual way. Each
    line is a text. Raises InputError.

    >>> learned = train("low lower lowest", vocab_size=12)
    >>> learned, learned.tokens[-2:]
    (<BPE as Hugging Face learns it: 12 tokens>, ('▁low', '▁lowe'))
    """
    return TextTraining(usual_request(algorithm, whom, words, vocab_size, text))
