"""Bytes to code points, which is no stage of a trace but drawn as one.

story    the stepper's script
result   how many characters, code points and bytes a text is
"""
