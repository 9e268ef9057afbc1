"""Choosing a tokenizer on any page.

chooser    the row of controls, what is drawn below it, and the card of the chosen tokenizer
choices    what a file leaves open, and its optional settings
uploads    a visitor's own files, and their field
hub        a model on the Hugging Face Hub, by its name
server     what the operator offers
"""
