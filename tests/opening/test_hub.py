"""A model by its name on the Hub: the real client against a server of the tests' own, with every fault."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

import explorer
from explorer.analysis.card import about
from explorer.analysis.export import Provenance
from explorer.cli.main import main
from explorer.opening.hub import client, fetching, names
from explorer.opening.hub.fetching import HubError, Step
from explorer.opening.hub.names import HubName
from tests.meaning import mentions
from tests.opening.hub_server import HOSTILE, Hub

pytestmark = [pytest.mark.xdist_group("hub"), pytest.mark.usefixtures("cache")]  # the client is imported once
TINY = {"added_tokens": [], "model": {"type": "BPE", "vocab": {"h": 0, "i": 1, "hi": 2}, "merges": ["h i"]}}
SMALL = json.dumps(TINY).encode()
LARGE = SMALL + b" " * 700_000
SETTINGS = b'{"tokenizer_class": "PreTrainedTokenizerFast"}'
FILES = {
    "README.md": b"# a model",
    "config.json": b'{"vocab_size": 3}',
    "model.safetensors": bytes(5000),
    "tokenization_own.py": b"raise SystemExit",
    "tokenizer.json": LARGE,
    "tokenizer_config.json": SETTINGS,
}


def in_cache(cache: Path) -> set[str]:
    """The files of snapshots, by their path in the repository."""
    return {path.relative_to(each).as_posix() for each in cache.glob("*/snapshots/*") for path in each.rglob("*")}


def refusal(spec: str) -> HubError:
    with pytest.raises(HubError) as error:
        explorer.load(spec)
    said = str(error.value)
    assert len(said.splitlines()) == 1
    assert said.isprintable()
    assert "; " in said, "what happened; what to do"
    return error.value


# --- what is fetched --------------------------------------------------------------------------------------------------


def test_a_name_opens_with_its_tokenizers_files_alone(hub: Hub, cache: Path, here: None) -> None:
    commit = hub.put("org/name", FILES)
    tok = explorer.load("org/name")
    assert (tok.name, tok.encode("hi").ids) == ("org/name", [2])
    assert in_cache(cache) == {"config.json", "tokenizer.json", "tokenizer_config.json"}
    assert tok.origin.repository == f"org/name@{commit}"
    assert not [path for path in hub.asked("GET") if path.endswith((".safetensors", ".py", ".md"))]


def test_the_commit_is_part_of_provenance_and_card(hub: Hub, here: None) -> None:
    commit = hub.put("org/name", FILES)
    made = Provenance.of([explorer.load("org/name")], "hi", None)
    wanted = f"org/name@{commit}"
    assert made.record()["tokenizers"][0]["repository"] == wanted
    assert wanted in "\n".join(made.lines())
    assert wanted in made.columns([["token"], [1]])[1]
    assert wanted in dict(about("org/name"))["from"]
    bundled = Provenance.of([explorer.load("gpt-2")], "hi", None)
    assert "repository" not in bundled.record()["tokenizers"][0]


def test_the_name_and_the_folder_of_the_cache_are_one_tokenizer(hub: Hub, cache: Path, here: None) -> None:
    commit = hub.put("org/name", FILES)
    by_name = explorer.load("org/name")
    by_path = explorer.load(cache / "models--org--name" / "snapshots" / commit)
    assert (by_name.name, by_name.origin) == (by_path.name, by_path.origin)


def test_what_is_in_the_cache_opens_without_a_request(hub: Hub, here: None, monkeypatch: pytest.MonkeyPatch) -> None:
    commit = hub.put("org/name", {"tokenizer.json": SMALL})
    explorer.load("org/name")
    hub.requests.clear()
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    for spec in ("org/name", f"org/name@{commit}", "org/name:tokenizer.json", "org/name@huggingface"):
        assert explorer.load(spec).encode("hi").ids == [2]
    assert hub.requests == []


def test_a_revision_is_fetched_as_such(hub: Hub, here: None) -> None:
    other = {"added_tokens": [], "model": {"type": "BPE", "vocab": {"h": 0, "i": 1}, "merges": []}}
    old = hub.put("org/name", {"tokenizer.json": json.dumps(other).encode()}, "v1")
    hub.put("org/name", {"tokenizer.json": SMALL})
    for spec, ids in (("org/name", [2]), ("org/name@v1", [0, 1]), (f"org/name@{old}", [0, 1])):
        assert explorer.load(spec).encode("hi").ids == ids


def test_a_moved_branch_keeps_the_commit_in_the_cache(hub: Hub, here: None) -> None:
    old = hub.put("org/name", {"tokenizer.json": SMALL})
    explorer.load("org/name")
    new = hub.put("org/name", {"tokenizer.json": LARGE})
    assert explorer.load("org/name").origin.repository == f"org/name@{old}"
    assert explorer.load(f"org/name@{new}").origin.repository == f"org/name@{new}"


def test_a_newer_commit_comes_when_it_is_asked_for(
    hub: Hub, here: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    old = hub.put("org/name", {"tokenizer.json": SMALL})
    assert main(["models", "--refresh", "org/name"]) == 0
    assert old in capsys.readouterr().out
    new = hub.put("org/name", {"tokenizer.json": LARGE})
    assert main(["info", "-m", "org/name"]) == 0
    said = capsys.readouterr().out
    assert old in said
    assert "main as of" in said
    assert "--refresh org/name" in said
    for before, now in ((old, new), (new, new)):
        assert main(["models", "--refresh", "org/name"]) == 0
        said = capsys.readouterr().out
        assert {each for each in (old, new) if each in said} == {before, now}
        assert explorer.load("org/name").origin.repository == f"org/name@{new}"
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    for wrong in ("org/name", f"org/name@{new}", "name", "gpt-2", "a\x1bb/c"):
        assert main(["models", "--refresh", wrong]) == 1
        out, err = capsys.readouterr()
        assert out == ""
        assert len(err.splitlines()) == 1
        assert err.strip().isprintable()
        assert "; " in err


def test_a_new_commit_that_cant_be_fetched_leaves_what_is_there(hub: Hub, here: None) -> None:
    old = hub.put("org/name", FILES)
    explorer.load("org/name")
    hub.put("org/name", FILES | {"tokenizer.json": LARGE + b" "})
    hub.fault = "cut off"
    with pytest.raises(HubError):
        fetching.fetched(HubName("org/name"))
    assert explorer.load("org/name").origin.repository == f"org/name@{old}"


def test_what_a_killed_client_left_unfinished_is_removed_later(hub: Hub, here: None, cache: Path) -> None:
    hub.put("org/name", FILES)
    folder = cache / "models--org--name" / "blobs"
    folder.mkdir(parents=True)
    left = {name: folder / name for name in ("a.01234567.incomplete", "b.01234567.incomplete", "c.incomplete")}
    for name, path in left.items():
        path.write_bytes(b"x")
        if name != "b.01234567.incomplete":
            os.utime(path, (0, 0))
    explorer.load("org/name")
    assert [name for name, path in left.items() if path.exists()] == ["b.01234567.incomplete", "c.incomplete"]


def test_no_error_quotes_a_password_of_the_endpoint(hub: Hub, here: None, monkeypatch: pytest.MonkeyPatch) -> None:
    hub.put("org/name", {"tokenizer.json": SMALL})
    monkeypatch.setenv("HF_ENDPOINT", hub.endpoint.replace("://", "://me:secret@"))
    hub.fault = "gated"
    for spec in ("org/name", "org/name:none.json", "org/name:a.gguf", "https://you:secret@huggingface.co/a/b.gguf"):
        with pytest.raises(explorer.InputError) as error:
            explorer.load(spec)
        assert "secret" not in str(error.value)


def test_a_file_and_a_folder_of_a_repository(hub: Hub, cache: Path, here: None) -> None:
    vocab = {"sub/vocab.json": b'{"h": 0, "i": 1, "hi": 2}', "sub/merges.txt": b"#version: 0.2\nh i\n"}
    settings = {"sub/tokenizer_config.json": b'{"tokenizer_class": "GPT2Tokenizer"}'}
    hub.put("org/name", {**vocab, **settings, "tokenizer.json": SMALL, "own.bin": b"x"})
    assert explorer.load("org/name:sub/vocab.json").encode("hi").ids == [2]
    assert in_cache(cache) == {"sub", *vocab}
    assert explorer.load("org/name:sub").origin.files[0].name == "vocab.json"
    assert refusal("org/name:own.bin").kind == "no tokenizer"
    assert refusal("org/name:none").kind == "no file"


def test_a_model_without_a_vocabulary_of_a_usual_name(hub: Hub, here: None, cache: Path) -> None:
    hub.put("org/ranks", {"own.tiktoken": b"aA== 0\naQ== 1\naGk= 2\n", "NOTICE.txt": b"x", "data.json": b"{}"})
    with pytest.raises(explorer.ChoiceNeeded):
        explorer.load("org/ranks")
    assert in_cache(cache) == {"own.tiktoken"}
    hub.put("org/weights", {"model.safetensors": b"x"})
    assert refusal("org/weights").kind == "no tokenizer"
    hub.put("org/gguf", {"a-q4.gguf": b"GGUF", "a-q8.gguf": b"GGUF"})
    found = refusal("org/gguf")
    assert found.kind == "gguf"
    assert "a-q4.gguf, a-q8.gguf" in str(found)


def test_settings_come_before_the_vocabulary_and_the_branch_last() -> None:
    found = client.wanted(
        ["vocab.json", "merges.txt", *FILES, "chat_template.jinja", "additional_chat_templates/a.jinja"]
    )
    assert found == [
        "tokenizer_config.json", "config.json", "chat_template.jinja", "additional_chat_templates/a.jinja",
        "merges.txt",
        "vocab.json", "tokenizer.json",
    ]  # fmt: skip


def test_a_folder_that_another_program_left_half_fetched_is_completed(hub: Hub, cache: Path, here: None) -> None:
    commit = hub.put("org/name", FILES)
    folder = cache / "models--org--name"
    (folder / "snapshots" / commit).mkdir(parents=True)
    (folder / "refs").mkdir()
    (folder / "refs" / "main").write_text(commit)
    (folder / "snapshots" / commit / "tokenizer.json").write_bytes(LARGE)
    assert explorer.load("org/name").origin.files[1].name == "tokenizer_config.json"


def test_the_token_of_the_environment_is_sent_to_the_endpoint_alone(
    hub: Hub, here: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    hub.put("org/name", FILES)
    explorer.load("org/name")
    with_token = {path for _, path, headers in hub.requests if "hf_secret" in str(headers)}
    assert with_token
    assert not [path for path in with_token if path.startswith("/storage/")]
    hub.requests.clear()
    fetching.fetched(HubName("org/name"), token=False)
    assert hub.requests
    assert "hf_secret" not in str(hub.requests)


def test_progress_is_reported(hub: Hub, here: None) -> None:
    hub.put("org/name", FILES)
    steps: list[Step] = []
    fetching.fetched(HubName("org/name"), progress=steps.append)
    total = sum(len(FILES[name]) for name in ("config.json", "tokenizer.json", "tokenizer_config.json"))
    assert (steps[0].read, steps[-1]) == (0, Step(total, total, "tokenizer.json"))
    assert [step.read for step in steps] == sorted(step.read for step in steps)
    assert len(steps) > 4


def test_a_search_finds_names(hub: Hub, here: None) -> None:
    for name in ("org/qwen", "x/qwen-2", "org/other", "org/..qwen"):
        hub.put(name, FILES)
    assert fetching.search("qwen", seconds=9, check_wanted=lambda: None) == ["org/qwen", "x/qwen-2"]


# --- what goes wrong --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "kind", "says"),
    [
        ("busy", "busy", "30 seconds"),
        ("broken", "broken", "503"),
        ("slow", "slow", "127.0.0.1"),
        ("no hub", "unusable", "HF_ENDPOINT"),
        ("token", "token", "HF_TOKEN"),
        ("forbidden", "forbidden", "HF_TOKEN"),
        ("gated", "gated", "HF_TOKEN"),
        ("gone", "changed", ""),
        ("moved on", "changed", "tokenizer_config.json"),
        ("cut off", "cut off", "127.0.0.1"),
        ("wrong length", "cut off", "127.0.0.1"),
        ("other content", "changed", "tokenizer.json"),
        ("states large", "large", "200.0 MB"),
        ("hostile etag", "unusable", "HF_ENDPOINT"),
        ("hostile commit", "unusable", "HF_ENDPOINT"),
        ("endless list", "large", "200.0 MB"),
        ("endless", "changed", "tokenizer.json"),
        ("compressed", "compressed", "tokenizer.json"),
    ],
)
def test_each_outcome_is_one_line_and_nothing_half_written_opens(
    fault: str, kind: str, says: str, hub: Hub, cache: Path, here: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.put("org/name", FILES)
    hub.fault = fault
    with monkeypatch.context() as once:
        if fault == "slow":  # a busy machine is slow too: the others wait as long as visitors do
            once.setattr(client, "WAIT", 0.5)
        found = refusal("org/name")
    assert found.kind == kind
    assert not says or mentions(str(found), says)
    assert "tokenizer.json" not in in_cache(cache)
    assert sum(path.stat().st_size for path in cache.rglob("*") if path.is_file()) < 10_000
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert refusal("org/name").kind == "offline"
    monkeypatch.delenv("HF_HUB_OFFLINE")
    hub.fault = ""
    assert explorer.load("org/name").encode("hi").ids == [2]


def test_a_connection_that_ends_goes_on_where_it_was(hub: Hub, here: None) -> None:
    hub.put("org/name", FILES)
    hub.fault = "cut off once"
    assert explorer.load("org/name").encode("hi").ids == [2]
    assert [headers["Range"] for _, _, headers in hub.requests if "Range" in headers]


@pytest.mark.parametrize("spec", ["org/none", "org/name@none", f"org/name@{'0' * 40}"])
def test_a_model_and_a_revision_that_are_not_there(spec: str, hub: Hub, here: None) -> None:
    hub.put("org/name", FILES)
    assert refusal(spec).kind == ("missing" if spec == "org/none" else "no revision")


def test_without_a_network(here: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert refusal("org/name").kind == "unreachable"
    assert main(["encode", "-m", "org/name", "hi"]) == 1


def test_offline_names_the_commits_that_the_cache_has(
    hub: Hub, cache: Path, here: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = hub.put("org/name", FILES)
    explorer.load(f"org/name@{commit}")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert f"org/name@{commit}" in str(refusal("org/name"))


def test_without_the_client(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "find_spec", lambda name: None)
    assert mentions(str(refusal("org/name")), "pip install huggingface_hub")


def test_a_full_disk(hub: Hub, here: None, cache: Path) -> None:
    hub.put("org/name", FILES)
    cache.parent.mkdir(exist_ok=True)
    cache.write_text("no folder")
    assert refusal("org/name").kind == "disk"


# --- hostile ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "target",
    [
        "http://127.0.0.1:9/secret",
        "http://169.254.169.254/latest/meta-data",
        "http://localhost:9/x",
        "file:///etc/passwd",
        "https://huggingface.co.evil.example/x",
        "https://user@huggingface.co/x",
        "http://[::1]:9/x",
    ],
)
def test_a_redirect_to_another_host_is_refused(target: str, hub: Hub, here: None, cache: Path) -> None:
    hub.put("org/name", FILES)
    hub.fault, hub.target = "elsewhere", target
    found = refusal("org/name")
    assert found.kind == "elsewhere"
    assert not in_cache(cache)


def test_a_redirect_within_a_request_is_checked_too(hub: Hub, here: None, cache: Path) -> None:
    assert not client.allowed("http://127.0.0.1:9/", hub.endpoint, (hub.storage,))
    assert client.allowed(f"http://{hub.storage}/a", hub.endpoint, (hub.storage,))
    assert not client.allowed("https://cdn.hf.co:22/", "https://huggingface.co", client.STORAGE)


@pytest.mark.parametrize(
    "spec",
    [
        "org/name@../../etc", "org/name:../../etc/passwd", "org/name:/etc/passwd", "org/name@a\x1b[31m",
        "org/name:a\nb",
        "org/name@", "org/name:", "org/name@a//b", "org/name:a\\b", "org/name@x.lock", "org/name:a:b",
    ],
)  # fmt: skip
def test_a_name_that_could_leave_its_folder_is_refused(spec: str, hub: Hub) -> None:
    with pytest.raises(explorer.InputError) as error:
        explorer.load(spec)
    assert str(error.value).isprintable()
    assert hub.requests == []


@pytest.mark.parametrize(
    "spec", ["org/..name", "org/a--b", "o\x1brg/name", "https://x.example/a", "org/name.git", "x/-"]
)
def test_what_is_no_name_is_never_asked_for(spec: str, hub: Hub) -> None:
    with pytest.raises(explorer.InputError):
        explorer.load(spec)
    assert hub.requests == []


def test_hostile_paths_in_a_list_are_left_out(hub: Hub, here: None, cache: Path) -> None:
    hub.put("org/name", FILES)
    hub.fault = "hostile names"
    assert explorer.load("org/name").encode("hi").ids == [2]
    assert not [name for name in HOSTILE if names.is_path(name) and "additional" not in name]
    assert not [path for path in hub.asked("GET") if ".." in path or "%1B" in path]
    assert in_cache(cache) == {"config.json", "tokenizer.json", "tokenizer_config.json"}


# --- the process of its own -------------------------------------------------------------------------------------------


def test_the_command_line_fetches_and_opens(hub: Hub, cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hub.put("org/name", FILES)
    assert main(["encode", "-m", "org/name", "hi"]) == 0
    assert capsys.readouterr().out == "2\n"
    assert in_cache(cache) == {"config.json", "tokenizer.json", "tokenizer_config.json"}
    hub.fault = "gated"
    assert main(["encode", "-m", "org/name@v2", "hi"]) == 1
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_lint_and_edit_and_the_app_take_a_name(
    hub: Hub, here: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, cache: Path
) -> None:
    commit = hub.put("org/name", FILES)
    main(["lint", "org/name"])
    assert capsys.readouterr().out.startswith("org/name: ")
    assert main(["edit", "-m", "org/name", "--add", "<x>", "--output", str(cache.parent / "own.json")]) == 0
    started: list[list[str]] = []
    monkeypatch.setattr("runpy.run_module", lambda *args, **more: started.append(sys.argv))
    monkeypatch.setattr(sys, "argv", ["explorer"])
    assert main(["app", "--tokenizer", "org/name", "--hub", "off"]) == 0
    assert f"--tokenizer={cache}/models--org--name/snapshots/{commit}" in started[0]
    assert "--hub=off" in started[0]
    hub.fault = "gated"
    assert main(["app", "--tokenizer", "org/other"]) == 1
    assert len(started) == 1


@pytest.mark.long
def test_a_fetch_that_takes_too_long_or_is_not_wanted_leaves_no_process(hub: Hub, cache: Path) -> None:
    hub.put("org/name", FILES)
    hub.fault = "dripping"
    with pytest.raises(HubError) as error:
        fetching.fetched(HubName("org/name"), seconds=3)
    assert error.value.kind == "late"

    class Overtaken(Exception):
        pass

    def check_wanted() -> None:
        if hub.asked("GET"):
            raise Overtaken

    hub.requests.clear()
    with pytest.raises(Overtaken):
        fetching.fetched(HubName("org/name"), check_wanted=check_wanted)
    if sys.platform == "linux":
        own = [path.read_text() for path in Path("/proc/self/task").glob("*/children")]
        for each in " ".join(own).split():
            with suppress(OSError):  # a process of another test may end now
                assert b"hub.client" not in Path(f"/proc/{each}/cmdline").read_bytes()
    assert "tokenizer.json" not in in_cache(cache)


def test_importing_and_opening_what_is_there_imports_no_client() -> None:
    code = (
        "import sys, explorer; explorer.load('gpt-2'); "
        "print([each for each in sys.modules if 'hub' in each and 'explorer' not in each or each.endswith('fetching')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout == b"[]\n"


# --- the cache --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variable", ["HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME"])
def test_the_cache_is_where_the_client_has_it(variable: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("HF_HUB_CACHE", "HF_HOME"):
        monkeypatch.delenv(name)
    monkeypatch.setenv(variable, str(tmp_path))
    below = {"HF_HOME": "hub", "XDG_CACHE_HOME": "huggingface/hub"}.get(variable, "")
    folder = tmp_path / below / "models--org--name"
    snapshot = folder / "snapshots" / ("a" * 40)
    snapshot.mkdir(parents=True)
    for name, data in FILES.items():
        (snapshot / name).write_bytes(data)
    assert names.cached(HubName("org/name")) is None, "no branch has that commit"
    (folder / "refs").mkdir()
    (folder / "refs" / "main").write_text("a" * 40)
    assert explorer.load("org/name").encode("hi").ids == [2]


@pytest.mark.parametrize("spec", ["lama-2", "x/y/z", "./mine", "/a/b", "models/tokenizer.json", "a b/c", "nothing"])
def test_other_names_are_not_hub_names(spec: str, hub: Hub) -> None:
    with pytest.raises(explorer.InputError):
        explorer.load(spec)
    assert hub.requests == []


def test_a_missing_file_in_an_existing_folder_is_not_a_hub_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models").mkdir()
    assert not names.is_repository("models/mine")
    assert names.is_repository("others/mine")


def test_a_path_object_is_not_a_hub_name(hub: Hub) -> None:
    with pytest.raises(explorer.InputError):
        explorer.load(Path("org/name"))
    assert hub.requests == []
