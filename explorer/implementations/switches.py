"""What the two switches of a call, `add_special` and `parse_special`, mean for each original.

The names are llama.cpp's; the others have something similar under other names, or nothing at all. The pages show these
sentences with the stage that a switch affects.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Switches(NamedTuple):
    """One sentence for each switch."""

    parse_special: str
    add_special: str


_NOTHING_ADDED = "{} adds nothing around a text, so “add special” has no effect."
_TRANSFORMERS = Switches(
    "transformers always looks for added tokens in the text; “parse special” off is its setting split_special_tokens, "
    "which reads special tokens as plain text.",
    "“add special” is the argument add_special_tokens of transformers; the class and the folder's settings decide "
    "which tokens it adds.",
)
_RWKV = Switches(
    "RWKV's tokenizer has no special tokens in a text, so “parse special” has no effect.",
    _NOTHING_ADDED.format("RWKV's tokenizer"),
)

SWITCHES: Final = {
    "llama.cpp": Switches(
        "llama.cpp looks for control tokens in the text only on request (“parse special”, its argument "
        "parse_special), and always for user-defined ones.",
        "“add special” is llama.cpp's argument add_special; the vocabulary file decides which tokens it adds. "
        "Those in front are pushed before the model runs; the result is the same.",
    ),
    "huggingface": Switches(
        "Hugging Face always looks for added tokens in the text, while llama.cpp does so only on request; "
        "“parse special” off is its setting encode_special_tokens, which reads special tokens as plain text.",
        "“add special” is Hugging Face's argument add_special_tokens; the file's post-processor decides which "
        "tokens it adds.",
    ),
    "transformers-5": _TRANSFORMERS,
    "transformers-4": _TRANSFORMERS,
    "tiktoken": Switches(
        "“parse special” on is tiktoken's allowed_special='all'; off is disallowed_special=(), and their spelling "
        "is plain text. Without either, tiktoken refuses a text that spells a special token.",
        _NOTHING_ADDED.format("tiktoken"),
    ),
    "mistral-common": Switches(
        "mistral-common never reads the spelling of a special token in the text as that token, so “parse special” "
        "has no effect.",
        "“add special” is mistral-common's argument bos; its argument eos, which adds </s>, is left off.",
    ),
    "sentencepiece": Switches(
        "sentencepiece never reads the spelling of a control piece in the text as that piece, so “parse special” "
        "has no effect; user-defined pieces are always found.",
        "“add special” sets sentencepiece's options add_bos and add_eos as programs that use such a model do; "
        "sentencepiece's own default is neither.",
    ),
    "subword-nmt": Switches(
        "subword-nmt has no special tokens in a text, so “parse special” has no effect.",
        _NOTHING_ADDED.format("subword-nmt"),
    ),
    "rwkv": _RWKV,
    "first-miss": _RWKV,
}
"""Implementation → its sentences."""
