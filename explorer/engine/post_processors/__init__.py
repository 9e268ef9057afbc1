"""Post-processors: add the tokens a model wants around a text.

rows           the events they share
add_special    BOS and EOS, as llama.cpp and others add them
huggingface    Hugging Face's post-processors
lengths        truncation and padding
"""
