"""Classes in Python whose pieces a second file numbers: those of Marian and M2M100, of PhoBERT and BERTweet.

MarianTokenizer and M2M100Tokenizer: classes in Python with a SentencePiece model whose pieces vocab.json numbers.

Follows `models/marian/tokenization_marian.py` and `models/m2m_100/tokenization_m2m_100.py`. A text is taken to be in
the source language. Added tokens are cut out, each text between them is cut by the model (source.spm, or
sentencepiece.bpe.model), and its pieces are looked up in vocab.json. Marian's version 4 decodes with target.spm, later
ones with source.spm. M2M100's languages have the ids after the vocabulary; one of them comes first, EOS last.

Left out, and refused: separate vocabularies of both languages, sampling, added tokens with single_word, models that are
neither BPE nor Unigram, denormalizers, a vocab.json without the unknown token, and in version 5 special tokens that are
named as a language and get another id. `normalize`, Moses's cleaning of punctuation, is no part of tokenizing.

PhobertTokenizer and BertweetTokenizer: classes in Python, with vocab.txt and bpe.codes.

Words end at white space, and one line feed after a word belongs to it. A word's characters merge, the last one with
`</w>` after it; then the symbol is looked up in vocab.txt, with `@@` after it unless it ends a word. What is not there
is the unknown token, also if it was merged: so the symbols are those of the codes, and the pieces those of vocab.txt.

Left out, and refused: flags of added tokens that strip or ask for whole words; in version 4 added tokens that are not
special, which its decoding sets apart; split_special_tokens; BERTweet's `normalization`, which runs a tokenizer of
tweets first.
"""

from array import array
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from explorer.engine.decoders.pieces import PieceStringsDecoder
from explorer.engine.models.bpe import BETWEEN, END, Bpe, KnownCharacters, MergeKeys
from explorer.engine.models.spm import Lookup, RenumberedSpm, RenumberedUnigram
from explorer.engine.models.unigram import PIECES, sentencepiece_rules
from explorer.engine.part import Part
from explorer.engine.partition.special_tokens import AddedTokenPartition, LanguageCodePartition, PythonTokenPartition
from explorer.engine.partition.user_defined import SymbolTree, UserDefinedSplit
from explorer.errors import InputError, errors_of, shown
from explorer.facts import Fact
from explorer.formats import sentencepiece_model, vocab_files
from explorer.formats.bpe_codes import CODES, WORD_END
from explorer.formats.files import TOKENIZER_CONFIG
from explorer.formats.model_folder import Files, Settings
from explorer.formats.sentencepiece_model import ModelType, SentencePieceModel
from explorer.implementations.opened import Opened
from explorer.implementations.sentencepiece import FAMILIES, checked, normalization, piece_reader
from explorer.implementations.transformers import builders, parts
from explorer.implementations.transformers.arguments import (
    ADDITIONAL,
    EXTRA,
    Arguments,
    Backend,
    class_for,
    languages,
    named,
    text,
)
from explorer.implementations.transformers.facts import python_facts
from explorer.implementations.transformers.python_classes import (
    DEFAULTS,
    Added,
    added_tokens,
    folder_arguments,
    partition_of,
    tokenizer_of,
)
from explorer.implementations.transformers.slow import Slow
from explorer.implementations.transformers.templates import listed, source_language
from explorer.vocabulary import PieceKind, Vocabulary

MARIAN, M2M100 = "MarianTokenizer", "M2M100Tokenizer"
NAMES = (MARIAN, M2M100)
VOCAB, SOURCE, TARGET, ONLY = "vocab.json", "source.spm", "target.spm", "sentencepiece.bpe.model"
FILES = {MARIAN: f"{VOCAB}, {SOURCE} and {TARGET}", M2M100: f"{VOCAB} and {ONLY}"}
"""Class → the files it reads."""


def from_folder(version: int, settings: Settings, name: str, files: Files) -> Opened:
    """The tokenizer of such a folder. files: the contents of a file of it by its name, None if there is none.

    Raises InputError where the original raises an error, and for what is left out.
    """
    with errors_of(name):
        class_name = class_for(version, settings)
        args = folder_arguments(version, settings, files)
        if args.values.get("sp_model_kwargs"):
            raise InputError(f"{TOKENIZER_CONFIG}: sp_model_kwargs is not supported here; remove it")
        if args.values.get("separate_vocabs"):
            raise InputError(f"{TOKENIZER_CONFIG}: separate_vocabs is not supported here; set it to false")
        args.values = DEFAULTS[class_name].applied(args.values)
        for key in ("unk_token", "eos_token"):
            if args.token(key) is None:
                raise InputError(f"{TOKENIZER_CONFIG}: {key} is null, but every text needs it; set it")
        build = _marian if class_name == MARIAN else _m2m100
        return build(args, files, settings, name)


def _file(files: Files, wanted: str, class_name: str) -> bytes:
    """A file of the folder. Raises InputError if it is missing."""
    data = files(wanted)
    if data is None:
        raise InputError(f"{class_name} reads {FILES[class_name]}, and there is no {wanted}; put it there")
    return data


def _model(files: Files, wanted: str, class_name: str) -> SentencePieceModel:
    return sentencepiece_model.read(_file(files, wanted, class_name), wanted)


def _vocab(args: Arguments, files: Files, class_name: str) -> Mapping[str, int]:
    """The vocabulary, which must have the unknown token."""
    vocab = vocab_files.read_vocab(_file(files, VOCAB, class_name), VOCAB)
    unknown = text(args.values["unk_token"])
    if unknown not in vocab:
        raise args.refusal(f"{VOCAB} has no {shown(unknown)}, the unknown token")
    return vocab


# --- the classes ---------------------------------------------------------------------------------------------------


def _marian(args: Arguments, files: Files, settings: Settings, name: str) -> Opened:
    """Marian's: the language code, the text, EOS."""
    vocab = _vocab(args, files, MARIAN)
    if args.version == 4 and text(args.values.get("pad_token") or "None") not in vocab:
        raise args.refusal(f"{VOCAB} has no padding token")
    source, target = (_model(files, each, MARIAN) for each in (SOURCE, TARGET))
    added = added_tokens(args, dict(args.decoder), vocab.get, len(vocab))
    ids = {**vocab, **added.ids}
    unknown = vocab[text(args.values["unk_token"])]
    partition = partition_of(args, added)
    return _Built(args, vocab, len(vocab), added, ids, unknown, name).tokenizer(
        MARIAN, source, target if args.version == 4 else source, settings,
        partition=LanguageCodePartition(partition.tokens, lambda code: ids.get(code, unknown)),
        first=None, gap=b" ", marks=True,
        facts=(
            Fact("special tokens", "A text that begins with >> is cut after the first <<: a language code.", MARIAN),
            Fact("decoder", f"{TARGET if args.version == 4 else SOURCE} decodes what is between special tokens.",
                 MARIAN),
        ),
    )  # fmt: skip


def _m2m100(args: Arguments, files: Files, settings: Settings, name: str) -> Opened:
    """M2M100's: the language, the text, EOS."""
    vocab = _vocab(args, files, M2M100)
    listed(args)
    if args.values.get(ADDITIONAL) is None:
        raise args.refusal(f"{ADDITIONAL} is null; remove it")
    kind = args.values.get("language_codes", "m2m100")
    if kind not in ("m2m100", "wmt21"):
        raise args.refusal(f"{TOKENIZER_CONFIG}: language_codes is {shown(kind)}; set it to m2m100 or wmt21")
    codes = {f"__{code}__": len(vocab) + at for at, code in enumerate(languages(kind))}
    source = f"__{source_language(args, 'en')}__"
    if source not in codes:
        raise args.refusal(f"src_lang is {shown(source.strip('_'))}, which is no language of the class")
    names = {id: piece for piece, id in vocab.items()}
    unknown = text(args.values["unk_token"])
    decoder = dict(args.decoder)
    # the original lists its vocabulary by the first ids, as many as there are pieces
    whole = {decoder[id].content if id in decoder else names.get(id, unknown): id for id in range(len(vocab))}
    added = added_tokens(args, decoder, whole.get, len(whole))
    ids = {**vocab, **codes, **added.ids}
    twice = next((code for code, id in codes.items() if args.version != 4 and ids[code] != id), None)
    if twice is not None:
        raise InputError(
            f"{TOKENIZER_CONFIG}: the special token {shown(twice)} gets the id {ids[twice]}, and the language of that "
            f"name has {codes[twice]}; list all languages, in the order of the class, or none"
        )
    return _Built(args, {**vocab, **codes}, len(vocab), added, ids, vocab[unknown], name).tokenizer(
        M2M100, _model(files, ONLY, M2M100), None, settings,
        partition=partition_of(args, added), first=codes[source], gap=b"", marks=False,
        facts=(
            Fact("post-processor", f"{source} ({codes[source]}), the source language, is added before every text.",
                 f"{TOKENIZER_CONFIG}: src_lang" if args.values.get("src_lang") else M2M100),
        ),
    )  # fmt: skip


class _Built:
    """What both classes build.

    vocab: piece → id, with the languages. own: how many pieces are no languages. ids: `vocab` with added tokens.
    unknown: the id of what has none.
    """

    def __init__(
        self, args: Arguments, vocab: Mapping[str, int], own: int, added: Added, ids: Mapping[str, int], unknown: int,
        name: str,
    ) -> None:  # fmt: skip
        self.args, self.own, self.added, self.unknown, self.name = args, own, added, unknown, name
        contents = {id: piece.encode() for piece, id in vocab.items()}
        contents |= {id: token.content.encode() for id, token in added.decoder.items()}
        self.contents, self.size = contents, max(contents) + 1
        self.spelled = {piece.encode(): id for piece, id in ids.items()}

    def tokenizer(
        self, class_name: str, model: SentencePieceModel, other: SentencePieceModel | None, settings: Settings, *,
        partition: PythonTokenPartition, first: int | None, gap: bytes, marks: bool, facts: tuple[Fact, ...],
    ) -> Opened:  # fmt: skip
        """The tokenizer. other: the model that decodes, None for the same. first: the id before every text."""
        args, added = self.args, self.added
        end = self.spelled[text(args.values["eos_token"]).encode()]
        vocabulary, parts, more = self.parts(model)
        decodes = other or model
        if decodes.denormalizer.precompiled_charsmap:
            raise InputError("its SentencePiece model has a denormalizer, which is not supported for this class")
        decode = PieceStringsDecoder(
            dict(zip(decodes.pieces, decodes.kinds, strict=True)), piece_reader(decodes),
            special=frozenset(map(str.encode, added.special)), gap=gap, marks=marks,
        )  # fmt: skip
        return tokenizer_of(
            args, added, vocabulary, [decode], name=self.name, family=FAMILIES[model.trainer.model_type],
            partition=partition, model=parts, first=first, last=end, size=self.own,
            facts=(*self.facts(class_name, more, end), *facts, *python_facts(args, class_name, settings)),
        )  # fmt: skip

    def parts(self, model: SentencePieceModel) -> tuple[Vocabulary, list[Part], int]:
        """The vocabulary, the stages from normalization to the model, and how many of its pieces have no id."""
        kind, byte_fallback = model.trainer.model_type, model.trainer.byte_fallback
        if kind not in (ModelType.BPE, ModelType.UNIGRAM):
            raise InputError("its SentencePiece model is neither BPE nor Unigram; others are not run for this class")
        alone, unknown = checked(model)
        ids: list[int] = []
        extra: list[bytes] = []
        for id, piece in enumerate(alone.pieces):
            found = self.unknown if id == unknown else self.spelled.get(piece)
            ids.append(self.size + len(extra) if found is None else found)
            extra += [piece] if found is None else []
        count = self.size + len(extra)
        pieces = [self.contents.get(id, b"") for id in range(self.size)] + extra
        scores, kinds = array("f", [0.0]) * count, bytearray(count)
        for id, score, each in zip(ids, alone.scores, alone.kinds, strict=True):
            scores[id], kinds[id] = score, each
        of_model = Vocabulary(pieces, scores, bytes(kinds), {piece: ids[id] for piece, id in alone.ids.items()})
        symbols = {
            pieces[id].decode("utf-8", "surrogateescape"): id
            for id in ids if kinds[id] == PieceKind.USER_DEFINED
        }  # fmt: skip
        lookup = Lookup(dict.fromkeys(range(self.size, count), self.unknown), self.spelled)
        inside = None if unknown is None else ids[unknown]
        stages: list[Part] = [
            normalization(
                model.normalizer, "normalizer_spec", model.trainer.treat_whitespace_as_suffix,
                SymbolTree(symbols),
            )
        ]  # fmt: skip
        if kind == ModelType.UNIGRAM:
            rules = sentencepiece_rules(of_model, byte_fallback=byte_fallback)
            stages.append(RenumberedUnigram(of_model, inside, rules, lookup))
        else:
            if symbols:
                named = {symbol: lookup.ids.get(id, id) for symbol, id in symbols.items()}
                stages.append(UserDefinedSplit(named))
            stages.append(
                RenumberedSpm(
                    of_model, inside, lookup, resegment_unused=True, pieces=PIECES, byte_fallback=byte_fallback
                )
            )
        for id in range(self.size):
            if kinds[id] == PieceKind.UNDEFINED and pieces[id]:
                kinds[id] = PieceKind.NORMAL
        for id, token in self.added.decoder.items():
            kinds[id] = PieceKind.CONTROL if token.content in self.added.special else PieceKind.USER_DEFINED
        kinds[self.unknown] = PieceKind.UNKNOWN
        kinds[self.size :] = bytes([PieceKind.UNUSED]) * len(extra)
        return Vocabulary(pieces, scores, bytes(kinds), self.spelled), stages, len(extra)

    def facts(self, class_name: str, more: int, end: int) -> Iterator[Fact]:
        model = SOURCE if class_name == MARIAN else ONLY
        yield Fact("model", f"{model} cuts a text into pieces, and {VOCAB} gives each its id.", class_name)
        yield Fact(
            "model", "A run of characters that the model does not know is looked up there, too; what is not there is "
            f"the unknown token ({self.unknown}).", VOCAB,
        )  # fmt: skip
        if more:
            says = f"{more:,} pieces of the model have no id: where it makes them, the unknown token is used instead."
            yield Fact("model", says, VOCAB)
        yield Fact("post-processor", f"{text(self.args.values['eos_token'])} ({end}) is added after every text.")


PHOBERT_NAMES = ("PhobertTokenizer", "BertweetTokenizer")
PHOBERT_DEFAULTS = named("bos <s> eos </s> sep </s> cls <s> unk <unk> pad <pad> mask <mask>")
WITHIN = "@@"
"""Ends a piece that does not end a word."""


def built(args: Arguments, files: Slow) -> Backend:
    """The tokenizer of the files, before tokens are added. Raises InputError for what is not run here."""
    if args.values.get("normalization"):
        raise InputError("normalization is true: its tokenizer of tweets is not run here; set it to false")
    if args.flag("split_special_tokens"):
        raise InputError("split_special_tokens is not supported for this class; set it to false")
    for key in ("add_bos_token", "add_eos_token"):  # no arguments of the class
        args.values.pop(key, None)
    for key in ("bos_token", "pad_token", "eos_token", "unk_token"):
        if args.values.get(key) is None:
            raise InputError(f"{key} is null, which is not supported for this class; set it")
    first = [args.spelling(f"{key}_token") for key in ("bos", "pad", "eos", "unk")]
    words = files.vocab or {}
    twice = [token for token in first if token in words or first.count(token) > 1]
    if twice:
        raise InputError(f"the piece {shown(twice[0])} comes twice, and the original gives its id to others; rename it")
    vocab = {**{token: id for id, token in enumerate(first)}, **{word: id + 4 for word, id in words.items()}}
    backend = builders.built("phobert", args, builders.Vocabulary(vocab, []))
    backend.merges = list(files.merges or [])
    return backend


def finish(args: Arguments, backend: Backend) -> None:
    """Sets the template, once tokens are added. Raises InputError for tokens that are not run here."""
    for id, token in args.decoder.items():
        if backend.id_of(token.content) != id:
            raise InputError(
                f"the added token {shown(token.content)} has the id {id}, but the next one would be "
                f"{backend.id_of(token.content)}; such ids are not supported here"
            )
    spellings = {args.spelling(key) for key in PHOBERT_DEFAULTS}
    for token in backend.tokens:
        if token.lstrip or token.rstrip or token.single_word:
            raise InputError(f"the added token {shown(token.content)} has lstrip, rstrip or single_word, which is not "
                             "supported for this class; set them to false")  # fmt: skip
        if args.version == 4 and token.content not in spellings:
            raise InputError(f"the added token {shown(token.content)} has no name such as mask_token, which is not "
                             "supported for this class in version 4; remove it")  # fmt: skip
    extra = args.values.get(EXTRA) or args.values.get(ADDITIONAL)
    if extra and args.version == 4:
        raise InputError(f"{ADDITIONAL} is not supported for this class in version 4; remove it")
    backend.entries = [entry._replace(normalized=False) for entry in backend.entries]
    both: list[tuple[str, int]] = []
    for key in ("cls_token", "sep_token"):
        content = args.spelling(key)
        found = None if args.values.get(key) is None else backend.id_of(content)
        if found is None:
            raise args.refusal(f"{key} is null, but it is put around every text; set it")
        both.append((content, found))
    backend.post_processor = parts.template(both[:1], both[1:])


def with_codes(tokenizer: Opened, backend: Backend) -> Opened:
    """The tokenizer with a model that merges by the codes and looks up what is left in vocab.txt."""
    ids = {**backend.texts, **{content: id for content, (id, _) in backend.added.items()}}
    unknown = ids[str(backend.model["unk_token"])]
    pairs = [tuple(merge.split(" ")) for merge in backend.merges or ()]
    symbols = {side for pair in pairs for side in pair} | {"".join(pair) for pair in pairs}
    stand_in = str(backend.model["unk_token"])
    while stand_in in symbols or stand_in + WITHIN in ids:
        stand_in = f"<{stand_in}>"
    known = {symbol.encode(): id for symbol, id in _symbols(ids, symbols, unknown)}
    known[stand_in.encode()] = unknown
    keys = b"".join(BETWEEN.join(side.encode() for side in pair) + END for pair in pairs)
    start = KnownCharacters(known, unknown=stand_in.encode(), suffix=WORD_END.encode())
    model = Bpe(tokenizer.vocabulary, MergeKeys(keys), start, ids=known)
    facts = [fact for fact in tokenizer.facts if fact.topic not in ("model", "decoder")]
    return replace(
        tokenizer,
        parts=tuple(model if isinstance(part, Bpe) else _unsplit(part) for part in tokenizer.parts),
        facts=(
            Fact("model", f"BPE: {len(pairs):,} pairs that merge, the first one first.", CODES),
            Fact(
                "model", f"{len(backend.texts):,} pieces; one that does not end a word ends in {WITHIN}.", "vocab.txt"
            ),
            Fact("model", "A character or merged symbol that vocab.txt does not have is the unknown token."),
            Fact(
                "decoder", f"Pieces are joined with spaces, {WITHIN} and the space after it go, and outer white space."
            ),
            *facts,
        ),
    )


def _symbols(ids: Mapping[str, int], symbols: set[str], unknown: int) -> Iterator[tuple[str, int]]:
    """Symbol → the id of the piece that it is written as."""
    for symbol in symbols:
        end = symbol.endswith(WORD_END)
        yield symbol, ids.get(symbol.removesuffix(WORD_END) if end else symbol + WITHIN, unknown)
    for piece, id in ids.items():
        yield piece + WORD_END, id
        if piece.endswith(WITHIN) and not piece.endswith(WORD_END + WITHIN):
            yield piece.removesuffix(WITHIN), id


def _unsplit(part: Any) -> Any:
    """The stage of added tokens; without `parse_special` it looks for none at all, special or not."""
    if not isinstance(part, AddedTokenPartition):
        return part
    return AddedTokenPartition([token._replace(special=True) for token in part.tokens], part.name)
