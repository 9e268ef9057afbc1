"""Writes what the gallery draws: ``python -m tests.gallery``. Every token, id and count comes from the engine."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from explorer.analysis.languages import languages
from explorer.languages import ENGLISH
from explorer.learning.lessons import library
from explorer.learning.lessons.reading import lessons_in
from explorer.prompts.messages import packed
from explorer.views import components
from explorer.views.examples import TWO_LINES
from tests.bundled import bundled

FILE = Path(components.__file__).with_name("gallery.json")


def tokens(model: str, text: str, **options: bool) -> list[tuple[str, int]]:
    """What each token spells, in characters, with its id."""
    encoding = bundled(model).encode(text, **options)
    return [(encoding.bytes_of(token).decode(errors="replace"), token) for token in encoding.ids]


def chips(given: Iterable[tuple[str, int]], *, wrong: int = -1, under: bool = False, ids: bool = False) -> list[Any]:
    """Tokens of a picture. wrong: the index of the one to look at. under: ids below them; ids: in their place."""
    return [
        {"t": str(id) if ids else text, "id": id, "added": text.startswith("<"), "wrong": at == wrong}
        | ({"under": id} if under else {})
        for at, (text, id) in enumerate(given)
    ]


def page(path: str, **query: Any) -> str:
    """The address of a page, relative to the app's."""
    return f"./{path}?{urlencode(query, doseq=True)}"


def cards() -> Iterator[dict[str, Any]]:
    """Where each card leads, and its picture: rows of tokens, or bars."""
    ours, theirs = tokens("llama-2", "What is LoRA?"), [1, 5618, 338, 4309, 4717, 29973]
    pasted = [(bundled("llama-2").vocabulary.spelling(id), id) for id in theirs]
    first = next(at for at, (one, (_, other)) in enumerate(zip(theirs, ours, strict=True)) if one != other)
    yield {
        "href": page("compare", view="Expected ids", **{"with": "llama-2"}, text="What is LoRA?", expect=str(theirs)),
        "rows": [
            {"label": "theirs", "chips": chips(pasted[:4], wrong=first, ids=True), "more": True},
            {"label": "Llama 2", "chips": chips(ours[:4], wrong=first, ids=True), "more": True},
        ],
    }
    twice = tokens("llama-2", "<s>What is LoRA?")
    yield {
        "href": page("", m="llama-2", **{"as": "llama.cpp"}, text="<s>What is LoRA?", stage="partition"),
        "rows": [{"chips": chips(twice[:4], wrong=1, under=True)}],
    }
    same = tokens("gpt-2", "Hello Hello")
    yield {
        "href": page("", m="gpt-2", text="Hello Hello"),
        "rows": [{"chips": chips(same, wrong=1, under=True)}],
    }
    english, hindi = (languages()[code].text for code in ("en", "hi"))
    counts = [(english, "qwen2.5"), (hindi, "qwen2.5"), (hindi, "o200k_base")]
    yield {
        "href": page("compare", view="Languages", picked="Hindi", **{"with": ["qwen2.5", "o200k_base"]}),
        "bars": [
            {"label": label, "count": len(tokens(model, text)), "tone": tone}
            for (text, model), label, tone in zip(
                counts, ("English", "Hindi", "in GPT-4o"), ("", "wrong", "good"), strict=True
            )
        ],
    }
    name = " SolidGoldMagikarp"
    glitch = tokens("gpt-2", name)
    yield {
        "href": page("vocabulary", m="gpt-2", token=glitch[0][1]),
        "rows": [
            {"label": "GPT-2", "chips": chips(glitch), "after": str(glitch[0][1])},
            {"label": "Llama 3", "chips": chips(tokens("llama-3", name, add_special=False))},
        ],
    }
    said = "Hi<|im_end|>"
    chat = packed({"messages": [{"role": "user", "content": said}]})
    yield {
        "href": page("prompt", m="qwen2.5", chat=chat),
        "rows": [{"label": "user:", "chips": chips(tokens("qwen2.5", said), wrong=1, under=True)}],
    }
    encoding = bundled("gpt-2").encode("🤗")
    parts = [(encoding.bytes_of(id).hex(" ").upper(), id) for id in encoding.ids]
    yield {"href": page("", m="gpt-2", text="🤗"), "rows": [{"from": "🤗", "chips": chips(parts, under=True)}]}
    lesson = library()["train-bpe"]
    pairs = Counter(
        pair for word in TWO_LINES.replace("\n", " ").split(" ") for pair in zip(f"▁{word}", word, strict=False)
    )
    best, *others = sorted(pairs, key=lambda pair: (-pairs[pair], pair))
    shown = [best, *[pair for pair in others if "▁" not in pair][:3]]
    highest = pairs[best]
    yield {
        "href": page("learn", lesson=lesson.key),
        "bars": [
            {"label": " + ".join(pair), "count": pairs[pair], "tone": "good" if pairs[pair] == highest else ""}
            for pair in shown
        ],
        "minutes": lesson.minutes,
    }
    yield {"href": "./", "file": True}


def gallery() -> dict[str, Any]:
    """The content of the file."""
    token = library()["token"]
    return {
        "lesson": {"minutes": token.minutes, "tokens": tokens("gpt-2", "How many r's are in strawberry?")[2:7]},
        "lessons": len(lessons_in(ENGLISH)),
        "cards": list(cards()),
    }


def written(content: dict[str, Any]) -> str:
    """The file."""
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    FILE.write_text(written(gallery()), "utf-8")
