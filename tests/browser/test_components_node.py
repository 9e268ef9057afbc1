"""Rules of the browser that need no DOM, run in Node: of the text field, of reports, of a page that arrives.

A wrong count would be shown under every text, and a lone surrogate would crash the page, so `textFacts` is compared
with Python's codec on texts of edge-case code points.
"""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from explorer.languages import for_browsers, phrases
from explorer.learning.lessons.reading import lessons_in, paragraphs
from explorer.text.say import plural
from explorer.ui import PAGES
from explorer.ui.components import every_page as _live_text
from explorer.ui.components.every_page import JAVASCRIPT
from explorer.ui.serving import first_paint

STORY = Path(_live_text.__file__).parent / "lesson" / "story.js"

assert _live_text  # imported because that registers them

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="needs Node (Debian package nodejs)")

EDGES = [0, 9, 10, 0x41, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xD800, 0xDBFF, 0xDC00, 0xDFFF, 0xE000, 0xFFFD, 0xFFFF]


def in_node(component: str, expression: str, given: object, folder: Path) -> Any:
    """The JSON value of a JavaScript expression over `given`, evaluated after the component's own module."""
    return after_source(JAVASCRIPT[component], expression, given, folder)


def after_source(source: str, expression: str, given: object, folder: Path) -> Any:
    module = folder / "module.mjs"
    given_text = json.dumps(json.dumps(given))
    module.write_text(
        f"{source}\nconst given = JSON.parse({given_text});\nprocess.stdout.write(JSON.stringify({expression}));\n",
        encoding="utf-8",
    )
    assert NODE is not None
    done = subprocess.run([NODE, str(module)], capture_output=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


@pytest.mark.parametrize("language", ["en", "de", "ja"])
def test_a_page_of_a_card_takes_no_token_apart_and_ends_with_no_opening_bracket(language: str, tmp_path: Path) -> None:
    cards = [paragraphs(card.words) for lesson in lessons_in(language).values() for card in lesson.cards]
    cards.append([[("", "Is it a token? "), ("code", " ab"), ("", " is. (So it is.)")]])
    cards.append([[("", "違います。「最初の違い」です。"), ("code", " b")]])
    source = STORY.read_text("utf-8")
    pages = after_source(source, f"given.map((words) => pagesOf(words, {language!r}))", cards, tmp_path)
    for words, shown in zip(cards, pages, strict=True):
        sentences = [sentence for page in shown for sentence in (page["say"], page["why"]) if sentence]
        codes = [[text for runs in many for kind, text in runs if kind == "code"] for many in (words, sentences)]
        assert codes[0] == codes[1]
        ends = [unicodedata.category("".join(text for _, text in sentence)[-1]) for sentence in sentences]
        assert not {"Ps", "Pi"} & set(ends)


def test_a_page_begins_with_a_name_in_small_letters(tmp_path: Path) -> None:
    rest = " it, and the prompt has another role, which is far more than most expect. transformers doesn't."
    words = [[("", "The server sends it. vLLM and llama.cpp "), ("b", "change"), ("", rest)]]
    (shown,) = after_source(STORY.read_text("utf-8"), "given.map((words) => pagesOf(words, 'en'))", [words], tmp_path)
    sentences = [runs for page in shown for runs in (page["say"], page["why"]) if runs]
    assert [runs[0][1].split()[0] for runs in sentences] == ["The", "vLLM", "transformers"]


def awkward_texts() -> list[str]:
    """Texts as UTF-16 decodes them: two adjacent surrogates are one character, others are alone."""
    dice = random.Random(2)
    texts = ["", "a", "\U0001f600", "\ud83d", "\ude00\ud83d", "a\ud83d", "\ud83d\ud83d\ude00"]
    for _ in range(400):
        points = [dice.choice([*EDGES, 0x10000, 0x1F600, 0x10FFFF]) for _ in range(dice.randrange(12))]
        texts.append("".join(map(chr, points)))
    return [text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass") for text in texts]


def test_text_facts_agree_with_python(tmp_path: Path) -> None:
    texts = awkward_texts()
    facts = in_node("explorer_live_text", "given.map(textFacts)", texts, tmp_path)
    for text, fact in zip(texts, facts, strict=True):
        lone = [(at, ord(char)) for at, char in enumerate(text) if 0xD800 <= ord(char) <= 0xDFFF]
        clean = "".join("\ufffd" if 0xD800 <= ord(char) <= 0xDFFF else char for char in text)
        assert fact == {
            "points": len(text),
            "bytes": len(clean.encode()),
            "lone": len(lone),
            "first": {"at": lone[0][0], "unit": lone[0][1]} if lone else None,
            "clean": clean,
        }, ascii(text)


def test_text_problem_names_the_limit_and_the_position(tmp_path: Path) -> None:
    texts = ["a" * 1200, "ab\ud83d", "fine"]
    long, lone, none = in_node(
        "explorer_live_text", "given.map((text) => textProblem(textFacts(text), 1000))", texts, tmp_path
    )
    assert long.startswith("1,200 characters; this page takes up to 1,000.")
    assert "U+D83D at position 3" in lone
    assert none == ""


def test_a_counted_noun_has_the_plural_of_the_page(tmp_path: Path) -> None:
    counts = [0, 1, 2, 5, 1234]

    def said(words: object) -> Any:
        speak = "globalThis.explorerWords = { words: given.words }"
        nouns = f"({speak}, given.counts.map((n) => counted(n, 'token', 'tokens')))"
        return in_node("explorer_live_text", nouns, {"words": words, "counts": counts}, tmp_path)

    german = [phrases("de").text(plural(each, "token")) for each in counts]
    assert said(for_browsers(phrases("de"))) == german
    assert said(for_browsers(phrases("ja")))[1:3] == ["1\u00a0トークン", "2\u00a0トークン"]
    polish = {"": "pl", "{0} token": ["{0} token", "{0} tokeny", "{0} tokenów"]}
    assert said(polish)[1:4] == ["1 token", "2 tokeny", "5 tokenów"]
    assert said({})[1:3] == ["1 token", "2 tokens"]


def test_an_empty_heading_stays_empty_in_another_language(tmp_path: Path) -> None:
    speak = "(globalThis.explorerWords = { words: given }, ['', 'Nobody says this.'].map((each) => inWords(each)))"
    for language in ("de", "ja"):
        said = in_node("explorer_live_text", speak, for_browsers(phrases(language)), tmp_path)
        assert said == ["", "Nobody says this."]


STREAMLIT = """await (async () => {
  globalThis.window = {};
  const sent = [];
  let batch = null;
  const set = (who, what) => {
    if (batch === null) setTimeout(() => { sent.push(batch); batch = null; });
    (batch ??= []).push(who + what);
  };
  const components = {};
  for (const who of "abc") {
    components[who] = { parentElement: who, setStateValue: (...what) => set(who, what.join("")) };
    reportsInTurn(components[who]);
  }
  for (const turn of given) {
    if (turn === "another page") window.explorerLeaves = () => true;
    else for (const [who, ...what] of turn) components[who].setStateValue(...what);
    await new Promise((done) => setTimeout(done, 0));
  }
  await new Promise((done) => setTimeout(done, 50));
  return sent;
})()"""
"""Streamlit's batches: what is reported until its timer is one message. given: the reports of each turn, or that the
visitor leaves for another page."""


def test_the_reports_of_two_components_are_never_in_one_message(tmp_path: Path) -> None:
    turns = [["a1", "a2", "b1", "a3", "c1", "b2"], ["b3"], ["c2", "c3"], []]
    sent = in_node("explorer_live_text", STREAMLIT, turns, tmp_path)
    assert all(len({report[0] for report in message}) == 1 for message in sent), sent
    assert sent[0] == ["a1", "a2"], "one component's are, as Streamlit has them"
    for who in "abc":
        expected = [report for turn in turns for report in turn if report[0] == who]
        assert [report for message in sent for report in message if report[0] == who] == expected


def test_a_page_that_is_left_reports_nothing(tmp_path: Path) -> None:
    turns = [["a1", "b1"], ["a2"], "another page", ["a3", "b3"], []]
    assert in_node("explorer_live_text", STREAMLIT, turns, tmp_path) == [["a1"], ["b1"], ["a2"]]


ARRIVAL = """await (async () => {
  const seen = [], left = [], root = new Set(["data-arrived"]);
  const app = { dataset: { testScriptState: "notRunning" }, title: "", gray: false };
  const within = { ".st-key-title h1": () => app.title && { dataset: { page: app.title } }, ".stApp": () => app };
  app.querySelector = (what) => (what === ".st-key-title" ? app.title : app.gray) || null;
  app.querySelectorAll = () => [];
  let clock = 0;
  const every = new Map();
  const go = (path) => { fakes.location.pathname = path; };
  const look = () => { for (const each of [...every.values()]) each(); };
  const fakes = {
    document: {
      documentElement: { removeAttribute: (name) => root.delete(name), hasAttribute: (name) => root.has(name),
        toggleAttribute: (name) => root.add(name) },
      querySelector: (what) => within[what](),
    },
    location: { pathname: "/train" }, performance: { now: () => clock },
    history: { pushState: go, replaceState: go },
    setInterval: (look) => every.set(every.size + 1, look) && every.size,
    clearInterval: (id) => every.set(id, () => {}),
    requestAnimationFrame: (then) => then(), addEventListener: (type, listener) => { fakes[type] = listener; },
    MutationObserver: class { observe() {} }, window: {},
  };
  new Function(...Object.keys(fakes), given.code)(...Object.values(fakes));
  const does = {
    title: (to) => { app.title = to; }, gray: (to) => { app.gray = to; },
    state: (to) => { app.dataset.testScriptState = to; },
    push: (to) => fakes.history.pushState(to), replace: (to) => fakes.history.replaceState(to),
    back: (to) => { go(to); fakes.popstate(); },
    wait: (ms) => { for (const end = clock + ms; clock < end; clock += 40) look(); },
  };
  for (const [what, to] of given.steps) {
    does[what](to);
    seen.push(root.has("data-arrived"));
    left.push(fakes.window.explorerLeaves());
  }
  return [seen, left];
})()"""
"""What `arrival.js` shows after each step, with a page and a clock of ours, and whether the page before is drawn."""
HERE = [("title", "train"), ("wait", 80)]
WALKS: dict[str, tuple[list[tuple[str, object]], list[bool]]] = {
    "a run that is seen": (
        [("push", "/compare"), ("wait", 200), ("state", "running"), ("title", "compare"), ("wait", 80),
         ("state", "notRunning"), ("wait", 80)],
        [False, False, False, False, False, False, True],
    ),
    "a run that begins and ends in one drawing": (
        [("push", "/compare"), ("wait", 80), ("title", "compare"), ("wait", 80)], [False, False, False, True],
    ),
    "an address that comes after the drawing": (
        [("state", "running"), ("title", "compare"), ("state", "notRunning"), ("push", "/compare"), ("wait", 80)],
        [True, True, True, False, True],
    ),
    "the address of the page before once more": (
        [("push", "/compare"), ("replace", "/train"), ("state", "running"), ("replace", "/compare"),
         ("title", "compare"), ("state", "notRunning"), ("wait", 80)],
        [False] * 6 + [True],
    ),
    "Back": (
        [("back", "/compare"), ("wait", 200), ("title", "compare"), ("gray", True), ("wait", 80), ("gray", False),
         ("wait", 80)],
        [False] * 6 + [True],
    ),
    "what draws nothing": (
        [("push", "/compare"), ("title", "compare"), ("gray", True), ("wait", 1400), ("wait", 200)],
        [False] * 4 + [True],
    ),
    "a server that doesn't answer": ([("push", "/compare"), ("wait", 9000), ("wait", 3000)], [False, False, True]),
    "there and back at once": (
        [("push", "/compare"), ("back", "/train"), ("state", "running"), ("state", "notRunning"), ("wait", 80)],
        [False] * 4 + [True],
    ),
    "there, and back once it is drawn": (
        [("push", "/compare"), ("title", "compare"), ("back", "/train"), ("wait", 80), ("title", "train"),
         ("wait", 80), ("push", "/compare"), ("title", "compare"), ("wait", 80)],
        [False] * 5 + [True] + [False] * 2 + [True],
    ),
    "to Explore, and back": (
        [("push", "/"), ("wait", 80), ("title", "explore"), ("wait", 80), ("back", "/train"), ("wait", 80),
         ("title", "train"), ("wait", 80)],
        [False] * 3 + [True] + [False] * 3 + [True],
    ),
    "the same page": ([("push", "/train"), ("state", "running"), ("wait", 80)], [True] * 3),
}  # fmt: skip


@pytest.mark.sample(11)
@pytest.mark.parametrize("walk", WALKS)
def test_another_page_is_hidden_from_its_address_until_it_is_whole(walk: str, tmp_path: Path) -> None:
    steps, shown = WALKS[walk]
    given = {"code": first_paint.ARRIVAL.read_text("utf-8"), "steps": [*HERE, *steps]}
    seen, left = in_node("explorer_live_text", ARRIVAL, given, tmp_path)
    assert seen == [False, True, *shown]
    place, title, clock, began = "/train", "train", 0, 0
    for (what, to), arrived, leaves in zip(steps, seen[2:], left[2:], strict=True):
        clock += to if what == "wait" else 0
        if what in ("push", "replace", "back"):
            place, began = to, clock
        title = to if what == "title" else title
        assert leaves == (not arrived and (place[1:] or "explore") != title and clock - began < 10_000), (what, to)


def test_a_page_is_known_by_its_address() -> None:
    names = {path.stem for path in PAGES.glob("*.py")}
    (known,) = re.findall(r"PAGES = (\[.*?\])", first_paint.ARRIVAL.read_text("utf-8"))
    assert {*json.loads(known), "explore"} == names
