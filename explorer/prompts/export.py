"""A prompt as an export: JSON with everything that is known, CSV with a row for each token."""

from __future__ import annotations

from typing import Any

from explorer.analysis.exports.export import Export
from explorer.analysis.provenance import Provenance
from explorer.engine.options import Options
from explorer.prompts.findings import Finding
from explorer.prompts.prompt import LLAMA_CPP, Prompt
from explorer.text.say import plain

COLUMNS = ("token", "id", "piece", "start", "end", "authors", "generation", "line")


def prompt_export(prompt: Prompt) -> Export:
    """The export of a prompt."""
    provenance = Provenance.of([prompt.tokenizer], prompt.text, Options(add_special=prompt.engine == LLAMA_CPP))
    return Export("prompt", provenance, lambda: record(prompt), lambda: [COLUMNS, *rows(prompt)])


def record(prompt: Prompt) -> dict[str, Any]:
    """The content of the JSON."""
    rendering = prompt.rendering
    return {
        "template": prompt.template or "default",
        "template_source": rendering.source,
        "engine": prompt.engine,
        "special_tokens": dict(prompt.special_tokens),
        "call": prompt.call.to_json(),
        "ids": prompt.ids,
        "tokens": [
            {"id": token.id, "piece": token.piece, "start": token.start, "end": token.end, "authors": token.authors}
            for token in prompt.tokens
        ],
        "origins": [
            {
                "start": each.start,
                "end": each.end,
                "path": each.path,
                "offset": each.offset,
                "line": line(prompt, each.operand),
            }
            for each in rendering.origins
        ],
        "generation_mask": prompt.mask(),
        "findings": [finding_record(finding) for finding in prompt.findings],
    }


def finding_record(finding: Finding) -> dict[str, Any]:
    """One finding."""
    return {
        "kind": finding.kind.value,
        "sentence": plain(finding.sentence),
        "reason": plain(finding.reason),
        "message": finding.message,
        "tokens": [finding.start, finding.end],
    }


def rows(prompt: Prompt) -> list[list[object]]:
    """A row for each token: its authors are numbers of messages from 1, or `template`."""
    return [
        [
            number,
            token.id,
            token.piece,
            token.start,
            token.end,
            " ".join("template" if author is None else str(author + 1) for author in token.authors),
            marked,
            next((at for each in token.origins if (at := line(prompt, each.operand))), None),
        ]
        for number, (token, marked) in enumerate(zip(prompt.tokens, prompt.mask(), strict=True))
    ]


def line(prompt: Prompt, operand: int) -> int | None:
    """The line of an operand of the template, None for text that it copied."""
    return prompt.rendering.operands[operand].line if operand >= 0 else None
