"""Every wrong input is one line that names file, key and remedy; status 2; nothing is written."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from conftest import SMALL, Outcome

Command = Callable[..., Outcome]

POISSON = SMALL.split("[[workload]]")[0] + (
    '[[workload]]\nkind = "poisson"\ntransport = "dctcp"\nsizes = "web_search"\nload = 0.5\nof = "host"\n'
    '[stop]\narrivals_end = "1ms"\n'
)
TRACE = SMALL.split("[[workload]]")[0] + '[[workload]]\nkind = "trace"\ntransport = "dctcp"\nfile = "flows.csv"\n'
SIZES = POISSON.replace('"web_search"', '"sizes.csv"')
CUSTOM = SMALL.replace(
    'kind = "star"\nhosts = 4\nhost_link = { rate = "10Gbps", delay = "1us" }\n',
    'kind = "custom"\nhosts = ["host0", "host1", "host2", "host3"]\nswitches = ["switch0", "lone"]\nlinks = [LINKS]\n',
)
INPUTS = SMALL.replace(
    SMALL[SMALL.index("[[switch]]") : SMALL.index("[transport")],
    '[[switch]]\nkind = "cioq"\ninput = { buffer = "60kB" }\noutput = { buffer = "20kB" }\n',
)
HEADER = "source,destination,size_bytes,start_ns,priority\n"


def links(*pairs: tuple[str, str]) -> str:
    """The hand-made scenario with these links."""
    rows = [f'{{ between = ["{one}", "{other}"], rate = "10Gbps", delay = "1us" }}' for one, other in pairs]
    return CUSTOM.replace("LINKS", ", ".join(rows))


def link_event(*keys: str, at: str = "50us", between: str = '["host1", "switch0"]') -> str:
    """A change of a link with these keys."""
    return "\n".join(["", "[[link_event]]", f'at = "{at}"', f"between = {between}", *keys, ""])


def scale_up(*keys: str) -> str:
    """Servers with these keys."""
    return "\n".join(["", "[scale_up]", 'link = { rate = "900Gbps", delay = "100ns" }', *keys, ""])


def slow_receiver(*keys: str, hosts: str = '["host1"]') -> str:
    """A table about an adapter with these keys."""
    return "\n".join(["", "[[slow_receiver]]", f"hosts = {hosts}", *keys, ""])


def marking(keys: str) -> str:
    """The scenario with another marker."""
    return SMALL.replace('queue = { kind = "threshold", threshold = "30kB" }', keys)


class Wrong(NamedTuple):
    """A wrong input and what its line must hold."""

    scenario: str
    key: str
    says: tuple[str, ...]
    files: dict[str, str] = {}  # noqa: RUF012 never changed


WRONG = {
    "not toml": Wrong("title = ", "line 1", ()),
    "unknown key": Wrong(SMALL.replace("fan_in = 2", "fan_inn = 2"), "workload[0].fan_inn", ("`fan_in`",)),
    "unknown algorithm": Wrong(
        SMALL.replace('algorithm = "dctcp"', 'algorithm = "dctpc"'),
        "transport.dctcp.congestion_control.algorithm",
        ("dctcp",),
    ),
    "arrivals after the longest run": Wrong(
        POISSON.replace('arrivals_end = "1ms"', 'arrivals_end = "1200s"'), "stop.arrivals_end", ("too late", "1125s")
    ),
    "missing unit": Wrong(SMALL.replace('"50kB"', "50000"), "workload[0].size", ("no unit", "kB")),
    "unit of the wrong kind": Wrong(
        SMALL.replace('rate = "10Gbps"', 'rate = "10us"'), "topology.host_link.rate", ("is a time", "expected a rate")
    ),
    "negative rate": Wrong(
        SMALL.replace('rate = "10Gbps"', 'rate = "-10Gbps"'), "topology.host_link.rate", ("negative",)
    ),
    "zero rate": Wrong(SMALL.replace('rate = "10Gbps"', 'rate = "0Gbps"'), "topology.host_link.rate", ("expected",)),
    "load of zero": Wrong(POISSON.replace("0.5", "0.0"), "workload[0].load", ("above 0",)),
    "load above one": Wrong(POISSON.replace("0.5", "1.5"), "workload[0].load", ("at most 1",)),
    "distribution not increasing": Wrong(
        SIZES, "line 4", ("sizes.csv",), {"sizes.csv": "size_bytes,cumulative_probability\n1,0\n10,0.6\n20,0.5\n30,1\n"}
    ),
    "distribution missing": Wrong(SIZES, "workload[0].sizes", ("sizes.csv", "no such file")),
    "unknown distribution": Wrong(POISSON.replace("web_search", "web_serch"), "workload[0].sizes", ("web_search",)),
    "host that does not exist": Wrong(SMALL.replace('"host0"', '"host9"'), "workload[0].receivers[0]", ("host9",)),
    "class drawn twice": Wrong(
        POISSON.replace("load =", "priority = [1, 1]\nload ="), "workload[0].priority[1]", ("once",)
    ),
    "group without hosts": Wrong(
        POISSON.replace("load =", 'senders = ["lost*"]\nload ='), "workload[0].senders[0]", ("lost*",)
    ),
    "failed link that is not there": Wrong(
        SMALL.replace("hosts = 4", 'hosts = 4\nfailed_links = [["host1", "switch1"]]'),
        "topology.failed_links[0]",
        ('"switch0"?',),
    ),
    "failures that cut a host off": Wrong(
        SMALL.replace("hosts = 4", 'hosts = 4\nfailed_links = [["host1", "switch0"]]'),
        "topology.failed_links",
        ("host1",),
    ),
    "link event without a change": Wrong(SMALL + link_event(), "link_event[0]", ("state", "rate")),
    "link event at the time of another": Wrong(
        SMALL + link_event('state = "down"') + link_event('state = "up"'), "link_event[1]", ("when link_event[0] does",)
    ),
    "link event of no link": Wrong(
        SMALL + link_event('state = "down"', between='["host1", "host2"]'), "link_event[0].between", ("host1", "host2")
    ),
    "link that comes up and is up": Wrong(SMALL + link_event('state = "up"'), "link_event[0].state", ("up already",)),
    "link that fails for good": Wrong(SMALL + link_event('state = "down"'), "link_event[0]", ("host1", "stop.at")),
    "rate of a host's link": Wrong(SMALL + link_event('rate = "1Gbps"'), "link_event[0].rate", ("host1", "switches")),
    "link event later than any run": Wrong(
        SMALL + link_event('state = "down"', at="2000s"), "link_event[0].at", ("1125s",)
    ),
    "two events of a link at a time": Wrong(
        SMALL + link_event('state = "down"') + link_event('state = "up"'),
        "link_event[1]",
        ("link_event[0]", "another time"),
    ),
    "link event at a switch with queues at its inputs": Wrong(
        INPUTS + link_event('state = "down"'), "link_event", ("switch0", "shared_memory")
    ),
    "servers that do not divide the hosts": Wrong(
        SMALL + scale_up("hosts_per_server = 7"), "scale_up.hosts_per_server", ("7", "hosts", "scale_up.stride")
    ),
    "server of one host": Wrong(SMALL + scale_up("hosts_per_server = 1"), "scale_up.hosts_per_server", ("at least 2",)),
    "route into a server": Wrong(
        links(*((f"host{host}", "switch0") for host in range(4)), ("switch0", "lone"))
        + scale_up("hosts_per_server = 2")
        + '[[route]]\nswitch = "lone"\nto = "server0"\nvia = "switch0"\n',
        "route[0].to",
        ("no way", "server0"),
    ),
    "servers without a link": Wrong(SMALL + "[scale_up]\nhosts_per_server = 2\n", "scale_up.link", ("missing",)),
    "slow receiver that is no host": Wrong(
        SMALL + slow_receiver('rate = "1Gbps"', hosts='["hsot1"]'), "slow_receiver[0].hosts[0]", ("hsot1", "host1")
    ),
    "slow receiver that takes in nothing for good": Wrong(
        SMALL + slow_receiver(), "slow_receiver[0].end", ("`rate`", "stop.at")
    ),
    "slow receiver that is not slow": Wrong(
        SMALL + slow_receiver('rate = "100Gbps"'), "slow_receiver[0].rate", ("host1", "10Gbps")
    ),
    "slow receiver that ends before it starts": Wrong(
        SMALL + slow_receiver('start = "5us"', 'end = "5us"'), "slow_receiver[0].end", ("later",)
    ),
    "slow receiver later than any run": Wrong(
        SMALL + slow_receiver('rate = "1Gbps"', 'start = "2000s"'), "slow_receiver[0].start", ("1125s",)
    ),
    "workload later than any run": Wrong(
        SMALL.replace("groups = 10", 'groups = 10\nstart = "1126s"'), "workload[0].start", ("too late", "1125s")
    ),
    "checks so rare that Ctrl-C waits": Wrong(SMALL + '[stop]\nperiod = "1s"\n', "stop.period", ("Ctrl-C", "10ms")),
    "file with a null byte in its name": Wrong(
        TRACE.replace("flows.csv", "flows\\u0000.csv"), "workload[0].file", ("null byte",)
    ),
    "trace without a flow": Wrong(TRACE, "workload[0].file", ("flows.csv", "no flow"), {"flows.csv": HEADER}),
    "slow receiver without room for a packet": Wrong(
        SMALL + slow_receiver('rate = "1Gbps"', 'buffer = "100B"'), "slow_receiver[0].buffer", ("packet of",)
    ),
    "slow receiver with XON below nothing": Wrong(
        SMALL + slow_receiver('rate = "1Gbps"', 'buffer = "9kB"', 'xon_offset = "10kB"'),
        "slow_receiver[0].xon_offset",
        ("9kB",),
    ),
    "slow receiver with less room the second time": Wrong(
        SMALL
        + slow_receiver('rate = "1Gbps"', 'end = "1ms"')
        + slow_receiver('start = "2ms"', 'end = "3ms"', 'buffer = "20kB"'),
        "slow_receiver[1].buffer",
        ("host1", "slow_receiver[0]", "the same buffer"),
    ),
    "slow receiver twice at once": Wrong(
        SMALL + slow_receiver('rate = "1Gbps"') + slow_receiver('start = "5us"', 'end = "9us"', hosts='["host*"]'),
        "slow_receiver[1].start",
        ("host1", "slow_receiver[0]"),
    ),
    "watchdog of an unknown action": Wrong(
        SMALL + '\n[pfc.watchdog]\naction = "alert"\n', "pfc.watchdog.action", ("drop", "forward")
    ),
    "watchdog without a lossless class": Wrong(SMALL + "\n[pfc.watchdog]\n", "pfc.watchdog", ("lossless",)),
    "watchdog at a switch with queues at its inputs": Wrong(
        INPUTS + "\n[pfc.watchdog]\n", "pfc.watchdog", ("switch0", "shared_memory")
    ),
    "flow from a host to itself": Wrong(
        TRACE, "line 3", ("flows.csv", "host1"), {"flows.csv": HEADER + "host0,host1,5,0,0\nhost1,host1,5,0,0\n"}
    ),
    "host with two links": Wrong(
        links(*[(f"host{n}", "switch0") for n in range(4)], ("host0", "lone")), "topology.links", ("host0",)
    ),
    "unreachable destination": Wrong(
        links(("host0", "switch0"), ("host1", "switch0"), ("host2", "switch0"), ("host3", "lone")),
        "topology.links",
        ("host3",),
    ),
    "trace row malformed": Wrong(
        TRACE, "line 3", ("flows.csv",), {"flows.csv": HEADER + "host0,host1,5,0,0\nhost1,host0,many,0,0\n"}
    ),
    "trace missing": Wrong(TRACE, "workload[0].file", ("flows.csv", "no such file")),
    "memory smaller than one packet": Wrong(SMALL.replace('"1MB"', '"1kB"'), "switch", ("expected",)),
    "Kmin above Kmax": Wrong(
        marking('pool = { kind = "red", minimum = "90kB", maximum = "80kB", probability = 0.1 }'),
        "switch[0].marking.pool.maximum",
        ("not above `minimum`",),
    ),
    "Kmax not below the pool": Wrong(
        marking('pool = { kind = "red", minimum = "90kB", maximum = "1MB", probability = 0.1 }'),
        "switch[0].marking.pool",
        ("not below the pool's size",),
    ),
    "no pool to mark": Wrong(
        marking('pool = { kind = "threshold", threshold = "90kB" }\nreserved_per_port = "250kB"'),
        "switch[0].marking.pool",
        ("no shared pool",),
    ),
    "BCC that does not fit": Wrong(
        marking('pool = { kind = "bcc", round_trip = "1ms" }'), "switch[0].marking.pool", ("B_R", "larger pool")
    ),
    "probability above one": Wrong(
        marking('port = { kind = "red", minimum = "80kB", maximum = "90kB", probability = 1.1 }'),
        "switch[0].marking.port.probability",
        ("at most 1",),
    ),
    "target above the interval": Wrong(
        marking('queue = { kind = "codel", target = "2ms", interval = "1ms" }'),
        "switch[0].marking.queue.interval",
        ("above `target`",),
    ),
    "port in no pool": Wrong(
        SMALL.replace('total = "1MB"', "pools = [{ ports = [0, 1] }, { ports = [3] }]"),
        "switch[0].pools",
        ("port 2 in no pool", "exactly one"),
    ),
    "port in two pools": Wrong(
        SMALL.replace('total = "1MB"', "pools = [{ ports = [0, 1, 2] }, { ports = [2, 3] }]"),
        "switch[0].pools",
        ("port 2 in 2 pools", "exactly one"),
    ),
    "chip with too few ports": Wrong(
        SMALL.replace('total = "1MB"', 'chip = "scorpion"').replace("hosts = 4", "hosts = 25"),
        "switch[0].chip",
        ("25 ports", "xoff list chips"),
    ),
    "unknown chip": Wrong(
        SMALL.replace('total = "1MB"', 'chip = "tomahawk_9"'), "switch[0].chip", ("did you mean", "tomahawk")
    ),
    "transport that does not exist": Wrong(
        SMALL.replace('transport = "dctcp"', 'transport = "tcp"'), "workload[0].transport", ("dctcp",)
    ),
}


@pytest.mark.parametrize("subcommand", ["run", "check"])
@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG.keys())
def test_a_wrong_scenario(command: Command, wrong: Wrong, subcommand: str) -> None:
    texts = {"bad.toml": wrong.scenario, **wrong.files}
    for name, text in texts.items():
        Path(name).write_text(text, encoding="utf-8")
    outcome = command(subcommand, "bad.toml")
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.endswith("\n")
    line = outcome.err.removesuffix("\n")
    assert "\n" not in line
    assert line.startswith(tuple(f"{name}: " for name in texts))
    assert "; " in line  # what is wrong; what is expected
    for part in (wrong.key, *wrong.says):
        assert part in line
    assert sorted(path.name for path in Path().iterdir()) == sorted(texts)


def test_a_missing_scenario(command: Command) -> None:
    outcome = command("run", "none.toml")
    assert outcome.status == 2
    assert outcome.err == "none.toml: cannot read: no such file or directory; `xoff init` writes one to start from\n"


def test_a_folder_is_no_scenario(command: Command) -> None:
    assert command("run", ".").err.startswith(".: cannot read: is a directory; ")


@pytest.mark.parametrize("where", ["bad.toml", "flows.csv"])
def test_what_is_not_utf_8(command: Command, where: str) -> None:
    Path("bad.toml").write_text(TRACE)
    Path(where).write_bytes(b"title = '\xff'")
    outcome = command("run", "bad.toml")
    assert outcome.status == 2
    assert outcome.err.startswith("bad.toml: ")
    assert outcome.err.endswith("byte 9 is not UTF-8; expected a text file in UTF-8\n")


def test_an_output_that_cannot_be_written(command: Command, small_file: Path) -> None:
    Path("file").touch()
    outcome = command("run", small_file, "--out", "file/out")
    assert outcome == Outcome(
        2, "", "file/out: --out: cannot write here: not a directory; choose another folder with --out\n"
    )


def test_an_override_that_is_none(command: Command, small_file: Path) -> None:
    outcome = command("run", small_file, "--set", "workload")
    assert outcome.status == 2
    assert outcome.err.count("\n") == 1


@pytest.mark.parametrize("count", ["0", "-1"])
@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        (("compare", "small.toml"), "--workers"),
        (("compare", "small.toml"), "--seeds"),
        (("run", "small.toml"), "--threads"),
        (("run", "small.toml"), "--seeds"),
        (("reproduce", "bcc/fig4"), "--workers"),
        (("fluid", "dctcp"), "--workers"),
    ],
)
def test_nothing_runs_nothing(command: Command, arguments: tuple[str, ...], option: str, count: str) -> None:
    outcome = command(*arguments, option, count)
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.endswith(f"Invalid value for '{option}': {count} is not in the range x>=1.\n")
    assert not list(Path().iterdir())


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "b\udcff.toml"),
        ("run", "b\udcff.toml"),
        ("sweep", "b\udcff.toml", "--sweep", "workload.fan_in=1,2"),
        ("compare", "small.toml", "b\udcff.toml"),
        ("run", "small.toml", "--set", "b\udcff=1"),
        ("run", "small.toml", "--out", "b\udcff"),
        ("explain", "b\udcff"),
    ],
)
def test_names_that_are_not_utf_8(command: Command, small_file: Path, arguments: tuple[str, ...]) -> None:
    (small_file.parent / "b\udcff.toml").write_text(SMALL, encoding="utf-8")
    outcome = command(*arguments)
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.startswith("b\\udcff")
    assert outcome.err.endswith(": is not UTF-8; expected names and values in UTF-8\n")
    assert outcome.err.count("\n") == 1
    assert len(list(Path().iterdir())) == 2


TUNE = ("tune", "--tune", "host.delay=1us:2us", "--minimize", "goodput_gbps")


@pytest.mark.parametrize("count", ["10001", "99999999999999999999"])
@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        (("run",), "seeds"),
        (("compare", "small.toml"), "seeds"),
        (("sweep", "--sweep", "workload.fan_in=1,2"), "seeds"),
        (TUNE, "seeds"),
        (TUNE, "confirm"),
    ],
)
def test_more_seeds_than_anyone_waits_for(
    command: Command, small_file: Path, arguments: tuple[str, ...], option: str, count: str
) -> None:
    outcome = command(*arguments, small_file.name, f"--{option}", count)
    says = f"small.toml: {option}: {int(count):,} are too many; expected at most 10,000\n"
    assert outcome == Outcome(2, "", says)
    assert not Path("results").exists()
