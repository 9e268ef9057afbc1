"""Answer: what the model wrote last, in regions on its tokens; the message that each parser makes of it; lost calls."""

from collections.abc import Sequence
from contextlib import suppress

from explorer.errors import InputError
from explorer.prompts.messages import Call
from explorer.prompts.parsers.answer import Answer, answer
from explorer.tables import Json, Record
from explorer.text.say import Say, Text
from explorer.views.prompt.tokens import NOTHING, Badge, Scene, View, text_cells

MOST_CUTS = 32
"""Lengths after which what streams is shown."""
MOST_TOKENS = 1_000


def last(scene: Scene) -> tuple[int, Answer] | None:
    """The last answer with a text, and the number of its message; None without one. Raises InputError."""
    request = scene.request or Call([])
    for index in range(len(request.messages) - 1, 0, -1):
        message = request.messages[index]
        if message.get("role") == "assistant" and isinstance(content := message.get("content"), str) and content:
            own = scene.tokenizer.chat.response
            return index, answer(content, names=request.tools or None, own=own, prefix=asked(scene, index))
    return None


def asked(scene: Scene, index: int) -> str:
    """The prompt that asked for an answer; "" where the template makes none."""
    with suppress(InputError):
        if scene.prompt is not None:
            count = len(scene.prompt.call.messages)
            return scene.prompt.before(next((at for at in range(count) if scene.sent_as(at) >= index), count)).text
    return ""


def badge(scene: Scene) -> Badge:
    """How many calls the worst parser keeps."""
    try:
        said = last(scene)
        if said is None:
            return Badge(Text("no answer yet"), 0, True) if scene.prompt else NOTHING
        count, kept = len(said[1].calls), [len(said[1].kept(name)) for name in said[1].parsers]
    except InputError:
        return NOTHING
    if not count:
        return Badge(Text("no call"), 0, True)
    return Badge(Text("{0} of {1} calls kept", min(kept), count), sum(each < count for each in kept))


def stage(scene: Scene) -> Json | None:
    """What the component draws."""
    try:
        said = last(scene)
        return drawn(scene, *said) if said else {}
    except InputError as error:
        return {"problem": Say("{0:t}", str(error))}


def drawn(scene: Scene, index: int, said: Answer) -> Record:
    """An answer as it is drawn."""
    tokens = text_cells(scene.tokenizer, said.text, index)
    for cell in tokens:
        cell["kind"] = next((each.kind for each in said.regions if each.end > cell["s"]), "content")
    ends = [cell["e"] for cell in tokens]
    cuts = [ends[n * (len(ends) - 1) // MOST_CUTS] for n in range(1, MOST_CUTS + 1)] if ends else []
    return {
        "message": index,
        "say": said.headline,
        "tokens": tokens[:MOST_TOKENS],
        "calls": [each.name for each in said.calls],
        "template": said.source if said.template else None,
        "own": scene.tokenizer.chat.response is not None,
        "faults": [*said.template.faults()] if said.template else [],
        "parsers": [
            {
                "name": name,
                "title": said.title(name),
                "error": message.error,
                "kept": said.kept(name),
                "message": message.to_json(),
                "parts": [[each.field, each.start, each.end] for each in message.parts],
                "streams": streams(said, name, cuts),
            }
            for name, message in said.messages.items()
        ],
        "losses": said.losses,
        "cuts": cuts,
    }


def streams(said: Answer, name: str, cuts: Sequence[int]) -> list[Json | None]:
    """What a parser has sent after each cut; None where it isn't followed, and none where that takes long."""
    with suppress(InputError):
        return [each and each.to_json() for each in said.sent(name, cuts)]
    return []


VIEW = View("answer", Text("Answer"), badge, stage)
