"""Post-processors: the tokens that a model wants around a text.

rows           events, for all of them
add_special    BOS and EOS, as llama.cpp and others add them
huggingface    Hugging Face's templates
lengths        truncation and padding
"""
