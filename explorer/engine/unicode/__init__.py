"""Character data of the originals, which are at different versions of Unicode.

versions     Hugging Face's parts: Unicode 8, 9 and 17
stand_ins    replaces characters newer than Unicode 16 before a pattern sees them
scripts      the scripts of Hugging Face's `UnicodeScripts`
byte_map     the printable characters of byte-level BPE
"""
