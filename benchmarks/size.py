"""How much code the house holds: tokens per folder, without docstrings, comments and white space, and files.

Run it with ``python -m benchmarks.size``, or ``--against COMMIT`` for the same table of an earlier commit beside it.

A token is one of Python's own (`tokenize`); a docstring is a string that stands alone as a statement. JavaScript and
CSS are counted by words and single signs outside comments, which is close to what their parsers do. Blank files
count as files. Leaves out: tests, vocabularies, documents.
"""

import argparse
import io
import re
import subprocess
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

FOLDERS = ("explorer/", "app.py")
# Folders that the table names by themselves: as large as others' parents.
NAMED = ("explorer/views/steppers", "explorer/stages", "explorer/engine/fast/compiled", "explorer/engine/fast")
SILENT = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
    tokenize.ENCODING,
}
SCRIPT = re.compile(r"/\*.*?\*/|(?<![:\"'`])//[^\n]*|(\w+|[^\w\s])", re.DOTALL)


def python_tokens(source: str) -> int:
    """The number of tokens of a Python file, its docstrings left out.

    >>> python_tokens('def one():\\n    \"\"\"Says one.\"\"\"\\n    return 1  # the first\\n')
    7
    """
    count, starts = 0, True
    tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    for token, after in zip(tokens, [*tokens[1:], None], strict=True):
        if token.type in SILENT:
            starts = starts or token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
            continue
        ends = after is None or after.type in (tokenize.NEWLINE, tokenize.COMMENT, tokenize.ENDMARKER)
        count += not (token.type == tokenize.STRING and starts and ends)
        starts = False
    return count


def script_tokens(source: str) -> int:
    """The number of words and signs of a JavaScript or CSS file outside its comments.

    >>> script_tokens("let a = 1; // one")
    5
    """
    return sum(bool(match[1]) for match in SCRIPT.finditer(source))


COUNTERS = {".py": python_tokens, ".js": script_tokens, ".css": script_tokens}


def sources(commit: str | None) -> Iterator[tuple[str, str]]:
    """Path and text of every source file, of the work tree or of a commit."""
    command = ["git", "ls-files"] if commit is None else ["git", "ls-tree", "-r", "--name-only", commit]
    for path in subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines():
        if not path.startswith(FOLDERS) or Path(path).suffix not in COUNTERS:
            continue
        if commit is None:
            if Path(path).exists():
                yield path, Path(path).read_text(encoding="utf-8")
        else:
            shown = subprocess.run(["git", "show", f"{commit}:{path}"], capture_output=True, check=True)
            yield path, shown.stdout.decode("utf-8")


def rows_of(path: str) -> list[str]:
    """The rows of the table that a file counts in: its folder, a named folder below it, everything."""
    suffix = Path(path).suffix
    if suffix != ".py":
        return [f"{suffix[1:]}", "everything"]
    parts = path.split("/")
    folder = "/".join(parts[:2]) if len(parts) > 2 else "top"
    below = [name for name in NAMED if path.startswith(f"{name}/") and name != folder]
    return [folder, *below[:1], "Python", "everything"]


def counted(commit: str | None) -> tuple[Mapping[str, int], Mapping[str, int]]:
    """Tokens and files per row."""
    tokens: dict[str, int] = defaultdict(int)
    files: Counter[str] = Counter()
    for path, text in sources(commit):
        count = COUNTERS[Path(path).suffix](text)
        for row in rows_of(path):
            tokens[row] += count
            files[row] += 1
    return tokens, files


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--against", metavar="COMMIT", help="an earlier commit, counted beside the work tree")
    options = parser.parse_args()
    tokens, files = counted(None)
    if options.against is None:
        print("| folder | tokens | files |\n|---|--:|--:|")
        for row in sorted(tokens):
            print(f"| {row} | {tokens[row]:,} | {files[row]} |")
        return
    before, files_before = counted(options.against)
    print(f"| folder | tokens, {options.against} | now | | files | now | |\n|---|--:|--:|--:|--:|--:|--:|")
    for row in sorted({*tokens, *before}):
        cells = [f"{before[row]:,}", f"{tokens[row]:,}", change(before[row], tokens[row])]
        cells += [str(files_before[row]), str(files[row]), change(files_before[row], files[row])]
        print(f"| {row} | {' | '.join(cells)} |")


def change(before: int, now: int) -> str:
    """A change in percent, or nothing where there was nothing before."""
    return f"{(now / before - 1) * 100:+.1f} %" if before else ""


if __name__ == "__main__":
    main()
