"""Answers with AutoTokenizer, run by the Python of an environment with one of the versions of `transformers`.

Reads lines, each a JSON object {"folders": [paths], "texts": [texts]}, and answers each with one line, a list with one
entry per folder:

    {"error": …}                            the folder could not be opened
    {"class": …, "answers": […]}            for each text {"error": …} or
        [ids, ids without special tokens, the ids decoded, the ids decoded without special tokens]
"""

from __future__ import annotations

import json
import os
from typing import Any

os.environ |= {"TRANSFORMERS_VERBOSITY": "critical", "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}

from transformers import AutoTokenizer


def opened(folder: str, texts: list[str]) -> dict[str, Any]:
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder)
    except Exception as error:
        return {"error": said(error)}
    return {"class": type(tokenizer).__name__, "answers": [answer(tokenizer, text) for text in texts]}


def answer(tokenizer: Any, text: str) -> Any:
    try:
        if type(tokenizer).__name__.startswith(("LayoutLMv", "LayoutXLM")):  # called with words and boxes
            tokenizer._tokenizer.no_padding()
            tokenizer._tokenizer.no_truncation()
            ids, bare = (tokenizer._tokenizer.encode(text, add_special_tokens=each).ids for each in (True, False))
        else:
            # SeamlessM4T pads by default
            ids, bare = (tokenizer(text, add_special_tokens=each, padding=False)["input_ids"] for each in (True, False))
        return [ids, bare, tokenizer.decode(ids), tokenizer.decode(ids, skip_special_tokens=True)]
    except BaseException as error:  # a panic in the library's Rust is a BaseException of its own
        if isinstance(error, (KeyboardInterrupt, SystemExit)):
            raise
        return {"error": said(error)}


def said(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    # the library prompts on standard input and prints to standard output
    questions, answers = os.fdopen(os.dup(0), encoding="utf-8"), os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    for line in questions:
        asked = json.loads(line)
        print(
            json.dumps([opened(folder, asked["texts"]) for folder in asked["folders"]]),
            file=answers,
            flush=True,
        )
