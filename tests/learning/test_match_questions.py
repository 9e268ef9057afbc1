"""Questions about matches and bytes, answered by brute force on patterns and vocabularies."""

from __future__ import annotations

import re

import regex

from explorer.learning.questions import Question
from tests.bundled import bundled
from tests.learning.generated import questions, right, wrong
from tests.learning.naive import shown
from tests.tiers import amount

PATTERNS = ("gpt-2", "cl100k_base", "llama-3", "o200k_base")


def cut(alternatives: list[str], text: str) -> list[tuple[int, str]]:
    """The pieces of a text, each with the first alternative that matches where it begins."""
    found, at = [], 0
    while at < len(text):
        for index, each in enumerate(alternatives):
            match = regex.compile(each).match(text, at)
            if match and match.end() > at:
                found.append((index, match[0]))
                at = match.end()
                break
        else:
            at += 1
    return found


def test_the_piece_is_what_the_alternative_matches() -> None:
    for tokenizer, question in questions("matched-piece", PATTERNS, amount(24)):
        stage = next(part for part in tokenizer.parts if part.name == "pre-tokenize")
        alternatives = [each.runs for each in stage.alternatives]  # type: ignore[attr-defined]
        number = question.prompt.args[1] - 1
        assert stage.alternatives[number].regex == question.prompt.texts[1], question  # type: ignore[attr-defined]
        pieces = cut(alternatives, question.text)
        own = {shown(piece.encode(), "␣") for index, piece in pieces if index == number}
        assert right(question)[1:-1] in own, question
        whole = shown(question.text.encode(), "␣")
        for each in wrong(question):
            assert each[1:-1] not in own, question
            assert each[1:-1].removeprefix("◌") in whole, question


def as_bytes(choice: str) -> bytes:
    """A choice that ends within a character: its text, then bytes in hexadecimal."""
    parts = choice.split(" ")
    return b"".join(bytes.fromhex(each) if re.fullmatch("[0-9A-F]{2}", each) else each.encode() for each in parts)


def test_the_longest_piece_of_a_word_wins() -> None:
    for tokenizer, question in questions("longest-match", ("bert-uncased", "bert-uncased@llama.cpp"), amount(24)):
        pieces = tokenizer.vocabulary.ids
        # llama.cpp's pieces begin a word with ▁
        rest = question.prompt.texts[1].replace("·", "▁")
        front = "##" if rest.startswith("##") else ""
        starts = [rest[:end] for end in range(len(front) + 1, len(rest) + 1)]
        longest = [each for each in starts if each.encode() in pieces][-1]
        assert right(question)[1:-1].replace("·", "▁") == longest, question
        shown_wrong = [each[1:-1].replace("·", "▁") for each in wrong(question)]
        starts_or_bytes = (rest.startswith(each) or rest.encode().startswith(as_bytes(each)) for each in shown_wrong)
        assert all(starts_or_bytes), question


def test_the_longest_token_of_the_trie_wins() -> None:
    vocabulary = bundled("rwkv-world").vocabulary
    tokens = {piece for id, piece in enumerate(vocabulary.pieces) if id}
    nodes = {piece[:end] for piece in tokens for end in range(1, len(piece) + 1)}
    for _, question in questions("longest-match", ("rwkv-world",), amount(24)):
        data, at, matching = question.text.encode(), 0, []
        while at < len(data):
            rest = data[at:]
            longest = max((rest[:end] for end in range(1, len(rest) + 1) if rest[:end] in tokens), key=len)
            if shown(rest).startswith(question.prompt.texts[0].removesuffix("…")):
                matching.append((rest, longest))
            at += len(longest)
        assert shown(matching[0][1]) == right(question)[1:-1], question
        rest = matching[0][0]
        last = max(end for end in range(1, len(rest) + 1) if rest[:end] in nodes)
        # the walk tries one byte beyond its last node
        walked = {shown(rest[:end]) for end in range(1, last + 2)}
        assert {each[1:-1] for each in wrong(question)} <= walked, question


def test_fallback_gives_the_tokens_of_the_bytes() -> None:
    for tokenizer, question in questions(
        "byte-fallback", ("llama-2", "mistral-v1", "rwkv-world@first-miss"), amount(24)
    ):
        text = "".join(chr(int(each[2:], 16)) for each in question.prompt.texts[1].split(" "))
        pieces = tokenizer.vocabulary.ids
        assert text.encode() not in pieces, question
        assert text in question.text, question
        by_name = tokenizer.name != "rwkv-world"
        ids = [pieces[b"<0x%02X>" % byte] if by_name else pieces[bytes([byte])] for byte in text.encode()]
        assert right(question) == " ".join(map(str, ids)), question
        assert set(wrong(question)) <= mistakes(text, ids, question), question


def mistakes(text: str, ids: list[int], question: Question) -> set[str]:
    """What is often taken for byte fallback."""
    shift = ids[0] - text.encode()[0]
    rows = [
        list(text.encode()),
        ids[::-1],
        [0],
        list(map(ord, text)),
        [each + shift for each in text.encode("utf-16-be")],
    ]
    return {" ".join(map(str, each)) for each in rows}
