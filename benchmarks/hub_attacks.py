"""Visitors who ask for models of a hostile Hub, for `benchmarks.attacks`: the endpoint of the attacked server lies."""

from __future__ import annotations

import json
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

from websockets.exceptions import ConnectionClosed

from benchmarks.attackers import LONGEST, BrokenError, NotAttackedError, visitor
from benchmarks.socket_session import Session
from explorer.opening.hub.fetching import STORAGE
from tests.opening.hub_server import Hub, clients, serving

FIELD: Final = "Model on the Hub"
PATIENCE: Final = 240.0
"""Seconds in which a fetch must end. A visitor's has 60, once it has begun; four run at once."""
LOOK: Final = 0.5
"""Seconds between two looks at a fetch, as a page has them."""
MOST_KEPT: Final = 1_000_000
"""Bytes that hostile answers may leave on the server's disk."""
VISITORS: Final = 10
"""Visitors who ask at once."""

FAULTS: Final = (
    "endless", "endless list", "compressed", "elsewhere", "hostile etag", "hostile commit", "moved on", "other content",
    "states large", "cut off", "no hub", "busy", "slow", "dripping",
)  # fmt: skip
"""What the endpoint answers for the models org/endless, org/endless-list, …; a redirect leads to 127.0.0.1."""

TINY: Final = {"model": {"type": "BPE", "vocab": {"a": 0, "b": 1}, "merges": []}}
FILES: Final = {"tokenizer.json": json.dumps(TINY).encode() + b" " * 300_000}


class OnHub:
    """An attack on a server that lets visitors open models of the Hub. attack: given the address and the endpoint."""

    def __init__(self, attack: Callable[[str, Hub], list[str]]) -> None:
        self.attack = attack

    @contextmanager
    def environment(self) -> Iterator[dict[str, str]]:
        """The environment of that server, whose endpoint runs meanwhile. `inside` is a server that nobody may ask."""
        with serving() as self.hub, serving() as self.inside, tempfile.TemporaryDirectory() as self.home:
            self.hub.target = f"{self.inside.endpoint}/secret"
            for fault in FAULTS:
                name = f"org/{fault.replace(' ', '-')}"
                self.hub.put(name, FILES)
                self.hub.faults[name] = fault
            self.hub.put("org/honest", FILES)
            yield {"HF_ENDPOINT": self.hub.endpoint, STORAGE: self.hub.storage, "HF_HOME": self.home, "no_proxy": "*"}
            self.hub.release.set()

    def __call__(self, address: str, folder: Path) -> list[str]:
        """Attacks; looks at what is left."""
        said = self.attack(address, self.hub)
        if self.inside.requests:
            raise BrokenError(f"a redirect to this machine is followed: {self.inside.requests[0][1]}")
        until = time.monotonic() + PATIENCE  # Streamlit keeps the session of a visitor who may come back
        while (left := clients(self.hub)) and time.monotonic() < until:
            time.sleep(1)
        if left:
            raise BrokenError(f"{len(left)} clients of the Hub are left")
        kept = sum(each.stat().st_size for each in Path(self.home).rglob("*") if each.is_file())
        if kept > MOST_KEPT:
            raise BrokenError(f"{kept:,} bytes are left on the disk")
        return said


def asked(session: Session, name: str) -> tuple[str, float]:
    """What the page says about a model once its fetch has ended, "" if it is open; and the seconds that took."""
    if FIELD not in session.widgets:
        raise NotAttackedError(f"the page has no field {FIELD!r}")
    began = time.monotonic()
    session.set(FIELD, string_value=name)
    session.run(LONGEST)
    session.values.clear()
    while time.monotonic() < began + PATIENCE:
        said = next((each for each in map(str.strip, session.said) if each.startswith((name, "EXCEPTION"))), "")
        if said or any(each.startswith("From ") for each in session.captions):
            return said, time.monotonic() - began
        time.sleep(LOOK)
        session.captions.clear()
        session.run(LONGEST, session.repeated)
    raise BrokenError(f"{name}: its fetch doesn't end")


def every_fault(address: str, hub: Hub) -> list[str]:
    """One visitor asks for a model for each fault, in turn, then for an honest one."""
    longest, slowest = 0.0, ""
    with visitor(address) as session:
        for fault in FAULTS:
            name = f"org/{fault.replace(' ', '-')}"
            said, seconds = asked(session, name)
            if not said.startswith(f"{name}: "):
                raise BrokenError(f"{name}: {said or 'it is opened'}")
            if seconds > longest:
                longest, slowest = seconds, fault
        said, _ = asked(session, "org/honest")
        if said:
            raise BrokenError(f"the session is broken: {said}")
    return [f"{len(FAULTS)} hostile answers end in one line each, the longest after {longest:.1f} s ({slowest})"]


def many_at_once(address: str, hub: Hub) -> list[str]:
    """Ten visitors ask for models that never come, again and again, while one asks for an honest model."""
    going, tries = True, 0

    def attack(session: Session) -> None:
        nonlocal tries
        with suppress(OSError, ConnectionClosed, BrokenError):
            while going:
                asked(session, f"org/{('slow', 'dripping', 'endless')[tries % 3]}")
                tries += 1

    with ExitStack() as stack:
        sessions = [stack.enter_context(visitor(address)) for _ in range(VISITORS)]
        threads = [threading.Thread(target=attack, args=(each,), daemon=True) for each in sessions]
        for thread in threads:
            thread.start()
        time.sleep(5)
        try:
            said, seconds = asked(stack.enter_context(visitor(address)), "org/honest")
        finally:
            going = False
        if said:
            raise BrokenError(f"an honest model is refused: {said}")
    for thread in threads:
        thread.join(5)
    return [f"{VISITORS} visitors ask {tries} times meanwhile; an honest model comes after {seconds:.1f} s"]
