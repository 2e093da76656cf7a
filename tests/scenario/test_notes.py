"""Notes on a scenario before it runs."""

import pytest

import xoff
from xoff.results.notes import of_result

LEAST = """
class = [{ priority = 0 }, { priority = 3, lossless = true }, { priority = 7 }]
topology = { kind = "star", hosts = 4, host_link = { rate = "10Gbps", delay = "1us" } }
switch = [{ total = "2MB", pfc = {} }]
transport.r.kind = "roce"
transport.steady.kind = "constant_rate"
workload = [{ kind = "permutation", transport = "r", size = "50kB", priority = 3 }]
"""
AGAIN = "not lossless, and go-back-N sends all that follows a lost one again"


def notes(**values: object) -> tuple[str, ...]:
    return xoff.Scenario.from_text(LEAST).with_values({key.replace("__", "."): values[key] for key in values}).check()


@pytest.mark.parametrize(
    ("priority", "where"),
    [(0, "class 0, which is"), ([0, 3], "class 0, which is"), ([0, 7], "classes 0, 7, which are")],
)
def test_go_back_n_is_not_for_classes_that_may_lose_packets(priority: object, where: str) -> None:
    assert notes(workload__priority=priority) == (f"transport.r: packets may be lost in {where} {AGAIN}",)


def test_nothing_is_noted_where_nothing_is_lost_or_little_is_sent_again() -> None:
    assert notes() == ()
    assert notes(workload__priority=0, switch__total="2GB") == ()
    assert notes(workload__priority=0, transport__r__recovery={"kind": "selective_repeat"}) == ()
    assert notes(workload__priority=0, workload__transport="steady") == ()


def test_a_result_has_the_notes_of_its_scenario() -> None:
    scenario = xoff.Scenario.from_text(LEAST).with_value("workload.priority", 0)
    assert of_result(scenario.run()) == scenario.check() != ()


def test_flows_that_were_to_be_observed_and_were_not_there_are_noted() -> None:
    observed = {"packets": ["host1.flow0", "host1.flow7"], "windows": {"every": "1us", "of": ["host*", "host2.flow1"]}}
    result = xoff.Scenario.from_text(LEAST).with_value("observe", observed).run()
    assert of_result(result) == (
        "observe.packets: there was no flow host1.flow7",
        "observe.windows: there was no flow host2.flow1",
    )
