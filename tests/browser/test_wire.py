"""What a change of the text sends: the text's own parts of the page, within the bytes that a class can afford."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.edit import MODELS, PROSE
from benchmarks.socket_session import Session

pytestmark = pytest.mark.browser  # in the process that has the server


class Listening(Session):
    """A session that counts the elements of a run by kind; a component by its name."""

    kinds: list[str]

    def run(self, seconds: float, fragment: str = "") -> float:
        self.kinds, self.received = [], 0
        return super().run(seconds, fragment)

    def receive(self, seconds: float) -> ForwardMsg:
        message = super().receive(seconds)
        if message.WhichOneof("type") == "delta" and message.delta.HasField("new_element"):
            element = message.delta.new_element
            kind = element.WhichOneof("type")
            self.kinds.append(element.bidi_component.component_name if kind == "bidi_component" else str(kind))
        return message


@pytest.fixture
def visitor(server: str, request: pytest.FixtureRequest) -> Iterator[Listening]:
    session = Listening(server.removeprefix("http://"), f"m={request.param}")
    session.open()
    yield session
    session.close()


@pytest.mark.parametrize("visitor", MODELS, indirect=True)
def test_an_edit_sends_the_text_its_tokens_and_the_stage_in_focus(visitor: Listening) -> None:
    assert "selectbox" in visitor.kinds, "the page itself has the controls"
    for size, most in ((60, 40_000), (1000, 150_000)):
        visitor.type((PROSE * 20)[:size])
        shown = [kind.rpartition(".explorer_")[2] for kind in visitor.kinds]
        assert shown == ["live_text", "overview", "stepper"]
        assert visitor.received <= most, size
    assert visitor.said == []
