"""What the two switches of a call, `add_special` and `parse_special`, stand for in each original.

The names are llama.cpp's; the others have something like them under other names, or nothing at all. Whoever shows a
tokenizer to people says it with the stage a switch concerns.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple


class Switches(NamedTuple):
    """One sentence for each switch."""

    parse_special: str
    add_special: str


_NOTHING_ADDED = "{} adds nothing around a text, so “add special” changes nothing."
_TRANSFORMERS = Switches(
    "transformers always looks for added tokens in the text; “parse special” off is its setting split_special_tokens, "
    "which leaves the special ones alone.",
    "“add special” is the argument add_special_tokens of transformers; which tokens it adds, the class and the "
    "folder's settings say.",
)
_RWKV = Switches(
    "RWKV's tokenizer knows no special tokens in a text, so “parse special” changes nothing.",
    _NOTHING_ADDED.format("RWKV's tokenizer"),
)

SWITCHES: Final[Mapping[str, Switches]] = MappingProxyType(
    {
        "llama.cpp": Switches(
            "llama.cpp looks for control tokens in the text only when it is asked to (“parse special”, its argument "
            "parse_special), for user-defined ones always.",
            "“add special” is llama.cpp's argument add_special; which tokens it adds, the vocabulary file says.",
        ),
        "huggingface": Switches(
            "Hugging Face always looks for added tokens in the text, where llama.cpp does so only when it is asked to; "
            "“parse special” off stands for its setting encode_special_tokens, which leaves the special ones alone.",
            "“add special” is Hugging Face's argument add_special_tokens; which tokens it adds, the file's "
            "post-processor says.",
        ),
        "transformers-5": _TRANSFORMERS,
        "transformers-4": _TRANSFORMERS,
        "tiktoken": Switches(
            "“parse special” on is tiktoken's allowed_special='all'; off is disallowed_special=(), and their spelling "
            "is text like any other. Without either, tiktoken refuses a text that spells a special token.",
            _NOTHING_ADDED.format("tiktoken"),
        ),
        "mistral-common": Switches(
            "mistral-common never takes the spelling of a special token in the text for that token, so “parse special” "
            "changes nothing.",
            "“add special” is mistral-common's argument bos; its argument eos, which adds </s>, is left off.",
        ),
        "sentencepiece": Switches(
            "sentencepiece never takes the spelling of a control piece in the text for that piece, so “parse special” "
            "changes nothing; the pieces that the model's maker named (user-defined ones) are found always.",
            "“add special” sets sentencepiece's options add_bos and add_eos as programs that use such a model set "
            "them; sentencepiece by itself leaves both off.",
        ),
        "rwkv": _RWKV,
        "first-miss": _RWKV,
    }
)
"""By the name of an implementation."""
