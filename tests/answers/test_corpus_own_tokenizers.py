"""A visitor's own tokenizers in a corpus job of the page: opened from copies, named, gone on with, refused."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest

from explorer.answers.corpus_jobs import CorpusJob, JobRequest
from explorer.answers.offers import Offer, TokenizerSpec, Upload, bundled, group_uploads, upload_offer
from explorer.answers.offers import server_offer as server_offer
from explorer.corpus.result import read
from explorer.errors import InputError
from explorer.implementations.tiktoken import KEY
from explorer.opening.formats import open_files
from tests.answers.test_corpus_jobs import ended
from tests.ui.small_files import MERGES_TXT, SMALL, VOCAB_JSON, ranks

TEXT = "abc ab\ncab\n"


def default(offer: Offer, *choices: tuple[str, str]) -> TokenizerSpec:
    """An offer under its default implementation."""
    return TokenizerSpec(offer, offer.implementations[0], choices)


@pytest.mark.long
def test_uploads_count_as_when_they_are_opened(made: list[CorpusJob], tmp_path: Path) -> None:
    folder = {"tokenizer.json": SMALL, "tokenizer_config.json": b'{"tokenizer_class": "PreTrainedTokenizerFast"}'}
    pair = {"vocab.json": VOCAB_JSON, "merges.txt": MERGES_TXT}
    single = {"../../<b>\u202e my.json": SMALL}
    edited = Upload("gpt-2, edited here.json", SMALL.replace(b"<s>", b"<t>"), "GPT-2, edited here")
    path = tmp_path / "secret" / "mine.json"
    path.parent.mkdir()
    path.write_bytes(SMALL)
    groups = [
        group_uploads([Upload(name, data) for name, data in files.items()]).groups[0]
        for files in (folder, pair, single)
    ]
    uploads = [*map(upload_offer, groups), upload_offer((edited,))]
    rank_file = upload_offer((Upload("r.tiktoken", ranks(b"ab")),))
    offers = [*uploads, server_offer(path, "sub/mine.json", [path])]
    specs = (*map(default, offers), default(rank_file, (KEY, "cl100k_base")),
             TokenizerSpec(bundled()["gpt-2"], "llama.cpp"))  # fmt: skip
    made.append(job := ended(CorpusJob({"a.txt": TEXT.encode()}, JobRequest(specs))))
    assert job.state.error == ""
    assert sorted(each.name for each in (job.folder / "tokenizers").iterdir())[:2] == ["0-0", "0-1"]
    assert job.result is not None
    result = read(job.result, "it")
    assert str(tmp_path) not in job.result.decode()
    assert result.tokenizers == (
        *(offer.label for offer in uploads[:3]), "GPT-2, edited here", "sub/mine.json", rank_file.label, "gpt-2",
    )  # fmt: skip
    assert [each.model for each in result.made.tokenizers] == [
        *(offer.label for offer in offers), rank_file.label, "gpt-2",
    ]  # fmt: skip
    for index, files in enumerate((folder, pair, {"x.json": SMALL})):
        opened = open_files(files, specs[index].implementation)
        by_hand = [opened.encode(line, add_special=False).ids for line in TEXT.splitlines(keepends=True)]
        assert result.total.measures[index]["tokens"] == sum(map(len, by_hand))
    hashes = [[file.sha256 for file in each.files] for each in result.made.tokenizers]
    assert hashes[1] == [sha256(VOCAB_JSON).hexdigest(), sha256(MERGES_TXT).hexdigest()]
    assert hashes[2] == hashes[4] == [sha256(SMALL).hexdigest()]


@pytest.mark.long
def test_a_job_goes_on_with_a_tokenizer_that_was_removed(made: list[CorpusJob]) -> None:
    upload = Upload("my.json", SMALL)
    request = JobRequest((default(upload_offer((upload,))),))
    made.append(job := CorpusJob({"a.txt": TEXT.encode()}, request))
    job.start()
    job.stop()
    upload.release()
    assert ended(job).state.error == ""
    assert json.loads(job.result or b"")["tokenizers"][0]["sha256"] == sha256(SMALL).hexdigest()
    with pytest.raises(InputError, match="drop the file here again"):
        CorpusJob({"a.txt": b"a"}, request)


def test_one_that_cannot_be_opened_is_one_error(made: list[CorpusJob]) -> None:
    spec = default(upload_offer((Upload("my.json", SMALL.replace(b'"a b"', b'"a z"')),)))
    made.append(job := ended(CorpusJob({"a.txt": b"a"}, JobRequest((spec,)))))
    assert job.state.error.startswith(f"{spec.offer.label}: ")
    assert str(job.folder) not in job.state.error
