"""`config.txt` of HPCC's ns-3 and its descendants: lines of `KEY VALUE...`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from xoff.formats import hpcc_settings
from xoff.formats.draft import Draft, Found
from xoff.formats.hpcc_settings import Entry
from xoff.formats.lines import numbered, refusal
from xoff.text.units import counted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

NAME = "HPCC settings"
ABOUT = "config.txt of the same simulators"

_TELLING = {"CC_MODE", "ENABLE_QCN", "PACKET_PAYLOAD_SIZE", "KMAX_MAP", "RP_TIMER", "BUFFER_SIZE"}


def recognises(lines: Sequence[str]) -> bool:
    """Whether three keys of the simulator open lines."""
    return len(_TELLING & {line.split(None, 1)[0] for line in lines if line.strip()}) >= 3


def read(path: Path, draft: Draft) -> None:
    """Reads keys with their values; they become settings once network and flows are known. Raises InputError."""
    if draft.settled_by:
        raise refusal(path, 0, "is a second file of settings", f"expected one; {draft.settled_by} is another")
    draft.network_for(path, "settings")
    entries: dict[str, Entry] = {}
    for number, line in numbered(path):
        key, *values = line.partition("{")[0].split() or [""]  # config_doc.txt explains keys in braces
        if not key or key.startswith("#"):
            continue
        if not values:
            raise refusal(path, number, f"{key[:40]!r} has no value", "expected KEY VALUE")
        entries[key] = Entry(path, number, key, tuple(values))  # of a key that is there twice the last counts
    draft.settled_by = str(path)
    draft.settle = partial(hpcc_settings.settle, entries=entries)
    draft.found.append(Found(str(path), NAME, counted(len(entries), "key")))
