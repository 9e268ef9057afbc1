"""Decoders: ids → text, with the bytes of each token.

rows                the events, and what decoders share
chain               Hugging Face's chain of decoders
attributed_bytes    strings in which each byte knows its token
huggingface, huggingface_bytes, tidy    the decoders of that chain: of text, of bytes, the clean-up of transformers
spm, bpe, sentencepiece, wordpiece, rwkv    one original each
piece_strings       the strings of tokens as a SentencePiece model decodes them
denormalize         sentencepiece's denormalizer
padded              drops padding
"""
