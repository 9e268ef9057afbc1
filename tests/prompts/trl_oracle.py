"""Runs in an environment with `transformers`: `python trl_oracle.py MODULE FILE`, MODULE being TRL's of chat templates.

Reads a list of templates as JSON, and answers with a list: whether TRL finds that a template keeps the prefix of a
prompt when a tool's result follows, with the tokenizer of FILE; the name of an error where it raises.
"""

import importlib.util
import json
import sys
import types

from transformers import PreTrainedTokenizerFast

# its package imports what trains; the module needs one function of it, for pictures
sys.modules["trl"] = types.ModuleType("trl")
sys.modules["trl"].__path__ = []
sys.modules["trl.data_utils"] = types.ModuleType("trl.data_utils")
sys.modules["trl.data_utils"].prepare_multimodal_messages = None
SPEC = importlib.util.spec_from_file_location("trl.chat_template_utils", sys.argv[1])
MODULE = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(MODULE)


def kept(template):
    """What TRL finds."""
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=sys.argv[2], bos_token="<|endoftext|>", eos_token="<|im_end|>")
    tokenizer.chat_template = template
    try:
        return MODULE.is_chat_template_prefix_preserving(tokenizer)
    except Exception as error:
        return type(error).__name__


print(json.dumps([kept(each) for each in json.load(sys.stdin)]))
