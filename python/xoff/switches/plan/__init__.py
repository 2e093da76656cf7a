"""Plans: a chip, a fabric and its classes in; thresholds and headroom out, each with its formula and its checks."""
