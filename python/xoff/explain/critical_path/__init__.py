"""Where a flow's time went: its critical path, from its last acknowledgement back to its start.

The path is found backwards. An acknowledgement waits for the data that it answers; data waits for what let it be sent:
an acknowledgement, the rate of the congestion control, the packet before it, or the start of the flow. Data that had to
be sent again has waited since it was first sent. So every instant of the completion time has one cause, and what it was
spent on adds up to it.
"""

from xoff.explain.critical_path.path import Cause, CriticalPath, Part, Stretch, parts
from xoff.explain.critical_path.walk import critical_path

__all__ = ["Cause", "CriticalPath", "Part", "Stretch", "critical_path", "parts"]
