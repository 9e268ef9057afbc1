"""What many tests share: the bundled tokenizer and its original, each opened once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

import explorer
from explorer.engine.untraced import encoder
from tests.bundled import bundled
from tests.originals.llama_cpp import LlamaCpp

# CI machines are shared and slow at times: no test asserts a time, and neither does hypothesis
settings.register_profile("project", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
settings.load_profile("project")

# every test's first text goes the fast way; its spans come from the stages, so parity is tested for both
encoder.PAYS = 0


@pytest.fixture(scope="session")
def llama2() -> explorer.Tokenizer:
    return bundled("llama-2")


@pytest.fixture(scope="session")
def original() -> Iterator[LlamaCpp]:
    """llama.cpp itself on the same file."""
    with LlamaCpp(explorer.catalog()["llama-2"].path) as model:
        yield model
