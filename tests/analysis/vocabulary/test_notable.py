"""Tokens worth looking at: what is said of each is recounted; the page opens on one that text gives."""

from __future__ import annotations

from collections import Counter

import pytest

import explorer
from explorer.analysis.vocabulary.figures import GIVEN, notable, opening_token, picture, ranked
from explorer.analysis.vocabulary.index import TokenClass, VocabularyIndex, index_of
from explorer.text.say import plain


def index(name: str) -> VocabularyIndex:
    return index_of(explorer.load(name))


@pytest.mark.parametrize("name", ["gpt-2", "llama-2", "bert-uncased"])
def test_what_is_said_of_a_token_is_true(name: str) -> None:
    found = index(name)
    listed = notable(found)
    assert len({each.id for each in listed}) == len(listed) > 10
    learned = [id for id, of in enumerate(found.classes) if of not in GIVEN]
    for id, why in listed:
        said, text = plain(why), found.texts[id]
        assert found.classes[id] not in GIVEN
        if "longest words" in said:
            assert text.strip().isalpha()
            assert f"{len(text.strip())} letters" in said
            words = [each for each in learned if found.texts[each].strip().isalpha()]
            whole = [each for each in words if found.classes[each] is not TokenClass.PART]
            assert sum(len(found.texts[each]) > len(text) for each in whole) < 5
        elif "white space" in said:
            assert text.isspace()
            assert f"{len(text)} characters" in said
        elif said.startswith("The longest token in"):
            script = found.scripts[id]
            assert script in said
            assert len(text) == max(len(found.texts[each]) for each in learned if found.scripts[each] == script
                                    and found.classes[each] is not TokenClass.PART)  # fmt: skip
        elif "inside a character" in said:
            assert found.classes[id] is TokenClass.PART
        elif "last that were learned" in said:
            assert id in ranked(found)[-5:]


@pytest.mark.parametrize("name", ["gpt-2", "llama-2", "bert-uncased", "rwkv-world", "llama-3"])
def test_the_page_opens_on_a_token_that_its_text_gives(name: str) -> None:
    found = index(name)
    id = opening_token(found)
    assert id is not None
    assert found.texts[id].strip() == "token"
    assert found.classes[id] not in GIVEN


def test_llama_3_turns_where_its_own_tokens_begin() -> None:
    """It took over cl100k's tokens, and learned others after them, mostly of other scripts."""
    llama, cl100k = index("llama-3"), index("cl100k_base")
    turn = picture(llama).turn
    assert turn is not None
    own = next(id for id in range(len(llama)) if id >= len(cl100k) or llama.data[id] != cl100k.data[id])
    assert abs(turn.id - own) <= 2
    ids = ranked(llama)
    before, after = (Counter(llama.scripts[id] for id in each) for each in (ids[: turn.rank], ids[turn.rank :]))
    for script, had, has in (turn.fell, turn.rose):
        # near the turn; so about the share of either whole side
        assert had == pytest.approx(100 * before[script] / before.total(), abs=6)
        assert has == pytest.approx(100 * after[script] / after.total(), abs=6)
    assert (turn.fell[0], turn.rose[0]) == ("Latin", "Cyrillic")
    assert picture(index("gpt-2")).turn is None
