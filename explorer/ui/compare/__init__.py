"""The Compare page: its controls, and one module for each question."""
