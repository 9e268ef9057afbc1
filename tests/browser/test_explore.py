"""The Explore page in a browser: typing, keys, links, hostile tokens, a phone, dark mode."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import explorer
from explorer.views.examples import PRESETS, Preset
from tests.browser.conftest import DESK, PHONE, Explorer
from tests.bundled import bundled

pytestmark = [pytest.mark.browser, pytest.mark.long]
Visit = Callable[..., Explorer]


@pytest.mark.quick
def test_the_page_opens_with_the_example_traced(visit: Visit) -> None:
    page = visit().open()
    assert page.field.input_value() == "What is LoRA?"
    assert page.shows([1, 1724, 338, 4309, 4717, 29973])
    assert page.step == (1, 47)
    assert page.page.locator('[data-testid="stException"]').count() == 0


@pytest.mark.quick
def test_typing_changes_the_tokens_and_stays_in_the_field(visit: Visit, llama2: explorer.Tokenizer) -> None:
    page = visit().open()
    page.field.click()
    page.page.keyboard.press("End")
    page.page.keyboard.type(" Yes, 😊!", delay=25)
    page.settle()
    text = "What is LoRA? Yes, 😊!"
    assert page.field.input_value() == text
    assert page.field.evaluate("field => field.getRootNode().activeElement === field")
    assert page.shows(llama2.encode(text).ids)
    assert page.field.evaluate("field => field.selectionStart") == len(text.encode("utf-16-le")) // 2
    assert page.comes_to(lambda: "Yes" in page.page.url), "the address follows once typing rests"


@pytest.mark.parametrize("delay", [60, 95, 140, 230])
def test_no_letter_is_lost_at_any_speed_of_typing(visit: Visit, delay: int) -> None:
    page = visit().open()
    page.field.click()
    page.page.keyboard.press("Control+a")
    text = "Hello new world typed"
    page.page.keyboard.type(text, delay=delay)
    page.settle()
    page.page.wait_for_timeout(500)
    assert page.field.input_value() == text
    assert page.shows(bundled("llama-2").encode(text).ids)
    assert page.page.evaluate("new URLSearchParams(location.search).get('text')") == text


@pytest.mark.rest
def test_switches_keep_text_and_selection_in_the_url(visit: Visit) -> None:
    page = visit().open(text="<s>Hi")
    page.cells().last.click()
    page.open_settings()
    page.page.locator(".st-key-parse label").click()
    page.settle()
    assert 1 not in page.ids()[1:]
    assert "parse=false" in page.page.url
    assert "text=%3Cs%3EHi" in page.page.url
    assert "sel=" in page.page.url
    assert page.field.input_value() == "<s>Hi"


@pytest.mark.rest
def test_typing_once_is_one_step_back(visit: Visit) -> None:
    page = visit().open(text="one", step="4")
    page.field.click()
    page.page.keyboard.press("End")
    page.page.keyboard.type(" two three", delay=60)
    page.settle()
    page.page.wait_for_timeout(500)
    page.page.go_back()
    page.settle()
    assert page.field.input_value() == "one"
    assert page.step[0] == 4
    page.page.go_forward()
    page.settle()
    assert page.field.input_value() == "one two three"
    assert page.shows(bundled("llama-2").encode("one two three").ids)


@pytest.mark.long
def test_arrow_keys_step_and_back_undoes_exactly(visit: Visit) -> None:
    page = visit().open()
    page.focus_stepper()
    page.page.keyboard.press("Home")
    stepper = page.page.locator(".st-key-stepper")
    states = []
    for step in range(1, 31):
        page.page.keyboard.press("ArrowRight")
        assert page.at_step(step)
        states.append(stepper.locator(".strip").inner_text() + stepper.locator("ol.queue").inner_text())
    for step in range(29, 0, -1):
        page.page.keyboard.press("ArrowLeft")
        assert page.at_step(step)
        assert stepper.locator(".strip").inner_text() + stepper.locator("ol.queue").inner_text() == states[step - 1]


@pytest.mark.rest
def test_the_other_keys(visit: Visit) -> None:
    page = visit().open()
    page.focus_stepper()
    for key, step in (
        ("End", 47),
        ("Home", 0),
        ("Shift+ArrowRight", 14),
        ("Shift+ArrowRight", 17),
        ("Shift+ArrowLeft", 14),
    ):
        page.page.keyboard.press(key)
        assert page.at_step(step), key
    page.page.keyboard.press("Space")
    page.page.wait_for_timeout(1200)
    page.page.keyboard.press("Space")
    assert page.step[0] > 14


def test_no_key_press_is_lost(visit: Visit) -> None:
    page = visit().open(text="The quick brown fox jumps over the lazy dog. " * 7)
    assert page.step[1] > 900
    page.focus_stepper()
    page.page.keyboard.press("Home")
    for _ in range(20):
        page.page.keyboard.press("ArrowRight")
        page.page.wait_for_timeout(33)
    assert page.at_step(20)


def test_the_url_of_a_step_opens_it_in_a_new_tab(visit: Visit) -> None:
    page = visit().open(text="Hello there", parse="false")
    page.focus_stepper()
    page.page.keyboard.press("Home")
    for _ in range(12):
        page.page.keyboard.press("ArrowRight")
    page.page.wait_for_timeout(600)
    page.settle()
    assert "step=12" in page.page.url
    other = visit()
    other.page.goto(page.page.url)
    other.page.locator(".st-key-stepper .count").wait_for()
    other.settle()
    assert other.step == page.step == (12, page.step[1])
    assert other.field.input_value() == "Hello there"
    sentence = page.page.locator(".st-key-stepper .say").inner_text()
    assert other.page.locator(".st-key-stepper .say").inner_text() == sentence


def test_reload_and_back_restore_the_text(visit: Visit) -> None:
    page = visit().open(text="one")
    page.field.fill("one two")
    page.settle()
    page.page.wait_for_timeout(2100)  # edits within two seconds are one history entry
    assert "one+two" in page.page.url
    page.page.reload()
    page.page.locator(".st-key-stepper .count").wait_for()
    page.settle()
    assert page.field.input_value() == "one two"
    page.field.fill("three")
    page.settle()
    page.page.go_back()
    page.settle()
    assert page.field.input_value() == "one two"
    assert page.shows(bundled("llama-2").encode("one two").ids)


def test_markup_in_tokens_is_text(visit: Visit) -> None:
    text = "<script>window.hit=1</script><img src=x onerror=window.hit=1><style>body{display:none}</style>"
    page = visit().open(text=text)
    page.focus_stepper()
    page.page.keyboard.press("End")
    page.page.wait_for_timeout(200)
    assert page.page.evaluate("window.hit") is None
    assert page.page.locator(".st-key-overview img, .st-key-stepper img").count() == 0
    assert "script" in page.page.locator(".st-key-stepper .out").inner_text()
    assert page.page.locator(".st-key-stepper .count").is_visible()


@pytest.mark.rest
def test_the_error_line_is_text_too(visit: Visit) -> None:
    page = visit()
    page.page.goto(f"{page.address}/?escapes=true&text=%5C%3Cimg+src%3Dx+onerror%3Dwindow.hit%3D1%3E")
    alert = page.page.locator('[role="alert"]').first
    alert.wait_for()
    assert "position 1" in alert.inner_text()
    assert page.page.evaluate("window.hit") is None


@pytest.mark.parametrize(("index", "preset"), list(enumerate(PRESETS)), ids=[preset.label for preset in PRESETS])
def test_every_preset_reaches_its_last_step_on_desk_or_phone(
    visit: Visit, index: int, preset: Preset, llama2: explorer.Tokenizer
) -> None:
    text = preset.text
    page = visit(*((PHONE, True) if index % 2 else (DESK, False))).open(text=text)
    assert page.shows(llama2.encode(text).ids)
    if text:
        page.focus_stepper()
        page.page.keyboard.press("End")
    assert page.at_end()
    assert page.puts_out(llama2.encode(text).ids[1:])
    assert page.sideways() == 0


def test_a_phone_has_large_targets_and_visible_buttons(visit: Visit) -> None:
    page = visit(PHONE).open()
    buttons = page.page.locator(".st-key-stepper .buttons button:visible")
    assert buttons.count() >= 4
    for box in (buttons.nth(i).bounding_box() for i in range(buttons.count())):
        assert box is not None
        assert min(box["width"], box["height"]) >= 44
    page.page.locator(".st-key-stepper .strip").scroll_into_view_if_needed()
    assert page.page.locator(".st-key-stepper .buttons button.main").is_visible()


def test_one_selection_marks_the_same_text_in_every_stage(visit: Visit) -> None:
    page = visit().open(stage="post-process", level="story")
    page.page.locator(".st-key-stepper_post-process .text-whole .text-part").nth(2).click()  # ▁is
    assert page.comes_to(lambda: "sel=4-7" in page.page.url)
    for name in ("Bytes", "Special tokens", "Normalize", "Ids", "Back to text"):
        page.page.locator(".st-key-overview").get_by_role("tab", name=name).click()
        page.settle()
        for part in ("overview", "stage"):
            marked = page.page.locator(f".st-key-{part} .sel")
            assert page.comes_to(lambda marked=marked: marked.count() >= 1), (name, part)  # type: ignore[misc]
        if name == "Bytes":
            assert page.page.locator(".st-key-stepper_utf8 .strip .sel").count() == 3
    page.page.locator(".st-key-stepper_decode .stepper").focus()
    page.page.keyboard.press("Escape")
    assert page.comes_to(lambda: "sel=" not in page.page.url)
    assert page.comes_to(lambda: page.page.locator(".sel").count() == 0)


def test_a_link_to_all_stages_opens_the_model_and_says_so(visit: Visit) -> None:
    page = visit().open(stage="all", level="story", text="a b", step="2")
    assert page.at_step(2)
    said = page.page.get_by_role("status").filter(has_text="no longer offered")
    assert "saved page" in said.inner_text()
    page.page.get_by_role("button", name="Dismiss").click()
    assert page.comes_to(lambda: said.count() == 0)
    page.page.locator(".st-key-overview").get_by_role("tab", name="Bytes").click()
    assert page.comes_to(lambda: "stage=utf8" in page.page.url)


@pytest.mark.rest
def test_a_selection_does_not_outlive_its_text(visit: Visit) -> None:
    page = visit().open()
    page.cells().nth(2).click()
    assert page.comes_to(lambda: "sel=" in page.page.url)
    page.field.fill("Another text altogether")
    page.settle()
    assert "sel=" not in page.page.url
    assert page.page.locator(".sel").count() == 0


@pytest.mark.rest
def test_a_large_script_is_sent_compressed_and_plays(visit: Visit, llama2: explorer.Tokenizer) -> None:
    text = "".join(f"Sentence number {i} is here. " for i in range(400))
    page = visit().open(text=text[:2000])
    assert page.step[1] > 6000
    page.focus_stepper()
    page.page.keyboard.press("End")
    assert page.at_end()
    page.page.keyboard.press("ArrowLeft")
    assert page.at_step(page.step[1] - 1)


def contrast(page: Explorer, selector: str) -> float:
    """WCAG contrast of the text of the first such element against its background."""
    return float(
        page.page.locator(selector).first.evaluate(
            """node => {
              const canvas = document.createElement('canvas'); canvas.width = canvas.height = 1;
              const context = canvas.getContext('2d', {willReadFrequently: true});
              const over = (colors, shown = 1) => { context.clearRect(0, 0, 1, 1);
                for (const [i, c] of colors.entries()) {
                  context.globalAlpha = i < colors.length - 1 ? 1 : shown;
                  context.fillStyle = c; context.fillRect(0, 0, 1, 1); }
                return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3).map(v => v / 255)
                  .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
                  .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0); };
              const backgrounds = [];
              let shown = 1;
              for (let at = node; at; at = at.parentElement ?? at.getRootNode().host) {
                backgrounds.unshift(getComputedStyle(at).backgroundColor);
                shown *= Number(getComputedStyle(at).opacity); }
              const [a, b] = [over([...backgrounds, getComputedStyle(node).color], shown), over(backgrounds)];
              return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05); }"""
        )
    )


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_text_is_readable_in_light_and_dark(visit: Visit, dark: bool) -> None:
    page = visit(DESK, dark).open(step="28")
    for selector in (".st-key-overview .token .text", ".st-key-overview .token small",
                     ".st-key-stepper .say", ".st-key-stepper .say .why", ".st-key-stepper .strip .sym b",
                     ".st-key-stepper .strip .meta", ".st-key-stepper .queue .t", ".st-key-stepper .log .row",
                     ".st-key-stepper .code div"):  # fmt: skip
        assert contrast(page, selector) >= 4.5, selector


@pytest.mark.rest
def test_pieces_are_counted_as_pieces_and_numbered_as_their_alternatives(visit: Visit) -> None:
    page = visit().open(text="I né! 123", m="gpt-2", stage="pre-tokenize", level="story", **{"as": "huggingface"})
    stepper = page.page.locator(".st-key-stepper_pre-tokenize")
    stepper.locator(".strip").click()
    page.page.keyboard.press("End")
    chips = stepper.locator(".out .chip small")
    assert page.comes_to(lambda: chips.all_inner_texts() == ["2", "2", "4", "3"])


@pytest.mark.rest
def test_optional_choices_are_in_the_url_and_a_link_opens_the_same_ids(visit: Visit) -> None:
    page = visit().open(m="mistral-v1", text="hi")
    assert page.shows([1, 12014])
    page.open_settings()
    page.page.locator(".st-key-choose_add_special").get_by_role("combobox").click()
    page.page.get_by_role("option", name="both", exact=True).click()
    page.settle()
    assert page.shows([1, 12014, 2])
    assert "choose_add_special=both" in page.page.url
    link = page.page.url
    page.page.reload()
    page.settle()
    assert page.shows([1, 12014, 2])
    page.choose("m", "gpt-2")
    assert "choose_add_special" not in page.page.url, "another tokenizer has no such choice"
    page.page.goto(link)
    page.settle()
    assert page.shows([1, 12014, 2])
    for name in ("gpt-2", "mistral-v1"):
        page.choose("m", name)
    assert page.shows([1, 12014, 2]), "the choice stays with its tokenizer"
    assert "choose_add_special=both" in page.page.url
    page.open_settings()
    page.page.locator(".st-key-choose_add_special").get_by_role("combobox").click()
    page.page.get_by_role("option", name="bos", exact=True).click()
    page.settle()
    assert page.shows([1, 12014])
    assert "choose_add_special" not in page.page.url, "the URL omits defaults"


@pytest.mark.rest
def test_optional_choices_are_in_the_url_of_compare(visit: Visit) -> None:
    page = visit().open(m="mistral-v1", text="hi", choose_add_special="both")
    assert page.shows([1, 12014, 2])
    page.page.get_by_role("link", name="Compare").first.click()
    page.page.locator(".st-key-rows .chip").first.wait_for()
    page.page.locator(".st-key-add button").first.click()
    page.choose("with", "mistral-v1")
    chip = page.page.locator(".tc-chips li", has_text="Mistral v1")
    chip.wait_for()
    page.open_settings()
    page.page.locator(".st-key-parsespecial label").click()
    page.settle()
    page.page.wait_for_timeout(500)
    assert "with=mistral-v1" in page.page.url
    page.page.reload()
    chip.wait_for()
    assert page.page.locator('[data-testid="stException"]').count() == 0
