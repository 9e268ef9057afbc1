"""Pre-tokenizers: split text into pieces that no token crosses.

stage           the stage, its events, and how matches become pieces
by_regex        splits by a regex, as llama.cpp and Hugging Face do, or as tiktoken does
by_scanner      splits by a hand-written scanner
byte_level      spells bytes as printable characters
huggingface     Hugging Face's pre-tokenizers, one class each, and BERT's words
python_words    BERT's words as transformers finds them in Python
scanners        llama.cpp's hand-written scanners, by the pattern they run for
word_scanners   those that look for words
classes         classes of code points, which scanners read
wpm             BERT's words as llama.cpp finds them, in one loop
collapsed       llama.cpp's other patterns, run on a text whose letters are collapsed into classes
patterns, patterns_llama_cpp   the patterns of known models
custom_pattern  a tokenizer with a pattern replaced
"""
