"""The meaning of every key, algorithm, symbol, measure and column."""
