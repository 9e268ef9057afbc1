"""Choosing a tokenizer on a page: the list, files that are dropped, the server's files, what a file leaves open."""
