"""EOS as Arista's own AVD writes it: its schema bounds the values, and its templates have the words."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from avd_config import lines, structured
from hypothesis import given, settings

import judges
from conftest import examples
from switch_settings import drawn, plans, text_of_plan
from xoff.switches.export import Format

if TYPE_CHECKING:
    from pathlib import Path

    from xoff.switches.plan.settings import Settings

GOOD = """\
qos map dscp 26 to traffic-class 3
qos profile XOFF
   qos trust dscp
   priority-flow-control on
   priority-flow-control priority 3 no-drop
   priority-flow-control pause watchdog
   priority-flow-control pause watchdog port action drop
   priority-flow-control pause watchdog port timer timeout 0.20 polling-interval auto recovery-time 0.40
   uc-tx-queue 3
      random-detect ecn minimum-threshold 150000 bytes maximum-threshold 1500000 bytes max-mark-probability 20 weight 0
      random-detect ecn count
platform trident mmu queue profile XOFF
   ingress reserved bytes 3000
   ingress headroom bytes 100000
   ingress priority-group 3 threshold 1/8
   egress unicast queue 3 threshold 8
platform trident mmu queue profile XOFF apply
interface Ethernet1
   service-profile XOFF
"""


@cache
def templates() -> Any:  # noqa: ANN401
    """AVD's templates; `pyavd.get_device_config` loads them anew each time, for a third of a second."""
    path = judges.package("pyavd.constants").EOS_CLI_CONFIG_GEN_JINJA2_PRECOMPILED_TEMPLATE_PATH
    return judges.package("pyavd.templater").Templar(precompiled_templates_path=path)


def written(config: dict[str, Any]) -> str:
    """Returns the configuration as AVD writes it."""
    constants = judges.package("pyavd.constants")
    text: str = templates().render_template_from_file(constants.EOS_CLI_CONFIG_GEN_JINJA2_CONFIG_TEMPLATE, config)
    return text


def refused(text: str) -> list[str]:
    """Returns the values that AVD's schema refuses, or the lines in which AVD's own writing differs."""
    checked = judges.package("pyavd").validate_structured_config(structured(text))
    if violations := checked.validation_result.violations:
        return [f"{'.'.join(map(str, one.path))}: {one.message}" for one in violations]
    theirs = lines(written(checked.validated_data)) - {("hostname switch",)}
    return [" > ".join(section) for section in sorted(theirs ^ lines(text))]


def test_good_lines_are_accepted() -> None:
    assert refused(GOOD) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("minimum-threshold", "min-threshold"),
        ("max-mark-probability 20", "max-mark-probability 101"),
        ("150000 bytes", "150000 octets"),
        ("weight 0", "weight 16"),
        ("uc-tx-queue", "tx-queu"),
        ("no-drop", "nodrop"),
        ("action drop", "action forward"),
        ("port timer", "timer"),
        ("0.20", "0.2001"),
        ("threshold 1/8", "threshold 1/3"),
        ("threshold 8", "threshold 16"),
        ("priority-group 3", "priority-group 8"),
        ("ingress headroom", "ingress headrooms"),
        ("service-profile", "qos-profile"),
        ("trust dscp", "trust ip"),
        ("profile XOFF apply", "profil XOFF apply"),
    ],
)
def test_a_broken_word_is_refused(old: str, new: str) -> None:
    assert old in GOOD
    assert refused(GOOD.replace(old, new)) != []


@plans
def test_plans_are_accepted(plan: Path) -> None:
    assert refused(text_of_plan(plan, Format.EOS)) == []


@settings(max_examples=examples(10))
@given(switch=drawn())
def test_any_switch_is_accepted(switch: Settings) -> None:
    assert refused(Format.EOS.write(switch).text) == []
