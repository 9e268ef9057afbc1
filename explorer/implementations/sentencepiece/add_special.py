"""What `add_special` puts around a text for a SentencePiece model: the file has BOS and EOS, but not who adds them.

sentencepiece itself adds neither unless its options `add_bos` and `add_eos` are set. The programs that use a model set
them, each for its own kind: Llama, Mistral and Gemma begin a prompt with BOS and never end it with EOS; T5 ends a text
with EOS and has no BOS; ALBERT, XLM-RoBERTa and CamemBERT do both. tokenizer_config.json beside the model says it where
there is one; else the kind of model is the best guess, and a choice (`add_special`) overrules it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from explorer.errors import InputError, shown
from explorer.facts import Choosable
from explorer.formats.sentencepiece_model import ModelType, SentencePieceModel

KEY: Final = "add_special"
"""What the choice is called."""

SWITCHES: Final[Mapping[str, tuple[bool, bool]]] = MappingProxyType(
    {"bos": (True, False), "eos": (False, True), "both": (True, True), "none": (False, False)}
)
"""Answer → sentencepiece's `add_bos` and `add_eos`."""

IN_FORCE: Final = {
    "bos": "adds BOS and no EOS", "eos": "adds EOS and no BOS", "both": "adds BOS and EOS", "none": "adds nothing",
}  # fmt: skip


class Usual(NamedTuple):
    """What is usual for a kind of model. holds: told a model and whether it has BOS, whether it is of that kind."""

    answer: str
    holds: Callable[[SentencePieceModel, bool], bool]
    like: str


USUAL: Final = (
    Usual("eos", lambda model, has_bos: not has_bos, "as for T5, whose models have no BOS either"),
    Usual(
        "bos",
        lambda model, has_bos: model.trainer.model_type == ModelType.BPE and model.trainer.byte_fallback,
        "as in prompts of Llama, Mistral and Gemma, which are such models: BPE with byte fallback",
    ),
    Usual("both", lambda model, has_bos: True, "as for ALBERT, XLM-RoBERTa and CamemBERT"),
)
"""The first one that holds."""


class Around(NamedTuple):
    """Which of sentencepiece's options `add_special` stands for, and why."""

    answer: str
    why: str
    place: str = ""

    @property
    def switches(self) -> tuple[bool, bool]:
        """`add_bos` and `add_eos`."""
        return SWITCHES[self.answer]

    @property
    def says(self) -> str:
        return f"“add special” {IN_FORCE[self.answer]}, {self.why}."

    def choosable(self) -> Choosable:
        return Choosable(KEY, "“add special” adds", tuple(SWITCHES), self.answer)


def around(
    model: SentencePieceModel, has_bos: bool, chosen: str | None, config: Mapping[str, Any] | None, name: str
) -> Around:
    """What goes around a text. chosen: the person's answer. config: tokenizer_config.json, where it is there.

    Raises InputError for an answer that is none.
    """
    if chosen is not None:
        if chosen not in SWITCHES:
            raise InputError(f"{name}: {KEY} is {shown(chosen)}; known answers are {', '.join(SWITCHES)}")
        return Around(chosen, "as was chosen")
    config = config or {}
    said = tuple(config.get(f"add_{which}_token") for which in ("bos", "eos"))
    usual = next(each for each in USUAL if each.holds(model, has_bos))
    if any(flag is not None for flag in said):
        switches = tuple(
            own if flag is None else bool(flag) for flag, own in zip(said, SWITCHES[usual.answer], strict=True)
        )
        answer = next(each for each, both in SWITCHES.items() if both == switches)
        return Around(answer, "as tokenizer_config.json says", "tokenizer_config.json: add_bos_token, add_eos_token")
    return Around(usual.answer, usual.like)
