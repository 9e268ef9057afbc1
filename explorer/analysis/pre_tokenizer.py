"""Which pre-tokenizer this is, in sentences (for `info`, `lint`, the page's card), and the name that llama.cpp would
need.

The model whose pre-tokenizer it has is found as llama.cpp's converter finds it, by the hash of the ids of a test text
(`implementations/llama_cpp/conversion.py`), among them BOS and EOS as `transformers` adds them. Equal ids mean the
same vocabulary cut at the same positions of this text. Here the hash is also looked up without the special tokens and
with BOS in front, and, where llama.cpp runs the file, with the patterns of each of its other names. BOS alone may
decide between two models of one vocabulary, such as Llama 3 and Smaug: then both are named.

The vocabulary says more (`fit`): merges happen within the pieces of a pattern, so a vocabulary's own pattern cuts next
to none of its tokens. o200k's cuts 12 of its own, Llama 3's 11,357. The patterns tried are the models' own, by
llama.cpp's names. Those that leave words together are not tried: they cut no token of any vocabulary.

llama.cpp's names are ranked by agreement with a tokenizer that is known (`suggestions`, for `edit --suggest-pre`). A
probe text is cut by the known tokenizer and by the patterns of every name; the agreement of two is the share of their
cuts that both make. llama.cpp's converter compares the ids of a test text instead (`get_vocab_base_pre`), which tells
that two differ, but not where. Names that cut alike may still differ in settings that no file holds
(`implementations/llama_cpp/pre_tokenizers.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cache
from itertools import islice
from operator import itemgetter
from typing import NamedTuple

from explorer.engine.budget import many_runs, within
from explorer.engine.models.bpe import Bpe
from explorer.engine.part import Items, Options, Segment, Token, initial_items, silent
from explorer.engine.post_processors import AddSpecial
from explorer.engine.pre_tokenizers.by_regex import (
    LONGEST,
    ByteLevel,
    PreTokenization,
    RegexSplit,
    Splitter,
    sample,
    texts_of,
    tokens_cut,
)
from explorer.engine.pre_tokenizers.patterns import BY_REGEX, KIMI
from explorer.engine.regexes.safe import Pattern
from explorer.errors import InputError
from explorer.facts import Fact, FactKind, listed
from explorer.implementations.huggingface.text_stages import pre_tokenizers
from explorer.implementations.llama_cpp.conversion import CHECK_TEXT, SIGNATURES, KnownModel, check_hash, known_models
from explorer.implementations.llama_cpp.pre_tokenized import pre_is_of_file
from explorer.implementations.llama_cpp.pre_tokenizers import DEFAULT, PRE
from explorer.implementations.opened import Opened
from explorer.text.say import visible
from explorer.vocabulary import PieceKind, bytes_of

PROBE = (
    "Hello, World! He's GOING; they'Ll don't. 3 33 333 3333 33333 1,234.5 2nd v1.0-beta\n\n \n\t\n  indented\ttabs "
    "  end  \r\ncamelCase HTTPServer snake_case __init__(self): return x+=1 //!?--==== $5.00 50% #tag @user a@b.c "
    "https://x.org/a?b=c\n"
    "ｆｕｌｌ３３３ ½ Ⅷ 東京都に行く。カタカナひらがな 漢字かな 한국어 입니다 e\u0301te\u0301 naïve café Привет, "
    "мир! ἀλήθεια हिन्दी में क्षि ไทยแลนด์ العربية ١٢٣ 𝓱𝓮 😀👩‍👩‍👧 'S 'sX ’s \u00a0nbsp\u3000wide\u200bzero …“q”—dash"
)
"""A text in which known patterns differ: contractions, digits, white space, signs, scripts, marks."""

AROUND = 12
"""Characters of the probe shown around a difference."""


class FirstDifference(NamedTuple):
    """Where a name cuts otherwise. at: the character, from 0. text: the probe around it.

    cuts: whether this name cuts there and the known tokenizer does not.
    """

    at: int
    text: str
    cuts: bool


class Suggestion(NamedTuple):
    """Names with the same patterns. agreement: the share of cuts that both make, from 0 to 1."""

    names: tuple[str, ...]
    agreement: float
    difference: FirstDifference | None

    @property
    def lines(self) -> tuple[str, ...]:
        """The agreement with the names, and the first difference, as text.

        >>> Suggestion(("gpt-2", "jais"), 0.5, FirstDifference(2, "ab|c", True)).lines
        (' 50.0 %  gpt-2, jais', 'first difference at character 3: it cuts “ab|c”')
        """
        named = f"{self.agreement:6.1%}  {', '.join(self.names)}".replace("%", " %")
        if self.difference is None:
            return (named,)
        at, text, does = self.difference
        cuts = "it cuts" if does else "it does not cut"
        return named, f"first difference at character {at + 1}: {cuts} “{visible(text)}”"


def suggestions(known: Opened, probe: str = PROBE) -> tuple[Suggestion, ...]:
    """llama.cpp's names, those that cut a probe text most like a tokenizer first.

    Raises InputError for an empty text, and for a tokenizer without cuts of its own: it has no pre-tokenizer, or its
    file names none, so that it is cut by llama.cpp's fallback.

    >>> import explorer
    >>> first = suggestions(explorer.load("gpt-2"))[0]
    >>> "gpt-2" in first.names, first.agreement
    (True, 1.0)
    """
    if not probe:
        raise InputError("there is no text to cut; give one")
    if not pre_is_of_file(known):
        raise InputError(
            f"{known.name} names no pre-tokenizer, and what llama.cpp falls back to, {DEFAULT}, says nothing about the "
            "model; give its tokenizer.json, or compare ids that the model's own program gives"
        )
    wanted = cuts_of(known, probe)
    found = []
    with many_runs("the probe", len(probe) * len(PRE)):
        for names in by_patterns().values():
            own = frozenset(cuts(names[0], probe))
            both = len(wanted & own)
            least = min(wanted ^ own, default=None)
            part = None if least is None else FirstDifference(
                least, probe[max(0, least - AROUND) : least] + "|" + probe[least : least + AROUND], least in own
            )  # fmt: skip
            found.append(Suggestion(names, both / max(1, len(wanted | own)), part))
    return tuple(sorted(found, key=lambda each: -each.agreement))


def by_patterns() -> Mapping[tuple[Pattern, ...], tuple[str, ...]]:
    """The names by their patterns, the most common first."""
    found: dict[tuple[Pattern, ...], tuple[str, ...]] = {}
    for name, pre in PRE.items():
        found[pre.patterns] = (*found.get(pre.patterns, ()), name)
    return found


def cuts_of(tokenizer: Opened, text: str) -> frozenset[int]:
    """Where a tokenizer's pieces begin, in code points of the text. Raises InputError if nothing is cut."""
    stages = tokenizer.trace(text, add_special=False, parse_special=False).stages
    at = next((at for at, stage in enumerate(stages) if stage.name == "pre-tokenize"), None)
    if at is None:
        raise InputError(
            f"{tokenizer.name} has no pre-tokenizer as {tokenizer.implementation} runs it, so nothing can be compared; "
            "give a tokenizer that has one"
        )
    return frozenset(begins(stages[at].after))


def cuts(name: str, text: str) -> list[int]:
    """Where the pieces of a name's patterns begin."""
    return begins(PreTokenization(PRE[name].splitters).run(initial_items(text), Options(), silent))


def begins(items: Items) -> list[int]:
    """Where items begin in the original text, without its start."""
    starts = [
        item.starts[0] if isinstance(item, Segment) else item.start
        for item in items
        if isinstance(item, Token) or item.text
    ]
    return [start for start in starts if start > 0]


MOST_FRONTS = 1_000
"""Special tokens that are tried in front of the test text."""
TOPIC = "which pre-tokenizer is this"
SPECIAL = {"": "", "without them": ", without special tokens", "with BOS": ", with BOS in front"}


def pre_tokenizer_facts(tokenizer: Opened) -> tuple[Fact, ...]:
    """The facts, empty for a tokenizer without a pre-tokenizer that llama.cpp would have to know.

    >>> import explorer
    >>> pre_tokenizer_facts(explorer.load("gpt-2"))[0].says
    "It is gpt-2: the ids of llama.cpp's test text are those of openai-community/gpt2."
    """
    return tuple(_facts(tokenizer))


def _facts(tokenizer: Opened) -> Iterator[Fact]:
    known, counted = identity(tokenizer), fit(tokenizer)
    if known is not None and known.models:
        yield _known_fact(tokenizer, known)
    elif known is not None:
        yield _unknown(tokenizer, known, counted)
    if counted is not None:
        best = ", ".join(f"{name} {count:,}" for name, count in counted.cut)
        yield Fact(
            TOPIC,
            f"Of {counted.texts:,} tokens that are text of 2 to {LONGEST:,} characters, these known patterns cut the "
            f"fewest: {best}. Its own cut {counted.own:,} of {counted.own_texts:,}.",
        )


def _known_fact(tokenizer: Opened, found: Identity) -> Fact:
    """The name that llama.cpp's converter has for it."""
    # the converter compares one after the other, and the last one counts
    model = found.models[-1]
    same = f"the ids of llama.cpp's test text are those of {model.repository}{SPECIAL[found.special]}"
    code = f"chkhsh {found.hash}"
    if found.under:
        says = (
            f"This may be the wrong pre-tokenizer: with the patterns of {found.under}, {same}, whose pre-tokenizer is "
            f"{model.pre}. Set tokenizer.ggml.pre to it, in the file (explorer edit, set-pre-tokenizer) or for one run "
            f"(llama.cpp's --override-kv tokenizer.ggml.pre=str:{model.pre})."
        )
        return Fact(TOPIC, says, code=code, kind=FactKind.WARNING)
    says = f"It is {model.pre}: {same}."
    if tokenizer.implementation == "llama.cpp" and not _has_patterns_of(tokenizer, model.pre):
        says = f"{says} The file's pre-tokenizer has other patterns, which cut this text alike."
        return Fact(TOPIC, says, code=code, kind=FactKind.WARNING)
    if found.also is not None:
        front, other = found.also
        says = (
            f"{says} With {visible(front)} in front, they are those of {other.repository}, whose pre-tokenizer is "
            f"{other.pre}{_beside(model.pre, other.pre)}."
        )
    return Fact(TOPIC, says, code=code)


def _beside(pre: str, other: str) -> str:
    """What distinguishes another name of llama.cpp, as a clause."""
    one, two = PRE.get(pre), PRE.get(other)
    if one is None or two is None:
        return ", which llama.cpp runs otherwise"
    same = "the same patterns" if one.patterns == two.patterns else "other patterns"
    whole = {
        True: ", and a pre-token that is a token is used whole",
        False: ", and tokens are merged, never used whole",
    }
    return f": {same}{whole[two.ignore_merges] if one.ignore_merges != two.ignore_merges else ''}"


def _unknown(tokenizer: Opened, found: Identity, counted: Fit | None) -> Fact:
    """What to do about an unknown hash."""
    says = f"The ids of llama.cpp's test text are none of the {len(known_models())} that its converter knows."
    code = f"chkhsh {found.hash}"
    other = counted is not None and counted.other_fits
    if counted is not None and other:
        says += f" The vocabulary fits the patterns of {counted.cut[0][0]} better than its own."
    if tokenizer.implementation == "llama.cpp":
        return Fact(TOPIC, says, code=code, kind=FactKind.WARNING if other else FactKind.USED)
    says += " Converting stops there: “BPE pre-tokenizer was not recognized”."
    alike = [each for each in suggestions(tokenizer) if each.agreement == 1] if cutters(tokenizer) else []
    if alike:
        says += (
            f" Of its names, {listed(alike[0].names, 4)} cut a probe text like this: if the patterns are the same, add "
            "the hash to get_vocab_base_pre with this name."
        )
    elif cutters(tokenizer):
        says += " No name of llama.cpp cuts a probe text like this; explorer edit --suggest-pre ranks them."
    return Fact(TOPIC, says, code=code)


def _has_patterns_of(tokenizer: Opened, pre: str) -> bool:
    """Whether the tokenizer cuts with the patterns of one of llama.cpp's names. One that it lacks has none."""
    if pre not in PRE or not cutters(tokenizer):
        return True
    wanted = PRE[pre].splitters
    return any(list(part.splitters[: len(wanted)]) == wanted for part in cutters(tokenizer))


class Identity(NamedTuple):
    """The answer. hash: of the ids as they are. models: those the converter knows with these ids, empty for none.

    special: what of the special tokens is otherwise in the known ids: "without them", "with BOS", or empty. under: the
    name of llama.cpp under whose patterns the ids are the known ones, empty for the tokenizer's own. also: a special
    token that this tokenizer doesn't add, and the model of another name whose ids these are with it in front.
    """

    hash: str
    models: tuple[KnownModel, ...] = ()
    special: str = ""
    under: str = ""
    also: tuple[str, KnownModel] | None = None

    @property
    def pre(self) -> str:
        """The name of the pre-tokenizer for a table, with the other one; empty if none is known."""
        names = [self.models[-1].pre] if self.models else []
        return " or ".join([*names, *([self.also[1].pre] if self.also else [])])


def identity(tokenizer: Opened) -> Identity | None:
    """The identity of a BPE's or WordPiece's pre-tokenizer, the kinds that the converter asks about; otherwise None.

    None, too, if the text cannot be encoded.

    >>> import explorer
    >>> found = identity(explorer.load("gpt-2"))
    >>> found.hash[:8], [model.pre for model in found.models]
    ('3ce83efd', ['gpt-2'])
    """
    cuts = any(isinstance(part, PreTokenization) for part in tokenizer.parts)
    if tokenizer.family != "WordPiece" and not (tokenizer.family == "BPE" and cuts):
        return None
    try:
        own = check_hash(tokenizer.encode(CHECK_TEXT).ids)
        found = _known(tokenizer)
        if found is None and tokenizer.implementation == "llama.cpp":
            found = _under_another_name(tokenizer)
    except InputError:
        return None
    return Identity(own) if found is None else found._replace(hash=own, also=_with_another_front(tokenizer, found))


def _with_another_front(tokenizer: Opened, found: Identity) -> tuple[str, KnownModel] | None:
    """The first special token that makes the ids those of another name, if the tokenizer itself adds none.

    A name that llama.cpp runs alike, such as that of another model with Qwen's vocabulary, makes no difference.
    """
    plain = tokenizer.encode(CHECK_TEXT, add_special=False).ids
    if found.under or plain != tokenizer.encode(CHECK_TEXT).ids:
        return None
    for id in islice(tokenizer.vocabulary.of_kind(PieceKind.CONTROL), MOST_FRONTS):
        for model in reversed(known_models().get(check_hash([id, *plain]), ())):
            if PRE.get(model.pre) != PRE.get(found.models[-1].pre):
                return tokenizer.vocabulary.spelling(id), model
    return None


def _known(tokenizer: Opened) -> Identity | None:
    """The identity by the ids as they are, without special tokens, or with BOS in front."""
    models = known_models()
    plain = tokenizer.encode(CHECK_TEXT, add_special=False).ids
    bos = [id for part in tokenizer.parts if isinstance(part, AddSpecial) and (id := part.first) is not None]
    for special, ids in (("", tokenizer.encode(CHECK_TEXT).ids), ("without them", plain), ("with BOS", [*bos, *plain])):
        found = models.get(check_hash(ids))
        if found:
            return Identity("", found, special)
    return None


def _under_another_name(tokenizer: Opened) -> Identity | None:
    """The identity under the patterns of the first of llama.cpp's names that gives known ids."""
    seen = set()
    with many_runs("the test text", len(CHECK_TEXT) * len(PRE)):
        for name, pre in PRE.items():
            settings = pre.patterns, pre.ignore_merges
            if settings in seen or not pre.bytes_spelled:
                continue
            seen.add(settings)
            identity_under = _known(_with_pre(tokenizer, name))
            if identity_under is not None:
                # patterns that differ may cut the text alike: the model's own name comes first
                own = identity_under.models[-1].pre
                sure = own in PRE and _known(_with_pre(tokenizer, own)) == identity_under
                return identity_under._replace(under=own if sure else name)
    return None


def _with_pre(tokenizer: Opened, name: str) -> Opened:
    """The tokenizer with the patterns of a name."""
    parts = []
    for part in tokenizer.parts:
        if isinstance(part, PreTokenization):
            part = PreTokenization([*PRE[name].splitters, *(s for s in part.splitters if isinstance(s, ByteLevel))])
        elif isinstance(part, Bpe):
            part = copy(part)
            part.whole = PRE[name].ignore_merges
        parts.append(part)
    return replace(tokenizer, parts=tuple(parts))


# --- how many tokens each known pattern cuts --------------------------------------------------------------------------

SAMPLE = 1_000
"""Tokens that all patterns are tried on; the best are tried on all tokens."""
BEST = 2
SECONDS = 30.0
RAW = ("tiktoken", "mistral-common")
"""The implementations that merge bytes without spelling them."""
WORDS = "of words"
"""A text that a pattern for words cuts."""


class Fit(NamedTuple):
    """The patterns that cut the fewest tokens.

    texts: how many tokens are tried, those that are text of 2 to 1,000 characters. cut: name → how many are cut, the
    fewest first. own: how many the tokenizer's own patterns cut, of `own_texts`, a sample where they are slow.
    """

    texts: int
    cut: tuple[tuple[str, int], ...]
    own_texts: int
    own: int

    @property
    def other_fits(self) -> bool:
        """Whether a known pattern cuts far fewer tokens than the own ones.

        >>> Fit(100_000, (("gpt-2", 3),), 1_000, 50).other_fits, Fit(100_000, (("gpt-2", 3),), 1_000, 0).other_fits
        (True, False)
        """
        return self.own / max(1, self.own_texts) > 0.001 + 10 * self.cut[0][1] / max(1, self.texts)


def fit(tokenizer: Opened) -> Fit | None:
    """The patterns that fit best, None for a tokenizer whose model does not merge the bytes of pieces.

    None, too, if its own patterns take too long.

    >>> import explorer
    >>> fit(explorer.load("cl100k_base")).cut[0]
    ('llama-bpe', 0)
    """
    splitters = [splitter for part in cutters(tokenizer) for splitter in part.splitters]
    own = [splitter for splitter in splitters if not isinstance(splitter, ByteLevel)]
    spelled = len(own) < len(splitters)
    if tokenizer.family != "BPE" or not splitters or not (spelled or tokenizer.implementation in RAW):
        return None
    vocabulary = tokenizer.vocabulary
    # marks at the ends of words, such as CLIP's </w>, are added after the patterns have cut
    prefix, suffix = next(((part.prefix, part.suffix) for part in tokenizer.parts if isinstance(part, Bpe)), (b"", b""))
    pieces = (
        piece.removeprefix(prefix).removesuffix(suffix)
        for piece, kind in zip(vocabulary.pieces, vocabulary.kinds, strict=True)
        if kind == PieceKind.NORMAL
    )
    texts = texts_of((bytes_of(piece.decode("utf-8", "replace")) or b"" for piece in pieces) if spelled else pieces)
    if not texts:
        return None
    few = sample(texts, SAMPLE)
    # a pattern that only the file has may be slow
    trusted = all(isinstance(splitter, RegexSplit) and splitter.pattern.regex in BY_REGEX for splitter in own)
    tried = texts if trusted else few
    known = known_splitters()
    try:
        with within("counting the tokens that known patterns cut", SECONDS):
            best = sorted(known, key=lambda name: tokens_cut(known[name], few, known=True))[:BEST]
            counted = [(name, tokens_cut(known[name], texts, known=True)) for name in best]
            own_cut = tokens_cut(own, tried, known=trusted)
    except InputError:
        return None
    return Fit(len(texts), tuple(sorted(counted, key=itemgetter(1))), len(tried), own_cut)


def cutters(tokenizer: Opened) -> list[PreTokenization]:
    """The stages that cut a text."""
    return [part for part in tokenizer.parts if isinstance(part, PreTokenization)]


@cache
def known_splitters() -> Mapping[str, tuple[Splitter, ...]]:
    """llama.cpp's name → the splitters of the model's own patterns."""
    found: dict[str, tuple[Splitter, ...]] = {"kimi-k2": (RegexSplit(KIMI),)}
    for name, patterns in SIGNATURES:
        splitters = tuple(splitter for pattern in patterns for splitter in splitters_of(pattern))
        if name not in found and tokens_cut(splitters, [WORDS], known=True):
            found[name] = splitters
    return found


def splitters_of(pattern: str) -> Sequence[Splitter]:
    """The splitters of a part of a pre-tokenizer: a regular expression or the type of a part without one."""
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
    return pre_tokenizers({"type": pattern} if pattern.isalpha() else split)
