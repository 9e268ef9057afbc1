"""`--open-first` opens the bundled tokenizers before the server answers."""

from __future__ import annotations

import pytest

from explorer.answers.offers import bundled
from explorer.answers.questions import LOCAL, Store
from explorer.ui.tokenizers import server


@pytest.mark.parametrize("arguments", [("--open-first",), ()])
def test_tokenizers_are_open_before_anybody_asks(arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    few = {name: bundled()[name] for name in ("bert-uncased", "mistral-v1")}
    monkeypatch.setattr(server, "app_arguments", lambda: server.parse_arguments(arguments))
    monkeypatch.setattr(server, "bundled", lambda: few)
    LOCAL.caches.clear()
    server.open_first()
    wanted = sum(1_000_000 + 700 * len(offer.open(offer.implementations[0], {}).vocabulary.pieces)
                 for offer in few.values()) if arguments else 0  # fmt: skip
    assert LOCAL.caches[Store.TOKENIZERS].weight == wanted
