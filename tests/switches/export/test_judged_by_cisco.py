"""NX-OS against Cisco's YANG model of the device, release 9.3(1)."""

from __future__ import annotations

import json
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from nxos_model import MODEL, instance

import judges
from conftest import examples
from switch_settings import drawn, plans, text_of_plan
from xoff.switches.export import Format

if TYPE_CHECKING:
    from xoff.switches.plan.settings import Settings

MODELS = Path(sysconfig.get_path("purelib"), "ydk", "models", "cisco_nx_os", "_yang")
GOOD = """\
class-map type qos match-any XOFF-roce
  match dscp 26
policy-map type qos XOFF-CLASSES
  class XOFF-roce
    set qos-group 3
policy-map type queuing XOFF-OUT
  class type queuing c-out-8q-q3
    random-detect minimum-threshold 150 kbytes maximum-threshold 1500 kbytes drop-probability 20 weight 0 ecn
policy-map type network-qos XOFF-NETWORK
  class type network-qos c-8q-nq3
    pause pfc-cos 3
    mtu 1500
policy-map type queuing XOFF-IN
  class type queuing c-in-q3
    pause buffer-size 4560000 pause-threshold 4500000 resume-threshold 4497000
system qos
  service-policy type queuing output XOFF-OUT
  service-policy type network-qos XOFF-NETWORK
interface Ethernet1/1
  service-policy type qos input XOFF-CLASSES
  priority-flow-control mode on
  service-policy type queuing input XOFF-IN
"""


def refused(text: str, folder: Path) -> str:
    """Returns the model's messages on a configuration, or the line that is none of it."""
    if not MODELS.is_dir():
        judges.missing("Cisco's models are not installed: make .venv/tools")
    try:
        data = instance(text)
    except ValueError as error:
        return str(error)
    file = folder / "nxos.json"
    file.write_text(json.dumps(data), encoding="utf-8")
    return judges.refused_by_models(file, MODELS, [MODEL])


def test_good_lines_are_accepted(tmp_path: Path) -> None:
    assert refused(GOOD, tmp_path) == ""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("match-any", "match-one"),
        ("dscp 26", "dscp 64"),
        ("XOFF-roce", "XOFF-" + 36 * "r"),
        ("qos-group 3", "qos-group 8"),
        ("minimum-threshold", "min-threshold"),
        ("150 kbytes", "150 kilobytes"),
        ("weight 0", "weight 16"),
        ("drop-probability 20", "drop-probability 101"),
        ("pfc-cos 3", "pfc-cos 8"),
        ("mtu 1500", "mtu 9217"),
        ("buffer-size", "buffersize"),
        ("buffer-size 4560000", "buffer-size 12582914"),
        ("pause-threshold 4500000", "pause-threshold 12582913"),
        ("resume-threshold", "resume"),
        ("type network-qos XOFF", "type network XOFF"),
        ("qos input", "qos inwards"),
        ("mode on", "mode yes"),
    ],
)
def test_a_broken_word_is_refused(old: str, new: str, tmp_path: Path) -> None:
    assert old in GOOD
    assert refused(GOOD.replace(old, new), tmp_path) != ""


@plans
def test_plans_are_accepted(plan: Path, tmp_path: Path) -> None:
    assert refused(text_of_plan(plan, Format.NXOS), tmp_path) == ""


@settings(max_examples=examples(3), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(switch=drawn())
def test_any_switch_is_accepted(switch: Settings, tmp_path: Path) -> None:
    assert refused(Format.NXOS.write(switch).text, tmp_path) == ""
