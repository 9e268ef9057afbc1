"""Corpus jobs of the page: the results of the command line, stopped and continued, limited, one error for bad input."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep

import pytest

from explorer.answers import corpus_jobs
from explorer.answers.corpus_jobs import CorpusJob, JobRequest
from explorer.answers.offers import TokenizerSpec, bundled
from explorer.answers.turns import Account, Turns
from explorer.cli.main import main
from explorer.corpus.counter import chosen
from explorer.corpus.result import read
from explorer.corpus.run import plan, run
from explorer.corpus.sample import TEXTS, sample_result
from explorer.corpus.sources import Reading
from explorer.errors import InputError

GPT2 = JobRequest((TokenizerSpec(bundled()["gpt-2"], "huggingface"),))


def ended(job: CorpusJob) -> CorpusJob:
    """The job, once it has ended by itself."""
    job.start()
    until = monotonic() + 100
    while job.state.running and monotonic() < until:
        sleep(0.05)
    assert not job.state.running
    return job


@pytest.mark.long
def test_the_result_is_that_of_the_command_line(
    made: list[CorpusJob], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = {
        "my records.jsonl": b'{"text": "Good morning", "l": "en"}\n{"text": "Guten Morgen", "l": "de"}\n',
        "more.csv": b"text,l\nBonjour,fr\n",
    }
    request = GPT2._replace(label="l", baseline="en")
    made.append(job := ended(CorpusJob(texts, request)))
    assert job.state.error == ""
    assert job.state.pace.share == 1
    for name, data in texts.items():
        (tmp_path / name).write_bytes(data)
    monkeypatch.chdir(tmp_path)
    out = tmp_path / "out.json"
    assert main(["corpus", "-m", "gpt-2", *texts, "--label", "l", "--baseline", "en", "--output", str(out),
                 "--invalid", "replace", "--measures", "all"]) == 0  # fmt: skip
    assert job.result == out.read_bytes()


@pytest.mark.long
def test_a_job_is_stopped_and_goes_on(made: list[CorpusJob], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus_jobs, "MOST_JOBS", 1)
    # several parts, so that it is not done when it says how far it is
    text = "".join(f"line {number} of this text\n" for number in range(200_000)).encode()
    made.append(job := CorpusJob({"a.txt": text}, GPT2))
    job.start()
    made.append(second := CorpusJob({"b.txt": b"b"}, GPT2))
    with pytest.raises(InputError, match="run on this server already"):
        second.start()
    while job.state.running and not job.state.pace.done:
        sleep(0.05)
    job.stop()
    assert not corpus_jobs.RUNNING
    assert job.result is None
    until = monotonic() + 10
    while job.state.running and monotonic() < until:
        sleep(0.05)
    assert not job.state.running
    assert job.state.error == ""
    ended(job)
    assert job.result is not None
    assert read(job.result, "it").total.text["documents"] == 200_000


@pytest.mark.long
def test_a_small_job_is_done_while_a_long_one_waits(made: list[CorpusJob], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus_jobs, "TURNS", Turns(1, 0.5))
    text = "".join(f"line {number} of this text\n" for number in range(2_000_000)).encode()
    made.append(long := CorpusJob({"a.txt": text}, GPT2))
    long.start()
    while not long.state.pace.done:
        sleep(0.05)
    made.append(small := CorpusJob({"b.txt": b"b"}, GPT2))
    small.start()
    waited = False
    while small.state.running:
        waited = waited or long.state.before == 1
        sleep(0.02)
    assert small.result is not None
    assert (waited, long.state.running) == (True, True)
    long.stop()
    assert not long.state.running


@pytest.mark.long
def test_the_largest_job_ends_when_all_occupy_too_much(made: list[CorpusJob], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus_jobs, "RESIDENT", 1_000_000)
    made.append(job := ended(CorpusJob({"a.txt": b"a\n" * 1_000_000}, GPT2)))
    assert "this one is the largest" in job.state.error


def test_what_is_wrong_in_a_text_is_said_with_its_place(made: list[CorpusJob]) -> None:
    made.append(job := ended(CorpusJob({"<b>.jsonl": b'{"text": "a"}\n{"txt": "b"}\n'}, GPT2)))
    assert job.result is None
    assert "<b>.jsonl" in job.state.error
    assert "byte offset 14" in job.state.error
    assert str(job.folder) not in job.state.error


@pytest.mark.parametrize(
    ("texts", "request_", "says"),
    [
        ({"a.txt": b"a"}, JobRequest(()), "at least one tokenizer"),
        ({}, GPT2, "no text to count"),
        ({"a.txt": b""}, GPT2, "no text to count"),
        ({"a.parquet.gz": b"MZ"}, GPT2, "decompress the file"),
        ({"a.txt": b"aaaaaaaaaaa"}, GPT2, "has 11 bytes|have 11 bytes"),
        ({"a.txt": b"a"}, GPT2._replace(baseline="en"), "one of the groups"),
    ],
)
@pytest.mark.sample(6)
def test_bad_requests_are_one_error(
    texts: dict[str, bytes], request_: JobRequest, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpus_jobs, "BYTES", 10)
    with pytest.raises(InputError, match=says):
        CorpusJob(texts, request_)


def test_a_name_never_leaves_the_folder_of_the_job(made: list[CorpusJob]) -> None:
    made.append(job := CorpusJob({"../../../x.txt": b"a", "/etc/passwd.csv": b"b", "c\0d.TXT.GZ": b"c"}, GPT2))
    assert sorted(path.name for path in (job.folder / "texts").iterdir()) == ["0000.txt", "0001.csv", "0002.txt.gz"]


def test_the_sample_has_the_documents_of_its_texts() -> None:
    records = [json.loads(line) for line in gzip.decompress(TEXTS.read_bytes()).splitlines()]
    result = sample_result()
    assert {row.name: row.text["documents"] for row in result.labels} == {
        label: sum(each["label"] == label for each in records) for label in {each["label"] for each in records}
    }
    assert {row.text["documents"] for row in result.labels if row.name != "Python code"} == {31}
    assert result.total.text["bytes"] == sum(len(each["text"].encode()) for each in records)


@pytest.mark.long
def test_the_sample_has_the_result_of_its_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(TEXTS.parent)
    out = tmp_path / "out.json"
    models = ("gpt-2", "bert-uncased", "rwkv-world")
    asked = [word for model in models for word in ("-m", model)]
    assert main(["corpus", *asked, TEXTS.name, "--label", "label", "--baseline", "English", "--output", str(out)]) == 0
    again, result = read(out.read_bytes(), "again"), sample_result()
    for index, model in enumerate(models):
        there = result.tokenizers.index(model)
        assert again.total.measures[index] == result.total.measures[there]
        assert again.details[index] == result.details[there]
        for one, other in zip(again.labels, result.labels, strict=True):
            assert one.measures[index] == other.measures[there]


@pytest.mark.parametrize("pack", [gzip.compress, pytest.importorskip("zstandard").ZstdCompressor().compress])
def test_a_file_that_expands_too_far_ends_the_job(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    """Empty lines are no text, so a limit on text would not end it."""
    path = tmp_path / ("a.txt.gz" if pack is gzip.compress else "a.txt.zst")
    path.write_bytes(pack(b"\n" * 30_000))
    job = plan([str(path)], chosen(["gpt-2"], {}), Reading(unpacked=20_000), size=10_000)
    with pytest.raises(InputError, match=r"a\.txt\..* expands to more than 20,000 bytes"):
        run(job.tasks, job.work)
    job = plan([str(path)], chosen(["gpt-2"], {}), Reading(unpacked=30_000), size=10_000)
    assert run(job.tasks, job.work)[0].text_bytes() == 30_000


@pytest.mark.long
def test_a_visitor_has_one_account_for_all_jobs(made: list[CorpusJob]) -> None:
    account = Account()
    made.append(job := CorpusJob({"a.txt": b"Hello"}, GPT2, account))
    ended(job)
    first = account.seconds
    ended(job)
    assert 0 < first < account.seconds


@pytest.mark.long
def test_a_full_disk_is_said_without_the_servers_path(made: list[CorpusJob]) -> None:
    made.append(job := CorpusJob({"a.txt": b"Hello"}, GPT2))
    (job.folder / "parts").write_bytes(b"no folder")  # nothing can be written into it
    ended(job)
    assert job.state.error.startswith("this server can't keep what was counted (")
    assert str(job.folder) not in job.state.error
