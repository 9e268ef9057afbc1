"""What Corpus draws."""
