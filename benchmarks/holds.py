"""How long the card Sent holds the server's interpreter: `python -m benchmarks.holds`.

Each request is asked for in a thread, beside one that wakes every 5 ms. Printed are the processor time of the request,
the longest wait of the other thread, and the most processor time that the request used between two of its wakes: only
that is a hold; the rest of a wait is the machine's load.
"""

from __future__ import annotations

import json
import threading
import time

from explorer.answers.offers import TokenizerSpec, bundled
from explorer.answers.prompt import PromptRequest, cards_of, prompt_view
from tests.prompts.test_servers import NOTED, hostile_requests

TICK = 0.005


def asked(call: str) -> None:
    """Asks for the card and its view."""
    offer = bundled()["qwen2.5"]
    request = PromptRequest(TokenizerSpec(offer, offer.implementations[0]), call)
    prompt_view(request, "sent")
    cards_of(request)


def measured(name: str, call: str) -> None:
    """Measures one request, and prints a line."""
    thread = threading.Thread(target=asked, args=(call,))
    thread.start()
    used = wait = hold = 0.0
    last = time.monotonic()
    while thread.is_alive() and thread.ident is not None:
        time.sleep(TICK)
        now = time.monotonic()
        try:
            so_far = time.clock_gettime(time.pthread_getcpuclockid(thread.ident))
        except OSError:  # it has ended
            break
        wait, hold = max(wait, now - last - TICK), max(hold, so_far - used)
        used, last = so_far, now
    thread.join()
    print(f"{name:<28} {len(call):>9,} characters  {used:6.2f} s  waits {wait:.3f}  holds {hold:.3f}", flush=True)


def largest() -> dict[str, str]:
    """Requests just below the limits: 400,000 characters of text, 20,000 values."""
    user = {"role": "user", "content": "Hi"}
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"city": "Oslo"}'}}
    answer = {"role": "assistant", "content": None, "tool_calls": [call]}
    return {
        "one long text": json.dumps({"messages": [{"role": "developer", "content": "x y z. " * 56_000}]}),
        "many messages": json.dumps({"messages": [user, {"role": "assistant", "content": "word " * 20}] * 1_800}),
        "many calls": json.dumps({"messages": [user, answer] * 900}),
        "many parts": json.dumps({"messages": [{"role": "user", "content": [{"type": "text", "text": "a"}] * 6_000}]}),
    }


if __name__ == "__main__":
    asked(json.dumps(NOTED))
    for name, call in largest().items():
        measured(name, call)
    for number, call in enumerate(hostile_requests()):
        measured(f"hostile request {number}", call)
