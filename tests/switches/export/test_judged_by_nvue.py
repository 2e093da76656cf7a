"""Commands of Cumulus Linux against the schema of NVIDIA's own API (OpenAPI), release by release."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from nvue_commands import refused

import judges
from conftest import examples
from switch_settings import PLANS, drawn, plans, text_of_plan
from xoff.switches.export import Format
from xoff.switches.plan.outcome import compute

if TYPE_CHECKING:
    from pathlib import Path

    from xoff.switches.plan.settings import Settings

GOOD = """\
nv set qos mapping default-global trust l3
nv set qos mapping default-global dscp 26 switch-priority 3
nv set qos congestion-control xoff traffic-class 3 ecn enable
nv set qos congestion-control xoff traffic-class 3 min-threshold 150000
nv set qos congestion-control xoff traffic-class 3 probability 20
nv set qos traffic-pool default-lossless memory-percent 76
nv set qos pfc-watchdog polling-interval 200
nv set qos pfc xoff-near switch-priority 3,4
nv set qos pfc xoff-near cable-length 40
nv set qos pfc xoff-near rx enable
nv set interface swp1 qos pfc profile xoff-near
nv set interface swp1 qos pfc-watchdog state enable
nv set system forwarding packet-trim size 256
nv set interface swp1 packet-trim egress-eligibility traffic-class 0
nv config apply
"""


def schema(release: str = "5_18") -> Any:  # noqa: ANN401
    return judges.package(f"nvueschema.models.v{release}").NvueConfig


def test_good_commands_are_accepted() -> None:
    assert refused(GOOD, schema()) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("trust l3", "trust dscp"),
        ("priority 3\n", "priority 8\n"),
        ("priority 3\n", "priority 3 now\n"),
        ("ecn enable", "ecn on"),
        ("min-threshold", "minimum-threshold"),
        ("150000", "0"),
        ("150000", "147KB"),
        ("probability 20", "probability 101"),
        ("probability 20", "probability"),
        ("memory-percent 76", "memory-percent 0"),
        ("polling-interval 200", "polling-interval 99"),
        ("cable-length 40", "cable-length 100001"),
        ("qos pfc profile", "qos pfc-profile"),
        ("state enable", "state enabled"),
        ("size 256", "size 255"),
        ("egress-eligibility", "egress"),
        ("config apply", "config store"),
    ],
)
def test_a_broken_command_is_refused(old: str, new: str) -> None:
    assert old in GOOD
    assert len(refused(GOOD.replace(old, new, 1), schema())) == 1


@plans
def test_plans_are_accepted(plan: Path) -> None:
    assert refused(text_of_plan(plan, Format.NVUE), schema()) == []


@settings(max_examples=examples(10))
@given(switch=drawn())
def test_any_switch_is_accepted(switch: Settings) -> None:
    assert refused(Format.NVUE.write(switch).text, schema()) == []


@pytest.mark.parametrize(("release", "known"), [("5_5", False), ("5_6", True)])
def test_commands_without_trimming_are_those_of_5_6_and_later(release: str, known: bool) -> None:
    lossless = next(plan for plan in PLANS if "tomahawk_4" in plan.name)
    text = Format.NVUE.write(replace(compute(lossless).settings, trimming=None)).text
    assert (refused(text, schema(release)) == []) is known
