"""The Vocabulary page: all tokens of a tokenizer, searched and explained."""
