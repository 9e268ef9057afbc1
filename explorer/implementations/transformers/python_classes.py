"""Tokenizers of `transformers` that are written in Python, where there is no fast class: ByT5's bytes and CANINE's code
points, without a vocabulary file; Wav2Vec2's characters and BertJapanese's words, with one.

Follows `models/byt5/tokenization_byt5.py` and `models/canine/tokenization_canine.py`. A class with a
vocabulary file is a row (`ONLY`): its file, its defaults, and the function that makes its stages.

The rule of the base class: the text is prepared, lowercased if the class says so, cut at added tokens, and what is
between them becomes tokens. Unicode is that of the running Python, as in the original. Follows `_add_tokens` and
`_decode` of `PreTrainedTokenizer` (version 4) and `PythonBackend` (version 5): an added token keeps the id of the
vocabulary, or gets the next free one. In version 5 the special tokens are added as plain strings, so they lose the
flags that the class gives them.

Refused: special tokens that are empty or not ASCII where a class leaves them whole, `never_split`, and single_word of
an added token.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from explorer.engine.decoders.huggingface import (
    ChainDecoder,
    DecoderStep,
    FuseDecoder,
    IgnoreMalformedDecoder,
    LowercaseDecoder,
    ReplaceDecoder,
    SpacedTokensDecoder,
    SpaceJoiner,
    TidyDecoder,
    WholeCtcDecoder,
)
from explorer.engine.models.longest_match import WordPiece
from explorer.engine.models.lookup import (
    SIZE,
    SURROGATES,
    ByteValues,
    CodePointIds,
    CodePointPieces,
    CodePoints,
    LookedUp,
)
from explorer.engine.normalizers.huggingface import (
    Literal,
    LowercaseExcept,
    LowercaseWords,
    PythonForm,
    Replace,
    Uppercase,
    cleaned,
    stripped,
)
from explorer.engine.normalizers.stage import Normalization, Normalizer
from explorer.engine.part import Model, Part
from explorer.engine.partition.special_tokens import AddedToken, PythonTokenPartition
from explorer.engine.post_processors import AddSpecial
from explorer.engine.pre_tokenizers.by_regex import PreTokenization
from explorer.engine.pre_tokenizers.huggingface import MarksExcept, WordsElsewhere, white_space
from explorer.errors import InputError, errors_of, shown
from explorer.facts import Fact, listed
from explorer.formats import tokenizer_json, vocab_files
from explorer.formats.files import BYT5, CANINE, CLASSES, TOKENIZER_CONFIG
from explorer.formats.model_folder import NAMED, Files, Settings
from explorer.implementations.opened import Opened
from explorer.implementations.transformers.arguments import (
    ADDITIONAL,
    EXTRA,
    VERSIONS,
    Arguments,
    Row,
    Some,
    Token,
    all_tokens,
    arguments,
    class_for,
    rows,
    special_tokens,
    text,
)
from explorer.implementations.transformers.decoding import outer_space
from explorer.implementations.transformers.facts import python_facts
from explorer.tables import read_toml
from explorer.vocabulary import PieceKind, Vocabulary

DEFAULTS = rows("python.toml", "class", Row)
"""Class → the arguments that its settings may omit."""
BYTES = 256
"""The size of ByT5's vocabulary as the class states it, without the tokens before the bytes."""
FIRST = {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
"""ByT5's tokens with the ids 0, 1 and 2."""
_OF_CANINE = read_toml(__file__, "canine.toml")
CANINE_TOKENS: Mapping[str, int] = _OF_CANINE["tokens"]
"""CANINE's special tokens, characters for private use but the padding."""
CANINE_NAMES = {id: name for name, id in _OF_CANINE["names"].items()}
"""What their ids are decoded to where no added token has them."""
SET_BY_CANINE = ("token_type_ids_pattern", "token_type_ids_include_special_tokens", "special_tokens_pattern")
MOST_EXTRA = 10_000
"""The most extra_ids; the known models have 125."""


def from_settings(version: int, settings: Settings, name: str) -> Opened:
    """The tokenizer of a folder without a vocabulary. Raises InputError where the original raises an error.

    >>> tok = from_settings(5, Settings({"tokenizer_class": "ByT5Tokenizer"}), "byt5")
    >>> tok.encode("aé").ids, tok.decode([100, 198, 172, 1])
    ([100, 198, 172, 1], 'aé')
    """
    with errors_of(name):
        class_name = class_for(version, settings)
        if class_name not in CLASSES:
            raise InputError(
                f"transformers {VERSIONS[version]} runs it as {class_name}, which needs a vocabulary; give its "
                "whole folder, or all files together"
            )
        build = {BYT5: _byt5, CANINE: _canine}[class_name]
        return build(arguments(version, settings, None, has_file=False), settings, name)


def _byt5(args: Arguments, settings: Settings, name: str) -> Opened:
    _add_extra_ids(args)
    for key, default in FIRST.items():
        token = args.values.get(key, default)
        if not isinstance(token, (str, Token)):
            raise args.refusal(f"{TOKENIZER_CONFIG}: {key} is {shown(token)}, not a token")
        args.values[key] = token if isinstance(token, Token) else Token(token, lstrip=True, rstrip=True)
    first = {id: args.values[key] for id, key in enumerate(FIRST)}
    decoder: dict[int, Token] = first | args.decoder
    words = {
        decoder[id].content if id in decoder else chr(id - len(FIRST)): id for id in range(BYTES + len(FIRST))
    }  # fmt: skip
    added = added_tokens(args, decoder, words.get, len(words))
    ids = added.ids
    for content in ids:
        if len(content) == 1 and ord(content) in range(0x80, BYTES):
            raise InputError(f"{shown(content)} is an added token, which {BYT5} confuses with a byte; remove it")
    end = ids[text(args.values["eos_token"])]
    byte_tokens = [ids.get(chr(byte), byte + len(FIRST)) for byte in range(BYTES)]
    pieces = {byte + len(FIRST): bytes([byte]) for byte in range(BYTES)}
    vocabulary = vocabulary_of(pieces, added, text(args.values["unk_token"]))
    return tokenizer_of(
        args, added, vocabulary, [IgnoreMalformedDecoder()], name=name, family="bytes",
        model=[ByteValues(vocabulary, byte_tokens)], last=end, once=True, size=BYTES,
        facts=(*_byt5_facts(args, end), *python_facts(args, BYT5, settings)),
    )  # fmt: skip


def _add_extra_ids(args: Arguments) -> None:
    """Adds <extra_id_0> and so on, unless the folder lists its own tokens."""
    count = args.values.get("extra_ids", 125)
    if not isinstance(count, int) or isinstance(count, bool) or count > MOST_EXTRA:
        raise InputError(f"{TOKENIZER_CONFIG}: extra_ids is {shown(count)}; give a whole number up to {MOST_EXTRA}")
    own = args.values.get(ADDITIONAL)
    if count > 0 and own is None:
        args.values[ADDITIONAL] = [f"<extra_id_{number}>" for number in range(count)]
    elif count > 0 and isinstance(own, list) and own:
        extra = {text(each) for each in own if isinstance(each, (str, Token)) and "extra_id" in text(each)}
        if len(extra) != count:
            raise args.refusal(
                f"{TOKENIZER_CONFIG}: {ADDITIONAL} lists {len(extra)} extra ids, and extra_ids is {count}"
            )


def _canine(args: Arguments, settings: Settings, name: str) -> Opened:
    for key in SET_BY_CANINE:
        if args.version != 4 and key in args.values:
            raise args.refusal(f"{TOKENIZER_CONFIG}: {key} is set by the class itself; remove it")
    for key, code_point in CANINE_TOKENS.items():
        token = args.values.get(key, chr(code_point))
        args.values[key] = Token(token, lstrip=key == "mask_token") if isinstance(token, str) else token
    first, last = args.values["cls_token"], args.values["sep_token"]
    if not first or not last or not text(first) or not text(last):
        raise InputError(f"{TOKENIZER_CONFIG}: cls_token or sep_token is empty, so there is no id to add; give both")
    added = added_tokens(args, dict(args.decoder), lambda content: ord(content) if len(content) == 1 else None, SIZE)
    ids = added.ids
    contents = {id: token.content.encode() for id, token in added.decoder.items()}
    pieces = CodePointPieces({id: each.encode() for id, each in CANINE_NAMES.items()} | contents)
    spelled = {each.encode(): id for id, each in CANINE_NAMES.items() if id not in contents}
    kinds = bytearray([PieceKind.NORMAL]) * SIZE + bytearray([PieceKind.UNDEFINED]) * (len(pieces) - SIZE)
    kinds[SURROGATES.start : SURROGATES.stop] = bytes([PieceKind.UNDEFINED]) * len(SURROGATES)
    for id, token in added.decoder.items():
        kinds[id] = PieceKind.CONTROL if token.content in added.special else PieceKind.USER_DEFINED
    all_ids = CodePointIds(spelled | {content.encode(): id for content, id in ids.items()})
    vocabulary = Vocabulary(pieces, (), bytes(kinds), all_ids)
    before, after = ids[text(first)], ids[text(last)]
    others = {content: id for content, id in ids.items() if len(content) == 1 and id != ord(content)}
    return tokenizer_of(
        args, added, vocabulary, [IgnoreMalformedDecoder()] if args.version == 4 else [], name=name,
        family="code points", model=[CodePoints(vocabulary, others)],
        first=before, last=after, size=SIZE,
        facts=(*_canine_facts(before, after, contents), *python_facts(args, CANINE, settings)),
    )  # fmt: skip


def _canine_facts(before: int, after: int, contents: Mapping[int, bytes]) -> Iterable[Fact]:
    yield Fact("model", "A character's id is its code point: no text is unknown, and there is no vocabulary file.",
               CANINE)  # fmt: skip
    yield Fact("post-processor", f"U+{before:04X} ({before}) is added before every text, U+{after:04X} ({after}) after "
               "it.", CANINE)  # fmt: skip
    names = [f"U+{id:04X} as {name}" for id, name in CANINE_NAMES.items() if id not in contents]
    if names:
        yield Fact("decoder", f"These private-use characters are written by name: {listed(names)}.", CANINE)


def _byt5_facts(args: Arguments, end: int) -> Iterable[Fact]:
    yield Fact("model", f"A byte's id is its value plus {len(FIRST)}: no text is unknown, and there is no vocabulary "
               "file.", BYT5)  # fmt: skip
    says = f"{text(args.values['eos_token'])} ({end}) is added after every text that doesn't end with it."
    yield Fact("post-processor", says, BYT5)
    yield Fact("decoder", "Bytes that are not valid UTF-8 are left out.", BYT5)
    if args.version == 4:
        yield Fact("decoder", "Version 4 writes a space on both sides of an unnamed special token.", BYT5)


PROGRAMS = {"mecab": "MeCab", "sudachi": "Sudachi", "jumanpp": "Juman++"}
"""Programs that find Japanese words, by their word_tokenizer_type."""


@dataclass
class Made:
    """The stages of a class.

    args, vocab, added: what they are made of. known: the id of each string that the class makes, added tokens first.
    unknown: what other strings become, None if there is no such id. before, between: the stages before and after the
    added tokens are cut out. steps: of decoding. first, last: the names of the tokens around a text.
    """

    args: Arguments
    vocab: Mapping[str, int]
    added: Added
    vocabulary: Vocabulary
    known: Mapping[str, int]
    unknown: int | None
    family: str = ""
    before: list[Part] = field(default_factory=list)
    between: list[Part] = field(default_factory=list)
    model: Model | None = None
    steps: list[DecoderStep] = field(default_factory=list)
    first: str = ""
    last: str = ""
    facts: list[Fact] = field(default_factory=list)

    @property
    def specials(self) -> list[str]:
        """The spellings of the special tokens. Raises InputError for those that are not supported here."""
        for each in self.added.special:
            if not each or not each.isascii():
                raise InputError(f"the special token {shown(each)} is not supported for this class: it must be ASCII")
        return sorted(self.added.special)

    def say(self, topic: str, says: str, place: str = "") -> None:
        self.facts.append(Fact(topic, says, place))


class PythonClass(NamedTuple):
    """A class. file: the name of its vocabulary. stages: makes its stages."""

    file: str
    stages: Callable[[Made], None]


def folder_arguments(version: int, settings: Settings, beside: Files) -> Arguments:
    """The arguments for a folder, whose tokenizer.json may list added tokens."""
    data = beside("tokenizer.json")
    whole = None if data is None else tokenizer_json.read(data, "tokenizer.json")
    added = whole.added_tokens if whole is not None and whole.lists_added else None
    return arguments(version, settings, added, has_file=whole is not None)


def from_folder(version: int, settings: Settings, name: str, beside: Files) -> Opened:
    """The tokenizer of such a folder. beside: the contents of a file of it, None if there is none.

    Raises InputError where the original raises an error, and for what is not run here.
    """
    with errors_of(name):
        class_name = class_for(version, settings)
        of = ONLY[class_name]
        args = folder_arguments(version, settings, beside)
        data = beside(of.file)
        if data is None:
            raise args.refusal(f"there is no {of.file}, which {class_name} reads")
        read = vocab_files.read_words_in_python if of is JAPANESE else vocab_files.read_vocab
        return opened(of, class_name, args, read(data, of.file), settings, name)


def opened(
    of: PythonClass, class_name: str, args: Arguments, vocab: Mapping[str, int], settings: Settings, name: str
) -> Opened:
    """The tokenizer of a class. Raises InputError where the original raises an error, and for what is not run here."""
    args.values = DEFAULTS[class_name].applied(args.values)
    if args.values.get("never_split"):
        raise InputError(f"{TOKENIZER_CONFIG}: never_split is not supported for this class; remove it")
    decoder = dict(args.decoder)
    if of is WAV2VEC2 and args.version != 4:
        # what has the id of a character or piece is no added token
        decoder = {id: token for id, token in decoder.items() if id not in set(vocab.values())}
    added = added_tokens(args, decoder, vocab.get, len(vocab))
    if of is WAV2VEC2:
        for piece, id in vocab.items():
            if len(piece) > 1:
                added.decoder[id] = Token(piece, lstrip=True, rstrip=True, said=False)
            elif args.version != 4:
                added.decoder.pop(id, None)
    unknown = args.spelling("unk_token")
    vocabulary = vocabulary_of({id: piece.encode() for piece, id in vocab.items()}, added, unknown)
    made = Made(args, vocab, added, vocabulary, {**vocab, **added.ids}, vocab.get(unknown))
    of.stages(made)
    assert made.model is not None, "every class has a model"
    first, last = (None if not key else id_of(made, key) for key in (made.first, made.last))
    return tokenizer_of(
        args, added, vocabulary, made.steps, name=name, family=made.family, before=made.before,
        model=[*made.between, made.model], first=first, last=last,
        size=None if of is WAV2VEC2 else len(vocab), special=hidden(made, of),
        facts=(*made.facts, *python_facts(args, class_name, settings, DEFAULTS[class_name].applied({}))),
    )  # fmt: skip


def hidden(made: Made, of: PythonClass) -> frozenset[str]:
    """The special tokens that decoding can leave out."""
    if of is WAV2VEC2 and made.args.version != 4:
        return made.added.special - {made.args.values["word_delimiter_token"]}
    return made.added.special


def id_of(made: Made, key: str) -> int:
    """The id of a named special token. Raises InputError if it is null."""
    token = made.args.token(key)
    if token is None or text(token) not in made.known:
        raise made.args.refusal(f"{TOKENIZER_CONFIG}: {key} is null or empty, but it is put around every text; set it")
    return made.known[text(token)]


# --- words ---------------------------------------------------------------------------------------------------------


def lowercased(made: Made) -> None:
    """The base class lowercases before it looks for added tokens."""
    # in the order of the original's pattern: the special tokens first, of these the named ones
    named = [text(token) for key in NAMED if (token := made.args.token(key)) is not None]
    kept = [each for each in [*dict.fromkeys(named), *sorted(made.added.special - set(named))] if each]
    kept += [
        token.content for token in made.added.decoder.values()
        if not token.special and token.normalized and token.content
    ]  # fmt: skip
    made.before.append(Normalization([LowercaseExcept(kept)]))
    says = "Before added tokens are looked for, each character is lowercased, but not in special tokens."
    made.say("normalizer", says, "do_lower_case")


def basic_words(made: Made, lower: bool) -> None:
    """`BasicTokenizer`: words and punctuation marks."""
    kept = made.specials
    accents = made.args.values.get("strip_accents")
    strip = accents is not False if lower else bool(accents)
    passes = cleaned()
    passes += [LowercaseWords(kept)] if lower else []
    passes += stripped() if strip else []
    made.between = [Normalization(passes), PreTokenization([white_space(), MarksExcept(kept)])]
    says = "Controls and unassigned characters are dropped, white space becomes spaces, the text is composed (NFC)."
    made.say("normalizer", says)
    if strip:
        made.say("normalizer", "Accents are stripped: characters are decomposed, and nonspacing marks are dropped.")
    made.say("pre-tokenizer", "Words end at white space; each punctuation mark is a word. A special token's spelling "
             "stays whole.")  # fmt: skip


def word_pieces(made: Made) -> None:
    """`WordpieceTokenizer`."""
    made.family = "WordPiece"
    unknown = made.known.get(made.args.spelling("unk_token"))
    made.model = WordPiece(made.vocabulary, unknown, ids={piece.encode(): made.known[piece] for piece in made.vocab})
    join_words(made)
    made.say("model", f"WordPiece: {len(made.vocab):,} pieces, the longest that matches first.", "vocab.txt")


def join_words(made: Made) -> None:
    """How tokens of words decode."""
    made.steps = [SpaceJoiner(), FuseDecoder(), ReplaceDecoder(" ##", ""), ReplaceDecoder(outer_space, "")]
    made.say("decoder", "Tokens are joined with spaces, “ ##” and outer white space are left out.")


def japanese(made: Made) -> None:
    """`BertJapaneseTokenizer`."""
    args = made.args
    kind, subword = args.values["word_tokenizer_type"], args.values["subword_tokenizer_type"]
    if subword not in ("wordpiece", "character"):
        raise InputError(f"subword_tokenizer_type {shown(subword)} is not run here; wordpiece and character are")
    lower = bool(args.values["do_lower_case"])
    if lower and args.version == 4:
        lowercased(made)
    if args.values["do_word_tokenize"] and kind == "basic":
        basic_words(made, lower)
    elif args.values["do_word_tokenize"]:
        words_elsewhere(made, kind)
    made.first, made.last = "cls_token", "sep_token"
    if not args.values["do_subword_tokenize"]:
        units(made, whole=True)
    elif subword == "character":
        made.between.append(Normalization([PythonForm("NFKC")]))
        made.say("normalizer", "Each word is normalized again (NFKC): a full-width Ａ becomes A.")
        units(made, whole=False)
        # a character that is unknown is written as the unknown token, which has the id of an added token
        assert isinstance(made.model, LookedUp)
        made.model.unknown = made.known.get(args.spelling("unk_token"))
    else:
        if not args.values["do_word_tokenize"]:
            made.between = [PreTokenization([white_space()])]
        word_pieces(made)


def words_elsewhere(made: Made, kind: object) -> None:
    """Words that another program finds: the stages end at the text that it would get."""
    args, program = made.args, PROGRAMS.get(str(kind))
    if program is None:
        known = ", ".join(("basic", *PROGRAMS))
        raise args.refusal(f"{TOKENIZER_CONFIG}: word_tokenizer_type is {shown(kind)}; known are {known}")
    own = args.values.get(f"{kind}_kwargs") or {}
    if not isinstance(own, dict):
        raise args.refusal(f"{TOKENIZER_CONFIG}: {kind}_kwargs is {shown(own)}, not an object")
    passes: list[Normalizer] = []
    if own.get("normalize_text", True):
        passes.append(PythonForm("NFKC"))
        made.say("normalizer", f"{program} gets the text in NFKC: a full-width Ａ becomes A.", f"{kind}_kwargs")
    if kind == "jumanpp":
        passes.append(Replace(outer_space, ""))
        made.say("normalizer", f"{program} gets the text without outer white space.")
    says = (
        f"word_tokenizer_type is {shown(kind)}: {program} cuts the text into words, with a dictionary that the folder "
        "doesn't contain, so the stages end before it and there are no ids"
    )
    made.between = [Normalization(passes)] if passes else []
    made.between.append(PreTokenization([WordsElsewhere(says)]))
    made.say("pre-tokenizer", f"{says}. What follows would run on its words.", "word_tokenizer_type")


def units(made: Made, *, whole: bool) -> None:
    """Words or characters that are looked up."""
    made.family = "words" if whole else "characters"
    known = made.known if whole else {each: id for each, id in made.known.items() if each in made.vocab}
    made.model = LookedUp(made.vocabulary, known, made.unknown, whole=whole)
    join_words(made)
    made.say(
        "model", f"Each {'word' if whole else 'character'} is looked up among {len(made.vocab):,} pieces.", "vocab.txt"
    )


def wav2vec2(made: Made) -> None:
    """`Wav2Vec2CTCTokenizer`."""
    args = made.args
    delimiter, space = args.values["word_delimiter_token"], args.values["replace_word_delimiter_char"]
    if not isinstance(delimiter, str) or not isinstance(space, str):
        raise InputError(f"{TOKENIZER_CONFIG}: word_delimiter_token and replace_word_delimiter_char must be texts")
    if args.values.get("target_lang") is not None:
        raise InputError(f"{TOKENIZER_CONFIG}: target_lang is not supported here; give the vocabulary of one language")
    if args.values.get("do_lower_case"):
        if args.version == 4:
            lowercased(made)
        made.between.append(Normalization([Uppercase()]))
        made.say("normalizer", "Text between added tokens is in capitals.", "do_lower_case")
    made.between.append(Normalization([Replace(Literal(" "), delimiter)]))
    made.say("normalizer", f"A space is written {delimiter}.", "word_delimiter_token")
    made.family = "characters"
    made.model = LookedUp(made.vocabulary, made.known, made.unknown)
    made.steps = [
        WholeCtcDecoder(args.spelling("pad_token"), delimiter, space), FuseDecoder(), ReplaceDecoder(outer_space, "")
    ]  # fmt: skip
    made.say("model", f"Each character is looked up among {len(made.vocab):,} pieces.", "vocab.json")
    made.say("special tokens", "A piece of several characters is an added token; it takes the white space around it.")
    made.say("decoder", f"A token that repeats the one before it is left out, then {args.spelling('pad_token')}; "
             f"{delimiter} becomes “{space}”, and outer white space is left out.")  # fmt: skip
    if args.values.get("do_lower_case"):
        made.steps.append(LowercaseDecoder())


WAV2VEC2 = PythonClass("vocab.json", wav2vec2)
JAPANESE = PythonClass("vocab.txt", japanese)
ONLY = {"Wav2Vec2CTCTokenizer": WAV2VEC2, "BertJapaneseTokenizer": JAPANESE}
"""Classes without a fast one, which both versions have."""


@dataclass
class Added:
    """The added tokens of a tokenizer. decoder: by id. special: the spellings of all special tokens."""

    decoder: dict[int, Token]
    special: frozenset[str]

    @property
    def ids(self) -> dict[str, int]:
        """Spelling → id; of several the last that was added."""
        return {token.content: id for id, token in self.decoder.items()}


def added_tokens(args: Arguments, decoder: dict[int, Token], base: Callable[[str], int | None], size: int) -> Added:
    """The tokens of the settings, and the special tokens that they lack.

    decoder: the former. base: the id of a spelling in the vocabulary. size: of the vocabulary.
    """
    ids = {token.content: id for id, token in decoder.items()}
    known = {token.content: id for id, token in sorted(decoder.items())}
    free = size + sum(base(content) is None for content in known)
    specials = special_tokens_of(args)
    for each in specials:
        if args.version != 4 or isinstance(each, str):
            if text(each) in ids:
                continue
            token = Token(text(each), said=False, special=True)
        else:
            token = each.as_special()
        if not token.content:
            continue
        id = known[token.content] if token.content in known else base(token.content)
        if id is None:
            id, free = free, free + 1
        decoder[id] = token
        known[token.content] = ids[token.content] = id
    for id, token in decoder.items():
        if token.single_word:
            raise InputError(f"the added token {shown(token.content)} has single_word, which is not supported here")
        if not 0 <= id < 2 * free + 1000:
            raise InputError(f"the added token {shown(token.content)} has the id {id}, far beyond the vocabulary")
    return Added(decoder, frozenset(map(text, specials)))


def special_tokens_of(args: Arguments) -> list[Some]:
    """All special tokens, the named ones first."""
    if args.version == 4:
        return special_tokens(args)
    tokens = all_tokens(args)
    for each in tokens:
        if not isinstance(each, (str, Token)):
            raise args.refusal(f"{EXTRA} contains {shown(each)}, which is not a token; give its text")
    return tokens


def partition_of(args: Arguments, added: Added) -> PythonTokenPartition:
    """The stage that cuts out the added tokens; none with split_special_tokens."""
    tokens = [] if args.flag("split_special_tokens") else [
        AddedToken(id, token.content, token.content in added.special, False, token.lstrip, token.rstrip)
        for id, token in added.decoder.items()
        if added.ids[token.content] == id
    ]  # fmt: skip
    return PythonTokenPartition(tokens)


def set_apart(args: Arguments, added: Added, size: int) -> Iterator[bytes]:
    """The tokens that version 4 sets apart with spaces. size: of the vocabulary, as the class states it."""
    ids = added.ids
    unnamed = {text(each) for each in args.values.get(ADDITIONAL) or ()}
    for content, id in ids.items():
        if content not in added.special or (content in unnamed and id >= size):
            yield content.encode()


def tokenizer_of(
    args: Arguments, added: Added, vocabulary: Vocabulary, steps: Sequence[DecoderStep], *,
    name: str, family: str, facts: Iterable[Fact], model: Sequence[Part], before: Sequence[Part] = (),
    first: int | None = None, last: int | None = None, once: bool = False, size: int | None = None,
    partition: PythonTokenPartition | None = None, special: frozenset[str] | None = None,
) -> Opened:  # fmt: skip
    """The tokenizer of a class.

    steps: of decoding. model: the stages from the partition, before: those before it. first, last: ids around a text;
    once: not after a text that ends so. size: of the vocabulary, as version 4 states it, None for a class that sets no
    tokens apart. special: what decoding can leave out, if not all special tokens.
    """
    if args.version == 4 and size is not None:
        steps = [SpacedTokensDecoder(frozenset(set_apart(args, added, size)), steps)]
    if args.flag("clean_up_tokenization_spaces"):
        steps = [*steps, TidyDecoder()]
    return Opened(
        name=name,
        family=family,
        implementation=f"transformers-{args.version}",
        vocabulary=vocabulary,
        parts=(*before, partition or partition_of(args, added), *model, AddSpecial(first, last, once=once)),
        decoder=ChainDecoder(
            vocabulary,
            steps,
            before=() if first is None else (first,),
            after=() if last is None else (last,),
            special=frozenset(map(str.encode, added.special if special is None else special)),
        ),
        facts=tuple(facts),
    )


def vocabulary_of(pieces: dict[int, bytes], added: Added, unknown: str) -> Vocabulary:
    """The pieces of the class and the added tokens."""
    spelled = pieces | {id: token.content.encode() for id, token in added.decoder.items()}
    size = max(spelled) + 1
    kinds = bytearray([PieceKind.UNDEFINED]) * size
    for id in pieces:
        kinds[id] = PieceKind.NORMAL
    for id, token in added.decoder.items():
        kinds[id] = PieceKind.CONTROL if token.content in added.special else PieceKind.USER_DEFINED
        if token.content == unknown:
            kinds[id] = PieceKind.UNKNOWN
    ids = {piece: id for id, piece in spelled.items()} | {text.encode(): id for text, id in added.ids.items()}
    return Vocabulary(tuple(spelled.get(id, b"") for id in range(size)), (), bytes(kinds), ids)
