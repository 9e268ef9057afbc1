"""Decoders: ids → text, with the bytes of each token.

events           the events, and what decoders share; drops padding
huggingface      Hugging Face's chain of decoders, and strings in which each byte knows its token; the decoders of that
                 chain, and those of transformers in Python
pieces           token by token: tiktoken, RWKV, llama.cpp; as sentencepiece decodes them, from ids or from strings
"""
