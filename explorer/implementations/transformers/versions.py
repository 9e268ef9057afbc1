"""The versions of `transformers` that are followed."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple


class Version(NamedTuple):
    """implementation: what stands behind an @. number: the release that is followed. tokenizers: the one it runs on."""

    implementation: str
    number: str
    tokenizers: str


VERSIONS: Final[Mapping[int, Version]] = MappingProxyType(
    {
        5: Version("transformers-5", "5.23.0", "0.23.3"),
        4: Version("transformers-4", "4.57.6", "0.22.2"),
    }
)
"""By the first number."""
