"""Runs SGLang's own detectors on answers: `python sglang_oracle.py FOLDER`, FOLDER with its package.

Reads a line of JSON, a list of `[detector, reasoning, names, texts, thinks]`, and answers with a list of messages for
each: reasoning, content and calls, as `serving_chat.py` makes them. Its modules are its own where they parse, and empty
elsewhere: they import its server.
"""

import importlib.abc
import importlib.machinery
import importlib.util
import json
import logging
import sys
import types
from pathlib import Path

FOLDER = Path(sys.argv[1])
OWN = ("sglang.srt.function_call.", "sglang.srt.parser.")
EMPTY = ("sglang", "partial_json_parser", "orjson", "xgrammar", "transformers")
logging.disable(logging.CRITICAL)


class Empty(types.ModuleType):
    """A module in which every name is a class."""

    def __getattr__(self, name):
        """Another class for each name."""
        if name.startswith("__"):
            raise AttributeError(name)
        made = type(name, (), {"ALL": 0, "STR": 0, "__init__": lambda self, *args, **fields: vars(self).update(fields)})
        if name == "envs":
            made = types.SimpleNamespace(SGLANG_FORWARD_UNKNOWN_TOOLS=types.SimpleNamespace(get=lambda: False))
        setattr(self, name, made)
        return made


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds its own modules in its folder, and makes the others."""

    def find_spec(self, name, path=None, target=None):
        """Where a module comes from."""
        if name.partition(".")[0] not in EMPTY:
            return None
        file = FOLDER.parent / (name.replace(".", "/") + ".py")
        if name.startswith(OWN) and file.exists():
            return importlib.util.spec_from_file_location(name, file)
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        """An empty one."""
        return Empty(spec.name)

    def exec_module(self, module):
        """Nothing to run."""


sys.meta_path.insert(0, Finder())

DETECTORS = {
    "qwen25": ("qwen25", "Qwen25Detector"),
    "hermes": ("hermes", "HermesDetector"),
    "pythonic": ("pythonic", "PythonicDetector"),
    "deepseekv3": ("deepseekv3", "DeepSeekV3Detector"),
}
THINKS = {"sglang": "Qwen3Detector", "sglang-r1": "DeepSeekR1Detector"}


def message(title, think, names, text, thinks):
    """What the server makes of an answer. thinks: whether the prompt has opened its reasoning."""
    reasoning = ""
    if think and (thinks or "<think>" in text or "</think>" in text):
        parser = importlib.import_module("sglang.srt.parser.reasoning_parser")
        force = {"force_reasoning": True} if thinks else {}
        split = getattr(parser, THINKS[think])(**force).detect_and_parse(text)
        reasoning, text = split.reasoning_text, split.normal_text
    file, name = DETECTORS[title]
    detector = getattr(importlib.import_module(f"sglang.srt.function_call.{file}_detector"), name)()
    tools = [types.SimpleNamespace(function=types.SimpleNamespace(name=each)) for each in names]
    calls = []
    if detector.has_tool_call(text):
        try:
            parsed = detector.detect_and_parse(text, tools)
            text, calls = parsed.normal_text, [[each.name, each.parameters] for each in parsed.calls]
        except Exception:
            pass  # the server logs it, and sends the text
    return [reasoning or None, text or None, calls]


print(json.dumps([[message(*job[:3], text, job[4]) for text in job[3]] for job in json.load(sys.stdin)]))
