"""Bytes that a visitor gives instead of a text: how they are read, step by step. No tokenizer is asked."""

from __future__ import annotations

from typing import Final

from explorer.answers.questions import question
from explorer.views.steppers.packing import pack
from explorer.views.steppers.utf8_script import bytes_script

MOST: Final = 2_000
"""Bytes drawn at most."""


@question(lambda script: 50_000 + len(script))
def script_of_bytes(data: bytes) -> bytes:
    """The packed script of bytes that need not be UTF-8."""
    return pack(bytes_script(data))
