"""The published figures: every folder is whole, and what is claimed here of a figure is measured at the quick scale."""

import json
import subprocess
from collections.abc import Callable

import pytest

from conftest import ROOT, Outcome
from xoff.reproduce.atlas import find
from xoff.reproduce.figure import Figure
from xoff.reproduce.scale import Scale

Command = Callable[..., Outcome]

FIGURES = find()

# What is known to differ at the quick scale; the figure's README says why.
MISSES = {
    "bcc/fig1": {
        "With bursts DCTCP at 100 KB is far from full throughput",
        "With bursts: least threshold of full throughput under DCTCP (KB)",
    },
    "bcc/fig2_ns2": {
        "Mean of large flows under BCC over that under K=720KB: least of all loads",
        "Mean of large flows under BCC over that under K=720KB: greatest of all loads",
    },
    "dcqcn/benchmark": {
        "10th percentile of the users' throughput, DCQCN over PFC alone, ten senders",
        "DCQCN: change of the users' 10th percentile over degrees 2 to 10",
        "10th percentile of the users' throughput, ECN before PFC over PFC before ECN",
    },
    "dcqcn/fig12": {"16 : 1: mean of the queue, g = 1/256 over 1/16"},
    "dcqcn/fig17": {
        "10th percentile of the users' throughput, 80 pairs with DCQCN over 5 pairs under PFC alone",
    },
    "dcqcn/fig3": {
        "PFC alone: the least that H4 gets over the most that another gets",
        "DCQCN: least throughput of any sender (Gbps)",
    },
    "dcqcn/fig4": {
        "PFC alone: median throughput of the victim with two senders under T3 (Gbps)",
        "DCQCN: change of the victim's median from none to two senders under T3",
    },
    "dcqcn/incast": {
        "DCQCN: throughput of the receiver's link, least of all numbers of senders (Gbps)",
        "90th percentile of the queue with 20 senders, DCQCN over DCTCP",
        "90th percentile of the queue with 20 senders under DCQCN (kB)",
    },
    "dctcp/fig12": {
        "10 flows: period over that of the closed form",
    },
    "dctcp/fig13": {"20 flows: 95th percentile of the queue under DCTCP (packets)"},
    "dctcp/fig14": {"10 Gbps, with bursts: least threshold of full throughput (packets)"},
    "dctcp/convergence": {
        "1 Gbps, 300 us: convergence time of DCTCP (ms)",
        "1 Gbps, 300 us: convergence time, DCTCP over TCP",
        "10 Gbps, 100 us: convergence time, DCTCP over TCP",
        "10 Gbps, 300 us: convergence time, DCTCP over TCP",
    },
    "dctcp/fig15": {"With bursts: throughput, RED from 50 packets (Gbps)"},
    "dctcp/pi": {
        "2 flows: share of the wire",
        "Standard deviation of the queue, 20 flows over 5",
    },
    "dctcp/fig18": {"RTOmin 10 ms, 40 servers: share of DCTCP's queries with a timeout over that of TCP's"},
    "dctcp/fig19": {"TCP: share of queries with a timeout, 10 servers"},
    "dctcp/fig21": {"DCTCP: median completion time (us)"},
    "dctcp/fig22": {"TCP: share of background flows with a timeout"},
    "dctcp/fig24": {
        "Queries: 95th percentile, TCP through deep buffers over DCTCP",
        "TCP: share of queries with a timeout",
        "TCP through deep buffers: share of queries with a timeout",
        "Queries: 95th percentile, TCP with RED over DCTCP",
        "TCP with RED: share of queries with a timeout",
    },
    "dctcp/fig7": {
        "Responses with a timeout of the query that has the fewest, of those that have any",
        "From the first response to the last but the lost one (ms)",
    },
    "dctcp/table2": {
        "TCP: 95th percentile of completion time, with background over without",
        "TCP without background: share of queries with a timeout",
    },
    "dsh/fig14": {
        "DSH, DCQCN: least throughput of F0 in any 10 us (Gbps)",
        "DSH, DCQCN: times that S0 is paused",
    },
    "dsh/insurance": {
        "No congestion control: packets dropped by DSH without insurance",
        "DCQCN: packets dropped by DSH without insurance",
        "PowerTCP: packets dropped by DSH without insurance",
    },
    "dsh/fig17": {
        "DCQCN: mean completion time of the background under DSH over that under SIH, greatest of all loads",
    },
    "dcqcn/link_errors": {"Goodput of go-back-N at an error rate of 1e-2, over that without errors"},
    "dsh/fig15": {
        "No congestion control: mean completion time of interfered flows under DSH over that under SIH, worst load",
        "DCQCN: mean completion time of interfered flows under DSH over that under SIH, worst load",
        "PowerTCP: mean completion time of interfered flows under DSH over that under SIH, worst load",
    },
    "dsh/fig16": {
        "DSH with DCQCN: runs that end in deadlock (%)",
        "DSH with PowerTCP: runs that end in deadlock (%)",
    },
    "dsh/fig23": {
        "DCQCN: share of SIH's mean completion time of the background that DSH saves, best load (%)",
        "DCQCN: share of SIH's mean completion time of the first group's background that DSH saves, best load (%)",
    },
    "dsh/fig25": {
        "DCQCN: mean completion time of interfered flows under DSH over that under SIH, worst load",
        "DCQCN: that without shared headroom over that under DSH at an interfering load of 0.9",
        "PowerTCP: that without shared headroom over that under DSH at an interfering load of 0.9",
    },
    "dsh/fig4": {"Headroom of a queue at 100 Gbps and 2 us (B)"},
    "dsh/fig5": {"Mean completion time with the least memory, of 14 to 30 MiB, over that with the most"},
    "dsh/fig6": {
        "Headroom of a queue in use, median of its times from XOFF to XON (%)",
        "Headroom of a queue in use, 99th percentile of its times from XOFF to XON (%)",
        "One class: arrival rate of a queue that is off, median (Gbps)",
    },
    "qcn_os/fig10": {
        "Two samples: f1 from 100 to 150 ms (Gbps)",
        "CNMs to f1, end-to-end acknowledgements over two samples",
    },
    "qcn_os/fig9": {"Arrival sampling at outputs: CNMs of outputs, all runs"},
    "qcn_os/sensitivity": {
        "Figure 10a: f1, least of all changes (Gbps)",
        "Figure 9d, frames leave in order of arrival: f1, greatest of all changes (Gbps)",
    },
    "hpcc/fig11": {"Pause frames under HPCC with incast"},  # of 64 hosts with half the memory
    "irn/fig1": {"With TIMELY, what IRN without PFC saves of RoCE with PFC: 99th percentile (%)"},
    "power_tcp/fig6": {"99.9th percentile of short flows at 60 %: what PowerTCP saves of HPCC (%)"},
    "qcn_os/fig6": {"Time that all senders are paused, occupancy over arrival sampling"},
    "qcn_os/og": {
        "Time until PFC stops, by how much later under occupancy sampling at inputs than under arrival sampling at "
        "outputs (ms)",
        "Throughput of f1 from 10 ms on, occupancy sampling at inputs over arrival sampling at outputs",
    },
}


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.id)
def test_a_folder_is_whole(figure: Figure) -> None:
    assert figure.file.title
    assert figure.file.source
    assert (figure.folder / "README.md").read_text(encoding="utf-8").startswith(f"# {figure.id}: ")
    assert figure.expected
    for scale in Scale:
        for point in figure.planned(scale):
            point.scenario.check()


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.id)
def test_what_is_claimed_is_reproduced_but_for_what_is_known_to_differ(command: Command, figure: Figure) -> None:
    outcome = command("reproduce", figure.id, "--json")
    assert outcome.status == 0, outcome.err
    verdicts = {row["claim"]: row["verdict"] for row in json.loads(outcome.out)}
    assert "reproduced" in verdicts.values()
    assert {claim for claim, verdict in verdicts.items() if verdict == "differs"} == MISSES.get(figure.id, set())


def test_make_runs_them_though_their_folder_has_the_name() -> None:
    done = subprocess.run(["make", "--dry-run", "figures"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "xoff reproduce" in done.stdout
