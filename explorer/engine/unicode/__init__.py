"""Characters as the originals know them, which stopped at different versions of Unicode.

versions     Unicode 8 and 9: what BERT's parts and the normalization forms know
stand_ins    what a pattern of Unicode 16 is shown in place of newer characters
scripts      the scripts of Hugging Face's `UnicodeScripts`
byte_map     the printable characters that stand for bytes
"""
