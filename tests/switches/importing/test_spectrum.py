"""Pools and headroom of Spectrum: SONiC's formulas by hand, and held against the sizes that SONiC ships."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from typing import Any

import pytest

import xoff
from xoff.errors import InputError
from xoff.starters import Switches, starter
from xoff.switches.importing import imported
from xoff.switches.importing.spectrum import Headroom, Spectrum
from xoff.switches.lint import Tables

MMU = {"spectrum": 13_945_824, "spectrum_3": 60_817_392}


def tables(
    hwsku: str,
    speeds: dict[str, int],
    cable: str = "40m",
    shared_headroom: int = 0,
    ratio: int = 0,
    lanes: int = 4,
) -> dict[str, Any]:
    """The dynamic model as SONiC ships it: two lossless classes, lossy group 0, and a reserve of each port."""
    ports = [f"Ethernet{number}" for number in range(sum(speeds.values()))]
    rates = [speed for speed, count in speeds.items() for _ in range(count)]
    pools = {
        "ingress_lossless_pool": {"type": "ingress", "mode": "dynamic"}
        | ({"xoff": str(shared_headroom)} if shared_headroom else {}),
        "egress_lossless_pool": {"type": "egress", "mode": "dynamic", "size": "60817392"},
        "egress_lossy_pool": {"type": "egress", "mode": "dynamic"},
    }
    return {
        "DEVICE_METADATA": {"localhost": {"hwsku": hwsku, "buffer_model": "dynamic"}},
        "PORT": {
            port: {"speed": rate, "mtu": "9100", "lanes": ",".join(map(str, range(lanes)))}
            for port, rate in zip(ports, rates, strict=True)
        },
        "CABLE_LENGTH": {"AZURE": dict.fromkeys(ports, cable)},
        "BUFFER_POOL": pools,
        "BUFFER_PROFILE": {
            "ingress_lossy_profile": {"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "3"},
            "egress_lossless_profile": {"pool": "egress_lossless_pool", "size": "0", "dynamic_th": "7"},
            "egress_lossy_profile": {"pool": "egress_lossy_pool", "size": "9216", "dynamic_th": "7"},
            "q_lossy_profile": {"pool": "egress_lossy_pool", "size": "0", "dynamic_th": "3"},
        },
        "BUFFER_PG": {f"{port}|3-4": {"profile": "NULL"} for port in ports}
        | {f"{port}|0": {"profile": "ingress_lossy_profile"} for port in ports},
        "BUFFER_QUEUE": {f"{port}|3-4": {"profile": "egress_lossless_profile"} for port in ports}
        | {f"{port}|0-2": {"profile": "q_lossy_profile"} for port in ports},
        "BUFFER_PORT_EGRESS_PROFILE_LIST": {
            port: {"profile_list": "egress_lossless_profile,egress_lossy_profile"} for port in ports
        },
        "DEFAULT_LOSSLESS_BUFFER_PARAMETER": {
            "AZURE": {"default_dynamic_th": "0"} | ({"over_subscribe_ratio": str(ratio)} if ratio else {})
        },
        "LOSSLESS_TRAFFIC_PATTERN": {"AZURE": {"mtu": "1024", "small_packet_percentage": "50"}},
        "PORT_QOS_MAP": {port: {"pfc_enable": "3,4"} for port in ports},
    }


def parsed(rows: dict[str, Any]) -> Tables:
    return Tables.parse("config_db.json", json.dumps(rows))


def spectrum(rows: dict[str, Any]) -> Spectrum:
    found = Spectrum.of(parsed(rows))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("hwsku", "cable", "alone", "shared"),
    [
        ("Mellanox-SN2700", "5m", 44_032, 41_984),
        ("Mellanox-SN2700", "40m", 48_128, 46_080),
        ("Mellanox-SN2700", "300m", 84_992, 82_944),
        ("Mellanox-SN4600C-C64", "5m", 48_128, 46_080),
        ("Mellanox-SN4600C-C64", "40m", 53_248, 51_200),
        ("Mellanox-SN4600C-C64", "300m", 94_208, 92_160),
    ],
)
def test_headroom_is_that_of_sonics_formula(hwsku: str, cable: str, alone: int, shared: int) -> None:
    """buffer_headroom_mellanox.lua, evaluated by hand for 100 Gb/s."""
    own = spectrum(tables(hwsku, {"100000": 2}, cable)).headroom("Ethernet0")
    assert own == Headroom(alone + 19_456, 19_456, alone)
    together = spectrum(tables(hwsku, {"100000": 2}, cable, ratio=2)).headroom("Ethernet0")
    assert together == Headroom(19_456, 19_456, shared)


def test_ports_of_eight_lanes_need_twice_as_long_to_resume() -> None:
    """With a port's packet in the size, rounded up to whole KiB: 19 x 2 + 52 + 9100 / 1024."""
    headroom = spectrum(tables("Mellanox-SN4700-O32", {"100000": 2}, lanes=8)).headroom("Ethernet0")
    assert headroom == Headroom((38 + 52 + 9) * 1024, 38 * 1024, 52 * 1024)


SHIPPED = [
    ("Mellanox-SN4600C-C64", "spectrum_3", {"100000": 64}, 5_275_648, 48_332_800),
    ("Mellanox-SN4600C-C64", "spectrum_3", {"100000": 64}, 2_097_152, 51_511_296),
    ("Mellanox-SN4600C-D112C8", "spectrum_3", {"50000": 112, "100000": 8}, 4_481_024, 43_048_960),
    ("Mellanox-SN4700-C128", "spectrum_3", {"100000": 128}, 2_074_624, 44_587_008),
    ("Mellanox-SN4700-C128", "spectrum_3", {"100000": 128}, 11_567_104, 35_094_528),
    ("Mellanox-SN4700-V64", "spectrum_3", {"200000": 64}, 14_254_080, 39_354_368),
    ("Mellanox-SN2700-D44C10", "spectrum", {"50000": 44, "100000": 10}, 1_540_096, 6_282_240),
]
"""Model, chip, ports by speed, and `xoff` and `size` of ingress_lossless_pool, as shipped with SONiC (sonic-buildimage
086b03b, device/mellanox, buffers_defaults_t0.j2, _t1.j2 and _t2.j2)."""


@pytest.mark.parametrize(("hwsku", "chip", "speeds", "shared_headroom", "size"), SHIPPED)
def test_pools_are_what_reserves_leave(
    hwsku: str, chip: str, speeds: dict[str, int], shared_headroom: int, size: int
) -> None:
    """As large as shipped, which were computed when each port took a KiB more; less than a cell is rounded off."""
    rows = tables(hwsku, speeds, shared_headroom=shared_headroom)
    ports = sum(speeds.values())
    found = spectrum(rows)
    assert found.chip == chip
    completed = found.completed()
    pools = completed.config.buffer_pool
    for name in ("ingress_lossless_pool", "egress_lossy_pool"):
        computed = pools[name].size
        assert computed is not None
        assert 0 <= size + ports * 1024 - computed < 144
    taken, shared = replace(found, tables=completed).taken()
    assert taken + shared + (pools["ingress_lossless_pool"].size or 0) == MMU[chip]


def test_the_switch_of_a_dynamic_model_is_a_scenario() -> None:
    rows = tables("Mellanox-SN4600C-C64", {"100000": 64}, shared_headroom=2_097_152)
    part = imported(parsed(rows), ports=64)
    (switch,) = tomllib.loads(part.text)["switch"]
    size = spectrum(rows).completed().config.buffer_pool["ingress_lossless_pool"].size
    assert switch["pfc"]["lossless_pool"] == f"{size}B"
    assert switch["pfc"]["headroom"]["size"] == "51200B"
    assert switch["pfc"]["reserved"] == "19456B"
    assert part.source.startswith("From config_db.json and SONiC's formulas for spectrum_3: ")
    scenario = starter(["roce", "star"], Switches(part.text, part.data, part.control, part.link)).text
    xoff.Scenario.from_text(scenario).check()


def test_pools_of_other_chips_that_the_switch_computes_are_refused() -> None:
    rows = tables("DellEMC-Z9332f-O32", {"400000": 2})
    with pytest.raises(InputError, match=r"the switch computes it, .*show buffer information.*--chip"):
        imported(parsed(rows))


def test_sizes_of_pools_of_spectrum_have_no_reserves_in_them() -> None:
    """A static table as shipped for SN4600C-C64: what is shared is all of the pool."""
    rows = tables("Mellanox-SN4600C-C64", {"100000": 64})
    del rows["DEVICE_METADATA"]["localhost"]["buffer_model"]
    rows["BUFFER_POOL"]["ingress_lossless_pool"] |= {"size": "48332800", "xoff": "5275648"}
    rows["BUFFER_PROFILE"]["pg_lossless_100000_40m_profile"] = {
        "pool": "ingress_lossless_pool", "size": "19456", "xon": "19456", "xoff": "49152", "dynamic_th": "0"
    }  # fmt: skip
    rows["BUFFER_PG"] |= {
        key: {"profile": "pg_lossless_100000_40m_profile"} for key in rows["BUFFER_PG"] if key.endswith("3-4")
    }
    (switch,) = tomllib.loads(imported(parsed(rows)).text)["switch"]
    assert switch["pfc"]["lossless_pool"] == "48332800B"
