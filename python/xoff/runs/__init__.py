"""Runs: one scenario simulated, many in several processes, finished ones kept."""
