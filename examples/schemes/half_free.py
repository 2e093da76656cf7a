"""A buffer policy as a class in Python: Dynamic Threshold, but never more than half of the pool for one queue.

Use it as `switch.buffer = { policy = "half_free.py:HalfFree" }` in a scenario of this folder.
"""

from dataclasses import dataclass

from xoff.schemes import BufferPolicy, parameter


class HalfFree(BufferPolicy):
    """A queue may take a share of what is free, but never more than a share of the pool."""

    falls = (
        True  # a fuller pool never raises a threshold, so a pool that is half free takes short queues without a call
    )

    @dataclass
    class Parameters:
        """Keys of the scenario."""

        share: float = parameter(1.0, "Share of the free pool that one queue may take [alpha].", above=0)
        most: float = parameter(0.5, "Share of the whole pool that one queue may take.", above=0, at_most=1)

    def threshold(self, free: int, shared: int) -> float:
        return min(self.parameters.share * free, self.parameters.most * shared)
