"""Bytes to code points, which is no stage of a trace but drawn as one.

story   the stepper's script
"""
