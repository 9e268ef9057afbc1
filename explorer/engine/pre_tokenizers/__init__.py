"""Pre-tokenizers: split text into pieces that no token crosses.

stage           the stage, its events, and how matches become pieces
by_regex        splits by a regex, as Hugging Face, tiktoken and llama.cpp do; spells bytes as printable characters
scanners        llama.cpp's hand-written scanners, by the pattern they run for
word_scanners   those that look for words, and the classes of code points that scanners read
huggingface     Hugging Face's pre-tokenizers, one class each, and BERT's words
wpm             BERT's words as llama.cpp finds them, in one loop
patterns, patterns_llama_cpp   the patterns of known models, from patterns.toml
custom_pattern  a tokenizer with a pattern replaced
"""
