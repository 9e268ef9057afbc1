"""The normalization rules that sentencepiece has under a name, compiled: the `precompiled_charsmap` of its models.

Each version has tables of its own Unicode. They lie in `vocabs/normalization/`, compressed, taken from the packages
(`vocabs/LICENSES.md`); one with another sha256 is refused.
"""

from __future__ import annotations

import lzma
from functools import cache
from hashlib import sha256
from typing import Final

from explorer.errors import InputError
from explorer.opening.paths import VOCABS
from explorer.training.sentencepiece.options import Options, Version

SHA256: Final = {
    (Version.NEW, "nmt_nfkc"): "1e2c7b43d3ee9755ceaa2ac335e253d8703604e0249ee1e81156c92b46423844",
    (Version.NEW, "nfkc"): "7e46d9e08af4b6a37991b04fb8388644c1595a0abcd0f26d6a5d575e2a3663ea",
    (Version.NEW, "nmt_nfkc_cf"): "2c03512e62f9ed965ec90d85314211b63b5b8aa0395311ea2147eec9ff738907",
    (Version.NEW, "nfkc_cf"): "d8dfef3d6db0eef0742f8b55a73aee7fce6c1e21d26a09b8d3d4b52c42a791cb",
    (Version.OLD, "nmt_nfkc"): "79372c41389c2b9b29bc171017ab5400e352debd686b02670a42bec709015074",
    (Version.OLD, "nfkc"): "52f11028ff8a7df3e009d94a8b6a54d4a8a17132efb4ccc1c9a0a41e432bd91e",
    (Version.OLD, "nmt_nfkc_cf"): "22c292c76f503795f30c85d79d30a7f572fff4f49e00392d2d60f4f93e941a1e",
    (Version.OLD, "nfkc_cf"): "60833ec11201446659c3549c183b18f024c4007628cc6b3a4e91ae007697b826",
}
"""Of the uncompressed tables."""


def charsmap_of(options: Options, version: Version) -> bytes:
    """The compiled rules that a training normalizes with: those given, else those of the name. Empty for identity.

    >>> len(charsmap_of(Options(), Version.NEW)), charsmap_of(Options(normalization_rule_name="identity"), Version.NEW)
    (240007, b'')
    """
    if options.charsmap or options.normalization_rule_name == "identity":
        return options.charsmap
    return table(options.normalization_rule_name, version)


@cache
def table(name: str, version: Version) -> bytes:
    """The rules of a name. Raises InputError if the file is not the one that came with this program."""
    path = VOCABS / "normalization" / version.value / f"{name}.bin.xz"
    try:
        found = lzma.decompress(path.read_bytes())
    except (OSError, lzma.LZMAError):
        found = b""
    if sha256(found).hexdigest() != SHA256[version, name]:
        raise InputError(f"{path}: the file is missing or not the original one (its sha256 differs); fetch it again")
    return found
