"""Ids that arrive one by one, and the text that programs show of them meanwhile.

stream      `stream(tokenizer, ids)`: after each id what each method shows, holds back and gets wrong
methods     how llama.cpp, transformers, vLLM, SGLang, tokenizers and tiktoken make text of a stream
marks       lost and added spaces, U+FFFD shown too early: what a method shows against the text of all ids
windows     the text of any stretch of the ids, decoded alone, in time that does not grow with the stretch
"""
