"""Post-processors: add the tokens a model wants around a text.

add_special    BOS and EOS, as llama.cpp and others add them; the events that all share
huggingface    Hugging Face's post-processors
lengths        truncation and padding
"""
