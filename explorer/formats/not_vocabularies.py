"""Recognizes common files that aren't vocabularies by their first bytes, and says what to give instead.

Each row of `OBJECTS` and `KINDS` has what such a file is and what to do. The first row that matches counts; of a folder
without a vocabulary the file with the earliest row is named.
"""

from __future__ import annotations

import json
import re
from itertools import count
from typing import Any, Final

from explorer.errors import shown

OWN: Final = "give the tokenizer's own file"
_FOLDER: Final = "give the model's whole folder, or all files together"
_TEMPLATE: Final = f"this is a chat template, which makes a text of messages; {_FOLDER}, or --template-file of prompt"
_MERGES: Final = "these are merges; open the vocab.json they belong to, with this file next to it"

OBJECTS: Final[tuple[tuple[str, str], ...]] = (
    ("base_model_name_or_path", "this is the adapter_config.json of an adapter (LoRA), which uses the tokenizer of its "
     "base model; give that: {0}"),
    ("peft_type lora_alpha lora_parameters", "this is the adapter_config.json of an adapter (LoRA), which uses the "
     "tokenizer of its base model and doesn't name it; give the base model"),
    ("schemaVersion mediaType", "this is a manifest, such as Ollama keeps; give ollama: and the name of the model"),
    ("tokenizer_class added_tokens_decoder model_max_length add_bos_token do_lower_case tokenizer_file",
     f"this is a tokenizer_config.json, the settings of a tokenizer without its vocabulary; {_FOLDER}"),
    ("chat_template", _TEMPLATE),
    ("image_processor_type feature_extractor_type processor_class image_mean sampling_rate",
     f"these are the settings of a processor of images or sound; {_FOLDER}"),
    ("architectures model_type hidden_size", f"this is the config.json of a model, not its tokenizer; {_FOLDER}"),
    ("_from_model_config max_new_tokens do_sample temperature top_p eos_token_id",
     f"this is a generation_config.json, how a model generates; {_FOLDER}"),
    ("bos_token eos_token unk_token sep_token pad_token cls_token mask_token additional_special_tokens",
     f"this is a special_tokens_map.json, the names of special tokens; {_FOLDER}"),
    ("weight_map", f"this lists the files of a model's weights; {_FOLDER}"),
    ("log_history global_step", f"this is the record of a training; {OWN}"),
    ("_diffusers_version _class_name", "this is a part of a Diffusers pipeline; give the folder tokenizer in it"),
    ("max_seq_length similarity_fn_name", f"these are settings of Sentence Transformers; {_FOLDER}"),
    ("nbformat", f"this is a Jupyter notebook; {OWN}"),
    ("error", "this is a server's answer, which says: {0}; fetch the file again"),
    ("word_index class_name", f"this is the Tokenizer of Keras, which is not run here; {OWN}"),
)  # fmt: skip
"""Keys, any of which a JSON object has → what it is. {0}: the value of that key."""

_START: Final = rb"(?:\xef\xbb\xbf)?\s*"
_FROM: Final = (
    _START
    + rb"(?=(?:#|(?i:FROM|PARAMETER|TEMPLATE|SYSTEM|ADAPTER|LICENSE|MESSAGE)\s))(?=(?:.*\n)?[ \t]*(?:FROM|from)[ \t]+"
    rb'"?%b"?[ \t]*(?:\r?\n|\Z))(?!.*\n(?:RUN|COPY|CMD|ENTRYPOINT|WORKDIR|ENV)\s)'
)
"""An Ollama Modelfile and the model of its line FROM; not a Dockerfile."""


def _lines(each: bytes) -> bytes:
    """A pattern for the first bytes of a file all of whose lines match, but for one that is cut off."""
    return rb"(?:%b)+[^\n]*\Z" % each


KINDS: Final[tuple[tuple[re.Pattern[bytes], str], ...]] = tuple((re.compile(each, re.DOTALL), says) for each, says in (
    (rb"\Z", "the file is empty; fetch it again"),
    (rb"\s+\Z", "the file begins with nothing but white space; fetch it again"),
    (rb"\xff\xfe|\xfe\xff", "this is text in UTF-16; save it in UTF-8"),
    (_FROM % rb'(?P<detail>[.~/\\][^\n"]*?|[A-Za-z]:\\[^\n"]*?|[^\n"]*?\.(?i:gguf|bin|safetensors))',
     "this is a Modelfile of Ollama; give the model of its line FROM: {0}"),
    (_FROM % rb'@?(?P<detail>sha256[:-][\da-f]+)', "this is a Modelfile of Ollama; give the file with the digest of "
     "its line FROM, in the folder blobs of Ollama's store: {0}"),
    (_FROM % rb'(?P<detail>[^\s"]+)', "this is a Modelfile of Ollama; give the model of its line FROM: ollama:{0}"),
    (_START + rb"\{\{-?\s*(?:[.$]|(?:if|range|with|block|define)\b)",
     "this is a chat template of Ollama, in Go; give ollama: and the name of the model, or its GGUF"),
    (_START + rb"(?:\{[{%#]|[^\s{\[].*\{%-?\s*(?:for|if|set|macro)\b)", _TEMPLATE),
    (rb"(?:[^\n]*[^\d\s][^\n]*\n)?\S+[\t ,]0\r?\n\S+[\t ,]1\r?\n",
     "these are pieces and their ids; write the pieces alone, each on a line, for a vocab.txt, or an object of pieces "
     "and ids for a vocab.json"),
    (_START + rb"(?:(?://|#)[^\n]*\n\s*|/\*.*?\*/\s*)+[{\[]", "this is JSON with a comment, which JSON doesn't have; "
     "remove it"),
    (_START + rb'"\s*(?:\\[nrt]|\s)*\{(?:\\[nrt]|\s)*\\"',
     "this is JSON inside a text of JSON; write what json.loads makes of it"),
    (_START + rb"```", "this is a block of Markdown; remove the lines with ``` around it"),
    (_START + rb"<{7} ", "this is a file with a conflict of git; resolve it"),
    (_START + rb"<\?xml", f"this is XML; {OWN}"),
    (_lines(rb"[^\n]*\t-?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|inf|nan)\r?\n"),
     "this is sentencepiece's .vocab, a list of pieces and scores for people to read; give the .model that was written "
     "with it"),
    (_lines(rb"\d+[\t,][^\n]*\n"), f"this is a table of ids and pieces; {OWN}"),
    (_START + rb"<cls>\s*\n<pad>\s*\n<eos>\s*\n<unk>\s*\nL\s*\nA\s*\n",
     "this is the vocab.txt of ESM, where each amino acid is a token; transformers reads it with EsmTokenizer, which "
     "is not run here"),
    (_lines(rb"\S+ \S+ \d+\r?\n"),
     "these are pairs with counts (fastBPE's codes, as PhoBERT's bpe.codes), which have no ids; give the folder with "
     "PhoBERT's vocab.txt and tokenizer_config.json"),
    (_START + rb'\[\s*(?:["{\[\]\d-]|true|false|null)', f"this is a JSON list, which no vocabulary is; {OWN}"),
    (rb"version https://git-lfs", "this is a Git LFS pointer, not the file it points to; run: git lfs pull"),
    (_START + rb"(?i:<!doctype html|<html)", "this is a web page; use the download link of the page"),
    # a safetensors file begins with the length of its header, which is JSON
    (rb"(?![\0\1]\0{7}).{4}\0{4}\{", f"this is a safetensors file, which has weights but no tokenizer; {OWN}"),
    (rb"PK\x03\x04.{26}(?P<detail>[\w ./-]{1,200}?\.(?:json|model|txt|gguf|tiktoken|spm))",
     "this is a zip archive whose first file is {0}; unpack it and give its folder"),
    (rb"PK\x03\x04", f"this is a zip archive (PyTorch weights are one); {OWN}"),
    (rb"\x08[\x01-\x14](?:\x12[\x01-\x7f][ -~]|\x3a)|.{4}TFL3",
     "this is a model in ONNX or TensorFlow Lite, which has weights but no tokenizer; give the tokenizer.json of the "
     "model it was made from"),
    (rb"\x1f\x8b|BZh|\xfd7zXZ|\x28\xb5\x2f\xfd|7z\xbc\xaf|.{257}ustar",
     "this is a compressed file or an archive; unpack it and give the file in it"),
    (rb"\x80[\2-\5]", f"this is a Python pickle, which is never opened; {OWN}"),
    (rb"\x89HDF|\x93NUMPY|ARROW1|PAR1|SQLite", f"this is a file of data or weights; {OWN}"),
    (rb"%PDF|\x89PNG|GIF8|\xff\xd8\xff", f"this is a document or a picture; {OWN}"),
    (rb"lmgg|fmgg|tjgg|algg",
     "this is a GGML file, the format before GGUF; convert the model again with a newer llama.cpp"),
    (_START + rb"(?:#[^\n]*\n\s*|---\s*\n)*[\w.-]+:(?: [^\n]*)?\r?\n(?:\s|-|[\w.-]+:)", f"this is YAML; {OWN}"),
    (rb"(?=.*\t)" + _lines(rb"#version[^\n]*\n|\S+\t\S+\r?\n"),
     "these are pairs separated by tabs, and merges have one space there; replace each tab by a space, and give the "
     "vocab.json they belong to, with this file next to it"),
    (rb"(?=.*</w>)" + _lines(rb"#version[^\n]*\n|[^ \n]+ [^ \n]+\n"),
     f"{_MERGES} (subword-nmt's codes run alone if they begin with #version: 0.2)"),
    (rb"(?=[^\n]*,)(?:\"[^\"\n]*\"|[\w .-]+)(?:,(?:\"[^\"\n]*\"|[\w .-]*))+\r?\n[^\n]*,",
     f"this is a table (CSV); {OWN}"),
    (rb"#version|" + _lines(rb"[^ \n]+ [^ \n]+\n"), _MERGES),
))  # fmt: skip
"""How a file begins → what it is. {0}: the group `detail`."""


def recognized(head: bytes) -> str | None:
    """What a file with these first bytes is, and what to do instead; None if unknown.

    >>> recognized(b"PK\\x03\\x04...")
    "this is a zip archive (PyTorch weights are one); give the tokenizer's own file"
    >>> recognized(b"[PAD]")
    """
    return ranked(head)[1] or None


def ranked(head: bytes) -> tuple[int, str]:
    """The number of the row that recognizes a file with these first bytes, and what it is; empty if none does."""
    number = count()
    keys = first_keys(head)
    for names, says in OBJECTS:
        at, key = next(number), next((each for each in names.split() if each in keys), None)
        if key is not None:
            value = keys[key]
            return at, says.format(value if isinstance(value, str) and value.isprintable() else shown(value))
    for pattern, says in KINDS:
        at = next(number)
        if match := pattern.match(head):
            detail = (match.groupdict().get("detail") or b"").decode("utf-8", "replace").strip()
            return at, says.format(detail if detail.isprintable() else shown(detail))
    return next(number), ""


_KEY: Final = re.compile(r'[\s,]*"((?:[^"\\]|\\.)*)"\s*:\s*')


def first_keys(head: bytes) -> dict[str, Any]:
    """The keys of a JSON object that begin within its first bytes, and their values; None for one that is cut off.

    Nothing for a list of pieces with ids.

    >>> first_keys(b'{"peft_type": "LORA", "r": 8, "x": {'), first_keys(b'{"a": 0, "b": 1')
    ({'peft_type': 'LORA', 'r': 8, 'x': None}, {})
    """
    text = head.decode("utf-8-sig", "ignore").lstrip()
    values: dict[str, Any] = {}
    at, decoder = 1, json.JSONDecoder()
    while text.startswith("{") and (match := _KEY.match(text, at)):
        values[match[1]] = None
        try:
            values[match[1]], at = decoder.raw_decode(text, match.end())
        except (ValueError, RecursionError):
            break
    whole = [type(value) is int for value in values.values() if value is not None]
    return {} if whole and all(whole) else values
