"""The algorithms, stage by stage, each with the rows of its decisions. Standard library only."""
