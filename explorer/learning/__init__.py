"""Teaching with the engine: questions whose answers it computes.

- `questions`: multiple-choice questions from the trace of a text.
"""
