"""Settings as configuration: what is written, and what is said instead."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import pytest

from xoff.switches.export import Format
from xoff.switches.export.export import ranges
from xoff.switches.lint import Tables, lint
from xoff.switches.plan.classes import exponent
from xoff.switches.plan.settings import (
    Ecn,
    HostSettings,
    Pause,
    Pools,
    PortGroup,
    Settings,
    TrafficClass,
    Watchdog,
)
from xoff.switches.sonic import ConfigFile

NEAR = PortGroup("near", ("Ethernet0",), 100 * 10**9, 202_020, 40.0, Pause(60_000, None, 3000))
FAR = PortGroup("far", ("Ethernet1",), 100 * 10**9, 1_515_152, 300.0, Pause(100_000, None, 3000))
BEST_EFFORT = TrafficClass("best_effort", 0, 0, lossless=False, alpha=1.0, reserved_bytes=1500, ecn=None)
ROCE = TrafficClass("roce", 3, 26, lossless=True, alpha=1 / 8, reserved_bytes=3000, ecn=Ecn(150_000, 1_500_000, 0.2))
ADAPTERS = HostSettings("dcqcn", 3, 26, 1 / 256, 50_000, 48, 6)
SETTINGS = Settings(
    title="Two ports",
    chip="trident_2",
    memory_bytes=12_582_912,
    cell_bytes=208,
    mtu_bytes=1500,
    headroom_scheme="sih",
    groups=(NEAR, FAR),
    classes=(BEST_EFFORT, ROCE),
    pools=Pools(1, 2, 9_000_000, 3_000_000, 160_000, None),
    hosts=ADAPTERS,
)
SHARED_ECN = replace(SETTINGS, pools=replace(SETTINGS.pools, ecn=Ecn(1_802_000, 2_602_000, 0.1)))


PORTS = ("Ethernet0", "Ethernet1")


def body(target: str, settings: Settings = SETTINGS) -> list[str]:
    return Format(target).write(settings).text.splitlines()


def test_sonic() -> None:
    tables = json.loads(Format.SONIC.write(SETTINGS).text)
    assert tables["BUFFER_POOL"] == {
        "ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "9006000"},
        "egress_lossless_pool": {"type": "egress", "mode": "static", "size": "12582912"},
        "ingress_lossy_pool": {"type": "ingress", "mode": "dynamic", "size": "3003000"},
        "egress_lossy_pool": {"type": "egress", "mode": "dynamic", "size": "3003000"},
    }
    assert tables["BUFFER_PROFILE"]["pg_lossless_100000_300m_profile"] == {
        "pool": "ingress_lossless_pool",
        "size": "3000",
        "xon": "0",
        "xoff": "100000",
        "xon_offset": "3000",
        "dynamic_th": "-3",
    }
    assert tables["CABLE_LENGTH"] == {"AZURE": {"Ethernet0": "40m", "Ethernet1": "300m"}}
    assert tables["BUFFER_PG"]["Ethernet1|3"] == {"profile": "pg_lossless_100000_300m_profile"}
    assert tables["BUFFER_PG"]["Ethernet0|0"] == {"profile": "ingress_lossy_profile"}
    assert tables["BUFFER_QUEUE"]["Ethernet0|3"] == {"profile": "egress_lossless_profile"}
    assert tables["QUEUE"]["Ethernet0|3"] == {"wred_profile": "ROCE"}
    wred = tables["WRED_PROFILE"]["ROCE"]
    assert (wred["ecn"], wred["wred_green_enable"]) == ("ecn_all", "true")
    assert (wred["green_min_threshold"], wred["green_max_threshold"]) == ("150000", "1500000")
    assert wred["green_drop_probability"] == "20"
    assert tables["PORT_QOS_MAP"]["Ethernet0"]["pfc_enable"] == "3"
    assert tables["DSCP_TO_TC_MAP"] == {"AZURE": {"0": "0", "26": "3", "48": "6"}}  # 48: CNPs, by adapters alone


def test_sonics_ports_have_the_mtu_that_headroom_is_for() -> None:
    settings = replace(SETTINGS, mtu_bytes=4200)
    export = Format.SONIC.write(settings)
    assert {row["mtu"] for row in json.loads(export.text)["PORT"].values()} == {"4200"}
    assert "mtu of PORT is the plan's, 4,200 B" in "".join(export.notes)
    assert "ports that keep SONiC's 9100 need more" in "".join(export.notes)
    assert "need more" not in "".join(Format.SONIC.write(replace(SETTINGS, mtu_bytes=9100)).notes)
    large = Format.SONIC.write(replace(SETTINGS, mtu_bytes=16_000))
    assert ConfigFile.parse("t.json", large.text).invalid == ()
    assert all("mtu" not in row for row in json.loads(large.text)["PORT"].values())
    assert any("headroom holds only for packets of 16,000 B" in note for note in large.notes)


def test_ports_keep_their_mtu_where_nothing_pauses() -> None:
    groups = tuple(replace(group, pause=None) for group in SETTINGS.groups)
    export = Format.SONIC.write(replace(SETTINGS, groups=groups, classes=(BEST_EFFORT,), headroom_scheme=None))
    assert "mtu" not in export.text
    assert not any("mtu" in note for note in export.notes)


@pytest.mark.parametrize("target", ["sonic", "nxos"])
def test_that_senders_resume_where_they_paused_is_told(target: str) -> None:
    def told(settings: Settings) -> list[str]:
        return [note for note in Format(target).write(settings).notes if "hysteresis" in note]

    assert told(SETTINGS) == []
    level = replace(SETTINGS, groups=(replace(NEAR, pause=Pause(60_000, None, 0)), FAR))
    assert len(told(level)) == 1
    (note,) = told(replace(level, headroom_scheme="dsh"))
    assert note.startswith("senders resume 0 B below the pause, as in the simulations of DSH's paper")


def test_sonics_tables_are_valid_and_have_no_faults_but_late_marks() -> None:
    text = Format.SONIC.write(SETTINGS).text
    assert ConfigFile.parse("t.json", text).invalid == ()
    assert lint([Tables.parse("t.json", text)]) == []
    late = replace(ROCE, ecn=Ecn(1_500_000, 2_000_000, 0.2))  # a lone port is paused at 1/9 of 9 MB
    text = Format.SONIC.write(replace(SETTINGS, classes=(BEST_EFFORT, late))).text
    assert [finding.check for finding in lint([Tables.parse("t.json", text)])] == ["ecn_after_pfc"]


@pytest.mark.parametrize(("scheme", "where"), [("sih", "xoff of its profiles"), ("dsh", "xoff of that pool")])
def test_what_the_size_of_sonics_pool_counts_is_told(scheme: str, where: str) -> None:
    (note,) = [note for note in Format.SONIC.write(replace(SETTINGS, headroom_scheme=scheme)).notes if "on top" in note]
    assert f"headroom comes on top ({where})" in note
    assert "holds xoff, too, 160,000 B more are to be added to it, or less is shared" in note


@pytest.mark.parametrize("target", ["sonic", "eos", "nxos", "nvue"])
def test_what_becomes_of_dscps_of_no_class_is_told(target: str) -> None:
    assert any(
        "DSCPs of no class" in note or "DSCPs of the plan's" in note for note in Format(target).write(SETTINGS).notes
    )


def test_a_planned_watchdog_is_written_for_sonic_and_named_elsewhere() -> None:
    planned = replace(SETTINGS, watchdog=Watchdog("forward", 150, 300))
    text = Format.SONIC.write(planned).text
    assert json.loads(text)["PFC_WD"] == {
        "GLOBAL": {"POLL_INTERVAL": "150"},
        **{port: {"action": "forward", "detection_time": "150", "restoration_time": "300"} for port in PORTS},
    }
    assert lint([Tables.parse("t.json", text)]) == []
    assert not any("watchdog" in note for note in Format.SONIC.write(planned).notes)
    [note] = [note for note in Format.NXOS.write(planned).notes if "watchdog" in note]
    assert "forward after 150 ms, restored after 300 ms" in note


@pytest.mark.parametrize(
    ("planned", "timer", "told"),
    [
        (Watchdog("drop", 200, 400), "timeout 0.20 polling-interval auto recovery-time 0.40", []),
        (Watchdog("forward", 150, 60_000), "timeout 0.15 polling-interval auto recovery-time 60.00", ["not forward"]),
        (Watchdog("drop", 101, 200), "timeout 0.11 polling-interval auto recovery-time 0.20", ["101 and 200 ms"]),
    ],
)
def test_eos_has_the_watchdog_of_the_plan(planned: Watchdog, timer: str, told: list[str]) -> None:
    written = Format.EOS.write(replace(SETTINGS, watchdog=planned))
    lines = [line for line in written.text.splitlines() if "watchdog" in line]
    base = "   priority-flow-control pause watchdog"
    assert lines == [base, f"{base} port action drop", f"{base} port timer {timer}"]
    notes = [note for note in written.notes if "watchdog" in note]
    assert len(notes) == len(told)
    assert all(part in note for part, note in zip(told, notes, strict=True))


@pytest.mark.parametrize(
    ("target", "written"),
    [
        ("sonic", '"Ethernet0": "1m"'),
        ("nvue", "nv set qos pfc xoff-near cable-length 1"),
        ("host", "--cable_len 1"),
    ],
)
def test_a_link_without_delay_has_a_cable_all_the_same(target: str, written: str) -> None:
    export = Format(target).write(replace(SETTINGS, groups=(replace(NEAR, delay_ps=0, cable_m=0.0),)))
    assert written in export.text
    (note,) = [note for note in export.notes if "no cable" in note]
    assert note.startswith("near: no cable is written as 1 m of it")
    assert not any("no cable" in note for note in Format(target).write(SETTINGS).notes)


def test_that_cumulus_runs_on_other_chips_is_told() -> None:
    (note,) = [note for note in Format.NVUE.write(SETTINGS).notes if "runs on" in note]
    assert note.endswith("runs on NVIDIA Spectrum alone, and the plan is of trident_2")
    assert not any("runs on" in note for note in Format.NVUE.write(replace(SETTINGS, chip="spectrum_3")).notes)


def test_an_offset_that_reaches_the_threshold_is_told() -> None:
    """9 MB for one class of two ports are 4.5 MB each."""
    deep = replace(SETTINGS, groups=(replace(NEAR, pause=Pause(60_000, None, 4_500_000)), FAR))
    written = Format.NXOS.write(deep)
    assert "pause-threshold 4500000 resume-threshold 0\n" in written.text
    (note,) = [note for note in written.notes if "resume-threshold" in note]
    assert note == "resume-threshold is 0: xon_offset, 4,500,000 B, reaches the pause-threshold of 4,500,000 B"
    assert not any("resume-threshold" in note for note in Format.NXOS.write(SETTINGS).notes)


def test_profiles_that_the_switch_would_replace_are_told() -> None:
    assert not any("in the place of" in note for note in Format.SONIC.write(SETTINGS).notes)
    storage = replace(ROCE, name="storage", priority=4, dscp=34, alpha=1.0)
    export = Format.SONIC.write(replace(SETTINGS, classes=(BEST_EFFORT, ROCE, storage)))
    (note,) = [note for note in export.notes if "in the place of" in note]
    assert "puts pg_lossless_100000_40m_profile in the place of pg_lossless_100000_40m_profile_roce" in note


@pytest.mark.parametrize(
    ("planned", "interval", "robustness", "told"),
    [
        (Watchdog("drop", 400, 200), 200, 2, []),
        (Watchdog("drop", 400, 800), 400, 1, ["400 ms, and not after 800 ms as planned"]),
        (Watchdog("forward", 150, 150), 150, 1, ["drops, and does not forward as planned"]),
    ],
)
def test_cumulus_looks_as_often_as_the_watchdog_needs(
    planned: Watchdog, interval: int, robustness: int, told: list[str]
) -> None:
    written = Format.NVUE.write(replace(SETTINGS, watchdog=planned))
    lines = written.text.splitlines()
    assert f"nv set qos pfc-watchdog polling-interval {interval}" in lines
    assert f"nv set qos pfc-watchdog robustness {robustness}" in lines
    notes = [note for note in written.notes if "watchdog" in note]
    assert len(notes) == len(told)
    assert all(part in note for part, note in zip(told, notes, strict=True))


@pytest.mark.parametrize(
    ("lossless", "lossy", "percents"), [(9_000_000, 3_000_000, (76, 24)), (12_000_000, 0, (99, 1))]
)
def test_cumulus_has_memory_for_lossless_classes(lossless: int, lossy: int, percents: tuple[int, int]) -> None:
    """9,166,000 of 12,169,000 B with headroom and reserves are 75.3 %."""
    pools = replace(SETTINGS.pools, lossless_bytes=lossless, lossy_bytes=lossy)
    lines = body("nvue", replace(SETTINGS, pools=pools))
    assert [line.rpartition(" ")[2] for line in lines if "memory-percent" in line] == [str(one) for one in percents]


def test_cumulus_keeps_its_memory_and_watches_nothing_where_nothing_pauses() -> None:
    groups = tuple(replace(group, pause=None) for group in SETTINGS.groups)
    written = Format.NVUE.write(replace(SETTINGS, groups=groups, classes=(BEST_EFFORT,), headroom_scheme=None))
    assert "traffic-pool" not in written.text
    assert "watchdog" not in "".join([written.text, *written.notes])


@pytest.mark.parametrize("target", ["sonic", "eos", "nxos", "nvue"])
def test_marking_by_the_pool_is_told_and_never_written(target: str) -> None:
    plain, shared = Format(target).write(SETTINGS), Format(target).write(SHARED_ECN)
    assert shared.text == plain.text
    (note,) = set(shared.notes) - set(plain.notes)
    assert "ECN on the shared pool (K_min 1802000 B, K_max 2602000 B, P_max 10 %) is left out" in note
    assert "901000 B on each of 2 ports" in note


@pytest.mark.parametrize("target", ["sonic", "eos", "nxos", "nvue"])
@pytest.mark.parametrize(
    ("control", "part"), [("qcn", "the congestion point (802.1Qau)"), ("hpcc", "in-band telemetry")]
)
def test_what_congestion_control_needs_of_switches_is_told(target: str, control: str, part: str) -> None:
    export = Format(target).write(replace(SETTINGS, hosts=replace(ADAPTERS, congestion_control=control)))
    (note,) = [note for note in export.notes if "DCQCN in the hosts" in note]
    assert note.startswith(f"{part} for {control} is left out")


def test_a_fixed_pause_threshold_is_written_where_there_is_a_form() -> None:
    """QCN's inputs: paused at 110 kB of 150 kB, and resumed at 44 kB."""
    settings = replace(SETTINGS, groups=(replace(NEAR, pause=Pause(40_000, 110_000, 66_000)),))
    profiles = json.loads(Format.SONIC.write(settings).text)["BUFFER_PROFILE"]
    profile = profiles["pg_lossless_100000_40m_profile"]
    assert (profile["xoff"], profile["static_th"], profile["xon_offset"]) == ("40000", "110000", "66000")
    assert "dynamic_th" not in profile
    assert "    pause buffer-size 150000 pause-threshold 110000 resume-threshold 44000" in body("nxos", settings)
    assert [line for line in body("nvue", settings) if line.startswith("nv set qos pfc xoff-near ")][1:4] == [
        "nv set qos pfc xoff-near port-buffer 150000",
        "nv set qos pfc xoff-near xoff-threshold 110000",
        "nv set qos pfc xoff-near xon-threshold 44000",
    ]
    assert any("the pause at a fixed 110000 B is left out" in note for note in Format.EOS.write(settings).notes)


def test_what_dsh_keeps_for_a_port_becomes_a_shared_headroom_pool() -> None:
    settings = replace(SETTINGS, headroom_scheme="dsh")
    tables = json.loads(Format.SONIC.write(settings).text)
    assert tables["BUFFER_POOL"]["ingress_lossless_pool"]["xoff"] == "160000"
    assert any("guarantees no port its part" in note for note in Format.SONIC.write(settings).notes)


def test_eos() -> None:
    assert (
        body("eos")
        == """\
qos map dscp 0 to traffic-class 0
qos map dscp 26 to traffic-class 3
qos map dscp 48 to traffic-class 6
!
qos profile XOFF
   qos trust dscp
   priority-flow-control on
   priority-flow-control priority 3 no-drop
   !
   uc-tx-queue 3
      random-detect ecn minimum-threshold 150000 bytes maximum-threshold 1500000 bytes max-mark-probability 20 weight 0
      random-detect ecn count
!
platform trident mmu queue profile XOFF
   ingress reserved bytes 3000
   ingress headroom bytes 100000
   ingress priority-group 3 threshold 1/8
   egress unicast queue 0 threshold 1
   egress unicast queue 3 threshold 8
   egress unicast queue 6 threshold 1
platform trident mmu queue profile XOFF apply
!
interface Ethernet1
   service-profile XOFF
!
interface Ethernet2
   service-profile XOFF""".splitlines()
    )


def test_eos_has_no_memory_profile_for_other_chips() -> None:
    export = Format.EOS.write(replace(SETTINGS, chip="tomahawk"))
    assert "platform" not in export.text
    assert any("confirmed for Trident, not for tomahawk" in note for note in export.notes)


def test_nxos() -> None:
    # 9 MB for one class of two ports: 4.5 MB each; with 60,000 or 100,000 B of headroom; resumed two packets below.
    assert (
        body("nxos")
        == """\
class-map type qos match-any XOFF-roce
  match dscp 26
class-map type qos match-any XOFF-cnp6
  match dscp 48
policy-map type qos XOFF-CLASSES
  class XOFF-roce
    set qos-group 3
  class XOFF-cnp6
    set qos-group 6
  class class-default
    set qos-group 0
policy-map type queuing XOFF-OUT
  class type queuing c-out-8q-q3
    random-detect minimum-threshold 150 kbytes maximum-threshold 1500 kbytes drop-probability 20 weight 0 ecn
policy-map type network-qos XOFF-NETWORK
  class type network-qos c-8q-nq3
    pause pfc-cos 3
    mtu 1500
policy-map type queuing XOFF-IN-near
  class type queuing c-in-q3
    pause buffer-size 4560000 pause-threshold 4500000 resume-threshold 4497000
policy-map type queuing XOFF-IN-far
  class type queuing c-in-q3
    pause buffer-size 4600000 pause-threshold 4500000 resume-threshold 4497000
system qos
  service-policy type queuing output XOFF-OUT
  service-policy type network-qos XOFF-NETWORK
interface Ethernet1/1
  service-policy type qos input XOFF-CLASSES
  priority-flow-control mode on
  priority-flow-control watch-dog-interval on
  service-policy type queuing input XOFF-IN-near
interface Ethernet1/2
  service-policy type qos input XOFF-CLASSES
  priority-flow-control mode on
  priority-flow-control watch-dog-interval on
  service-policy type queuing input XOFF-IN-far""".splitlines()
    )


@pytest.mark.parametrize(
    ("ecn", "written"),
    [
        (Ecn(150_001, 150_400, 0.2), (150, 151)),
        (Ecn(600, 900, 0.2), (1, 2)),
        (Ecn(30_000, 30_000, 1.0), (30, 30)),
    ],
)
def test_a_ramp_stays_one_in_whole_kbytes(ecn: Ecn, written: tuple[int, int]) -> None:
    (line,) = [line for line in body("nxos", replace(SETTINGS, classes=(replace(ROCE, ecn=ecn),))) if "detect" in line]
    assert f"minimum-threshold {written[0]} kbytes maximum-threshold {written[1]} kbytes" in line


def test_ports_that_are_alike_have_one_policy() -> None:
    alike = replace(FAR, pause=NEAR.pause)
    text = Format.NXOS.write(replace(SETTINGS, groups=(NEAR, alike))).text
    assert text.count("policy-map type queuing XOFF-IN\n") == 1
    assert text.count("service-policy type queuing input XOFF-IN\n") == 2


def test_headroom_of_the_widest_port_for_all_is_told_with_what_it_takes() -> None:
    """Two ports with 60,000 and 100,000 B get 100,000 each; with 12 MB for the farther, 24 MB of 12 MiB."""
    (note,) = [note for note in Format.EOS.write(SETTINGS).notes if "largest of all ports" in note]
    assert note.endswith(
        "100,000 B, since one memory profile holds for the whole switch: 200,000 B in all, 40,000 B more than planned"
    )
    far = replace(FAR, pause=Pause(12_000_000, None, 3000))
    (note,) = [
        note for note in Format.EOS.write(replace(SETTINGS, groups=(NEAR, far))).notes if "largest of all ports" in note
    ]
    assert note.endswith("more than planned, 11,417,088 B more than the chip's 12,582,912 B")  # 24,000,000 less that


def test_buffers_of_all_queues_beyond_the_memory_are_told() -> None:
    """NX-OS has a buffer for each queue: 2 x 4.5 MB and 60,000 + 100,000 B fit; DSH's is one for each port."""
    assert not [note for note in Format.NXOS.write(SETTINGS).notes if "more than the chip" in note]
    small = replace(SETTINGS, memory_bytes=9_000_000)
    assert "buffer-size of all queues is 9,160,000 B together, 160,000 B more than the chip's 9,000,000 B" in (
        Format.NXOS.write(small).notes
    )


@pytest.mark.parametrize("target", ["sonic", "eos", "nxos", "nvue"])
def test_cnps_without_a_class_get_one(target: str) -> None:
    note = "CNPs (DSCP 48) have no class in the plan: they get priority 6, by the name cnp6"
    way_out = "congestion.cnp_priority, set to the priority of a class, gives them that one"
    assert f"{note}; {way_out}" in Format(target).write(SETTINGS).notes
    own = replace(BEST_EFFORT, name="cnp", priority=6, dscp=48)
    assert not [one for one in Format(target).write(replace(SETTINGS, classes=(ROCE, own))).notes if "CNPs" in one]


def test_cnps_that_share_a_lossless_class_are_told() -> None:
    hosts = replace(ADAPTERS, cnp_dscp=26, cnp_priority=3)
    export = Format.SONIC.write(replace(SETTINGS, hosts=hosts))
    assert "CNPs (DSCP 26) are of the lossless class roce: pauses hold them up, too" in export.notes
    assert json.loads(export.text)["DSCP_TO_TC_MAP"] == {"AZURE": {"0": "0", "26": "3"}}


def test_cnps_that_get_another_priority_than_planned_are_told() -> None:
    hosts = replace(ADAPTERS, cnp_dscp=0)
    note = "CNPs (DSCP 0) are of the class best_effort, whose dscp that is: they get priority 0, and not 6 as planned"
    assert note in Format.SONIC.write(replace(SETTINGS, hosts=hosts)).notes


@pytest.mark.parametrize(
    ("target", "own", "foreign"),
    [
        ("sonic", "Ethernet4", "swp1"),
        ("eos", "Ethernet1/1", "Ethernet0"),
        ("nxos", "Ethernet1/1", "Ethernet0"),
        ("nvue", "swp1s0", "Ethernet0"),
    ],
)
def test_names_that_a_system_cannot_have_are_told(target: str, own: str, foreign: str) -> None:
    def notes(*ports: str) -> list[str]:
        group = replace(NEAR, ports=ports)
        return [
            note for note in Format(target).write(replace(SETTINGS, groups=(group,))).notes if "as the plan" in note
        ]

    assert notes(own) == []
    (note,) = notes(foreign, "port7")
    assert note.startswith(f"{foreign} and 1 more, as the plan names ports, cannot be in ")


def test_counted_names_are_told() -> None:
    (note,) = [note for note in Format.NXOS.write(SETTINGS).notes if "counted" in note]
    assert note.startswith("ports are Ethernet1/1 to Ethernet1/2, counted as the plan has them; NX-OS calls them ")
    one = replace(SETTINGS, groups=(NEAR,))
    assert any(note.startswith("ports are Ethernet0, counted") for note in Format.SONIC.write(one).notes)


def test_sonic_counts_ports_by_their_lanes() -> None:
    """Two of eight lanes, one of four, and one of as many as nobody says."""
    groups = (replace(NEAR, ports=("Ethernet0", "Ethernet1"), step=8), replace(FAR, ports=("Ethernet2",), step=4))
    last = replace(FAR, name="last", ports=("Ethernet3",))
    settings = replace(SETTINGS, groups=(*groups, last))
    tables = json.loads(Format.SONIC.write(settings).text)
    names = ["Ethernet0", "Ethernet8", "Ethernet16", "Ethernet20"]
    assert list(tables["PORT"]) == list(tables["CABLE_LENGTH"]["AZURE"]) == list(tables["PORT_QOS_MAP"]) == names
    assert tables["BUFFER_PG"]["Ethernet20|3"] == {"profile": "pg_lossless_100000_300m_profile"}
    assert "interface Ethernet1/4" in Format.NXOS.write(settings).text, "others count them one by one"
    named = replace(SETTINGS, groups=(replace(NEAR, ports=("Ethernet4",), step=8),))
    assert list(json.loads(Format.SONIC.write(named).text)["PORT"]) == ["Ethernet4"]


def test_nvue() -> None:
    assert (
        body("nvue")
        == """\
nv set qos mapping default-global trust l3
nv set qos mapping default-global dscp 0 switch-priority 0
nv set qos mapping default-global dscp 26 switch-priority 3
nv set qos mapping default-global dscp 48 switch-priority 6
nv set qos congestion-control xoff traffic-class 3 ecn enable
nv set qos congestion-control xoff traffic-class 3 red disable
nv set qos congestion-control xoff traffic-class 3 min-threshold 150000
nv set qos congestion-control xoff traffic-class 3 max-threshold 1500000
nv set qos congestion-control xoff traffic-class 3 probability 20
nv set qos traffic-pool default-lossless memory-percent 76
nv set qos traffic-pool default-lossy memory-percent 24
nv set qos pfc xoff-near switch-priority 3
nv set qos pfc xoff-near cable-length 40
nv set qos pfc xoff-near rx enable
nv set qos pfc xoff-near tx enable
nv set interface swp1 qos congestion-control profile xoff
nv set interface swp1 qos pfc profile xoff-near
nv set interface swp1 qos pfc-watchdog state enable
nv set qos pfc xoff-far switch-priority 3
nv set qos pfc xoff-far cable-length 300
nv set qos pfc xoff-far rx enable
nv set qos pfc xoff-far tx enable
nv set interface swp2 qos congestion-control profile xoff
nv set interface swp2 qos pfc profile xoff-far
nv set interface swp2 qos pfc-watchdog state enable
nv config apply""".splitlines()
    )


def test_nxos_shares_what_headroom_of_each_queue_leaves_where_the_plan_shares_headroom() -> None:
    """A byte of headroom that the plan has once and NX-OS for each of two classes is none of the pool."""
    storage = replace(ROCE, priority=4)
    both = replace(SETTINGS, classes=(BEST_EFFORT, ROCE, storage))
    sih = replace(both, pools=replace(SETTINGS.pools, headroom_bytes=320_000))
    dsh = replace(both, headroom_scheme="dsh", pools=replace(SETTINGS.pools, lossless_bytes=9_160_000))
    pauses = {
        line.split("pause-threshold ")[1] for one in (sih, dsh) for line in body("nxos", one) if "buffer-size" in line
    }
    assert {pause.split()[0] for pause in pauses} == {str(9_000_000 // 4)}


def test_hosts_with_roce() -> None:
    assert body("host")[3:] == [
        'mlnx_qos -i "$device" --trust dscp --pfc 0,0,0,1,0,0,0,0 --cable_len 300',
        'mlnx_qos -i "$device" --dscp2prio set,26,3',
        'roce="$(ls "/sys/class/net/$device/device/infiniband")"',
        'cma_roce_tos -d "$roce" -t 106',
        'echo 106 > "/sys/class/infiniband/$roce/tc/1/traffic_class"',
        'echo 48 > "/sys/class/net/$device/ecn/roce_np/cnp_dscp"',
        'echo 50 > "/sys/class/net/$device/ecn/roce_np/min_time_between_cnps"',
        'echo 1020 > "/sys/class/net/$device/ecn/roce_rp/dce_tcp_g"',
    ]


def test_hosts_with_roce_increase_as_planned() -> None:
    hosts = replace(ADAPTERS, additive_increase_mbps=400, timer_us=55)
    written = Format("host").write(replace(SETTINGS, hosts=hosts))
    assert written.text.splitlines()[-2:] == [
        'echo 400 > "/sys/class/net/$device/ecn/roce_rp/rpg_ai_rate"',
        'echo 55 > "/sys/class/net/$device/ecn/roce_rp/rpg_time_reset"',
    ]
    assert "rpg_hai_rate: left at the firmware's defaults, which are not the paper's" in written.notes


def test_hosts_map_every_lossless_class_and_what_adapters_would_map_otherwise() -> None:
    storage, control = replace(ROCE, priority=4, dscp=46), replace(BEST_EFFORT, priority=6, dscp=10)
    lines = body("host", replace(SETTINGS, classes=(BEST_EFFORT, ROCE, storage, control)))
    assert [line.split()[-1] for line in lines if "dscp2prio" in line] == ["set,26,3", "set,46,4", "set,10,6"]
    assert "--pfc 0,0,0,1,1,0,0,0" in lines[3]


def test_an_adapter_marks_for_one_lossless_class_and_applications_for_several() -> None:
    storage = replace(ROCE, name="storage", priority=4, dscp=34)
    script = Format.HOST.write(replace(SETTINGS, classes=(BEST_EFFORT, ROCE, storage)))
    assert "cma_roce_tos" not in script.text
    assert "traffic_class" not in script.text
    (note,) = [note for note in script.notes if note.startswith("applications mark")]
    assert note.endswith(": 26 for roce, 34 for storage")


def test_hosts_with_dctcp() -> None:
    marked = replace(BEST_EFFORT, ecn=Ecn(30_000, 30_000, 1.0))
    hosts = HostSettings("dctcp", 0, 0, 1 / 16, None, None)
    assert body("host", replace(SETTINGS, classes=(marked, ROCE), hosts=hosts))[2:] == [
        "sysctl -w net.ipv4.tcp_congestion_control=dctcp",
        "sysctl -w net.ipv4.tcp_ecn=1",
        "sysctl -w net.ipv4.tcp_ecn_fallback=0",
        "echo 4 > /sys/module/tcp_dctcp/parameters/dctcp_shift_g",
        "# tc qdisc add dev DEVICE root red limit 1000000 min 30000 max 31500 avpkt 1500 burst 21 probability 1 ecn",
    ]


@pytest.mark.parametrize(
    ("algorithm", "written", "told"),
    [
        (
            "dctcp",
            "echo 10 > /sys/module/tcp_dctcp/parameters/dctcp_shift_g",
            "1/1024, a power of two, the least that Linux takes",
        ),
        ("dcqcn", 'echo 1023 > "/sys/class/net/$device/ecn/roce_rp/dce_tcp_g"', "1/1024"),
    ],
)
def test_a_gain_is_no_finer_than_hosts_take(algorithm: str, written: str, told: str) -> None:
    hosts = HostSettings(algorithm, 3, 26, 1 / 4096, None, None)
    export = Format.HOST.write(replace(SETTINGS, hosts=hosts))
    assert written in export.text
    assert f"gain {1 / 4096:g} is written as {told}" in export.notes


def test_the_queue_of_a_low_threshold_has_smaller_packets() -> None:
    """`tc` finds no weight for an average packet above the threshold: half of 2000 B, and one of these for the ramp."""
    marked = replace(BEST_EFFORT, ecn=Ecn(2000, 2000, 1.0))
    hosts = HostSettings("dctcp", 0, 0, 1 / 16, None, None)
    line = body("host", replace(SETTINGS, classes=(marked, ROCE), hosts=hosts))[-1]
    assert line.endswith("red limit 1000000 min 2000 max 3000 avpkt 1000 burst 3 probability 1 ecn")


def test_hosts_with_tcp_need_no_name_of_a_device() -> None:
    assert "device=" in Format.HOST.write(SETTINGS).text
    assert "device" not in Format.HOST.write(replace(SETTINGS, hosts=replace(ADAPTERS, congestion_control="reno"))).text


@pytest.mark.parametrize(
    ("target", "written", "told"),
    [
        ("eos", "minimum-threshold 1 bytes maximum-threshold 2 bytes", "written as 1 B, the least of EOS"),
        ("nvue", "min-threshold 1", "written as 1 B, the least of Cumulus Linux"),
    ],
)
def test_a_threshold_of_no_bytes_is_written_as_one(target: str, written: str, told: str) -> None:
    export = Format(target).write(replace(SETTINGS, classes=(replace(ROCE, ecn=Ecn(0, 2, 0.2)),)))
    assert written in export.text
    assert f"class roce: a threshold of 0 B is {told}" in export.notes


@pytest.mark.parametrize(("alpha", "written", "told"), [(16.0, "8", "largest"), (1 / 256, "1/128", "least")])
def test_eos_has_fewer_alphas_than_sonic(alpha: float, written: str, told: str) -> None:
    settings = replace(SETTINGS, classes=(replace(ROCE, alpha=alpha),))
    export = Format.EOS.write(settings)
    assert f"   ingress priority-group 3 threshold {written}\n" in export.text
    assert f"class roce: alpha {alpha:g} is written as {written}, the {told} there is" in export.notes
    assert not any("alpha" in note and "written as" in note for note in Format.SONIC.write(settings).notes)


def test_cumulus_resumes_at_one_byte_or_more() -> None:
    export = Format.NVUE.write(replace(SETTINGS, groups=(replace(NEAR, pause=Pause(40_000, 110_000, 110_000)),)))
    assert "nv set qos pfc xoff-near xon-threshold 1\n" in export.text
    assert "near: senders resume at 1 B, the least of Cumulus Linux, and not at 0 B" in export.notes


@pytest.mark.parametrize(
    ("target", "written", "told"),
    [
        ("nvue", "cable-length 100000\n", "120,000 m is written as 100,000 m, the most of Cumulus Linux"),
        ("host", "--cable_len 65535\n", "120,000 m is written as 65,535 m, the most of mlnx_qos"),
    ],
)
def test_a_cable_is_as_long_as_there_is_a_number_for_it(target: str, written: str, told: str) -> None:
    export = Format(target).write(replace(SETTINGS, groups=(replace(NEAR, cable_m=120_000.0),)))
    assert written in export.text
    assert any(told in note for note in export.notes)


@pytest.mark.parametrize(
    ("pause", "written", "told"),
    [
        (
            Pause(600_000, 20_000_000, 3000),
            "buffer-size 12582913 pause-threshold 11982913 resume-threshold 11979913",
            "buffer-size 20,600,000 B is written as 12,582,913 B, the most of NX-OS, and pause-threshold 20,000,000 B "
            "as 11,982,913 B",
        ),
        (
            Pause(13_000_000, 1000, 0),
            "buffer-size 12582913 pause-threshold 0 resume-threshold 0",
            "buffer-size 13,001,000 B is written as 12,582,913 B, the most of NX-OS, and pause-threshold 1,000 B as "
            "0 B: headroom, 13,000,000 B, does not fit",
        ),
        (
            Pause(1500, 2000, 0),
            "buffer-size 5000 pause-threshold 2000 resume-threshold 2000",
            "buffer-size 3,500 B is written as 5,000 B, the least of NX-OS",
        ),
    ],
)
def test_buffers_are_as_large_as_nxos_takes_them(pause: Pause, written: str, told: str) -> None:
    export = Format.NXOS.write(replace(SETTINGS, groups=(replace(NEAR, pause=pause),)))
    assert f"    pause {written}\n" in export.text
    assert told in export.notes


@pytest.mark.parametrize("mtu", [575, 9217])
def test_an_mtu_that_nxos_lacks_is_left_out(mtu: int) -> None:
    export = Format.NXOS.write(replace(SETTINGS, mtu_bytes=mtu))
    assert "mtu" not in export.text
    (note,) = [note for note in export.notes if "mtu" in note]
    assert note == f"mtu is left out: the plan's headroom is for packets of {mtu:,} B, and NX-OS takes 576 to 9,216"


def test_marks_of_ports_of_one_rate_have_names_that_sonic_takes() -> None:
    """A point is in no name, and 32 characters are the most."""
    slow = replace(NEAR, rate_bps=2_500_000_000, ecn=((3, Ecn(1000, 2000, 0.1)),))
    for name, written in (("roce", "ROCE_2500M"), (30 * "r", "3_2500M")):
        settings = replace(SETTINGS, groups=(slow, FAR), classes=(replace(ROCE, name=name),))
        text = Format.SONIC.write(settings).text
        assert set(json.loads(text)["WRED_PROFILE"]) == {name.upper(), written}
        assert ConfigFile.parse("t.json", text).invalid == ()


def test_names_of_the_plan_are_kept() -> None:
    named = replace(NEAR, ports=("swp7",))
    assert any(line.startswith("nv set interface swp7 ") for line in body("nvue", replace(SETTINGS, groups=(named,))))


def test_what_is_rounded_is_told() -> None:
    odd = replace(ROCE, alpha=0.3, ecn=Ecn(150_000, 1_500_000, 0.005))
    notes = Format.SONIC.write(replace(SETTINGS, classes=(BEST_EFFORT, odd))).notes
    assert "class roce: alpha 0.3 is written as 1/4, a power of two" in notes
    assert "class roce: probability 0.5 % is written as 1 %, whole percent" in notes


def test_alphas_are_the_nearest_power_of_two_that_switches_have() -> None:
    alphas = (Fraction(1, 16), Fraction(1, 3), Fraction(8), Fraction(1, 1024), Fraction(1000))
    assert [exponent(float(alpha)) for alpha in alphas] == [-4, -2, 3, -8, 7]


def test_numbers_in_a_row_are_a_range() -> None:
    assert ranges({3, 4, 0, 6, 5}) == ["0", "3-6"]


def test_cables_of_one_length_with_different_headroom_have_profiles_of_their_own() -> None:
    far = replace(FAR, cable_m=NEAR.cable_m)
    tables = json.loads(Format.SONIC.write(replace(SETTINGS, groups=(NEAR, far))).text)
    profiles = {name: row["xoff"] for name, row in tables["BUFFER_PROFILE"].items() if name.startswith("pg_lossless")}
    assert profiles == {
        "pg_lossless_100000_40m_profile_near": "60000",
        "pg_lossless_100000_40m_profile_far": "100000",
    }


def test_whole_percent_need_no_note() -> None:
    ecn = Ecn(150_000, 1_500_000, 0.07)
    settings = replace(SETTINGS, classes=(BEST_EFFORT, replace(ROCE, ecn=ecn)))
    assert not [note for note in Format.SONIC.write(settings).notes if "whole percent" in note]
