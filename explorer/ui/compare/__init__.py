"""The Compare page: its head and its tabs."""
