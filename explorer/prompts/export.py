"""A prompt as an export: JSON with all that is known, CSV with a row for each token; what is said of it as JSON."""

from collections.abc import Sequence

from explorer.analysis.export import COLUMNS, Export, Provenance
from explorer.engine.part import Options
from explorer.implementations.opened import Opened
from explorer.prompts.engines import Engines, engines_record
from explorer.prompts.finding import Finding
from explorer.prompts.masks import LossMasks, masks_record
from explorer.prompts.messages import Call, dotted
from explorer.prompts.model_input import LLAMA_CPP, Prompt
from explorer.prompts.partings import Parting, ServerSide, sides_record
from explorer.prompts.turns import NextTurn, turn_record
from explorer.tables import Record
from explorer.text.say import plain


def prompt_export(prompt: Prompt) -> Export:
    """The export of a prompt."""
    return Export("prompt", _provenance(prompt), lambda: record(prompt), lambda: [COLUMNS["prompt"], *rows(prompt)])


def engines_export(found: Engines) -> Export:
    """The export of a comparison of two engines."""
    side = found.transformers.prompt or found.llama_cpp.prompt
    return Export(
        "prompt-engines",
        _provenance(side) if side else Provenance.of([found.tokenizer], "", Options()),
        lambda: {"call": found.call.to_json(), **engines_record(found)},
    )


def servers_export(tokenizer: Opened, call: Call, sides: Sequence[ServerSide], partings: Sequence[Parting]) -> Export:
    """The export of a comparison of servers."""
    return Export(
        "prompt-servers",
        Provenance.of([tokenizer], "", Options()),
        lambda: {"call": call.to_json(), "converted": call.converted, **sides_record(sides, partings)},
    )


def turns_export(prompt: Prompt, turns: Sequence[NextTurn]) -> Export:
    """The export of a prompt's turns."""
    return Export(
        "prompt-turns",
        _provenance(prompt),
        lambda: {"call": prompt.call.to_json(), "turns": [*map(turn_record, turns)]},
    )


def masks_export(found: LossMasks) -> Export:
    """The export of loss masks."""
    return Export(
        "prompt-training",
        _provenance(found.prompt),
        lambda: {"call": found.prompt.call.to_json(), "ids": found.prompt.ids, **masks_record(found)},
    )


def _provenance(prompt: Prompt) -> Provenance:
    return Provenance.of([prompt.tokenizer], prompt.text, Options(add_special=prompt.engine == LLAMA_CPP))


def record(prompt: Prompt) -> Record:
    """The content of the JSON."""
    rendering = prompt.rendering
    return {
        "template": prompt.template or "default",
        "template_source": rendering.source,
        "engine": prompt.engine,
        "server": prompt.served and prompt.served.record(),
        "special_tokens": dict(prompt.special_tokens),
        "call": prompt.call.to_json(),
        "converted": prompt.call.converted,
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


def finding_record(finding: Finding) -> Record:
    """One finding."""
    return {
        "kind": finding.kind.value,
        "sentence": plain(finding.sentence),
        "reason": plain(finding.reason),
        "message": finding.message,
        "tokens": [finding.start, finding.end],
        "line": finding.line or None,
        "path": dotted(finding.path) or None,
        "note": finding.is_note,
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
