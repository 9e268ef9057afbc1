"""Tokenizers as OpenAI's tiktoken runs them, from a ranks file, and as mistral-common does, from a tekken.json.

Tokenizers as OpenAI's tiktoken runs them, from a ranks file.

A ranks file has neither a pattern nor special tokens; tiktoken.toml has them for known files. For any other file the
user chooses one of those encodings by name, or a pattern (`chosen_pattern`).

Special tokens are cut out first, on request (`parse_special`; tiktoken's `allowed_special="all"`); otherwise their
spelling is plain text (`disallowed_special=()`). Then the pattern splits the text, and a piece that is a token is used
whole; any other is merged by the rank of the joined bytes. Nothing is added around a text.

OpenAI's encodings are from `tiktoken_ext/openai_public.py` of the package tiktoken 0.14, the others from the code their
makers publish. An encoding is recognized by the sha256 of its ranks, so no other file is mistaken for it. Of several
encodings with the same ranks the first is the default.

Tokenizers as mistral-common runs them, from a tekken.json.

mistral-common passes the ranks and the pattern to tiktoken, without special tokens: their spelling in a text is plain
text, so there is no partition and `parse_special` has no effect. The resulting ids are shifted past the special ones.
`add_special` adds BOS, as its argument `bos` does and as all requests begin. EOS (`eos`), which ends a model's answer,
is not added.

One difference: when decoding drops a special token, the bytes on its two sides are decoded together here, and
separately in mistral-common.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from operator import itemgetter
from typing import NamedTuple

from explorer.engine.decoders.pieces import PieceDecoder, raw
from explorer.engine.models.bpe import Bpe, Bytes, MergeableRanks
from explorer.engine.normalizers.stage import Normalization
from explorer.engine.normalizers.unicode_forms import UnicodeForm
from explorer.engine.part import Part
from explorer.engine.partition.special_tokens import AddedToken, AddedTokenPartition
from explorer.engine.post_processors import AddSpecial
from explorer.engine.pre_tokenizers import patterns
from explorer.engine.pre_tokenizers.by_regex import (
    Behavior,
    FancyRegexSplit,
    PreTokenization,
    RegexSplit,
    sample,
    texts_of,
    tokens_cut,
)
from explorer.engine.regexes.safe import Pattern
from explorer.errors import ChoiceNeeded, InputError, errors_of, shown
from explorer.facts import UNUSED, WARNING, Fact, listed
from explorer.formats import tiktoken_ranks
from explorer.formats.model_folder import Settings
from explorer.formats.tekken import Tekken
from explorer.implementations.opened import Opened
from explorer.tables import Json, Record, read_toml
from explorer.text import visible
from explorer.text.say import stretches
from explorer.vocabulary import PieceKind, Vocabulary, by_id, highest, joint, spelled

KEY = "pattern"
"""The key of the choice."""
NAME_ALONE = re.compile(r"(?:\w[\w.-]*)?")
"""Possibly a misspelled name; as a pattern it would only match itself."""


def chosen_pattern(choice: str, known: Mapping[str, Pattern], name: str) -> Pattern:
    """The chosen pattern. name: what errors call the file. Raises InputError for an unknown name or a bad pattern.

    >>> from explorer.engine.pre_tokenizers.patterns import GPT2
    >>> chosen_pattern("gpt-2", {"gpt-2": GPT2}, "toy") is GPT2, chosen_pattern(r"\\w+|\\W", {}, "toy").regex
    (True, '\\\\w+|\\\\W')
    """
    if choice in known:
        return known[choice]
    if NAME_ALONE.fullmatch(choice):
        raise InputError(
            f"{name}: there is no pattern named {shown(choice)}; known are {', '.join(known)}, or give a pattern"
        )
    from explorer.engine.pre_tokenizers.custom_pattern import fancy_pattern

    with errors_of(name):
        return fancy_pattern(choice)


class RanksEncoding(NamedTuple):
    """The pattern and special tokens of a ranks file.

    source: the code they are from. sha256: of the published file, whose tokens are in the order of their ranks. size:
    the number of ranks. nfc: whether the text is normalized to Unicode's form NFC first. module: the module with the
    model's own code, which a folder's tokenizer_config.json names (`auto_map`).
    """

    name: str
    source: str
    pattern: Pattern
    special_tokens: Mapping[str, int]
    sha256: str = ""
    size: int = 0
    nfc: bool = False
    module: str = ""


_TABLE: Record = read_toml(__file__, "tiktoken.toml")
_LANGUAGES: list[str] = _TABLE["languages"].split()
_TIMES = [f"{step * 0.02:.2f}" for step in range(1501)]


def tokens(spellings: str) -> list[str]:
    """Special tokens from words; `#` stands for each value of the range that follows the word.

    >>> tokens("<s> <|x_#|>:1-2 <|#|>:en-zh </s>")
    ['<s>', '<|x_1|>', '<|x_2|>', '<|en|>', '<|zh|>', '</s>']
    """
    found: list[str] = []
    for word in spellings.split():
        spelling, colon, ends = word.rpartition(":")
        first, _, last = ends.partition("-")
        if not colon:
            found.append(word)
        elif last.isdecimal():
            found += [spelling.replace("#", str(number)) for number in range(int(first), int(last) + 1)]
        else:
            values = _LANGUAGES if last.isalpha() else _TIMES
            found += [spelling.replace("#", each) for each in values[values.index(first) : values.index(last) + 1]]
    return found


def _encoding(name: str, row: Json) -> RanksEncoding:
    special = {
        token: id for first, spellings in row["special_tokens"] for id, token in enumerate(tokens(spellings), first)
    }
    known = {"name": name, "pattern": getattr(patterns, row["pattern"]), "special_tokens": special}
    return RanksEncoding(**{**row, **known})


ENCODINGS = {name: _encoding(name, row) for name, row in _TABLE["encodings"].items()}
"""Name → encoding."""


IMPLEMENTATION = "tiktoken"
NO_SETTINGS = Settings()
SAMPLE = 4_000
"""Tokens that patterns are tried on, to order the offers."""


def from_ranks(
    data: bytes,
    name: str,
    choices: Mapping[str, str] | None = None,
    settings: Settings = NO_SETTINGS,
    ranks: Mapping[bytes, int] | None = None,
) -> Opened:
    """The tokenizer of a ranks file, given its bytes. ranks: what it says, if that is known.

    choices: `pattern`, the name of an encoding or a pattern. settings: of the model's folder, which name special tokens
    and the model's own code. Raises InputError if the file is damaged, and ChoiceNeeded if it is unknown and no pattern
    was chosen.
    """
    ranks = tiktoken_ranks.read(data, name) if ranks is None else ranks
    chosen = (choices or {}).get(KEY, "")
    published = with_sha256(data) or with_sha256(as_published(ranks))
    coded = [each for each in ENCODINGS.values() if each.module and each.module in own_code(settings)]
    if chosen:
        known = {each.name: each.pattern for each in ENCODINGS.values()}
        own = RanksEncoding("own", "chosen with the file", chosen_pattern(chosen, known, name), {})
        encoding = ENCODINGS.get(chosen, own)
    elif published or coded:
        encoding = next((each for each in published if each in coded), (published or coded)[0])
    else:
        options = likeliest(name, ranks)
        raise ChoiceNeeded(
            f"{name}: a ranks file does not contain the pattern that splits the text, and this file is unknown; "
            f"choose the encoding it belongs to ({', '.join(options)}) or give a pattern",
            KEY,
            options,
            free="a pattern",
        )
    return ranks_tokenizer(ranks, named(encoding, settings), name, published)


def own_code(settings: Settings) -> str:
    """The class with the model's own code that a folder names, with its module; empty if it names none."""
    found = (settings.tokenizer or {}).get("auto_map")
    found = found.get("AutoTokenizer") if isinstance(found, dict) else found
    return "" if found is None else str(found)


def named(encoding: RanksEncoding, settings: Settings) -> RanksEncoding:
    """An encoding with the special tokens that a folder names in place of those with the same ids."""
    entries = (settings.tokenizer or {}).get("added_tokens_decoder") or {}
    spelled = {int(id): str(entry["content"]) for id, entry in entries.items()}
    kept = {token: id for token, id in encoding.special_tokens.items() if id not in spelled}
    return encoding._replace(special_tokens={**kept, **{token: id for id, token in spelled.items()}})


def with_sha256(data: bytes) -> list[RanksEncoding]:
    """The encodings whose published ranks file is exactly this one."""
    digest = sha256(data).hexdigest()
    return [each for each in ENCODINGS.values() if each.sha256 == digest]


def as_published(ranks: Mapping[bytes, int]) -> bytes:
    """The file of the same ranks as its publisher writes it, whatever the line ends of this one.

    >>> as_published({b"b": 1, b"a": 0})
    b'YQ== 0\\nYg== 1\\n'
    """
    return tiktoken_ranks.write(sorted(ranks.items(), key=itemgetter(1)))


def likeliest(name: str, ranks: Mapping[bytes, int]) -> tuple[str, ...]:
    """The names of the encodings that can run these ranks, the likeliest first.

    The name begins the file's name, or there are as many ranks; then the fewest tokens are cut by the pattern. An
    encoding whose special tokens have ids of these ranks is left out.
    """
    ids = frozenset(ranks.values())
    able = [each for each in ENCODINGS.values() if ids.isdisjoint(each.special_tokens.values())]
    some = sample(texts_of(ranks), SAMPLE)
    patterns = {each.pattern for each in able}
    cut = {pattern: tokens_cut([RegexSplit(pattern)], some, known=True) for pattern in patterns}

    def unlike(encoding: RanksEncoding) -> tuple[bool, bool, int]:
        return not name.startswith(encoding.name), encoding.size != len(ranks), cut[encoding.pattern]

    return tuple(encoding.name for encoding in sorted(able, key=unlike))


def ranks_tokenizer(
    ranks: Mapping[bytes, int], encoding: RanksEncoding, name: str, published: list[RanksEncoding] | None = None
) -> Opened:
    """The tokenizer of ranks, a pattern and special tokens. Raises InputError if two tokens share an id.

    published: the encodings published with these ranks.
    """
    special = {token.encode(): id for token, id in encoding.special_tokens.items()}
    top = highest(ranks)
    pieces, kinds = by_id(ranks, max([top, *special.values()]) + 1)
    for piece, id in special.items():
        if kinds[id] == PieceKind.NORMAL:
            raise InputError(
                f"{name}: two tokens have the id {id}: {shown(spelled(piece))} and {shown(spelled(pieces[id]))}; "
                "choose another encoding, or give its pattern"
            )
        pieces[id], kinds[id] = piece, PieceKind.CONTROL
    vocabulary = Vocabulary(tuple(pieces), (), bytes(kinds), joint(ranks, special))
    # ids between the last rank and the special tokens may be unused
    unused = list(vocabulary.of_kind(PieceKind.UNDEFINED))
    gap = missing_ranks([id for id in unused if id < top])
    missing = next((byte for byte in range(256) if bytes([byte]) not in ranks), None)
    if missing is not None:
        raise InputError(
            f"{name}: the byte 0x{missing:02X} is not a token, so some texts could not be encoded"
            f"{f' (no line has {gap})' if gap else ''}; fetch it again"
        )
    first: list[Part] = [Normalization([UnicodeForm("NFC")])] if encoding.nfc else []
    return Opened(
        name=name,
        family="BPE",
        implementation=IMPLEMENTATION,
        vocabulary=vocabulary,
        parts=(
            *first,
            AddedTokenPartition(AddedToken(id, token, special=True) for token, id in encoding.special_tokens.items()),
            *by_ranks(vocabulary, ranks, encoding.pattern),
            AddSpecial(),
        ),
        decoder=PieceDecoder(vocabulary, raw, special=frozenset(special.values())),
        facts=tuple(_facts(len(ranks), encoding, published or [], gap, sum(id > top for id in unused))),
    )


def missing_ranks(gaps: Sequence[int]) -> str:
    """The ranks below the highest that neither a line nor a special token has; empty if there are none.

    >>> missing_ranks([1, 3, 4])
    'the ranks 1, 3 to 4'
    """
    return f"the rank{'' if len(gaps) == 1 else 's'} {listed(stretches(gaps))}" if gaps else ""


def by_ranks(vocabulary: Vocabulary, ids: Mapping[bytes, int], pattern: Pattern) -> tuple[Part, Part]:
    """Pre-tokenizer and model of a ranks file. Text that the pattern does not match is left out. ids: piece → id."""
    return (
        PreTokenization([FancyRegexSplit(pattern, Behavior.REMOVED, invert=True)]),
        Bpe(vocabulary, MergeableRanks(ids), Bytes(), whole=True, ids=ids),
    )


def _facts(count: int, encoding: RanksEncoding, published: list[RanksEncoding], gap: str, above: int) -> Iterator[Fact]:
    yield Fact("model", f"{count} tokens with ranks: two neighbors merge if their joined bytes are a token.")
    if gap:
        yield Fact("model", f"No line has {gap}: lines may be missing. The other ids stay as they are.", kind=WARNING)
    if above:
        yield Fact("model", f"{above} ids between the ranks and the special tokens are not used.", kind=UNUSED)
    # by name, because a folder may name other special tokens
    if encoding.name in [each.name for each in published]:
        others = [each.name for each in published if each.name != encoding.name]
        says = (
            f"By their sha256 these are the ranks of {encoding.name}; its pattern and special tokens are from "
            f"{encoding.source}."
        )
        if others:
            says += f" {', '.join(others)} has the same ranks and can be chosen instead."
        yield Fact("encoding", says)
    elif encoding.name in ENCODINGS:
        says = f"{encoding.name} was chosen, but it has other ranks than this file."
        yield Fact("encoding", says, kind=WARNING)
    elif published:
        says = f"By their sha256 these are the ranks of {published[0].name}, but another pattern was chosen."
        yield Fact("encoding", says, kind=WARNING)
    if encoding.nfc:
        yield Fact("normalizer", "The text is normalized to Unicode's form NFC first.")
    yield Fact("pre-tokenizer", "This pattern cuts the text into pre-tokens.", code=encoding.pattern.regex)
    if encoding.special_tokens:
        tokens = listed([f"{visible(token)} ({id})" for token, id in encoding.special_tokens.items()])
        yield Fact("special tokens", f"Special tokens, cut out of the text before the pattern splits it: {tokens}.")
    else:
        yield Fact("special tokens", "There are none: neither the file nor the choice names any.")


MISTRAL_COMMON = "mistral-common"
BOS = "<s>"


def from_tekken(file: Tekken, name: str) -> Opened:
    """The tokenizer of a tekken.json. Raises InputError if its pattern cannot be run."""
    special = file.special_tokens
    pieces = (*(token.encode() for token in special), *file.ranks)
    kinds = bytes([PieceKind.CONTROL]) * len(special) + bytes([PieceKind.NORMAL]) * len(file.ranks)
    ids = {piece: len(special) + rank for piece, rank in file.ranks.items()}
    # a token with a rank may be spelled like a special one; only the former ever occurs in a text
    vocabulary = Vocabulary(pieces, (), kinds, dict(zip(pieces, range(len(special)), strict=False)) | ids)
    bos = special.index(BOS) if BOS in special else None
    with errors_of(f"{name}: config.pattern"):
        from explorer.engine.pre_tokenizers.custom_pattern import fancy_pattern

        pattern = fancy_pattern(file.pattern)
    return Opened(
        name=name,
        family="BPE",
        implementation=MISTRAL_COMMON,
        vocabulary=vocabulary,
        parts=(*by_ranks(vocabulary, ids, pattern), AddSpecial(bos)),
        decoder=PieceDecoder(vocabulary, raw, special=range(len(special)), first=bos),
        facts=tuple(_tekken_facts(file, pattern)),
    )


def _tekken_facts(file: Tekken, pattern: Pattern) -> Iterator[Fact]:
    special, size = len(file.special_tokens), "config.default_vocab_size"
    says = f"{len(file.ranks):,} tokens with ranks, whose ids begin at {special}: two neighbors merge if their joined "
    yield Fact("model", f"{says}bytes are a token.", "vocab")
    if file.beyond:
        says = f"{file.beyond:,} more tokens are in the file than it has ids for; they never occur."
        yield Fact("model", says, size, kind=UNUSED)
    yield Fact("pre-tokenizer", "This pattern cuts the text into pre-tokens.", "config.pattern", pattern.regex)
    kept = file.named or sum(not token.startswith("<SPECIAL_") for token in file.special_tokens)
    shown = "\n".join(f"{id} {token}" for id, token in enumerate(file.special_tokens[: min(kept, 100)]))
    says = "Special tokens. Their spelling in a text is plain text."
    if not file.named:
        says += " The file lists none: these are mistral-common's for files up to version 7."
    yield Fact("special tokens", says, "special_tokens" if file.named else "", shown)
    if special > kept:
        says = f"The ids {kept} to {special - 1} are reserved for future special tokens, and called <SPECIAL_…>."
        yield Fact("special tokens", says, "config.default_num_special_tokens", kind=UNUSED)
    says = f"Version {file.version} concerns the format of chat messages."
    yield Fact("unused", says, "config.version", kind=UNUSED)
    for key in file.unused:
        yield Fact("unused", "This does not affect the tokens of a text.", key, kind=UNUSED)
