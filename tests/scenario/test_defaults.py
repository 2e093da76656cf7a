"""A key may be set in a table that the scenario leaves out."""

import tomllib
from typing import Any

import pytest

import xoff

LEAST = """
class = [{ priority = 3, lossless = true }, { priority = 7 }]
topology = { kind = "star", hosts = 4, host_link = { rate = "10Gbps", delay = "1us" } }
switch = [{ total = "2MB" }]
transport.r.kind = "roce"
workload = [{ kind = "permutation", transport = "r", size = "50kB", priority = 3 }]
"""


def at(scenario: xoff.Scenario, *path: str | int) -> Any:  # noqa: ANN401 as TOML has it
    found: Any = tomllib.loads(scenario.to_toml())
    for part in path:
        found = found[part]
    return found


@pytest.mark.parametrize(
    ("key", "value", "table"),
    [
        ("switch.buffer.alpha", 2, {"policy": "dynamic_threshold", "alpha": 2}),
        ("switch.pfc.xoff.alpha", "1/4", {"policy": "dynamic_threshold", "alpha": "1/4"}),
        ("switch.pfc.headroom.size", "100kB", {"scheme": "sih", "size": "100kB"}),
        (
            "transport.r.recovery.timeout",
            "1ms",
            {"kind": "go_back_n", "nack_interval": "500us", "timeout": "1ms"},
        ),
        ("switch.buffer", {"alpha": 2}, {"policy": "dynamic_threshold", "alpha": 2}),
    ],
)
def test_a_table_that_is_left_out_begins_as_it_is_by_default(key: str, value: object, table: dict[str, Any]) -> None:
    changed = xoff.Scenario.from_text(LEAST).with_value(key, value)
    path = key.removesuffix(".alpha").removesuffix(".size").removesuffix(".timeout").split(".")
    of_list = [path[0], 0, *path[1:]] if path[0] == "switch" else path
    assert at(changed, *of_list) == table
    assert at(xoff.Scenario.from_text(changed.portable({})[0]), *of_list) == table
    assert len(changed.overrides) == 1


def test_what_is_set_of_it_elsewhere_counts() -> None:
    least = xoff.Scenario.from_text(LEAST)
    static = {"switch.buffer.policy": "static_threshold", "switch.buffer.threshold": "10kB"}
    assert at(least.with_values(static), "switch", 0, "buffer") == {"policy": "static_threshold", "threshold": "10kB"}
    dsh = {"switch.pfc": {"headroom": {"scheme": "dsh"}}, "switch.pfc.headroom.insurance": "1MB"}
    assert at(least.with_values(dsh), "switch", 0, "pfc", "headroom")["scheme"] == "dsh"


def test_a_key_that_the_default_does_not_have_is_answered_with_the_default() -> None:
    with pytest.raises(xoff.ScenarioError) as refused:
        xoff.Scenario.from_text(LEAST).with_value("switch.buffer.threshold", "10kB")
    assert str(refused.value).startswith(
        "switch[0].buffer.threshold: unknown key `threshold`; left out, `switch[0].buffer` is "
        '{ policy = "dynamic_threshold", alpha = 1 }; it belongs to policy = "static_threshold"; '
    )


def test_a_table_that_is_written_or_emptied_is_not_begun_anew() -> None:
    for text, key, value in (
        (LEAST.replace('total = "2MB"', "buffer = {}"), "switch.buffer.alpha", 2),
        (
            LEAST.replace('total = "2MB"', 'buffer.policy = "complete_sharing" }, { nodes = "*"'),
            "switch.buffer.alpha",
            2,
        ),
        (LEAST, "switch.buffer", {}),
    ):
        with pytest.raises(xoff.ScenarioError, match=r"^switch\[[01]\]\.buffer\."):
            xoff.Scenario.from_text(text).with_value(key, value)
