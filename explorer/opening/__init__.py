"""Opens a tokenizer: from a name, a path or bytes to a tokenizer that runs.

catalog       the bundled models, by name, and OpenAI's names of encodings and models
formats       the formats of vocabulary files, how they are recognized, and which implementations run each; a model's
              folder as `transformers` opens it
sources       the files of one tokenizer, on disk or in memory; the vocabulary in a model's folder; where ours are
model_names   models by names that are neither bundled nor paths; every tokenizer below a folder
hub           a model by its name on the Hugging Face Hub
remote_gguf   a GGUF of the Hub by its first bytes, where these are kept, and a process that reads it for a visitor
titles        names that people know, of the kinds of tokenizers and of the implementations
"""
