"""Pages in notebooks: an output by itself, in JupyterLab with and without a kernel, saved, and turned into HTML."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, FrameLocator, Page, ViewportSize, expect

import explorer
from tests.browser.conftest import DESK, PHONE
from tests.browser.jupyter import Lab, executable, serving
from tests.bundled import bundled

pytestmark = pytest.mark.browser
HOSTILE = "</script><script>document.title='gone'</script>\"> <img src=x onerror=document.title='gone'>"
CHAT = [{"role": "user", "content": HOSTILE}]
FRAME = "iframe[srcdoc]"
COUNT = ".stepper .count"

OUTPUTS: dict[str, Callable[[], Any]] = {
    "trace": lambda: bundled("llama-2").trace(HOSTILE).show(),
    "comparison": lambda: explorer.compare(bundled("gpt-2"), bundled("bert-uncased"), HOSTILE).show(place=1),
    "training": lambda: explorer.train(f"low lower {HOSTILE}").show(),
    "prompt": lambda: bundled("qwen2.5").prompt(CHAT).show(),
}


def heights(page: Page) -> tuple[float, float]:
    """Of the frame, and of what is in it."""
    frame = page.locator(FRAME)
    inside = page.frame_locator(FRAME).locator("html").evaluate("node => node.scrollHeight")
    return frame.evaluate("node => node.getBoundingClientRect().height"), inside


@pytest.mark.parametrize("size", [pytest.param(PHONE, marks=pytest.mark.long), DESK], ids=["phone", "desk"])
@pytest.mark.parametrize("what", OUTPUTS)
@pytest.mark.sample(2)
def test_an_output_plays_by_itself_as_high_as_its_content(
    browser: Browser, tmp_path: Path, what: str, size: ViewportSize
) -> None:
    path, said = tmp_path / "output.html", list[str]()
    path.write_text(f"<!doctype html><title>notebook</title>{OUTPUTS[what]()._repr_html_()}", "utf-8")
    context = browser.new_context(viewport=size, offline=True, color_scheme="dark")
    page = context.new_page()
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(path.as_uri())
    inside = page.frame_locator(FRAME)
    inside.locator(COUNT).first.wait_for()
    page.wait_for_function("() => document.querySelector('iframe').style.height !== '640px'")
    for level in ("Algorithm", "Story"):
        inside.get_by_role("radio", name=level).or_(inside.get_by_role("button", name=level)).first.click()
        page.wait_for_timeout(300)
        frame, content = heights(page)
        assert abs(frame - content) <= 1, "it does not scroll in its frame"
    count = inside.locator(COUNT).first
    inside.locator(".stepper").first.focus()
    page.keyboard.press("Home")
    expect(count).to_have_attribute("title", re.compile(r"^Step 0 "))
    page.keyboard.press("End")
    expect(count).to_have_attribute("title", re.compile(r"^Step ([\d,]+) of \1$"))
    assert page.locator(f"div:has(+ {FRAME})").is_hidden(), "the light display gives way"
    assert inside.locator("html").get_attribute("data-theme") == "dark"
    assert page.title() == "notebook"
    assert said == []
    context.close()


# --- JupyterLab -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with serving(tmp_path_factory.mktemp("lab")) as made:
        yield made


def output(page: Page) -> FrameLocator:
    """What is in the frame of the first output, once it is drawn."""
    inside = page.frame_locator(f".jp-OutputArea-output {FRAME}").first
    inside.locator(COUNT).wait_for(timeout=60_000)
    return inside


def step_on(inside: FrameLocator, merge: int) -> None:
    """To the next merge, whose number this is."""
    inside.get_by_role("button", name="Next merge").click()
    expect(inside.locator(COUNT)).to_contain_text(f"Merge {merge} of 9")


@pytest.mark.long
def test_it_plays_without_a_kernel_when_it_is_opened_again_and_as_html(browser: Browser, lab: Lab) -> None:
    path = lab.write("shown.ipynb", "import explorer", "explorer.load('llama-2').trace('What is LoRA?').show(step=14)")
    page = browser.new_page(viewport=DESK)
    lab.open(page, path.name)
    lab.run(page)
    expect(output(page).locator(COUNT)).to_contain_text("Merge 1 of 9")
    step_on(output(page), 2)
    lab.choose(page, "File", "Save Notebook")
    expect(page.locator(".jp-mod-dirty")).to_have_count(0)
    lab.end_kernels()
    step_on(output(page), 3)
    saved = path.read_text("utf-8")
    assert len(saved) < 600_000
    page.close()

    page = browser.new_page(viewport=DESK)
    lab.open(page, path.name)
    step_on(output(page), 2)
    page.close()
    lab.end_kernels()

    # a notebook that somebody else wrote: without the frame, but with the tokens
    (lab.folder / "untrusted.ipynb").write_text(saved.replace("What is LoRA?').show", "What is  LoRA?').show"), "utf-8")
    page = browser.new_page(viewport=DESK)
    lab.open(page, "untrusted.ipynb")
    expect(page.locator(".jp-RenderedHTML table")).to_contain_text("4309")
    assert page.locator(FRAME).count() == 0
    expect(page.locator(".jp-RenderedHTML").get_by_text("Trust this notebook")).to_be_visible()
    search = page.locator(".lm-CommandPalette-input")
    for _ in range(5):  # JupyterLab closes it where a cell takes the focus just then
        lab.choose(page, "View", "Activate Command Palette")
        page.wait_for_timeout(500)
        if search.is_visible():
            break
    search.fill("Trust Notebook")
    page.locator(".lm-CommandPalette-item").get_by_text("Trust Notebook").click()
    page.locator(".jp-Dialog .jp-mod-accept").click()
    step_on(output(page), 2)
    page.close()
    lab.end_kernels()

    subprocess.run(
        [executable(), "-m", "jupyter", "nbconvert", "--to", "html", path.name],
        cwd=lab.folder, check=True, capture_output=True,
    )  # fmt: skip
    context = browser.new_context(viewport=DESK, offline=True)
    page = context.new_page()
    page.goto(path.with_suffix(".html").as_uri())
    step_on(output(page), 2)
    context.close()


@pytest.mark.long
def test_a_widget_and_python_follow_each_other(browser: Browser, lab: Lab) -> None:
    path = lab.write(
        "widget.ipynb",
        "import explorer\nshown = explorer.load('llama-2').trace('What is LoRA?').show(step=14).widget()\nshown",
        "shown.step = 20",
        "shown.stage, shown.step",
    )
    page = browser.new_page(viewport=DESK)
    lab.open(page, path.name)
    lab.run(page)
    inside = output(page)
    expect(inside.locator(COUNT)).to_have_attribute("title", "Step 20 of 47")
    step_on(inside, 4)
    step = str(inside.locator(COUNT).get_attribute("title")).split()[1]
    answer = page.locator(".jp-OutputArea-output pre").last
    for _ in range(20):  # the page reports a step when it has rested
        page.locator(".jp-Cell .cm-content").last.press("Control+Enter")  # focused, or the frame keeps the keyboard
        page.wait_for_timeout(500)
        if answer.inner_text() == f"('model', {step})":
            break
    expect(answer).to_have_text(f"('model', {step})")
    page.close()
    lab.end_kernels()
