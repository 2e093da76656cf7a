"""Other tools' files: networks, flows and settings in, results out.

    from xoff import formats

    imported = formats.read(["topology.txt", "flow.txt", "config.txt"])
    imported.left_out                    # what the scenario does not have
    imported.scenario().run()
    imported.save("my_experiment")   # scenario.toml, flows.csv

A format is a module of this folder with `recognises` and `read`, and a line in `FORMATS` (`reading.py`).
"""

from xoff.formats.draft import Found, LeftOut
from xoff.formats.imported import Imported
from xoff.formats.reading import FORMATS, read

__all__ = ["FORMATS", "Found", "Imported", "LeftOut", "read"]
