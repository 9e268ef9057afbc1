r"""RWKV World's vocabulary, in its two files: lines of text, and JSON as ChatRWKV has it.

A line of text is an id, a Python literal and its length in bytes:

    257 '\t\t' 2
    161 b'\xa0' 1

RWKV's own readers pass the literal to `eval`. Here a strict parser reads it: a string or bytes in single or double
quotes, with the escapes that Python's `repr` writes. Anything else is an error that names the line; nothing is run.
The ids begin at 1. Id 0 is the end of a text and is not in the file.

JSON is an object of ids and tokens:

    {"1": "\u0000", "129": [128], "257": "\t\t"}

A token is a string, or, where it is not valid UTF-8, a list of its bytes. A file may leave out the single bytes,
which JSON can't spell as strings: an id up to 256 that is missing is the byte one below it, as RWKV's fallback has
it.
"""

import re
from collections.abc import Iterable
from typing import Any

from explorer.errors import InputError, shown
from explorer.formats import strict_json
from explorer.formats.files import check_size
from explorer.formats.vocab_files import lines_of

MAX_FILE = 1 << 23
"""Bytes of a file. RWKV World's has one million."""

LINE = re.compile(r"([0-9]{1,9}) (b?)(['\"])(.*)\3 ([0-9]{1,9})", re.DOTALL)
ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.|$)|(['\"])", re.DOTALL)
SIMPLE = {"\\": "\\", "'": "'", '"': '"', "n": "\n", "r": "\r", "t": "\t"}
READ = "\\\\ \\' \\\" \\n \\r \\t \\xHH \\uHHHH \\UHHHHHHHH"


def looks_like(head: bytes) -> bool:
    """Whether a file with these first bytes may be one: its first line has an id, a literal and a length.

    >>> looks_like(b"1 '\\\\x00' 1\\n2 'a' 1\\n"), looks_like(b"[PAD]\\n")
    (True, False)
    """
    return re.match(rb"(?:\xEF\xbb\xbf)?[0-9]+ b?['\"].*['\"] [0-9]+\r?\n", head) is not None


def read(data: bytes, name: str) -> list[bytes]:
    """The tokens of the ids 1, 2, 3 …; id 0 is not in the file. name: what errors call the file.

    Raises InputError naming the line if it is malformed, or if its id is out of range or occurs twice.

    >>> read(b"2 b'\\\\xff' 1\\n1 'a' 1\\n", "toy")
    [b'a', b'\\xff']
    """
    check_size(len(data), MAX_FILE, name)
    lines = lines_of(data, name)
    if not lines:
        raise InputError(f"{name}: the file has no tokens; fetch it again")
    tokens: list[bytes | None] = [None] * len(lines)
    for number, line in enumerate(lines, 1):
        try:
            id, token = parse_line(line)
            if not 1 <= id <= len(lines):
                raise ValueError(f"the id {id} is not between 1 and {len(lines)}, the number of lines")
            if tokens[id - 1] is not None:
                raise ValueError(f"the id {id} occurs twice")
        except ValueError as error:
            raise InputError(f"{name}: line {number}: {error}; fetch the file again") from None
        tokens[id - 1] = token
    return [token for token in tokens if token is not None]


def write(tokens: Iterable[bytes]) -> bytes:
    r"""The file of the tokens 1, 2, 3 …, spelled as the published one: text where a token is UTF-8, else bytes.

    >>> write([b"a", b"\xff", "é".encode()]).decode()
    "1 'a' 1\n2 b'\\xff' 1\n3 'é' 2\n"
    """
    return b"".join(f"{id} {literal(token)} {len(token)}\n".encode() for id, token in enumerate(tokens, 1))


def literal(token: bytes) -> str:
    r"""A token as Python writes it.

    >>> literal(b"a'"), literal(bytes([129]))
    ('"a\'"', "b'\\x81'")
    """
    try:
        return repr(token.decode())
    except UnicodeDecodeError:
        return repr(token)


def parse_line(line: str) -> tuple[int, bytes]:
    """Id and bytes of one line. Raises ValueError saying what is wrong.

    >>> parse_line(r'274 " \\'" 2'), parse_line(r"161 b'\\xa0' 1")
    ((274, b" '"), (161, b'\\xa0'))
    """
    match = LINE.fullmatch(line)
    if match is None:
        raise ValueError("this is not an id, a quoted token and its length")
    id, is_bytes, quote, body, length = match.groups()
    needs_unescaping = "\\" in body or "'" in body or '"' in body
    text = ESCAPE.sub(lambda escape: _unescaped(escape, quote, bool(is_bytes)), body) if needs_unescaping else body
    if not is_bytes:
        try:
            token = text.encode()
        except UnicodeEncodeError:
            raise ValueError("half of a surrogate pair is not a character") from None
    elif not body.isascii():
        raise ValueError("a bytes literal may contain only ASCII unescaped")
    else:
        token = text.encode("latin-1")
    if len(token) != int(length):
        raise ValueError(f"the token has {len(token)} bytes, but the line says {length}")
    if not token:
        raise ValueError("an empty token can never be found")
    return int(id), token


def _unescaped(match: re.Match[str], quote: str, is_bytes: bool) -> str:
    """The character of an escape, or of a bare quote."""
    escape, bare = match.groups()
    if bare:
        if bare == quote:
            raise ValueError("there is text after the closing quote")
        return str(bare)
    if escape in SIMPLE:
        return SIMPLE[escape]
    if len(escape) > 1 and (escape[0] == "x" or not is_bytes):
        code = int(escape[1:], 16)
        if code > 0x10FFFF:
            raise ValueError(f"\\{escape} is above the last code point")
        return chr(code)
    shown = escape if escape.isprintable() else ascii(escape)[1:-1]
    raise ValueError(f"the escape \\{shown} is not supported; supported are: {READ}")


BYTES = 256
"""The ids from 1 on that are the single bytes."""


def looks_like_json(head: bytes) -> bool:
    """Whether a file with these first bytes may be one: an object whose first key is a number, its value a token.

    >>> [looks_like_json(each) for each in (b'{"1": "a"', b'{"129": [128]', b'{"a": 1', b'{"1": {')]
    [True, True, False, False]
    """
    return re.match(rb'(?:\xef\xbb\xbf)?\s*\{\s*"[0-9]{1,9}"\s*:\s*(?:"|\[\s*[0-9])', head) is not None


def read_json(data: bytes, name: str) -> list[bytes]:
    """The tokens of the ids 1, 2, 3 …; name: what errors call the file.

    Raises InputError naming the id if a token is malformed, or if an id is missing.

    >>> tokens = read_json(b'{"257": "ab", "258": [255, 97]}', "toy")
    >>> len(tokens), tokens[255:]
    (258, [b'\\xff', b'ab', b'\\xffa'])
    """
    check_size(len(data), MAX_FILE, name)
    file = strict_json.read(data, name, "an RWKV vocabulary")
    if not isinstance(file, dict) or not file:
        raise InputError(f"{name}: this is not an object of ids and tokens; fetch the file again")
    if "0" in file:
        raise InputError(
            f"{name}: this is an object of ids and pieces, from the id 0 on, and a vocab.json is one of pieces and "
            "ids; swap them, and put merges.txt next to it"
        )
    tokens: dict[int, bytes] = {id: bytes([id - 1]) for id in range(1, BYTES + 1)}
    highest = max(len(file) + BYTES, BYTES)
    for key, value in file.items():
        if not re.fullmatch("[1-9][0-9]{0,8}", key) or int(key) > highest:
            raise InputError(f"{name}: {shown(key)} is not an id between 1 and {highest}; fetch the file again")
        tokens[int(key)] = token_of(value, f"{name}: id {key}")
    missing = next((id for id in range(1, len(tokens) + 1) if id not in tokens), None)
    if missing is not None:
        raise InputError(f"{name}: the id {missing} is missing, though higher ones are there; fetch the file again")
    return [tokens[id] for id in range(1, len(tokens) + 1)]


def token_of(value: Any, where: str) -> bytes:
    """The bytes of a token. where: what errors begin with.

    >>> token_of("é", "toy"), token_of([195], "toy")
    (b'\\xc3\\xa9', b'\\xc3')
    """
    if isinstance(value, str) and value:
        return value.encode()
    if isinstance(value, list) and value and all(type(byte) is int and 0 <= byte < 256 for byte in value):
        return bytes(value)
    raise InputError(f"{where}: {shown(value)} is neither text nor a list of bytes; fetch the file again")
