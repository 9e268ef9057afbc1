"""Patterns and special tokens of known ranks files, which do not contain them.

OpenAI's are from `tiktoken_ext/openai_public.py` of the package tiktoken 0.14, the others from the code their makers
publish. An encoding is recognized by the sha256 of its ranks, so no other file is mistaken for it. Of several encodings
with the same ranks the first is the default.

A pattern may also be chosen by a user, by its name or as a regular expression.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from explorer.engine.pre_tokenizers.custom_pattern import fancy_pattern
from explorer.engine.pre_tokenizers.patterns import CL100K_BASE, GPT2, KIMI, LLAMA3, O200K_BASE, QWEN2, R50K_BASE
from explorer.engine.regexes.pattern import Pattern
from explorer.errors import InputError, errors_of, shown

KEY = "pattern"
"""The key of the choice."""
NAME_ALONE = re.compile(r"(?:\w[\w.-]*)?")
"""Possibly a misspelled name; as a pattern it would only match itself."""


def chosen_pattern(choice: str, known: Mapping[str, Pattern], name: str) -> Pattern:
    """The chosen pattern. name: what errors call the file. Raises InputError for an unknown name or a bad pattern.

    >>> from explorer.engine.pre_tokenizers.patterns import GPT2
    >>> chosen_pattern("gpt-2", {"gpt-2": GPT2}, "toy") is GPT2, chosen_pattern(r"\\w+|\\W", {}, "toy").regex
    (True, '\\\\w+|\\\\W')
    """
    if choice in known:
        return known[choice]
    if NAME_ALONE.fullmatch(choice):
        raise InputError(
            f"{name}: there is no pattern named {shown(choice)}; known are {', '.join(known)}, or give a pattern"
        )
    with errors_of(name):
        return fancy_pattern(choice)


class RanksEncoding(NamedTuple):
    """The pattern and special tokens of a ranks file.

    source: the code they are from. sha256: of the published file, whose tokens are in the order of their ranks. size:
    the number of ranks. nfc: whether the text is normalized to Unicode's form NFC first. module: the module with the
    model's own code, which a folder's tokenizer_config.json names (`auto_map`).
    """

    name: str
    source: str
    pattern: Pattern
    special_tokens: Mapping[str, int]
    sha256: str = ""
    size: int = 0
    nfc: bool = False
    module: str = ""


def tokens(spellings: str) -> list[str]:
    """Special tokens from words; `#` stands for each number of the range that follows the word.

    >>> tokens("<s> <|x_#|>:1-2 </s>")
    ['<s>', '<|x_1|>', '<|x_2|>', '</s>']
    """
    found: list[str] = []
    for word in spellings.split():
        spelling, colon, numbers = word.rpartition(":")
        first, _, last = numbers.partition("-")
        found += [spelling.replace("#", str(n)) for n in range(int(first), int(last) + 1)] if colon else [word]
    return found


def numbered(spellings: Iterable[str], first: int) -> dict[str, int]:
    """Special tokens with ids from `first` on."""
    return {token: id for id, token in enumerate(spellings, first)}


_OPENAI = "openai/tiktoken, tiktoken_ext/openai_public.py"
_OPENAI_WHISPER = "openai/whisper, whisper/tokenizer.py"
_END = "<|endoftext|>"
_FIM = "<|fim_prefix|> <|fim_middle|> <|fim_suffix|>"
_R50K = "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930"
_P50K = "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069"
_CL100K = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
_O200K = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
_LLAMA3 = "82e9d31979e92ab929cd544440f129d9ecd797b69e327f80f17e1c50d5551b55"
_LLAMA4 = "d0bdbaf59b0762c8c807617e2d8ea51420eb1b1de266df2495be755c8e0ed6ed"
_QWEN = "b2b1b8dfb5cc5f024bafc373121c6aba3f66f9a5a0269e243470a1de16a33186"

_WHISPER = "b34b360dbb493e781e479794586d661700670d65564001f23024971d1f2fa126"
_KIMI = "b6c497a7469b33ced9c38afb1ad6e47f03f5e5dc05f15930799210ec050c5103"
_GLM4 = "5a493598071550244b2ee7f26118f3edec2150b9dfa967929a99052ac83fe716"

_HARMONY = {
    **numbered(
        tokens(
            "<|startoftext|> <|endoftext|> <|reserved_#|>:200000-200001 <|return|> <|constrain|> <|reserved_200004|> "
            "<|channel|> <|start|> <|end|> <|message|> <|reserved_#|>:200009-200011 <|call|> "
            "<|reserved_#|>:200013-201087"
        ),
        199998,
    ),
    "<|endofprompt|>": 200018,
}
"""Two spellings share the id 200018, as in the original."""

_LLAMA3_SPECIAL = tokens(
    "<|begin_of_text|> <|end_of_text|> <|reserved_special_token_#|>:0-3 <|start_header_id|> <|end_header_id|> "
    "<|reserved_special_token_4|> <|eot_id|> <|reserved_special_token_#|>:5-250"
)
_LLAMA31_SPECIAL = tokens(
    "<|begin_of_text|> <|end_of_text|> <|reserved_special_token_#|>:0-1 <|finetune_right_pad_id|> <|step_id|> "
    "<|start_header_id|> <|end_header_id|> <|eom_id|> <|eot_id|> <|python_tag|> <|image|> "
    "<|reserved_special_token_#|>:2-245"
)
_LLAMA4_SPECIAL = tokens(
    f"<|begin_of_text|> <|end_of_text|> {_FIM} <|header_start|> <|header_end|> <|eom|> <|eot|> <|step|> "
    "<|text_post_train_reserved_special_token_#|>:0-5 <|python_start|> <|python_end|> <|finetune_right_pad|> "
    "<|text_post_train_reserved_special_token_#|>:8-68 <|image_start|> <|image_end|> "
    "<|vision_reserved_special_token_#|>:0-1 <|tile_x_separator|> <|tile_y_separator|> "
    "<|vision_reserved_special_token_#|>:2-5 <|image|> <|vision_reserved_special_token_6|> <|patch|> "
    "<|vision_reserved_special_token_#|>:7-1047 <|reasoning_reserved_special_token_#|>:0-7 "
    "<|reasoning_thinking_start|> <|reasoning_thinking_end|> <|reserved_special_token_#|>:0-903"
)

_LANGUAGES = (
    "en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml "
    "cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am "
    "yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su yue"
).split()


def whisper(languages: int) -> list[str]:
    """Whisper's special tokens with the first languages: 99, or 100 from large-v3 on.

    >>> whisper(2)[1:4], len(whisper(99))
    (['<|startoftranscript|>', '<|en|>', '<|zh|>'], 1608)
    """
    tasks = ("translate", "transcribe", "startoflm", "startofprev", "nospeech", "notimestamps")
    names = ("startoftranscript", *_LANGUAGES[:languages], *tasks)
    return [_END, *(f"<|{name}|>" for name in names), *(f"<|{step * 0.02:.2f}|>" for step in range(1501))]


_KIMI_SPECIAL = numbered(
    tokens(
        "[BOS] [EOS] <|im_end|> <|im_user|> <|im_assistant|> <|reserved_token_163589|> <|start_header_id|> "
        "<|end_header_id|> <|reserved_token_163592|> [EOT] <|im_system|> <|tool_calls_section_begin|> "
        "<|tool_calls_section_end|> <|tool_call_begin|> <|tool_call_argument_begin|> <|tool_call_end|> "
        "<|reserved_token_163600|> <|im_middle|> <|reserved_token_#|>:163602-163837 [UNK] [PAD] "
        "<|reserved_token_#|>:163840-163841"
    ),
    163584,
)
"""258, as in the code; the model has rows for the first 256."""

ENCODINGS: Final = {
    each.name: each
    for each in (
        RanksEncoding("r50k_base", _OPENAI, R50K_BASE, {_END: 50256}, _R50K, 50256),
        RanksEncoding("gpt2", _OPENAI, R50K_BASE, {_END: 50256}, _R50K, 50256),
        RanksEncoding("p50k_base", _OPENAI, R50K_BASE, {_END: 50256}, _P50K, 50280),
        RanksEncoding("p50k_edit", _OPENAI, R50K_BASE, {_END: 50256, **numbered(_FIM.split(), 50281)}, _P50K, 50280),
        RanksEncoding(
            "cl100k_base",
            _OPENAI,
            CL100K_BASE,
            {**numbered(f"{_END} {_FIM}".split(), 100257), "<|endofprompt|>": 100276},
            _CL100K,
            100256,
        ),
        RanksEncoding("o200k_base", _OPENAI, O200K_BASE, {_END: 199999, "<|endofprompt|>": 200018}, _O200K, 199998),
        RanksEncoding("o200k_harmony", _OPENAI, O200K_BASE, _HARMONY, _O200K, 199998),
        RanksEncoding(
            "llama3",
            "meta-llama/llama3, llama/tokenizer.py",
            LLAMA3,
            numbered(_LLAMA3_SPECIAL, 128000),
            _LLAMA3,
            128000,
        ),
        RanksEncoding(
            "llama3.1",
            "meta-llama/llama-models, models/llama3/tokenizer.py",
            LLAMA3,
            numbered(_LLAMA31_SPECIAL, 128000),
            _LLAMA3,
            128000,
        ),
        RanksEncoding(
            "llama4",
            "meta-llama/llama-models, models/llama4/tokenizer.py",
            O200K_BASE,
            numbered(_LLAMA4_SPECIAL, 200000),
            _LLAMA4,
            200000,
        ),
        RanksEncoding(
            "qwen",
            "Qwen/Qwen-7B, tokenization_qwen.py",
            QWEN2,
            numbered(tokens(f"{_END} <|im_start|> <|im_end|> <|extra_#|>:0-204"), 151643),
            _QWEN,
            151643,
            nfc=True,
            module="tokenization_qwen",
        ),
        RanksEncoding(
            "kimi-k2",
            "moonshotai/Kimi-K2-Instruct, tokenization_kimi.py and tokenizer_config.json",
            KIMI,
            _KIMI_SPECIAL,
            _KIMI,
            163584,
            module="tokenization_kimi",
        ),
        RanksEncoding(
            "glm4",
            "THUDM/glm-4-9b-chat, tokenization_chatglm.py",
            LLAMA3,
            numbered(
                tokens(
                    f"{_END} [MASK] [gMASK] [sMASK] <sop> <eop> <|system|> <|user|> <|assistant|> <|observation|> "
                    "<|begin_of_image|> <|end_of_image|> <|begin_of_video|> <|end_of_video|>"
                ),
                151329,
            ),
            _GLM4,
            151329,
            module="tokenization_chatglm",
        ),
        RanksEncoding(
            "whisper", f"{_OPENAI_WHISPER}, up to large-v2", GPT2, numbered(whisper(99), 50257), _WHISPER, 50257
        ),
        RanksEncoding(
            "whisper-v3",
            f"{_OPENAI_WHISPER}, from large-v3 on",
            GPT2,
            numbered(whisper(100), 50257),
            _WHISPER,
            50257,
        ),
        RanksEncoding(
            "whisper.en", f"{_OPENAI_WHISPER}, English only", GPT2, numbered(whisper(99), 50256), _R50K, 50256
        ),
    )
}
"""Name → encoding."""
