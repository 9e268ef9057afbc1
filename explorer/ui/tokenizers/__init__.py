"""Choosing a tokenizer on any page.

chooser        the row of controls, and what is drawn below it
server_arguments, server_files   what the operator offers
uploads, upload_field            a visitor's own files
hub                              a model on the Hugging Face Hub, by its name
choices        what a file leaves open, and its optional settings
card           the card of the chosen tokenizer
"""
