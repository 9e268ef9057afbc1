"""The version of the explorer, and the commit that it was made from."""

from pathlib import Path
from typing import Final

__version__: Final = "1.0.0"
BUILT = Path(__file__).parent / "bundle" / "commit.txt"
"""Written into a wheel (deploy/build_hook.py)."""


def commit() -> str:
    """The commit that this code was made from: the one written at the build, or that of the clone; "" if unknown."""
    if BUILT.is_file():
        return BUILT.read_text("ascii").strip()
    clone = Path(__file__).parent.parent
    if not (clone / ".git").exists():
        return ""
    import subprocess  # a fifth of what `import explorer` takes

    try:
        asked = ["git", "-C", str(clone), "rev-parse", "HEAD"]
        found = subprocess.run(asked, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return found.stdout.strip() if found.returncode == 0 else ""


def version_line() -> str:
    """What the command line says of itself."""
    made_from = commit()
    return f"tokenizer-explorer {__version__}" + (f" (commit {made_from[:12]})" if made_from else "")
