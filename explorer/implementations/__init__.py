"""Vocabulary and settings → a `Tokenizer` that does what one original implementation does."""
