"""What leaves the program: answers as JSON, CSV and Markdown, each with its provenance.

export        `Export`: one answer in up to three forms; sentences and tables as lines of Markdown
encodings     exports about one tokenizer: encoding, decoding, trace, card, models
comparisons   exports of the Compare page and the commands that compare: the record, rows and Markdown of each result
vocabularies  exports of a whole vocabulary: tokens, dossiers, findings, differences
"""
