"""Changes a vocabulary: a list of edits, replayed on the content of a file, which is written as the format it was.

`edits` are the operations, their TOML, and lists with a name. Each format has a module with what it can do:
`tokenizer_json`, `sentencepiece`, `gguf`, `byte_lists` (ranks and RWKV). `replay` runs a list on a file's bytes and
shows what became of tokens and texts.

Everything is content → content: nothing is changed in place, and undo is replaying a shorter list.
"""
