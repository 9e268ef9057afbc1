"""The Explore page: its controls, the stages below them, and the field for another pattern."""
