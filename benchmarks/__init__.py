"""Measurements. Figures are printed, never asserted: the machines are shared and noisy."""
