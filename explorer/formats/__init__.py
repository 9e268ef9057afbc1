"""Readers of vocabulary files: bytes → data. Nothing is ever evaluated or unpickled.

gguf                  llama.cpp's GGUF, read and written
sentencepiece_model   SentencePiece's .model, over protobuf (the wire format)
tokenizer_json        Hugging Face's tokenizer.json, its numbers read as Rust's serde_json reads them
vocab_merges          vocab.json with merges.txt
wordpiece_txt         BERT's vocab.txt
tiktoken_ranks        .tiktoken
tekken                Mistral's tekken.json
rwkv_txt              RWKV World's vocabulary
rwkv_json             the same as JSON
model_folder          the settings in a model's folder; the chat templates of a folder or a GGUF
not_vocabularies      files that aren't vocabularies, for advice
strict_json           JSON within bounds
strict_toml           TOML within bounds
text_lines            lines of a text file
files                 the names in a model's folder, and checks of a path before it is opened
"""
