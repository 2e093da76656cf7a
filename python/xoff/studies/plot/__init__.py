"""Figures of comparisons, sweeps and searches."""
