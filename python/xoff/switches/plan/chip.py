"""Memory of a chip for each of its ports (BCC, table 1; DSH, figure 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.switches.plan.rows import Row, number

if TYPE_CHECKING:
    from xoff.switches.plan.switch import Switch


def rows(switch: Switch) -> list[Row]:
    """Returns rows for memory by port, by rate and by time."""
    memory, ports, rate = switch.memory_bytes, switch.ports, switch.rate_bps
    return [
        Row("chip.memory", "memory [B]", memory, "B", switch.plan.chip, "xoff list chips", shown_in="MiB"),
        Row(
            "chip.per_port",
            "memory of a port",
            memory / ports,
            "B",
            f"{memory:,} / {ports}",
            "BCC, table 1",
            shown_in="KiB",
        ),
        Row(
            "chip.per_port_per_gbps",
            "memory of a port and Gb/s",
            memory * 1e9 / rate,
            "B",
            f"{memory:,} / {number(rate / 1e9)}",
            "BCC, table 1",
            shown_in="KiB",
        ),
        Row(
            "chip.time",
            "memory at full rate",
            memory * 8e6 / rate,
            "us",
            f"8 x {memory:,} / {number(rate / 1e9)} Gb/s",
            "DSH, figure 4",
        ),
    ]
