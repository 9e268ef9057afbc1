"""What `add_special` adds around a text for a SentencePiece model: the file has BOS and EOS, but not when to add them.

sentencepiece adds neither unless its options `add_bos` and `add_eos` are set. Programs that use a model set them:
Llama, Mistral and Gemma begin a prompt with BOS and never end it with EOS; T5 ends a text with EOS and has no BOS;
ALBERT, XLM-RoBERTa and CamemBERT do both. A tokenizer_config.json next to the model decides if there is one; otherwise
the kind of model is the best guess. The user's choice (`add_special`) overrides both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from explorer.errors import InputError, shown
from explorer.facts import Choosable
from explorer.formats.sentencepiece_model import ModelType, SentencePieceModel

KEY: Final = "add_special"
"""The key of the choice."""

SWITCHES: Final = {
    "bos": (True, False),
    "eos": (False, True),
    "both": (True, True),
    "none": (False, False),
}
"""Answer → sentencepiece's `add_bos` and `add_eos`."""

IN_FORCE: Final = {
    "bos": "adds BOS and no EOS",
    "eos": "adds EOS and no BOS",
    "both": "adds BOS and EOS",
    "none": "adds nothing",
}


class Usual(NamedTuple):
    """The usual answer for a kind of model. holds: whether a model is of that kind, given whether it has BOS."""

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
"""The first one that holds counts."""


class AddedEnds(NamedTuple):
    """Which of sentencepiece's options `add_special` sets, and why."""

    answer: str
    why: str
    place: str = ""

    @property
    def switches(self) -> tuple[bool, bool]:
        """`add_bos` and `add_eos`."""
        return SWITCHES[self.answer]

    @property
    def says(self) -> str:
        """A sentence about it."""
        return f"“add special” {IN_FORCE[self.answer]}, {self.why}."

    def choosable(self) -> Choosable:
        """The choice with its answers."""
        return Choosable(KEY, "“add special” adds", tuple(SWITCHES), self.answer)


def added_ends(
    model: SentencePieceModel, has_bos: bool, chosen: str | None, config: Mapping[str, Any] | None, name: str
) -> AddedEnds:
    """What is added around a text. chosen: the user's answer. config: tokenizer_config.json, if there is one.

    Raises InputError for an unknown answer.
    """
    if chosen is not None:
        if chosen not in SWITCHES:
            raise InputError(f"{name}: {KEY} is {shown(chosen)}; known answers are {', '.join(SWITCHES)}")
        return AddedEnds(chosen, "as was chosen")
    config = config or {}
    said = tuple(config.get(f"add_{which}_token") for which in ("bos", "eos"))
    usual = next(each for each in USUAL if each.holds(model, has_bos))
    if any(flag is not None for flag in said):
        switches = tuple(
            own if flag is None else bool(flag) for flag, own in zip(said, SWITCHES[usual.answer], strict=True)
        )
        answer = next(each for each, both in SWITCHES.items() if both == switches)
        return AddedEnds(answer, "as tokenizer_config.json says", "tokenizer_config.json: add_bos_token, add_eos_token")
    return AddedEnds(usual.answer, usual.like)
