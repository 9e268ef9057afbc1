"""Choosing a tokenizer on any page.

chooser    the row of controls, what is drawn below it, and the card of the chosen tokenizer; what a file leaves open,
           and its optional settings; a visitor's own files, and their field
server     what the operator offers, and a model on the Hugging Face Hub, by its name
"""
