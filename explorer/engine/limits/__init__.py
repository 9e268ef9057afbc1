"""What a stranger's input may cost: the bounds, each counted before or while something grows."""
