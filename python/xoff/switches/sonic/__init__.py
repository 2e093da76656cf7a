"""SONiC's tables of buffers, marking and pauses: read with the line of every value, and written as SONiC has them."""

from xoff.switches.sonic.config_db import ConfigDb
from xoff.switches.sonic.config_file import ConfigFile, Invalid, Overwritten
from xoff.switches.sonic.pg_profile_lookup import PgProfile, PgProfileLookup

__all__ = ["ConfigDb", "ConfigFile", "Invalid", "Overwritten", "PgProfile", "PgProfileLookup"]
