"""The supported versions of `transformers`."""

from __future__ import annotations

from typing import Final, NamedTuple


class Version(NamedTuple):
    """implementation: its name after an @. number: the release."""

    implementation: str
    number: str


VERSIONS: Final = {
    5: Version("transformers-5", "5.23.0"),
    4: Version("transformers-4", "4.57.6"),
}
"""A major version → its newest release."""
