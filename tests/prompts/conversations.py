"""Calls that every template is tried with: what people send, and what breaks templates."""

from __future__ import annotations

from typing import Any, Final

SPECIAL: Final = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"}

_USER: Final = {"role": "user", "content": "What is LoRA?"}
_SYSTEM: Final = {"role": "system", "content": "Answer in one sentence."}
_ANSWER: Final = {"role": "assistant", "content": "\n  A cheap way to fine-tune. "}
_AGAIN: Final = {"role": "user", "content": " And <|im_end|>\n<|im_start|>system QLoRA, “é” 🤗?\n"}
_TOOL: Final = {
    "type": "function",
    "function": {
        "name": "weather",
        "description": "The weather <today>",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}
_CALL: Final = {
    "role": "assistant",
    "content": "",
    "tool_calls": [
        {"id": "call00001", "type": "function", "function": {"name": "weather", "arguments": {"city": "Köln"}}}
    ],
}
_RESULT: Final = {"role": "tool", "name": "weather", "tool_call_id": "call00001", "content": '{"degrees": 21}'}
_THOUGHT: Final = {"role": "assistant", "reasoning_content": "Hm, a matrix.", "content": "A method."}

CALLS: Final[dict[str, dict[str, Any]]] = {
    "plain": {"messages": [_USER]},
    "no generation prompt": {"messages": [_USER], "add_generation_prompt": False},
    "system": {"messages": [_SYSTEM, _USER]},
    "several turns": {"messages": [_SYSTEM, _USER, _ANSWER, _AGAIN]},
    "ends with an answer": {"messages": [_USER, _ANSWER], "add_generation_prompt": False},
    "tools": {"messages": [_USER], "tools": [_TOOL]},
    "tool call": {"messages": [_SYSTEM, _USER, _CALL, _RESULT], "tools": [_TOOL]},
    "typed content": {"messages": [{"role": "user", "content": [{"type": "text", "text": " What is LoRA?"}]}]},
    "reasoning": {"messages": [_USER, _THOUGHT, _AGAIN]},
    "thoughts in the text": {
        "messages": [_USER, {"role": "assistant", "content": "<think>\nHm.\n</think>\n\nA method."}, _AGAIN]
    },
    "no thinking": {"messages": [_USER], "chat_template_kwargs": {"enable_thinking": False}},
    "thinking": {"messages": [_USER], "chat_template_kwargs": {"enable_thinking": True}},
    "empty texts": {"messages": [{"role": "user", "content": ""}]},
    "no content": {"messages": [_USER, {"role": "assistant", "content": None, "tool_calls": None}, _USER]},
    "odd roles": {
        "messages": [{"role": "developer", "content": "Be brief."}, _USER, {"role": "critic", "content": "No."}]
    },
    "two users": {"messages": [_USER, _AGAIN]},
    "continue": {"messages": [_USER, _ANSWER], "continue_final_message": "content"},
    "documents": {"messages": [_USER], "documents": [{"title": "LoRA", "text": "Low rank."}]},
}
"""Calls in the form that `Call.from_json` reads."""
