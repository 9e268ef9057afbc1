"""The Compare page: its controls, and a module for what each tab draws."""
