"""The environment for agents that learn congestion control."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import xoff
from xoff.runs.environment import Box

SCENARIO = xoff.Scenario.from_dict(
    {
        "topology": {"kind": "star", "hosts": 3, "host_link": {"rate": "10Gbps", "delay": "1us"}},
        "transport": {"roce": {"kind": "roce"}},
        "workload": [{"kind": "driven", "transport": "roce"}],
    }
)
SENDERS = [("host0", "host2"), ("host1", "host2")]


def environment(steps: int = 200) -> xoff.CongestionEnvironment:
    return xoff.CongestionEnvironment(SCENARIO, SENDERS, steps=steps)


def test_a_window_below_the_bandwidth_delay_product_waits_and_one_above_it_queues() -> None:
    one = xoff.CongestionEnvironment(SCENARIO, SENDERS[:1], packet_bytes=1000)
    one.reset()
    seen = [one.step([-1])[0][0] for _ in range(4)][-1]
    assert (2 ** seen[0], seen[1]) == pytest.approx((1, 0))  # one packet, and nothing before it
    assert 0.12 < seen[2] < 0.15  # 0.8 us of payload in a round trip of 5.8 us
    both = environment()
    both.reset()
    for _ in range(5):
        seen = both.step([1, 1])[0]
    assert 0.9 < seen[:, 2].sum() < 1  # the link to the receiver is full
    assert (seen[:, 1] > 10).all()


def test_the_same_actions_give_the_same_observations() -> None:
    actions = np.random.default_rng(3).uniform(-1, 1, (10, 2))

    def episode() -> list[list[float]]:
        one = environment()
        first, _ = one.reset(seed=5)
        return [first.tolist(), *(one.step(action)[0].tolist() for action in actions)]

    assert episode() == episode()


def test_an_episode_is_truncated_or_ends_with_the_run() -> None:
    short = environment(steps=2)
    short.reset()
    assert [short.step([0, 0])[2:4] for _ in range(2)] == [(False, False), (False, True)]
    ending = xoff.CongestionEnvironment(SCENARIO.with_value("stop.at", "80us"), SENDERS)
    ending.reset()
    assert [ending.step([0, 0])[2] for _ in range(2)] == [True, True]


def test_observations_and_actions_are_in_their_spaces() -> None:
    one = environment()
    observation, info = one.reset()
    assert one.observation_space.contains(observation)
    assert info == {"now_ns": 50_000}
    assert one.action_space.contains(one.action_space.sample())
    one.close()
    with pytest.raises(RuntimeError, match=r"no episode has begun; call reset\(\) first"):
        one.step([0, 0])


def test_a_box_is_one_without_gymnasium() -> None:
    box = Box(-1.0, 1.0, (2,))
    box.seed(1)
    first = box.sample()
    box.seed(1)
    assert (first == box.sample()).all()
    assert [box.contains(value) for value in ([0, 1], [0, 2], [0])] == [True, False, False]
    assert Box(0.0, float("inf"), (1,)).contains(Box(0.0, float("inf"), (1,)).sample())


@pytest.mark.parametrize("action", [[float("nan"), 0.0], [1.0, 1.0, 1.0], 0.5])
def test_an_action_that_is_none_changes_nothing(action: Any) -> None:  # noqa: ANN401
    agent = environment()
    before, _ = agent.reset()
    with pytest.raises(xoff.InputError, match=r"^action: .* is no action; expected 2 finite numbers"):
        agent.step(action)
    assert (agent.step([0.0, 0.0])[0][:, 0] == before[:, 0]).all()


def test_senders_are_pairs_of_hosts() -> None:
    for senders in ([], [("host0", "hostX")], ("host0", "host1")):
        with pytest.raises(xoff.InputError, match=r"^senders: "):
            xoff.CongestionEnvironment(SCENARIO, senders)  # type: ignore[arg-type]
