"""Labels of positions on axes that several figures have, in the order of their plots."""

HEADROOM_SCHEMES = {
    "sih": "SIH",
    "adaptive": "adaptive",
    "oversubscribed": "oversubscribed",
    "oversubscribed_queues": "oversubscribed, each queue",
    "dsh": "DSH",
}
CONGESTION_CONTROLS = {"none": "none", "dcqcn": "DCQCN", "hpcc": "HPCC", "power_tcp": "PowerTCP"}
DCTCP_AND_TCP = {"dctcp": "DCTCP", "tcp": "TCP"}
