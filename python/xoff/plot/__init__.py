"""Figures of a result and of a topology, and what all figures are drawn with."""
