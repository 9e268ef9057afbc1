"""A training that is written down and repeated gives the same file; another corpus is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from explorer.answers.train import train_view
from explorer.cli.main import main
from explorer.errors import InputError
from explorer.training.trainers import OFFERED, TRAINERS, TrainRequest, changed, read
from explorer.views.examples import TWO_LINES as NOTES


@pytest.mark.sample(2)
@pytest.mark.parametrize("trainer_id", TRAINERS)
def test_every_trainer_is_repeated(
    trainer_id: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, recipe = tmp_path / "text.txt", tmp_path / "recipe.json"
    text.write_text(f"{NOTES}\n", "utf-8")
    suffix = TRAINERS[trainer_id].suffix
    outputs = [tmp_path / f"{number}{suffix}" for number in (1, 2)]
    size = 300 if trainer_id[1] == "minbpe" else 80
    more = (
        ["--no-hard-vocab-limit"]
        if suffix == ".model"
        else []
        if trainer_id[1] == "minbpe"
        else ["--unk-token", "[UNK]"]
    )
    if trainer_id[0] in ("bpe", "wordlevel", "wordpiece") and suffix == ".json":
        more += ["--reserved-token" if trainer_id[1] == "tensorflow-text" else "--special-token", "[UNK]"]
    asked = ["train", trainer_id[0], "--as", trainer_id[1], "--vocab-size", str(size), *more]
    assert main([*asked, "--output", str(outputs[0]), "--recipe", str(recipe), str(text)]) == 0
    again = ["train", "--replay", str(recipe), "--output", str(outputs[1])]
    assert main([*again, str(text)]) == 0
    assert outputs[0].read_bytes() == outputs[1].read_bytes()
    outputs[1].unlink()
    text.write_text(f"{NOTES}!\n", "utf-8")
    capsys.readouterr()
    assert main([*again, str(text)]) != 0
    assert "sha256" in capsys.readouterr().err
    assert not outputs[1].exists()


@pytest.mark.sample(2)
@pytest.mark.parametrize("trainer_id", OFFERED)
def test_what_was_trained_on_the_page_is_repeated(trainer_id: tuple[str, str], tmp_path: Path) -> None:
    offered = OFFERED[trainer_id]
    cutting = offered.cuttings[0] if offered.cuttings else "none"
    view = train_view(TrainRequest(trainer_id, cutting, NOTES, offered.smallest + 48, offered.options))
    text, recipe, output = (
        tmp_path / "text.txt",
        tmp_path / "recipe.json",
        tmp_path / f"my{TRAINERS[trainer_id].suffix}",
    )
    text.write_text(NOTES, "utf-8")
    recipe.write_bytes(view.recipe)
    assert main(["train", trainer_id[0], "--replay", str(recipe), "--output", str(output), str(text)]) == 0
    assert output.read_bytes() == view.file


@pytest.mark.parametrize("trainer_id", TRAINERS)
def test_options_survive_the_file(trainer_id: tuple[str, str]) -> None:
    """Every option with another value than its default, of the same type."""
    default: Any = TRAINERS[trainer_id].options()
    others = {"vocab_size": 777}
    for name, value in ("special_tokens", ("a", "猫")), ("byte_fallback", True), ("charsmap", b"\0\xff"), (
        "limit_alphabet", 5), ("slack_ratio", 1), ("unk_token", None):  # fmt: skip
        if hasattr(default, name):
            others[name] = value
    options = TRAINERS[trainer_id].options(**others)
    view = json.dumps({"format": 2, "algorithm": trainer_id[0], "as": trainer_id[1], "words": "none", "line_ends": True,
                       "options": {name: value.hex() if isinstance(value, bytes) else value
                                   for name, value in changed(options).items()},
                       "unk_token": None, "corpus": ""})  # fmt: skip
    assert TRAINERS[trainer_id].options(**read(view, "recipe.json").options) == options


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[", "recipe.json: this is not JSON"),
        ("[]", "a recipe is []; give an object"),
        ("{}", "needs the key algorithm"),
        (
            '{"format": 9, "algorithm": "bpe", "as": "minbpe", "words": "none", "line_ends": true, "options": {}}',
            "format is 9",
        ),
        (
            '{"format": 1, "algorithm": "bpe", "as": "minbpe", "words": "none", "line_ends": true, "corpus": "", '
            '"options": {"vocab_size": "9"}}',
            "vocab_size is '9'; give a whole number",
        ),
        (
            '{"format": 1, "algorithm": "bpe", "as": "minbpe", "words": "none", "line_ends": true, "corpus": "", '
            '"options": {"seed": 9}}',
            "options has no key 'seed'",
        ),
    ],
)
def test_what_is_no_recipe_is_said(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says.replace("[", "\\[")):
        read(text, "recipe.json")


def test_a_recipe_of_the_first_format_changes_no_characters() -> None:
    old = (
        '{"format": 1, "algorithm": "bpe", "as": "sentencepiece", "words": "none", "line_ends": false, '
        '"corpus": "", "options": {"vocab_size": 9}}'
    )
    assert read(old, "r").options == {"vocab_size": 9, "normalization_rule_name": "identity"}
    assert read(old.replace('"format": 1', '"format": 2'), "r").options == {"vocab_size": 9}
