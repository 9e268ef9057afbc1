"""The vocabularies that llama.cpp runs on pre-tokens: BPE, and WPM (BERT's).

BPE vocabularies as llama.cpp runs them: `tokenizer.ggml.model` is `gpt2`, `hybriddna`, `whitespace` or `gemma4`.

Follows `llama_vocab::impl::load`, `llm_tokenizer_bpe` and its sessions in llama.cpp's `src/llama-vocab.cpp`. Besides
tokens and merges, the name in `tokenizer.ggml.pre` decides (`pre_tokenizers.py`). The four models differ in what
precedes the merges: `hybriddna` cuts out DNA, `whitespace` drops white space and lowercases letters, `gemma4` has a
fixed pre-tokenizer.

llama.cpp does not normalize the text of such a vocabulary otherwise, whatever the model's own tokenizer does: Qwen 2
uses NFC, so ids differ on text with combining marks.

Left out: if the merges run on the text itself and a piece has two spaces (only with `whitespace` as the pre-tokenizer
of another model), llama.cpp aborts.

WPM vocabularies (`tokenizer.ggml.model` = `bert`) as llama.cpp runs them.

From a GGUF file, or from a Hugging Face BERT: `converted_bert` writes the keys as llama.cpp's converter does
(`conversion/bert.py`): `##` is dropped, every other piece gets a ▁ in front, special tokens are unchanged. [CLS] and
[SEP] are added whenever special tokens are requested, whatever add_bos_token is.
"""

from array import array

from explorer.engine.decoders.huggingface import just, special_ids
from explorer.engine.decoders.pieces import PieceDecoder, WpmDecoder, byte_level_llama_cpp, escaped_llama_cpp
from explorer.engine.models.bpe import Bpe, MergeList
from explorer.engine.models.longest_match import WordPiece, Wpm
from explorer.engine.normalizers.huggingface import NfdFirst
from explorer.engine.normalizers.stage import EscapeWhitespace, Lower, Normalization, Normalizer
from explorer.engine.part import Part
from explorer.engine.partition.user_defined import MARK, UNKNOWN, DnaGroups
from explorer.engine.post_processors import AddSpecial, PostProcessing
from explorer.engine.pre_tokenizers.by_regex import Behavior, ByteLevel, PreTokenization, RegexSplit, Splitter
from explorer.engine.pre_tokenizers.patterns_llama_cpp import DROPPED_WHITE_SPACE
from explorer.engine.pre_tokenizers.wpm import WpmWords
from explorer.errors import ChoiceNeeded, InputError, shown
from explorer.facts import WARNING
from explorer.formats.gguf import Gguf, Value
from explorer.formats.tokenizer_json import TokenizerJson
from explorer.implementations.huggingface import from_tokenizer_json
from explorer.implementations.llama_cpp.pre_tokenizers import DEFAULT, PRE, Pre, likeliest
from explorer.implementations.llama_cpp.vocabulary import (
    GGML,
    LISTED,
    Metadata,
    assembled,
    check_byte_pieces,
    corrected,
    special_tokens,
    vocabulary_of,
)
from explorer.implementations.opened import Opened
from explorer.text.say import plural
from explorer.vocabulary import PRINTABLE, SPACE_MARK, PieceKind, Vocabulary

DEFAULT_SPECIAL = 11
"""The id of BOS and EOS if the file has none."""

LETTERS = frozenset(PRINTABLE)
"""The characters that spell bytes."""

RUN_OTHERWISE = "spelled as SentencePiece, run as byte-level"
"""What a fact about pieces with ▁ says of them."""

UNNAMED = "The file names no pre-tokenizer"
"""How the fact about a missing `tokenizer.ggml.pre` begins."""

SAYS = {
    "gpt2": "BPE: within each pre-token, two neighbors merge, the pair that is first in the list of merges first.",
    "hybriddna": "BPE for text and, between <dna> and </dna>, a token for every six letters.",
    "whitespace": "BPE on words: white space is dropped, and no token spans it.",
    "gemma4": "BPE on the text itself: spaces are written ▁, only line feeds cut, and two neighbors merge, "
    "the pair that is first in the list of merges first.",
}


def bpe(keys: Metadata) -> Opened:
    """The tokenizer of such a file.

    The choice `pre` is used if the file's own name is missing or unknown. Raises ChoiceNeeded for an unknown name,
    InputError if something it needs is missing or damaged.
    """
    model = keys.text("model")
    keys.say("model", SAYS[model], "model")
    chosen, pre = pre_of(keys, model)
    merges = merges_of(keys, chosen)
    of_file = vocabulary_of(keys, scored=False)
    check_byte_pieces(of_file, keys)
    default = DEFAULT_SPECIAL if model != "gemma4" else None
    vocabulary = corrected(of_file, keys, default)
    written = without_marks(vocabulary) if model == "hybriddna" else vocabulary
    special = special_tokens(written, keys)
    before = _parts_before_merging(keys, model, pre, vocabulary)
    first, last = keys.ends(
        vocabulary, bos=default if pre.bos else None, eos=default, add_bos=pre.add_bos, always_bos=pre.line_feeds_whole
    )
    prefix = keys.strips_space()
    bpe = Bpe(
        vocabulary,
        MergeList(merges),
        whole=(lambda piece: not piece.strip("\n")) if pre.line_feeds_whole else pre.ignore_merges,
        byte_tokens=not pre.bytes_spelled,
    )
    decoder = PieceDecoder(
        written,
        escaped_llama_cpp if pre.escape_spaces else byte_level_llama_cpp,
        special=special_ids(vocabulary),
        first=first,
        last=last,
        strip_space=prefix,
        clean_spaces=pre.clean_spaces,
    )
    parts = (special, *before, bpe, AddSpecial(first, last))
    return assembled(keys, "BPE", vocabulary, parts, decoder)


def _parts_before_merging(keys: Metadata, model: str, pre: Pre, vocabulary: Vocabulary) -> list[Part]:
    """Normalization, DNA groups and pre-tokenization, as the model and its pre-tokenizer need them."""
    parts: list[Part] = []
    normalizers: list[Normalizer] = []
    if pre.escape_spaces:
        normalizers.append(EscapeWhitespace())
        keys.say("normalizer", "Spaces are written ▁ (U+2581), as this pre-tokenizer requires.", "pre")
    if model == "whitespace":
        lowercase = keys.flag("normalizer.lowercase", pre.lowercase)
        normalizers += [Lower()] if lowercase else []
        keys.say(
            "normalizer", f"Letters {'are lowercased' if lowercase else 'stay as they are'}.", "normalizer.lowercase"
        )
    if normalizers:
        parts.append(Normalization(normalizers))
    if model == "hybriddna":
        parts.append(DnaGroups(vocabulary))
    splitters: list[Splitter] = [*pre.splitters]
    if model == "whitespace":
        splitters.insert(0, RegexSplit(DROPPED_WHITE_SPACE, Behavior.REMOVED))
    if pre.bytes_spelled:
        splitters.append(ByteLevel())
    parts.append(PreTokenization(splitters))
    say_pieces(keys, pre)
    if pre.bytes_spelled:
        say_unspelled(keys, vocabulary)
    return parts


def pre_of(keys: Metadata, model: str) -> tuple[str, Pre]:
    """The name of the pre-tokenizer in force, and its settings."""
    if model == "gemma4":
        keys.say("pre-tokenizer", "The pre-tokenizer is gemma4, as for every vocabulary of this kind.", "model")
        return "gemma4", PRE["gemma4"]
    name, answer = keys.text("pre"), keys.choices.get("pre")
    if name in PRE:
        keys.say("pre-tokenizer", f"The pre-tokenizer is {name}.", "pre")
        return name, PRE[name]
    if answer is not None:
        if answer not in PRE:
            says = f"{shown(answer)} is not a pre-tokenizer of llama.cpp; choose one of them"
            raise ChoiceNeeded(says, "pre", likeliest(answer))
        says = f"The pre-tokenizer {answer} was chosen; the file {f'says {shown(name)}' if name else 'names none'}."
        keys.say("pre-tokenizer", says, "pre", kind=WARNING)
        return answer, PRE[answer]
    if name:
        raise ChoiceNeeded(
            f"tokenizer.ggml.pre is {shown(name)}, the name of a pre-tokenizer, but "
            f"llama.cpp refuses it (unknown pre-tokenizer type); choose one of the {len(PRE)} it has",
            "pre",
            likeliest(name),
        )
    keys.say("pre-tokenizer", f"{UNNAMED}: llama.cpp warns of degraded quality and uses {DEFAULT}.", kind=WARNING)
    return DEFAULT, PRE[DEFAULT]


def pre_is_of_file(tokenizer: Opened) -> bool:
    """False for a GGUF file cut by llama.cpp's fallback, because it names no pre-tokenizer.

    >>> import explorer
    >>> pre_is_of_file(explorer.load("gpt-2"))
    True
    """
    return not any(fact.says.startswith(UNNAMED) for fact in tokenizer.facts)


def say_pieces(keys: Metadata, pre: Pre) -> None:
    """Adds the facts about the pre-tokenizer's settings."""
    for index, pattern in enumerate(pre.patterns):
        then = "First the text is cut" if index == 0 and len(pre.patterns) > 1 else "The text is cut"
        then = "Then each pre-token is cut" if index else then
        keys.say("pre-tokenizer", f"{then} by this pattern, {pattern.name}.", "pre", pattern.regex)
    keys.say(
        "pre-tokenizer",
        "The bytes of a pre-token are spelled as printable characters."
        if pre.bytes_spelled
        else "The merges run on the text itself; what is not a token becomes its bytes <0xXX>.",
        "pre",
    )
    if pre.ignore_merges:
        keys.say("flags", "A pre-token that is a token is used whole, without merging.", "pre")
    if pre.line_feeds_whole:
        keys.say("flags", "A pre-token of line feeds that is a token is used whole, without merging.", "pre")
    keys.say(
        "flags",
        "Decoding removes the space before punctuation and some contractions."
        if pre.clean_spaces
        else "Decoding keeps all spaces.",
        "pre",
    )


def say_unspelled(keys: Metadata, vocabulary: Vocabulary) -> None:
    """Warns of pieces that no text can give, because a character of them spells no byte."""
    normal = [vocabulary.pieces[id].decode("utf-8", "replace") for id in vocabulary.of_kind(PieceKind.NORMAL)]
    strange = [piece for piece in normal if not LETTERS.issuperset(piece)]
    marked = sum(SPACE_MARK in piece for piece in strange)
    bytes_too = sum(kind == PieceKind.BYTE for kind in vocabulary.kinds)
    if marked:
        spelled = f" and {plural(bytes_too, 'piece')} for bytes as <0xXX>" if bytes_too else ""
        says = (
            f"{plural(marked, 'piece')} with ▁{spelled}: {RUN_OTHERWISE}. No piece with ▁ "
            "can occur, because a space is spelled Ġ. The model is probably llama or gemma4, not gpt2."
        )
        keys.say("model", says, "model", " ".join(strange[:LISTED]), WARNING)
    elif strange:
        says = f"No text gives {plural(len(strange), 'piece')} with a character that spells no byte."
        keys.say("model", says, "tokens", " ".join(strange[:LISTED]), WARNING)


def merges_of(keys: Metadata, pre: str) -> list[bytes]:
    """The list of merges. Only Kimi K2 may lack one: then its words are tokens or bytes."""
    if not keys.has("merges") and pre == "kimi-k2":
        keys.say(
            "model",
            "There are no merges, which llama.cpp allows for this pre-tokenizer: nothing merges.",
            kind=WARNING,
        )
        return []
    merges = keys.strings("merges")
    keys.say("model", f"There are {len(merges):,} merges.", "merges")
    return merges


def without_marks(vocabulary: Vocabulary) -> Vocabulary:
    """The vocabulary as DNA tokens decode: after `<oov>`, without their final mark."""
    unknown = vocabulary.ids.get(UNKNOWN)
    if unknown is None:
        return vocabulary
    pieces = tuple(
        piece.removesuffix(MARK) if id > unknown and len(piece) > len(MARK) else piece
        for id, piece in enumerate(vocabulary.pieces)
    )
    return Vocabulary(pieces, vocabulary.scores, vocabulary.kinds, vocabulary.ids)


NEEDED = (("bos", "[CLS]", 101), ("seperator", "[SEP]", 102), ("unknown", "[UNK]", 100))
"""Key (spelled as in the format), token, and its id if the file has none."""


def wpm(keys: Metadata) -> Opened:
    """The tokenizer of such a file. Raises InputError if something it needs is missing or damaged."""
    keys.say("model", "WordPiece: each word is cut from the left, the longest piece that fits first.", "model")
    vocabulary = corrected(vocabulary_of(keys, scored=False), keys)
    ids: list[int] = []
    for key, what, otherwise in NEEDED:
        id = keys.id(key, otherwise, len(vocabulary))
        if id is None:
            raise InputError(f"there is no {what} token, which llama.cpp needs for this model; repair the file")
        keys.say_token(f"The {what} token", key, id, vocabulary)
        ids.append(id)
    first, last, unknown = ids
    keys.say("flags", "[CLS] and [SEP] are put around every text, whatever the flags for BOS and EOS are.")
    lowercase = keys.flag("normalizer.lowercase", True)
    strip_accents = keys.flag("normalizer.strip_accents", lowercase)
    keys.say("normalizer", f"Letters are {'lowercased' if lowercase else 'left unchanged'}.", "normalizer.lowercase")
    keys.say(
        "normalizer",
        "Accents are dropped: only the first code point of a decomposition is kept."
        if strip_accents
        else "Accents are kept.",
        "normalizer.strip_accents",
    )
    model = Wpm(vocabulary, unknown)
    keys.say(
        "model",
        f"max_token_len is {model.max_token_len} bytes: the longest piece, counting ▁ as "
        f"three. A window has at most one more, {model.window}.",
    )
    keys.say("flags", "Decoding removes the space before punctuation and some contractions.")
    parts = (
        special_tokens(vocabulary, keys),
        Normalization([NfdFirst()] if strip_accents else []),
        WpmWords(strip_accents=strip_accents, lowercase=lowercase),
        model,
        AddSpecial(first, last),
    )
    decoder = WpmDecoder(vocabulary, first=first, last=last, strip_space=keys.strips_space())
    return assembled(keys, "WordPiece", vocabulary, parts, decoder)


def converted_bert(file: TokenizerJson, name: str) -> Gguf:
    """The keys of the GGUF file that the converter makes of a Hugging Face BERT.

    Raises InputError if it has parts other than BERT's, which llama.cpp does not support.
    """
    for section, part, wanted in (
        ("normalizer", file.normalizer, "BertNormalizer"),
        ("pre_tokenizer", file.pre_tokenizer, "BertPreTokenizer"),
    ):
        kind = None if part is None else part.get("type")
        if kind != wanted:
            raise InputError(
                f"{name}: {section} has the type {shown(kind)}; llama.cpp runs WordPiece with {wanted} only"
            )
    original = from_tokenizer_json(file, name)
    model = next(part for part in original.parts if isinstance(part, WordPiece))
    post = next(part for part in original.parts if isinstance(part, PostProcessing))
    if len(post.before) > 1 or len(post.after) > 1:
        raise InputError(f"{name}: post_processor adds more than one token on a side, which llama.cpp cannot")
    normalizer = file.normalizer or {}
    lowercase, strip_accents = normalizer.get("lowercase", True), normalizer.get("strip_accents")
    pieces = converted(original.vocabulary, model.prefix.decode())
    metadata: dict[str, Value] = {
        "model": "bert",
        "tokens": list(pieces.pieces),
        "token_type": array("i", list(pieces.kinds)),
        "normalizer.lowercase": lowercase,
        "normalizer.strip_accents": lowercase if strip_accents is None else strip_accents,
    }
    for key, ids in (("bos", post.before), ("seperator", post.after), ("unknown", just(model.unknown))):
        metadata.update({f"{key}_token_id": id for id in ids})
    return Gguf(3, 0, {GGML + key: value for key, value in metadata.items()})


def converted(vocabulary: Vocabulary, prefix: str = "##") -> Vocabulary:
    """The pieces as llama.cpp's converter writes them; ids stay.

    >>> v = Vocabulary.of([b"[UNK]", b"a", b"##b"], kinds=[2, 1, 1])
    >>> [converted(v).spelling(id) for id in range(3)], converted(v).kind(0).name
    (['[UNK]', '▁a', 'b'], 'CONTROL')
    """
    front = prefix.encode()
    pieces, kinds = [], []
    for piece, kind in zip(vocabulary.pieces, vocabulary.kinds, strict=True):
        if kind in (PieceKind.CONTROL, PieceKind.UNKNOWN):
            kind = PieceKind.CONTROL
        else:
            piece = piece.removeprefix(front) if piece.startswith(front) else SPACE_MARK.encode() + piece
        pieces.append(piece)
        kinds.append(kind)
    return Vocabulary.of(pieces, (), kinds)
