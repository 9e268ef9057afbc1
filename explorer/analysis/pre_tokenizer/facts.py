"""Which pre-tokenizer this is, in sentences: for `info`, `lint`, the page's card and `edit --suggest-pre`."""

from __future__ import annotations

from collections.abc import Iterator

from explorer.analysis.pre_tokenizer.agreement import suggestions
from explorer.analysis.pre_tokenizer.fit import Fit, cutters, fit
from explorer.analysis.pre_tokenizer.identity import Identity, identity
from explorer.engine.pre_tokenizers.fit import LONGEST
from explorer.facts import Fact, FactKind, listed
from explorer.implementations.llama_cpp.check_hashes import known_models
from explorer.implementations.llama_cpp.pre_tokenizers import PRE
from explorer.implementations.opened import Opened

TOPIC = "which pre-tokenizer is this"
SPECIAL = {"": "", "without them": ", without special tokens", "with BOS": ", with BOS in front"}


def pre_tokenizer_facts(tokenizer: Opened) -> tuple[Fact, ...]:
    """The facts, empty for a tokenizer without a pre-tokenizer that llama.cpp would have to know.

    >>> import explorer
    >>> pre_tokenizer_facts(explorer.load("gpt-2"))[0].says
    "It is gpt-2: the ids of llama.cpp's test text are those of openai-community/gpt2."
    """
    return tuple(_facts(tokenizer))


def _facts(tokenizer: Opened) -> Iterator[Fact]:
    found, counted = identity(tokenizer), fit(tokenizer)
    if found is not None and found.models:
        yield _known(tokenizer, found)
    elif found is not None:
        yield _unknown(tokenizer, found, counted)
    if counted is not None:
        best = ", ".join(f"{name} {count:,}" for name, count in counted.cut)
        yield Fact(
            TOPIC,
            f"Of {counted.texts:,} tokens that are text of 2 to {LONGEST:,} characters, these known patterns cut the "
            f"fewest: {best}. Its own cut {counted.own:,} of {counted.own_texts:,}.",
        )


def _known(tokenizer: Opened, found: Identity) -> Fact:
    """The name that llama.cpp's converter has for it."""
    # the converter compares one after the other, and the last one counts
    model = found.models[-1]
    same = f"the ids of llama.cpp's test text are those of {model.repository}{SPECIAL[found.special]}"
    code = f"chkhsh {found.hash}"
    if found.under:
        says = (
            f"This may be the wrong pre-tokenizer: with the patterns of {found.under}, {same}, whose pre-tokenizer is "
            f"{model.pre}. Set tokenizer.ggml.pre to it, in the file (explorer edit, set-pre-tokenizer) or for one run "
            f"(llama.cpp's --override-kv tokenizer.ggml.pre=str:{model.pre})."
        )
        return Fact(TOPIC, says, code=code, kind=FactKind.WARNING)
    says = f"It is {model.pre}: {same}."
    if tokenizer.implementation == "llama.cpp" and not _has_patterns_of(tokenizer, model.pre):
        says = f"{says} The file's pre-tokenizer has other patterns, which cut this text alike."
        return Fact(TOPIC, says, code=code, kind=FactKind.WARNING)
    return Fact(TOPIC, says, code=code)


def _unknown(tokenizer: Opened, found: Identity, counted: Fit | None) -> Fact:
    """What to do about an unknown hash."""
    says = f"The ids of llama.cpp's test text are none of the {len(known_models())} that its converter knows."
    code = f"chkhsh {found.hash}"
    other = counted is not None and counted.other_fits
    if counted is not None and other:
        says += f" The vocabulary fits the patterns of {counted.cut[0][0]} better than its own."
    if tokenizer.implementation == "llama.cpp":
        return Fact(TOPIC, says, code=code, kind=FactKind.WARNING if other else FactKind.USED)
    says += " Converting stops there: “BPE pre-tokenizer was not recognized”."
    alike = [each for each in suggestions(tokenizer) if each.agreement == 1] if cutters(tokenizer) else []
    if alike:
        says += (
            f" Of its names, {listed(alike[0].names, 4)} cut a probe text like this: if the patterns are the same, add "
            "the hash to get_vocab_base_pre with this name."
        )
    elif cutters(tokenizer):
        says += " No name of llama.cpp cuts a probe text like this; explorer edit --suggest-pre ranks them."
    return Fact(TOPIC, says, code=code)


def _has_patterns_of(tokenizer: Opened, pre: str) -> bool:
    """Whether the tokenizer cuts with the patterns of one of llama.cpp's names. One that it lacks has none."""
    if pre not in PRE or not cutters(tokenizer):
        return True
    wanted = PRE[pre].splitters
    return any(list(part.splitters[: len(wanted)]) == wanted for part in cutters(tokenizer))
