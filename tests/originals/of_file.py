"""The original that a tokenizer file is for, opened on that file, behind one interface.

A file that says too little is completed as this engine completed it: with the same pattern, or the same case.
"""

from __future__ import annotations

import ast
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import explorer
from explorer.formats import tiktoken_ranks
from explorer.implementations.huggingface.from_vocab import first_cased
from explorer.implementations.sentencepiece import SWITCHES
from tests.originals.hugging_face import HuggingFace
from tests.originals.llama_cpp import LlamaCpp
from tests.originals.rwkv import Rwkv
from tests.originals.sentencepiece import original as sentencepiece

Spans = list[tuple[int, int]]


class Options(NamedTuple):
    """The switches of a call."""

    add_special: bool
    parse_special: bool


MODES = (Options(False, True), Options(True, True), Options(False, False))
"""Ids alone; with the tokens around a text; with special tokens as plain text."""


class Answer(NamedTuple):
    """What an original makes of a text. spans: None if it doesn't tell."""

    ids: list[int]
    spans: Spans | None = None


class Original:
    """An original on one file. name: what it is called. hides: whether decoding can leave out special tokens.

    ids: the ids that may be decoded.
    """

    name = ""
    hides = True
    ids: Sequence[int]

    def encode(self, text: str, options: Options) -> Answer | None:
        """Ids and spans; None if the original refuses the text."""
        return attempt(lambda: self.answer(text, options))

    def decode(self, ids: list[int], hidden: bool) -> str | None:
        """The text of ids. hidden: without special tokens. None if the original refuses them."""
        return attempt(lambda: self.text(ids, hidden))

    def answer(self, text: str, options: Options) -> Answer:
        raise NotImplementedError

    def text(self, ids: list[int], hidden: bool) -> str:
        raise NotImplementedError

    def close(self) -> None:
        """Frees what the original holds."""


def attempt(call: Callable[[], Any]) -> Any:
    """The result of a call, None if it raises; a panic of Rust is a BaseException of its own."""
    try:
        return call()
    except BaseException as error:
        if isinstance(error, (KeyboardInterrupt, SystemExit, MemoryError)):
            raise
        return None


class OfHuggingFace(Original):
    """Hugging Face's tokenizers. inner: one of its tokenizers."""

    name = "tokenizers"

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.inner.no_truncation()
        self.inner.no_padding()
        self.ids = sorted(set(inner.get_vocab(with_added_tokens=True).values()))

    def answer(self, text: str, options: Options) -> Answer:
        self.inner.encode_special_tokens = not options.parse_special
        found = self.inner.encode(text, add_special_tokens=options.add_special)
        return Answer(list(found.ids), list(found.offsets))

    def text(self, ids: list[int], hidden: bool) -> str:
        return str(self.inner.decode(ids, skip_special_tokens=hidden))


class OfTiktoken(Original):
    """tiktoken with the pattern and the special tokens that this engine found, after NFC where the publisher's code
    does so."""

    name, hides = "tiktoken", False

    def __init__(self, path: Path, ours: explorer.Tokenizer) -> None:
        import tiktoken

        ranks = tiktoken_ranks.read(path.read_bytes(), path.name)
        (pattern,) = (fact.code for fact in ours.facts if fact.topic == "pre-tokenizer" and fact.code)
        special = {
            token.content: token.id for part in ours.parts for token in getattr(part, "tokens", ()) if token.special
        }
        self.composed = any(fact.topic == "normalizer" and "NFC" in fact.says for fact in ours.facts)
        self.inner = tiktoken.Encoding("file", pat_str=pattern, mergeable_ranks=ranks, special_tokens=special)
        self.ids = sorted({*ranks.values(), *special.values()})

    def answer(self, text: str, options: Options) -> Answer:
        allowed: Any = "all" if options.parse_special else set()
        text = unicodedata.normalize("NFC", text) if self.composed else text
        return Answer(self.inner.encode(text, allowed_special=allowed, disallowed_special=()))

    def text(self, ids: list[int], hidden: bool) -> str:
        return self.inner.decode(ids)


class OfSentencePiece(Original):
    """sentencepiece, with BOS and EOS as this engine's users get them."""

    name, hides = "sentencepiece", False

    def __init__(self, path: Path, ours: explorer.Tokenizer) -> None:
        self.inner = sentencepiece(path.read_bytes())
        bos, eos = SWITCHES[ours.choosable[0].chosen]
        self.around = {"add_bos": bos and self.inner.bos_id() >= 0, "add_eos": eos and self.inner.eos_id() >= 0}
        self.ids = range(self.inner.get_piece_size())

    def answer(self, text: str, options: Options) -> Answer:
        if options.add_special:
            return Answer(list(self.inner.encode(text, **self.around)))
        found = self.inner.encode(text, out_type="offset_mapping")
        return Answer(found["ids"], found["offsets"])

    def text(self, ids: list[int], hidden: bool) -> str:
        return str(self.inner.decode(ids))


class OfTekken(Original):
    """mistral-common."""

    name = "mistral-common"

    def __init__(self, path: Path) -> None:
        from mistral_common.tokens.tokenizers.base import SpecialTokenPolicy
        from mistral_common.tokens.tokenizers.tekken import Tekkenizer

        self.inner = Tekkenizer.from_file(path)
        self.policies = {True: SpecialTokenPolicy.IGNORE, False: SpecialTokenPolicy.KEEP}
        self.ids = range(self.inner.n_words)

    def answer(self, text: str, options: Options) -> Answer:
        return Answer(self.inner.encode(text, bos=options.add_special, eos=False))

    def text(self, ids: list[int], hidden: bool) -> str:
        return self.inner.decode(ids, special_token_policy=self.policies[hidden])


class OfRwkv(Original):
    """RWKV's tokenizer, which evaluates each line of its file: only literals are let through."""

    name, hides = "rwkv", False

    def __init__(self, path: Path) -> None:
        ids = []
        for line in path.read_text("utf-8").splitlines():
            ast.literal_eval(line[line.index(" ") : line.rindex(" ")].strip())
            ids.append(int(line[: line.index(" ")]))
        self.inner = Rwkv(path)
        self.ids = ids

    def answer(self, text: str, options: Options) -> Answer:
        return Answer(self.inner.encode(text.encode()))

    def text(self, ids: list[int], hidden: bool) -> str:
        return self.inner.decode(ids).decode("utf-8", "replace")


class OfLlamaCpp(Original):
    """llama.cpp."""

    name = "llama.cpp"

    def __init__(self, path: Path) -> None:
        self.inner = LlamaCpp(path)
        self.ids = range(self.inner.size)

    def answer(self, text: str, options: Options) -> Answer:
        return Answer(self.inner.tokenize(text, options.add_special, options.parse_special))

    def text(self, ids: list[int], hidden: bool) -> str:
        return self.inner.detokenize(ids, unparse_special=not hidden).decode("utf-8", "replace")

    def close(self) -> None:
        self.inner.close()


def original(path: Path, ours: explorer.Tokenizer) -> Original:
    """The original for a file that this engine opened by default."""
    kind, name = ours.implementation, path.name
    if kind == "llama.cpp":
        return OfLlamaCpp(path)
    if kind == "tiktoken":
        return OfTiktoken(path, ours)
    if kind == "sentencepiece":
        return OfSentencePiece(path, ours)
    if kind == "mistral-common":
        return OfTekken(path)
    if kind == "rwkv":
        return OfRwkv(path)
    assert kind == "huggingface", kind
    head = path.read_bytes()[:4096].lstrip(b"\xef\xbb\xbf \t\r\n")
    if not head.startswith(b"{"):
        return OfHuggingFace(word_piece(path, ours))
    from explorer.formats.vocab_files import looks_like_vocab

    return OfHuggingFace(by_merges(path, name, ours) if looks_like_vocab(head) else HuggingFace(path).tokenizer)


def word_piece(path: Path, ours: explorer.Tokenizer) -> Any:
    """The original on a vocab.txt, in the case that this engine chose."""
    from tokenizers import BertWordPieceTokenizer

    ids = {ours.vocabulary.spelling(id): id for id in range(len(ours.vocabulary))}
    return BertWordPieceTokenizer(str(path), lowercase=first_cased(ids) is None)._tokenizer


def by_merges(path: Path, name: str, ours: explorer.Tokenizer) -> Any:
    """The original on a vocab.json and its merges."""
    from tokenizers import ByteLevelBPETokenizer, CharBPETokenizer, SentencePieceBPETokenizer

    from explorer.opening.formats import merges_names

    merges = next(path.with_name(each) for each in merges_names(name) if path.with_name(each).exists())
    kinds = {"characters": CharBPETokenizer, "metaspace": SentencePieceBPETokenizer}
    kind = kinds.get(dict(ours.origin.choices).get("encoder", ""), ByteLevelBPETokenizer)
    return kind.from_file(str(path), str(merges))._tokenizer
