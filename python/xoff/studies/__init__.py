"""Studies of many runs: comparisons, sweeps, searches for the best values."""
