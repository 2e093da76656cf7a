"""Figures of a result and of a topology, and the style and parts of all figures."""
