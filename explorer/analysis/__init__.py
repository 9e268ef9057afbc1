"""Several tokenizers on one text: aligned, compared, and asked where and why they part. Pure Python."""
