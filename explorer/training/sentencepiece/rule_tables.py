"""The normalization rules that sentencepiece has under a name, compiled: the `precompiled_charsmap` of its models.

They lie in `vocabs/normalization/`, compressed, taken from the packages
(`vocabs/LICENSES.md`); one with another sha256 is refused.
"""

from __future__ import annotations

import lzma
from functools import cache
from hashlib import sha256
from typing import Final

from explorer.errors import InputError
from explorer.opening.paths import VOCABS
from explorer.training.sentencepiece.options import Options

VERSION: Final = "0.2.3"
SHA256: Final = {
    "nmt_nfkc": "1e2c7b43d3ee9755ceaa2ac335e253d8703604e0249ee1e81156c92b46423844",
    "nfkc": "7e46d9e08af4b6a37991b04fb8388644c1595a0abcd0f26d6a5d575e2a3663ea",
    "nmt_nfkc_cf": "2c03512e62f9ed965ec90d85314211b63b5b8aa0395311ea2147eec9ff738907",
    "nfkc_cf": "d8dfef3d6db0eef0742f8b55a73aee7fce6c1e21d26a09b8d3d4b52c42a791cb",
}
"""Of the uncompressed tables."""


def charsmap_of(options: Options) -> bytes:
    """The compiled rules that a training normalizes with: those given, else those of the name. Empty for identity.

    >>> len(charsmap_of(Options())), charsmap_of(Options(normalization_rule_name="identity"))
    (240007, b'')
    """
    if options.charsmap or options.normalization_rule_name == "identity":
        return options.charsmap
    return table(options.normalization_rule_name)


@cache
def table(name: str) -> bytes:
    """The rules of a name. Raises InputError if the file is not the one that came with this program."""
    path = VOCABS / "normalization" / VERSION / f"{name}.bin.xz"
    try:
        found = lzma.decompress(path.read_bytes())
    except (OSError, lzma.LZMAError):
        found = b""
    if sha256(found).hexdigest() != SHA256[name]:
        raise InputError(f"{path}: the file is missing or not the original one (its sha256 differs); fetch it again")
    return found
