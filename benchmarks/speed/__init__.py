"""How fast texts become ids, against the originals: the measurements of `python -m benchmarks`."""
