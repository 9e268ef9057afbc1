"""How long each bundled vocabulary takes to open, and how much memory: `python -m benchmarks.opening`.

Processor seconds of the best of three, each in a process of its own, and what the process grew by. Beside it the time
of the first `encode`, which may build what opening left undone.
"""

from __future__ import annotations

import subprocess
import sys

import explorer

ONE = """
import resource, sys, time
import explorer
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
before, start = peak(), time.process_time()
tok = explorer.load(sys.argv[1])
opened = time.process_time()
tok.encode("What is LoRA?")
print(opened - start, time.process_time() - opened, peak() - before)
"""


def main() -> None:
    print(f"{'vocabulary':<28}{'open s':>10}{'first encode s':>16}{'memory MB':>12}")
    for model in explorer.catalog().values():
        for implementation in model.implementations:
            spec = f"{model.name}@{implementation}"
            runs = []
            for _ in range(3):
                done = subprocess.run([sys.executable, "-c", ONE, spec], capture_output=True, text=True, check=True)
                runs.append([float(word) for word in done.stdout.split()])
            opened, encoded, memory = min(runs)
            print(f"{spec:<28}{opened:>10.2f}{encoded:>16.3f}{memory:>12.0f}")


if __name__ == "__main__":
    main()
