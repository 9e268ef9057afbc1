"""PhobertTokenizer and BertweetTokenizer: classes in Python, with vocab.txt and bpe.codes.

Words end at white space, and one line feed after a word belongs to it. A word's characters merge, the last one with
`</w>` after it; then the symbol is looked up in vocab.txt, with `@@` after it unless it ends a word. What is not there
is the unknown token, also if it was merged: so the symbols are those of the codes, and the pieces those of vocab.txt.

Left out, and refused: flags of added tokens that strip or ask for whole words; in version 4 added tokens that are not
special, which its decoding sets apart; split_special_tokens; BERTweet's `normalization`, which runs a tokenizer of
tweets first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from explorer.engine.models.bpe import BETWEEN, END, Bpe, KnownCharacters, MergeKeys
from explorer.engine.partition.special_tokens import AddedTokenPartition
from explorer.errors import InputError, shown
from explorer.facts import Fact
from explorer.formats.bpe_codes import CODES, WORD_END
from explorer.implementations.opened import Opened
from explorer.implementations.transformers import parts
from explorer.implementations.transformers.arguments import ADDITIONAL, EXTRA, Arguments
from explorer.implementations.transformers.backend import Backend, named
from explorer.implementations.transformers.slow import Slow

NAMES: Final = ("PhobertTokenizer", "BertweetTokenizer")
DEFAULTS: Final = named("bos <s> eos </s> sep </s> cls <s> unk <unk> pad <pad> mask <mask>")
WITHIN: Final = "@@"
"""Ends a piece that does not end a word."""

_SPACE: Final = r"\t-\r\x1C-\x20\x{85}\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}"
"""White space in Python."""

WORDS: Final = rf"[^{_SPACE}]+\n?"


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
    backend = Backend(
        parts.bpe(vocab, [], unk_token=first[3]), vocab,
        pre_tokenizer=parts.matches(WORDS),
    )  # fmt: skip
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
    spellings = {args.spelling(key) for key in DEFAULTS}
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
    backend.entries = [replace(entry, normalized=False) for entry in backend.entries]
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
