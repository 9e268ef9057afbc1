"""What a page in German or Japanese still says in English: nothing but names, code, and what was typed.

Japanese is told from English by its letters; in German, nothing may be said in several words as on the English page.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import urlencode

import pytest

from explorer.languages import CONTEXT, phrases
from explorer.ui.train import LEVELS, PANELS
from explorer.views.prompt import check
from explorer.views.prompt.registry import VIEWS as PROMPT_VIEWS
from tests.browser.conftest import DESK, Explorer

pytestmark = [pytest.mark.browser, pytest.mark.long]
Visit = Callable[..., Explorer]

VISIBLE = r"""(language) => {
  const found = [];
  // code, tokens and typed text; icons are words of a font
  const left = ["code", "bdi", ".q", "pre", "textarea", "script", "style", "option", "kbd", ".token", ".tok", ".num",
    ".name", ".code", "[data-testid=stIconMaterial]", "svg", "b", ".top-text", ".ghost", ".work", ".bd-cell",
    ".pr-text", ".pr-back", ".pr-found", ".pr-translation"].join();
  const walk = (root) => {
    for (const node of root.childNodes) {
      if (node.nodeType === 1) {
        if (node.shadowRoot) walk(node.shadowRoot);
        walk(node);
      }
      const text = node.nodeType === 3 ? node.textContent.trim() : "";
      const around = node.parentElement;
      const japanese = language === "ja" && /[\u3040-\u30ff\u4e00-\u9fff]/.test(text);
      if (!/[A-Za-z]{2,}/.test(text) || japanese || !around || around.closest(left)) continue;
      const wide = around.getBoundingClientRect().width > 2;
      if (wide && around.checkVisibility({ visibilityProperty: true })) found.push(text);
    }
  };
  walk(document.body);
  return found;
}"""
"""The visible texts with Latin words, on a page in Japanese those without Japanese."""
NAMES = re.compile(
    r"(Llama|GPT|Qwen|Mistral|XLM|BERT|RWKV|o200k|cl100k)[\w .()·-]*|llama\.cpp|Hugging Face|sentencepiece|tokenizers"
    r"|(JSON|CSV|Markdown|BPE|WordPiece|Unigram|WordLevel|SentencePiece BPE|Esc|IDs?|SVG|PNG|English|Ctrl|Play)\W*"
    r'|"([^"\\]|\\.)*":?|\{".*|\d+\.[\w.-]+|(vLLM|SGLang|transformers)( \w+)?'
    r"|(LaTeX|NSL|STRR)\W*|(\W|U\+|\d|[A-F0-9]{2}\b)*"
)
"""What is said in no language: names of tokenizers, programs, formats, algorithms, measures and keys."""
WORDS = re.compile("[a-z]{2,} [a-z]{2,}")
EXAMPLES = {
    "System",
    "answer",
    "developer",
    "Hello world",
    "user:",
    "system",
    "user",
    "assistant",
    "rev_merge",
    "Aa",
    "English, GPT-2",
    "Ollama <tool_call>",
    "tc",
    "ld",
}
"""Names of roles, languages and files, and words of examples."""
REMAIN = {"Upload"}
"""What has no translation yet, of a widget that is not ours; nothing may join it."""
TEXT = {"text": "Hello wörld, 1234 tokenization"}
VIEWS = {
    "": [
        *({"stage": each} for each in ("utf8", "partition", "normalize", "pre-tokenize")),
        *({"stage": each} for each in ("model", "post-process", "decode")),
        *({"level": each} for each in ("implementation",)),
        *({"border": "5", "between": each} for each in ("Ids in these ids", "A stop string")),
        {"stage": "decode", "stream": "One by one"}, {"stage": "utf8", "bytes": "E2 82 41"}, {"ways": "1"},
        {"text": ""}, {"m": "bert-uncased"}, {"m": "bert-uncased", "text": "W 😊 Café's", "stage": "decode"},
        {"m": "gpt-2", "pattern": "(a"}, {"ids": "1 99999999"},
    ],
    "vocabulary": [{"m": "gpt-2", "token": "262"}, {"m": "gpt-2", "beside": "llama-3", "look": "Differences"},
                   *({"m": "gpt-2", "look": "Trim and extend", "way": way} for way in ("Trim", "Extend"))],
    "prompt": [{"view": each.name} for each in (*PROMPT_VIEWS, check.VIEW)],
    "compare": [
        {"view": each}
        for each in ("Side by side", "What if", "Languages")
    ],
    "corpus": [
        {"part": each}
        for each in ("Languages", "Whole text", "Lengths", "Frequent tokens", "All numbers", "A larger corpus",
                     "For a paper")
    ],
    "train": [
        {"ask": each, "why": "the"}
        for each in (*LEVELS, *PANELS)
    ],
    "learn": [{}, {"lesson": "bpe"}, {"lesson": "prompt", "card": "2"}], "start": [{}],
}  # fmt: skip
"""Pages, and what their tabs, stages and cards are called in the address."""
STATES = [(page, {**TEXT, **query} if page in ("", "compare") else query) for page in VIEWS for query in VIEWS[page]]
STATES += [("compare", {"text": "Hello", "view": each}) for each in ("Where they part", "Expected ids", "While typing")]


@pytest.mark.parametrize("language", ["de", "ja"])
@pytest.mark.parametrize(("page", "query"), STATES)
def test_a_page_has_no_english_words(visit: Visit, page: str, query: dict[str, str], language: str) -> None:
    seen = visit(DESK)
    english = shown(seen, page, query, "en") if language == "de" else set()
    typed = {*query.values(), *EXAMPLES, *REMAIN}
    shown(seen, page, query, language)
    assert seen.comes_to(lambda: not left(seen, typed, language, english)), left(seen, typed, language, english)


def shown(seen: Explorer, page: str, query: dict[str, str], language: str) -> set[str]:
    """Opens a page in a language, and returns its visible texts."""
    seen.page.goto(f"{seen.address}/{page}?{urlencode({**query, 'lang': language})}")
    seen.page.locator(".ky-share").wait_for(state="attached")
    seen.settle()
    return {*seen.page.evaluate(VISIBLE, language)}


def left(seen: Explorer, typed: set[str], language: str, english: set[str]) -> set[str]:
    """What is visible and English. english: the visible texts of the English page, in German."""
    forms = phrases(language).forms
    same = {each.rpartition(CONTEXT)[2] for each, said in forms.items() if each.rpartition(CONTEXT)[2] in said}
    found = {each for each in seen.page.evaluate(VISIBLE, language) if each not in typed and not NAMES.fullmatch(each)}
    return found if language == "ja" else {each for each in found & english - same if WORDS.search(each)}
