"""Pre-tokenizers: text → pieces that no token crosses.

stage          the stage, and what its splitters share
by_regex, by_scanner, byte_level   a pattern; a hand-written scanner; bytes as characters
huggingface    Hugging Face's pre-tokenizers, one class each
bert           BERT's words
scanners       llama.cpp's hand-written splitters
collapsed      its other patterns, on a text whose letters are collapsed into classes
patterns, patterns_llama_cpp   the patterns of known models
custom_pattern a tokenizer with another pattern
"""
