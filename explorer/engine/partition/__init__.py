"""Partition: cuts special and user-defined tokens out of the text before any other stage.

special_tokens   special and added tokens: of llama.cpp, tiktoken and RWKV, of Hugging Face with all their flags, as
                 transformers in Python cuts them, and Marian's language code; the events of all
user_defined     sentencepiece's user-defined symbols, and the tree that finds them
dna              DNA: groups of six letters (llama.cpp's hybrid DNA)
"""
