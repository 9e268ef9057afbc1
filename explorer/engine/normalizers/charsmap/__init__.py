"""sentencepiece's precompiled character map: the longest prefix found in a double-array trie is replaced.

table          the trie and the texts it points to
rows           events
white_space    what becomes of spaces behind it
stage          the stage, as sentencepiece and llama.cpp run it
huggingface    the same map as Hugging Face's `Precompiled` runs it, grapheme by grapheme
"""
