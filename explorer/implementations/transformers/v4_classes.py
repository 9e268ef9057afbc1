"""The supported classes of `transformers` 4: their defaults, and what each does before and after the common part."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias

from explorer.errors import shown
from explorer.implementations.transformers.arguments import ADDITIONAL, Arguments, spelled
from explorer.implementations.transformers.backend import Backend
from explorer.implementations.transformers.bos_eos import set_template
from explorer.implementations.transformers.tokens import Token

Hook: TypeAlias = Callable[[Arguments], None]
Finish: TypeAlias = Callable[[Arguments, Backend], None]


class ClassSpecV4(NamedTuple):
    """A class.

    defaults: arguments that the settings may omit. prepared: changes to the arguments before the common part. finished:
    changes to the tokenizer after it. slow: converts a folder without a tokenizer.json, a key of `v4_slow.CONVERTERS`;
    empty for none. from_slow: whether add_prefix_space makes it convert those files even if there is a tokenizer.json.
    """

    defaults: Mapping[str, Any]
    prepared: tuple[Hook, ...] = ()
    finished: tuple[Finish, ...] = ()
    slow: str = ""
    from_slow: bool = False


# --- the arguments -------------------------------------------------------------------------------------------------


MOST_SENTINELS: Final = 100_000


def flags(*keys: str, **said: bool) -> Hook:
    """Gives flags to special tokens that are plain strings."""

    def hook(args: Arguments) -> None:
        for key in keys:
            value = args.values.get(key)
            if isinstance(value, str):
                args.values[key] = Token(value, **said)

    return hook


def sentinels(args: Arguments) -> None:
    """T5's <extra_id_0> to <extra_id_99>."""
    count, own = args.values["extra_ids"], args.values.get(ADDITIONAL)
    if not isinstance(count, int) or count > MOST_SENTINELS:
        raise args.refusal(f"extra_ids is {shown(count)}, not a number of tokens")
    made = [f"<extra_id_{number}>" for number in range(count)]
    if own is None:
        args.values[ADDITIONAL] = made
        return
    named = [each for each in own if "<extra_id_" in spelled(each)]
    if not named:
        args.values[ADDITIONAL] = [*own, *made]
    elif 0 < count != len(named):
        raise args.refusal(f"{ADDITIONAL} has {len(named)} tokens <extra_id_…>, but extra_ids is {count}")


# --- the tokenizer -------------------------------------------------------------------------------------------------


def bert_normalizer(*settings: str) -> Finish:
    """Lets do_lower_case and the like override a BertNormalizer's settings. settings: those that this class reads."""

    def finish(args: Arguments, backend: Backend) -> None:
        if backend.normalizer is None:
            raise args.refusal("tokenizer.json has no normalizer, but this class needs one")
        if backend.normalizer["type"] != "BertNormalizer":
            return
        wanted = {key: args.values.get(argument) for key, argument in BERT_SETTINGS.items() if argument in settings}
        if any(backend.normalizer.get(key) != value for key, value in wanted.items()):
            for key in wanted.keys() - {"strip_accents"}:
                args.sure(BERT_SETTINGS[key], True)
            backend.normalizer = {**backend.normalizer, **wanted}

    return finish


BERT_SETTINGS: Final = MappingProxyType(
    {"lowercase": "do_lower_case", "strip_accents": "strip_accents", "handle_chinese_chars": "tokenize_chinese_chars"}
)
"""A setting of a BertNormalizer → the argument that overrides it."""


def trimmed(args: Arguments, backend: Backend) -> None:
    """Lets add_prefix_space and trim_offsets override those of the post-processor."""
    state = dict(backend.post_processor or {})
    for key in state.keys() & {"add_prefix_space", "trim_offsets"}:
        value = args.sure(key, False) if state["type"] == "RobertaProcessing" else args.flag(key, False)
        state[key] = state[key] if value is None else value
    if backend.post_processor is not None:
        backend.post_processor = state


def bos_and_eos(args: Arguments, backend: Backend) -> None:
    """Replaces the post-processor with a template of BOS and EOS."""
    set_template(args, backend, bool(args.values["add_bos_token"]), bool(args.values["add_eos_token"]))


def prefix_everywhere(args: Arguments, backend: Backend) -> None:
    """If add_prefix_space is true, sets it in every part of the pre-tokenizer that has such a setting."""
    if args.flag("add_prefix_space", False) and backend.pre_tokenizer is not None:
        backend.pre_tokenizer = _with_prefix(backend.pre_tokenizer)


def _with_prefix(part: Mapping[str, Any]) -> Mapping[str, Any]:
    """A part with the setting, and the parts in it."""
    inner = {"pretokenizers": [_with_prefix(each) for each in part.get("pretokenizers", ())]}
    if part["type"] == "Sequence":
        return {**part, **inner}
    return {**part, "add_prefix_space": True} if "add_prefix_space" in part else part


# --- the classes ---------------------------------------------------------------------------------------------------

END: Final = "<|endoftext|>"
OF_BERT: Final = {
    "do_lower_case": True, "unk_token": "[UNK]", "sep_token": "[SEP]", "pad_token": "[PAD]", "cls_token": "[CLS]",
    "mask_token": "[MASK]", "tokenize_chinese_chars": True, "strip_accents": None,
}  # fmt: skip
OF_ROBERTA: Final = {
    "bos_token": "<s>", "eos_token": "</s>", "sep_token": "</s>", "cls_token": "<s>", "unk_token": "<unk>",
    "pad_token": "<pad>", "mask_token": "<mask>", "add_prefix_space": False, "trim_offsets": True,
}  # fmt: skip
OF_XLM_R: Final = {key: value for key, value in OF_ROBERTA.items() if key.endswith("_token")}
OF_LLAMA: Final = {
    "clean_up_tokenization_spaces": False, "unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>",
    "add_bos_token": True, "add_eos_token": False,
}  # fmt: skip
OF_COHERE: Final = {"unk_token": "<UNK>", "bos_token": "<BOS_TOKEN>", "eos_token": "<|END_OF_TURN_TOKEN|>"}
OF_MPNET: Final = OF_BERT | {
    key: OF_ROBERTA[key] for key in ("bos_token", "eos_token", "sep_token", "cls_token", "pad_token", "mask_token")
}
MPNET_FLAGS: Final = (
    flags("bos_token", "eos_token", "sep_token", "cls_token", "unk_token", "pad_token"),
    flags("mask_token", lstrip=True),
)
PLAIN_ADDED: Final = {"special": True, "said": False}

BERT: Final = ClassSpecV4(
    OF_BERT, (), (bert_normalizer("do_lower_case", "strip_accents", "tokenize_chinese_chars"),), "bert"
)
ROBERTA: Final = ClassSpecV4(OF_ROBERTA, (flags("mask_token", lstrip=True, said=False),), (trimmed,), "roberta")
BART: Final = ROBERTA._replace(prepared=(flags("mask_token", lstrip=True, said=True, special=True),))

CLASSES: Final[Mapping[str, ClassSpecV4]] = MappingProxyType(
    {
        "PreTrainedTokenizerFast": ClassSpecV4({}),
        "GPT2TokenizerFast": ClassSpecV4(
            {"unk_token": END, "bos_token": END, "eos_token": END, "add_prefix_space": False}, slow="gpt2"
        ),
        "Qwen2TokenizerFast": ClassSpecV4(
            {"unk_token": END, "bos_token": None, "eos_token": END, "pad_token": END},
            (flags("bos_token", "eos_token", "unk_token", "pad_token", **PLAIN_ADDED),),
            slow="qwen2",
        ),
        "LlamaTokenizerFast": ClassSpecV4(
            {**OF_LLAMA, "add_prefix_space": None, "legacy": None}, (), (bos_and_eos,), slow="llama", from_slow=True
        ),
        "GemmaTokenizerFast": ClassSpecV4(
            {**OF_LLAMA, "bos_token": "<bos>", "eos_token": "<eos>", "pad_token": "<pad>"}, (), (bos_and_eos,)
        ),
        "GPTNeoXTokenizerFast": ClassSpecV4(
            {"unk_token": END, "bos_token": END, "eos_token": END, "pad_token": None, "add_bos_token": False,
             "add_eos_token": False, "add_prefix_space": False},
            (), (bos_and_eos,),
        ),
        "XLMRobertaTokenizerFast": ClassSpecV4(OF_XLM_R, (flags("mask_token", lstrip=True),), slow="xlm-roberta"),
        "T5TokenizerFast": ClassSpecV4(
            {"eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>", "extra_ids": 100, ADDITIONAL: None},
            (sentinels,), from_slow=True,
        ),
        "RobertaTokenizerFast": ROBERTA,
        "LongformerTokenizerFast": ROBERTA,
        "BlenderbotTokenizerFast": ROBERTA,
        "BartTokenizerFast": BART,
        "LEDTokenizerFast": BART,
        **dict.fromkeys(
            ("BertTokenizerFast", "ConvBertTokenizerFast", "DistilBertTokenizerFast", "DPRContextEncoderTokenizerFast",
             "DPRQuestionEncoderTokenizerFast", "ElectraTokenizerFast", "LayoutLMTokenizerFast", "LxmertTokenizerFast",
             "MobileBertTokenizerFast", "SqueezeBertTokenizerFast"),
            BERT,
        ),
        "MPNetTokenizerFast": ClassSpecV4(
            OF_MPNET, MPNET_FLAGS, (bert_normalizer("do_lower_case", "strip_accents"),)
        ),
        "CohereTokenizerFast": ClassSpecV4(
            {**OF_LLAMA, **OF_COHERE, "add_prefix_space": False}, (), (bos_and_eos, prefix_everywhere)
        ),
        "BloomTokenizerFast": ClassSpecV4(
            {"unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>",
             "add_prefix_space": False},
            (), (prefix_everywhere,),
        ),
    }
)  # fmt: skip
"""Class name → its row."""
