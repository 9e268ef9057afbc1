"""What leaves the program: answers as JSON, CSV and Markdown, each with its provenance.

export        `Export`: one answer in up to three forms
encodings     exports about one tokenizer: encoding, decoding, trace, card, models
comparisons   exports of the Compare page and the commands that compare
records       comparisons as plain values, for JSON
tables        comparisons as rows, for CSV and Markdown
markdown      comparisons as lines of Markdown
"""
