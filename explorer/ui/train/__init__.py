"""The Train page: its controls, and what becomes of the tokenizer that was trained."""
