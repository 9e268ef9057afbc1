"""A name on the Hugging Face Hub: the error says which file to download, or where it is in the cache."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import explorer
from explorer.cli.main import main
from explorer.opening import hub
from tests.meaning import mentions


@pytest.fixture(autouse=True)
def _no_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def snapshot(hub_folder: Path, *files: str, commit: str = "abc", time: int = 1) -> Path:
    folder = hub_folder / "models--meta-llama--Llama-3.1-8B" / "snapshots" / commit
    folder.mkdir(parents=True)
    for file in files:
        (folder / file).write_text('{"model": {"type": "BPE", "vocab": {"a": 0}, "merges": []}}')
    os.utime(folder, (time, time))
    return folder


@pytest.mark.parametrize("spec", ["meta-llama/Llama-3.1-8B", "meta-llama/Llama-3.1-8B@huggingface"])
def test_a_hub_name_says_which_file_to_download_and_its_usual_path(spec: str, tmp_path: Path) -> None:
    with pytest.raises(explorer.InputError) as error:
        explorer.load(spec)
    said = str(error.value)
    assert "\n" not in said
    assert mentions(said, "download tokenizer.json (or tokenizer.model)")
    assert "https://huggingface.co/meta-llama/Llama-3.1-8B/tree/main" in said
    usual = "huggingface/hub/models--meta-llama--Llama-3.1-8B/snapshots/*/tokenizer.json"
    assert said.endswith(str(tmp_path / usual))


@pytest.mark.parametrize("variable", ["HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME"])
def test_a_cached_snapshot_is_named_and_opens(variable: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(variable, str(tmp_path))
    below = {"HF_HOME": "hub", "XDG_CACHE_HOME": "huggingface/hub"}.get(variable, "")
    older = snapshot(tmp_path / below, "tokenizer.json", time=1)
    newer = snapshot(tmp_path / below, "tokenizer.json", commit="def", time=2)
    snapshot(tmp_path / below, "config.json", commit="without a vocabulary", time=3)
    with pytest.raises(explorer.InputError, match="in your cache") as error:
        explorer.load("meta-llama/Llama-3.1-8B")
    assert str(newer) in str(error.value)
    assert str(older) not in str(error.value)
    assert explorer.load(newer).encode("a").ids == [0]


@pytest.mark.parametrize("spec", ["lama-2", "x/y/z", "./mine", "/a/b", "models/tokenizer.json", "a b/c", "nothing"])
def test_other_names_are_not_hub_names(spec: str) -> None:
    with pytest.raises(explorer.InputError) as error:
        explorer.load(spec)
    assert "huggingface.co" not in str(error.value)


def test_a_missing_file_in_an_existing_folder_is_not_a_hub_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models").mkdir()
    assert not hub.is_repository("models/mine")
    assert hub.is_repository("others/mine")


def test_the_app_does_not_start_with_a_hub_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["app", "--tokenizer", "meta-llama/Llama-3.1-8B"]) == 1
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1
    assert mentions(said, "--tokenizer takes the path of a file or folder, and 'meta-llama/Llama-3.1-8B' is neither; ")
    assert mentions(
        said, "download tokenizer.json (or tokenizer.model) from https://huggingface.co/meta-llama/Llama-3.1-8B"
    )
