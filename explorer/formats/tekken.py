"""tekken.json: a Mistral tokenizer in one JSON file, with ranks, pattern and special tokens.

Follows `Tekkenizer` of mistral-common 1.13. The special tokens have the first ids, the tokens with ranks the ids after
them. `config.default_num_special_tokens` is the number of special ids; those the file does not name are called
`<SPECIAL_n>`. `config.default_vocab_size` counts both kinds, and ranks above it get no id.

Left out: settings for images, audio and chat messages, which do not affect the tokens of a text.
"""

import re
from binascii import a2b_base64
from typing import Any, NamedTuple

from explorer.errors import InputError, errors_of, shown
from explorer.formats import strict_json

MAX_SPECIAL = 100_000
"""Special tokens, which the file need not list. Known files have a thousand."""

UNNAMED = (
    *"<unk> <s> </s> [INST] [/INST] [AVAILABLE_TOOLS] [/AVAILABLE_TOOLS] [TOOL_RESULTS] [/TOOL_RESULTS]".split(),
    *"[TOOL_CALLS] [IMG] <pad> [IMG_BREAK] [IMG_END] [PREFIX] [MIDDLE] [SUFFIX]".split(),
    *"[SYSTEM_PROMPT] [/SYSTEM_PROMPT] [TOOL_CONTENT]".split(),
)
"""The first special tokens of a file that lists none (`DEPRECATED_SPECIAL_TOKENS`)."""
LAST_UNNAMED = 7
"""The last version whose files may list no special tokens."""


_BEGINS = re.compile(rb'\{\s*"config"\s*:\s*\{[^{}"]*(?:"\w+"\s*:\s*[\w".]+\s*,\s*)*"pattern"\s*:')
"""The first settings of the file, up to the pattern."""


class Tekken(NamedTuple):
    """The file.

    ranks: token bytes → rank, for tokens with an id. special_tokens: in the order of their ids. named: how many of them
    the file lists. beyond: the number of ranks without an id. unused: the keys that do not affect a text.
    """

    version: str
    pattern: str
    ranks: dict[bytes, int]
    special_tokens: tuple[str, ...]
    named: int
    beyond: int
    unused: tuple[str, ...]


def looks_like(head: bytes) -> bool:
    """Whether a file with these first bytes may be one: it begins with the pattern among the settings, which may be
    longer than what is read of it, or it has the key of a token or of a setting.

    >>> looks_like(b'{"config": {"default_num_special_tokens": 1000,'), looks_like(b'{"version": "1.0"')
    (True, False)
    """
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    keys = (b'"token_bytes"', b'"default_num_special_tokens"')
    return start.startswith(b"{") and (_BEGINS.match(start) is not None or any(key in head for key in keys))


def read(data: bytes, name: str) -> Tekken:
    """Reads a file. name: what errors call it. Raises InputError naming the key that is wrong."""
    whole = strict_json.read(data, name, "a tekken.json")
    with errors_of(name):
        config = whole.get("config") if isinstance(whole, dict) else None
        if not isinstance(config, dict):
            raise InputError("the object 'config' is missing, so this is not a tekken.json; give one")
        version, pattern = config.get("version"), config.get("pattern")
        if not isinstance(version, str) or not re.fullmatch("v[0-9]{1,3}", version):
            raise InputError(f"config.version is {shown(version)}, not v and a number; repair the file")
        if not isinstance(pattern, str) or not pattern:
            raise InputError(f"config.pattern is {shown(pattern)}, not a regular expression; repair the file")
        size, special = (
            _whole_number(config, "default_vocab_size"),
            _whole_number(config, "default_num_special_tokens"),
        )
        if special > MAX_SPECIAL:
            raise InputError(f"{special} special tokens, but at most {MAX_SPECIAL} are read; repair the file")
        vocab = whole.get("vocab")
        if not isinstance(vocab, list) or not 256 <= size - special <= len(vocab):
            count = len(vocab) if isinstance(vocab, list) else "no"
            raise InputError(
                f"vocab has {count} tokens, but config asks for {size - special} (at least 256); give the complete file"
            )
        special_tokens, named = special_of(whole.get("special_tokens"), special, int(version[1:]))
        return Tekken(
            version,
            pattern,
            ranks_of(vocab[: size - special]),
            special_tokens,
            named,
            len(vocab) - (size - special),
            tuple(key for key in whole if key not in ("config", "vocab", "special_tokens")),
        )


def _whole_number(config: dict[str, Any], key: str) -> int:
    value = config.get(key)
    if type(value) is not int or value < 0:
        raise InputError(f"config.{key} is {shown(value)}, not a whole number from 0; repair the file")
    return value


def special_of(entries: object, count: int, version: int) -> tuple[tuple[str, ...], int]:
    """The special tokens, filled up to `count`, and how many of them the file lists."""
    if entries is None and version <= LAST_UNNAMED:
        texts, named = list(UNNAMED), 0
    elif not isinstance(entries, list):
        raise InputError(f"special_tokens is {shown(entries)}, not a list; repair the file")
    else:
        texts, named = [], len(entries)
        for rank, entry in enumerate(entries):
            text = entry.get("token_str") if isinstance(entry, dict) else None
            if not isinstance(text, str) or entry.get("rank") != rank:
                raise InputError(f"special_tokens[{rank}] has no token_str with rank {rank}; repair the file")
            texts.append(text)
    if len(texts) > count:
        raise InputError(f"{len(texts)} special tokens, but config allows {count}; repair the file")
    texts += [f"<SPECIAL_{id}>" for id in range(len(texts), count)]
    seen: dict[str, int] = {}
    for id, text in enumerate(texts):
        if seen.setdefault(text, id) != id:
            raise InputError(f"special tokens {seen[text]} and {id} are both {shown(text)}; repair the file")
    return tuple(texts), named


def ranks_of(vocab: list[Any]) -> dict[bytes, int]:
    """Token bytes → rank. A rank is the index of its entry; the first 256 are the single bytes in order."""
    ranks: dict[bytes, int] = {}
    for rank, entry in enumerate(vocab):
        try:
            token = a2b_base64(entry["token_bytes"], strict_mode=True) if entry["rank"] == rank else b""
        except (KeyError, TypeError, ValueError):
            token = b""
        if not token:
            raise InputError(f"vocab[{rank}] has no rank {rank} and bytes in base64; repair the file")
        if rank < 256 and token != bytes([rank]):
            raise InputError(f"vocab[{rank}] is not the byte {rank}, as the first 256 must be; repair the file")
        if ranks.setdefault(token, rank) != rank:
            raise InputError(f"vocab[{rank}] is the same token as vocab[{ranks[token]}]; repair the file")
    return ranks
