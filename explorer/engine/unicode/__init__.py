"""Character data of the originals, which are at different versions of Unicode.

versions     Hugging Face's parts: Unicode 8, 9, 16 and 17, and its scripts
stand_ins    replaces characters newer than Unicode 16 before a pattern sees them
byte_map     the printable characters of byte-level BPE
"""
