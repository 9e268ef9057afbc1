"""What a check renders is what `transformers` and llama-server render of the same conversations, live."""

from __future__ import annotations

import pytest

from explorer.prompts.check import ALONE, check_template, conversations, sent_to
from explorer.prompts.templates import own_templates
from tests.bundled import bundled

SOURCES = {
    "qwen2.5": bundled("qwen2.5").chat.named(),
    **{name: own.source for name, own in own_templates().items() if name in ("chatml", "llama-3", "gemma")},
}


pytestmark = pytest.mark.xdist_group("chat templates of transformers")  # one process of the original


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", SOURCES)
def test_the_column_transformers_is_what_it_renders(name: str) -> None:
    from tests.prompts.test_transformers import asked

    rows = [row for row in conversations() if row.look not in ("forged", "date")]
    found = check_template(None, source=SOURCES[name], lines=False)
    answers = asked([SOURCES[name], dict(row.call), ALONE] for row in rows)
    texts = 0
    for row, theirs in zip(rows, answers, strict=True):
        cell = found.cell(row.name)
        assert cell.text == (None if isinstance(theirs, str) else theirs[0]), row.name
        texts += cell.text is not None
    assert texts > 30


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", SOURCES)
def test_the_column_llama_cpp_is_what_its_server_renders(name: str) -> None:
    pytest.importorskip("xllamacpp")
    from tests.prompts.llama_server import LlamaServer

    # the server has Llama 2's vocabulary, which adds BOS
    found = check_template(bundled("llama-2"), source=SOURCES[name], lines=False)
    rows = [row for row in conversations() if row.look not in ("forged", "date")]
    texts = 0
    with LlamaServer(SOURCES[name]) as server:
        for row in rows:
            cell = found.cell(row.name, "llama.cpp")
            assert cell.text == server.prompt(sent_to("llama.cpp", row)), row.name
            texts += cell.text is not None
    assert texts > 30
