"""mistral-common's ids, live: the files in its package, and small ones."""

from __future__ import annotations

import json
from pathlib import Path

import mistral_common
import pytest
from mistral_common.tokens.tokenizers.base import SpecialTokenPolicy
from mistral_common.tokens.tokenizers.tekken import Tekkenizer

import explorer
from explorer.engine.pre_tokenizers.patterns import GPT2, TEKKEN
from explorer.errors import InputError
from explorer.formats.tekken import UNNAMED
from tests.fuzz.seeds import tekken_json
from tests.originals.generators import strings

DATA = Path(mistral_common.__file__).with_name("data")
SPECIAL = [{"rank": rank, "token_str": text, "is_control": rank != 2} for rank, text in enumerate(("<s>", "[A]", "th"))]


@pytest.fixture(scope="module", params=["tekken_240718", "tekken_240911", "v3", "v13", "own pattern"])
def pair(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[explorer.Tokenizer, Tekkenizer]:
    path = DATA / f"{request.param}.json"
    if not path.exists():
        whole = tekken_json(3, None) if request.param == "v3" else tekken_json(13, SPECIAL)
        if request.param == "own pattern":
            whole["config"]["pattern"] = r"\p{L}{1,3}|\d+"
        path = tmp_path_factory.mktemp("tekken") / "tekken.json"
        path.write_text(json.dumps(whole), "utf-8")
    return explorer.load(path), Tekkenizer.from_file(path)


@pytest.mark.sample(2)
def test_ids_and_texts_equal_the_originals(pair: tuple[explorer.Tokenizer, Tekkenizer]) -> None:
    ours, theirs = pair
    assert len(ours.vocabulary) == theirs.n_words
    for text in strings(seed=61, count=1_500):
        want = theirs.encode(text, bos=True, eos=False)
        assert ours.encode(text).ids == ours.trace(text).ids == want, ascii(text)
        assert ours.encode(text, add_special=False).ids == want[1:]
        assert (
            ours.decode(want) == ours.decode(want, remove_special=False, unparse_special=False) == theirs.decode(want)
        )
        kept = ours.decode(want[:-1], remove_special=False)
        assert kept == theirs.decode(want[:-1], special_token_policy=SpecialTokenPolicy.KEEP)


@pytest.mark.long
def test_every_token_is_the_originals(pair: tuple[explorer.Tokenizer, Tekkenizer]) -> None:
    ours, theirs = pair
    for id in range(0, theirs.n_words, 1 if theirs.n_words < 1_000 else 11):
        piece = theirs.id_to_byte_piece(id, SpecialTokenPolicy.KEEP)
        assert ours.vocabulary.pieces[id] == piece
        assert ours.trace_decode([id], remove_special=False).data == piece


def test_the_pattern_and_the_names_are_the_originals() -> None:
    whole = json.loads((DATA / "tekken_240911.json").read_text("utf-8"))
    assert whole["config"]["pattern"] == TEKKEN.regex
    assert tuple(str(token["token_str"]) for token in Tekkenizer.DEPRECATED_SPECIAL_TOKENS) == UNNAMED


def test_facts_about_the_settings_in_force(tmp_path: Path) -> None:
    path = tmp_path / "tekken.json"
    path.write_text(json.dumps(tekken_json(13, SPECIAL)), "utf-8")
    ours = explorer.load(path)
    assert ours.implementation == "mistral-common"
    facts = {fact.place: fact for fact in ours.facts}
    assert facts["config.pattern"].code == TEKKEN.regex
    assert facts["special_tokens"].code == "0 <s>\n1 [A]\n2 th"
    assert "1 more tokens" in facts["config.default_vocab_size"].says
    assert "ids 3 to 29 are reserved" in facts["config.default_num_special_tokens"].says
    assert "image" in facts


def test_a_pattern_that_cannot_run_is_named(tmp_path: Path) -> None:
    path = tmp_path / "tekken.json"
    whole = tekken_json(3, None)
    path.write_text(json.dumps(whole | {"config": whole["config"] | {"pattern": GPT2.regex + "|("}}), "utf-8")
    with pytest.raises(
        InputError, match=r"^tekken\.json: config\.pattern: character \d+ of the pattern: this parenthesis"
    ):
        explorer.load(path)
