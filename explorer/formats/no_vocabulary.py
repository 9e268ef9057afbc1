"""The classes of `transformers` that need no vocabulary file. Imports little, so that
a look at a folder stays cheap."""

from __future__ import annotations

import re
from typing import Final

BYT5: Final = "ByT5Tokenizer"
CANINE: Final = "CanineTokenizer"
CLASSES: Final = (BYT5, CANINE)
"""They are run by `implementations.transformers.python_classes`."""
NAMED: Final = re.compile(rb'"(ByT5Tokenizer|byt5|CanineTokenizer|canine)"')
"""Matches where a settings file may ask for one of them."""
