"""The original programs whose results this project reproduces, and the texts to compare them on."""
