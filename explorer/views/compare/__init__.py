"""What Compare draws: aligned rows, sentences about differences, tables and charts."""
