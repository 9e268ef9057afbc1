"""Runs in an environment with `transformers`: renders a template with calls, as `apply_chat_template` does.

Reads lines of JSON, `[template, call, special tokens]`, and answers each with one: `[text, generation spans]`, or the
name of an error. With a fourth item, `[tokenizer.json, how]`, the answer is what `apply_chat_template` gives: `[ids]`,
with the mask of the assistant's tokens if `how` is "mask", with control tokens read as text if it is "sanitize".
"""

import datetime
import json
import sys

from transformers import PreTrainedTokenizerFast
from transformers.utils import chat_template_utils


class Day(datetime.datetime):
    """A clock that stands still."""

    @classmethod
    def now(cls, tz=None):
        return cls(2026, 11, 23, 12, 34, 56)


chat_template_utils.datetime = Day


def encoded(template, call, special, how):
    """What `apply_chat_template` gives."""
    file, how = how
    if file not in TOKENIZERS:
        TOKENIZERS[file] = PreTrainedTokenizerFast(tokenizer_file=file)
    options = (
        {"return_assistant_tokens_mask": True} if how == "mask" else {"sanitize_control_tokens": how == "sanitize"}
    )
    found = TOKENIZERS[file].apply_chat_template(
        call["messages"],
        tools=call.get("tools"),
        chat_template=template,
        add_generation_prompt=call.get("add_generation_prompt", True),
        **options,
        **special,
    )
    return [found["input_ids"], *([found["assistant_masks"]] if how == "mask" else [])]


TOKENIZERS = {}


def rendered(template, call, special):
    """What `PreTrainedTokenizerBase.apply_chat_template` does before it tokenizes."""
    messages = [{key: value for key, value in each.items() if value is not None} for each in call["messages"]]
    if not messages:
        raise ValueError("no message")
    tokens = {**special, **call.get("chat_template_kwargs", {})}
    going_on = call.get("continue_final_message", False)
    texts, spans = chat_template_utils.render_jinja_template(
        conversations=[messages],
        tools=call.get("tools"),
        documents=call.get("documents"),
        chat_template=template,
        return_assistant_tokens_mask=not going_on,
        continue_final_message=going_on,
        add_generation_prompt=call.get("add_generation_prompt", True) and not going_on,
        **tokens,
    )
    return [texts[0], spans[0] if spans else []]


for line in sys.stdin:
    try:
        case = json.loads(line)
        answer = rendered(*case) if len(case) == 3 else encoded(*case)
    except Exception as error:
        answer = type(error).__name__
    print(json.dumps(answer), flush=True)
