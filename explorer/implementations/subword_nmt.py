"""Codes as subword-nmt applies them (`subword-nmt apply-bpe`).

Words end at spaces and line ends, which are left out. The program reads lines as Python splits them, so a word also
ends after a form feed, U+2028 and the like, which stay with it (it then writes no space). A word's characters merge,
the last one with `</w>` after it, and the program writes the symbols with spaces between them, `@@` after each that
does not end a word, and without `</w>`.

The program writes symbols and has no ids; a model numbers them by a list of its own. Here they are numbered by the
codes: first `<unk>`, then the characters of the codes by code point, these at the end of a word, then what each pair
needs and makes. A character that is not in the codes, which the program writes unchanged, is `<unk>`. A text of ids is
that of `@@` removed: words with one space between them.

Runs as the tokenizer.json that says the same. Left out: the options vocabulary, glossaries and dropout.
"""

from collections.abc import Sequence
from dataclasses import replace

from explorer.facts import WARNING, Fact
from explorer.formats.bpe_codes import WORD_END
from explorer.formats.tokenizer_json import TokenizerJson
from explorer.implementations import huggingface
from explorer.implementations.opened import Opened

IMPLEMENTATION = "subword-nmt"
UNKNOWN = "<unk>"

_LINE_ENDS = r"\x0B\x0C\x1C-\x1E\x{85}\x{2028}\x{2029}"
"""Characters besides CR and LF that end a line in Python."""

WORDS = rf"[^ \r\n{_LINE_ENDS}]*[{_LINE_ENDS}]|[^ \r\n{_LINE_ENDS}]+"


def from_codes(pairs: Sequence[tuple[str, str]], name: str) -> Opened:
    """The tokenizer of a file's pairs, in their order.

    >>> tok = from_codes([("t", "h"), ("th", "e</w>")], "toy")
    >>> [tok.vocabulary.pieces[id].decode() for id in tok.encode("the them").ids]
    ['the</w>', 'th', 'e', '<unk>']
    """
    vocab = symbols(pairs)
    unknown = next(iter(vocab))
    file = TokenizerJson(
        {
            "type": "BPE",
            "vocab": vocab,
            "merges": [list(pair) for pair in pairs],
            "unk_token": unknown,
            "end_of_word_suffix": WORD_END,
        },
        pre_tokenizer={"type": "Split", "pattern": {"Regex": WORDS}, "behavior": "Removed", "invert": True},
        decoder={"type": "BPEDecoder", "suffix": WORD_END},
    )
    return replace(
        huggingface.from_tokenizer_json(file, name), implementation=IMPLEMENTATION, facts=_facts(vocab, len(pairs))
    )


def symbols(pairs: Sequence[tuple[str, str]]) -> dict[str, int]:
    """Every symbol the pairs begin with, need and make, with its number; the unknown one first.

    >>> list(symbols([("b", "a</w>")]))
    ['<unk>', 'a', 'b', 'a</w>', 'b</w>', 'ba</w>']
    """
    needed = dict.fromkeys(symbol for left, right in pairs for symbol in (left, right, left + right))
    characters = sorted(set("".join(symbol.removesuffix(WORD_END) for symbol in needed)))
    ends = [character + WORD_END for character in characters]
    unknown = UNKNOWN
    while unknown in needed:
        unknown = f"<{unknown}>"
    return {symbol: id for id, symbol in enumerate(dict.fromkeys([unknown, *characters, *ends, *needed]))}


def _facts(vocab: dict[str, int], count: int) -> tuple[Fact, ...]:
    unknown = next(iter(vocab))
    return (
        Fact("pre-tokenizer", "Words end at spaces and line ends, which are left out.", code=WORDS),
        Fact("pre-tokenizer", "A form feed, U+2028 and the like, which end a line in Python, stay at a word's end."),
        Fact("model", f"BPE: {count:,} pairs that merge, the first one first."),
        Fact("model", f"A symbol that ends a word ends in {WORD_END}. The program drops it, and ends others in @@."),
        Fact(
            "model",
            f"The file has no ids. Its {len(vocab):,} symbols are numbered here: {unknown}, the characters, these at "
            "the end of a word, then the symbols of each pair. A model's own ids are in another file, such as "
            "fairseq's dict.txt, which is not read.",
            kind=WARNING,
        ),
        Fact("model", f"A character that is not in the codes is {unknown}. The program writes it unchanged."),
        Fact("decoder", f"{WORD_END} becomes a space; at the end of the text it is dropped."),
    )
