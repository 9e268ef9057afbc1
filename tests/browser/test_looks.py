"""The layout of the page: nothing is cut off, overlaps, or moves under the pointer."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.browser.conftest import DESK, PHONE, Explorer

pytestmark = [pytest.mark.browser, pytest.mark.long]
Visit = Callable[..., Explorer]

FAMILIES = ("llama-2", "xlm-r", "bert-uncased", "rwkv-world", "o200k_base")
TEXTS = {
    "scripts": "Hello, こんにちは! 😊",
    "long word": "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft" * 3,
    "right to left": "مرحبا بالعالم، هذا نص طويل. שלום עולם 123 abc " * 3,
    "marks": "Z" + "".join(chr(0x300 + i) for i in range(40)) + "a" + "\u0336" * 20,
    "controls": "\x00\x1b[0m\u202e\u2066\u200b\ufeff\U0010ffff" + "\n" * 40,
    "markup": "<style>*{display:none}</style> **b** $\\frac{1}{2}$ :smile: [x](y) | a | b |",
    "emoji": "👨‍👩‍👧‍👦🏳️‍🌈🫠👍🏽" * 12,
}
OUTSIDE = """() => {
  const wide = document.documentElement.clientWidth, found = [];
  const scrolls = (node) => {
    for (let at = node.parentElement ?? node.getRootNode().host; at; at = at.parentElement ?? at.getRootNode().host) {
      if (at.matches('[data-testid="stMain"]')) return false;
      if (getComputedStyle(at).overflowX !== 'visible') return true;
    }
    return false;
  };
  const look = (root) => {
    for (const node of root.querySelectorAll('*')) {
      if (node.shadowRoot) look(node.shadowRoot);
      const { left, right, width } = node.getBoundingClientRect();
      if (width && (left < -1 || right > wide + 1) && !scrolls(node)) found.push(node.className || node.tagName);
    }
  };
  look(document.querySelector('[data-testid="stMain"]'));
  return found;
}"""
OVERLAPS = """nodes => {
  const boxes = nodes.map((node) => node.getBoundingClientRect()).filter((box) => box.width);
  return boxes.flatMap((a, i) => boxes.slice(i + 1).filter((b) =>
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1)).length;
}"""
CUT = "nodes => nodes.filter((node) => node.scrollWidth > node.clientWidth + 1).map((node) => node.textContent)"


@pytest.mark.long
@pytest.mark.parametrize("name", FAMILIES)
def test_nothing_overflows_a_phone_and_nothing_overlaps(visit: Visit, name: str) -> None:
    page = visit(PHONE).open(m=name)
    for label, text in TEXTS.items():
        page.field.fill(text)
        page.page.wait_for_timeout(120)
        page.settle()
        page.focus_stepper()
        page.page.keyboard.press("End")
        assert page.at_end(), label
        assert page.sideways() == 0, label
        assert page.page.evaluate(OUTSIDE) == [], label
        for parts in (".st-key-overview .token", ".st-key-stepper .strip .sym", ".st-key-stepper .out .chip",
                      ".st-key-stepper .bar", ".st-key-stepper .buttons > *"):  # fmt: skip
            assert page.page.locator(parts).evaluate_all(OVERLAPS) == 0, (label, parts)


@pytest.mark.rest
@pytest.mark.parametrize("name", FAMILIES)
def test_code_and_patterns_are_whole_on_a_phone(visit: Visit, name: str) -> None:
    page = visit(PHONE).open(m=name)
    for whole in (".code", ".code div", ".steady bdi"):
        assert page.page.locator(whole).evaluate_all(CUT) == [], whole
    assert page.page.locator(".st-key-stepper .code div").count() > 5


@pytest.mark.rest
@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_the_bytes_of_a_character_stay_on_one_line(visit: Visit, size: dict[str, int]) -> None:
    text = "吾輩は猫である。名前はまだ無い😊" * 6
    page = visit(size).open(m="rwkv-world", text=text)
    characters = page.page.locator(".st-key-stepper .together")
    lines = set()
    for _ in range(2):  # the first window, and the next one
        drawn = characters.evaluate_all(
            "all => all.map((one) => [...one.querySelectorAll('.sym')].map((s) => s.getBoundingClientRect().top))"
        )
        assert len(drawn) > 5
        for title, tops in zip(characters.locator(".group").all_inner_texts(), drawn, strict=True):
            assert len(tops) in (1, len(title.encode())), "the bytes of a token that is taken are joined"
            assert len(set(tops)) == 1, title
        lines |= {tops[0] for tops in drawn}
        page.page.locator(".st-key-stepper .pager").last.click()
        page.settle()
    assert len(lines) > 1


@pytest.mark.rest
def test_every_piece_of_a_lattice_can_be_read(visit: Visit) -> None:
    page = visit().open(m="xlm-r", text="Donaudampfschifffahrt")
    page.focus_stepper()
    page.page.keyboard.press("End")
    assert page.at_end()
    bars = page.page.locator(".st-key-stepper .bar")
    assert bars.count() > 60
    assert bars.evaluate_all(OVERLAPS) == 0
    assert bars.evaluate_all(CUT) == []
    assert page.page.locator(".st-key-stepper .bar.best").count() == len(page.output())
    page.page.keyboard.press("Home")
    first = page.page.locator(".st-key-stepper .trow").first
    assert page.comes_to(lambda: first.inner_text().split() == ["0", "–", "–", "0"]), "position 0 has no predecessor"
