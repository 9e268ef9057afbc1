"""Every method of the library once, with its arguments, for mypy: what an editor completes is typed to the end."""

from __future__ import annotations

from pathlib import Path

import explorer
from explorer.analysis.boundary.followers import Boundary
from explorer.saved.explore import Shown


def example(path: Path) -> None:
    """Calls everything. Each annotation is what mypy finds, or it fails."""
    tok: explorer.Tokenizer = explorer.load("llama-2")
    encoding: explorer.Encoding = tok.encode("is", add_special=True, parse_special=False)
    ids: list[int] = encoding.ids
    text: str = tok.decode(ids, remove_special=True, unparse_special=False)
    back: explorer.DecodeTrace = tok.trace_decode(ids)
    batch: explorer.Batch = tok.encode_batch([text, back.text])
    piece: bytes = tok.token_bytes(ids[0])
    trace: explorer.Trace = tok.trace(text, add_special=False)
    why: explorer.Why = trace.why(0)
    also: explorer.Why = tok.why(text, 0)
    page: Shown = trace.show(stage="model", step=1, level="story", theme="dark", height=300, app="https://example.org")
    page.save(path)
    other: Shown = tok.show(text, stage="model")
    found: explorer.Comparison = tok.compare("gpt-2", text)
    prompt: explorer.Prompt = tok.prompt([{"role": "user", "content": text}], "ours:chatml", engine="transformers")
    stream: explorer.Stream = tok.stream(ids, methods=("alone",), unparse_special=True)
    border: Boundary = tok.boundary("a", "b", parse_special=False)
    drawn: explorer.Sample = tok.sample(text, 0.1, 7, rule="sentencepiece", draw=2)
    best: list[explorer.Candidate] = explorer.load("xlm-r").nbest(text, 3)
    ways: explorer.Distribution = tok.distribution(text, 0.1, samples=10)
    assert batch
    assert piece
    assert all((why, other, found, prompt, stream, border, drawn, best, ways, page))
    assert also
