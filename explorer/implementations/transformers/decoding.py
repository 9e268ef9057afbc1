"""What a tokenizer of `transformers` does to the decoded text after its decoder."""

import re
from collections.abc import Callable, Iterator, Mapping

from explorer.engine.decoders.huggingface import DecoderStep, FuseDecoder, ReplaceDecoder, TidyDecoder
from explorer.implementations.transformers.arguments import Backend

TIME_STAMP = re.compile(r"<\|(\d+\.\d+)\|>")


def steps(class_name: str, backend: Backend, cleans: bool) -> Iterator[DecoderStep]:
    """The steps, in order. cleans: whether the class cleans up spaces."""
    name = class_name.removesuffix("Fast")
    if name in BEFORE:
        yield from BEFORE[name](backend)
    if cleans:
        yield TidyDecoder()
    if name == "WhisperTokenizer":
        # time stamps go. Left out: without special tokens the original also drops a prompt, the ids from
        # <|startofprev|> to the start
        yield from (FuseDecoder(), ReplaceDecoder(_time_stamps, ""))


def clip(backend: Backend) -> tuple[DecoderStep, ...]:
    """CLIP's: the suffix at the end of words becomes a space, and white space at both ends goes."""
    suffix = backend.model.get("end_of_word_suffix") or ""
    return FuseDecoder(), ReplaceDecoder(suffix, " "), ReplaceDecoder(outer_space, "")


def phobert(backend: Backend) -> tuple[DecoderStep, ...]:
    """PhoBERT's: pieces within a word are joined, and white space at both ends goes."""
    return FuseDecoder(), ReplaceDecoder("@@ ", ""), ReplaceDecoder(outer_space, "")


def outer_space(text: str) -> list[tuple[int, int]]:
    """The white space at the ends of a text, by Python's `str.strip`.

    >>> outer_space("  a "), outer_space("  "), outer_space("a")
    ([(0, 2), (3, 4)], [(0, 2)], [])
    """
    begin, end = len(text) - len(text.lstrip()), len(text.rstrip())
    return [span for span in ((0, begin), (max(begin, end), len(text))) if span[0] < span[1]]


def _time_stamps(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in TIME_STAMP.finditer(text)]


BEFORE: Mapping[str, Callable[[Backend], tuple[DecoderStep, ...]]] = {
    "CLIPTokenizer": clip,
    "PhobertTokenizer": phobert,
    "BertweetTokenizer": phobert,
}
"""Class → its steps before the clean-up."""
SAYS = {
    "CLIPTokenizer": "At last the mark at the end of words becomes a space, and white space at both ends goes.",
    "WhisperTokenizer": "At last time stamps such as <|0.00|> are left out.",
}
"""Class → its steps in words."""
