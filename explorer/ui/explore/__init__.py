"""The Explore page: its controls, and below them the stages, another pattern for one, and questions about the text."""
