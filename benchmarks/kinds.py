"""Runs the app and writes what its memory is made of: `python -m benchmarks.kinds FILE ARGUMENTS…` of Streamlit.

Every `INTERVAL` seconds FILE has one JSON object: megabytes of the server by kind (caches by their own weights, what
the allocator keeps free, Streamlit's sessions and files), and how many of each there are.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import re
import sys
import threading
import time
from pathlib import Path
from typing import Any, Final

from streamlit.web.cli import main as streamlit

INTERVAL: Final = 10.0


class Heap(ctypes.Structure):
    """`struct mallinfo2` of glibc."""

    _fields_ = tuple(
        (name, ctypes.c_size_t)
        for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()
    )


def kinds() -> dict[str, Any]:
    """What is there now. MB: caches weigh what they say."""
    from streamlit.runtime import Runtime

    from explorer.answers import sessions
    from explorer.answers.questions import LOCAL, Store

    libc = ctypes.CDLL("libc.so.6")
    libc.mallinfo2.restype = Heap
    heap = libc.mallinfo2()
    there = list(sessions._sessions.values())
    found: dict[str, Any] = {f"cache {store.name.lower()}": LOCAL.caches[store].weight for store in Store}
    found["session caches"] = sum(each.caches[store].weight for each in there for store in Store)
    found |= {"heap in use": heap.uordblks + heap.hblkhd, "heap free": heap.fordblks}
    found["python objects"] = python_bytes()
    found["resident"] = int(Path("/proc/self/statm").read_text().split()[1]) * 4096
    found = {name: round(size / 1e6) for name, size in found.items()}
    found["sessions"] = len(there)
    if Runtime.exists():
        runtime = Runtime.instance()
        found["streamlit sessions"] = runtime._session_mgr.num_sessions()
        found["active"] = runtime._session_mgr.num_active_sessions()
        found["media MB"] = round(
            sum(len(file.content) for file in runtime._media_file_mgr._storage._files_by_id.values()) / 1e6
        )
    return found


def python_bytes() -> int:
    """Bytes that Python's own allocator holds for small objects, free ones included."""
    reader, writer = os.pipe()
    kept = os.dup(2)
    os.dup2(writer, 2)
    try:
        sys._debugmallocstats()
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(writer)
    with open(reader, errors="replace") as file:
        said = file.read()
    arenas = re.search(r"(\d+) arenas \* (\d+) bytes/arena", said)
    return int(arenas[1]) * int(arenas[2]) if arenas else 0


def census() -> dict[str, int]:
    """The types with most objects that the collector knows."""
    counts: dict[str, int] = {}
    for each in gc.get_objects():
        name = f"{type(each).__module__}.{type(each).__qualname__}"
        counts[name] = counts.get(name, 0) + 1
    return dict(sorted(counts.items(), key=lambda pair: -pair[1])[:25])


def watch(file: Path) -> None:
    """Writes the file again and again. A line `census` in FILE.ask has it count objects once."""
    while True:
        try:
            found = kinds()
            if (ask := file.with_suffix(".ask")).exists():
                ask.unlink()
                found["census"] = census()
            made = json.dumps(found)
        except Exception as error:  # while the server starts
            made = json.dumps({"error": f"{type(error).__name__}: {error}"})
        file.write_text(made)
        time.sleep(INTERVAL)


if __name__ == "__main__":
    name, *sys.argv[1:] = sys.argv[1:]
    threading.Thread(target=watch, args=(Path(name),), daemon=True).start()
    sys.argv[0] = "streamlit"
    streamlit()
