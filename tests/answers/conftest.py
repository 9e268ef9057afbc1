"""What tests of the page's corpus jobs share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from explorer.answers import corpus_jobs
from explorer.answers.corpus_jobs import CorpusJob


@pytest.fixture
def made() -> Iterator[list[CorpusJob]]:
    """Jobs that are released after the test."""
    all_jobs: list[CorpusJob] = []
    yield all_jobs
    for job in all_jobs:
        job.release()
        assert not job.folder.exists()
    assert not corpus_jobs.RUNNING
