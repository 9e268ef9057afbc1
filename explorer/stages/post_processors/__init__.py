"""The stages after the model: the template, truncation, padding.

story   their scripts
"""
