"""The critical path of a flow, from its last acknowledgement back to its start.

The path is found backwards. An acknowledgement waits for the data that it answers. Data waits for the event that let it
be sent: an acknowledgement, the rate of the congestion control, the packet before it, or the start of the flow. Data
that is sent again has waited since it was first sent. So every instant of the completion time has one cause, and the
times of all causes add up to it.
"""

from xoff.explain.critical_path.path import Cause, CriticalPath, Part, Stretch, parts
from xoff.explain.critical_path.walk import critical_path

__all__ = ["Cause", "CriticalPath", "Part", "Stretch", "critical_path", "parts"]
