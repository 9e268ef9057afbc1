"""What of a tokenizer is compiled: its model as tables for `explorer.compiled`, and many texts through it.

applies  which tokenizers are compiled, and why others aren't
classes  the class of each code point, per version of Unicode
encoder  models as tables; Unicode forms, of the lines that need them; many texts → ids and offsets
"""
