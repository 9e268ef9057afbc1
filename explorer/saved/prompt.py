"""A prompt as a saved page: its template, step by step, and the tokens that each step writes."""

from __future__ import annotations

from hashlib import sha256

from explorer.analysis.export import Provenance
from explorer.opening.titles import implementation_title
from explorer.prompts.prompt import Prompt
from explorer.saved.explore import name_of, title_of
from explorer.saved.page import Page, in_base64, made_of
from explorer.script.packing import pack_dense
from explorer.text import visible
from explorer.text.say import plural
from explorer.views.prompt.tokens import cells
from explorer.views.steppers.template_script import Play, template_script


def prompt_page(prompt: Prompt) -> Page:
    """A prompt as a saved page.

    >>> import explorer
    >>> chat = [{"role": "user", "content": "Hi"}]
    >>> prompt_page(explorer.load("qwen2.5").prompt(chat, "ours:chatml")).heading
    'A prompt of 1 message in Qwen 2.5 · Hugging Face'
    """
    tokenizer, run = prompt.tokenizer, prompt.rendering
    played = template_script(Play(run, cells(prompt), prompt.call, prompt.engine))
    script = pack_dense(played.data)
    provenance = Provenance.of([tokenizer], prompt.text, None)
    messages, tokens = plural(len(prompt.call.messages), "message"), plural(len(prompt.tokens), "token")
    title = implementation_title(tokenizer.implementation)
    name = visible(prompt.template) or (
        "the model's own" if run.source in tokenizer.chat.sources.values() else "a given one"
    )
    source = sha256(run.source.encode()).hexdigest()
    made = [
        *made_of(provenance),
        (
            "Template",
            f"{name}, {plural(len(run.source), 'character')}, sha256 {source}",
        ),
        ("Engine", prompt.engine),
    ]
    return Page(
        "prompt",
        f"A prompt of {messages} in {title_of(tokenizer)}",
        {
            "script": in_base64(script),
            "on": {"script_id": sha256(script).hexdigest()[:16], "start": len(played)},
            "says": f"{tokens}. Template: {name}.",
        },
        made,
        f"{name_of(tokenizer)}, as {title} runs it; its template, as {prompt.engine} does.",
        provenance.file_name("prompt", "html"),
    )
