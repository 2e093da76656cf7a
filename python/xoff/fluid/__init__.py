"""Closed forms and fluid models of what the simulator simulates packet by packet."""
