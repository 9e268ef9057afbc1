"""From a vocabulary and its settings to a `Tokenizer` that follows one original implementation.

huggingface       tokenizer.json, vocab.json with merges.txt, vocab.txt, as Hugging Face's tokenizers runs them
transformers      a model's folder, as AutoTokenizer of transformers 4 and 5 opens it
llama_cpp         GGUF files, and a tokenizer.json after llama.cpp's conversion
sentencepiece     SentencePiece models
tiktoken          ranks files; tekken.json, as mistral-common runs it
subword_nmt       subword-nmt's codes
rwkv              RWKV World's vocabulary
offsets           the offsets that an original itself gives
opened            an opened tokenizer: its facts, what can be chosen, what `add_special` and `parse_special` mean
"""
