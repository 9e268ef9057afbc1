"""The supported classes of `transformers` 4: their defaults, and what each does before and after the common part."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from explorer.errors import shown
from explorer.implementations.transformers import phobert, templates
from explorer.implementations.transformers.arguments import ADDITIONAL, Arguments, spelled
from explorer.implementations.transformers.backend import Backend, Token, among, named
from explorer.implementations.transformers.templates import Finish, Hook


class ClassSpecV4(NamedTuple):
    """A class.

    defaults: arguments that the settings may omit. prepared: changes to the arguments before the common part. finished:
    changes to the tokenizer after it. slow: converts a folder without a tokenizer.json, a key of `slow.CONVERTERS`;
    empty for none. from_slow: whether add_prefix_space makes it convert those files even if there is a tokenizer.json.
    """

    defaults: Mapping[str, Any]
    prepared: tuple[Hook, ...] = ()
    finished: tuple[Finish, ...] = ()
    slow: str = ""
    from_slow: bool = False


# --- the arguments -------------------------------------------------------------------------------------------------


MOST_SENTINELS: Final = 100_000
MADEUP_WORDS: Final = tuple(f"<madeupword{number}>" for number in range(7))


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


def checked_offset(args: Arguments) -> int:
    """Pegasus's setting offset."""
    offset = args.values["offset"]
    if not isinstance(offset, int) or offset > MOST_SENTINELS:
        raise args.refusal(f"offset is {shown(offset)}, not a number of tokens")
    return offset


def pegasus_tokens(args: Arguments) -> None:
    """Pegasus's <mask_1> and <unk_2> to <unk_102>."""
    offset, mask = checked_offset(args), args.values["mask_token_sent"]
    first = [] if mask is None else [mask]
    if args.values.get(ADDITIONAL) is None:
        made = [*first, *(f"<unk_{number}>" for number in range(2, offset))]
    else:
        own = templates.listed(args)
        own = own if mask is None or among(mask, own) else [mask, *own]
        made = [*own, *(f"<unk_{number}>" for number in range(len(own), offset - 1))]
        if len(set(made)) != len(made):
            raise args.refusal(f"{ADDITIONAL} lists a token twice, or shifts the list of <unk_…>")
    args.values[ADDITIONAL] = made


def pegasus(args: Arguments) -> None:
    """The same, and it ignores added_tokens_decoder; other names are those of the slow class."""
    pegasus_tokens(args)
    args.decoder.clear()
    if [args.spelling(key) for key in ("pad_token", "eos_token", "unk_token")] != ["<pad>", "</s>", "<unk>"]:
        args.values["from_slow"] = True


def madeup_words(args: Arguments) -> None:
    """XGLM's <madeupword0> to <madeupword6>, after the folder's own special tokens."""
    own = templates.listed(args)
    args.values[ADDITIONAL] = own + [word for word in MADEUP_WORDS if not among(word, own)]


def question(args: Arguments) -> None:
    """Splinter's token for a question, its only unnamed special token."""
    if ADDITIONAL in args.values:
        raise args.refusal(f"it sets {ADDITIONAL} itself; remove it")
    args.values[ADDITIONAL] = [args.values["question_token"]]


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


CASE_AND_ACCENTS: Final = bert_normalizer("do_lower_case", "strip_accents")
BERT_SETTINGS: Final = {
    "lowercase": "do_lower_case",
    "strip_accents": "strip_accents",
    "handle_chinese_chars": "tokenize_chinese_chars",
}
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
    templates.set_template(args, backend, bool(args.values["add_bos_token"]), bool(args.values["add_eos_token"]))


def prefix_everywhere(args: Arguments, backend: Backend) -> None:
    """If add_prefix_space is true, sets it in every part of the pre-tokenizer that has such a setting."""
    if args.flag("add_prefix_space") and backend.pre_tokenizer is not None:
        backend.pre_tokenizer = _with_prefix(backend.pre_tokenizer)


def _with_prefix(part: Mapping[str, Any]) -> Mapping[str, Any]:
    """A part with the setting, and the parts in it."""
    inner = {"pretokenizers": [_with_prefix(each) for each in part.get("pretokenizers", ())]}
    if part["type"] == "Sequence":
        return {**part, **inner}
    return {**part, "add_prefix_space": True} if "add_prefix_space" in part else part


def no_bos(args: Arguments, backend: Backend) -> None:
    """Refuses add_bos_token."""
    if args.values.get("add_bos_token", False):
        raise args.refusal("add_bos_token is true, but it cannot add a BOS token; remove it")


def sequence_only(args: Arguments, backend: Backend) -> None:
    """Refuses a CLIP of an older form."""
    if backend.pre_tokenizer is None or backend.pre_tokenizer["type"] != "Sequence":
        raise args.refusal("the pre-tokenizer is not a Sequence; the file is for a version before 4.17")
    if backend.model.get("end_of_word_suffix") is None:
        raise args.refusal("the model has no end_of_word_suffix, which decoding needs")


# --- the classes ---------------------------------------------------------------------------------------------------

END: Final = "<|endoftext|>"
BERT_TOKENS: Final = named("unk [UNK] sep [SEP] pad [PAD] cls [CLS] mask [MASK]")
OF_BERT: Final = BERT_TOKENS | {"do_lower_case": True, "tokenize_chinese_chars": True, "strip_accents": None}
OF_XLM_R: Final = phobert.DEFAULTS
OF_ROBERTA: Final = OF_XLM_R | {"add_prefix_space": False, "trim_offsets": True}
OF_LLAMA: Final = named(
    "unk <unk> bos <s> eos </s>", clean_up_tokenization_spaces=False, add_bos_token=True, add_eos_token=False
)
OF_COHERE: Final = named("unk <UNK> bos <BOS_TOKEN> eos <|END_OF_TURN_TOKEN|>")
OF_MPNET: Final = OF_BERT | OF_XLM_R | {"unk_token": "[UNK]"}
MASK_LEFT: Final = flags("mask_token", lstrip=True)
MASK_LEFT_RAW: Final = flags("mask_token", lstrip=True, said=False)
MASK_LEFT_SPECIAL: Final = flags("mask_token", lstrip=True, special=True)
MASK_LEFT_NORMALIZED: Final = flags("mask_token", lstrip=True, said=True, special=True)
ALL_NAMED: Final = flags("bos_token", "eos_token", "unk_token", "pad_token", "cls_token", "sep_token")
PLAIN_ADDED: Final = {"special": True, "said": False}
OF_DEBERTA: Final = named("bos [CLS] eos [SEP]") | BERT_TOKENS
OF_ALBERT: Final = OF_DEBERTA | named("unk <unk> pad <pad>")
OF_XLNET: Final = OF_XLM_R | named("sep <sep> cls <cls>") | {ADDITIONAL: ["<eop>", "<eod>"]}
OF_CAMEMBERT: Final = OF_XLM_R | {ADDITIONAL: ["<s>NOTUSED", "</s>NOTUSED", "<unk>NOTUSED"]}
OF_MBART50: Final = {key: value for key, value in OF_XLM_R.items() if key != "bos_token"}
OF_PEGASUS: Final = named("pad <pad> eos </s> unk <unk> mask <mask_2>", mask_token_sent="<mask_1>", offset=103) | {
    ADDITIONAL: None
}
OF_BIG_BIRD: Final = OF_ALBERT | named("bos <s> eos </s>")
OF_GEMMA: Final = OF_LLAMA | named("bos <bos> eos <eos> pad <pad>")
OF_T5: Final = named("eos </s> unk <unk> pad <pad>", extra_ids=100) | {ADDITIONAL: None}
OF_XGLM: Final = {key: value for key, value in OF_XLM_R.items() if key != "mask_token"}
OF_SEAMLESS: Final = {**OF_XGLM, "src_lang": "eng", "tgt_lang": "fra", ADDITIONAL: None}
OF_REFORMER: Final = named("eos </s> unk <unk>") | {ADDITIONAL: []}
OF_FNET: Final = BERT_TOKENS | named("unk <unk> pad <pad>")
OF_FUNNEL: Final = (
    OF_BERT
    | named("unk <unk> sep <sep> pad <pad> cls <cls> mask <mask> bos <s> eos </s>")
    | {"clean_text": True, "wordpieces_prefix": "##"}
)
OF_CLIP: Final = named("unk <|endoftext|> bos <|startoftext|> eos <|endoftext|> pad <|endoftext|>")
OF_WHISPER: Final = named("unk <|endoftext|> bos <|endoftext|> eos <|endoftext|>", add_prefix_space=False)
WHISPER_FLAGS: Final = flags("bos_token", "eos_token", "unk_token", **PLAIN_ADDED)

BERT: Final = ClassSpecV4(
    OF_BERT, (), (bert_normalizer("do_lower_case", "strip_accents", "tokenize_chinese_chars"),), "bert"
)
ROBERTA: Final = ClassSpecV4(OF_ROBERTA, (MASK_LEFT_RAW,), (trimmed,), "roberta")
BART: Final = ROBERTA._replace(prepared=(MASK_LEFT_NORMALIZED,), slow="bart")

CLASSES: Final = {
    "PreTrainedTokenizerFast": ClassSpecV4({}),
    "GPT2TokenizerFast": ClassSpecV4(OF_WHISPER, slow="gpt2"),
    "Qwen2TokenizerFast": ClassSpecV4(
        named("unk <|endoftext|> eos <|endoftext|> pad <|endoftext|>", bos_token=None),
        (flags("bos_token", "eos_token", "unk_token", "pad_token", **PLAIN_ADDED),),
        slow="qwen2",
    ),
    "LlamaTokenizerFast": ClassSpecV4(
        {**OF_LLAMA, "add_prefix_space": None, "legacy": None}, (), (bos_and_eos,), slow="llama", from_slow=True
    ),
    "GemmaTokenizerFast": ClassSpecV4(
        OF_GEMMA, (), (bos_and_eos,), slow="gemma"
    ),
    "GPTNeoXTokenizerFast": ClassSpecV4(
        {**OF_WHISPER, "pad_token": None, "add_bos_token": False, "add_eos_token": False}, (), (bos_and_eos,),
    ),
    "XLMRobertaTokenizerFast": ClassSpecV4(OF_XLM_R, (MASK_LEFT,), slow="xlm-roberta"),
    **dict.fromkeys(
        ("T5TokenizerFast", "MT5TokenizerFast"), ClassSpecV4(OF_T5, (sentinels,), slow="t5", from_slow=True)
    ),
    "XGLMTokenizerFast": ClassSpecV4(OF_XGLM, (madeup_words,), slow="xglm"),
    "BarthezTokenizerFast": ClassSpecV4(OF_XLM_R, (MASK_LEFT,), slow="barthez"),
    "ReformerTokenizerFast": ClassSpecV4(OF_REFORMER, slow="reformer"),
    "FNetTokenizerFast": ClassSpecV4(OF_FNET, (MASK_LEFT, flags("cls_token", "sep_token")), slow="fnet"),
    "RemBertTokenizerFast": ClassSpecV4(OF_ALBERT, (MASK_LEFT,), slow="rembert"),
    "SeamlessM4TTokenizerFast": ClassSpecV4(OF_SEAMLESS, (), (templates.seamless,), slow="seamless"),
    "RobertaTokenizerFast": ROBERTA,
    "LongformerTokenizerFast": ROBERTA,
    "BlenderbotTokenizerFast": ROBERTA._replace(slow="blenderbot"),
    "BartTokenizerFast": BART,
    "LEDTokenizerFast": BART,
    **dict.fromkeys(
        "BertTokenizerFast ConvBertTokenizerFast DistilBertTokenizerFast DPRContextEncoderTokenizerFast "
        "DPRQuestionEncoderTokenizerFast ElectraTokenizerFast LayoutLMTokenizerFast LxmertTokenizerFast "
        "MobileBertTokenizerFast SqueezeBertTokenizerFast".split(),
        BERT,
    ),
    "MPNetTokenizerFast": ClassSpecV4(OF_MPNET, (ALL_NAMED, MASK_LEFT), (CASE_AND_ACCENTS,), slow="mpnet"),
    "CohereTokenizerFast": ClassSpecV4(
        {**OF_LLAMA, **OF_COHERE, "add_prefix_space": False}, (), (bos_and_eos, prefix_everywhere)
    ),
    "CLIPTokenizerFast": ClassSpecV4(OF_CLIP, (), (sequence_only,), slow="clip"),
    "WhisperTokenizerFast": ClassSpecV4(OF_WHISPER, (WHISPER_FLAGS,), slow="whisper"),
    "CodeGenTokenizerFast": ClassSpecV4(OF_WHISPER, (), (no_bos,), slow="codegen"),
    "DebertaTokenizerFast": ClassSpecV4({**OF_DEBERTA, "add_prefix_space": False}, slow="deberta"),
    "DebertaV2TokenizerFast": ClassSpecV4(OF_DEBERTA, slow="deberta-v2"),
    "AlbertTokenizerFast": ClassSpecV4(OF_ALBERT, (MASK_LEFT_RAW,), slow="albert"),
    "XLNetTokenizerFast": ClassSpecV4(OF_XLNET, (MASK_LEFT,), slow="xlnet"),
    "CamembertTokenizerFast": ClassSpecV4(OF_CAMEMBERT, (MASK_LEFT_SPECIAL,), slow="camembert"),
    "MBartTokenizerFast": ClassSpecV4(
        OF_XLM_R, (MASK_LEFT, templates.mbart_languages), (templates.mbart,),
        slow="mbart",
    ),
    "MBart50TokenizerFast": ClassSpecV4(
        OF_MBART50, (MASK_LEFT, templates.mbart50_languages),
        (templates.mbart50,), slow="mbart50",
    ),
    "NllbTokenizerFast": ClassSpecV4(
        OF_XLM_R, (MASK_LEFT_NORMALIZED, templates.nllb_languages), (templates.nllb,), slow="nllb"
    ),
    "PegasusTokenizerFast": ClassSpecV4(OF_PEGASUS, (pegasus,), slow="pegasus"),
    "BigBirdTokenizerFast": ClassSpecV4(OF_BIG_BIRD, (ALL_NAMED, MASK_LEFT), slow="big-bird"),
    "SplinterTokenizerFast": ClassSpecV4(
        {**OF_BERT, "question_token": "[QUESTION]"}, (question,), (CASE_AND_ACCENTS,), slow="splinter",
    ),
    "FunnelTokenizerFast": BERT._replace(defaults=OF_FUNNEL, slow="funnel"),
    "LayoutLMv2TokenizerFast": ClassSpecV4(OF_BERT, (), (CASE_AND_ACCENTS,), slow="layoutlmv2"),
    "LayoutLMv3TokenizerFast": ClassSpecV4(
        {**OF_ROBERTA, "add_prefix_space": True}, (), (trimmed,), slow="layoutlmv3"
    ),
    "LayoutXLMTokenizerFast": ClassSpecV4(OF_XLM_R, (MASK_LEFT,), slow="xlm-roberta"),
    **dict.fromkeys(
        phobert.NAMES, ClassSpecV4(phobert.DEFAULTS, (), (phobert.finish,), slow="phobert")
    ),
    "BloomTokenizerFast": ClassSpecV4(
        named("unk <unk> bos <s> eos </s> pad <pad>", add_prefix_space=False),
        (), (prefix_everywhere,),
    ),
}  # fmt: skip
"""Class name → its row."""
