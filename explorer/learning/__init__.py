"""Teaching with the engine: questions whose answers it computes, and lessons that ask them.

- `questions`: multiple-choice questions from the trace of a text.
- `lessons`: cards, each with what the panel beside it shows.
- `checks`: what a panel shows, whether claims hold, questions have an answer and tasks can be done.
"""
