"""The browser's JavaScript, outside a browser: it parses, and the stepper's player is held against a dumb reference.

The reference keeps no undo log: it replays a script from the start every time, in dicts. The player goes forward,
back and anywhere, and its state has to be the same at every stop: going back is exact or it is wrong.
"""

from __future__ import annotations

import base64
import importlib
import json
import random
import shutil
import subprocess
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

import pytest

import explorer
from explorer import ui
from explorer.script.script import Script, pack, pack_dense, unpack, window_of
from explorer.stages.decoders.losses import round_trip
from explorer.ui.components import every_page
from explorer.views.components import BASE_JS, FOLDER, component, join
from explorer.views.overview import sections

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="needs Node (Debian package nodejs)")

REPLAY = Path(__file__).with_name("replay_player.mjs")
PLAYER = FOLDER / "stepper" / "player.js"
FOLDERS = sorted({path.parent.name for path in FOLDER.glob("*/*.js")} - {"base"})


def node(*args: str, given: str = "") -> str:
    """The output of Node; fails with its error."""
    assert NODE is not None
    done = subprocess.run([NODE, *args], input=given.encode(), capture_output=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


# --- the joined modules ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("folder", FOLDERS)
def test_joined_modules_parse_and_hold_every_file(folder: str, tmp_path: Path) -> None:
    for module in walk_packages(ui.__path__, "explorer.ui."):  # registers them; two may share a folder
        if not module.name.startswith("explorer.ui.pages"):
            importlib.import_module(module.name)
    joined = [text for text in every_page.JAVASCRIPT.values() if f"/* {folder}/" in text]
    assert joined
    for number, text in enumerate(joined):
        module = tmp_path / f"module{number}.mjs"
        module.write_text(text, encoding="utf-8")
        node("--check", str(module))
        constants = text[: text.index("/* base/dom.js */")]
        assert all(line.startswith("const ") for line in constants.splitlines())
    for path in (FOLDER / folder).glob("*.js"):
        known = every_page.JAVASCRIPT.values()  # the head has one of the classroom's
        assert any(f"{folder}/{path.name} */" in text for text in known), f"{path.name} is in no component"


OF_ITS_OWN = {("overview.js", "DOMParser"), ("overview.js", "outerHTML")}
"""It opens the page that the server saves, whose scripts it takes out but one."""


@pytest.mark.parametrize("folder", FOLDERS)
def test_tokens_can_never_become_markup(folder: str) -> None:
    for path in [*(FOLDER / "base").glob("*.js"), *(FOLDER / folder).glob("*.js")]:
        source = path.read_text(encoding="utf-8")
        for function in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "DOMParser", "Fragment("):
            assert function not in source or (path.name, function) in OF_ITS_OWN, f"{path.name} uses {function}"


# --- the player -------------------------------------------------------------------------------------------------------


def script(tracks: int, initial: list[list[int]], steps: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """A script from steps written as {"kind", "args", "puts": [(track, key, row or None)], "marks"}."""
    flat: dict[str, list[int]] = {"kind": [], "args": [], "arg_at": [0], "patches": [], "patch_at": [0]}
    flat |= {"marks": [], "mark_at": [0]}
    for step in steps:
        flat["kind"].append(step.get("kind", 0))
        flat["args"] += step.get("args", [])
        flat["arg_at"].append(len(flat["args"]))
        for track, key, row in step.get("puts", []):
            flat["patches"] += [track, key, -1] if row is None else [track, key, len(row), *row]
        flat["patch_at"].append(len(flat["patches"]))
        for mark in step.get("marks", []):
            flat["marks"] += mark
        flat["mark_at"].append(len(flat["marks"]))
    return {
        "version": 1,
        "start": {"say": "start {0}", "why": "", "args": [len(initial)], "lines": []},
        "kinds": [{"label": "a", "say": "say {0}", "landmark": False}, {"label": "b", "say": "b", "landmark": True}],
        "phases": [{"name": "first", "from": 0}, {"name": "second", "from": 3}],
        "roles": [{"label": "left", "look": "done"}, {"label": "next", "look": "next"}],
        "tracks": [{"name": f"t{index}", "type": "table"} for index in range(tracks)],
        "initial": initial,
        "steps": flat,
        **more,
    }


def replay(data: dict[str, Any], step: int) -> list[dict[int, list[int]]]:
    """The state after `step` steps, from scratch: one dict of rows per track."""
    state: list[dict[int, list[int]]] = [{} for _ in data["tracks"]]
    for track, key, *row in data["initial"]:
        state[track][key] = row
    patches = data["steps"]["patches"]
    at = 0
    while at < data["steps"]["patch_at"][step]:
        track, key, count = patches[at : at + 3]
        if count < 0:
            state[track].pop(key, None)
        else:
            state[track][key] = patches[at + 3 : at + 3 + count]
        at += 3 + max(count, 0)
    return state


def play(jobs: list[tuple[dict[str, Any], list[int]]]) -> list[dict[str, Any]]:
    given = json.dumps([{"script": data, "moves": moves} for data, moves in jobs])
    results: list[dict[str, Any]] = json.loads(node(str(REPLAY), str(PLAYER), given=given))
    return results


def moves_through(last: int, dice: random.Random) -> list[int]:
    """To the end and back step by step, then to random steps."""
    return [*range(last + 1), *range(last, -1, -1), *(dice.randint(0, last) for _ in range(40))]


def ahead(data: dict[str, Any], step: int, inner: list[bool]) -> list[dict[int, list[int]]]:
    """What the inner steps after a step put in each track, up to the first row that one of them deletes there."""
    at = data["steps"]["patch_at"]
    end = next((k for k in range(step, len(inner)) if not inner[k]), len(inner))
    found: list[dict[int, list[int]]] = [{} for _ in data["tracks"]]
    done: set[int] = set()
    patches, here = data["steps"]["patches"], at[step]
    while here < at[end]:
        track, key, count = patches[here : here + 3]
        if count < 0:
            done.add(track)
        elif track not in done:
            found[track][key] = patches[here + 3 : here + 3 + count]
        here += 3 + max(count, 0)
    return found


def check(data: dict[str, Any], moves: list[int], result: dict[str, Any]) -> None:
    last = len(data["steps"]["kind"])
    assert result["last"] == last
    kinds = [data["kinds"][kind] for kind in data["steps"]["kind"]]
    landmarks = [k + 1 for k, kind in enumerate(kinds) if kind["landmark"]]
    inner = [bool(kind.get("inner")) for kind in kinds]
    outer = [k + 1 for k in range(last) if not inner[k] or k + 1 == last]
    assert result["outer"] == (outer if any(kind.get("inner") for kind in data["kinds"]) else None)
    for wanted, got in zip(moves, result["states"], strict=True):
        step = min(max(wanted, 0), last)
        state = replay(data, step)
        assert got["step"] == step
        assert [dict(rows) for rows in got["rows"]] == state, f"at step {step}"
        # The order a queue is drawn in: (first value, key), keys below 0 excluded.
        order = [sorted((k for k in rows if k >= 0), key=lambda k, r=rows: (r[k][0], k)) for rows in state]
        assert got["order"] == order, f"at step {step}"
        before, after = [k for k in landmarks if k < step], [k for k in landmarks if k > step]
        assert got["landmarks"] == [before[-1] if before else None, after[0] if after else None]
        assert [dict(rows) for rows in got["ahead"]] == ahead(data, step, inner)
        assert got["phase"] == sum(phase["from"] <= step for phase in data["phases"]) - 1


TOY = script(
    2,
    [[0, 0, 1, 7], [0, 1, 1, 8]],
    [
        {"args": [5, 6], "puts": [(1, 0, [4, 9])], "marks": [[0, 0, 0], [0, 1, 1]]},
        {"kind": 1, "puts": [(0, 0, [2, 7]), (0, 1, [0, 8]), (1, 0, None)]},
        {"puts": [(1, 0, [1]), (1, 0, None), (1, 0, [2])], "args": [1]},  # one row three times in one step
        {"puts": [(1, 9, None), (0, -1, [0])]},  # deletes a missing row; writes the row of the current group
        {},
    ],
)


def test_toy_script_by_hand() -> None:
    [result] = play([(TOY, [0, 1, 2, 1, 3, 2, 5])])
    states = result["states"]
    assert states[1]["rows"] == [[[0, [1, 7]], [1, [1, 8]]], [[0, [4, 9]]]]
    assert states[2]["rows"] == [[[0, [2, 7]], [1, [0, 8]]], []]
    assert states[3]["rows"] == states[1]["rows"], "one step back is exactly the step before"
    assert states[4]["rows"][1] == [[0, [2]]]
    assert states[5]["rows"] == states[2]["rows"], "a row patched three times in one step goes back to none"
    assert [state["say"] for state in states[:3]] == ["start {0}", "say {0}", "b"]
    assert [state["args"] for state in states[:3]] == [[2], [5, 6], []]
    assert states[1]["marks"] == [[0, 0, "left"], [0, 1, "next"]]
    assert states[2]["put"] == [[0, 1], []], "a deleted row was not put"
    assert [state["phase"] for state in states] == [0, 0, 0, 0, 1, 0, 1]
    assert [state["landmarks"] for state in states[:3]] == [[None, 2], [None, 2], [None, None]]
    assert states[4]["landmarks"] == [2, None]
    assert result["use"] == [[2, 0, 5], [1, 1, 5]], "most rows at once, first and last step with any"


def test_toy_script_against_the_reference() -> None:
    moves = [*moves_through(5, random.Random(1)), -3, 99]
    [result] = play([(TOY, moves)])
    check(TOY, moves, result)


def test_a_step_looks_ahead_to_what_its_inner_steps_put() -> None:
    kinds = [{"label": "push", "inner": True, "landmark": False}, {"label": "merge", "landmark": True}]
    puts: list[list[tuple[int, int, list[int] | None]]] = [[(1, 0, [5])], [(1, 1, [6])], [(1, 0, None), (0, 0, [3])]]
    puts += [[(1, 2, [7])], [(1, 1, None)], [(1, 3, [8])]]
    steps = [{"kind": int(number == 2), "puts": each} for number, each in enumerate(puts)]
    data = script(2, [], steps, kinds=kinds)
    [result] = play([(data, [0, 1, 2, 3, 6])])
    assert result["outer"] == [3, 6], "the merge, and the end"
    assert [state["ahead"][1] for state in result["states"]] == [[[0, [5]], [1, [6]]], [[1, [6]]], [], [[2, [7]]], []]
    check(data, [0, 1, 2, 3, 6], result)


def test_script_without_steps() -> None:
    data = script(1, [], [])
    [result] = play([(data, [0, 1, 0, -1])])
    check(data, [0, 1, 0, -1], result)
    assert result["use"] == [[0, None, -1]]


def random_script(seed: int) -> tuple[dict[str, Any], list[int]]:
    dice = random.Random(seed)
    tracks = dice.randint(1, 4)
    spread = dice.choice([3, 30, 900])  # few keys: rows overwritten and deleted all the time; many: a long queue

    def put(gone: float) -> tuple[int, int, list[int] | None]:
        row = [dice.randint(-9, 9) for _ in range(dice.randint(1, 5))]
        return dice.randrange(tracks), dice.randint(-1, spread), None if dice.random() < gone else row

    initial = {(track, key): row for track, key, row in (put(0) for _ in range(dice.randint(0, 40)))}
    steps = [
        {"kind": dice.randrange(2), "puts": [put(0.3) for _ in range(dice.choice([0, 1, 2, 6, 40]))]}
        for _ in range(dice.randint(1, 80))
    ]
    kinds = [{"label": "a", "say": "say {0}", "landmark": False, "inner": seed % 2 == 0}]
    kinds.append({"label": "b", "say": "b", "landmark": True})
    data = script(tracks, [[track, key, *(row or [])] for (track, key), row in initial.items()], steps, kinds=kinds)
    return data, moves_through(len(steps), dice)


@pytest.mark.long
def test_random_scripts_against_the_reference() -> None:
    jobs = [random_script(seed) for seed in range(40)]
    for (data, moves), result in zip(jobs, play(jobs), strict=True):
        check(data, moves, result)


# --- sending to the browser ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("dense", [False, True], ids=["for a page", "for a file"])
def test_a_packed_script_unpacks_to_itself(tmp_path: Path, llama2: explorer.Tokenizer, dense: bool) -> None:
    trace = llama2.trace("What is LoRA? 🤗\u202e " * 40)
    large = sections(llama2, trace, round_trip(llama2, trace), window_of(trace), "model")[0].script
    assert large is not None
    assert len(pack(large)) < len(json.dumps(large.data)) / 3
    assert len(pack_dense(large.data)) < len(pack(large)) * 0.75
    for script in (large, *(Script(random_script(seed)[0]) for seed in range(5))):
        packed = pack_dense(script.data) if dense else pack(script)
        assert unpack(packed) == json.loads(json.dumps(script.data))
        module = tmp_path / "module.mjs"
        sent = base64.b64encode(packed).decode()
        module.write_text(
            f"{join('stepper', 'unpack.js')}\n"
            f"process.stdout.write(JSON.stringify(await unpack(Buffer.from('{sent}', 'base64'))));\n", "utf-8",
        )  # fmt: skip
        assert json.loads(node(str(module))) == json.loads(json.dumps(script.data))


def test_sentence_templates(tmp_path: Path) -> None:
    cases = [
        ("Pop {2:q} ({3:t}). Cell {0} absorbs {1}.", "Pop ▁is (−16). Cell 5 absorbs −12,345."),
        ("{{{0}}} and {{x}}", "{5} and {x}"),
        ("{2:t}{2:q}", "▁is▁is"),
        ("no arguments: } {", "no arguments: } {"),
        ("", ""),
    ]
    module = tmp_path / "module.mjs"
    module.write_text(
        f"{join('base', BASE_JS)}{component('stepper').code}\n"
        f"const all = {json.dumps([template for template, _ in cases])};\n"
        'const said = all.map((template) => plainSentence(template, [5, -12345, 0, 1], ["▁is", "−16"]));\n'
        "process.stdout.write(JSON.stringify(said));\n",
        encoding="utf-8",
    )
    assert json.loads(node(str(module))) == [said for _, said in cases]
