"""A marker as a class in Python: RED on the instantaneous queue (Floyd and Jacobson 1993, without the average).

Use it as `switch.marking.queue = { kind = "ramp.py:Ramp" }` in a scenario of this folder.
"""

from dataclasses import dataclass

from xoff.schemes import Marker, parameter


class Ramp(Marker):
    """Marks with a probability that rises from 0 to 1 between two lengths of the queue."""

    @dataclass
    class Parameters:
        """Keys of the scenario."""

        begins: int = parameter("20kB", "Length at which marking begins [K_min].", unit="size")
        ends: int = parameter("80kB", "Length from which every packet is marked [K_max].", unit="size", above="0B")

    def silent_up_to(self) -> int:
        return min(self.parameters.begins, self.parameters.ends - 1)  # it is asked about longer queues only

    def marks(self, length: int, draw: float) -> bool:
        begins, ends = self.parameters.begins, self.parameters.ends
        return length >= ends or length > begins + draw * (ends - begins)
