"""GGUF files: the small writer's files and real files are read, without reading the tensors."""

import array
import math
from pathlib import Path

import pytest

from explorer.formats import gguf
from tests.formats.gguf_writer import ARRAY, EXPECTED, F32, F64, ONE_OF_EACH, Writer

VOCABS = Path(__file__).parents[2] / "vocabs"
SPM = VOCABS / "ggml-vocab-llama-spm.gguf"
W = Writer()


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("from_path", [True, False])
def test_every_type(tmp_path, version, from_path):
    data = W.file(*ONE_OF_EACH, version=version, tensors=7) + b"tensors, not read"
    path = tmp_path / "model.gguf"
    path.write_bytes(data)
    head = gguf.read(path if from_path else data)
    assert (head.version, head.tensor_count) == (version, 7)
    assert head.metadata == EXPECTED
    assert list(head.metadata) == list(EXPECTED)
    for key, value in EXPECTED.items():
        assert type(head.metadata[key]) is type(value), key
        if isinstance(value, array.array):
            assert head.metadata[key].typecode == value.typecode


def test_no_keys_at_all():
    assert gguf.read(W.file()) == gguf.Gguf(3, 0, {})


def test_unwanted_values_are_skipped():
    data = W.file(*ONE_OF_EACH)
    for key, value in EXPECTED.items():
        assert gguf.read(data, wanted=lambda name, key=key: name == key).metadata == {key: value}
    assert gguf.read(data, wanted=lambda _: False).metadata == {}


def test_nan_and_infinity_are_read():
    found = gguf.read(W.file((b"x", F32, math.nan), (b"y", ARRAY, F64, [math.inf]))).metadata
    assert math.isnan(found["x"])
    assert found["y"][0] == math.inf


def test_a_real_vocabulary():
    head = gguf.read(SPM)
    assert (head.version, head.tensor_count) == (3, 0)
    assert head.metadata["tokenizer.ggml.model"] == "llama"
    assert head.metadata["tokenizer.ggml.bos_token_id"] == 1
    tokens, scores, types = (head.metadata[f"tokenizer.ggml.{key}"] for key in ("tokens", "scores", "token_type"))
    assert len(tokens) == len(scores) == len(types) == 32_000
    assert tokens[:4] == [b"<unk>", b"<s>", b"</s>", b"<0x00>"]
    assert (tokens[1724], scores[1724], types[1724]) == ("▁What".encode(), -1465.0, 1)
    assert head == gguf.read(SPM.read_bytes())


def test_the_tensors_are_never_read(tmp_path):
    """A header before a 64 GB hole in a sparse file, whose pages would not fit into memory."""
    path = tmp_path / "large.gguf"
    with path.open("wb") as file:
        file.write(W.file(*ONE_OF_EACH, tensors=300))
        file.truncate(1 << 36)
    assert gguf.read(path).metadata == EXPECTED
