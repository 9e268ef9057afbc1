"""Decoders: ids → text, with the bytes of each token.

rows                the events, and what decoders share
chain               Hugging Face's chain of decoders
attributed_bytes    strings in which each byte knows its token
huggingface         the decoders of that chain; python_decoding: those of transformers in Python
pieces              token by token: tiktoken, RWKV, llama.cpp's SPM and BPE
sentencepiece, wordpiece    one original each
piece_strings       the strings of tokens as a SentencePiece model decodes them
padded              drops padding
"""
