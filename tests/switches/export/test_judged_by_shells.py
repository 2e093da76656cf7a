"""Scripts against `shellcheck`, and the line of `tc` in them against iproute2."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings

import judges
from conftest import examples
from switch_settings import drawn, plans, text_of_plan
from xoff.switches.export import Format
from xoff.switches.plan.outcome import compute

if TYPE_CHECKING:
    from pathlib import Path

    from xoff.switches.plan.settings import Settings

GOOD = """\
#!/bin/sh
set -eu
device="${1:?the name of the network device}"
mlnx_qos -i "$device" --trust dscp --pfc 0,0,0,1,0,0,0,0 --cable_len 40
echo 20 > "/sys/class/net/$device/ecn/roce_np/min_time_between_cnps"
"""
QUEUE = "# tc qdisc add dev DEVICE root red limit 1000000 min 30000 max 31500 avpkt 1500 burst 21 probability 1 ecn\n"


def refused(script: str) -> str:
    """Returns the findings of shellcheck."""
    command = [judges.program("shellcheck", "shellcheck, or make .venv/tools"), "--shell=sh", "-"]
    return subprocess.run(command, input=script, text=True, capture_output=True, check=False).stdout


def queues_refused(script: str) -> str:
    """Returns the objections of `tc` to the queues of a script, for a device that does not exist."""
    found = ""
    for line in script.splitlines():
        if line.startswith("# tc "):
            command = [judges.program("tc", "iproute2"), *line.split()[2:]]
            found += subprocess.run(command, text=True, capture_output=True, check=False).stderr
    return found.replace("RED: set bandwidth to 10Mbit\n", "").replace('Cannot find device "DEVICE"\n', "")


def test_good_scripts_are_accepted() -> None:
    assert refused(GOOD) == ""
    assert queues_refused(QUEUE) == ""


@pytest.mark.parametrize(
    ("old", "new"),
    [('-i "$device"', "-i $device"), ('"$device" ', '"$device '), ("device=", "device ="), ("$device", "$devise")],
)
def test_a_broken_script_is_refused(old: str, new: str) -> None:
    assert refused(GOOD.replace(old, new)) != ""


@pytest.mark.parametrize(("old", "new"), [("min 30000", "least 30000"), ("burst 21", "burst 2"), ("red", "reed")])
def test_a_broken_queue_is_refused(old: str, new: str) -> None:
    assert queues_refused(QUEUE.replace(old, new)) != ""


@plans
def test_plans_are_accepted(plan: Path) -> None:
    if compute(plan).settings.hosts is None:
        pytest.skip("the plan says nothing of hosts")
    script = text_of_plan(plan, Format.HOST)
    assert refused(script) == queues_refused(script) == ""


@settings(max_examples=examples(10))
@given(switch=drawn())
def test_any_host_is_accepted(switch: Settings) -> None:
    script = Format.HOST.write(switch).text
    assert refused(script) == queues_refused(script) == ""
