"""A GGUF of the Hub by its first bytes: an answer gives a tokenizer, or one line that says what to do."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import explorer
from explorer.analysis.card import about
from explorer.cli.main import main
from explorer.errors import InputError
from explorer.opening import remote_gguf
from explorer.opening.hub.fetching import Step
from tests.opening.gguf_server import COMMIT, Behavior, serving

FORTY_GB = 40_000_000_000
SPM = explorer.catalog()["llama-2"]
FILE = "/org/name/resolve/main/model.gguf"


@pytest.fixture
def behavior() -> Behavior:
    return Behavior(SPM.path.read_bytes(), FORTY_GB)


@pytest.fixture
def server(behavior: Behavior, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[str]:
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_TOKEN", "HF_HOME", "EXPLORER_HUB_STORAGE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("no_proxy", "*")
    with serving(behavior) as address:
        monkeypatch.setenv("HF_ENDPOINT", address)
        yield address


def refused(address: str) -> str:
    """The one line that refuses an address. Nothing is kept that would open later."""
    with pytest.raises(InputError) as error:
        explorer.load(address)
    said = str(error.value)
    assert "\n" not in said
    assert "; " in said
    return said


def test_a_file_of_40_gb_costs_its_keys(server: str, behavior: Behavior) -> None:
    tok = explorer.load(server + FILE)
    assert tok.encode("is").ids == [1, 338]
    assert tok.name == "model.gguf"
    assert tok.origin.repository == f"org/name@{COMMIT}"
    assert tok.origin.files == (("model.gguf", FORTY_GB, SPM.sha256, len(behavior.data)),)
    assert behavior.sent < len(behavior.data) + remote_gguf.BLOCK
    ranges = [tuple(map(int, given.removeprefix("bytes=").split("-"))) for _, given, _ in behavior.asked]
    assert [start for start, _ in ranges] == [0, *(end + 1 for _, end in ranges[:-1])]


@pytest.mark.parametrize("name", ["org/name:model.gguf", "org/name@v1:sub/model.gguf", f"org/name@{COMMIT}:model.gguf"])
def test_a_gguf_of_a_model_on_the_hub_is_read_by_its_first_bytes(server: str, behavior: Behavior, name: str) -> None:
    assert explorer.load(f"{name}@llama.cpp").encode("is").ids == [1, 338]
    repository, _, file = name.partition(":")
    revision = repository.partition("@")[2] or "main"
    assert {path for path, *_ in behavior.asked} == {f"/org/name/resolve/{revision}/{file}"}
    assert behavior.sent < 3_000_000


def test_what_was_read_is_kept_and_asked_after_once(server: str, behavior: Behavior, tmp_path: Path) -> None:
    first = explorer.load(server + FILE)
    cold = behavior.sent
    behavior.asked.clear()
    again = explorer.load(server + FILE)
    assert again.origin == first.origin
    assert behavior.sent == cold + remote_gguf.FIRST
    assert len(behavior.asked) == 1
    stats = [path.stat() for path in tmp_path.rglob("gguf/**/*") if path.is_file()]
    assert sum(stat.st_size // stat.st_nlink for stat in stats) < len(behavior.data) + 1000


@pytest.mark.parametrize("after", [0, 1])
def test_a_block_that_is_cut_off_goes_on_where_it_ended(server: str, behavior: Behavior, after: int) -> None:
    behavior.fault, behavior.after = "cut off once", after
    tok = explorer.load(server + FILE)
    assert tok.origin.files == (("model.gguf", FORTY_GB, SPM.sha256, len(behavior.data)),)
    cut = tuple(map(int, behavior.asked[after][1].removeprefix("bytes=").split("-")))
    again = tuple(map(int, behavior.asked[after + 1][1].removeprefix("bytes=").split("-")))
    assert cut[0] < again[0] <= again[1] == cut[1], "the rest of the same range"
    assert behavior.sent < len(behavior.data) + remote_gguf.BLOCK, "nothing was sent twice"


def test_progress_tells_the_bytes_that_have_come(server: str, behavior: Behavior) -> None:
    steps: list[Step] = []
    remote_gguf.located(server + FILE, progress=steps.append)
    read = [step.read for step in steps]
    assert read == sorted(read)
    assert len(read) > 4
    assert {step.file for step in steps} == {"model.gguf"}
    assert {step.of for step in steps[:-1]} == {0}, "how much it will be isn't known"
    assert steps[-1].read == steps[-1].of == behavior.sent


def test_what_a_killed_process_left_unfinished_is_removed_later(server: str) -> None:
    explorer.load(server + FILE)
    folder = remote_gguf.own().newest(server + FILE).parent
    old, new = folder / "old.incomplete", folder / "new.incomplete"
    for path in (old, new):
        path.write_bytes(b"GGUF")
    os.utime(old, (0, 0))
    explorer.load(server + FILE.replace("model", "other"))
    assert (old.exists(), new.exists()) == (False, True), "another process may still write the new one"


def test_other_content_is_read_again(server: str, behavior: Behavior) -> None:
    explorer.load(server + FILE)
    behavior.data = explorer.catalog()["xlm-r"].path.read_bytes()
    behavior.tag = '"other"'
    assert explorer.load(server + FILE).family == "Unigram"


def test_without_a_tag_nothing_is_believed_to_be_the_same(server: str, behavior: Behavior) -> None:
    behavior.tag = ""
    explorer.load(server + FILE)
    behavior.data = explorer.catalog()["xlm-r"].path.read_bytes()
    assert explorer.load(server + FILE).family == "Unigram"


def test_a_small_file_is_kept_whole(server: str, behavior: Behavior) -> None:
    behavior.size = len(behavior.data) + 1000
    (file,) = explorer.load(server + FILE).origin.files
    assert (file.size, file.hashed) == (behavior.size, behavior.size)
    assert file.sha256 != SPM.sha256


def test_a_commit_and_offline_open_what_was_read_without_a_request(
    server: str, behavior: Behavior, monkeypatch: pytest.MonkeyPatch
) -> None:
    fixed = server + FILE.replace("main", COMMIT)
    explorer.load(server + FILE)
    behavior.asked.clear()
    explorer.load(fixed)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert explorer.load(server + FILE).encode("is").ids == [1, 338]
    assert behavior.asked == []
    assert "HF_HUB_OFFLINE" in refused(server + FILE.replace("model", "other"))


def test_the_card_and_the_command_line_name_address_and_commit(server: str, capsys: pytest.CaptureFixture[str]) -> None:
    address = server + FILE
    assert main(["encode", "-m", f"{address}@llama.cpp", "is"]) == 0
    assert capsys.readouterr().out == "1 338\n"
    rows = dict(about(address))
    assert (rows["from"], rows["commit"]) == (address, COMMIT)
    assert rows["size"].startswith("40")
    assert main(["info", "-m", address.replace("/resolve/", "/blob/")]) == 0
    assert COMMIT in capsys.readouterr().out


def test_the_token_goes_to_the_endpoint_alone(server: str, behavior: Behavior, monkeypatch: pytest.MonkeyPatch) -> None:
    storage = Behavior(behavior.data, FORTY_GB)
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    with serving(storage) as address:
        behavior.redirect = f"{address}/storage/abc?signature=1"
        host = address.removeprefix("http://")
        assert f"redirects to {host.partition(':')[0]}, which is not its storage" in refused(server + FILE)
        monkeypatch.setenv("EXPLORER_HUB_STORAGE", host)
        assert explorer.load(server + FILE).encode("is").ids == [1, 338]
    assert {key for *_, key in behavior.asked} == {"Bearer hf_secret"}
    assert len(storage.asked) > 1
    assert {key for *_, key in storage.asked} == {""}
    assert dict(about(str(remote_gguf.own().newest(server + FILE))))["commit"] == COMMIT


ELSEWHERE = [
    "http://127.0.0.1:1/x", "http://169.254.169.254/latest/meta-data", "file:///etc/passwd", "https://example.org/x",
    "//example.org/x", "http://[::1]:9/", "http://user@127.0.0.1/", "ftp://hf.co/x", "http://hf.co/x", "http://[",
    "https://evilhf.co/x", "https://hf.co.example.org/",
]  # fmt: skip


@pytest.mark.parametrize("to", ELSEWHERE)
def test_redirects_to_other_hosts_are_not_followed(server: str, behavior: Behavior, to: str) -> None:
    behavior.redirect = to
    said = refused(server + FILE)
    assert "redirects" in said
    assert len(behavior.asked) <= remote_gguf.REDIRECTS + 1


WRONG = {
    "redirects": "more than 5 times",
    "no part": "another part",
    "other part": "another part",
    "short length": "another part",
    "compressed": "compressed",
    "changed tag": "changed while it was read",
    "changed size": "changed while it was read",
    "whole": "ignores ranges of bytes",
    "cut off": "ended the connection after",
    "closed": "can't be fetched",
    "silent": "in time",
    "drip": "in time",
}
"""What a server does wrong, and what the line says if it does so from the second block on."""


@pytest.mark.parametrize("fault", WRONG)
def test_a_server_that_fails_after_the_first_block_is_one_line(
    server: str, behavior: Behavior, fault: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(remote_gguf, "WAIT", 0.3)
    if fault == "drip":
        monkeypatch.setattr(remote_gguf, "SECONDS", 0.5)
    behavior.fault, behavior.after = fault, 1
    assert WRONG[fault] in refused(server + FILE)
    assert not list(tmp_path.rglob("*.gguf"))
    behavior.fault = ""
    monkeypatch.setattr(remote_gguf, "SECONDS", 60.0)
    assert explorer.load(server + FILE).encode("is").ids == [1, 338]


@pytest.mark.parametrize("fault", [each for each in WRONG if not each.startswith("changed")])
def test_a_server_that_fails_at_once_is_one_line(
    server: str, behavior: Behavior, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote_gguf, "WAIT", 0.3)
    monkeypatch.setattr(remote_gguf, "SECONDS", 2.0)
    behavior.fault = fault
    assert WRONG[fault] in refused(server + FILE)


@pytest.mark.parametrize(
    ("status", "says"),
    [
        (401, "HF_TOKEN"), (403, "HF_TOKEN"), (404, "no such file"), (416, "address"), (429, "in 7 seconds"),
        (500, "status 500"), (302, "more than 5 times"), (503, "status 503"), (204, "status 204"), (418, "status 418"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("after", [0, 1])
def test_each_status_is_one_line(server: str, behavior: Behavior, status: int, says: str, after: int) -> None:
    behavior.fault, behavior.status, behavior.after = "status", status, after
    assert says in refused(server + FILE)


def test_no_network_says_that_what_was_read_opens_offline(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    explorer.load(server + FILE)
    with serving(Behavior(b"", 0)) as gone:
        pass
    monkeypatch.setenv("HF_ENDPOINT", gone)
    said = refused(gone + FILE)
    assert "can't be fetched" in said
    assert "HF_HUB_OFFLINE" not in said
    monkeypatch.setattr(remote_gguf.Heads, "newest", lambda self, url: Path("model.gguf"))
    assert "HF_HUB_OFFLINE=1" in refused(gone + FILE)


@pytest.mark.parametrize(
    "address",
    [
        "https://example.org/org/name/resolve/main/a.gguf", "http://127.0.0.1:1/a.gguf", "{}/../a.gguf",
        "{}/org/%2e%2e/a.gguf", "{}/org/..%2fa.gguf", "{}/org/name/resolve/main/a.safetensors", "{}/a.gguf#x",
        "{}/org/a b.gguf", "{}/org/a\n.gguf", "{}/org/%0a.gguf", "{}/org/a\x1b[2J.gguf", "http://[/a.gguf", "https://",
        "http://user:secret@127.0.0.1/a.gguf", "{}@example.org/a.gguf", "{}/" + "a" * 3000 + ".gguf",
    ],
)  # fmt: skip
def test_hostile_addresses_are_refused_without_a_request(server: str, behavior: Behavior, address: str) -> None:
    said = refused(address.format(server))
    assert said.isprintable()
    assert "secret" not in said
    assert len(said) < 600
    assert behavior.asked == []


def test_what_is_no_gguf_or_has_too_many_keys_is_refused_early(
    server: str, behavior: Behavior, monkeypatch: pytest.MonkeyPatch
) -> None:
    behavior.data = b"PK\3\4"
    assert "not a GGUF file" in refused(server + FILE)
    assert behavior.sent <= remote_gguf.FIRST
    behavior.data = SPM.path.read_bytes()
    monkeypatch.setattr("explorer.formats.gguf.MAX_HEAD", 500_000)
    assert "500000 bytes, the most that is read" in refused(server + FILE)
    assert behavior.sent <= 500_000 + remote_gguf.FIRST * 2


def test_a_damaged_note_or_an_unfinished_file_is_not_opened(server: str, tmp_path: Path) -> None:
    explorer.load(server + FILE)
    note = remote_gguf.own().newest(server + FILE).with_name(remote_gguf.NOTE)
    for content in ("", "[]", "{}", '{"url": 1, "commit": 2, "tag": 3, "size": 4}', "\0"):
        note.write_text(content)
        assert remote_gguf.own().newest(server + FILE) is None
        assert explorer.load(server + FILE).origin.files[0].size == FORTY_GB


def test_the_least_recently_used_are_deleted(
    server: str, behavior: Behavior, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(remote_gguf, "MOST", int(2.5 * len(behavior.data)))
    for name in "abcd":
        explorer.load(server + FILE.replace("model", name))
        time.sleep(0.01)
    assert {path.name for path in tmp_path.rglob("*.gguf")} == {"c.gguf", "d.gguf"}
    notes = [json.loads(path.read_text())["url"][-6:] for path in tmp_path.rglob(remote_gguf.NOTE)]
    assert set(notes) == {"c.gguf", "d.gguf"}


def test_a_disk_without_hard_links_and_another_process_make_no_difference(
    server: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for number, error in enumerate((PermissionError(1, "Operation not permitted"), FileExistsError(17, "File exists"))):

        def link(source: Path, target: Path, error: OSError = error) -> None:
            if isinstance(error, FileExistsError):
                target.write_bytes(source.read_bytes())
            raise error

        monkeypatch.setattr("os.link", link)
        address = server + FILE.replace("model", str(number))
        explorer.load(address)
        monkeypatch.setenv("HF_HUB_OFFLINE", "1")
        assert explorer.load(address.replace("main", COMMIT)).encode("is").ids == [1, 338]
        monkeypatch.delenv("HF_HUB_OFFLINE")
