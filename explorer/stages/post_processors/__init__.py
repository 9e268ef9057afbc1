"""The stages after the model: the template, truncation, padding.

stage   what they say of themselves to everybody else
story   their scripts
why     which event added a token, copied it, filled a length or cut off a text
"""
