"""Readers of vocabulary files: bytes → data. Nothing is ever evaluated or unpickled.

gguf                  llama.cpp's GGUF, read and written
sentencepiece_model   SentencePiece's .model, over protobuf (the wire format)
tokenizer_json        Hugging Face's tokenizer.json, its numbers read as Rust's serde_json reads them
vocab_files           vocab.json with merges.txt, BERT's vocab.txt, and lines of a text file
bpe_codes             merges with ends of words: subword-nmt's, PhoBERT's
tiktoken_ranks        .tiktoken
tekken                Mistral's tekken.json
rwkv                  RWKV World's vocabulary, as lines and as JSON
model_folder          the settings in a model's folder; the chat templates of a folder or a GGUF
not_vocabularies      files that aren't vocabularies, for advice
strict_json           JSON within bounds
strict_toml           TOML within bounds
structs               values of JSON or TOML, checked by the types of a struct
files                 the names in a model's folder, and checks of a path before it is opened
"""
