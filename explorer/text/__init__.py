"""Text before any tokenizer sees it, for every floor above, from the standard library alone.

One subject a module: bytes to code points (`utf8`), facts about a code point (`code_points`), text made visible
(`visible`) and the ways text comes in (`doors`). The names below are those in use elsewhere. `visible` among them
is the function; the module of that name is reached by `from explorer.text.visible import …`.

Left out: all that a tokenizer does to text, normalization included (explorer/engine), and grapheme clusters.
"""

from explorer.text.code_points import CATEGORIES, WHITE_SPACE, Flag, facts, label, name
from explorer.text.doors import clean, escapes, from_bytes, unescape
from explorer.text.utf8 import decode_utf8, first_fault
from explorer.text.visible import is_control_label, visible, visible_char, visible_words

__all__ = [
    "CATEGORIES",
    "WHITE_SPACE",
    "Flag",
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
