"""Normalizers: rewrite the text before it is pre-tokenized.

stage           the stage, its events, edits that keep spans, and the text after each normalizer from the events
llama_cpp       llama.cpp's normalizers
huggingface     Hugging Face's normalizers, one class each; BERT's; those of transformers' classes in Python
unicode_forms   NFC, NFD, NFKC, NFKD
charsmap        SentencePiece's precompiled character map, and its rules for white space
charsmap_replay the text that the events of the map write
"""
