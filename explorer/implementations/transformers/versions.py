"""The supported versions of `transformers`."""

from __future__ import annotations

from typing import Final, NamedTuple


class Version(NamedTuple):
    """implementation: its name after an @. number: the release. tokenizers: the release of tokenizers it uses."""

    implementation: str
    number: str
    tokenizers: str


FIRST_5: Final = 500
"""The number of 5.0.0 in `VERSIONS`."""

VERSIONS: Final = {
    5: Version("transformers-5", "5.23.0", "0.23.3"),
    4: Version("transformers-4", "4.57.6", "0.22.2"),
    FIRST_5: Version("transformers-5.0.0", "5.0.0", "0.22.2"),
}
"""A number → a version: a major version's newest release, and the first release of 5, whose classes differ."""

SLOW: Final = "transformers-4-slow"
"""The implementation with the classes of version 4 in Python, beside fast ones (`use_fast=False`)."""
