"""Text that xoff reads and writes: quantities with units, TOML, JSON, tables."""
