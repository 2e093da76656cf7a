"""A small table."""


def per_port(ports: float) -> float:
    """Memory of each port (KiB)."""
    return 4096 / ports
