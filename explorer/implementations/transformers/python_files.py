"""Tokenizers of `transformers` that are written in Python and read a vocabulary file.

With `use_fast=False` version 4 takes the class in Python where it has a fast one, too: `@transformers-4-slow`. A class
is a row: its file, its defaults, and the function that makes its stages (`STAGES`, by the names of
`v4.slow.CONVERTERS`). `ONLY` has the classes of which there is no fast one.

The rule of the base class: the text is prepared, lowercased if the class says so, cut at added tokens, and what is
between them becomes tokens; what `decode` sets apart is in `python_tokens`. Unicode is that of the running Python, as
in the original.

Refused: special tokens that are empty or not ASCII where a class leaves them whole, `never_split`, an `errors` other
than replace, and merges whose order matters in a way that only the original's loop has (`python_merges`).
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import Any, Final, NamedTuple

from explorer.engine.decoders.chain import DecoderStep
from explorer.engine.decoders.huggingface import FuseDecoder, ReplaceDecoder, SpaceJoiner, WholeCtcDecoder
from explorer.engine.decoders.python_decoding import LowercaseDecoder, PieceRunsDecoder, StrictBytesDecoder
from explorer.engine.models.bpe import BETWEEN, END, Bpe, KnownCharacters, MergeKeys
from explorer.engine.models.lookup import LookedUp
from explorer.engine.models.wordpiece import WordPiece
from explorer.engine.normalizers.huggingface import Literal, Replace
from explorer.engine.normalizers.python_text import (
    LowercaseExcept,
    LowercaseWords,
    PythonForm,
    Uppercase,
    WithSpace,
    cleaned,
    stripped,
)
from explorer.engine.normalizers.stage import Normalization, Normalizer
from explorer.engine.part import Decoder, Model, Part
from explorer.engine.post_processors.add_special import AddSpecial
from explorer.engine.pre_tokenizers.by_regex import ByteLevel, RegexSplit
from explorer.engine.pre_tokenizers.patterns import GPT2
from explorer.engine.pre_tokenizers.python_words import MarksExcept, WordsElsewhere, white_space
from explorer.engine.pre_tokenizers.stage import Behavior, PreTokenization
from explorer.engine.regexes.pattern import Alternative, Pattern
from explorer.errors import InputError, errors_of, shown
from explorer.facts import Fact
from explorer.formats import sentencepiece_model, tokenizer_json, vocab_merges, wordpiece_txt
from explorer.formats.files import TOKENIZER_CONFIG
from explorer.formats.model_folder import NAMED, Settings
from explorer.formats.sentencepiece_model import SentencePieceModel
from explorer.formats.subword_nmt_codes import check_order
from explorer.formats.text_lines import lines_in_python
from explorer.implementations import sentencepiece
from explorer.implementations.opened import Opened
from explorer.implementations.transformers.arguments import ADDITIONAL, Arguments, arguments
from explorer.implementations.transformers.class_lookup import class_for, named_class
from explorer.implementations.transformers.decoding import outer_space
from explorer.implementations.transformers.facts import WITH_BOXES, python_facts
from explorer.implementations.transformers.python_tokens import Added, added_tokens, tokenizer_of, vocabulary_of
from explorer.implementations.transformers.slow import Slow
from explorer.implementations.transformers.tokens import Token, named, text
from explorer.implementations.transformers.v4.classes import CLASSES, OF_BERT
from explorer.implementations.transformers.v4.sentencepiece import SENTENCEPIECE
from explorer.implementations.transformers.v4.slow import CONVERTERS
from explorer.implementations.transformers.versions import SLOW, VERSIONS
from explorer.vocabulary import SPACE_MARK, PieceKind, Vocabulary

WORD_END: Final = "</w>"
PROGRAMS: Final = {"mecab": "MeCab", "sudachi": "Sudachi", "jumanpp": "Juman++"}
"""Programs that find Japanese words, by their word_tokenizer_type."""
MOST_OF_CLIP: Final = 49_152 - 256 - 2
"""The pairs that CLIP reads."""


@dataclass
class Made:
    """The stages of a class.

    args, files, added: what they are made of. known: the id of each string that the class makes, added tokens first.
    unknown: what other strings become, None if there is no such id. before, between: the stages before and after the
    added tokens are cut out. steps: of decoding. first, last: the names of the tokens around a text.
    """

    args: Arguments
    files: Slow
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
        """Adds a fact."""
        self.facts.append(Fact(topic, says, place))


class PythonClass(NamedTuple):
    """A class. file: the name of its vocabulary. defaults: its arguments. flags: for special tokens that are plain
    strings, by name. stages: makes its stages."""

    file: str
    defaults: Mapping[str, Any]
    flags: Mapping[str, Mapping[str, bool]]
    stages: Callable[[Made], None]


def opened(
    of: PythonClass, class_name: str, args: Arguments, files: Slow, settings: Settings, name: str, implementation: str
) -> Opened:
    """The tokenizer of a class. Raises InputError where the original raises an error, and for what is not run here."""
    args.values = {**of.defaults, **args.values}
    for key, flags in of.flags.items():
        if isinstance(args.values.get(key), str):
            args.values[key] = Token(args.values[key], **flags)
    if args.values.get("never_split"):
        raise InputError(f"{TOKENIZER_CONFIG}: never_split is not supported for this class; remove it")
    vocab = files.vocab or {}
    decoder = dict(args.decoder)
    if of.stages is t5:
        decoder = {**extra_ids(args, len(vocab)), **decoder}
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
    if files.model is not None:
        vocabulary = with_model(vocabulary, files.model, added)
    known = {**vocab, **added.ids}
    made = Made(args, files, added, vocabulary, known, vocab.get(unknown))
    of.stages(made)
    assert made.model is not None, "every class has a model"
    first, last = (None if not key else id_of(made, key) for key in (made.first, made.last))
    slow = " (use_fast=False)" if implementation == SLOW else ""
    tokenizer = tokenizer_of(
        args, added, vocabulary, made.steps, name=name, family=made.family, before=made.before,
        model=[*made.between, made.model], first=first, last=last, once=of.stages is t5,
        size=None if of is WAV2VEC2 else len(vocab), special=hidden(made, of),
        facts=(*made.facts, *python_facts(args, f"{class_name}{slow}", settings, of.defaults)),
    )  # fmt: skip
    return replace(tokenizer, implementation=implementation)


def with_model(vocabulary: Vocabulary, model: SentencePieceModel, added: Added) -> Vocabulary:
    """The vocabulary with the kinds and scores of a model's pieces; added tokens keep their kinds."""
    kinds, scores = bytearray(vocabulary.kinds), array("f", model.scores)
    for id, kind in enumerate(model.kinds):
        if id not in added.decoder:
            kinds[id] = kind
    scores.extend([0.0] * (len(kinds) - len(scores)))
    return replace(vocabulary, kinds=bytes(kinds), scores=scores)


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


def bert(made: Made) -> None:
    """`BertTokenizer`."""
    basic = bool(made.args.values.get("do_basic_tokenize", True))
    lower = basic and bool(made.args.values.get("do_lower_case", True))
    if lower:
        lowercased(made)
    if basic:
        basic_words(made, lower, bool(made.args.values.get("tokenize_chinese_chars", True)))
    else:
        made.between = [PreTokenization([white_space()])]
        made.say("pre-tokenizer", "Words end at white space, which is left out.", "do_basic_tokenize")
    word_pieces(made)
    made.first, made.last = "cls_token", "sep_token"


def lowercased(made: Made) -> None:
    """The base class lowercases before it looks for added tokens."""
    kept = [each for each in special_order(made) if each]
    kept += [
        token.content for token in made.added.decoder.values()
        if not token.special and token.normalized and token.content
    ]  # fmt: skip
    made.before.append(Normalization([LowercaseExcept(kept)]))
    says = "Before added tokens are looked for, each character is lowercased, but not in special tokens."
    made.say("normalizer", says, "do_lower_case")


def special_order(made: Made) -> list[str]:
    """The special tokens in the order of the original's pattern: the named ones first."""
    named = [text(token) for key in NAMED if (token := made.args.token(key)) is not None]
    return [*dict.fromkeys(named), *sorted(made.added.special - set(named))]


def basic_words(made: Made, lower: bool, chinese: bool) -> None:
    """`BasicTokenizer`: words and punctuation marks."""
    kept = made.specials
    accents = made.args.values.get("strip_accents")
    strip = accents is not False if lower else bool(accents)
    passes: list[Normalizer] = cleaned(chinese=chinese)
    passes += [LowercaseWords(kept)] if lower else []
    passes += stripped() if strip else []
    made.between = [Normalization(passes), PreTokenization([white_space(), MarksExcept(kept)])]
    says = "Controls and unassigned characters are dropped, white space becomes spaces, the text is composed (NFC)."
    made.say("normalizer", f"{says} Chinese characters get spaces around them." if chinese else says)
    if strip:
        made.say("normalizer", "Accents are stripped: characters are decomposed, and nonspacing marks are dropped.")
    made.say("pre-tokenizer", "Words end at white space; each punctuation mark is a word. A special token's spelling "
             "stays whole.")  # fmt: skip


def word_pieces(made: Made) -> None:
    """`WordpieceTokenizer`."""
    vocab = made.files.vocab or {}
    made.family = "WordPiece"
    unknown = made.known.get(made.args.spelling("unk_token"))
    made.model = WordPiece(
        made.vocabulary, unknown, ids={piece.encode(): made.known[piece] for piece in vocab}
    )  # fmt: skip
    join_words(made)
    made.say("model", f"WordPiece: {len(vocab):,} pieces, the longest that matches first.", "vocab.txt")


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
        basic_words(made, lower, chinese=False)
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
    vocab = made.files.vocab or {}
    made.family = "words" if whole else "characters"
    known = made.known if whole else {each: id for each, id in made.known.items() if each in vocab}
    made.model = LookedUp(made.vocabulary, known, made.unknown, whole=whole)
    join_words(made)
    made.say("model", f"Each {'word' if whole else 'character'} is looked up among {len(vocab):,} pieces.", "vocab.txt")


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
    vocab = made.files.vocab or {}
    made.model = LookedUp(made.vocabulary, made.known, made.unknown)
    made.steps = [
        WholeCtcDecoder(args.spelling("pad_token"), delimiter, space), FuseDecoder(), ReplaceDecoder(outer_space, "")
    ]  # fmt: skip
    made.say("model", f"Each character is looked up among {len(vocab):,} pieces.", "vocab.json")
    made.say("special tokens", "A piece of several characters is an added token; it takes the white space around it.")
    made.say("decoder", f"A token that repeats the one before it is left out, then {args.spelling('pad_token')}; "
             f"{delimiter} becomes “{space}”, and outer white space is left out.")  # fmt: skip
    if args.values.get("do_lower_case"):
        made.steps.append(LowercaseDecoder())


# --- merges --------------------------------------------------------------------------------------------------------


def gpt2(made: Made) -> None:
    """`GPT2Tokenizer`."""
    if made.args.values.get("add_prefix_space"):
        made.before.append(WithSpace(always=True))
    byte_pairs(made)
    if made.args.values.get("add_bos_token"):
        made.first = "bos_token"


def roberta(made: Made) -> None:
    """`RobertaTokenizer`."""
    if made.args.values.get("add_prefix_space"):
        made.before.append(WithSpace(always=False))
    byte_pairs(made)
    made.first, made.last = "cls_token", "sep_token"


def blenderbot(made: Made) -> None:
    """`BlenderbotTokenizer`."""
    roberta(made)
    made.first, made.last = "", "eos_token"


def byte_pairs(made: Made) -> None:
    """The model of GPT-2's kind."""
    check_errors(made)
    made.between = [PreTokenization([RegexSplit(GPT2), ByteLevel()])]
    made.model = merging(made, python_merges((made.files.merges or ())[1:-1]), "")
    made.steps = [StrictBytesDecoder()]
    made.say("pre-tokenizer", "Cut by GPT-2's pattern; every byte is spelled as a printable character.")
    made.say("decoder", "Printable characters become bytes; malformed UTF-8 becomes �.")


CLIP: Final = Pattern(
    "clip",
    "transformers 4.57.6, CLIPTokenizer",
    (
        Alternative(r"<\|startoftext\|>", "The first token, in any case.", r"(?i:<\|startoftext\|>)"),
        Alternative(r"<\|endoftext\|>", "The last token, in any case.", r"(?i:<\|endoftext\|>)"),
        Alternative("'s|'t|'re|'ve|'m|'ll|'d", "The end of an English contraction, in any case.",
                    "(?i:'s|'t|'re|'ve|'m|'ll|'d)"),
        Alternative(r"[\p{L}]+", "Letters, and what folds to one.", r"(?i:[\p{L}]+)"),
        Alternative(r"[\p{N}]", "One digit.", r"(?i:[\p{N}])"),
        Alternative(r"[^\s\p{L}\p{N}]+", "Anything else that is visible.", r"(?i:[^\s\p{L}\p{N}]+)"),
    ),
)  # fmt: skip
WHOLE_OF_CLIP: Final = ("<|startoftext|>", "<|endoftext|>")


def clip(made: Made) -> None:
    """`CLIPTokenizer` where the package ftfy is not installed."""
    check_errors(made)
    passes: list[Normalizer] = [*cleaned(chinese=True), LowercaseWords()]
    cut = RegexSplit(CLIP, Behavior.REMOVED, invert=True)
    made.between = [Normalization(passes), PreTokenization([cut, ByteLevel()])]
    lines = "\n".join(made.files.merges or ()).strip().split("\n")
    made.model = merging(made, python_merges(lines[1 : MOST_OF_CLIP + 1]), WORD_END, WHOLE_OF_CLIP)
    made.steps = [StrictBytesDecoder(), ReplaceDecoder(WORD_END, " "), ReplaceDecoder(outer_space, "")]
    made.first, made.last = "bos_token", "eos_token"
    made.say("normalizer", "Without the package ftfy: controls and unassigned characters are dropped, the text is "
             "composed (NFC), and words are lowercased. With ftfy, the text would be repaired instead.")  # fmt: skip
    made.say("pre-tokenizer", "Cut by CLIP's pattern in any case; every byte is spelled as a printable character.")
    made.say("decoder", f"Printable characters become bytes, {WORD_END} a space; outer white space is left out.")


def check_errors(made: Made) -> None:
    """Raises InputError for another way to read malformed bytes."""
    if made.args.values.get("errors", "replace") != "replace":
        raise InputError(f"{TOKENIZER_CONFIG}: errors is not supported for this class; remove it")


def merging(made: Made, pairs: Sequence[tuple[str, str]], suffix: str, whole: Sequence[str] = ()) -> Bpe:
    """The model: symbols merge whether they are pieces or not, and what is no piece at the end is unknown."""
    made.family = "BPE"
    unknown = made.unknown
    vocab = made.files.vocab or {}
    made.say("model", f"BPE: {len(pairs):,} merges, {len(vocab):,} pieces. A symbol that is no piece is "
             + ("an error here." if unknown is None else f"{made.args.spelling('unk_token')}."))  # fmt: skip
    symbols = {side for pair in pairs for side in (*pair, "".join(pair))}
    known = {each: made.known[each] for each in vocab}
    known |= {each: made.known[each] for each in whole if each in made.known}
    stand_in = "\0"  # no printable spelling has it
    ids: dict[bytes, int] = {each.encode(): id for each, id in known.items()}
    if unknown is not None:
        ids |= {each.encode(): unknown for each in symbols if each not in known}
        ids[stand_in.encode()] = unknown
    elif symbols - known.keys():
        raise InputError("a merge makes a symbol that is no piece, and the vocabulary has no unknown token for it")
    keys = b"".join(BETWEEN.join(side.encode() for side in pair) + END for pair in pairs)
    # without an unknown token the stand-in is no piece, which is an error where it is needed
    start = KnownCharacters(ids, unknown=stand_in.encode(), suffix=suffix.encode())
    taken = frozenset(whole)
    return Bpe(made.vocabulary, MergeKeys(keys), start, ids=ids, whole=taken.__contains__ if taken else False)


def python_merges(lines: Sequence[str]) -> list[tuple[str, str]]:
    """The pairs in the order in which they merge; of equal ones the last line counts.

    Raises InputError as `check_order` does.

    >>> python_merges(["a b", "ab c", "a b c"])
    [('a', 'b'), ('ab', 'c')]
    """
    ranks: dict[tuple[str, str], int] = {}
    for number, line in enumerate(lines, 2):
        sides = line.split()
        if len(sides) == 2:
            ranks[sides[0], sides[1]] = number
    pairs = dict(sorted(ranks.items(), key=itemgetter(1)))
    check_order(pairs, "merges.txt")
    return list(pairs)


# --- SentencePiece -------------------------------------------------------------------------------------------------


def llama(made: Made) -> None:
    """`LlamaTokenizer` with `legacy`."""
    decoder = pieces(made)
    first = bool(made.args.values.get("add_prefix_space", True))
    made.steps = [of_runs(made, decoder, first=first, spaced=False)]
    made.first = "bos_token" if made.args.values["add_bos_token"] else ""
    made.last = "eos_token" if made.args.values["add_eos_token"] else ""


def t5(made: Made) -> None:
    """`T5Tokenizer` with `legacy`."""
    decoder = pieces(made)
    first = bool(made.args.values.get("add_prefix_space", True))
    made.steps = [of_runs(made, decoder, first=first, spaced=True), ReplaceDecoder(outer_space, "")]
    made.last = "eos_token"


def xlm_roberta(made: Made) -> None:
    """`XLMRobertaTokenizer`."""
    if made.unknown != UNKNOWN_OF_FAIRSEQ:
        raise InputError(f"{TOKENIZER_CONFIG}: unk_token is not <unk>, which is not supported for this class here")
    pieces(made)
    made.steps = [FuseDecoder(), ReplaceDecoder(SPACE_MARK, " "), ReplaceDecoder(outer_space, "")]
    made.first, made.last = "cls_token", "sep_token"
    made.say("decoder", "Pieces are joined, ▁ becomes a space, and outer white space is left out.")


def of_runs(made: Made, decoder: Decoder, *, first: bool, spaced: bool) -> PieceRunsDecoder:
    """How Llama and T5 decode."""
    ids = {each.encode(): id for each, id in (made.files.vocab or {}).items()}
    made.say("decoder", "Text between special tokens is decoded by sentencepiece; special tokens are spelled.")
    return PieceRunsDecoder(ids, decoder, frozenset(map(str.encode, made.specials)), first=first, spaced=spaced)


def pieces(made: Made) -> Decoder:
    """The stages of sentencepiece, which see each text between added tokens by itself. Returns its decoder."""
    args, model = made.args, made.files.model
    assert model is not None, "its file is a SentencePiece model"
    if args.values.get("legacy") is False:
        raise InputError(f"{TOKENIZER_CONFIG}: legacy is false, which is not run here in Python; @transformers-4 does")
    if args.values.get("sp_model_kwargs"):
        raise InputError(f"{TOKENIZER_CONFIG}: sp_model_kwargs is not supported here; remove it")
    inside = sentencepiece.from_model(model, made.files.name)
    moved = [each for each, id in (made.files.vocab or {}).items() if made.known[each] != id]
    if moved:
        raise InputError(f"the added token {shown(moved[0])} moves a piece of the model, which is not supported here")
    made.between = [part for part in inside.parts if not isinstance(part, (Model, AddSpecial))]
    made.model = next(part for part in inside.parts if isinstance(part, Model))
    made.family = inside.family
    made.say("normalizer", "Every text between added tokens is one for sentencepiece, with its own space in front.")
    made.say("model", f"sentencepiece: {len(model.pieces):,} pieces.", made.files.name)
    return inside.decoder


def extra_ids(args: Arguments, size: int) -> dict[int, Token]:
    """T5's <extra_id_0> and so on, at the end of the vocabulary, the first one last. size: of sentencepiece's."""
    count, own = args.values["extra_ids"], args.values.get(ADDITIONAL)
    if not isinstance(count, int) or isinstance(count, bool) or not 0 <= count <= MOST_EXTRA:
        raise InputError(f"{TOKENIZER_CONFIG}: extra_ids is {shown(count)}; give a whole number up to {MOST_EXTRA}")
    listed = [each for each in own or () if "<extra_id_" in str(text(each) if isinstance(each, (str, Token)) else each)]
    made = [f"<extra_id_{number}>" for number in range(count)]
    if own is None:
        args.values[ADDITIONAL] = listed = list(made)
    elif not listed:
        args.values[ADDITIONAL] = [*own, *made]
    elif 0 < count != len(listed):
        raise args.refusal(f"{ADDITIONAL} has {len(listed)} tokens <extra_id_…>, but extra_ids is {count}")
    return {
        size - 1 + count - number: Token(f"<extra_id_{number}>", lstrip=True, rstrip=True, said=False, special=True)
        for number in range(len(listed))
    }


def as_fairseq(model: SentencePieceModel) -> SentencePieceModel:
    """A model with the ids of fairseq: <s>, <pad>, </s>, <unk>, the other pieces, <mask>."""
    first, last = (b"<s>", b"<pad>", b"</s>", b"<unk>"), b"<mask>"
    taken = {*first, last} & set(model.pieces[3:])
    if list(model.kinds[:3]) != [PieceKind.UNKNOWN, PieceKind.CONTROL, PieceKind.CONTROL] or taken:
        raise InputError("its first pieces are not <unk>, <s> and </s>, or others are spelled like them: not run here")
    control = int(PieceKind.CONTROL)
    return replace(
        model,
        pieces=[*first, *model.pieces[3:], last],
        scores=array("f", [0.0] * 4 + list(model.scores[3:]) + [0.0]),
        kinds=bytes([control, control, control, PieceKind.UNKNOWN, *model.kinds[3:], control]),
    )


UNKNOWN_OF_FAIRSEQ: Final = 3
MOST_EXTRA: Final = 10_000
"""The most extra_ids."""

STAGES: Final = {
    "bert": bert, "mpnet": bert, "funnel": bert, "gpt2": gpt2, "codegen": gpt2, "roberta": roberta, "bart": roberta,
    "deberta": roberta, "blenderbot": blenderbot, "clip": clip, "llama": llama, "t5": t5,
    "xlm-roberta": xlm_roberta,
}  # fmt: skip
"""The slow classes of version 4, by the keys of `v4.slow.CONVERTERS` and `v4.sentencepiece.SENTENCEPIECE`."""

WAV2VEC2: Final = PythonClass(
    "vocab.json",
    named("bos <s> eos </s> unk <unk> pad <pad> word_delimiter |", replace_word_delimiter_char=' ',
        do_lower_case=False),
    {},
    wav2vec2,
)  # fmt: skip
JAPANESE: Final = PythonClass(
    "vocab.txt",
    {**{key: value for key, value in OF_BERT.items() if key.endswith("_token")}, "do_lower_case": False,
     "do_word_tokenize": True, "do_subword_tokenize": True, "word_tokenizer_type": "basic",
     "subword_tokenizer_type": "wordpiece", **dict.fromkeys(f"{each}_kwargs" for each in PROGRAMS)},
    {},
    japanese,
)  # fmt: skip
ONLY: Final = {"Wav2Vec2CTCTokenizer": WAV2VEC2, "BertJapaneseTokenizer": JAPANESE}
"""Classes without a fast one, which both versions have."""

FAST_ONLY: Final = frozenset({"ernie4_5", "ernie4_5_moe", "idefics", "janus", "flex_olmo", "olmo3"})
"""The model types of version 4 whose class here has no class in Python beside it."""


def from_folder(version: int, settings: Settings, name: str, beside: Callable[[str], bytes | None]) -> Opened:
    """The tokenizer of such a folder. beside: the contents of a file of it, None if there is none.

    Raises InputError where the original raises an error, and for what is not run here.
    """
    with errors_of(name):
        class_name = class_for(version, settings)
        return _opened(version, ONLY[class_name], class_name, settings, name, beside, VERSIONS[version].implementation)


def from_slow_folder(settings: Settings, name: str, beside: Callable[[str], bytes | None]) -> Opened:
    """The tokenizer of a folder as version 4 opens it with `use_fast=False`.

    Raises InputError as `from_folder` does, and where that is no class in Python.
    """
    with errors_of(name):
        fast = class_for(4, settings)
        asked = named_class(settings.tokenizer) or named_class(settings.config)
        class_name = fast.removesuffix("Fast")
        if class_name == fast or (asked or "").endswith("Fast") or (not asked and settings.model_type in FAST_ONLY):
            raise InputError(
                f"transformers {VERSIONS[4].number} takes {fast} with use_fast=False, too; open it as @transformers-4"
            )
        of = slow_class(fast)
        if of is None:
            raise InputError(f"{class_name} (use_fast=False) is not run here; @transformers-4 runs {fast}")
        return _opened(4, of, class_name, settings, name, beside, SLOW)


def slow_class(fast: str) -> PythonClass | None:
    """The class in Python beside a fast one of version 4, None if it is not run here."""
    spec = None if fast.startswith(WITH_BOXES) else CLASSES.get(fast)
    stages = None if spec is None else STAGES.get(spec.slow)
    if spec is None or stages is None:
        return None
    converter = CONVERTERS.get(spec.slow) or SENTENCEPIECE[spec.slow]
    return PythonClass(converter.file, converter.defaults, converter.flags, stages)


def _opened(
    version: int, of: PythonClass, class_name: str, settings: Settings, name: str,
    beside: Callable[[str], bytes | None], implementation: str,
) -> Opened:  # fmt: skip
    data = beside("tokenizer.json")
    added = None
    if data is not None:
        whole = tokenizer_json.read(data, "tokenizer.json")
        added = whole.added_tokens if whole.lists_added else None
    args = arguments(version, settings, added, has_file=data is not None)
    return opened(of, class_name, args, _files(of, class_name, args, beside), settings, name, implementation)


def _files(of: PythonClass, class_name: str, args: Arguments, beside: Callable[[str], bytes | None]) -> Slow:
    """The files of a class. merges: the lines of merges.txt as they are."""
    data = beside(of.file)
    if data is None:
        raise args.refusal(f"there is no {of.file}, which {class_name} reads")
    if of.file.endswith(".model"):
        model = sentencepiece_model.read(data, of.file)
        model = as_fairseq(model) if of.stages is xlm_roberta else model
        vocab = {piece.decode("utf-8", "replace"): id for id, piece in enumerate(model.pieces)}
        return Slow(of.file, model, vocab=vocab)
    if of.file == "vocab.txt":
        return Slow(of.file, vocab=wordpiece_txt.read_in_python(data, of.file))
    vocab = vocab_merges.read_vocab(data, of.file)
    if of is WAV2VEC2:
        return Slow(of.file, vocab=vocab)
    data = beside("merges.txt")
    if data is None:
        raise args.refusal(f"there is no merges.txt, which {class_name} reads")
    return Slow(of.file, vocab=vocab, merges=lines_in_python(data, "merges.txt"))
