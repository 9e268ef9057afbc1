"""Folders with each setting flipped, as file names and contents.

A case is a base, a class, and one change to the settings. Classes are also combined with bases of another class,
because published files often name the wrong one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import explorer
from tests.auto_tokenizer.bases import BASES, SLOW, base, slow
from tests.auto_tokenizer.class_bases import CLASS_BASES

TOKEN = {"__type": "AddedToken", "lstrip": False, "rstrip": False, "single_word": False, "normalized": False}
LEFT = {
    "content": "<left>",
    "lstrip": True,
    "rstrip": False,
    "single_word": False,
    "normalized": False,
    "special": True,
}
WORD = {"content": "word", "rstrip": True, "single_word": True, "normalized": True, "special": False}


class Case(NamedTuple):
    """A folder: its name, the base of its tokenizer.json or slow files, and its other files by name."""

    name: str
    base: str
    files: Mapping[str, Any]

    def written(self, root: Path) -> Path:
        """Writes the folder to disk. Folders with the same base share its file through links."""
        folder = root / self.name
        folder.mkdir(parents=True)
        slow_files = slow(self.base) if self.base in SLOW else {}
        for name, content in slow_files.items():
            (folder / name).write_bytes(content)
        if self.base in WHOLE:
            upstream = explorer.catalog()[self.base].path
            (folder / WHOLE[self.base]).symlink_to(upstream)
        if self.base in BASES or self.base in CLASS_BASES:
            data = root / f"{self.base}.base"
            if not data.exists():
                data.write_bytes(base(self.base))
            (folder / "tokenizer.json").symlink_to(data)
        for name, content in self.files.items():
            (folder / name).write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        return folder


CLASSES = {
    "gpt2": ("GPT2Tokenizer", "PreTrainedTokenizerFast", "RobertaTokenizer", "GPTNeoXTokenizer", "BartTokenizerFast",
             "LlamaTokenizer", "CohereTokenizer", "BloomTokenizerFast"),
    "qwen2": ("Qwen2Tokenizer", "PreTrainedTokenizerFast", "Qwen2TokenizerFast", "GPT2Tokenizer", "Qwen3_5Tokenizer"),
    "llama3": ("PreTrainedTokenizerFast", "LlamaTokenizerFast", "GPT2TokenizerFast"),
    "llama": ("LlamaTokenizer", "LlamaTokenizerFast", "PreTrainedTokenizerFast", "GemmaTokenizer", "GPT2Tokenizer"),
    "bert": ("BertTokenizer", "BertTokenizerFast", "DistilBertTokenizer", "PreTrainedTokenizerFast", "MPNetTokenizer",
             "ElectraTokenizer"),
    "xlm-r": ("XLMRobertaTokenizer", "PreTrainedTokenizerFast", "T5Tokenizer", "XLMRobertaTokenizerFast"),
    "unigram": ("T5Tokenizer", "PreTrainedTokenizerFast"),
    "slow-gpt2": ("GPT2Tokenizer", "GPT2TokenizerFast", "Qwen2Tokenizer", "PreTrainedTokenizerFast"),
    "slow-qwen2": ("Qwen2Tokenizer",),
    "slow-bert": ("BertTokenizer", "BertTokenizerFast", "DistilBertTokenizer"),
    "slow-llama": ("LlamaTokenizer", "LlamaTokenizerFast", "PreTrainedTokenizerFast", "XLMRobertaTokenizer"),
    "slow-xlm-r": ("XLMRobertaTokenizer",),
}  # fmt: skip
"""Base → the classes tried on it; the first is its own."""

OF_CLASSES = {
    "gpt2": ("CodeGenTokenizer", "BlenderbotTokenizer", "DebertaTokenizer", "LEDTokenizer", "LongformerTokenizer",
             "BartTokenizer", "LayoutLMv3Tokenizer", "WhisperTokenizer"),
    "clip": ("CLIPTokenizer", "CLIPTokenizerFast"),
    "whisper": ("WhisperTokenizer",),
    "bert": ("SplinterTokenizer", "FunnelTokenizer", "LayoutLMv2Tokenizer", "LayoutLMTokenizer", "CLIPTokenizer"),
    "xlm-r": ("CamembertTokenizer", "DebertaV2Tokenizer", "LayoutXLMTokenizer", "MBartTokenizer", "AlbertTokenizer",
              "XLNetTokenizer", "BigBirdTokenizer", "PegasusTokenizer", "XGLMTokenizer", "BarthezTokenizer",
              "RemBertTokenizer", "FNetTokenizer"),
    "albert": ("AlbertTokenizer",),
    "xlnet": ("XLNetTokenizer",),
    "camembert": ("CamembertTokenizer",),
    "deberta-v2": ("DebertaV2Tokenizer",),
    "mbart": ("MBartTokenizer",),
    "mbart50": ("MBart50Tokenizer",),
    "nllb": ("NllbTokenizer", "MBartTokenizer", "ReformerTokenizer", "SeamlessM4TTokenizer"),
    "pegasus": ("PegasusTokenizer",),
    "big-bird": ("BigBirdTokenizer",),
    "slow-gpt2": ("RobertaTokenizer", "BartTokenizer", "LEDTokenizer", "LongformerTokenizer", "BlenderbotTokenizer",
                  "DebertaTokenizer", "CodeGenTokenizer", "LayoutLMv3Tokenizer"),
    "slow-clip": ("CLIPTokenizer",),
    "slow-whisper": ("WhisperTokenizer",),
    "slow-bert": ("SplinterTokenizer", "FunnelTokenizer", "LayoutLMv2Tokenizer", "MPNetTokenizer"),
}  # fmt: skip
"""Base → classes tried on it with fewer settings: those of `SOME`, and those of `OWN` that the class has."""

SOME = ("plain", "clean", "bos", "cased", "prefix-space", "no-prefix-space", "null-tokens", "flags", "additional",
        "extra-list", "extra-object", "decoder", "decoder-named", "split-special")  # fmt: skip

OWN: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "CLIPTokenizer": {"renamed": {"bos_token": "a", "eos_token": "</s>"}},
    "WhisperTokenizer": {
        "language": {"language": "German", "task": "translate"},
        "code": {"language": "yue", "task": "transcribe", "predict_timestamps": True},
        "no-language": {"language": "Elvish"},
        "no-task": {"task": "sing"},
    },
    "FunnelTokenizer": {"no-clean-text": {"clean_text": False}, "prefix": {"wordpieces_prefix": "@@"}},
    "SplinterTokenizer": {
        "question": {"question_token": "<left>"}, "no-question": {"question_token": None},
        "no-question-object": {"question_token": None, "extra_special_tokens": {"question_token": "<left>"}},
        "question-list": {"question_token": "<left>", "extra_special_tokens": ["<a>"]},
        "question-object": {"question_token": "<left>", "extra_special_tokens": {"question_token": "<image>"}},
    },
    "AlbertTokenizer": {
        "accents": {"keep_accents": True}, "cased-accents": {"keep_accents": True, "do_lower_case": False},
    },
    "XLNetTokenizer": {"lower": {"do_lower_case": True}, "unknown": {"unk_id": 5}},
    "DebertaV2Tokenizer": {
        "punctuation": {"split_by_punct": True}, "lower": {"do_lower_case": True}, "unknown": {"unk_id": 2},
    },
    "MBartTokenizer": {"german": {"src_lang": "de_DE"}, "unknown": {"src_lang": "xx"}},
    "MBart50Tokenizer": {"german": {"src_lang": "de_DE"}, "unknown": {"src_lang": "xx"}},
    "NllbTokenizer": {
        "german": {"src_lang": "deu_Latn"}, "unknown": {"src_lang": "xx"},
        "old": {"legacy_behaviour": True}, "old-german": {"legacy_behaviour": True, "src_lang": "deu_Latn"},
    },
    "PegasusTokenizer": {
        "offset": {"offset": 5}, "own": {"additional_special_tokens": ["<mask_1>", "<unk_2>", "<x>"], "offset": 6},
        "no-mask": {"mask_token_sent": None}, "twice": {"additional_special_tokens": ["<unk_2>"], "offset": 4},
    },
}  # fmt: skip
"""Class → changes to tokenizer_config.json that only it reads."""

SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "plain": {},
    "bos": {"add_bos_token": True},
    "no-bos": {"add_bos_token": False},
    "eos": {"add_eos_token": True},
    "bos-eos": {"add_bos_token": True, "add_eos_token": True, "bos_token": "<s>", "eos_token": "</s>"},
    "no-bos-token": {"bos_token": None, "add_bos_token": True},
    "spaced-bos": {"bos_token": "<b o s>", "add_bos_token": True},
    "colon-eos": {"eos_token": "[e:s]", "add_eos_token": True},
    "prefix-space": {"add_prefix_space": True},
    "no-prefix-space": {"add_prefix_space": False},
    "null-prefix-space": {"add_prefix_space": None},
    "legacy": {"legacy": True},
    "no-legacy": {"legacy": False},
    "null-legacy": {"legacy": None},
    "clean": {"clean_up_tokenization_spaces": True},
    "no-clean": {"clean_up_tokenization_spaces": False},
    "null-clean": {"clean_up_tokenization_spaces": None},
    "force-clean": {
        "clean_up_tokenization_spaces": True,
        "clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output": True,
    },
    "cased": {"do_lower_case": False},
    "null-case": {"do_lower_case": None},
    "accents": {"strip_accents": False},
    "no-accents": {"strip_accents": True, "do_lower_case": False},
    "no-chinese": {"tokenize_chinese_chars": False},
    "split-special": {"split_special_tokens": True},
    "trim": {"trim_offsets": False},
    "lengths": {"model_max_length": 4, "padding_side": "left", "truncation_side": "left", "max_len": 3},
    "template": {"chat_template": "{{ messages[0]['content'] }}"},
    "pad": {"pad_token": "<pad>", "sep_token": "<sep>", "mask_token": "<mask>"},
    "flags": {"eos_token": TOKEN | {"content": "<left>", "lstrip": True}, "unk_token": TOKEN | {"content": "<unk>"}},
    "raw-token": {"eos_token": {"content": "<e>"}},
    "null-tokens": {"eos_token": None, "unk_token": None, "pad_token": None, "cls_token": None},
    "additional": {"additional_special_tokens": ["<a>", TOKEN | {"content": "<left>", "lstrip": True}, "<a>"]},
    "null-additional": {"additional_special_tokens": None},
    "raw-additional": {"additional_special_tokens": [{"content": "<a>"}]},
    "extra-list": {"extra_special_tokens": ["<a>", "the"]},
    "extra-object": {"extra_special_tokens": {"image_token": "<image>", "own": TOKEN | {"content": "<own>"}}},
    "null-extra": {"extra_special_tokens": None},
    "both-extra": {"extra_special_tokens": {"x_token": "<x>"}, "additional_special_tokens": ["<a>"]},
    "own-token": {"image_token": "<image>", "boi": "<boi>", "eoi_token": TOKEN | {"content": "<eoi>", "rstrip": True}},
    "decoder": {"added_tokens_decoder": {"1": {"content": "<s>", "special": True}, "900000": LEFT, "7": WORD}},
    "decoder-named": {"added_tokens_decoder": {"5": WORD, "6": LEFT}, "eos_token": "word", "cls_token": "<left>"},
    "empty-decoder": {"added_tokens_decoder": {}},
    "null-decoder": {"added_tokens_decoder": None},
    "method": {"add_special_tokens": False},
    "side": {"padding_side": "middle"},
    "null-side": {"truncation_side": None},
    "code": {"auto_map": {"AutoTokenizer": ["own.Tokenizer", None]}},
    "code-list": {"auto_map": ["own.Tokenizer", None]},
    "sentinels": {"extra_ids": 3},
    "own-sentinels": {"extra_ids": 1, "additional_special_tokens": ["<extra_id_0>", "<a>"]},
    "wrong-sentinels": {"extra_ids": 5, "additional_special_tokens": ["<extra_id_0>"]},
    "inputs": {"init_inputs": []},
    "own-keys": {"foo": 1, "bar": {"a": [1]}, "name_or_path": "x/y"},
}
"""Changes to tokenizer_config.json."""

WHOLE = {
    "gpt-2": "tokenizer.json", "qwen2.5": "tokenizer.json", "llama-3": "tokenizer.json",
    "bert-uncased": "tokenizer.json", "mistral-v1": "tokenizer.model",
}  # fmt: skip
"""Bundled files used without changes, and their names in a folder."""

OF_WHOLE = {
    "gpt-2": ("GPT2Tokenizer",), "qwen2.5": ("Qwen2Tokenizer",), "bert-uncased": ("BertTokenizer",),
    "llama-3": ("PreTrainedTokenizerFast",), "mistral-v1": ("LlamaTokenizer", "LlamaTokenizerFast"),
}  # fmt: skip

FILES: Mapping[str, Mapping[str, Any]] = {
    "map": {"special_tokens_map.json": {"bos_token": "<s>", "eos_token": LEFT, "pad_token": "<pad>"}},
    "map-additional": {"special_tokens_map.json": {"additional_special_tokens": ["<a>", LEFT], "mask_token": "<mask>"}},
    "map-extra": {"special_tokens_map.json": {"extra_special_tokens": ["<a>", LEFT]}},
    "map-names": {"special_tokens_map.json": {"image_token": "<image>", "foo": "bar"}},
    "added": {"added_tokens.json": {"<a>": 70000, "the": 5, "<b>": 69999}},
    "added-map": {
        "added_tokens.json": {"<a>": 70000, "<pad>": 70001},
        "special_tokens_map.json": {"pad_token": "<pad>", "additional_special_tokens": ["<a>", "<z>"]},
    },
    "rows": {"config.json": {"vocab_size": 10}},
}
"""Other files of a folder."""

MODELS: Mapping[str, Mapping[str, Any]] = {
    "gpt2": {"model_type": "gpt2"},
    "bert": {"model_type": "bert"},
    "llama": {"model_type": "llama"},
    "mistral": {"model_type": "mistral"},
    "qwen2": {"model_type": "qwen2"},
    "unknown": {"model_type": "no-such-model"},
    "wrong": {"model_type": "internlm2"},
    "phi3": {"model_type": "phi3"},
    "no-tokenizer": {"model_type": "vit"},
    "named": {"model_type": "llama", "tokenizer_class": "GPT2Tokenizer"},
    "named-unknown": {"model_type": "llama", "tokenizer_class": "NoSuchTokenizer"},
    "named-fast": {"model_type": "no-such-model", "tokenizer_class": "GPT2TokenizerFast"},
    "deepseek": {"model_type": "llama", "_name_or_path": "deepseek-ai/deepseek-coder-6.7b-base"},
    "wrong-name": {"model_type": "llama", "model_name": "smolvlm"},
}
"""Contents of config.json."""

NAMES = (
    "GPT2Tokenizer", "GPT2TokenizerFast", "LlamaTokenizer", "Qwen2Tokenizer", "PreTrainedTokenizer",
    "PreTrainedTokenizerFast", "TokenizersBackend", "PythonBackend", "NoSuchTokenizer", "BloomTokenizerFast", None,
)  # fmt: skip


def cases() -> Iterator[Case]:
    """Yields every case."""
    for name, kinds in CLASSES.items():
        for place, kind in enumerate(kinds):
            for change, settings in SETTINGS.items():
                if not place or len(settings) < 3:
                    config = {"tokenizer_class": kind} | settings
                    yield Case(f"{name}.{kind}.{change}", name, {"tokenizer_config.json": config})
            for change, files in FILES.items():
                config = {"tokenizer_class": kind, "eos_token": "<a>"}
                yield Case(f"{name}.{kind}.{change}", name, {"tokenizer_config.json": config, **files})
    for name, kinds in OF_CLASSES.items():
        for kind in kinds:
            settings = {change: SETTINGS[change] for change in SOME} | OWN.get(kind, {})
            for change, own in settings.items():
                yield Case(
                    f"of-{name}.{kind}.{change}", name, {"tokenizer_config.json": {"tokenizer_class": kind} | own}
                )
            # slow classes take 70000 for the id of EOS, which the tokenizer inside does not have
            for change in ("map",) if name in SLOW else ("map", "added"):
                config = {"tokenizer_class": kind, "eos_token": "<a>"}
                yield Case(f"of-{name}.{kind}.{change}", name, {"tokenizer_config.json": config, **FILES[change]})
    for name, kinds in OF_WHOLE.items():
        for kind in kinds:
            for change in ("plain", "clean", "no-legacy", "prefix-space"):
                config = {"tokenizer_class": kind} | SETTINGS[change]
                yield Case(f"whole.{name}.{kind}.{change}", name, {"tokenizer_config.json": config})
    for release in (None, "4.57.2", "4.57.3", "4.40.0.dev0", "5.0.0rc1", "5.0.0", "5.23.0", "x"):
        for model in (None, "mistral", "qwen2"):
            fixed = {"tokenizer_class": "PreTrainedTokenizerFast", "fix_mistral_regex": model != "qwen2" or not release}
            told = {"model_type": model, "transformers_version": release}
            model_config = {key: value for key, value in told.items() if value is not None}
            files = {"tokenizer_config.json": fixed, "config.json": model_config}
            yield Case(f"regex.{release}.{model}", "qwen2.5", files)
    both = {"tokenizer.model": slow("slow-llama")["tokenizer.model"]}
    for change in ("plain", "prefix-space", "no-prefix-space", "legacy", "no-legacy", "bos-eos", "decoder"):
        for legacy in ({}, {"legacy": False}):
            config = {"tokenizer_class": "LlamaTokenizer"} | legacy | SETTINGS[change]
            name = f"both.LlamaTokenizer.{change}{'-' if legacy else ''}"
            yield Case(name, "llama", {"tokenizer_config.json": config, **both})
    for model, config in MODELS.items():
        for kind in NAMES:
            named = {} if kind is None else {"tokenizer_class": kind}
            for code in ("", "code"):
                auto_map = {"auto_map": {"AutoTokenizer": ["own.Tokenizer", None]}} if code else {}
                files = {"config.json": config, "tokenizer_config.json": named | auto_map}
                yield Case(f"type.{model}.{kind}.{code}", "gpt2", files)
        yield Case(f"type.{model}", "gpt2", {"config.json": config})
    for kind in NAMES:
        yield Case(f"only.{kind}", "gpt2", {"tokenizer_config.json": {"tokenizer_class": kind}} if kind else {})
