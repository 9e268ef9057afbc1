"""Plain text, apart from any tokenizer; uses only the standard library, and `regex` in `hidden`.

utf8           bytes ↔ code points, with the fault of every malformed run, and what other programs make of it
code_points    facts about a code point, and what later versions of Unicode added
input          escapes, surrogates and bytes in text that a person gives
hidden         characters that nobody sees, and what they carry
links          texts in links, compressed
say            text made visible; sentences, and sizes, numbers and plurals in them

Left out: everything a tokenizer does to text, normalization included (explorer/engine), and grapheme clusters.
"""

from explorer.text.code_points import WHITE_SPACE, Flag, categories, facts, label, name
from explorer.text.input import clean, decode_utf8, escapes, first_fault, from_bytes, unescape
from explorer.text.say import is_control_label, visible, visible_char, visible_words

__all__ = [
    "WHITE_SPACE",
    "Flag",
    "categories",
    "clean",
    "decode_utf8",
    "escapes",
    "facts",
    "first_fault",
    "from_bytes",
    "is_control_label",
    "label",
    "name",
    "unescape",
    "visible",
    "visible_char",
    "visible_words",
]
