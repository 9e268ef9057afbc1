"""Answers as models write them, half of them broken on purpose, from a seed."""

from __future__ import annotations

import json
from random import Random
from typing import Any

NAMES = ("get_weather", "get", "search", "book_flight")
VALUES: tuple[Any, ...] = (
    "Oslo", "São Paulo", 3, -1.5, True, None, ["a", "b{c}"], {"deep": {"er": [1, {"x": "}"}]}},
    'a "quoted" \\ one', "two\nlines", "", "</tool_call>", "[TOOL_CALLS]", "日本 🎉",
)  # fmt: skip
KEYS = ("city", "query", "n", "on")
CONTENT = ("", "", "I will look that up.", "  \n", "Let me see:\n\n", "Use {braces} and [brackets].", "⚡ Ünïcode ")
TAGS = ("</tool_call>", "<tool_call>", "]", "}", "```", "</think>", "<|python_tag|>", "(", ")")
HARMONY_TAGS = (
    *("<|start|>", "<|message|>", "<|channel|>", "<|end|>", "<|call|>", "<|return|>", "assistant", "commentary"),
    *("<|constrain|>", "functions.", "to=", " ", "final", "analysis"),
)
PYTHON_TAGS = (
    *("<|tool_call_start|>", "<|tool_call_end|>", "[", "]", "(", ")", "=", ", ", "'", '"'),
    *("None", "True", "</think>"),
)
BREAKS = ("cut", "drop", "add", "double", "quote", "name", "tag", "swap", "space")


def arguments(random: Random) -> dict[str, Any]:
    """Arguments of a call."""
    return {key: random.choice(VALUES) for key in random.sample(KEYS, random.randrange(4))}


def python(value: Any) -> str:
    """A value as Python writes it."""
    return repr(value)


def written(kind: str, random: Random) -> str:
    """An answer that nothing is wrong with."""
    calls = [(random.choice(NAMES), arguments(random)) for _ in range(random.choice((0, 1, 1, 2, 2, 3)))]
    field = random.choice(("arguments", "arguments", "parameters"))
    objects = [json.dumps({"name": name, field: each}, ensure_ascii=random.random() < 0.3) for name, each in calls]
    content, think = random.choice(CONTENT), ""
    if kind in ("hermes", "deepseek") and random.random() < 0.5:
        think = random.choice(
            ("<think>\nTwo cities.\n</think>\n\n", "<think></think>", "Hm.</think>", "<think>No end. ")
        )
    if kind == "harmony":
        return harmony(random, calls, content)
    if not calls:
        return think + (content or "Hi!")
    if kind == "hermes":
        space = random.choice(("\n", "\n", ""))
        between = random.choice(("\n", "", " and "))
        body = between.join(f"<tool_call>{space}{each}{space}</tool_call>" for each in objects)
    elif kind == "llama-3":
        content = random.choice(("", "", content))
        body = random.choice(("<|python_tag|>", "", "")) + random.choice((";", "; ", "\n")).join(objects)
        body = body if random.random() < 0.8 else body.replace('"', "'")
    elif kind == "mistral":
        body = random.choice(("[TOOL_CALLS] [", "[TOOL_CALLS][", "[TOOL_CALLS] [")) + ", ".join(objects) + "]"
        body += random.choice(("", "", " ok"))
    elif kind == "mistral-v11":
        body = "".join(
            f"[TOOL_CALLS]{name}{random.choice(('[ARGS]', ''))}{json.dumps(each, ensure_ascii=False)}"
            for name, each in calls
        )
    elif kind == "pythonic":
        content = random.choice(("", "", content))
        made = (f"{name}({', '.join(f'{key}={python(value)}' for key, value in each.items())})" for name, each in calls)
        body = f"[{', '.join(made)}]"
    else:
        indent = random.choice((None, None, 2))
        made = (
            f"<｜tool▁call▁begin｜>function<｜tool▁sep｜>{name}\n```json\n"
            f"{json.dumps(each, ensure_ascii=False, indent=indent)}\n```<｜tool▁call▁end｜>"
            for name, each in calls
        )
        body = "<｜tool▁calls▁begin｜>" + random.choice(("\n", "")).join(made) + "<｜tool▁calls▁end｜>"
    return think + content + body + random.choice(("", "", "\n", " Done."))


def harmony(random: Random, calls: list[tuple[str, Any]], content: str) -> str:
    """Messages of Harmony."""
    made = []
    if random.random() < 0.6:
        made.append(f"<|channel|>analysis<|message|>{random.choice(('Two cities.', 'Hm ', ''))}")
    if content and random.random() < 0.5:
        made.append(f"<|channel|>commentary<|message|>{content}")
    for name, each in calls:
        to = random.choice((f"functions.{name}", f"functions.{name}", f"functions.{name}", name, "browser.search"))
        kind = random.choice((" <|constrain|>json", "<|constrain|>json", " json", " code", ""))
        channel = random.choice(("<|channel|>commentary", "<|channel|>commentary", "<|channel|>analysis", ""))
        header = random.choice((f"{channel} to={to}{kind}", f" to={to}{channel}{kind}"))
        text = json.dumps(each, ensure_ascii=False, indent=random.choice((None, 2)))
        made.append(f"{header}<|message|>{text}")
        if random.random() < 0.2:
            made.append(f"{random.choice((to, 'tool', 'user'))} to=assistant<|channel|>commentary<|message|>sun")
    if not calls or random.random() < 0.3:
        made.append(f"<|channel|>final<|message|>{content or 'Hi!'}")
    text = ""
    for each in made:
        is_other = not each.startswith(("<", " "))
        text += each if not text else f"<|end|><|start|>{'' if is_other else 'assistant'}{each}"
    return text + random.choice(("<|call|>", "<|call|>", "<|end|>", "") if calls else ("<|return|>", "<|return|>", ""))


def broken(text: str, random: Random, tags: tuple[str, ...] = TAGS) -> str:
    """The same with one or two faults."""
    for _ in range(random.choice((1, 1, 2))):
        how, at = random.choice(BREAKS), random.randrange(len(text) + 1)
        if how == "cut":
            text = text[:at]
        elif how == "drop":
            text = text[:at] + text[at + 1 :]
        elif how == "add":
            text = text[:at] + random.choice('{}[]",:<\\x;') + text[at:]
        elif how == "double":
            text += text[at:]
        elif how == "quote":
            text = text.replace('"', random.choice(("'", "“", "")), random.choice((1, 2, 99)))
        elif how == "name":
            text = text.replace(random.choice(NAMES), random.choice(("unknown", "", "get-it", '"')), 1)
        elif how == "tag":
            text = text.replace(random.choice(tags), random.choice(("", tags[1], "\n")), 1)
        elif how == "swap":
            text = text[at:] + text[:at]
        else:
            text = text.replace(random.choice(("\n", " ", '"arguments"')), random.choice(("", "\n\n", '"args"')), 1)
    return text


FORMS = {
    "qwen3": ("<tool_call>\n", "\n</tool_call>", "\n"),
    "llama3.1": ("", "", ""),
    "mistral-nemo": ("", "", ", "),
    "ministral3": ("[TOOL_CALLS]", "", ""),
    "deepseek-r1": ("<｜tool▁call▁begin｜>function<｜tool▁sep｜>", "\n```<｜tool▁call▁end｜>", "\n"),
}
"""What stands before a call, after it and between two, by llama.cpp's grammars."""
THOUGHTS = {
    "qwen3": ("<think>\n", "\n</think>\n\n"),
    "deepseek-r1": ("", "\n</think>\n\n"),
    "ministral3": ("[THINK]", "[/THINK]"),
}


def as_gpt_oss(random: Random) -> str:
    """Messages of Harmony that llama.cpp reads: a call is the last."""
    said = ["<|channel|>commentary<|message|>I will look that up."] if random.random() < 0.3 else []
    for _ in range(random.choice((0, 1, 1, 2))):
        stray = random.choice(("", "", "", "<|channel|>commentary", "<|channel|>commentary to=assistant"))
        said.insert(0, f"{stray}<|channel|>analysis<|message|>{random.choice(('Two cities.', ' ', 'Hm < | >'))}")
    if random.random() < 0.7:
        channel = f"<|channel|>{random.choice(('commentary', 'commentary', 'analysis'))}"
        to, given = f" to=functions.{random.choice(NAMES[:3])}", json.dumps(arguments(random), ensure_ascii=False)
        kind = random.choice((" <|constrain|>json", "<|constrain|>json", " json", "code", "_x", ""))
        header = random.choice((channel + to, channel + to, to + channel)) + kind
        said.append(f"{header}<|message|>{given}{random.choice(('<|call|>', '<|end|>', '', ' ok'))}")
    else:
        end = random.choice(("", "<|end|>", "<|return|>"))
        said.append(f"<|channel|>final<|message|>{random.choice(CONTENT)}{end}")
    return "<|end|><|start|>assistant".join(said)


def as_lfm2(random: Random) -> str:
    """Calls in Python between LFM2's tags."""
    calls = []
    for _ in range(random.choice((1, 1, 2, 3))):
        tool = random.choice(NAMES[:3])
        keys = () if tool == "search" else random.sample(KEYS, random.randrange(1, 4))
        given = [f"{key}={value(random, is_text=key == 'city')}" for key in keys]
        calls.append(f"{tool}({random.choice((', ', ', ', ',')).join(given)})")
    body = f"<|tool_call_start|>[{random.choice((', ', ',')).join(calls)}]<|tool_call_end|>"
    return random.choice(("", "<think>Two cities.</think>")) + random.choice(CONTENT) + body


def value(random: Random, *, is_text: bool) -> str:
    """An argument, by Python or by JSON, which LFM2 writes, too. is_text: mostly."""
    texts = ("Oslo", "", 'it\'s "so"', "\\'", "two\nlines", "日本 🎉", None)
    each = random.choice(texts if is_text else (*VALUES, {"a": {}, "b": [1, [2.5e-3]]}, *texts))
    return json.dumps(each, ensure_ascii=random.random() < 0.3) if random.random() < 0.3 else python(each)


def as_a_grammar_has_it(name: str, random: Random) -> str:
    """An answer that a grammar of llama.cpp reads."""
    if name in OWN:
        return OWN[name](random)
    opens, closes, between = FORMS[name]
    content = random.choice(CONTENT)
    thought = random.choice(("", "Two cities.")).join(THOUGHTS[name]) if name in THOUGHTS else ""
    thought = thought if name == "deepseek-r1" or random.random() < 0.5 else ""
    calls = []
    for _ in range(1 if name == "llama3.1" else random.choice((1, 1, 2, 3))):
        tool, given = random.choice(NAMES[:3]), json.dumps(arguments(random), ensure_ascii=random.random() < 0.3)
        if name == "ministral3":
            call = f"{tool}[ARGS]{given}"
        elif name == "deepseek-r1":
            call = f"{tool}\n```json\n{given}"
        else:
            key = "parameters" if name == "llama3.1" else "arguments"
            more = ', "id": "a1b2c3d4e"' if name == "mistral-nemo" else ""
            call = f'{{"name": "{tool}", "{key}": {given}{more}}}'
        calls.append(f"{opens}{call}{closes}")
    body = between.join(calls)
    if name == "mistral-nemo":
        body = f"[TOOL_CALLS][{body}]"
    elif name == "deepseek-r1":
        body = f"<｜tool▁calls▁begin｜>{body}<｜tool▁calls▁end｜>"
    elif name == "llama3.1":
        content = random.choice(("", "Look: "))
    return thought + content + body


OWN = {"gpt-oss": as_gpt_oss, "lfm2": as_lfm2}


def grammar_answers(name: str, seed: int, count: int = 200) -> list[str]:
    """Answers for a grammar of llama.cpp, every other one broken."""
    random = Random(f"{name} {seed}")
    whole = [as_a_grammar_has_it(name, random) for _ in range(count)]
    tags = {"gpt-oss": HARMONY_TAGS, "lfm2": PYTHON_TAGS}.get(name, TAGS)
    return [broken(each, random, tags) if index % 2 else each for index, each in enumerate(whole)]


def answers(kind: str, seed: int, count: int = 200) -> list[str]:
    """Answers, every other one broken."""
    random = Random(f"{kind} {seed}")
    whole = [written(kind, random) for _ in range(count)]
    tags = HARMONY_TAGS if kind == "harmony" else TAGS
    return [broken(each, random, tags) if index % 2 else each for index, each in enumerate(whole)]
