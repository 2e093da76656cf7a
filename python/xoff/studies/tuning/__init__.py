"""Search for the values of some keys with which a measure is best."""

TRIALS = 40
"""Choices that are tried unless told otherwise."""
CONFIRMED = 4
"""Fresh seeds with which the best of them is held against the scenario as it stands, unless told otherwise."""
