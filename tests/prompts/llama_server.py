"""llama.cpp's own server, for comparison: what it makes of messages before its engine, and what its probes find.

PyPI's wheel `xllamacpp` carries it. It needs a model with weights; one with a single layer of zeros over a real
vocabulary is written here. Run as a program, it serves one template: see `LlamaServer`.
"""

from __future__ import annotations

import json
import struct
import subprocess
import sys
import urllib.error
import urllib.request
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from types import TracebackType
from typing import Any, Final

VOCABULARY: Final = Path(__file__).parents[2] / "vocabs" / "ggml-vocab-llama-spm.gguf"
WIDTH: Final = 32
ALIGNED: Final = 32
F32: Final = 0


@cache
def model() -> Path:
    """A model of one layer over Llama 2's vocabulary."""
    from explorer.formats.gguf import file, integer, pairs

    head = pairs(VOCABULARY.read_bytes())
    sizes = {"block_count": 1, "embedding_length": WIDTH, "feed_forward_length": WIDTH, "attention.head_count": 1}
    sizes |= {"attention.head_count_kv": 1, "context_length": 512, "rope.dimension_count": WIDTH, "vocab_size": 32000}
    changed = {f"llama.{name}": integer(f"llama.{name}", value) for name, value in sizes.items()}
    kept = tuple(each for each in head.pairs if each.key not in changed)
    tensors = {"token_embd.weight": (WIDTH, 32000), "output.weight": (WIDTH, 32000), "output_norm.weight": (WIDTH,)}
    tensors |= {f"blk.0.{name}_norm.weight": (WIDTH,) for name in ("attn", "ffn")}
    square = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")
    tensors |= {f"blk.0.{name}.weight": (WIDTH, WIDTH) for name in square}
    data = file(head._replace(pairs=(*kept, *changed.values())))
    data = data[:8] + struct.pack("<Q", len(tensors)) + data[16:]  # the writer leaves out tensors
    infos, offset = b"", 0
    for name, shape in tensors.items():
        infos += struct.pack("<Q", len(name)) + name.encode() + struct.pack("<I", len(shape))
        infos += struct.pack(f"<{len(shape)}QIQ", *shape, F32, offset)
        offset += 4 * WIDTH * (shape[1] if len(shape) > 1 else 1)
    data += infos
    data += bytes(-len(data) % ALIGNED)
    path = Path(mkdtemp(prefix="llama-server-")) / "model.gguf"
    path.write_bytes(data + bytes(offset))
    return path


class LlamaServer:
    """A server with one template, in a process of its own."""

    def __init__(self, template: str) -> None:
        """Starts it."""
        self.process = subprocess.Popen(
            [sys.executable, __file__, str(model())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps(template) + "\n")
        self.process.stdin.flush()
        line = next((each for each in self.process.stdout if each.startswith("http")), "")
        self.address = line.strip()

    def __enter__(self) -> LlamaServer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.communicate()

    def asked(self, path: str, body: object = None) -> Any:
        """An answer as JSON."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data, {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                return json.load(error)

    def prompt(self, call: object) -> str | None:
        """The text of a call, None if the server refuses it."""
        answer = self.asked("/apply-template", call)
        text: str | None = answer.get("prompt")
        return text

    def capabilities(self) -> dict[str, bool]:
        """What the probes found."""
        found: dict[str, bool] = self.asked("/props")["chat_template_caps"]
        return found


def serve() -> None:
    """Serves the template that comes in, until the process is killed."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = sys.argv[1]
    params.chat_template = json.loads(sys.stdin.readline())
    params.use_jinja = True
    params.default_template_kwargs = {"preserve_reasoning": "true"}  # as the command line of llama-server sets it
    params.n_ctx = 64
    params.n_parallel = 1
    params.warmup = False
    params.endpoint_props = True
    server = xllamacpp.Server(params)
    print("\n" + server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    serve()
