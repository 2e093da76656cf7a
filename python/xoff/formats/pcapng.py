"""Packets of a result as a capture (pcapng), for Wireshark and tshark."""

from __future__ import annotations

from heapq import merge
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from xoff import _xoff
from xoff.errors import InputError
from xoff.formats import frames, pcapng_blocks
from xoff.formats.capture import Capture

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.formats.part import Part
    from xoff.results.result import Result

_PIECE = 1 << 20
"""Bytes of a file that are kept before they are written."""


def notes(result: Result, part: Part) -> Iterator[str]:
    """Yields what the capture lacks, a line each."""
    if result.packets is None:
        yield 'packets of flows are not in the capture: none were recorded; set observe.packets = ["host0"]'
    elif pc.any(pc.equal(result.packets["kind"].cast(pa.string()), "credit")).as_py():
        yield "packets of credit are not in the capture: they have no headers that others read"
    if result.pauses is None and any(one.get("lossless") for one in result._settings["class"]):
        yield "pause frames are not in the capture: none were recorded; set observe.pauses = true"
    elif result.pauses is not None and result.pauses.num_rows:
        yield "pause frames are those that begin and end pauses; frames that only say one again are not recorded"


def pieces(result: Result, part: Part) -> Iterator[bytes]:
    """Yields the file. Raises InputError if the run recorded nothing of it, or nothing of the flows asked for."""
    if result.packets is None and result.pauses is None:
        expected = 'expected a run with observe.packets = ["host0"], or another host or flow'
        raise InputError(None, "--format pcapng", "the run recorded no packets", expected)
    if result.packets is None and part.flows:
        expected = f'expected a run with observe.packets = ["{part.flows[0]}"]'
        raise InputError(None, "--flow", "the run recorded no packets", expected)
    return _in_pieces(_blocks(Capture(result, part), result.summary["title"]))


def _in_pieces(blocks: Iterator[bytes]) -> Iterator[bytes]:
    kept = bytearray()
    for block in blocks:
        kept += block
        if len(kept) >= _PIECE:
            yield bytes(kept)
            kept.clear()
    yield bytes(kept)


def _blocks(capture: Capture, title: str) -> Iterator[bytes]:
    yield pcapng_blocks.section(f"xoff {_xoff.__version__}", title)
    interfaces = {number: place for place, number in enumerate(capture.ports)}
    for number in interfaces:
        port = capture.topology.ports[number]
        yield pcapng_blocks.interface(port.name, f"to {port.peer}", port.rate_bps)
    hosts = capture.topology.hosts
    yield pcapng_blocks.names({frames.address(number): name for number, name in enumerate(hosts)})
    for seen in merge(capture.packets(), capture.pause_frames, key=lambda seen: seen.time_ns):
        yield pcapng_blocks.packet(
            interfaces[seen.port], seen.time_ns, seen.frame, seen.length, leaves=seen.leaves, comment=seen.comment
        )
