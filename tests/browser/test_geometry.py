"""Where things are drawn: no text or control lies on another, is cut or covered, at every width of the window."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Explorer
from tests.tiers import chosen_tier

pytestmark = pytest.mark.browser
Visit = Callable[..., Explorer]

GEOMETRY: Final = Path(__file__).with_name("geometry.js").read_text("utf-8")
EVERY: Final = range(360, 1921, 40)
AT_ONCE: Final = 2
"""Of those, one page in the long tier is looked at in every second one, the next page in the others."""
SOME: Final = (360, 640, 800, 1060, 1280, 1920)
"""Widths that the quick tier tries: around those where a page's layout changes, and of screens."""

STEPS: Final = ".st-key-stage .count b:not(:empty)"
TRAINED: Final = ".st-key-training_stepper .count b:not(:empty)"
LISTED: Final = ".st-key-vocabulary-end button"
EMOJI: Final = "text=Hello it's 123 🤗"
PAGES: Final = {
    "/?level=story&step=20": STEPS,
    "/?level=algorithm&step=14": STEPS,
    "/?level=implementation&step=20": STEPS,
    "/?m=gpt-2&level=implementation&step=9": STEPS,
    f"/?m=gpt-2&stage=pre-tokenize&{EMOJI}&level=story": STEPS,
    f"/?m=gpt-2&stage=pre-tokenize&{EMOJI}&level=implementation": STEPS,
    "/?m=llama-3&stage=pre-tokenize&level=algorithm": STEPS,
    "/?m=bert-uncased&stage=normalize&text=ÅWhat is LoRA?&level=story": STEPS,
    "/?m=bert-uncased&stage=normalize&text=ÅWhat is LoRA?&level=implementation": STEPS,
    "/?m=bert-uncased&level=implementation&step=6": STEPS,
    "/?m=rwkv-world&level=implementation&step=6": STEPS,
    "/?m=rwkv-world&level=algorithm&step=6": STEPS,
    "/?m=xlm-r&level=implementation&step=14": STEPS,
    "/?m=xlm-r&level=story&step=14": STEPS,
    "/?m=gpt-2&stage=special-tokens&level=algorithm": ".st-key-stage",
    "/?stage=bytes": STEPS,
    "/?stage=ids": STEPS,
    "/?border=4": ".st-key-stage",
    "/?sample=many": ".st-key-stage",
    "/compare": ".st-key-rows .ids",
    f"/compare?text={'The quick brown fox jumps while 1234567 tokens wait in Zürich. ' * 3}": ".st-key-rows .ids",
    "/compare?view=Where they part": ".st-key-parting",
    "/compare?view=Expected ids&expect=1,1724,338": ".st-key-expected-rows",
    "/compare?view=What if": ".st-key-flips",
    "/compare?view=While typing": ".st-key-typing-rows",
    "/compare?view=Languages": ".st-key-languages",
    "/train": TRAINED,
    "/train?algorithm=WordPiece": TRAINED,
    "/train?algorithm=Unigram": TRAINED,
    "/train?algorithm=WordLevel": TRAINED,
    "/train?ask=Algorithm": TRAINED,
    "/train?ask=Why": TRAINED,
    "/vocabulary": LISTED,
    "/vocabulary?token=4037": LISTED,
    "/vocabulary?m=gpt-2&look=Charts": "svg.marks",
    "/vocabulary?m=gpt-2&look=Differences": ".st-key-look-part",
    "/vocabulary?m=gpt-2&look=Trim%20and%20extend": ".tr-piece",
    "/vocabulary?m=gpt-2&edit=true": ".st-key-edits-part",
    "/prompt": ".pr-stage",
    "/prompt?m=llama-3": ".pr-stage",
    "/prompt?m=gpt-2": ".pr-stage",
    "/?text=<s>What is LoRA?": ".st-key-stage",
    "/compare?text=<s>What is LoRA?": ".st-key-rows .ids",
    "/learn": ".st-key-learn_lessons a",
    "/learn?lesson=bytes": ".st-key-learn_card",
    "/learn?lesson=bytes&card=2": ".st-key-learn_card",
    "/learn?lesson=queue&card=3": ".st-key-learn_card",
    "/learn?lesson=unigram&card=4": ".st-key-learn-panel .arc.best",
    "/learn?quiz=2&seed=5&m=gpt-2": ".st-key-learn_card",
    "/corpus": ".pr-name",
    "/corpus?part=Whole text": "svg.marks",
    "/corpus?part=Lengths": "svg.marks",
    "/corpus?part=All numbers": "[data-testid=stDataFrame]",
}  # fmt: skip
"""Page → what it has drawn once it is whole."""


def measured(page: Page, width: int) -> list[str]:
    """What is drawn wrongly at a width. A second look, since a page needs a moment to follow its window."""
    page.set_viewport_size({"width": width, "height": 844 if width < 640 else 900})
    found: list[str] = page.evaluate(GEOMETRY)
    if found:
        page.wait_for_timeout(400)
        found = page.evaluate(GEOMETRY)
    return found


def walk(page: Explorer, path: str, widths: Iterable[int]) -> None:
    """Loads a page once and looks at it at every width."""
    page.page.goto(page.address + path)
    page.page.locator(PAGES[path]).first.wait_for(state="attached")
    page.settle()
    found = {width: lines for width in widths if (lines := measured(page.page, width))}
    assert found == {}, path


@pytest.mark.sample(5)
@pytest.mark.parametrize("path", PAGES)
def test_nothing_is_cut_covered_or_on_something_else(visit: Visit, path: str) -> None:
    walk(visit(), path, SOME)


@pytest.mark.long
@pytest.mark.parametrize("first", range(0, len(PAGES), 7))
def test_nothing_is_cut_covered_or_on_something_else_at_any_width(visit: Visit, first: int) -> None:
    page, step = visit(), 1 if chosen_tier == "all" else AT_ONCE
    for number, path in enumerate([*PAGES][first : first + 7], first):
        walk(page, path, EVERY[number % step :: step])


def test_what_lies_on_something_else_is_found(visit: Visit) -> None:
    page = visit().page
    page.set_content("""
      <p style="position: absolute; top: 0">under this</p><p style="position: absolute; top: 4px">lies that</p>
      <div style="position: absolute; top: 60px; width: 40px; overflow: hidden; white-space: nowrap">wider than it</div>
      <div style="position: absolute; top: 100px; height: 9px; overflow: auto; width: 90px">one<br>two<br>three</div>
      <p style="position: absolute; top: 140px">behind</p>
      <div style="position: absolute; top: 140px; width: 90px; height: 60px; background: #eee"></div>
      <div style="position: absolute; top: 240px; width: 40px; overflow: hidden; text-overflow: ellipsis">saysso</div>
    """)
    said = " ".join(page.evaluate(GEOMETRY))
    assert all(word in said for word in ("overlap: “under this”", "cut: “wider", "squeezed", "covered: “behind”"))
    assert "saysso" not in said


MIDWAY: Final = """async () => {
  const root = [...document.querySelectorAll('.st-key-stepper *')].map(node => node.shadowRoot).find(Boolean);
  const moves = root.querySelector('.waiting').getAnimations({ subtree: true });
  for (const each of moves) each.pause(), each.currentTime = each.effect.getComputedTiming().duration / 2;
  await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
  const seen = [...root.querySelectorAll('.waiting > *')].filter(node => getComputedStyle(node).opacity > 0.1);
  const boxes = seen.map(node => [node.textContent.trim(), node.getBoundingClientRect()]).filter(([text]) => text);
  const found = boxes.flatMap(([text, one], at) => boxes.slice(at + 1)
    .filter(([, other]) => Math.min(one.right, other.right) - Math.max(one.left, other.left) > 3)
    .map(([other]) => `${text} on ${other}`));
  for (const each of moves) each.finish();
  return [moves.length, found];
}"""


def test_what_waits_covers_nothing_while_it_moves(visit: Visit) -> None:
    page = visit({"width": 1280, "height": 800}, reduced_motion="no-preference")
    page.page.goto(f"{page.address}/?stage=model&level=story&step=0")
    page.page.locator(STEPS).wait_for()
    page.settle()
    page.focus_stepper()
    moved = 0
    for _ in range(9):
        page.page.keyboard.press("Shift+ArrowRight")
        page.page.wait_for_timeout(40)
        moves, found = page.page.evaluate(MIDWAY)
        moved += moves
        assert found == []
    assert moved > 3
