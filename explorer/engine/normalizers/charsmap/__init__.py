"""SentencePiece's precompiled character map: the longest prefix found in a double-array trie is replaced.

table          the trie and the strings it points to
rows           events
replay         the text that the events write
white_space    the white space rules that run after the map
stage          the stage, as sentencepiece and llama.cpp run it
huggingface    the same map as Hugging Face's `Precompiled` runs it, grapheme by grapheme
"""
