"""Normalizers: rewrite the text before it is pre-tokenized.

stage          the stage and its events
vectors        the text after each normalizer, from the events alone
llama_cpp      llama.cpp's normalizers
alignment      edits that keep the original span of each character
huggingface    Hugging Face's normalizers, one class each
bert           BERT's
python_text    what classes of transformers in Python do
unicode_forms  NFC, NFD, NFKC, NFKD
charsmap/      SentencePiece's precompiled character map
"""
