"""The classes of `transformers` 4, frozen: version 4 has had its last release, so nothing here changes but mistakes.

build           what a class makes of its arguments and a tokenizer.json
classes         the classes, one row each
slow            the same for folders without a tokenizer.json
sentencepiece   the same for those with a SentencePiece model
special_tokens  the special tokens of a class
"""
