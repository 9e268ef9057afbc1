"""What any visitor can send, for `benchmarks.attacks`: links, files, texts and values over the socket, requests.

An attack returns what the server said about it. It raises `NotAttackedError` where it could not be carried out, and
`BrokenError` where a defense it looks at did not hold.
"""

from __future__ import annotations

import base64
import math
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from statistics import median
from typing import Any, Final
from urllib.error import HTTPError
from urllib.parse import quote

from streamlit.proto.Common_pb2 import StringArray
from websockets.exceptions import ConnectionClosed, InvalidStatus

from benchmarks.socket_session import Session
from explorer.answers.train_offers import ALGORITHMS, CUTS
from tests.hostile.test_long_lists import alternating
from tests.ui.small_files import tokenizer_json

LONGEST: Final = 60.0
"""The longest an attacker waits for an answer, in seconds."""

Attack = Callable[[str, Path], list[str]]
"""Given the server's address, without the protocol, and the checkout that it runs."""


class NotAttackedError(Exception):
    """The attack did not happen."""


class BrokenError(Exception):
    """A defense did not hold."""


@contextmanager
def visitor(address: str, query: str = "m=gpt-2&text=a", page: str = "") -> Iterator[Session]:
    """A session whose first run has ended. page: its path, none for Explore."""
    session = Session(address, query, page=page)
    try:
        session.open(LONGEST)
        yield session
    finally:
        session.close()


def link(page: str = "", seconds: float = LONGEST, **query: str) -> Attack:
    """Opens a link, and leaves after so many seconds."""

    def attack(address: str, folder: Path) -> list[str]:
        session = Session(address, "&".join(f"{name}={quote(value)}" for name, value in query.items()), page=page)
        try:
            session.open(seconds)
            return session.said
        finally:
            session.close()

    return attack


def dropped(data: Callable[[], bytes], text: str = "a", name: str = "tokenizer.json") -> Attack:
    """Drops a file and types a text."""

    def attack(address: str, folder: Path) -> list[str]:
        with visitor(address) as session:
            session.send_file(name, data(), LONGEST)
            said = session.said
            session.type(text, seconds=LONGEST)
            return said + session.said

    return attack


def given(data: Callable[[], bytes], name: str, field: str, page: str, query: str = "") -> Attack:
    """Drops a file on a field of a page, by its label."""

    def attack(address: str, folder: Path) -> list[str]:
        with visitor(address, query, page) as session:
            if field not in session.widgets:
                raise NotAttackedError(f"the page has no field {field!r}, but {', '.join(session.widgets)}")
            session.send_file(name, data(), LONGEST, field)
            return session.said

    return attack


def typed(text: str, field: str = "field", query: str = "m=gpt-2&text=a") -> Attack:
    """Sends a text that the field itself would refuse."""

    def attack(address: str, folder: Path) -> list[str]:
        with visitor(address, query) as session:
            if field not in session.fields:
                raise NotAttackedError(f"the page has no field {field!r}, but {', '.join(session.fields)}")
            session.type(text, field, LONGEST)
            return session.said

    return attack


def option(algorithm: str, corpus: str, name: str, **value: Any) -> Attack:
    """Trains with a value for an option that its field would refuse; each line of the corpus is a word."""

    def attack(address: str, folder: Path) -> list[str]:
        with visitor(address, "", "train") as session:
            session.set("Algorithm", string_array_value=StringArray(data=[ALGORITHMS[algorithm]]))
            session.run(LONGEST)
            session.set("Words", string_value=CUTS["none"])
            session.type(corpus, "Text to learn from", LONGEST)
            if name not in session.widgets:
                raise NotAttackedError(f"the page has no option {name!r}")
            session.set(name, **value)
            session.run(3 * LONGEST)
            return session.said

    return attack


def unclaimed(address: str, folder: Path) -> list[str]:
    """Sends ten files of 100 MB that no page expects."""
    refused = 0
    with visitor(address) as session:
        for number in range(10):
            try:
                session.upload(f"{number}.bin", b"x" * 100_000_000, LONGEST)
            except (HTTPError, OSError):  # the server may close the connection before everything is sent
                refused += 1
    if not refused:
        raise BrokenError("all files are taken")
    return [f"{refused} of 10 files are refused"]


def slow_patterns(address: str, folder: Path) -> list[str]:
    """Sixty visitors with patterns that take as long as they may, while one with a simple pattern types.

    Says how long that one waited for each of ten answers, and for a dropped file.
    """
    slow = f"m=gpt-2&text={'a' * 32 + '!!' * 900}&pattern={quote('(a|aa|aaa)+[!b]+c|(?:a|aa)+?!+d|.')}"
    attackers = [Session(address, slow) for _ in range(60)]
    threads = [threading.Thread(target=run_to_an_end, args=(each,)) for each in attackers]
    for thread in threads:
        thread.start()
    time.sleep(5)
    honest = Session(address, f"m=gpt-2&text=hello&pattern={quote(chr(92) + 'w+|.')}")
    try:
        waits = [honest.open(LONGEST), *(honest.type(f"hello world {number}", seconds=LONGEST) for number in range(10))]
        dropping = Session(address, "m=gpt-2&text=a")
        dropping.open(LONGEST)
        dropped = dropping.send_file("tokenizer.json", tokenizer_json(), LONGEST)
        dropping.close()
        busy = sum(thread.is_alive() for thread in threads)
        return [f"a pattern: median {median(waits):.2f} s, worst {max(waits):.2f} s; a file: {dropped:.2f} s; "
                f"{busy} attackers compute"]  # fmt: skip
    finally:
        for each in [honest, *attackers]:
            each.close()
        for thread in threads:
            thread.join()


def run_to_an_end(session: Session) -> None:
    with suppress(TimeoutError, OSError, ConnectionClosed):
        session.open(LONGEST)


def foreign_name(address: str, folder: Path) -> list[str]:
    """Connects as a page would whose name resolves to this machine: Host and Origin agree."""
    try:
        Session(address, host="evil.example").close()
    except InvalidStatus as error:
        return [f"refused: {error.response.status_code}"]
    raise BrokenError("it is connected under a foreign name")


def forged_values(address: str, folder: Path) -> list[str]:
    """Sends every widget of Train values that it can't have; afterward the page must still draw."""
    values: list[dict[str, Any]] = [
        {"json_value": "[" * 100_000}, {"double_value": math.nan}, {"int_value": 2**62}, {"string_value": "x"},
        {"json_value": "[]"},
    ]  # fmt: skip
    with visitor(address, "", "train") as session:
        usual = sorted(session.widgets)
        for label in usual:
            for value in values:
                session.values.clear()
                session.set(label, **value)
                session.run(LONGEST)
        session.values.clear()
        session.run(LONGEST)
        if session.said:
            raise BrokenError(f"the session is broken: {session.said}")
        return [f"{len(usual)} widgets are as before"]


PLANTED: Final = """
import os, sys, tempfile
from pathlib import Path
folder = tempfile.mkdtemp()
os.environ["XDG_CACHE_HOME"] = folder
from explorer.engine.fast.compiled import kept
path = kept.root() / "code" / "machine.kept"
assert kept.save(path, (b"another's code",)), "nothing was planted"
os.chmod(path.parent, 0o777)
print(kept.load(path))
"""


def planted(address: str, folder: Path) -> list[str]:
    """Puts machine code into a cache folder that everybody may write to. Needs no server."""
    command = [sys.executable, "-c", PLANTED]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=LONGEST, check=False)
    if done.returncode:
        raise NotAttackedError(done.stderr[-200:])
    if done.stdout.strip() != "None":
        raise BrokenError("the planted code is loaded")
    return [done.stderr.strip()]


def in_link(toml: str) -> str:
    """A lesson as a link has it."""
    return base64.urlsafe_b64encode(zlib.compress(toml.encode(), 9)).decode().rstrip("=")


def split(regex: str) -> dict[str, Any]:
    return {"type": "Split", "pattern": {"Regex": regex}, "behavior": "Isolated", "invert": False}


def added(tokens: list[str]) -> bytes:
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": False}
    return tokenizer_json(added_tokens=[{"id": 6 + id, "content": each} | flags for id, each in enumerate(tokens)])


def unigram(pieces: list[str]) -> bytes:
    model = {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], *([each, -1.0] for each in pieces)]}
    return tokenizer_json(model=model, added_tokens=[], pre_tokenizer=None)


def two_splits() -> bytes:
    lines, slow = split(r"\n"), split("(a|aa)+!")
    return tokenizer_json(pre_tokenizer={"type": "Sequence", "pretokenizers": [lines, slow]})


DISTINCT: Final = "".join(map(chr, range(0x4E00, 0x4E00 + 1_900)))

ATTACKS: Final[Mapping[str, Attack]] = {
    "literal in a link": link(m="gpt-2", text="a" * 5_100, pattern="b" * 4_990),
    "literal of 20,000 over the socket": typed("b" * 20_000, "pattern", "m=gpt-2&text=a&pattern=b&stage=pre-tokenize"),
    "literal in a file": dropped(lambda: tokenizer_json(pre_tokenizer=split("b" * 4_990)), "a" * 5_100),
    "recursion in a link": link(m="gpt-2", text="a" * 1_900, pattern="(?R)|a"),
    "repeats of repeats in a link": link(m="gpt-2", text="a", pattern="(?:" * 22 + "a" + "+)+" * 22),
    "3,000 alternating Replaces": dropped(lambda: tokenizer_json(normalizer=alternating(3_000))),
    "490 alternating Replaces": dropped(lambda: tokenizer_json(normalizer=alternating(490)), "ab" * 50_000),
    "Split that runs away on 3,200 lines": dropped(two_splits, ("a" * 30 + "\n") * 3_200),
    "added tokens a…a!": dropped(lambda: added(["a" * size + "!" for size in range(2, 3_000)]), "a" * 100_000),
    "Unigram pieces a…a": dropped(lambda: unigram(["a" * size for size in range(1, 3_000)]), "a" * 100_000),
    "100,000 characters": typed("ab " * 33_000),
    "1,000,000 characters over the socket": typed("ab " * 333_333),
    "ten unclaimed files of 100 MB": unclaimed,
    "sixty slow patterns": slow_patterns,
    "half a surrogate pair": typed("a\ud800"),
    "a file of 100 MB": dropped(lambda: b"x" * 100_000_000, name="vocab.txt"),
    "dotted keys in a lesson's link": link("learn", own=in_link("a." * 29_000 + "a=1")),
    "5,000 digits in a lesson's link": link("learn", own=in_link("title = " + "9" * 5_000)),
    "dotted keys in a list of edits": given(
        lambda: b"a." * 500_000 + b"a=1", "edits.toml", "A file of edits", "vocabulary", "m=gpt-2&edit=true"
    ),
    "120 MB of escapes as a result": given(
        lambda: b'{"a": "' + rb"\\" * 60_000_000 + b'"}',
        "result.json",
        "A result: the JSON file of a corpus job",
        "corpus",
        "result=a%20result%20from%20a%20file",
    ),
    "alternatives in a search, and left": link("vocabulary", 10.0, m="gpt-2", by="regex", q="(?:-|-|-)" * 26 + "x"),
    "a prefix of 100,000 letters": option("bpe", DISTINCT, "continuing_subword_prefix", string_value="x" * 100_000),
    "10⁹ rounds of a training": option("unigram", "low lower", "n_sub_iterations", int_value=10**9),
    "planted machine code": planted,
    "a foreign name of the server": foreign_name,
    "forged values of all widgets": forged_values,
}
