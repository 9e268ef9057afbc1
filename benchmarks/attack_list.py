"""The attacks of `benchmarks.attacks`, by name."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping
from typing import Any, Final

from benchmarks import class_attacks, crowds, hub_attacks, system_attacks
from benchmarks.attackers import (
    Attack,
    checks,
    dropped,
    foreign_name,
    foreign_pages,
    forged_values,
    given,
    largest_numbers,
    link,
    links_to_prompts,
    option,
    requests_on_card,
    samples_at_their_ends,
    templates,
    typed,
    unclaimed,
)
from explorer.prompts.templates import formats
from explorer.ui.prompt import LONGEST_SOURCE
from tests.hostile.test_long_lists import alternating
from tests.prompts.formats import largest_requests
from tests.prompts.test_answers import hostile_answers
from tests.prompts.test_hostile_requests import REFUSED
from tests.prompts.test_hostile_templates import FAILS, ONE_OPERATION, ONE_OPERATION_IN_LLAMA_CPP, STOPPED
from tests.prompts.test_servers import hostile_requests
from tests.ui.small_files import tokenizer_json

SLOW_CHECKS: Final = [
    crowds.LOOPS,
    "{% for i in range(400) %}{% for j in range(400) %}{% endfor %}{% endfor %}"
    "{% for m in messages %}{{ m.role + m.content }}{% endfor %}",
    "{% for m in messages %}" + "{{ m.role + m.content }}\n" * 3_000 + "{% endfor %}",
]
"""Templates without an end, with a long way to where many repairs can be tried, and with many lines to repair."""


def in_link(toml: str) -> str:
    """A lesson, or messages, as a link has them."""
    return base64.urlsafe_b64encode(zlib.compress(toml.encode(), 9)).decode().rstrip("=")


def split(regex: str) -> dict[str, Any]:
    return {"type": "Split", "pattern": {"Regex": regex}, "behavior": "Isolated", "invert": False}


def added(tokens: list[str]) -> bytes:
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": False}
    return tokenizer_json(added_tokens=[{"id": 6 + id, "content": each} | flags for id, each in enumerate(tokens)])


def many_added(count: int) -> bytes:
    tokens = [{"id": 6 + id, "content": f"<s{id}>", "special": True} for id in range(count)]
    return tokenizer_json(added_tokens=tokens)


def unigram(pieces: list[str]) -> bytes:
    model = {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], *([each, -1.0] for each in pieces)]}
    return tokenizer_json(model=model, added_tokens=[], pre_tokenizer=None)


def two_splits() -> bytes:
    lines, slow = split(r"\n"), split("(a|aa)+!")
    return tokenizer_json(pre_tokenizer={"type": "Sequence", "pretokenizers": [lines, slow]})


DISTINCT: Final = "".join(map(chr, range(0x4E00, 0x4E00 + 1_900)))

FORMATS: Final = ("mistral-v15", "harmony", "deepseek-v4")
"""One of each package."""


def controls() -> list[str]:
    """The tokens that the formats write."""
    return list(dict.fromkeys(token for name in FORMATS for token in formats()[name].controls))


SIX: Final = ("llama-2", "gpt-2", "llama-3", "o200k_base", "xlm-r", "rwkv-world")

ATTACKS: Final[Mapping[str, Attack]] = {
    "literal in a link": link(m="gpt-2", text="a" * 5_100, pattern="b" * 4_990),
    "literal of 20,000 over the socket": typed("b" * 20_000, "pattern", "m=gpt-2&text=a&pattern=b&stage=pre-tokenize"),
    "literal in a file": dropped(lambda: tokenizer_json(pre_tokenizer=split("b" * 4_990)), "a" * 5_100),
    "recursion in a link": link(m="gpt-2", text="a" * 1_900, pattern="(?R)|a"),
    "repeats of repeats in a link": link(m="gpt-2", text="a", pattern="(?:" * 22 + "a" + "+)+" * 22),
    "3,000 alternating Replaces": dropped(lambda: tokenizer_json(normalizer=alternating(3_000))),
    "490 alternating Replaces": dropped(lambda: tokenizer_json(normalizer=alternating(490)), "ab" * 50_000),
    "Split that runs away on 3,200 lines": dropped(two_splits, ("a" * 30 + "\n") * 3_200),
    "added tokens a…a!": dropped(lambda: added(["a" * size + "!" for size in range(2, 3_000)]), "a" * 100_000),
    "Unigram pieces a…a": dropped(lambda: unigram(["a" * size for size in range(1, 3_000)]), "a" * 100_000),
    "100,000 characters": typed("ab " * 33_000),
    "1,000,000 characters over the socket": typed("ab " * 333_333),
    "a border in 100,000 characters": typed("ab " * 33_000, query="m=xlm-r&text=a%20b&border=1"),
    "a border in one word of 100,000": typed("a" * 99_999, query="m=gpt-2&text=a%20b&border=1"),
    "a border in 100,000 characters under six": typed(
        "ab " * 33_000, query="text=a%20b&border=1&with=" + "&with=".join(SIX), page="compare"
    ),
    "100,000 characters to look for": typed(
        "a" * 100_000, "Ids to look for", "m=o200k_base&text=aab&border=&between=Ids%20in%20these%20ids&find=a"
    ),
    "a stop string of spaces": typed(
        " " * 1_000, "Stop string", "m=o200k_base&text=a&border=&between=A%20stop%20string&stop=a"
    ),
    "ten unclaimed files of 100 MB": unclaimed,
    "sixty slow patterns": crowds.slow_patterns,
    "half a surrogate pair": typed("a\ud800"),
    "a file of 100 MB": dropped(lambda: b"x" * 100_000_000, name="vocab.txt"),
    "dotted keys in a lesson's link": link("learn", own=in_link("a." * 29_000 + "a=1")),
    "5,000 digits in a lesson's link": link("learn", own=in_link("title = " + "9" * 5_000)),
    "dotted keys in a list of edits": given(
        lambda: b"a." * 500_000 + b"a=1", "edits.toml", "A file of edits", "vocabulary", "m=gpt-2&edit=true"
    ),
    "120 MB of escapes as a result": given(
        lambda: b'{"a": "' + rb"\\" * 60_000_000 + b'"}',
        "result.json",
        "A result: the JSON file of a corpus job",
        "corpus",
        "result=a%20result%20from%20a%20file",
    ),
    "alternatives in a search, and left": link("vocabulary", 10.0, m="gpt-2", by="regex", q="(?:-|-|-)" * 26 + "x"),
    "a prefix of 100,000 letters": option("bpe", DISTINCT, "continuing_subword_prefix", string_value="x" * 100_000),
    "10⁹ rounds of a training": option("unigram", "low lower", "n_sub_iterations", double_value=1e9),
    "planted machine code": system_attacks.planted,
    "a foreign name of the server": foreign_name,
    "forged values of all widgets": forged_values,
    "a million special tokens": dropped(lambda: many_added(10**6)),
    "400,000 special tokens": dropped(lambda: many_added(400_000), "<s1><s22>" * 5_000),
    "10⁹ in every number of every trainer": largest_numbers,
    "ten connections that come again": crowds.reconnecting,
    "200 idle sessions": crowds.idle,
    "letters of a class that are tried": class_attacks.tried_letters,
    "a flood of phones in a class": class_attacks.flooded,
    "false answers in a class": class_attacks.false_answers,
    "ten runs of a heavy file in a second": crowds.overtaken,
    "hostile recipes": system_attacks.recipes,
    "a stream of 100,000 emoji": typed("🤗" * 100_000, query="m=llama-2&text=a&stage=decode&stream=One%20by%20one"),
    "10,000 ids in a stream": typed(
        str([243] * 10_000), "Ids", "m=llama-2&ids=%5B243%5D&stage=decode&stream=One%20by%20one"
    ),
    "parts of characters in a stream": typed(
        str([245] * 10_000), "Ids", "m=gpt-2&ids=%5B245%5D&stage=decode&stream=One%20by%20one"
    ),
    "draws of 1,000 characters": typed(
        "unrelated " * 100, query="m=llama-2&text=a&sample=many&alpha=0.1&seed=0&draws=100"
    ),
    "draws of one word of 1,000": typed(
        "a" * 1_000, query="m=gpt-2&text=a&sample=many&alpha=0.5&rule=subword-nmt&draws=100"
    ),
    "a way of 1,000 characters, step by step": typed(
        "unrelated " * 100, query="m=xlm-r&text=a&sample=one&alpha=0.1&seed=4294967295&draw=10000"
    ),
    "10⁹ draws, alpha NaN": samples_at_their_ends,
    "ids that are not canonical": typed(str([25, 1003] * 8_000), "Ids", "m=gpt-2&ids=%5B25%5D&stage=again"),
    "id lists of 10 MB": system_attacks.id_lists,
    "streams and samples of any size": system_attacks.streams_and_samples,
    "exchanged machine code": system_attacks.exchanged,
    "the kernel ends a worker": system_attacks.kernel_ends_a_worker,
    "templates without an end": templates(lambda: STOPPED),
    "templates that reach out": templates(lambda: [each for each in FAILS if len(each) <= LONGEST_SOURCE]),
    "ten templates without an end at once": crowds.endless_templates,
    "one operation without an end": templates(lambda: ONE_OPERATION, seconds=10),
    "one operation without an end, llama.cpp": templates(lambda: ONE_OPERATION_IN_LLAMA_CPP, "llama.cpp", 10),
    "ten operations without an end at once": lambda address, folder: crowds.endless_templates(
        address, folder, ONE_OPERATION[0]
    ),
    "5 MB of messages in a link": link("prompt", m="qwen2.5", chat=in_link(" " * 5_000_000)),
    "messages in a link that are no call": links_to_prompts(
        lambda: [in_link(each) for each in REFUSED.values() if each], "huggingface", "llama.cpp"
    ),
    "checks of hostile templates": checks(lambda: [*ONE_OPERATION[:2], *SLOW_CHECKS]),
    "requests that take servers long": requests_on_card(hostile_requests),
    "requests that take formats long": requests_on_card(
        largest_requests, "prompt", [formats()[name].source for name in FORMATS], lambda: added(controls())
    ),
    "answers that take parsers long": requests_on_card(hostile_answers, "answer"),
    "kill -9 while a visitor's process answers": system_attacks.killed_while_it_answers,
    "sockets of pages at other ports": foreign_pages,
    "hostile answers of the Hub": hub_attacks.OnHub(hub_attacks.every_fault),
    "ten visitors of a hostile Hub": hub_attacks.OnHub(hub_attacks.many_at_once),
    "jobs on a full disk": system_attacks.full_disk,
}
