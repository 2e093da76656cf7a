"""Searches for the values of some keys with which a measure is best."""

TRIALS = 40
"""Number of trials by default."""
CONFIRMED = 4
"""Number of fresh seeds, by default, that compare the best trial with the unchanged scenario."""
