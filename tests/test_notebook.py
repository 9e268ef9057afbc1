"""What notebooks show: safe whatever a token or a text is spelled like, and in the colors of the pages."""

from __future__ import annotations

import re
import unicodedata
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import explorer
from explorer.notebook import MOST_PIECES, MOST_TOKENS, hue
from explorer.text import visible
from tests.bundled import bundled

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</bdi></div>",
    "&lt;b&gt;",
    "<!--",
    "{}",
    "\u202e",
)
TAGS = {"div", "span", "bdi", "table", "tr", "th", "td", "ul", "li"}
CHARACTERS = st.text(st.characters(exclude_categories=("Cs",)), max_size=30)
MIXED = st.lists(st.one_of(CHARACTERS, st.sampled_from(HOSTILE)), max_size=4).map("".join)


class Read(HTMLParser):
    """Reads HTML as a browser would, and holds it to the few tags and attributes there may be."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.isolated: list[str] = []
        self.texts: list[str] = []
        self.styles: list[str] = []
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in TAGS
        assert {name for name, _ in attrs} <= {"style", "title"}
        self.styles += [value or "" for name, value in attrs if name == "style"]
        self.open.append(tag)
        if tag == "bdi":
            self.isolated.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        assert all(unicodedata.category(ch) not in ("Cc", "Cf", "Cs") for ch in data), ascii(data)
        self.texts.append(data)
        if "bdi" in self.open:
            self.isolated[-1] += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    handle_decl = handle_pi = unknown_decl = handle_comment


@pytest.mark.sample(1)
@pytest.mark.parametrize("spec", ["llama-2", "gpt-2", "bert-uncased", "rwkv-world"])
@given(text=MIXED)
def test_nothing_of_a_text_reaches_the_html_as_markup(spec: str, text: str) -> None:
    tok = bundled(spec)
    encoding = tok.encode(text)
    read = Read(encoding._repr_html_())
    assert len(read.isolated) == len(encoding)
    assert all(each == visible(each.replace("␣", " ")) for each in read.isolated)
    Read(tok.trace(text)._repr_html_())
    Read(explorer.compare(tok, bundled("gpt-2@llama.cpp"), text)._repr_html_())


def hostile_tokenizer(tmp_path: Path) -> explorer.Tokenizer:
    """Every token, the special ones too, and the file's own name are spelled like markup."""
    pieces = ", ".join(f"{escaped(each)}: {id}" for id, each in enumerate(HOSTILE))
    path = tmp_path / "<b onclick=x>.json"
    added = f'{{"id": 0, "content": {escaped(HOSTILE[0])}, "special": true, "single_word": false, "lstrip": false, '
    added += '"rstrip": false, "normalized": false}'
    path.write_text(
        f'{{"added_tokens": [{added}], "model": {{"type": "WordLevel", "vocab": {{{pieces}}}, "unk_token": '
        f"{escaped(HOSTILE[1])}}}}}"
    )
    return explorer.load(path)


def escaped(text: str) -> str:
    return '"' + "".join(f"\\u{ord(ch):04x}" for ch in text) + '"'


@pytest.mark.parametrize("piece", HOSTILE)
def test_tokens_labels_and_sentences_spelled_like_markup(piece: str, tmp_path: Path) -> None:
    tok = hostile_tokenizer(tmp_path)
    read = Read(tok.encode(piece)._repr_html_())
    assert read.isolated == [visible(piece)]
    Read(tok.trace(piece)._repr_html_())
    found = explorer.compare(tok, bundled("gpt-2"), piece)
    assert "<b onclick=x>.json" in "".join(Read(found._repr_html_()).texts)


def test_tokens_have_the_colors_of_the_pages() -> None:
    base = (Path(explorer.__file__).parent / "ui/components/base/dom.js").read_text("utf-8")
    angle = re.search(r"function hueOf\(id\) \{\s*return \(id \* ([\d.]+)\) % 360;", base)
    color = re.search(r"`oklch\(([\d.]+ [\d.]+) \$\{hueOf\(id\)\.toFixed\(1\)\}\)`", base)
    assert angle is not None
    assert color is not None
    encoding = bundled("gpt-2").encode("hello")
    (id,) = encoding.ids
    assert hue(id) == id * float(angle[1]) % 360
    assert any(f"oklch({color[1]} {hue(id):.1f} / " in style for style in Read(encoding._repr_html_()).styles)


def test_colors_are_the_notebooks_own_but_for_the_tokens() -> None:
    """Nothing sets a color of letters or an opaque background, so that dark notebooks stay dark."""
    html = bundled("gpt-2").trace("hello world")._repr_html_()
    for style in Read(html).styles:
        rules = dict(rule.split(":", 1) for rule in style.split(";") if rule)
        assert rules.get("color", "inherit") == "inherit"
        assert re.fullmatch(r"none|oklch\([^)]+ / 0\.25\)", rules.get("background", "none"))


def test_a_long_text_is_shown_in_part_and_says_so() -> None:
    trace = bundled("gpt-2").trace("a b" * 1000)
    encoded = Read(trace.encoding._repr_html_())
    assert len(encoded.isolated) == MOST_TOKENS
    assert f"and {len(trace.ids) - MOST_TOKENS:,} more tokens" in encoded.texts
    traced = Read(trace._repr_html_())
    assert f"and {len(trace.ids) - MOST_PIECES:,} more items" in traced.texts
    assert len("".join(traced.texts)) < 20_000


@pytest.mark.long
def test_a_comparison_marks_the_tokens_that_differ() -> None:
    found = explorer.compare("qwen2.5", "qwen2.5@llama.cpp", text="A\u030a b")
    read = Read(found._repr_html_())
    assert read.texts[0] == found.sentence
    marked = [style for style in read.styles if "border-bottom:4px" in style]
    assert len(marked) == 1 + 3
    same = Read(explorer.compare("gpt-2", "gpt-2@llama.cpp", text="hi")._repr_html_())
    assert not [style for style in same.styles if "border-bottom:4px" in style]


@given(content=MIXED, role=st.sampled_from(["user", "assistant", *HOSTILE]))
def test_a_prompt_is_safe_and_holds_every_token(content: str, role: str) -> None:
    made = bundled("qwen2.5").prompt([{"role": role, "content": content}], "ours:chatml")
    read = Read(made._repr_html_())
    assert read.isolated == [visible(made.text[token.start : token.end] or token.piece) for token in made.tokens]


def test_a_prompt_has_a_row_for_each_message_in_the_color_of_its_author() -> None:
    chat = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi<|im_end|>"}]
    made = bundled("qwen2.5").prompt(chat, "ours:chatml")
    html = made._repr_html_()
    text = " ".join(Read(html).texts)
    assert re.search(r"system.*user.*then", text, re.DOTALL)
    assert "is read as a control token" in text
    # a token of the template has no hue, one of the user has the user's
    assert "oklch(0.65 0.15 305" in html
    assert html.count("dashed") == sum(made.tokenizer.vocabulary.is_special(token.id) for token in made.tokens)
