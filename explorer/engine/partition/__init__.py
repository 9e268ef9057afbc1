"""Partition: cuts special and user-defined tokens out of the text before any other stage.

special_tokens   special tokens of llama.cpp, tiktoken and RWKV, and how they begin; the events of all
added_tokens     Hugging Face's added tokens, with all their flags
python_tokens    the same as transformers in Python cuts them, and Marian's language code
user_defined     sentencepiece's user-defined symbols, and the tree that finds them
dna              DNA: groups of six letters (llama.cpp's hybrid DNA)
"""
