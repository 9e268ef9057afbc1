"""The Corpus page: which result is shown, and how."""
