"""Settings of switches that are written as configuration: those of all plans, and drawn ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import strategies as st

from conftest import ROOT
from xoff.switches.plan.outcome import compute
from xoff.switches.plan.settings import (
    Ecn,
    HostSettings,
    Pause,
    Pools,
    PortGroup,
    Settings,
    TrafficClass,
    Trimming,
    Watchdog,
)

if TYPE_CHECKING:
    from pathlib import Path

    from xoff.switches.export import Format

PLANS = sorted((ROOT / "plans").glob("*.toml"))
plans = pytest.mark.parametrize("plan", PLANS, ids=lambda path: path.stem)
MEMORY = 64_000_000


def text_of_plan(plan: Path, target: Format) -> str:
    """The plan of a file as configuration."""
    return target.write(compute(plan).settings).text


def _sizes(least: int = 1, most: int = MEMORY) -> st.SearchStrategy[int]:
    return st.integers(least, most)


_MARKS = st.builds(
    lambda least, more, percent: Ecn(least, least + more, percent / 1000),
    _sizes(0, 4_000_000),
    _sizes(0, 4_000_000),
    st.integers(1, 1000),
)


@st.composite
def _classes(draw: st.DrawFn) -> tuple[TrafficClass, ...]:
    priorities = draw(st.lists(st.integers(0, 7), min_size=1, max_size=8, unique=True))
    dscps = draw(st.lists(st.integers(0, 63), min_size=len(priorities), max_size=len(priorities), unique=True))
    return tuple(
        TrafficClass(
            draw(st.sampled_from(["c", "storage-of-the-whole-datacente"])) + str(priority),
            priority,
            dscp,
            lossless=draw(st.booleans()),
            alpha=2.0 ** draw(st.integers(-10, 10)),
            reserved_bytes=draw(_sizes(0, 20_000)),
            ecn=draw(st.none() | _MARKS),
        )
        for priority, dscp in zip(priorities, dscps, strict=True)
    )


@st.composite
def _groups(draw: st.DrawFn, classes: tuple[TrafficClass, ...]) -> tuple[PortGroup, ...]:
    counts = draw(st.lists(st.integers(1, 3), min_size=1, max_size=3))
    marked = [one.priority for one in classes if one.ecn]
    groups, first = [], 0
    for number, count in enumerate(counts):
        xoff = draw(st.none() | _sizes(1, 4_000_000))
        pause = Pause(draw(_sizes(1, 4_000_000)), xoff, draw(_sizes(0, 4_000_000)))
        groups.append(
            PortGroup(
                f"{draw(st.sampled_from(['near', 'all the ports of these spines']))}{number}",
                tuple(f"Ethernet{port}" for port in range(first, first + count)),
                rate_bps := draw(st.sampled_from([2_500, 10_000, 25_000, 400_000])) * 10**6,
                delay_ps=1000,
                cable_m=draw(st.floats(0, 300_000)),
                pause=pause if any(one.lossless for one in classes) else None,
                ecn=tuple((priority, Ecn(rate_bps // 10**7, rate_bps // 10**6, 0.1)) for priority in marked),
            )
        )
        first += count
    return tuple(groups)


@st.composite
def drawn(draw: st.DrawFn) -> Settings:
    """Draws settings in which no two numbers need to go together."""
    classes = draw(_classes())
    groups = draw(_groups(classes))
    lossy = tuple(one.priority for one in classes if not one.lossless)
    trimming = st.builds(Trimming, st.integers(64, 2000), st.sampled_from(classes).map(lambda one: one.priority))
    watchdog = st.builds(
        Watchdog, st.sampled_from(["drop", "forward"]), st.integers(100, 5000), st.integers(100, 60_000)
    )
    paused = any(one.lossless for one in classes)
    return Settings(
        title="Drawn",
        chip=draw(st.sampled_from([None, "trident_2", "spectrum_4", "tomahawk"])),
        memory_bytes=MEMORY,
        cell_bytes=None,
        mtu_bytes=draw(st.integers(68, 16_000)),
        headroom_scheme=draw(st.sampled_from(["sih", "dsh"])) if paused else None,
        groups=groups,
        classes=classes,
        pools=Pools(1, sum(len(group.ports) for group in groups), draw(_sizes()), draw(_sizes()), 8_000_000, None),
        hosts=draw(_hosts(classes)),
        watchdog=draw(st.none() | watchdog),
        trimming=draw(trimming.map(lambda one: Trimming(one.size_bytes, one.priority, lossy))) if lossy else None,
    )


def _hosts(classes: tuple[TrafficClass, ...]) -> st.SearchStrategy[HostSettings]:
    return st.builds(
        HostSettings,
        st.sampled_from(["dcqcn", "dctcp", "ecn_star"]),
        st.sampled_from(classes).map(lambda one: one.priority),
        st.integers(0, 63),
        st.none() | st.floats(1e-4, 1),
        st.none() | st.integers(1, 10**6),
        st.none() | st.integers(0, 63),
        additive_increase_mbps=st.none() | st.integers(1, 1000),
        parameters=st.just({"rpg_min_rate": 100}),
    )
