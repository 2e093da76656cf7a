"""An oracle for switches: what becomes of each packet, in plain Python, compared with what the simulator did."""
