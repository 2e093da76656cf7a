"""A small scenario, its result, and the command line, for all tests."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import pytest
from hypothesis import settings

import xoff
from xoff.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable

mpl.use("Agg")

for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    signal.signal(number, handler)  # nohup and background shells ignore them, and so would all that tests start


def share_cores() -> None:
    """Keeps each of several processes that test, and what it starts, on one core: none begins as many as there are."""
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker and hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {cores[int(worker.removeprefix("gw")) % len(cores)]})


share_cores()

NIGHTLY = os.environ.get("XOFF_NIGHTLY") == "1"
"""Whether the tests try everything, and draw more examples, as `make nightly` asks for."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out the tests marked `nightly`, except under XOFF_NIGHTLY=1."""
    if not NIGHTLY:
        config.hook.pytest_deselected(items=[item for item in items if item.get_closest_marker("nightly")])
        items[:] = [item for item in items if not item.get_closest_marker("nightly")]


def examples(number: int) -> int:
    """Returns the number of examples of a random law: `number` for one change, more in `make nightly`."""
    return number * (20 if NIGHTLY else 1)


# A busy machine is no fault. A change is tried on the cases that the last one was tried on; new ones are drawn nightly.
# A case that fails then is printed as what draws it again, and tried first by the next nightly tests on this machine.
settings.register_profile(
    "xoff", max_examples=examples(100), deadline=None, derandomize=not NIGHTLY, print_blob=NIGHTLY
)
settings.load_profile("xoff")

ROOT = Path(__file__).parent.parent
SCENARIOS = ROOT / "scenarios"


def wait_until(condition: Callable[[], bool]) -> None:
    """Waits for what another process does."""
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.001)


def interrupted(folder: Path, *arguments: str | Path) -> Outcome:
    """Sends Ctrl-C to a command of many runs of the small scenario, once three are kept in a folder of their own."""
    command = [sys.executable, "-m", "xoff", *map(str, arguments)]
    process = subprocess.Popen(command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_until(lambda: len(list(folder.glob("results/runs/small-*"))) >= 3)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    return Outcome(process.returncode, out, err)


# Four hosts around a switch, twenty flows of DCTCP, queues recorded.
SMALL = """\
title = "Small"
seed = 3

[topology]
kind = "star"
hosts = 4
host_link = { rate = "10Gbps", delay = "1us" }

[[switch]]
total = "1MB"
buffer = { policy = "dynamic_threshold", alpha = 1 }
marking.queue = { kind = "threshold", threshold = "30kB" }

[transport.dctcp]
kind = "tcp"
congestion_control = { algorithm = "dctcp" }

[[workload]]
kind = "incast"
transport = "dctcp"
fan_in = 2
size = "50kB"
receivers = ["host0"]
every = "100us"
groups = 10

[observe]
queues = { every = "10us", of = ["switch0.port0"] }
"""


# One more workload for it, of four flows.
PERMUTATION = """
[[workload]]
kind = "permutation"
transport = "dctcp"
size = "1MB"
"""


# What a scenario needs besides, where only its topology matters; it stands before all tables.
ANY_TRAFFIC = """
transport.steady = { kind = "constant_rate", payload = "1000B" }
workload = [{ kind = "permutation", transport = "steady", size = "1MB" }]
"""


# Five switches in a ring with a host each, which sends two hops on: everyone waits for the next.
RING = """
title = "Ring"
class = [{{ priority = 0, lossless = true }}]
topology = {{ kind = "custom", hosts = [{hosts}], switches = [{switches}], links = [{links}] }}
transport.blocks = {{ kind = "constant_rate", payload = "1000B" }}
switch = [{{ total = "1MB", pfc = {{ xoff = {{ policy = "static_threshold", threshold = "20kB" }} }} }}]
workload = [{{ kind = "long_lived", transport = "blocks", size = "1MB", pairs = [{pairs}] }}]
observe.pauses = true
"""


def ring() -> str:
    """A scenario that ends in a deadlock."""
    link = 'rate = "10Gbps", delay = "1us"'
    links = [f'{{ between = ["h{at}", "s{at}"], {link} }}' for at in range(5)]
    links += [f'{{ between = ["s{at}", "s{(at + 1) % 5}"], {link} }}' for at in range(5)]
    return RING.format(
        hosts=", ".join(f'"h{at}"' for at in range(5)),
        switches=", ".join(f'"s{at}"' for at in range(5)),
        links=", ".join(links),
        pairs=", ".join(f'["h{at}", "h{(at + 2) % 5}"]' for at in range(5)),
    )


STORM = """
    topology.kind = "dumbbell"
    topology.left = 1
    topology.right = 2
    topology.host_link = { rate = "10Gbps", delay = "1us" }
    topology.middle_link = { rate = "10Gbps", delay = "1us" }
    class = [{ priority = 0, lossless = true }]
    pfc = { detection_time = "100us", watchdog = { restoration_time = "20us" } }
    switch = [{ total = "1MB", pfc = { xoff = { policy = "static_threshold", threshold = "10kB" } } }]
    slow_receiver = [{ hosts = ["host1"], start = "20us", end = "300us", buffer = "20kB" }]
    observe.pauses = true
    transport.steady = { kind = "constant_rate", payload = "1000B", rate = "4Gbps" }
    [[workload]]
    kind = "long_lived"
    transport = "steady"
    pairs = [["host0", "host1"], ["host0", "host2"]]
    size = "200kB"
"""


@cache
def storm() -> xoff.Result:
    """A run in which host1 takes in nothing for some time, all before it pause, and a watchdog acts."""
    return xoff.Scenario.from_text(STORM).run()


@dataclass
class Outcome:
    """Exit status and output of a command."""

    status: int
    out: str
    err: str


@pytest.fixture
def command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Outcome]:
    """Runs `xoff` with arguments in an empty folder of its own."""
    monkeypatch.chdir(tmp_path)
    for name in ("MPLBACKEND", "MATPLOTLIBRC"):  # which the command line sets for itself
        monkeypatch.setenv(name, "")

    def run(*arguments: str | Path) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["xoff", *map(str, arguments)])
        capsys.readouterr()
        try:
            main()
            status = 0
        except SystemExit as done:
            status = done.code if isinstance(done.code, int) else 0
        printed = capsys.readouterr()
        return Outcome(status, printed.out, printed.err)

    return run


@pytest.fixture
def small_file(tmp_path: Path) -> Path:
    """The small scenario as a file."""
    path = tmp_path / "small.toml"
    path.write_text(SMALL, encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def small_result() -> xoff.Result:
    """The small scenario's result."""
    return xoff.Scenario.from_text(SMALL).run()


@pytest.fixture
def matches_snapshot(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Compares a text with the file of the test's name in `snapshots`; `UPDATE_SNAPSHOTS=1` writes it anew."""
    path = Path(request.path).parent / "snapshots" / f"{request.node.name}.txt"

    def compare(text: str) -> None:
        if os.environ.get("UPDATE_SNAPSHOTS"):
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8"), f"differs from {path}; UPDATE_SNAPSHOTS=1 writes it anew"

    return compare


def two_rates(tables: Any) -> None:  # noqa: ANN401
    """An uplink of 400 Gb/s, Ethernet8, with thresholds and headroom of its own."""
    for table in ("PORT", "PORT_QOS_MAP", "PFC_WD"):
        tables[table]["Ethernet8"] = dict(tables[table]["Ethernet0"])
    tables["PORT"]["Ethernet8"]["speed"] = "400000"
    tables["CABLE_LENGTH"]["AZURE"]["Ethernet8"] = "300m"
    for table in ("BUFFER_PG", "BUFFER_QUEUE", "QUEUE"):
        tables[table] |= {
            key.replace("Ethernet0|", "Ethernet8|"): dict(row)
            for key, row in tables[table].items()
            if key.startswith("Ethernet0|")
        }
    own = tables["BUFFER_PROFILE"]["pg_lossless_100000_40m_profile"]
    tables["BUFFER_PROFILE"]["pg_lossless_400000_300m_profile"] = own | {"xoff": "350000", "dynamic_th": "1"}
    tables["BUFFER_PG"]["Ethernet8|3-4"] = {"profile": "pg_lossless_400000_300m_profile"}
    wred = tables["WRED_PROFILE"]["AZURE_LOSSLESS"]
    tables["WRED_PROFILE"]["FAST"] = wred | {
        f"{colour}_max_threshold": "1638400" for colour in ("green", "yellow", "red")
    }
    for key, row in tables["QUEUE"].items():
        if key.startswith("Ethernet8|") and "wred_profile" in row:
            row["wred_profile"] = "FAST"
