"""Measures and plot of DSH's figures 17 to 19: pause duration and completion times over those of SIH."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from xoff.reproduce import measures, panels
from xoff.reproduce.names import CONGESTION_CONTROLS, HEADROOM_SCHEMES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Measure, Points

PAUSED = "pfc.off_us"
"""Total pause duration; a port-level pause counts once for each class."""
PAUSED_PORT_AS_ONE = "pfc.off_port_as_one_us"
"""Total pause duration; a port-level pause counts once."""

FAN_IN = measures.mean_fct_us("fan_in")
BACKGROUND = measures.mean_fct_us("background")
LAYOUT = panels.Layout(
    along="fan_in_load", lines=("scheme", HEADROOM_SCHEMES), columns=("congestion_control", CONGESTION_CONTROLS)
)

pauses_of_dsh = partial(measures.greatest_ratio, PAUSED, scheme=("dsh", "sih"))
pauses_of_dsh_port_as_one = partial(measures.greatest_ratio, PAUSED_PORT_AS_ONE, scheme=("dsh", "sih"))
pauses_of_dsh_over_adaptive = partial(measures.greatest_ratio, PAUSED, scheme=("dsh", "adaptive"))
pauses_of_adaptive = partial(measures.greatest_ratio, PAUSED, scheme=("adaptive", "sih"))
pauses_of_oversubscribed = partial(measures.greatest_ratio, PAUSED, scheme=("oversubscribed", "sih"))
least_of_pauses_saved = partial(measures.least_saved, PAUSED, scheme=("dsh", "sih"))
most_of_pauses_saved = partial(measures.most_saved, PAUSED, scheme=("dsh", "sih"))
pauses_of_oversubscribed_queues = partial(measures.greatest_ratio, PAUSED, scheme=("oversubscribed_queues", "sih"))
packets_of_oversubscribed = partial(measures.greatest_ratio, "packets.sent", scheme=("oversubscribed", "sih"))
packets_of_oversubscribed_queues = partial(
    measures.greatest_ratio, "packets.sent", scheme=("oversubscribed_queues", "sih")
)

fan_in_of_dsh = partial(measures.greatest_ratio, FAN_IN, scheme=("dsh", "sih"))
fan_in_of_oversubscribed = partial(measures.greatest_ratio, FAN_IN, scheme=("oversubscribed", "sih"))
fan_in_of_oversubscribed_queues = partial(measures.greatest_ratio, FAN_IN, scheme=("oversubscribed_queues", "sih"))
most_of_fan_in_saved = partial(measures.most_saved, FAN_IN, scheme=("dsh", "sih"))
most_of_fan_in_saved_by_adaptive = partial(measures.most_saved, FAN_IN, scheme=("adaptive", "sih"))

background_of_dsh = partial(measures.greatest_ratio, BACKGROUND, scheme=("dsh", "sih"))
background_of_oversubscribed = partial(measures.greatest_ratio, BACKGROUND, scheme=("oversubscribed", "sih"))
background_of_oversubscribed_queues = partial(
    measures.greatest_ratio, BACKGROUND, scheme=("oversubscribed_queues", "sih")
)
most_of_background_saved = partial(measures.most_saved, BACKGROUND, scheme=("dsh", "sih"))
most_of_background_saved_by_adaptive = partial(measures.most_saved, BACKGROUND, scheme=("adaptive", "sih"))
widest_interval = partial(measures.widest_interval, [FAN_IN, BACKGROUND], scheme=("dsh", "sih"))
most_dropped = measures.most_dropped_but_oversubscribed


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """A row of panels for each figure, a column for each congestion control, as the paper has them."""
    rows: dict[str, Measure] = {"pause duration": PAUSED, "fan-in FCT": FAN_IN, "background FCT": BACKGROUND}
    return panels.ratios(points, rows, LAYOUT)
