"""The reasoning that a server splits off before a parser of calls reads the rest, by patterns of reasoning.toml."""

import regex

from explorer.tables import read_toml

RULES = read_toml(__file__, "reasoning.toml")


def split(rule: str, text: str, *, tag: str, thinks: bool) -> tuple[str, int]:
    """The reasoning, and where the rest begins. tag: of calls. thinks: the prompt has opened it.

    >>> split("vllm", "Hm</think>Hi", tag="<tool_call>", thinks=False)
    ('Hm', 10)
    """
    row = RULES[rule]
    pattern = ("" if thinks else row["opens"]) + row["reads"].replace("{tag}", regex.escape(tag.strip()))
    match = regex.match(pattern, text, regex.DOTALL)
    return (match["reasoning"], match.end()) if match else ("", 0)
