"""Ethernet frames with the headers that simulated packets stand for: IPv4 with TCP, or RoCEv2, and PFC.

Frames begin with the destination's address and have no frame check sequence. Layouts are those of RFC 791 and 9293, of
InfiniBand's specification (volume 1, chapter 9, and annex 17), and of IEEE 802.1Qbb.
"""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

_CHECK_SEQUENCE = 4
"""Bytes at the end of a frame that captures leave out."""
_TCP, _UDP = 6, 17
_ECT, _CE = 2, 3
_ROCE_PORT = 4791
_DISCARD_PORT = 9
"""Port of what nobody answers (RFC 863)."""
_TCP_PORT = 5001
_FIRST_PORT, _PORTS = 49_152, 16_384
_SYN, _PSH, _ACK = 0x02, 0x08, 0x10
_WINDOW_SCALE = bytes.fromhex("0103030e")
"""Option of a SYN, a NOP before it: a window scale of 14, since simulated receivers limit no window."""
_SEGMENT_SIZE = 0x0204
"""Option of a SYN for the largest segment, 4 bytes of 2."""
_SEND_FIRST, _SEND_MIDDLE, _SEND_LAST, _SEND_ONLY, _ACKNOWLEDGE, _CNP = 0x00, 0x01, 0x02, 0x04, 0x11, 0x81
"""Operations of RoCE's base transport header, those of reliable connections."""
_ACK_SYNDROME, _NAK_SYNDROME = 0x1F, 0x60
"""Syndromes of an acknowledgement without credit limit, and of a sequence error."""
_ICRC = 4
_ETHERNET_AND_IP = 34
_NUMBERS = 1 << 24
"""Bound on the numbers of packets of a queue pair."""
_PFC_ADDRESS = bytes.fromhex("0180c2000001")
_HOP_LIMIT = 64
_BY_MARKS = {"dctcp", "ecn_star", "dcqcn", "nscc"}
"""Congestion controls that go by marks; CUBIC has a key for it, `ecn`."""
_SPRAYING_BY_MARKS = {"reps"}


class Flow(NamedTuple):
    """A flow as its packets name it."""

    place: int
    """Number among the flows of a result, from which ports and queue pairs follow."""
    source: int
    """Number of the host that sends the data."""
    destination: int
    """Number of the host that receives it."""
    transport: Mapping[str, Any]
    """Settings of its transport in the scenario."""
    size_bytes: int | None
    """Bytes to send; None for no end."""


class Sent(NamedTuple):
    """A packet on a link."""

    kind: str
    """Kind, as in `packets.parquet`."""
    sequence: int | None
    payload_bytes: int
    frame_bytes: int
    priority: int
    marked: bool
    hop: int
    """Number of links that it crossed before."""
    opens: bool
    """Whether it opens a connection, or answers one that does."""
    ends: tuple[int, int]
    """Numbers of the ports at the begin and the end of the link."""


def mac(port: int) -> bytes:
    """Returns the address of a port, a locally administered one.

    >>> mac(258).hex(":")
    '02:00:00:00:01:02'
    """
    return struct.pack(">HI", 0x0200, port)


def address(host: int) -> bytes:
    """Returns the address of a host in 10.0.0.0/8.

    >>> ".".join(map(str, address(300)))
    '10.0.1.45'
    """
    return struct.pack(">I", 0x0A000001 + host)


def pfc(port: int, quanta: Mapping[int, int]) -> bytes:
    """Returns the frame that a port sends to pause classes for so many quanta each; 0 lets a class resume.

    >>> pfc(0, {3: 65535}).hex(" ", 2)[:55]
    '0180 c200 0001 0200 0000 0000 8808 0101 0008 0000 0000 '
    """
    enabled = sum(1 << priority for priority in quanta)
    times = [quanta.get(priority, 0) for priority in range(8)]
    frame = _PFC_ADDRESS + mac(port) + struct.pack(">3H8H", 0x8808, 0x0101, enabled, *times)
    return frame.ljust(60, b"\0")


def is_ecn_capable(transport: Mapping[str, Any]) -> bool:
    """Whether switches may mark the data of a transport."""
    control = transport.get("congestion_control") or {}
    by_marks = control.get("algorithm") in _BY_MARKS or bool(control.get("ecn"))
    by_marks |= (transport.get("spraying") or {}).get("algorithm") in _SPRAYING_BY_MARKS
    said = transport.get("ecn_capable")
    return said if isinstance(said, bool) else by_marks


def of(flow: Flow, sent: Sent) -> tuple[bytes, int]:
    """Returns the frame of a packet and its length, which is that of the simulated one where headers have room in it.

    Payload is zeros. RoCE's is padded to words of 4 bytes, which makes frames up to 3 bytes longer. That of TCP and UDP
    is left out; RoCE's is not, since Wireshark calls packets without it malformed.
    """
    kind = flow.transport["kind"]
    if kind == "roce":
        protocol, segment = _UDP, _roce(flow, sent)
        within = len(segment) + _ICRC
    else:
        protocol, segment = (_TCP, _tcp(flow, sent)) if kind == "tcp" else (_UDP, _udp(flow))
        within = len(segment) + sent.payload_bytes
    ends = (flow.source, flow.destination) if sent.kind == "data" else (flow.destination, flow.source)
    ip = _ip(ends, protocol, within, sent.priority << 5 | _ecn(flow, sent), _HOP_LIMIT - sent.hop)
    if kind == "tcp":
        checksum = _checksum(ip[12:20] + struct.pack(">HH", _TCP, within) + segment)
        segment = segment[:16] + struct.pack(">H", checksum) + segment[18:]
    else:
        segment = segment[:4] + struct.pack(">H", within) + segment[6:]
    if kind == "roce":
        segment += _icrc(ip, segment)
    frame = mac(sent.ends[1]) + mac(sent.ends[0]) + b"\x08\x00" + ip + segment
    length = max(sent.frame_bytes - _CHECK_SEQUENCE, _ETHERNET_AND_IP + within)
    return (frame if sent.payload_bytes and kind != "roce" else frame.ljust(length, b"\0")), length


def _ecn(flow: Flow, sent: Sent) -> int:
    if sent.marked:
        return _CE
    only_data = flow.transport.get("ecn_capable") == "data" and (sent.kind != "data" or sent.opens)
    return _ECT if is_ecn_capable(flow.transport) and not only_data else 0


def _ip(ends: tuple[int, int], protocol: int, within: int, service: int, hops: int) -> bytes:
    header = struct.pack(">BBHHHBB", 0x45, service, 20 + within, 0, 0x4000, hops, protocol)
    addresses = address(ends[0]) + address(ends[1])
    return header + struct.pack(">H", _checksum(header + addresses)) + addresses


def _checksum(content: bytes) -> int:
    """Returns the checksum of IP and TCP; payload is zeros, which add nothing."""
    total: int = sum(struct.unpack(f">{len(content) // 2}H", content))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def _tcp(flow: Flow, sent: Sent) -> bytes:
    own, other = _FIRST_PORT + flow.place % _PORTS, _TCP_PORT + flow.place // _PORTS
    options, flags = b"", 0 if sent.opens and sent.kind == "data" else _ACK
    received = flow.size_bytes or 0 if sent.sequence is None else sent.sequence
    number, acknowledged = 1, 1 + received
    if sent.opens:
        options, flags, number = _WINDOW_SCALE, flags | _SYN, 0
        if sent.frame_bytes - _CHECK_SEQUENCE >= _ETHERNET_AND_IP + 28:
            options += struct.pack(">HH", _SEGMENT_SIZE, flow.transport["payload"])
        acknowledged = 1 if flags & _ACK else 0
    elif sent.kind == "data":
        number, acknowledged = 1 + received, 1
        flags |= _PSH if received + sent.payload_bytes == flow.size_bytes else 0
    ports = (own, other) if sent.kind == "data" else (other, own)
    words = 5 + len(options) // 4
    numbers = number & 0xFFFFFFFF, acknowledged & 0xFFFFFFFF
    return struct.pack(">HHIIBBHHH", *ports, *numbers, words << 4, flags, 0xFFFF, 0, 0) + options


def _roce(flow: Flow, sent: Sent) -> bytes:
    """Returns the datagram without its invariant CRC."""
    full = flow.transport["payload"]
    last = None if flow.size_bytes is None else max(0, -(-flow.size_bytes // full) - 1)
    pad, asks, more = -sent.payload_bytes % 4, 0, b""
    if sent.kind == "data":
        number = (sent.sequence or 0) // full
        is_last = number == last
        operation = (_SEND_ONLY if is_last else _SEND_FIRST) if number == 0 else _SEND_LAST if is_last else _SEND_MIDDLE
        asks, more = 0x80 if is_last else 0, bytes(sent.payload_bytes + pad)
    elif sent.kind == "cnp":
        operation, number, more = _CNP, 0, bytes(16)
    else:
        operation = _ACKNOWLEDGE
        missing = (last or 0) + 1 if sent.sequence is None else -(-sent.sequence // full)
        is_nack = sent.kind == "nack"
        number = missing if is_nack else missing - 1
        syndrome = _NAK_SYNDROME if is_nack else _ACK_SYNDROME
        messages = int(last is not None and missing > last)
        more = struct.pack(">I", syndrome << 24 | messages)
    pair = 0x100 + flow.place % (_NUMBERS - 0x100)
    notes = 0x40 if sent.kind == "cnp" else 0
    transport = struct.pack(">BBHII", operation, pad << 4, 0xFFFF, notes << 24 | pair, asks << 24 | number % _NUMBERS)
    return struct.pack(">HHHH", _FIRST_PORT + flow.place % _PORTS, _ROCE_PORT, 0, 0) + transport + more


def _icrc(ip: bytes, segment: bytes) -> bytes:
    """Returns RoCE's invariant CRC of a packet, for which what routers change counts as ones."""
    fixed = b"\xff" * 8 + ip[:1] + b"\xff" + ip[2:8] + b"\xff" + ip[9:10] + b"\xff\xff" + ip[12:]
    fixed += segment[:6] + b"\xff\xff" + segment[8:12] + b"\xff" + segment[13:]
    return struct.pack("<I", zlib.crc32(fixed))


def _udp(flow: Flow) -> bytes:
    return struct.pack(">HHHH", _FIRST_PORT + flow.place % _PORTS, _DISCARD_PORT, 0, 0)
