"""How fast texts become ids, against the originals: what `python -m benchmarks` measures."""
