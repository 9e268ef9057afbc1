"""What a refused input is told."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from explorer.errors import InputError


def refusal(call: Callable[..., object], *args: object) -> str:
    """The one line of the `InputError` that a call raises."""
    with pytest.raises(InputError) as caught:
        call(*args)
    said = str(caught.value)
    assert "\n" not in said
    return said
