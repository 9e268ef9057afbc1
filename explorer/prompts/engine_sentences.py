"""What is said about a comparison of two engines: where they part, what causes it, and whether that is proved."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from explorer.prompts.engines import Difference, Engines, Side
from explorer.prompts.llama_cpp.capabilities import Capabilities, capabilities
from explorer.prompts.llama_cpp.formats import format_of
from explorer.prompts.llama_cpp.program import PRESERVE
from explorer.prompts.llama_cpp.rules import Rule
from explorer.prompts.llama_cpp.thinking import thinks
from explorer.prompts.run import TemplateFailed
from explorer.text.say import Say, listed, plain

READ_KEYS: Final = ("role", "content", "reasoning_content", "name", "tool_call_id", "tool_calls")
"""The keys of a message that llama.cpp keeps."""


def headline(found: Engines) -> Say:
    """Whether both write the same, else where they part."""
    if found.token is None:
        return _one_fails(found)
    return Say.of("At token {0} {1}", found.token + 1, _at_token(found, found.token))


def _one_fails(found: Engines) -> Say:
    if found.same:
        if not found.transformers.prompt:
            return Say.of("Neither engine renders this.")
        same_text = found.llama_cpp.prompt and found.transformers.prompt.text == found.llama_cpp.prompt.text
        return Say.of("Both write the same text." if same_text else "Both give the same ids.")
    fails, renders = found.sides if found.llama_cpp.prompt else found.sides[::-1]
    if fails.line:
        return Say.of("Only {0:t} renders this: {1:t} stops at line {2:i}.", renders.engine, fails.engine, fails.line)
    return Say.of("Only {0:t} renders this: {1:t} refuses it.", renders.engine, fails.engine)


def _at_token(found: Engines, token: int) -> Say:
    """What each engine has at the token where they part."""
    one, other = found.sides
    only_one, only_other = found.extra
    if only_one:
        return Say.of("transformers writes {0:q}, llama.cpp does not.", spelled(one, token, only_one))
    if only_other:
        return Say.of("llama.cpp writes {0:q}, transformers does not.", spelled(other, token, only_other))
    if token >= len(one.ids):
        return Say.of("transformers ends, llama.cpp goes on with {0:q}.", spelled(other, token))
    if token >= len(other.ids):
        return Say.of("transformers goes on with {0:q}, llama.cpp ends.", spelled(one, token))
    return Say.of("transformers writes {0:q}, llama.cpp {1:q}.", spelled(one, token), spelled(other, token))


def spelled(side: Side, index: int, count: int = 1) -> str:
    """Tokens as they stand in the prompt's text."""
    assert side.prompt is not None
    tokens = side.prompt.tokens[index : index + count]
    return "".join(side.prompt.text[token.start : token.end] or token.piece for token in tokens)


def reason(found: Engines) -> Say:
    """The cause of the first difference, or why there is none."""
    if found.same:
        if found.transformers.prompt:
            return Say.of("{0} tokens, the same in both.", len(found.transformers.ids))
        return errors(found)
    if not found.differences:
        return Say.of("The cause isn't known.")
    first = cause(found, found.differences[0])
    if found.decision and found.line:
        first = Say.of("{0} {1}", Say.of("They part at line {0:i}.", found.line), first)
    return first


def errors(found: Engines) -> Say:
    """What each engine says that fails."""
    said = [Say.of("{0:t} says: {1:t}", side.engine, side.error) for side in found.sides if not side.prompt]
    return said[0].then(*said[1:])


def cause(found: Engines, difference: Difference) -> Say:
    """What causes a difference."""
    if difference.rules:
        said = [SENTENCES[rule](found) for rule in difference.rules]
        return said[0].then(*said[1:])
    if difference.failed:
        return Say.of("{0:t} says: {1:t}", difference.failed.engine, difference.failed.error)
    return Say.of("The cause isn't known: no rule of llama.cpp that is followed here explains it.")


def proof(found: Engines, difference: Difference) -> Say:
    """How a cause is proved."""
    if not difference.proved:
        fails = (
            "Possible, not proved: without this, llama.cpp fails." if difference.rules else "Nothing proves a cause."
        )
        return Say.of(fails)
    if not difference.rules:
        return Say.of("The engine says so itself.")
    if difference.rules == (Rule.ADDED,):
        return Say.of("Proved: without the tokens around it, llama.cpp reads the ids of the text alone.")
    this = "this" if len(difference.rules) == 1 else "these together"
    if len(found.differences) == 1:
        return Say.of("Proved: without {0:t}, llama.cpp does as transformers does.", this)
    return Say.of("Proved: without {0:t}, both agree further.", this)


def note(found: Engines) -> Say | None:
    """What llama-server does besides that this comparison of template engines leaves out, None for most calls."""
    last = found.call.messages[-1].get("role") if found.call.messages else None
    if found.call.continue_final:
        return Say.of("The last message is compared as it is: each engine continues it in a way of its own.")
    if last != "assistant":
        return None
    return Say.of("llama-server would continue this answer, and not end it: what is compared is its template engine.")


def settings(found: Engines) -> Say | None:
    """With which variables both engines write the same; None if no variable makes them."""
    if not found.settings:
        return None
    assigned = ", ".join(f"{name} = {'true' if value else 'false'}" for name, value in found.settings.items())
    return Say.of("Both write the same with {0:q}.", assigned)


def _of_probes(found: Engines) -> Capabilities:
    side = found.llama_cpp.prompt or found.transformers.prompt
    return capabilities(side.rendering.source) if side else Capabilities()


def _preserve(found: Engines) -> Say:
    source = next(side.prompt.rendering.source for side in found.sides if side.prompt)
    names = [f"{name} to {'true' if value else 'false'}" for name, value in PRESERVE.items() if name in source]
    return Say.of(
        "llama.cpp sets {0:t}, to keep earlier reasoning; transformers leaves it unset.", " and ".join(names) or "this"
    )


def _documents(found: Engines) -> Say:
    if found.call.documents:
        return Say.of("transformers hands the documents to the template, llama.cpp has no documents.")
    return Say.of("transformers sets {0:q} to none, llama.cpp leaves it unset.", "documents")


def _refused(found: Engines) -> Say:
    return Say.of("{0:t} transformers hands it to the template.", found.llama_cpp.error)


def _keys(found: Engines) -> Say:
    names = dict.fromkeys(key for message in found.call.messages for key in message if key not in READ_KEYS)
    if not names:
        return Say.of("llama.cpp orders the keys of a message anew.")
    return Say.of("llama.cpp drops {0} from messages, transformers hands it to the template.", listed([*names]))


def _arguments(found: Engines) -> Say:
    if _of_probes(found).supports_object_arguments:
        return Say.of("A probe found that this template reads arguments as an object: llama.cpp makes one of them.")
    return Say.of("llama.cpp writes the arguments of a tool call as JSON, transformers hands them over as they are.")


def _typed(found: Engines) -> Say:
    caps = _of_probes(found)
    if not caps.supports_typed_content and caps.supports_string_content:
        return Say.of("Probes found that this template takes content only as text: llama.cpp joins its parts to one.")
    if caps.supports_typed_content and not caps.supports_string_content:
        return Say.of(
            "Probes found that this template takes content only as parts: llama.cpp makes a part of each text."
        )
    return Say.of("llama.cpp keeps only type and text of each part of a content.")


def _added(found: Engines) -> Say:
    added = [found.tokenizer.vocabulary.spelling(id) for id in found.tokenizer.encode("").ids]
    return Say.of(
        "This tokenizer adds {0} to a text: llama.cpp has it once, whether the template writes it or not; transformers "
        "adds nothing to what the template writes.",
        listed(added),
    )


def _source(found: Engines) -> Say:
    side = found.transformers.prompt or found.llama_cpp.prompt
    if side and side.rendering.source in ("", "chatml"):
        return Say.of("The template is empty or a name: llama.cpp takes ChatML instead.")
    return Say.of("llama.cpp switches off a test of this template that refuses some messages.")


def _thinking(found: Engines) -> Say:
    return Say.of(
        "transformers leaves {0:q} unset, llama.cpp sets it to {1:t}: it {2:t} reasoning in what this template writes.",
        "enable_thinking",
        *(("true", "finds") if thinks(_template(found)) else ("false", "finds no")),
    )


def _template(found: Engines) -> str:
    return next(side.prompt.rendering.source for side in found.sides if side.prompt)


def _effort(found: Engines) -> Say:
    if found.call.reasoning_effort is not None:
        return Say.of("llama.cpp makes a variable of {0:q} at the top of the call, transformers doesn't.", EFFORT)
    return Say.of("llama.cpp hands {0:q} over as {1:q}, too.", EFFORT, "reasoning_strength")


EFFORT: Final = "reasoning_effort"


def _recognized(found: Engines) -> Say:
    known = format_of(_template(found))
    return Say.of("llama.cpp recognizes the format {0:q}, and changes messages for it.", known.name if known else "")


def _always(template: str, *values: Any) -> Callable[[Engines], Say]:
    return lambda found: Say.of(template, *values)


def _unset(name: str, value: str, why: str = "") -> Callable[[Engines], Say]:
    return _always(why + "transformers sets {0:q} to {1:t}, llama.cpp leaves it unset.", name, value)


SENTENCES: Final[Mapping[Rule, Callable[[Engines], Say]]] = {
    Rule.SOURCE: _source,
    Rule.THINKING: _thinking,
    Rule.PRESERVE: _preserve,
    Rule.ASKS: _unset("add_generation_prompt", "false", "Nothing asks for an answer: "),
    Rule.TOOLS: _unset("tools", "none", "There are no tools: "),
    Rule.REBUILT: _always(
        "llama.cpp builds tools anew from type, function, name, description and parameters; transformers hands them "
        "over as they are."
    ),
    Rule.EFFORT: _effort,
    Rule.DATES: _always(
        "llama.cpp sets {0:q} and {1:q} to today's date, transformers leaves them unset.", "date_string", "datetime"
    ),
    Rule.DOCUMENTS: _documents,
    Rule.TOKENS: _always(
        "transformers gives the template the special tokens that the tokenizer names; llama.cpp gives only BOS and "
        "EOS, and an empty text where there is none."
    ),
    Rule.READS: _refused,
    Rule.KEYS: _keys,
    Rule.CONTENT: _always("In llama.cpp a message without content has an empty one; in transformers it has none."),
    Rule.REASONING: _always(
        "transformers hands reasoning over under each of its names, llama.cpp only {0:q}.", "reasoning_content"
    ),
    Rule.CALLS: _always(
        "llama.cpp builds tool calls anew from type, function and id, and drops an empty list of them; transformers "
        "hands them over as they are."
    ),
    Rule.ARGUMENTS: _arguments,
    Rule.DEVELOPER: _always("llama.cpp makes a system message of a developer's, transformers keeps the role."),
    Rule.SYSTEM: _always(
        "A probe found that this template ignores the system message: llama.cpp puts its text in front of the next one."
    ),
    Rule.TYPED: _typed,
    Rule.RECOGNIZED: _recognized,
    Rule.START: _always("llama.cpp drops the first character of a template where a tag follows it."),
    Rule.JOINS: _always("jinja2's + refuses to join a text with a value of another type; llama.cpp writes it as text."),
    Rule.UNDEFINED: _always(
        "jinja2 refuses to read from an undefined value or to calculate with it; llama.cpp takes it as nothing."
    ),
    Rule.SHOWN: _always(
        "jinja2 writes none, lists and objects as Python does; llama.cpp writes nothing for none and for an object, "
        "and a list's items one after the other."
    ),
    Rule.CHARACTERS: _always(
        "jinja2 reads a text as a list of its characters where a list is needed, llama.cpp doesn't."
    ),
    Rule.SAFE: _always("After jinja2's filter safe, + escapes what it joins; llama.cpp escapes nothing."),
    Rule.FORMAT: _always("jinja2's filter format fills {0:q}, that of llama.cpp {1:q}.", "%s", "{}"),
    Rule.CHANGED: _always("The sandbox of transformers refuses to change a list, llama.cpp changes it."),
    Rule.LAZY: _always(
        "jinja2's filters map and select give generators, which have no length and no JSON; those of llama.cpp give "
        "lists."
    ),
    Rule.JUMPS: _always("llama.cpp drops what a block wrote before it leaves the turn by continue or break."),
    Rule.TURNS: _always("In llama.cpp a variable that one turn of a loop sets keeps its value in the next one."),
    Rule.MACROS: _always(
        "In llama.cpp a macro sees the variables of its caller, in jinja2 those around its definition."
    ),
    Rule.JSON: _always("transformers writes JSON as Python does, llama.cpp with rules of its own for numbers."),
    Rule.ADDED: _added,
}


def lines(found: Engines) -> list[str]:
    """The comparison as lines of text."""
    said = [headline(found), reason(found)]
    for difference in found.differences[:1]:
        said.append(proof(found, difference))
    said += [
        Say.of("Also: {0} {1}", cause(found, difference), proof(found, difference))
        for difference in found.differences[1:]
    ]
    said += [each for each in (settings(found), note(found)) if each]
    return [plain(each) for each in said]


def engines_record(found: Engines) -> dict[str, Any]:
    """The comparison as data."""
    return {
        "same": found.same,
        "sentence": plain(headline(found)),
        "reason": plain(reason(found)),
        "token": found.token,
        "line": found.line or None,
        "sides": [
            {
                "engine": side.engine,
                "text": side.prompt.text if side.prompt else None,
                "ids": side.ids if side.prompt else None,
                "error": side.error or None,
                "line": side.line or None,
            }
            for side in found.sides
        ],
        "differences": [
            {
                "at": each.at,
                "rules": [rule.value for rule in each.rules],
                "engine": each.failed.engine if each.failed else None,
                "proved": each.proved,
                "sentence": plain(cause(found, each)),
            }
            for each in found.differences
        ],
        "settings": dict(found.settings),
        "note": plain(said) if (said := note(found)) else None,
        "capabilities": capabilities_of(found),
    }


def capabilities_of(found: Engines) -> dict[str, bool]:
    """What llama.cpp's probes found that the template can take, as its `/props` names it; none unless it parses."""
    try:
        caps = _of_probes(found)
    except TemplateFailed:
        return {}
    return {name: getattr(caps, name) for name in caps.__slots__}
