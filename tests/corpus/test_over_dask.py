"""Workers of a job on this machine: nobody else can reach them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from explorer.cli.main import main


@pytest.mark.long
def test_a_cluster_that_a_job_starts_listens_on_this_machine_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    distributed, psutil = pytest.importorskip("distributed"), pytest.importorskip("psutil")
    listens: list[str] = []

    class Cluster(distributed.LocalCluster):  # type: ignore[misc]
        """One that says where it listens."""

        def __exit__(self, *error: Any) -> None:
            own = psutil.Process()
            for process in (own, *own.children(recursive=True)):
                listens.extend(each.laddr.ip for each in process.net_connections("tcp") if each.status == "LISTEN")
            super().__exit__(*error)

    monkeypatch.setattr(distributed, "LocalCluster", Cluster)
    text = tmp_path / "a.txt"
    text.write_text("some text\n" * 100, "utf-8")
    assert main(["corpus", "-m", "gpt-2", "--workers", "1", str(text), "--output", str(tmp_path / "result.json")]) == 0
    assert len(listens) > 2, "the scheduler, the worker and what watches it"
    assert set(listens) == {"127.0.0.1"}
