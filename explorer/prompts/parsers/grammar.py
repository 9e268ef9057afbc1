"""What llama.cpp makes of an answer: it reads it by a grammar, which it generates from the model's template.

Follows llama.cpp b11549: `common_chat_peg_parse` of `common/chat.cpp` and the mapper of `chat-peg-parser.cpp`. Where a
text ends too early, what was read until then counts: a call that nothing closes is kept, and what may begin a tag at
the end is lost. Any other deviation refuses the whole answer, or, while it streams, what follows it. Left out: how a
grammar is generated, so grammars.toml has those of some templates; arguments in tags, typed by a tool's schema.
"""

import re
from bisect import bisect_left
from functools import lru_cache
from itertools import islice, zip_longest
from typing import Any

import regex

from explorer.engine import budget
from explorer.engine.regexes.safe import seconds_for
from explorer.prompts.parsers.message import Message, Names, ToolCall
from explorer.tables import read_toml

_TABLE = read_toml(__file__, "grammars.toml")
GRAMMARS = {name: _TABLE["usual"] | row for name, row in _TABLE["grammar"].items()}
WHOLE = re.compile(r"(?:[^\\]|\\u[0-9a-fA-F]{4}|\\[^u])*+", re.DOTALL)
"""Text without an escape that isn't finished."""
REFUSAL = "The model produced output that does not match the expected peg-native format"


@lru_cache(maxsize=64)
def pattern_of(name: str, tools: tuple[tuple[str, Any], ...]) -> regex.Pattern[str]:
    """A grammar for a request with these tools."""
    row = GRAMMARS[name]
    own = row["tools" if tools else "bare"] + "{json}"
    for key, text in row.items():
        own = own.replace(f"{{{key}}}", str(text))
    own = re.sub(r"\{until:([^}]+)\}", r"(?:{no:\1}.)*+", own)
    own = re.sub(r"\{no:([^}]+)\}", no, own)
    own = own.replace("{each}", "|".join(tool(row["tool"], *each) for each in tools))
    return regex.compile(own, regex.DOTALL, cache_pattern=False)


def tool(pattern: str, name: str, arguments: Any) -> str:
    """A pattern of a tool, filled in."""
    texts, others = ["(?!)"], ["(?!)"] if arguments is not None else [r"[^\W\d]\w*+"]
    for each, is_text in arguments or ():
        (texts if is_text else others).append(regex.escape(each))
    return pattern.format(
        name=regex.escape(name), texts="|".join(texts), others="|".join(others), optional="" if arguments else "?+"
    )


def no(match: re.Match[str]) -> str:
    """A pattern where neither a tag begins, nor what may become one at the end."""
    tag = match[1]
    begins = "|".join(regex.escape(tag[:count]) for count in range(len(tag)))
    return rf"(?!(?:{begins})\Z|{regex.escape(tag)})"


def read(text: str, names: Names, *, tag: str, thinks: bool, ends: bool) -> Message:
    """The message. tag: the name of the grammar. ends: whether the answer is whole."""
    row = GRAMMARS[tag]
    opened = row["opened"] if thinks or "always" in row else ""
    whole = opened + text

    def matched(count: int) -> Any:
        budget.ask("the parser")
        return pattern_of(tag, tuple(names.items())).fullmatch(whole, 0, count, partial=True, timeout=seconds_for(text))

    match = matched(len(whole))
    if (is_refused := match is None) and (not ends or "loose" in row):
        match = matched(bisect_left(range(len(whole)), x=True, key=lambda count: matched(count) is None) - 1)
    content, reasoning = ("".join(match.captures(each)) if match else "" for each in ("content", "reasoning"))
    if match is None or (is_refused and "abrupt" in row and match.end("content") < 1):
        return Message(error=REFUSAL)
    calls, size, last = list[ToolCall](), len(opened), (match.endpos, match.endpos)
    kept = match.spans("closes" if is_refused and "loose" in row else "named")
    if not (ends or content or reasoning or kept):
        kept = match.spans("named")  # an empty message takes nothing back
    parts = sorted((place, text) for name, text in row["parts"].items() if kept for place in match.spans(name))
    places = zip_longest(*map(match.spans, ("name", "begins", "arguments", "closes")), fillvalue=last)
    for (start, end), (begin, _), (_, stop), closes in islice(places, len(kept)):
        written = WHOLE.match(whole, begin, stop)[0].rstrip()  # type: ignore[index]
        if parts:
            first, after = (bisect_left(parts, ((at,), "")) for at in (begin, stop))
            written = "".join(text.format(whole[slice(*place)]) for place, text in parts[first:after])
        elif not written.startswith("{"):
            written = "{" if closes is last else "{}"
        calls.append(ToolCall(whole[start:end], written, start - size, stop - size))
    return Message(content or None, reasoning if reasoning.strip() else None, tuple(calls))
