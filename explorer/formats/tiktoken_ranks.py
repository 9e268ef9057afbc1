"""`.tiktoken`: a ranks file, one token per line: its bytes in base64, a space, its rank.

Follows `load_tiktoken_bpe` of OpenAI's tiktoken: empty lines are skipped, any line end is accepted, and a byte order
mark is not part of the first token. `=` is the empty token, which Whisper's file has. The rank is the token's id and
decides which pair merges first. The file has neither the pattern nor the special tokens; `implementations/tiktoken`
knows them.

Stricter than the original, which uses the last of two lines for one token and skips invalid base64.
"""

from base64 import b64encode
from binascii import Error, a2b_base64
from collections.abc import Iterable
from pathlib import Path

from explorer.errors import InputError
from explorer.vocabulary import MOST_PIECES

MAX_TOKENS = MOST_PIECES
BOM = b"\xef\xbb\xbf"
EMPTY = b"="
"""The spelling of the empty token: nothing in base64, whose padding Python's decoder ignores."""


def read(source: Path | bytes, name: str = "") -> dict[bytes, int]:
    """Token bytes → rank, in the order of the file. Raises InputError naming the line that is wrong.

    >>> read(b"YQ== 0\\nYWI= 1\\n")
    {b'a': 0, b'ab': 1}
    """
    name = name or ("these bytes" if isinstance(source, bytes) else source.name)
    data = source if isinstance(source, bytes) else source.read_bytes()
    count = data.count(b"\n")
    if count > MAX_TOKENS:
        raise InputError(f"{name}: {count} lines, but no vocabulary has that many tokens; give a .tiktoken file")
    lines = data.removeprefix(BOM).splitlines()
    ranks: dict[bytes, int] = {}
    try:
        # all lines at once is faster; only a damaged file is read line by line
        ranks = {
            a2b_base64(token, strict_mode=True) if token != EMPTY else b"": int(rank)
            for token, rank in map(bytes.split, filter(None, lines))
        }
    except (ValueError, Error):
        _refuse(lines, name)
    if not ranks:
        raise InputError(f"{name}: this is not a file of tokens and ranks; give a .tiktoken file")
    lowest, highest = min(ranks.values()), max(ranks.values())
    faults = lowest < 0, highest >= highest_allowed(len(ranks))
    if any(faults) or not len(ranks) == len(set(ranks.values())) == sum(map(bool, lines)):
        _refuse(lines, name)
    return ranks


def write(ranks: Iterable[tuple[bytes, int]]) -> bytes:
    r"""The file of tokens and their ranks, as OpenAI publishes it.

    >>> write([(b"a", 0), (b"ab", 1)])
    b'YQ== 0\nYWI= 1\n'
    """
    return b"".join(b"%b %d\n" % (b64encode(token) or EMPTY, rank) for token, rank in ranks)


def highest_allowed(count: int) -> int:
    """The bound of ranks. They may leave gaps, for special tokens, but a table of them must fit in memory."""
    return 2 * count + 100_000


def _refuse(lines: list[bytes], name: str) -> None:
    """Raises InputError for the first line that is wrong."""
    tokens: dict[bytes, int] = {}
    ranks: dict[int, int] = {}
    for number, line in enumerate(lines, 1):
        if not line:
            continue
        where = f"{name}: line {number}"
        parts = line.split()
        try:
            token = b"" if parts[0] == EMPTY else a2b_base64(parts[0], strict_mode=True)
            rank = int(parts[1])
        except (ValueError, IndexError, Error):
            raise InputError(
                f"{where} is not a base64 token and a rank ({line[:40]!r}); fetch the file again"
            ) from None
        if len(parts) != 2 or rank < 0:
            raise InputError(f"{where} is not one token and one rank from 0; fetch the file again")
        if rank >= highest_allowed(len(lines)):
            shown = parts[1][:20].decode()
            before = f": no line before it has a rank above {max(ranks)}" if ranks else ""
            raise InputError(
                f"{where} has the rank {shown}, far above the number of tokens{before}; fetch the file again"
            )
        if token in tokens:
            raise InputError(f"{where} repeats the token of line {tokens[token]}; repair the file")
        if rank in ranks:
            raise InputError(f"{where} repeats the rank of line {ranks[rank]}; repair the file")
        tokens[token], ranks[rank] = number, number
    raise InputError(f"{name}: this is not a file of tokens and ranks; give a .tiktoken file")


def looks_like(head: bytes) -> bool:
    """Whether a file with these first bytes may be a ranks file.

    >>> looks_like(b"IQ== 0\\nIg== 1\\n"), looks_like(b"{}")
    (True, False)
    """
    line, _, _ = head.removeprefix(BOM).lstrip(b"\r\n").partition(b"\n")
    token, _, rank = line.strip().partition(b" ")
    try:
        return bool(a2b_base64(token, strict_mode=True)) and rank.strip().isdigit()
    except Error:
        return False
