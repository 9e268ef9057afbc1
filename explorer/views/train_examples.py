"""Texts to learn from on the Train page, and what some of them show."""

from __future__ import annotations

from typing import Final, NamedTuple

TWO_LINES: Final = "The quick brown fox jumps over the lazy dog.\nA quick brown dog jumps over the lazy fox."

PROSE: Final = """All human beings are born free and equal in dignity and rights. They are endowed with reason and \
conscience and should act towards one another in a spirit of brotherhood.
Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt und sollen \
einander im Geist der Brüderlichkeit begegnen.
Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison et de conscience et \
doivent agir les uns envers les autres dans un esprit de fraternité.
すべての人間は、生れながらにして自由であり、かつ、尊厳と権利とについて平等である。人間は、理性と良心とを授けられており、\
互いに同胞の精神をもって行動しなければならない。"""

CODE: Final = """def fibonacci(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a

def factorial(n):
    result = 1
    for i in range(1, n + 1):
        result = result * i
    return result

for n in range(10):
    print(n, fibonacci(n), factorial(n))"""

PLAYING: Final = "playing\nplay play plays play going sing ring doing"

ENGLISH: Final = """Hello, world! Hello, sea! Hello, shore!
She says hello, hello, hello to the shells by the sea shore."""
"""No kana, and no emoji."""

GREETING: Final = "Hello, こんにちは! 😊"
"""What a vocabulary of English alone has no tokens for."""

CORPORA: Final = {
    "Two lines": TWO_LINES,
    "Four languages": PROSE,
    "Source code": CODE,
    "play + ing": PLAYING,
    "Byte fallback": ENGLISH,
}  # fmt: skip
"""By their names on the page."""


class Setting(NamedTuple):
    """What shows the point of an example: a trainer, how it cuts words, the size."""

    trainer_id: tuple[str, str]
    cutting: str
    size: int


SETTINGS: Final = {
    "play + ing": Setting(("wordpiece", "huggingface"), "whitespace", 28),
    "Byte fallback": Setting(("bpe", "sentencepiece"), "none", 50),
}  # fmt: skip
"""Of the examples that are about one."""

ENGLISH_CLAIM: Final = (
    f"A BPE model of this text meets “{GREETING}”. With byte fallback each byte of an unknown character is a token, "
    "and the text comes back. Without it, a run of them is one unknown token."
)

PLAYING_CLAIM: Final = (
    "The usual example: WordPiece makes play + ##ing of playing. Here it does with 28 tokens. With 32 playing is one "
    "token, as in BERT."
)


def claims(text: str) -> str:
    """What is said of an example elsewhere, and what is true; "" for other texts.

    >>> claims("other")
    ''
    """
    return {PLAYING: PLAYING_CLAIM, ENGLISH: ENGLISH_CLAIM}.get(text, "")
