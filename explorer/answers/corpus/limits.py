"""What a visitor's corpus job may use. The command line has no limits; `jobs` and `process` keep to these."""

from typing import Final

BYTES: Final = 200_000_000
"""Of all files of a job."""
TEXT: Final = 2_000_000_000
"""Of all text in them, which may be compressed."""
MEMORY: Final = 3_000_000_000
"""Bytes of memory of its process."""
SECONDS: Final = 3600
"""Seconds of processor time."""
AT_ONCE: Final = 2
"""Jobs that compute at the same time; others wait for their turn."""
MOST_JOBS: Final = 12
"""Jobs on this server that compute or wait."""
RESIDENT: Final = 4_000_000_000
"""Bytes of memory of all jobs; beyond it, the largest ends."""
SLICE: Final = 2.0
"""Seconds a job computes before it may have to wait for another."""
PART: Final = 2_000_000
"""Bytes of a part of the work: finished parts survive a stop."""
NICENESS: Final = 10
"""How far its priority on a busy machine is below the server's."""
