"""A small text to train toy vocabularies on, written for the tests."""

from __future__ import annotations

from typing import Final

LINES: Final = tuple(
    """
A tokenizer cuts a text into pieces, and every piece has a number.
What is a piece? Often a word, often less: low, lower, lowest, slow, slower.
The longest piece is not always the best one, and the best one isn't always found.
Numbers such as 7, 42, 1984 and 3.14 are cut in ways that nobody expects.
New words are made of old pieces: retokenize, untokenized, tokenization, tokenizers.
„Größe“, “size”, «taille»: quotes differ, and so do the letters between them.
Ein Käse, zwei Käse; eine Straße, zwei Straßen; größer, am größten.
Le café est fermé, l'été est fini, et le garçon a déjà mangé.
Слово за слово, и слова становятся текстом, а текст словами.
漢字とかな、東京タワー、日本語の文章。
It's theirs, they're ours, we've seen it, I'd say, you'll see, don't.
def cut(text): return [piece for piece in text.split(" ") if piece]
White   space,	tabs and
  lines that begin with spaces count as well.
😊 👍🏽 🦙 and other signs stand at the end.
low low low lower lower newest newest newest widest widest
""".strip().split("\n")
)
