"""Normalizers: what is changed in a text before it is cut.

stage          the stage
llama_cpp      llama.cpp's normalizers
alignment      a text with the original position of each character, and edits that keep it
huggingface    Hugging Face's normalizers, one class each
bert           BERT's
unicode_forms  NFC, NFD, NFKC, NFKD
charsmap/      sentencepiece's precompiled character map
"""
