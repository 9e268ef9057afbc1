"""The Explore page: its controls, the stages below them, the field for another pattern."""
