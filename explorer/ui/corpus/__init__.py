"""The Corpus page: choosing a result, drawing it, and counting a corpus of one's own."""
