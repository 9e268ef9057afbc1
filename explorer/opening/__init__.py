"""Opening a tokenizer: from a name, a path or bytes to a tokenizer that runs.

catalog    the bundled models, by name
places     where their files and the app lie, in a clone and when installed
formats    the kinds of vocabulary files, how they are recognized, and who can run each
sources    the files of one tokenizer, on disk or in memory
folders    a model's folder: which of its files is the vocabulary
auto       such a folder as `transformers` opens it
hub        advice for a name that is a repository on the Hub and no path
"""
