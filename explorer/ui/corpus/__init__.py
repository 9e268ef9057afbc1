"""The Corpus page: choosing a result, and drawing it."""
