"""Changes a vocabulary: a list of edits, replayed on the content of a file, which is written as the format it was.

`edits` are the operations, `edits_file` their TOML. Each format has a module with what it can do: `tokenizer_json`
(with `json_parts`), `sentencepiece`, `gguf`, `byte_lists` (ranks and RWKV). `replay` runs a list on a
file's bytes. `effect` shows what became of tokens and texts. `presets` are lists with a name.

Everything is content → content: nothing is changed in place, and undo is replaying a shorter list.
"""
