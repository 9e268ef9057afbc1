"""The added tokens of tokenizers of `transformers` that are written in Python, and the stages that follow from them.

Follows `_add_tokens` and `_decode` of `PreTrainedTokenizer` (version 4) and `PythonBackend` (version 5): an added token
keeps the id of the vocabulary, or gets the next free one. In version 5 the special tokens are added as plain strings,
so they lose the flags that the class gives them.

Stricter than the original: an added token may not have single_word.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from explorer.engine.decoders.chain import ChainDecoder, DecoderStep
from explorer.engine.decoders.python_decoding import SpacedTokensDecoder, TidyDecoder
from explorer.engine.part import Part
from explorer.engine.partition.python_tokens import PythonTokenPartition
from explorer.engine.partition.special_tokens import AddedToken
from explorer.engine.post_processors import AddSpecial
from explorer.errors import InputError, shown
from explorer.facts import Fact
from explorer.implementations.opened import Opened
from explorer.implementations.transformers.arguments import ADDITIONAL, EXTRA, Arguments, all_tokens, special_tokens
from explorer.implementations.transformers.backend import Some, Token, text
from explorer.vocabulary import PieceKind, Vocabulary


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
    found = all_tokens(args)
    for each in found:
        if not isinstance(each, (str, Token)):
            raise args.refusal(f"{EXTRA} contains {shown(each)}, which is not a token; give its text")
    return found


def partition_of(args: Arguments, added: Added) -> PythonTokenPartition:
    """The stage that cuts out the added tokens; none with split_special_tokens."""
    found = [] if args.flag("split_special_tokens") else [
        AddedToken(id, token.content, token.content in added.special, False, token.lstrip, token.rstrip)
        for id, token in added.decoder.items()
        if added.ids[token.content] == id
    ]  # fmt: skip
    return PythonTokenPartition(found)


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
