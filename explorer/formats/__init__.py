"""Readers: a file → what it holds. Nothing is ever evaluated or unpickled."""
