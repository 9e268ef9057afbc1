"""A model by its name on the Hugging Face Hub: `org/name`, `org/name@REVISION`, `org/name:FILE`.

names      what such a name says, what it may contain, and the copy in the cache of `huggingface_hub`
fetching   gets the files of a tokenizer into that cache, by a process of its own; a line for everything that can happen
client     that process: runs `huggingface_hub`, within limits
"""
