"""What a step is about is on the screen: the cells and arcs it marks, at every level, on a desk and on a phone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlencode

import pytest

import explorer
from explorer.script.script import window_of
from explorer.stages.decoders.losses import round_trip
from explorer.views.overview import sections
from tests.browser.conftest import PHONE, Explorer

pytestmark = [pytest.mark.browser, pytest.mark.long]
Visit = Callable[..., Explorer]
DESK = {"width": 1280, "height": 800}

TEXT = "Hello 🤗 123456 it's token and ça va, 吾輩は猫である。"
LEVELS = ("story", "algorithm", "implementation")

HIDDEN = """async (wanted) => {
  await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
  const stepper = node => node.shadowRoot?.querySelector('.stepper');
  const box = [...document.querySelectorAll('.st-key-stage *')].map(stepper).find(Boolean);
  const inView = node => {
    const { left, right, top, bottom } = node.getBoundingClientRect();
    // the whole may be wider than the view
    const [x, y] = [left + Math.min(20, (right - left) / 2), (top + bottom) / 2];
    for (let each = node.parentElement; each && each !== box.parentElement; each = each.parentElement) {
      if (getComputedStyle(each).overflow === 'visible') continue;
      const clip = each.getBoundingClientRect();
      if (x < clip.left || x > clip.right || y < clip.top || y > clip.bottom) return false;
    }
    const ground = box.querySelector('.ground');
    const covered = node.matches('.arc') && y > ground.getBoundingClientRect().top;
    return !covered && right > left;
  };
  const cell = key => box.querySelector(`.byte-line [data-key="${key}"]`)
    ?? [...box.querySelectorAll('.strip .sym, .reading .sym')].find(node => {
      const first = Number(node.dataset.key);
      return first <= key && key < first + node.querySelectorAll('.cell').length;
    });
  const hidden = [];
  const strips = box.querySelector('.byte-line, .strip');
  const unseen = wanted.cells.filter(key => !cell(key) || !inView(cell(key)));
  // of a run that is wider than the view, one end is seen
  const wide = wanted.cells.length === 2 && Math.abs(wanted.cells[1] - wanted.cells[0]) >= 6;
  if (strips && (!wide || unseen.length > 1)) hidden.push(...unseen.map(key => `cell ${key}`));
  if (box.querySelector('.arcs')) for (const key of wanted.arcs) {
    const node = box.querySelector(`.arc[data-key="${key}"]`);
    if (!node || !inView(node)) hidden.push(`arc ${key}`);
  }
  return hidden;
}"""
"""Waits for the next frame; which of the wanted cells and arcs are not to be seen."""


def marked(script: dict[str, Any]) -> Iterator[dict[str, list[int]]]:
    """For each step, the cells and the arcs that it marks."""
    steps, tracks, looks = script["steps"], script["tracks"], [role["look"] for role in script["roles"]]
    rows: dict[int, list[int]] = {}  # of the lattice
    lattice = next((index for index, track in enumerate(tracks) if track["type"] == "lattice"), None)
    strip = next((index for index, track in enumerate(tracks) if track["type"] in ("strip", "reading")), None)
    at = 0
    for step in range(len(steps["kind"])):
        while at < steps["patch_at"][step + 1]:
            track, key, count = steps["patches"][at : at + 3]
            if track == lattice and count > 0:
                rows[key] = steps["patches"][at + 3 : at + 3 + count]
            at += 3 + max(count, 0)
        found = steps["marks"][steps["mark_at"][step] : steps["mark_at"][step + 1]]
        marks = [found[at : at + 3] for at in range(0, len(found), 3)]
        cells = [key for track, key, role in marks if track == strip and key >= 0 and looks[role] != "next"]
        arcs = [key for track, key, _ in marks if track == lattice and key in rows and rows[key][1] - rows[key][0] > 1]
        few = max(cells, default=0) - min(cells, default=0) < 6
        yield {"cells": cells if few else [min(cells), max(cells)], "arcs": arcs[:1]}


def walks(page: Explorer, model: str, stage: str, level: str, text: str = TEXT) -> None:
    """Steps through a stage and looks for what each step marks."""
    tokenizer = explorer.load(model)
    trace = tokenizer.trace(text)
    (section,) = sections(tokenizer, trace, round_trip(tokenizer, trace), window_of(trace), stage, False)
    assert section.script is not None
    query = {"m": model, "stage": stage, "level": level, "text": text, "step" if stage == "model" else stage: "0"}
    page.page.goto(f"{page.address}/?{urlencode(query)}")
    page.page.locator(".st-key-stage .count b:not(:empty)").wait_for()
    page.settle()
    page.page.locator(".st-key-stage .stepper").focus()
    for step, wanted in enumerate(marked(section.script.data), 1):
        page.page.keyboard.press("ArrowRight")
        hidden = page.page.evaluate(HIDDEN, wanted)
        assert not hidden, (model, stage, level, step, hidden)


def test_the_strip_of_bytes_follows_the_work(visit: Visit) -> None:
    walks(visit(DESK), "gpt-2", "model", "implementation", "Hello 🤗 123456 it's token")


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
@pytest.mark.parametrize("model", ["gpt-2", "llama-2", "bert-uncased", "rwkv-world", "xlm-r"])
def test_the_cells_and_arcs_of_every_step_are_in_view(visit: Visit, model: str, size: dict[str, int]) -> None:
    page = visit(size)
    for level in LEVELS:
        walks(page, model, "model", level)
    if model == "gpt-2":
        for level in LEVELS[1:]:
            walks(page, model, "pre-tokenize", level)


def test_the_arcs_of_the_best_path_are_in_view_at_its_end(visit: Visit) -> None:
    page = visit(DESK)
    page.page.goto(f"{page.address}/learn?lesson=unigram&card=4")
    arcs = page.page.locator(".st-key-learn-panel .arc.best")
    arcs.nth(2).wait_for()
    page.settle()
    seen = """nodes => nodes.filter(node => {
      const box = node.closest('.arcs').getBoundingClientRect(), { top, bottom } = node.getBoundingClientRect();
      return top >= box.top && bottom <= node.closest('.plane').querySelector('.ground').getBoundingClientRect().top;
    }).length"""
    assert page.comes_to(lambda: arcs.evaluate_all(seen) == 3)
