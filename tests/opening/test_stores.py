"""Models that other programs keep: found by their manifests; what a hostile store names is refused in one line."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import pytest

import explorer
from explorer.analysis.card import about
from explorer.cli.main import main
from explorer.corpus.counter import chosen
from explorer.errors import InputError
from explorer.opening import model_names

GGUF = explorer.catalog()["llama-2"].path
DIGEST = "ab" * 32


@pytest.fixture(autouse=True)
def _home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("OLLAMA_MODELS", "LLAMA_CACHE", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(model_names, "SYSTEM", tmp_path / "nothing")


def refused(name: str) -> str:
    with pytest.raises(InputError) as error:
        explorer.load(name)
    said = str(error.value)
    assert said.isprintable()
    assert len(said) < 800
    return said


def put(path: Path, target: Path = GGUF) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target) if target != GGUF else path.write_bytes(GGUF.read_bytes())
    return path


def ollama(
    store: Path, name: str, digest: object = f"sha256:{DIGEST}", layer: Mapping[str, str] = MappingProxyType({})
) -> Path:
    path = store / "manifests" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    layers = [
        {"mediaType": "application/vnd.ollama.image.template", "digest": "sha256:" + "00" * 32, "size": 5},
        {"mediaType": "application/vnd.ollama.image.model", "digest": digest, "size": 5, **layer},
    ]
    path.write_text(json.dumps({"schemaVersion": 2, "layers": layers}))
    return path


@pytest.mark.parametrize(
    ("manifest", "name"),
    [
        ("registry.ollama.ai/library/llama3.2/latest", "llama3.2"),
        ("registry.ollama.ai/library/llama3.2/1b", "llama3.2:1b"),
        ("registry.ollama.ai/me/mine/latest", "me/mine"),
        ("hf.co/org/name-GGUF/Q4_K_M", "hf.co/org/name-GGUF:Q4_K_M"),
    ],
)
@pytest.mark.parametrize("variable", [True, False])
def test_ollama(manifest: str, name: str, variable: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = tmp_path / ("own" if variable else ".ollama/models")
    if variable:
        monkeypatch.setenv("OLLAMA_MODELS", str(store))
    ollama(store, manifest)
    blob = put(store / "blobs" / f"sha256-{DIGEST}")
    tok = explorer.load(f"ollama:{name}")
    assert tok.encode("is").ids == [1, 338]
    assert tok.name == f"ollama:{name}"
    assert any("Ollama" in fact.says and "template" in fact.says for fact in tok.facts)
    assert explorer.load(f"ollama:{name}@llama.cpp").name == tok.name
    assert dict(about(f"ollama:{name}"))["file"] == str(blob)
    assert f"ollama:{name}" in refused("ollama:other")


def test_a_model_of_ollama_in_other_files_opens_by_its_tokenizer(tmp_path: Path) -> None:
    store = tmp_path / ".ollama/models"
    layer = {"mediaType": "application/vnd.ollama.image.json", "name": "tokenizer.json"}
    ollama(store, "registry.ollama.ai/library/mlx/latest", layer=layer)
    (store / "blobs").mkdir()
    (store / "blobs" / f"sha256-{DIGEST}").write_bytes(explorer.catalog()["gpt-2"].path.read_bytes())
    assert explorer.load("ollama:mlx").encode("is").ids == explorer.load("gpt-2").encode("is").ids


@pytest.mark.parametrize(
    "name",
    [
        "ollama:", "ollama:..", "ollama:../../etc/passwd", "ollama:a/../b", "ollama:/etc/passwd", "ollama:a:b:c",
        "ollama:a\nb", "ollama:a\0b", "ollama:a/b/c/d", "ollama:" + "a" * 200, "ollama:a:../b", "ollama:é",
        "llama.cpp:", "llama.cpp:a", "llama.cpp:../..", "llama.cpp:a/b:../c", "llama.cpp:a/b/c", "llama.cpp:a/\x1b[2J",
        "lmstudio:", "lmstudio:a", "lmstudio:../..", "lmstudio:a/../../b", "lmstudio:a/b/c/d/e", "lmstudio://etc/passwd",
    ],
)  # fmt: skip
def test_names_that_leave_a_store_are_refused(name: str) -> None:
    assert "this is not a name of" in refused(name)


@pytest.mark.parametrize(
    "digest",
    ["sha256:../../../etc/passwd", "sha256:" + "AB" * 32, "md5:" + DIGEST, "", None, 3, [DIGEST], f"sha256:{DIGEST}/..",
     "sha256:" + "a\n" * 32],
)  # fmt: skip
def test_a_manifest_names_only_blobs(digest: object, tmp_path: Path) -> None:
    ollama(tmp_path / ".ollama/models", "registry.ollama.ai/library/x/latest", digest)
    assert "which is no digest" in refused("ollama:x")


DAMAGED = ["", "[]", "3", "{}", '{"layers": 1}', '{"layers": [1, null, []]}', "\0", "{" * 5000, '{"layers": [{}]}']


@pytest.mark.parametrize("content", DAMAGED)
def test_a_damaged_manifest_is_one_line(content: str, tmp_path: Path) -> None:
    ollama(tmp_path / ".ollama/models", "registry.ollama.ai/library/x/latest").write_text(content)
    assert "manifest" in refused("ollama:x")


def test_a_huge_manifest_and_a_pipe_are_not_read(tmp_path: Path) -> None:
    path = ollama(tmp_path / ".ollama/models", "registry.ollama.ai/library/x/latest")
    with path.open("wb") as file:
        file.truncate(1 << 36)
    assert "larger than" in refused("ollama:x")
    path.unlink()
    os.mkfifo(path)
    assert "it is not in" in refused("ollama:x")


def test_links_out_of_a_store_are_refused(tmp_path: Path) -> None:
    store = tmp_path / ".ollama/models"
    outside = tmp_path / "outside.gguf"
    outside.write_bytes(GGUF.read_bytes())
    ollama(store, "registry.ollama.ai/library/x/latest")
    blob = put(store / "blobs" / f"sha256-{DIGEST}", outside)
    assert "leads out of the store" in refused("ollama:x")
    blob.unlink()
    blob.symlink_to(blob.name)
    assert "can't be read" in refused("ollama:x")
    blob.unlink()
    assert "can't be read" in refused("ollama:x")
    secret = tmp_path / "secret"
    secret.write_text("{}")
    (store / "manifests/registry.ollama.ai/library/x/latest").unlink()
    put(store / "manifests/registry.ollama.ai/library/x/latest", secret)
    assert "leads out of the store" in refused("ollama:x")
    put(tmp_path / ".lmstudio/models/a/b/c.gguf", outside)
    assert "leads out of the store" in refused("lmstudio:a/b")


def test_a_store_may_itself_be_a_link(tmp_path: Path) -> None:
    real = tmp_path / "disk"
    ollama(real, "registry.ollama.ai/library/x/latest")
    put(real / "blobs" / f"sha256-{DIGEST}")
    (tmp_path / ".ollama").mkdir()
    (tmp_path / ".ollama/models").symlink_to(real)
    assert explorer.load("ollama:x").encode("is").ids == [1, 338]


def test_llama_cpps_flat_cache_and_its_manifests(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cache = tmp_path / ".cache/llama.cpp"
    put(cache / "org_name_sub_model-Q4_K_M.gguf")
    put(cache / "org_name_mmproj-model-f16.gguf")
    note = cache / "manifest=org=name=latest.json"
    note.write_text(json.dumps({"ggufFile": {"rfilename": "sub/model-Q4_K_M.gguf"}}))
    for name in ("llama.cpp:org/name", "llama.cpp:org/name:q4_k_m", "llama.cpp:org/name@llama.cpp"):
        assert explorer.load(name).encode("is").ids == [1, 338]
    assert main(["encode", "-m", "llama.cpp:org/name", "is"]) == 0
    assert capsys.readouterr().out == "1 338\n"
    assert "llama.cpp:org/name" in refused("llama.cpp:org/other")
    assert "not in" in refused("llama.cpp:org/name:Q8_0")
    for file in ("../../../etc/passwd", "../x.gguf", "missing.gguf", 3, None, "a\nb.gguf"):
        note.write_text(json.dumps({"ggufFile": {"rfilename": file}}))
        refused("llama.cpp:org/name")


@pytest.mark.parametrize("variable", ["LLAMA_CACHE", "HF_HUB_CACHE", ""])
def test_llama_cpps_files_in_the_hubs_layout(variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = tmp_path / ("own" if variable else ".cache/huggingface/hub")
    if variable:
        monkeypatch.setenv(variable, str(cache))
    repository = cache / "models--org--name"
    put(repository / "blobs/1")
    for file in ("model-Q4_K_M-00001-of-00002.gguf", "model-Q4_K_M-00002-of-00002.gguf", "mmproj-F16.gguf"):
        put(repository / "snapshots" / ("c" * 40) / file, Path("../../blobs/1"))
    assert explorer.load("llama.cpp:org/name").encode("is").ids == [1, 338]
    put(repository / "snapshots" / ("c" * 40) / "model-Q8_0.gguf", Path("../../blobs/1"))
    assert "model-Q8_0.gguf" in refused("llama.cpp:org/name")
    assert explorer.load("llama.cpp:org/name:Q8_0").name == "llama.cpp:org/name:Q8_0"
    assert explorer.load("llama.cpp:org/name:Q4_K_M").encode("is").ids == [1, 338]


@pytest.mark.parametrize("place", [".lmstudio/models", "pointed/models", ".cache/lm-studio/models", "elsewhere"])
def test_lm_studio(place: str, tmp_path: Path) -> None:
    store = tmp_path / place
    put(store / "infra-ai/ocelot-v1/ocelot-v1-q4_0.gguf")
    if place.startswith("pointed"):
        (tmp_path / ".lmstudio-home-pointer").write_text(f"{tmp_path / 'pointed'}\n")
    if place == "elsewhere":
        (tmp_path / ".lmstudio").mkdir()
        (tmp_path / ".lmstudio/settings.json").write_text(json.dumps({"downloadsFolder": str(store)}))
    assert explorer.load("lmstudio:infra-ai/ocelot-v1").encode("is").ids == [1, 338]
    assert explorer.load("lmstudio:infra-ai/ocelot-v1/ocelot-v1-q4_0.gguf").encode("is").ids == [1, 338]
    put(store / "infra-ai/ocelot-v1/ocelot-v1-q8_0.gguf")
    assert "ocelot-v1-q8_0.gguf" in refused("lmstudio:infra-ai/ocelot-v1")
    assert "lmstudio:infra-ai/ocelot-v1" in refused("lmstudio:infra-ai/other")
    folder = store / "mlx/small"
    folder.mkdir(parents=True)
    (folder / "tokenizer.json").write_bytes(explorer.catalog()["gpt-2"].path.read_bytes())
    assert explorer.load("lmstudio:mlx/small").encode("is").ids == explorer.load("gpt-2").encode("is").ids


def test_a_file_of_such_a_name_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    put(tmp_path / "ollama:mine")
    assert explorer.load("ollama:mine").name == "ollama:mine"
    assert explorer.load("ollama:mine@llama.cpp").encode("is").ids == [1, 338]


def test_results_of_a_corpus_call_a_model_by_its_name_in_the_store(tmp_path: Path) -> None:
    store = tmp_path / ".ollama/models"
    ollama(store, "registry.ollama.ai/library/x/latest")
    blob = put(store / "blobs" / f"sha256-{DIGEST}")
    model, other = chosen(["ollama:x@llama.cpp", "gpt-4"], {})
    assert (model.name, model.spec) == ("ollama:x", f"{blob}@llama.cpp")
    assert other.name == ""
