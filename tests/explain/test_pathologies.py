"""Pathologies are told in a line, where one stands for many."""

from __future__ import annotations

from typing import Any

import pytest

from xoff.explain import pathologies


def let_go(port: str, detected_ns: int, restored_ns: int | None, dropped: int) -> dict[str, Any]:
    return {
        "port": port,
        "priority": 3,
        "detected_ns": detected_ns,
        "restored_ns": restored_ns,
        "dropped": dropped,
    }


def summary(**changes: object) -> dict[str, Any]:
    quiet = {"reached_time_limit": False, "deadlock_cycle": [], "storms": [], "stood_still": False}
    return quiet | {"end_ns": 5_000_000, "watchdog": []} | changes


@pytest.mark.parametrize(
    ("watchdog", "expected"),
    [
        ([], []),
        (
            [let_go("leaf0.port1", 2_000_000, 2_500_000, 1)],
            ["Watchdog: leaf0.port1 (priority 3) let go at 2.00 ms for 500.0 us, 1 packet dropped"],
        ),
        (
            [
                let_go("leaf0.port1", 1_000_000, 2_500_000, 7),
                let_go("leaf0.port2", 2_000_000, 5_500_000, 1_234),
                let_go("leaf0.port2", 1_000_000, 1_500_000, 0),
            ],
            [
                "Watchdog: leaf0.port2 (priority 3) let go at 2.00 ms for 3.00 ms, 1,234 packets dropped; "
                "and 2 more times, on 1 other port"
            ],
        ),
    ],
)
def test_the_watchdog_is_told_by_what_cost_most(watchdog: list[dict[str, Any]], expected: list[str]) -> None:
    found = summary(watchdog=watchdog)
    assert pathologies.lines(found) == expected
    dropped = [int(row[-1].replace(",", "")) for row in pathologies.watchdog_rows(found)]
    assert dropped == sorted((one["dropped"] for one in watchdog), reverse=True)


def test_a_run_that_stood_still_without_a_deadlock_says_so() -> None:
    expected = "Stood still: nothing could move any longer, which ended the run at 5.00 ms"
    assert pathologies.lines(summary(stood_still=True)) == [expected]


@pytest.mark.parametrize(("ports", "rest"), [(1, ""), (2, ", and 1 more port"), (3, ", and 2 more ports")])
def test_storms_are_counted(ports: int, rest: str) -> None:
    storms = [{"port": "leaf0.port1", "paused_ns": 3_000_000}] * ports
    expected = f"Storm:   leaf0.port1 paused for 3.00 ms without a break{rest}"
    assert pathologies.lines(summary(storms=storms)) == [expected]
