"""Frames with real headers, against those that Scapy 2.8.0 builds from the same fields."""

from __future__ import annotations

import pytest

from xoff import Scenario
from xoff.formats import frames
from xoff.formats.frames import Flow, Sent

ROCE = {"kind": "roce", "payload": 1024, "congestion_control": {"algorithm": "dcqcn"}}
TCP = {"kind": "tcp", "payload": 1448, "ecn_capable": "data", "congestion_control": {"algorithm": "dctcp"}}
FLOW = Flow(place=0, source=0, destination=1, transport=ROCE, size_bytes=5 * 1024 + 10)
ETHERNET = "0200000000{:02x}0200000000{:02x}0800"


def headers(flow: Flow, sent: Sent) -> str:
    """Returns a frame in hexadecimal without its Ethernet header, which it checks."""
    frame = frames.of(flow, sent)[0].hex()
    begin, end = sent.ends
    ethernet = ETHERNET.format(end, begin)
    assert frame.startswith(ethernet)
    return frame.removeprefix(ethernet)


def test_an_acknowledgement_of_roce_is_a_base_transport_header_and_an_aeth() -> None:
    sent = Sent("acknowledgement", 5 * 1024, 0, 66, 7, marked=False, hop=0, opens=False, ends=(1, 4))
    assert headers(FLOW, sent) == (
        "45e2003000004000401125d90a0000020a000001c00012b7001c00001100ffff00000100000000041f000000f27a4576"
    )
    assert frames.of(FLOW, sent)[1] == 66 - 4


def test_a_cnp_has_its_operation_and_backward_notification() -> None:
    sent = Sent("cnp", None, 0, 78, 7, marked=False, hop=0, opens=False, ends=(1, 4))
    assert headers(FLOW, sent) == (
        "45e2003c00004000401125cd0a0000020a000001c00012b7002800008100ffff4000010000000000"
        "00000000000000000000000000000000e990f95c"
    )


def test_the_last_data_of_roce_is_padded_marked_and_asks_for_an_acknowledgement() -> None:
    sent = Sent("data", 5 * 1024, 10, 72, 3, marked=True, hop=1, opens=False, ends=(0, 3))
    assert headers(FLOW, sent) == (
        "45630038000040003f1127500a0000010a000002c00012b7002400000220ffff0000010080000005000000000000000000000000e4998ae3"
    )


def test_a_syn_of_tcp_has_options_and_a_checksum() -> None:
    flow = FLOW._replace(transport=TCP, size_bytes=5000)
    sent = Sent("data", 0, 0, 66, 0, marked=False, hop=0, opens=True, ends=(0, 3))
    assert headers(flow, sent) == (
        "4500003000004000400626c60a0000010a000002c000138900000000000000007002ffff9c9100000103030e020405a8"
    )


@pytest.mark.parametrize(
    ("number", "size", "operation"), [(0, 10, 0x04), (0, 2048, 0x00), (1, 3000, 0x01), (1, 2048, 0x02), (7, None, 0x01)]
)
def test_data_of_roce_says_where_in_its_message_it_is(number: int, size: int | None, operation: int) -> None:
    flow = FLOW._replace(size_bytes=size)
    sent = Sent("data", number * 1024, 10, 72, 3, marked=False, hop=0, opens=False, ends=(0, 3))
    transport = frames.of(flow, sent)[0][42:54]
    assert transport[0] == operation
    assert int.from_bytes(transport[9:12]) == number


def test_a_nack_asks_for_a_packet_and_the_last_acknowledgement_completes_the_message() -> None:
    nack = Sent("nack", 2 * 1024, 0, 66, 7, marked=False, hop=0, opens=False, ends=(1, 4))
    transport = frames.of(FLOW, nack)[0][42:]
    assert (transport[0], int.from_bytes(transport[9:12]), transport[12]) == (0x11, 2, 0x60)
    last = frames.of(FLOW, nack._replace(kind="acknowledgement", sequence=None))[0][42:]
    assert (int.from_bytes(last[9:12]), last[12], int.from_bytes(last[13:16])) == (5, 0x1F, 1)


def test_a_pause_names_classes_and_quanta() -> None:
    frame = frames.pfc(258, {3: 65_535, 5: 0})
    assert frame[:20].hex() == "0180c20000010200000001028808010100280000"
    assert [int.from_bytes(frame[18 + 2 * each :][:2]) for each in range(8)] == [0, 0, 0, 65_535, 0, 0, 0, 0]
    assert len(frame) == 60


@pytest.mark.parametrize(
    "transport",
    [
        *(
            {"kind": "tcp", "congestion_control": control}
            for control in (
                {"algorithm": "dctcp"},
                {"algorithm": "ecn_star"},
                {"algorithm": "reno"},
                {"algorithm": "cubic"},
                {"algorithm": "cubic", "ecn": True},
            )
        ),
        *(
            {"kind": "roce", "control_priority": 0, "congestion_control": {"algorithm": algorithm}}
            for algorithm in ("dcqcn", "nscc", "rccc", "hpcc", "power_tcp", "theta_power_tcp", "timely", "swift")
        ),
        {"kind": "roce", "control_priority": 0, "ecn_capable": True},
        {"kind": "roce", "control_priority": 0, "spraying": {"algorithm": "reps"}},
        {"kind": "roce", "control_priority": 0, "spraying": {"algorithm": "oblivious"}},
        {"kind": "roce", "control_priority": 0},
    ],
    ids=str,
)
def test_ecn_capable_is_what_the_simulator_marks(transport: dict[str, object]) -> None:
    result = Scenario.from_dict(
        {
            "topology": {"kind": "star", "hosts": 3, "host_link": {"rate": "100Gbps", "delay": "1us"}},
            "class": [{"priority": 0, "lossless": True}],
            "switch": [{"pfc": {}, "marking": {"queue": {"kind": "threshold", "threshold": "2kB"}}}],
            "transport": {"t": transport},
            "workload": [
                {"kind": "incast", "transport": "t", "fan_in": 2, "size": "40kB", "groups": 1, "every": "1ms"}
            ],
            "stop": {"at": "100us"},
        }
    ).run()
    assert frames.is_ecn_capable(result._settings["transport"]["t"]) == (result.summary["packets"]["marked"] > 0)
