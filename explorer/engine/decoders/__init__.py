"""Decoders: ids → text, with the bytes of each token.

rows, chain    events of decoding; Hugging Face's chain of decoders, with the token each byte came from
huggingface    its decoders, one class each
spm, bpe, sentencepiece, wordpiece, rwkv    one original each
denormalize    sentencepiece's denormalizer
padded, tidy   tokens that only fill up; the spaces that clean-up takes away
"""
