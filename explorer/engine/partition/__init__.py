"""Partition: cuts special and user-defined tokens out of the text before any other stage.

rows             the events they share
special_tokens   special tokens of llama.cpp, tiktoken and RWKV, and a quick search for how they begin
added_tokens     Hugging Face's added tokens, with all their flags
user_defined     sentencepiece's user-defined symbols
symbol_tree      how those symbols are found
language_code    Marian's language code before a text
dna              DNA: groups of six letters (llama.cpp's hybrid DNA)
"""
