"""One board a stage: rows of cells that the browser component `board` draws, with the stage's one sentence."""
