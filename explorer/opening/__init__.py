"""Opens a tokenizer: from a name, a path or bytes to a tokenizer that runs.

catalog    the bundled models, by name
formats    the formats of vocabulary files, how they are recognized, and which implementations run each
sources    the files of one tokenizer, on disk or in memory
folders    finds the vocabulary in a model's folder
auto       a model's folder as `transformers` opens it
elsewhere  models by names that are neither bundled nor paths: where each is
hub        a model by its name on the Hugging Face Hub
remote_gguf, kept_heads    a GGUF of the Hub by its first bytes, and where these are kept
gguf_client                the same for a visitor of a page, by a process of its own
kinds      the kind of an opened tokenizer as people call it
below      every tokenizer below a folder
stores     models that Ollama, llama.cpp and LM Studio keep on this machine
openai     OpenAI's names of encodings and models
"""
