"""Wrong plans are one line that names file, key and remedy."""

from fractions import Fraction

import pytest

from xoff.errors import PlanError
from xoff.switches.plan.file import parse
from xoff.switches.plan.outcome import outcome

GOOD = """\
title = "A plan"
chip = "tomahawk"
[[ports]]
count = 32
rate = "100Gbps"
cable = "40m"
[[class]]
name = "rdma"
priorities = [3]
lossless = true
[headroom]
method = "ieee"
[congestion]
scheme = "dcqcn"
beta = 8
[printed]
t_pfc = "1kB"
"""


@pytest.mark.parametrize(
    ("was", "now", "says"),
    [
        ('"tomahawk"', '"tomahwak"', 'chip: there is no chip "tomahwak"; did you mean tomahawk'),
        (
            '"tomahawk"',
            '"silicon_one_g100"',
            "chip: the memory of silicon_one_g100 is not public; expected memory beside it",
        ),
        ('"tomahawk"', '"xyz"', 'chip: there is no chip "xyz"; `xoff list chips` names them'),
        ('"40m"', '"-40m"', 'ports[0].cable: "-40m" is negative; expected a length with its unit (cm, m, km)'),
        ('"40m"', '"40"', 'ports[0].cable: "40" has no unit; expected a length'),
        ('"40m"', "40", "ports[0].cable: 40 is not a length; expected a length"),
        ('method = "ieee"', 'size = "0B"', 'headroom.size: "0B" is not allowed; expected a value greater than 0'),
        ('cable = "40m"', 'delay = "-1us"', 'ports[0].delay: "-1us" is negative; expected a time'),
        ('cable = "40m"', "", "ports[0]: has neither cable nor delay; expected one of them"),
        ('cable = "40m"', 'cable = "40m"\ndelay = "1us"', "ports[0]: has both cable and delay; expected one of them"),
        ('"100Gbps"', "100", "ports[0].rate: 100 has no unit; expected a rate"),
        ('"100Gbps"', '"400Gbps"', "ports[0].rate: 400 Gb/s, and ports of tomahawk have 100 Gb/s; expected at most"),
        ("count = 32", 'count = "many"', 'ports[0].count: "many" is not allowed; expected a whole number'),
        ("count = 32", "count = 0", "ports[0].count: 0 is not allowed; expected a value greater than or equal to 1"),
        (
            "count = 32",
            "count = 1000000000000",
            "ports[0].count: 1,000,000,000,000 ports do not fit tomahawk, which has 32",
        ),
        (
            '"100Gbps"',
            '"1bps"',
            'ports[0].rate: "1bps" is not allowed; expected a value greater than or equal to 1000000',
        ),
        ("beta = 8", 'minimum = "1us"', 'congestion.minimum: "1us" is a time, not a size; expected a size'),
        (
            'scheme = "dcqcn"\nbeta = 8',
            'scheme = "qcn"\nbuffer = "100kB"\nstop = "110kB"\ngo = "44kB"',
            "congestion: stop, 110,000 B, is not below buffer, 100,000 B; expected go below stop",
        ),
        ("[[class]]", "[class]", "class: a table is not allowed; expected a list"),
        (
            'chip = "tomahawk"',
            'chip = "tomahawk"\nmmus = 33',
            "mmus: 33 parts of memory for 32 ports of tomahawk; expected",
        ),
        (
            'chip = "tomahawk"',
            'chip = "tomahawk"\nmemory = "0B"',
            'memory: "0B" is not allowed; expected a value greater',
        ),
        (
            'chip = "tomahawk"',
            'chip = "tomahawk"\nmtu = "67B"',
            "mtu: no link carries IP in packets of 67 B at the most; ",
        ),
        (
            "100Gbps",
            "60Gbps",
            "ports[0].rate: no Ethernet has 60 Gb/s; expected a rate of IEEE 802.3, such as 50 or 100",
        ),
        (
            "100Gbps",
            "2.6Gbps",
            "ports[0].rate: no Ethernet has 2.6 Gb/s; expected a rate of IEEE 802.3, such as 2.5 or 5",
        ),
        ("count = 32", "count = 33", "ports: 33 ports of 3,300 Gb/s together do not fit tomahawk"),
        ("count = 32", 'names = ["a"]\nstep = 4', "ports[0]: has names and a step between names; expected one of them"),
        (
            "count = 32",
            "count = 32\nstep = 0",
            "ports[0].step: 0 is not allowed; expected a value greater than or equal to",
        ),
        ("count = 32", 'names = ["a", "a"]', "ports: name a twice; expected each port once"),
        ("count = 32", 'count = 3\nnames = ["a"]', "ports[0]: names 1 ports and counts 3; expected one of"),
        (
            'cable = "40m"',
            'cable = "40m"\nstep = 4\n[[ports]]\nname = "up"\nnames = ["Ethernet128"]\ncable = "5m"',
            "ports: are counted by a step in ports and named in up; expected names in all groups or in none",
        ),
        ("[3]", "[]", "class[0].priorities: has 0 entries; expected at least 1 entry"),
        ("[3]", "[8]", "class[0].priorities[0]: 8 is not allowed; expected a value less than or equal to 7"),
        ("[3]", "[3, 3]", "class: has priority 3 twice; expected each in one class"),
        ("[3]", "[3, 4]\ndscp = 26", "class[0]: has one dscp for 2 priorities; expected a class for each"),
        (
            "[[class]]",
            '[[class]]\nname = "a"\npriorities = [0]\ndscp = 24\n[[class]]',
            "class: has dscp 24 twice; expected",
        ),
        ("[[class]]", '[[class]]\nname = "RDMA"\npriorities = [0]\n[[class]]', "class: has a class called rdma twice"),
        ('"rdma"', '"not a name"', 'class[0].name: "not a name" is not allowed; expected text to match pattern'),
        (
            "[[ports]]",
            '[[ports]]\ncount = 1\ncable = "1m"\n[[ports]]',
            "ports: has a group called ports twice; expected names",
        ),
        (
            "[[ports]]",
            '[[ports]]\nname = "a b"\ncount = 1\ncable = "1m"\n[[ports]]\nname = "a-b"',
            "ports: has a group called a-b twice; expected names that differ in letters or digits",
        ),
        (
            'method = "ieee"',
            'method = "iee"',
            "headroom.method: \"iee\" is not allowed; expected 'published', 'ieee', 'wire'",
        ),
        ('method = "ieee"', "methd = 1", "headroom.methd: there is no such key; expected method"),
        ('method = "ieee"', "ratio = 0.5", 'headroom: has a ratio without scheme = "oversubscribed"; expected both'),
        ('method = "ieee"', 'scheme = "oversubscribed"', "headroom: is oversubscribed by no ratio; expected both"),
        ('scheme = "dcqcn"', 'scheme = "dcqn"', "congestion.scheme: there is no such scheme; expected one of bcc"),
        ('scheme = "dcqcn"', "", "congestion.scheme: is missing; expected one of bcc"),
        (
            "beta = 8",
            "beta = true",
            'congestion.beta: true is not allowed; expected a number, or a fraction such as "1/',
        ),
        (
            "beta = 8",
            'beta = 8\n[watchdog]\ndetection_time = "50ms"',
            "watchdog.detection_time: no switch takes 50 ms; expected 100ms to 5s",
        ),
        ("beta = 8", 'beta = 8\n[watchdog]\nrestoration_time = "90s"', "expected 100ms to 60s"),
        ("beta = 8", "beta = -1", 'congestion.beta: -1 is negative; expected a number, or a fraction such as "1/16"'),
        ("beta = 8", 'beta = "-1"', 'congestion.beta: "-1" is negative; expected a number, or a fraction'),
        ("beta = 8", 'beta = "1/0"', 'congestion.beta: "1/0" is not a fraction; expected a number, or a fraction'),
        ("beta = 8", 'probability = "0.5"', 'congestion.probability: "0.5" is not allowed; expected a number'),
        ("lossless = true", 'lossless = "yes"', 'class[0].lossless: "yes" is not allowed; expected true or false'),
        ("lossless = true", "lossless = 1", "class[0].lossless: 1 is not allowed; expected true or false"),
        ("count = 32", 'count = "32"', 'ports[0].count: "32" is not allowed; expected a whole number'),
        ("count = 32", "count = true", "ports[0].count: true is not allowed; expected a whole number"),
        ("[3]", '["3"]', 'class[0].priorities[0]: "3" is not allowed; expected a whole number'),
        ("beta = 8", "beta = nan", "congestion.beta: nan is no number; expected a finite one"),
        ("beta = 8", "betta = 8", "congestion.betta: there is no such key; expected beta"),
        ("beta = 8", 'minimum = "300kB"', "congestion: maximum, 200,000 B, is not above minimum, 300,000 B"),
        ('t_pfc = "1kB"', 't_pcf = "1kB"', "printed.t_pcf: is no row of this plan; expected a key of"),
        ('t_pfc = "1kB"', 't_pfc = "1us"', 'printed.t_pfc: "1us" is no number in one of B, kB'),
        ('title = "A plan"', "", "title: is missing; expected a value: title of the plan"),
        ('title = "A plan"', "title = ", "plan.toml: "),
    ],
)
def test_a_wrong_plan(was: str, now: str, says: str) -> None:
    assert was in GOOD
    with pytest.raises(PlanError) as raised:
        outcome(parse(GOOD.replace(was, now), "plan.toml"), "plan.toml")
    line = str(raised.value)
    assert line.startswith("plan.toml: ")
    assert says in line
    assert "; " in line
    assert "\n" not in line


def test_tables_that_are_missing_are_told_with_what_they_are() -> None:
    without_class, *_ = GOOD.partition("[[class]]")
    with pytest.raises(PlanError, match=r"^class: is missing; expected a table \[\[class\]\]: classes of traffic$"):
        parse(without_class)


def test_the_plan_itself_is_right() -> None:
    found = outcome(parse(GOOD))
    assert found.plan.ports[0].delay_ps == 202_021  # 40 m at 0.66 c, rounded up
    assert found.plan.congestion is not None
    assert found.settings.groups[0].cable_m == 40


def test_a_delay_says_how_long_the_cable_is() -> None:
    plan = parse(GOOD.replace('cable = "40m"', 'delay = "1.5us"'))
    assert plan.ports[0].cable_m == Fraction(297)  # at 0.66 c


@pytest.mark.parametrize("rate", ["10Mbps", "2.5Gbps", "10Gbps", "25Gbps", "50Gbps", "100Gbps"])
def test_every_rate_of_ethernet_is_one_of_a_plan(rate: str) -> None:
    assert parse(GOOD.replace("100Gbps", rate)).ports[0].rate is not None


def test_lanes_of_ports_are_those_of_their_settings() -> None:
    (group,) = outcome(parse(GOOD.replace("count = 32", "count = 32\nstep = 4"))).settings.groups
    assert (group.step, group.ports[:2]) == (4, ("Ethernet0", "Ethernet1"))
    assert outcome(parse(GOOD)).settings.groups[0].step == 1


def test_ports_of_a_port() -> None:
    """A port of 100 Gb/s can be split into four."""
    split = GOOD.replace("count = 32", "count = 128").replace("100Gbps", "25Gbps")
    assert len(outcome(parse(split)).settings.groups[0].ports) == 128
    with pytest.raises(PlanError, match="do not fit tomahawk"):
        outcome(parse(split.replace("128", "129").replace("25Gbps", "10Gbps")))
