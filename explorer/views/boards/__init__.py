"""One board per stage: rows of cells that the browser component `board` draws, and a sentence about the result."""
