"""Every tokenizer below a folder, whoever made the folder; a hostile one is walked within bounds."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import explorer
from explorer.cli.main import main
from explorer.errors import InputError
from explorer.formats import gguf
from explorer.opening import model_names
from explorer.opening.model_names import fingerprint, tokenizers_below

COMMIT = "c" * 40
VOCABS = explorer.catalog()["llama-2"].path.parent
GGUF = explorer.catalog()["llama-2"].path


def toy(**model: object) -> bytes:
    """A tokenizer.json of one token."""
    return json.dumps({"added_tokens": [], "model": {"type": "BPE", "vocab": {"a": 0}, "merges": [], **model}}).encode()


def put(path: Path, data: bytes | Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(data, Path):
        path.symlink_to(data)
    else:
        path.write_bytes(data)
    return path


def quantized(name: str) -> bytes:
    """The same vocabulary in the file of another quantization."""
    head = gguf.pairs(GGUF.read_bytes())
    return gguf.file(head._replace(pairs=(gguf.text("general.own", name), *head.pairs)))


def below_of(folder: Path) -> tuple[list[str], list[str]]:
    problems: list[str] = []
    return [place.name for place in tokenizers_below(folder, problems)], problems


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = main(arguments)
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_the_hubs_cache(tmp_path: Path) -> None:
    repository = tmp_path / "models--org--name"
    put(repository / "blobs/1", toy())
    put(repository / "blobs/2", b"{}")
    put(repository / "blobs/3.gguf", GGUF.read_bytes())
    put(repository / f"snapshots/{COMMIT}/tokenizer.json", Path("../../blobs/1"))
    put(repository / f"snapshots/{COMMIT}/tokenizer_config.json", Path("../../blobs/2"))
    put(tmp_path / f"models--org--gguf/snapshots/{COMMIT}/q4.gguf", GGUF.read_bytes())
    (tmp_path / "models--org--gguf/blobs").mkdir()
    assert below_of(tmp_path) == (
        [f"models--org--gguf/snapshots/{COMMIT}/q4.gguf", f"org/name@{COMMIT}"], []
    )  # fmt: skip


def test_a_store_of_ollama(tmp_path: Path) -> None:
    digest = "ab" * 32
    layers = [{"mediaType": "application/vnd.ollama.image.model", "digest": f"sha256:{digest}"}]
    for name in ("llama3.2/latest", "llama3.2/1b"):
        put(tmp_path / "manifests/registry.ollama.ai/library" / name, json.dumps({"layers": layers}).encode())
    put(tmp_path / "manifests/registry.ollama.ai/library/bad/latest", b"{}")
    put(tmp_path / f"blobs/sha256-{digest}", GGUF.read_bytes())
    names, (problem,) = below_of(tmp_path)
    assert names == ["ollama:llama3.2", "ollama:llama3.2:1b"]
    assert problem.startswith("ollama:bad: ")


def test_lm_studios_models_and_files_that_are_no_tokenizers(tmp_path: Path) -> None:
    for name in ("a/b/model-00001-of-00002.gguf", "a/b/model-00002-of-00002.gguf", "a/b/mmproj-f16.gguf"):
        put(tmp_path / name, GGUF.read_bytes())
    put(tmp_path / "mlx/small/tokenizer.json", toy())
    put(tmp_path / "mlx/small/tokenizer_config.json", b"{}")
    put(tmp_path / "mlx/small/vocab.json", b'{"a": 0}')
    for name in ("README.txt", "data.json", "config.json", ".hidden.json", "merges.txt", "weights.safetensors"):
        put(tmp_path / "mlx" / name, b"[]")
    put(tmp_path / ".git/tokenizer.json", toy())
    os.mkfifo(tmp_path / "pipe.json")
    put(tmp_path / "gone.json", Path("nowhere"))
    assert below_of(tmp_path) == (["a/b/model-00001-of-00002.gguf", "mlx/small"], [])


def test_links_in_circles_and_out_of_the_folder_are_not_followed(tmp_path: Path) -> None:
    outside = put(tmp_path / "outside/tokenizer.json", toy())
    root = tmp_path / "root"
    put(root / "a/tokenizer.json", toy())
    put(root / "a/up", Path(".."))
    put(root / "out", outside.parent)
    put(root / "self.json", Path("self.json"))
    names, problems = below_of(root)
    assert names == ["a/tokenizer.json"]
    assert [each.partition(":")[0] for each in problems] == ["out", "a/up"]


def test_what_cannot_be_read_is_said_and_the_walk_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path / "b/tokenizer.json", toy())
    (tmp_path / "a").mkdir()
    scandir = os.scandir

    def deny(path: str) -> object:  # root ignores permissions
        if Path(path).name == "a":
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", deny)
    assert below_of(tmp_path) == (["b/tokenizer.json"], ["a: cannot be read (Permission denied)"])
    with pytest.raises(InputError, match="give a folder"):
        below_of(tmp_path / "nothing")
    with pytest.raises(InputError, match="give a folder"):
        below_of(tmp_path / "b/tokenizer.json")


def test_a_walk_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(9):
        put(tmp_path / f"{number}/tokenizer.json", toy())
    monkeypatch.setattr(model_names, "MOST_TOKENIZERS", 4)
    names, problems = below_of(tmp_path)
    assert (len(names), len(problems)) == (4, 1)
    monkeypatch.setattr(model_names, "MOST_BELOW", 12)
    monkeypatch.setattr(model_names, "MOST_TOKENIZERS", 100)
    names, problems = below_of(tmp_path)
    assert len(names) < 9
    assert "12 names" in problems[0]


def test_names_with_control_characters_stay_on_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(tmp_path / "a\n\x1b[2J/tokenizer.json", toy())
    put(tmp_path / "b\n\x1b[2J/tokenizer.json", b'{"model": {"type": "BPE"}}')
    for arguments in (("models", "--in", str(tmp_path)), ("lint", "--in", str(tmp_path))):
        _, out, err = run(capsys, *arguments)
        assert "\x1b" not in out + err
        assert len(err.splitlines()) == 1


def test_quantizations_and_copies_have_the_same_content(tmp_path: Path) -> None:
    q4, q8 = put(tmp_path / "q4.gguf", quantized("one")), put(tmp_path / "q8.gguf", quantized("two"))
    assert q4.read_bytes() != q8.read_bytes()
    assert fingerprint(q4) == fingerprint(q8) == fingerprint(GGUF)
    for name, config in (("a", b"{}"), ("b", b'{"hidden_size": 3}'), ("c", b"{}")):
        put(tmp_path / name / "tokenizer.json", toy())
        put(tmp_path / name / "tokenizer_config.json", b"{}")
        put(tmp_path / name / "config.json", config)
    assert fingerprint(tmp_path / "a") == fingerprint(tmp_path / "b")
    put(tmp_path / "c/chat_template.jinja", b"{{ messages }}")
    assert fingerprint(tmp_path / "a") != fingerprint(tmp_path / "c")


def test_models_in_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("one", "two"):
        put(tmp_path / f"{name}.gguf", quantized(name))
    for name in ("cl100k_base.tiktoken", "mistral-v1.model"):
        put(tmp_path / name, (VOCABS / name).read_bytes())
    put(tmp_path / "chat/tokenizer.json", toy())
    put(tmp_path / "chat/tokenizer_config.json", b'{"chat_template": "{{ messages }}"}')
    put(tmp_path / "cut.gguf", GGUF.read_bytes()[:5000])
    status, out, err = run(capsys, "models", "--in", str(tmp_path), "--json")
    found = {each["name"]: each for each in json.loads(out)["models"]}
    assert (status, err) == (0, "")
    assert list(found) == ["cl100k_base.tiktoken", "cut.gguf", "mistral-v1.model", "one.gguf", "two.gguf", "chat"]
    assert found["two.gguf"]["same_as"] == "one.gguf"
    assert found["two.gguf"]["tokens"] == found["one.gguf"]["tokens"] == 32000
    assert found["chat"]["template"]
    assert not found["one.gguf"]["template"]
    assert found["mistral-v1.model"]["kind"] == "SentencePiece BPE"
    assert found["cl100k_base.tiktoken"]["pre"]
    assert "damaged" in found["cut.gguf"]["problem"]
    for each in found.values():
        if not each["problem"]:
            assert len(explorer.load(each["path"]).vocabulary.pieces) == each["tokens"]
    status, out, err = run(capsys, "models", "--in", str(tmp_path))
    assert status == 0
    assert len(out.splitlines()) == 1 + 5
    assert "= one.gguf" in out
    assert "cut.gguf" in err
    assert run(capsys, "models", "--in", str(tmp_path / "chat" / "none"))[0] == 1


def test_lint_checks_each_content_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("a", "b"):
        put(tmp_path / name / "tokenizer.json", toy(unk_token="none"))
    put(tmp_path / "c.gguf", GGUF.read_bytes())
    put(tmp_path / "d.json", b'{"model": {"type": "BPE"}}')
    status, out, err = run(capsys, "lint", "--in", str(tmp_path))
    assert status == 1
    assert "a/tokenizer.json: model.unk_token" in out
    assert "b/tokenizer.json" not in out
    assert "c.gguf: nothing found" in out
    assert "d.json" in err
    assert "2 checked, 1 with contradictions" in out
    with pytest.raises(SystemExit):
        main(["lint"])
    with pytest.raises(SystemExit):
        main(["lint", "a", "--in", "b"])
