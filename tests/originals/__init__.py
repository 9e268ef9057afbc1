"""The programs whose results this project promises, run as they are, and the texts to compare them on."""
