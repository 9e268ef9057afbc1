"""Partition: special and user-defined tokens are cut out of the text before anything else.

rows             events, for all of them
special_tokens   llama.cpp's, tiktoken's and RWKV's
added_tokens     Hugging Face's added tokens, with all their flags
user_defined     sentencepiece's user-defined symbols
dna              PLaMo's groups of six letters
"""
