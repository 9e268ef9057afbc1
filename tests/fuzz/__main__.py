"""Fuzzes every reader: `python -m tests.fuzz [COUNT [READER …]]`; 20,000 attempts each by default.

Prints for each reader how many of the changed files still open, and each kind of finding once, with the number of its
first attempt. Exit status 1 if there are findings.
"""

from __future__ import annotations

import sys
import time
import tracemalloc
import warnings

from tests.fuzz.attempt import READERS, Finding, attempt


def main(arguments: list[str]) -> int:
    count = int(arguments[0]) if arguments else 20_000
    names = arguments[1:] or list(READERS)
    warnings.simplefilter("error")
    tracemalloc.start()
    wrong = 0
    for name in names:
        found: dict[str, Finding] = {}
        times: dict[str, int] = {}
        works, began = 0, time.process_time()
        for number in range(count):
            opened, finding = attempt(name, number)
            works += opened
            if finding is not None:
                key = f"{finding.where} {finding.what.partition(':')[0]}"
                found.setdefault(key, finding)
                times[key] = times.get(key, 0) + 1
        seconds = time.process_time() - began
        print(f"{name}: {count} attempts, {works} opened, {len(found)} findings, {seconds:.0f} s", flush=True)
        for key, finding in found.items():
            print(f"--- {times[key]} times, first in attempt {finding.number}: {finding.where}: {finding.what}")
            print(finding.trace)
        wrong += len(found)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
